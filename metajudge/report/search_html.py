"""A search, a race, an optimiser's run or a tuning as one HTML file: no network, two languages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from markupsafe import Markup

from metajudge.report.consult_block import Block
from metajudge.report.consult_html import page_block
from metajudge.report.html import content_policy, environment, static
from metajudge.report.inert import script_json
from metajudge.report.plots import csp_hash, plotly_script
from metajudge.report.search_blocks import race_blocks, search_blocks
from metajudge.report.search_optimised import OptimisedResults
from metajudge.report.search_optimised_blocks import (
    instructions,
    optimised_blocks,
    optimised_facts,
    optimised_notes,
    optimised_verdict,
)
from metajudge.report.search_plots import worded_plots
from metajudge.report.search_results import RaceResults, SearchResults
from metajudge.report.search_text import (
    confirm_command,
    notes,
    race_facts,
    race_verdict,
    search_facts,
    sentence,
    verdict,
)
from metajudge.report.tune_blocks import tune_blocks
from metajudge.report.tune_plots import tune_plots
from metajudge.report.tune_results import TuneResults
from metajudge.report.tune_text import declared_text, tune_facts, tune_notes
from metajudge.report.tune_text import verdict as tune_verdict
from metajudge.report.words import LANGUAGES, WORDS, Language, Words, both, word
from metajudge.report.written_file import write_whole

SCRIPTS = ("page.js", "plotly.js", "search.js")
STYLES = ("page.css", "consult.css")
_SCRIPT_WORDS = ("show_all", "show_fewer", "charts_failed")
Found: TypeAlias = SearchResults | RaceResults | OptimisedResults | TuneResults
Pairs: TypeAlias = Sequence[tuple[str, str]]


class _Page(NamedTuple):
    """What a page shows.

    Attributes:
        results: What it is of.
        kind: Key of its name.
        verdict: Code of what it comes to.
        good: Whether there is a choice.
        facts: Names and texts, by language.
        notes: Sentences, by language.
        blocks: Tables by name, by language.
        texts: Headings and texts of several lines, by language.
        experiment: The experiment that confirms a proposal; None where there is none.
        provenance: Where it all comes from, by language.
        plots: Charts by name, by language.
        room: What the keys of verdict and charts begin with.
    """

    results: Found
    kind: str
    verdict: str
    good: bool
    facts: Callable[[Language], Pairs]
    notes: Callable[[Language], Sequence[str]]
    blocks: Callable[[Language], Mapping[str, Block]]
    provenance: Callable[[Language], Pairs]
    experiment: str | None = None
    texts: Callable[[Language], Pairs] = lambda _: ()
    plots: Callable[[Language], Mapping[str, Any]] = lambda _: {}
    room: str = "search"


def write_search_html(
    results: Found, path: str | Path, language: Language = "en", store: Path | None = None
) -> Path:
    """Writes the report; it opens from disk and asks nothing of a network.

    Args:
        results: A search, a race, an optimiser's run or a tuning.
        path: The file; its folder is made. The command that confirms a proposal is told from the
            folder that this path starts from.
        language: Shown first; the page holds both.
        store: The reply store, where that command needs it.

    Raises:
        InputError: When the place cannot be written to.
    """
    return write_whole(path, search_page(results, language, Path(path).parent, store))


def search_page(
    results: Found, language: Language = "en", folder: Path = Path(), store: Path | None = None
) -> str:
    """The report as HTML text; only the page's own scripts can run, and every text is escaped."""
    page = _page(results)
    scripts = [static(name) for name in SCRIPTS]
    charts = {lang: page.plots(lang) for lang in LANGUAGES}
    plotly = plotly_script() if charts["en"] else None
    hashes = [csp_hash(code.encode()) for code in scripts]
    hashes += [] if plotly is None else [plotly.csp_hash]
    data = {
        "language": language,
        "words": {key: WORDS[key] for key in _SCRIPT_WORDS},
        "charts": charts,
    }
    return (
        environment()
        .get_template("search.html.j2")
        .render(
            **_parts(page),
            command=None
            if page.experiment is None
            else confirm_command(page.experiment, folder, store),
            charts=list(charts["en"]),
            language=language,
            csp=content_policy(hashes),
            css=Markup("\n".join(map(static, STYLES))),
            scripts=[Markup(code) for code in scripts],
            plotly=Markup("" if plotly is None else plotly.gzip_base64),
            data=Markup(script_json(data)),
        )
    )


