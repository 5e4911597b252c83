"""A search or a race on a terminal: the decision first, readable at 80 columns."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.text import Text

from metajudge.report.consult_text import laid_out_block
from metajudge.report.figure_text import count
from metajudge.report.search_blocks import race_blocks, search_blocks
from metajudge.report.search_optimised import OptimisedResults
from metajudge.report.search_results import RaceResults, SearchResults
from metajudge.report.terminal_parts import fields, framed, plain, print_whole, title
from metajudge.report.translated import translated
from metajudge.report.tune_results import TuneResults
from metajudge.report.words import Language, word

ROWS = {
    "importance": 8,
    "races": 12,
    "ranking": 12,
    "candidates": 40,
    "left_out": 6,
    "refused": 3,
}
LEFT_OUT = ("trials",)
"""Parts that only the other media have."""


def print_search(results: SearchResults, console: Console, language: Language = "en") -> None:
    """Prints the report of a search."""
    print_whole(render_search(results, language, console.width), console)


def print_race(results: RaceResults, console: Console, language: Language = "en") -> None:
    """Prints the report of a race."""
    print_whole(render_race(results, language, console.width), console)


def render_search(
    results: SearchResults, language: Language = "en", width: int | None = None
) -> RenderableType:
    """The report of a search as something Rich prints; `width` in columns, None for 80."""
    blocks = search_blocks(results, language)
    shown = [block for name, block in blocks.items() if name not in LEFT_OUT]
    return Group(
        _headline("search.title", results, language),
        fields(search_facts(results, language)),
        framed(
            sentence(results, language),
            word(f"search.{verdict(results)}", language),
            good=results.proposal is not None and results.proposal.first,
        ),
        *(part for block in shown for part in laid_out_block(block, language, width or 80, ROWS)),
        *laid_out_notes(notes(results, language), language),
    )


def render_race(
    results: RaceResults, language: Language = "en", width: int | None = None
) -> RenderableType:
    """The report of a race as something Rich prints; `width` in columns, None for 80."""
    won, head = results.decision.winner is not None, race_verdict(results)
    blocks = race_blocks(results, language).values()
    return Group(
        _headline("search.race_title", results, language),
        fields(race_facts(results, language)),
        framed(sentence(results, language), word(f"search.{head}", language), good=won),
        *(part for block in blocks for part in laid_out_block(block, language, width or 80, ROWS)),
        *laid_out_notes(notes(results, language), language),
    )


def sentence(
    results: SearchResults | RaceResults | OptimisedResults | TuneResults, language: Language
) -> str:
    """What it comes to, in one language."""
    decision = results.decision
    return decision.sentence_zh if language == "zh" else decision.sentence


def notes(results: SearchResults | RaceResults, language: Language) -> list[str]:
    """What else there is to know, a sentence each."""
    return [translated(note, language) for note in results.notes]


def confirm_command(experiment: str, folder: Path, store: Path | None = None) -> str:
    """The command that confirms a proposal, from the folder that the run was made in.

    Args:
        experiment: The proposal's experiment, seen from the folder of the report.
        folder: Folder of the report, seen from that of the run.
        store: The reply store, where it is not the usual one.

    >>> confirm_command("proposals/a b/experiment.yaml", Path("runs/x"))
    "metajudge select 'runs/x/proposals/a b/experiment.yaml' --confirm"
    """
    words = ["metajudge", "select", (folder / experiment).as_posix(), "--confirm"]
    return shlex.join([*words, *([] if store is None else ["--store", store.as_posix()])])


def verdict(results: SearchResults) -> str:
    """What it comes to, in one code: proposed, nothing_new, no_winner, undecided."""
    if not results.ranking:
        return "undecided"
    if results.proposal is not None and results.proposal.first:
        return "proposed"
    return "nothing_new" if results.ranking[0].safe else "no_winner"


def race_verdict(results: RaceResults) -> str:
    """What it comes to, in one code: first, no_winner, undecided."""
    if results.decision.winner is not None:
        return "first"
    return "undecided" if results.race is None else "no_winner"


def search_facts(results: SearchResults, language: Language) -> list[tuple[str, str]]:
    """Gold set, judges, study, space and calls: names and texts."""
    study = results.study
    told = sum(trial.state not in ("running", "duplicate") for trial in results.trials)
    axes = len(study.axes)
    space = (
        word("search.space_endless", language, axes=axes)
        if study.settings is None
        else word("search.space_line", language, n=count(study.settings), axes=axes)
    )
    run = word(
        "search.study_line",
        language,
        name=study.name,
        sampler=study.sampler,
        n=told,
        wanted=study.wanted,
    )
    return [
        *_gold_and_judges(results, language),
        (word("search.study", language), run),
        (word("search.space", language), space),
        (word("search.racing", language), _racing(results, language)),
        (word("search.spent", language), _spent(results, language)),
    ]


def race_facts(results: RaceResults, language: Language) -> list[tuple[str, str]]:
    """Gold set, judges and calls: names and texts."""
    pairs = [*_gold_and_judges(results, language)]
    pairs.append((word("search.racing", language), _racing(results, language)))
    if results.race is not None:
        pairs.append((word("search.spent", language), _spent(results, language)))
    return pairs


def _gold_and_judges(
    results: SearchResults | RaceResults, language: Language
) -> Iterator[tuple[str, str]]:
    gold = results.gold
    split = f" · {word('split', language)} {gold.split}" if gold.split else ""
    claims = word("claims_n", language, n=count(gold.claims))
    yield word("gold", language), f"{gold.name} {gold.version}{split} · {claims}"
    yield word("judge", language), " · ".join(judge.spec for judge in results.judges)


def _racing(results: SearchResults | RaceResults, language: Language) -> str:
    method = word(f"search.method.{results.method}", language)
    if results.method == "none":
        return method
    unit = word(f"search.unit.{results.unit}", language)
    return word("search.racing_line", language, method=method, block=results.block, unit=unit)


def _spent(results: SearchResults | RaceResults, language: Language) -> str:
    if isinstance(results, SearchResults):
        spent, full = results.spent, results.spent_full
    else:
        assert results.race is not None
        spent, full = results.race.calls, results.race.calls_full
    share = f"{spent / full:.0%}" if full else "–"
    line = word("search.spent_line", language, n=count(spent), full=count(full), share=share)
    run = word("search.this_run", language, asked=count(results.calls.asked))
    return f"{line} · {run}"


def _headline(key: str, results: SearchResults | RaceResults, language: Language) -> Text:
    text = plain(f"{word(key, language)} · {results.name}", "bold")
    if results.question:
        text.append_text(Text(" · ", style="dim")).append_text(plain(results.question))
    return text


def laid_out_notes(told: Sequence[str], language: Language) -> Iterator[RenderableType]:
    """Notes on a terminal."""
    if told:
        yield from title(word("search.notes", language))
        yield fields([("·", note) for note in told])
