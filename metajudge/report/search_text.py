"""A search or a race on a terminal: the decision first, readable at 80 columns."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.text import Text

from metajudge.report.consult_block import Block, cut_to
from metajudge.report.consult_text import laid_out
from metajudge.report.figure_text import count
from metajudge.report.search_blocks import race_blocks, search_blocks
from metajudge.report.search_results import RaceResults, SearchResults
from metajudge.report.terminal_parts import dim, fields, framed, plain, print_whole, title
from metajudge.report.words import Language, word

ROWS = {"importance": 8, "races": 12, "ranking": 12, "candidates": 40}
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
        *(part for block in shown for part in _block(block, language, width or 80)),
        *_notes(results.notes, language),
    )


def render_race(
    results: RaceResults, language: Language = "en", width: int | None = None
) -> RenderableType:
    """The report of a race as something Rich prints; `width` in columns, None for 80."""
    won = results.decision.winner is not None
    head = "first" if won else "undecided" if results.race is None else "no_winner"
    blocks = race_blocks(results, language).values()
    return Group(
        _headline("search.race_title", results, language),
        fields(race_facts(results, language)),
        framed(sentence(results, language), word(f"search.{head}", language), good=won),
        *(part for block in blocks for part in _block(block, language, width or 80)),
        *_notes(results.notes, language),
    )


def sentence(results: SearchResults | RaceResults, language: Language) -> str:
    """What it comes to, in one language."""
    decision = results.decision
    return decision.sentence_zh if language == "zh" else decision.sentence


def verdict(results: SearchResults) -> str:
    """What it comes to, in one code: proposed, nothing_new, no_winner, undecided."""
    if not results.ranking:
        return "undecided"
    if results.proposal is not None and results.proposal.first:
        return "proposed"
    return "nothing_new" if results.ranking[0].safe else "no_winner"


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


def _block(block: Block, language: Language, columns: int) -> Iterator[RenderableType]:
    shown, left = cut_to(block, ROWS.get(block.name, len(block.lines)))
    yield from title(shown.title)
    yield from map(plain, shown.lead)
    if shown.lines:
        yield from laid_out(shown.heads, shown.lines, columns)
    if left:
        yield from dim(f"… {word('consult.more_rows', language, n=left)}")
    yield from dim(*shown.under(language))


def _notes(notes: tuple[str, ...], language: Language) -> Iterator[RenderableType]:
    if notes:
        yield from title(word("search.notes", language))
        yield fields([("·", note) for note in notes])
