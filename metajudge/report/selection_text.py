"""Selection on a terminal: the short block of a sweep's report, and all of `metajudge select`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from metajudge.report.figure_text import compact, count, p_text, percent, with_interval
from metajudge.report.places import Places
from metajudge.report.ranked import RankedTrial, common_tail, ranked_trials, row_ranges
from metajudge.report.remarks import off_by
from metajudge.report.results import Results
from metajudge.report.selection_parts import (
    confirmation_head,
    confirmed_word,
    in_row_order,
    rejected,
    win_shares,
    winner_confirmed,
)
from metajudge.report.selection_results import (
    ComparisonFigures,
    Confirmation,
    FrontPoint,
    SelectionResults,
)
from metajudge.report.terminal_parts import (
    columns_of,
    decision_panel,
    dim,
    fields,
    filled,
    framed,
    headline,
    place_text,
    plain,
    ranking,
    ranking_notes,
    title,
)
from metajudge.report.words import Language, word, word_or_code

WIN_SHARES_SHOWN = 4


def selection_summary(results: Results, places: Places, language: Language) -> list[RenderableType]:
    """Front, optimism and confirmation in a few lines; nothing without a selection."""
    found = results.selection
    if found is None:
        return []
    pairs = [
        (word("pareto", language), front_line(found, places, language)),
        (word("optimism", language), optimism_line(results, language)),
        (word("win_shares", language), win_line(results, places, language)),
        (word("confirmation", language), confirmation_line(found, language)),
    ]
    return [*title(word("tab.selection", language)), fields(pairs)]


def front_line(found: SelectionResults, places: Places, language: Language) -> str:
    """Rows on the front."""
    rows = [places.of(p.trial, p.reading).row for p in found.front if p.on_front]
    known = [row for row in rows if row is not None]
    return word("undefined_rows", language, rows=row_ranges(known)) if known else "–"


def optimism_line(results: Results, language: Language) -> str:
    """The target of the winner: apparent, corrected, confirmed; or why there is none."""
    if results.selection is None:
        return "–"
    optimism = results.selection.optimism
    if optimism.apparent is None:
        return optimism.reason or "–"
    parts = [
        f"{word('apparent', language)} {compact(optimism.apparent)}",
        f"{word('corrected', language)} {compact(optimism.corrected)}",
    ]
    confirmed = winner_confirmed(results)
    if confirmed is not None:
        parts.append(f"{word('confirmed', language)} {with_interval(confirmed)}")
    target = word_or_code("figure", results.target, language)
    return f"{target}: {' · '.join(parts)}"


def win_line(results: Results, places: Places, language: Language) -> str:
    """Who is chosen on resamples, the most frequent first."""
    shares = win_shares(results, places)
    named = [
        f"#{w.place.row} {w.percent}" if w.place.row else f"{w.place.head} {w.percent}"
        for w in shares
        if w.place is not None
    ]
    nobody = next((w.percent for w in shares if w.place is None), percent(None))
    return " · ".join([*named[:WIN_SHARES_SHOWN], f"{word('win_none', language)} {nobody}"])


def confirmation_line(found: SelectionResults, language: Language) -> str:
    """What the test split said, or that it was not asked."""
    if found.confirmation is None:
        return word("not_confirmed_yet", language)
    return confirmation_sentence(found.confirmation, language)


def unconfirmed_key(results: Results) -> str:
    """Why there is no confirmation: no winner, or not asked for."""
    return "nothing_to_confirm" if results.decision.winner is None else "not_confirmed"


def confirmation_sentence(found: Confirmation, language: Language) -> str:
    """What came of it, in one language."""
    return found.sentence_zh if language == "zh" else found.sentence


def render_selection(
    results: Results, language: Language = "en", width: int | None = None
) -> RenderableType:
    """All of the choice: ranking, rejected, front, luck, comparisons, confirmation.

    Args:
        results: A finished sweep.
        language: Of the texts.
        width: Columns that there are; None for 80.
    """
    rows = ranked_trials(results)
    columns, places = columns_of(width), Places(rows)
    tail = common_tail([row.trial for row in rows])
    return Group(
        *headline(results, language),
        decision_panel(results, language),
        *title(word("ranking", language)),
        ranking(results, rows, language, columns, tail),
        Text(""),
        *ranking_notes(results, rows, language, tail),
        *_rejected(rows, places, language, columns),
        *_chosen(results, places, language, columns),
    )


def _rejected(
    rows: Sequence[RankedTrial], places: Places, language: Language, columns: int
) -> list[RenderableType]:
    off = rejected(rows, places)
    heading = title(word("rejected", language))
    if not off:
        return [*heading, plain(word("none_rejected", language))]
    heads = ["#", *(word(key, language) for key in ("guardrails", "found", "bound", "off_by"))]
    lines: list[list[str | Text]] = []
    for row in off:
        for place, broken in enumerate(row.broken.values()):
            name = word_or_code("guardrail", broken.guardrail, language)
            reason = f": {broken.reason}" if broken.reason else ""
            lines.append(
                [
                    "" if place else str(row.ranked.row),
                    name + reason,
                    compact(broken.got, 3),
                    "" if broken.got is None else compact(broken.bound, 3),
                    off_by(broken, language),
                ]
            )
    return [*heading, filled(columns, heads, lines, wide=1)]


def _chosen(
    results: Results, places: Places, language: Language, columns: int
) -> Iterator[RenderableType]:
    found = results.selection
    if found is None:
        yield Text("")
        yield plain(word("no_selection", language))
        return
    yield from _front(found, places, language, columns)
    yield from title(word("optimism", language))
    yield plain(optimism_line(results, language))
    yield plain(f"{word('win_shares', language)}: {win_line(results, places, language)}")
    yield from _comparisons(results, found, places, language, columns)
    yield from _confirmation(results, found, language, columns)
    yield from dim(word("test_reads_n", language, n=count(found.test_reads)), *found.notes)


def _front(
    found: SelectionResults, places: Places, language: Language, columns: int
) -> list[RenderableType]:
    heads = [
        word("trial", language),
        word("figure.summary_as_idk", language),
        word("figure.over_credit", language),
        word("tokens_per_claim", language),
        "",
    ]
    points = [point for point in found.front if point.on_front]
    lines = [_front_line(point, places, language) for point in points]
    return [
        *title(word("pareto", language)),
        filled(columns, heads, lines, cut=True),
        *dim(word("pareto_lead", language)),
    ]


def _front_line(point: FrontPoint, places: Places, language: Language) -> list[str | Text]:
    tokens = None if point.tokens_per_claim is None else round(point.tokens_per_claim)
    return [
        place_text(places.of(point.trial, point.reading), language),
        compact(point.summary_as_idk),
        compact(point.over_credit),
        count(tokens),
        "✓" if point.safe else "✗",
    ]


def _comparisons(
    results: Results, found: SelectionResults, places: Places, language: Language, columns: int
) -> list[RenderableType]:
    heading = title(word("comparisons", language))
    if not found.comparisons:
        return [*heading, plain(word("no_comparisons", language))]
    heads = [
        word("trial", language),
        word("figure.summary_as_idk", language),
        word("figure.over_credit", language),
        "+/−",
        "McNemar",
        "Holm",
        "q",
    ]
    lines = [_compared(row, places, language) for row in in_row_order(found.comparisons, places)]
    baseline = places.of(results.baseline or "–").head
    return [
        *heading,
        filled(columns, heads, lines, cut=True),
        *dim(
            word("comparisons_lead", language, baseline=baseline),
            word("better_worse_note", language),
            word("p_note_short", language),
        ),
    ]


def _compared(row: ComparisonFigures, places: Places, language: Language) -> list[str | Text]:
    gaps = [row.differences.get(name) for name in ("summary_as_idk", "over_credit")]
    return [
        place_text(places.of(row.trial, row.reading), language),
        *("–" if gap is None else with_interval(gap, sign=True) for gap in gaps),
        f"{row.better}/{row.worse}",
        *(p_text(p) for p in (row.mcnemar_p, row.holm_p, row.fdr_q)),
    ]


def _on_test(confirmed: Confirmation, language: Language, columns: int) -> RenderableType:
    """The figures on test: of both and their difference, or of the baseline alone."""
    beside = () if confirmed.alone else ("baseline", "difference")
    heads = [word(key, language) for key in ("figure", confirmed_word(confirmed), *beside)]
    lines: list[list[str | Text]] = []
    for name, figure in confirmed.winner.items():
        base, gap = confirmed.baseline_figures.get(name), confirmed.differences.get(name)
        shown = ["–" if base is None else with_interval(base)]
        shown.append("–" if gap is None else with_interval(gap, sign=True))
        told = word_or_code("figure", name, language)
        lines.append([told, with_interval(figure), *shown[: len(beside)]])
    return filled(columns, heads, lines)


def _confirmation(
    results: Results, found: SelectionResults, language: Language, columns: int
) -> Iterator[RenderableType]:
    confirmed = found.confirmation
    if confirmed is None:
        yield from title(word("confirmation", language))
        yield plain(word(unconfirmed_key(results), language))
        return
    head = word(confirmation_head(confirmed), language)
    yield Text("")
    yield framed(
        confirmation_sentence(confirmed, language),
        f"{word('confirmation', language)}: {head}",
        good=confirmed.holds or (confirmed.alone and not confirmed.broken),
    )
    yield _on_test(confirmed, language, columns)
    broken = [word_or_code("guardrail", name, language) for name in confirmed.broken]
    if broken:
        names = word("list_comma", language).join(broken)
        yield plain(f"✗ {word('broken_on_test', language)}: {names}")
