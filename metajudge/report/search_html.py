"""A search as one HTML file: no network, two languages, Optuna's charts inside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from markupsafe import Markup

from metajudge.report.consult_html import page_block
from metajudge.report.html import content_policy, environment, static
from metajudge.report.inert import script_json
from metajudge.report.plots import csp_hash, plotly_script
from metajudge.report.search_blocks import search_blocks
from metajudge.report.search_results import SearchResults
from metajudge.report.search_text import search_facts, sentence, verdict
from metajudge.report.words import WORDS, Language, Words, both
from metajudge.report.written_file import write_whole

SCRIPTS = ("page.js", "search.js")
STYLES = ("page.css", "consult.css")
_SCRIPT_WORDS = ("show_all", "show_fewer", "charts_failed")


def write_search_html(results: SearchResults, path: str | Path, language: Language = "en") -> Path:
    """Writes the report; it opens from disk and asks nothing of a network.

    Args:
        results: A search.
        path: The file; its folder is made.
        language: Shown first; the page holds both.

    Raises:
        InputError: When the place cannot be written to.
    """
    return write_whole(path, search_page(results, language))


def search_page(results: SearchResults, language: Language = "en") -> str:
    """The report as HTML text; only the page's own scripts can run, and every text is escaped."""
    scripts = [static(name) for name in SCRIPTS]
    charts = {name: figure for name, figure in results.plots.items() if figure is not None}
    plotly = plotly_script() if charts else None
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
            **_parts(results),
            charts=list(charts),
            language=language,
            csp=content_policy(hashes),
            css=Markup("\n".join(map(static, STYLES))),
            scripts=[Markup(code) for code in scripts],
            plotly=Markup("" if plotly is None else plotly.gzip_base64),
            data=Markup(script_json(data)),
        )
    )


def _parts(results: SearchResults) -> dict[str, Any]:
    """Names of the template and what they stand for."""
    english, chinese = (search_blocks(results, lang) for lang in ("en", "zh"))
    facts = zip(search_facts(results, "en"), search_facts(results, "zh"), strict=True)
    return {
        "results": results,
        "words": WORDS,
        "verdict": verdict(results),
        "blocks": [page_block(block, chinese[name]) for name, block in english.items()],
        "sentence": both(lambda lang: sentence(results, lang)),
        "facts": [(Words(a[0], b[0]), Words(a[1], b[1])) for a, b in facts],
        "provenance": _provenance(results),
    }


def _provenance(results: SearchResults) -> list[tuple[str, str]]:
    study, proposal = results.study, results.proposal
    rows = [
        ("created", results.created),
        ("metajudge", results.package_version),
        ("experiment sha256", results.config_sha256),
        ("gold sha256", results.gold.sha256),
        ("optuna", study.tool_version),
        ("study", f"{study.name} ({study.storage})"),
        ("seed", str(study.seed)),
    ]
    if proposal is not None:
        rows += [("proposal", f"{proposal.trial} · {study.name} · {proposal.number}")]
        rows += [("made from", label) for label in proposal.parents]
        rows += [("template", path) for path in proposal.templates]
    return rows
