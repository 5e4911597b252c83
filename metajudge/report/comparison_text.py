"""Two candidates compared, on a terminal: figures, change tables, tests and the words for it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from metajudge.report.comparison_results import ChangeCell, ComparedCandidate, RunComparison
from metajudge.report.figure_text import UNDEFINED, count, p_text, with_interval
from metajudge.report.terminal_parts import (
    columns_of,
    dim,
    fields,
    filled,
    framed,
    plain,
    title,
)
from metajudge.report.words import Language, reading_word, verdict_word, word, word_or_code

VERDICTS = ("yes", "no", "idk", "failure")
CLAIMS_SHOWN = 20


def render_comparison(
    found: RunComparison, language: Language = "en", width: int | None = None
) -> RenderableType:
    """B against A: the verdict in words, figures, changes by gold label and slice, claims.

    Args:
        found: What was compared.
        language: Of the texts.
        width: Columns that there are; None for 80.
    """
    columns = columns_of(width)
    pairs = [
        ("A", candidate_text(found.a, language)),
        ("B", candidate_text(found.b, language)),
        (
            word("gold", language),
            f"{found.gold} · {word('claims_n', language, n=count(found.claims))}",
        ),
    ]
    return Group(
        fields(pairs),
        framed(
            found.sentence_zh if language == "zh" else found.sentence,
            word("b_against_a", language),
            good=any(found.told_apart.values()),
        ),
        *_figures(found, language, columns),
        *_changes(found, language, columns),
        *_slices(found, language, columns),
        *_claims(found, language, columns),
        *dim(*found.notes),
    )


def candidate_text(candidate: ComparedCandidate, language: Language) -> str:
    """One side: run, trial and reading."""
    reading = reading_word(candidate.reading, language)
    return f"{candidate.trial} · {reading} ({candidate.run}, {candidate.created})"


def _figures(found: RunComparison, language: Language, columns: int) -> Iterator[RenderableType]:
    heads = [word("figure", language), "A", "B", "B − A", "p"]
    lines: list[list[str | Text]] = [
        [
            word_or_code("figure", name, language),
            with_interval(found.figures_a[name]),
            with_interval(found.figures_b[name]),
            with_interval(gap, sign=True) + ("" if found.told_apart.get(name) else " ≈"),
            p_text(found.swap_p.get(name)),
        ]
        for name, gap in found.differences.items()
    ]
    yield filled(columns, heads, lines)
    tests = (
        ("McNemar mid-p", found.mcnemar_p),
        ("McNemar exact", found.mcnemar_exact_p),
        ("Stuart-Maxwell", found.stuart_maxwell_p),
        ("Bhapkar", found.bhapkar_p),
    )
    told = " · ".join(f"{name} {p_text(p)}" for name, p in tests)
    yield from dim(word("compare_note", language))
    yield plain(
        f"{word('better_n', language, n=found.better)} · "
        f"{word('worse_n', language, n=found.worse)} · {told}"
    )


def _changes(found: RunComparison, language: Language, columns: int) -> Iterator[RenderableType]:
    cells = [cell for cell in found.changes if cell.slice is None]
    golds = dict.fromkeys(cell.gold for cell in cells)
    heads = [
        f"{word('gold_label', language)} · {word('was', language)}",
        *(f"{word('is', language)} {verdict_word(v, language)}" for v in VERDICTS),
    ]
    lines: list[list[str | Text]] = []
    for gold in golds:
        for was in VERDICTS:
            row = [cell for cell in cells if (cell.gold, cell.was) == (gold, was)]
            if row:
                counts: dict[str, int] = {cell.now: cell.claims for cell in row}
                name = f"{gold} · {verdict_word(was, language)}"
                lines.append([name, *(_count(counts.get(v), v == was) for v in VERDICTS)])
    yield from title(word("change_table", language))
    yield filled(columns, heads, lines)
    yield from dim(word("change_note", language))


def _count(n: int | None, stayed: bool) -> Text:
    if not n:
        return Text("·", style="dim")
    return Text(str(n), style="dim" if stayed else "bold")


def _slices(found: RunComparison, language: Language, columns: int) -> Iterator[RenderableType]:
    cells: dict[str, list[ChangeCell]] = {}
    for cell in found.changes:
        if cell.slice is not None:
            cells.setdefault(cell.slice, []).append(cell)
    if not cells:
        return
    keys = ("slice", "claims", "changed", "better", "worse")
    lines: list[list[str | Text]] = [
        [word_or_code("slice", name, language), *map(str, slice_counts(held))]
        for name, held in cells.items()
    ]
    yield from title(word("slices", language))
    yield filled(columns, [word(key, language) for key in keys], lines)


def slice_counts(cells: list[ChangeCell]) -> tuple[int, int, int, int]:
    """Claims, those that changed, those right now and wrong before, and the reverse."""
    total = changed = better = worse = 0
    for cell in cells:
        total += cell.claims
        if cell.was == cell.now:
            continue
        changed += cell.claims
        before, after = is_right(cell.gold, cell.was), is_right(cell.gold, cell.now)
        better += cell.claims * (after and not before)
        worse += cell.claims * (before and not after)
    return total, changed, better, worse


def is_right(gold: str, verdict: str) -> bool:
    """Whether a verdict is the gold label; in a binary set all but yes is unsupported.

    >>> is_right("unsupported", "idk"), is_right("supported", "yes"), is_right("yes", "failure")
    (True, True, False)
    """
    right = {"supported": ("yes",), "unsupported": ("no", "idk")}.get(gold, (gold,))
    return verdict in right


def _claims(found: RunComparison, language: Language, columns: int) -> Iterator[RenderableType]:
    if not found.changed:
        return
    keys = ("claim", "gold_label", "slice")
    heads = [*(word(key, language) for key in keys), "A → B"]
    lines: list[list[str | Text]] = [
        [
            claim.claim_id,
            claim.gold,
            UNDEFINED if claim.slice is None else word_or_code("slice", claim.slice, language),
            f"{verdict_word(claim.was, language)} → {verdict_word(claim.now, language)}",
        ]
        for claim in found.changed[:CLAIMS_SHOWN]
    ]
    yield from title(word("changed", language))
    yield filled(columns, heads, lines)
    left = len(found.changed) - CLAIMS_SHOWN
    if left > 0:
        yield from dim(f"… {word('more_n', language, n=left)}")