def _page(results: Found) -> _Page:
    if isinstance(results, SearchResults):
        proposal = results.proposal
        return _Page(
            results,
            "search.title",
            verdict(results),
            proposal is not None and proposal.first,
            lambda lang: search_facts(results, lang),
            lambda lang: notes(results, lang),
            lambda lang: search_blocks(results, lang),
            lambda lang: _search_provenance(results, lang),
            experiment=None if proposal is None else proposal.experiment,
            plots=lambda lang: worded_plots(results, lang),
        )
    won = results.decision.winner is not None
    if isinstance(results, TuneResults):
        return _tuned(results)
    if isinstance(results, RaceResults):
        return _Page(
            results,
            "search.race_title",
            race_verdict(results),
            won,
            lambda lang: race_facts(results, lang),
            lambda lang: notes(results, lang),
            lambda lang: race_blocks(results, lang),
            lambda lang: _provenance(results, lang),
        )
    return _Page(
        results,
        "search.optimise_title",
        optimised_verdict(results),
        won,
        lambda lang: optimised_facts(results, lang),
        lambda lang: optimised_notes(results, lang),
        lambda lang: optimised_blocks(results, lang),
        lambda lang: _optimised_provenance(results, lang),
        experiment=results.experiment,
        texts=lambda lang: instructions(results, lang),
    )


def _tuned(results: TuneResults) -> _Page:
    declared = declared_text(results)
    return _Page(
        results,
        "tune.title",
        tune_verdict(results),
        results.decision.winner is not None and results.told_apart,
        lambda lang: tune_facts(results, lang),
        lambda lang: tune_notes(results, lang),
        lambda lang: {block.name: block for block in tune_blocks(results, lang)},
        lambda lang: _provenance(results, lang),
        texts=lambda lang: [(word("tune.declare", lang), declared)] if declared else [],
        plots=lambda lang: tune_plots(results, lang),
        room="tune",
    )


def _parts(page: _Page) -> dict[str, Any]:
    """Names of the template and what they stand for."""
    english, chinese = (page.blocks(lang) for lang in LANGUAGES)
    return {
        "results": page.results,
        "words": WORDS,
        "kind": page.kind,
        "room": page.room,
        "verdict": page.verdict,
        "good": page.good,
        "blocks": [page_block(block, chinese[name]) for name, block in english.items()],
        "sentence": both(lambda lang: sentence(page.results, lang)),
        "facts": _both_pairs(page.facts),
        "notes": [Words(*told) for told in zip(*map(page.notes, LANGUAGES), strict=True)],
        "texts": _both_pairs(page.texts),
        "provenance": _both_pairs(page.provenance),
    }


def _both_pairs(pairs: Callable[[Language], Pairs]) -> list[tuple[Words, Words]]:
    told = zip(*map(pairs, LANGUAGES), strict=True)
    return [(Words(a[0], b[0]), Words(a[1], b[1])) for a, b in told]


def _provenance(results: Found, language: Language) -> list[tuple[str, str]]:
    rows = {
        "created": results.created,
        "metajudge": results.package_version,
        "config": results.config_sha256,
        "gold": results.gold.sha256,
        "seed": str(results.seed),
    }
    return [_row(key, text, language) for key, text in rows.items()]


def _row(key: str, text: str, language: Language) -> tuple[str, str]:
    return word(f"search.prov.{key}", language), text


def _search_provenance(results: SearchResults, language: Language) -> list[tuple[str, str]]:
    study, proposal = results.study, results.proposal
    rows = [
        *_provenance(results, language),
        ("optuna", study.tool_version),
        _row("study", f"{study.name} ({study.storage})", language),
    ]
    if proposal is not None:
        told = f"{proposal.trial} · {study.name} · {proposal.number}"
        rows += [_row("proposal", told, language)]
        rows += [_row("made_from", label, language) for label in proposal.parents]
        rows += [_row("template", path, language) for path in proposal.templates]
    return rows


def _optimised_provenance(results: OptimisedResults, language: Language) -> list[tuple[str, str]]:
    rows = [*_provenance(results, language), (results.tool, results.tool_version)]
    if results.templates:
        rows += [_row("made_from", results.start, language)]
        rows += [_row("template", path, language) for path in results.templates]
    return rows
