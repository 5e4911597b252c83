"""The rows of a report: each candidate's place, figures and verdicts, in ranking order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from metajudge.report.part import Figure, Reading
from metajudge.report.results import BrokenGuardrail, Results, TrialFigures, TrialVerdicts
from metajudge.report.selection_results import CalibrationFigures

HEADLINE_FIGURES = ("summary_as_idk", "over_credit", "kappa")


@dataclass(frozen=True, slots=True)
class RankedTrial:
    """One candidate of a sweep.

    Attributes:
        row: 1-based line in every table of the report; unique, unlike the rank.
        rank: Place; None for a trial that was measured but not ranked.
        tied: Its target cannot be told from the first row's.
        safe: Whether every guardrail is kept; None when it was not ranked.
        broken: Guardrails that it does not keep.
        difference: Paired difference of the target to the first row.
        adjusted_p: p of that difference, adjusted over the safe rows.
        figures: Everything measured about it.
        verdicts: Its verdicts; None where `results.verdicts` has none for it.
    """

    row: int
    rank: int | None
    tied: bool
    safe: bool | None
    broken: tuple[BrokenGuardrail, ...]
    difference: Figure | None
    adjusted_p: float | None
    figures: TrialFigures
    verdicts: TrialVerdicts | None

    @property
    def trial(self) -> str:
        """The trial's name."""
        return self.figures.trial

    @property
    def reading(self) -> Reading:
        """How its replies were read."""
        return self.figures.reading

    @property
    def rank_text(self) -> str:
        """`3`, `1≈` where tied with the first row, `–` where not ranked."""
        return "–" if self.rank is None else f"{self.rank}≈" if self.tied else str(self.rank)

    @property
    def failed(self) -> int:
        """Verdicts that are failures."""
        return sum(self.figures.failures.values())

    def figure(self, name: str) -> Figure:
        """A figure by name; one that was not computed is undefined, with that reason."""
        found = self.figures.figures.get(name)
        return Figure(value=None, n=0, reason="not computed") if found is None else found


def ranked_trials(results: Results) -> tuple[RankedTrial, ...]:
    """Every trial and reading of the sweep: the ranked ones in order, then the others."""
    trials = {(t.trial, t.reading): t for t in results.trials}
    verdicts = {(v.trial, v.reading): v for v in results.verdicts}
    rows: list[RankedTrial] = []
    for place in results.ranking:
        key = (place.trial, place.reading)
        rows.append(
            RankedTrial(
                row=len(rows) + 1,
                rank=place.rank,
                tied=place.tied_with_first,
                safe=place.safe,
                broken=place.broken,
                difference=place.difference_to_first,
                adjusted_p=place.adjusted_p,
                figures=trials.pop(key),
                verdicts=verdicts.get(key),
            )
        )
    for key, trial in trials.items():
        rows.append(
            RankedTrial(len(rows) + 1, None, False, None, (), None, None, trial, verdicts.get(key))
        )
    return tuple(rows)


def winner_row(results: Results, rows: Sequence[RankedTrial]) -> RankedTrial | None:
    """The row that was decided for; None where there is no safe winner."""
    decision = results.decision
    found = (r for r in rows if r.trial == decision.winner)
    return next((r for r in found if decision.reading in (None, r.reading)), None)


def calibrated_rows(
    results: Results, rows: Sequence[RankedTrial]
) -> tuple[tuple[RankedTrial, CalibrationFigures], ...]:
    """Rows whose probabilities were held against gold, in the order of the report."""
    found = {(entry.trial, entry.reading): entry for entry in results.calibration}
    return tuple(
        (row, found[row.trial, row.reading]) for row in rows if (row.trial, row.reading) in found
    )


def shown_figures(results: Results) -> tuple[str, ...]:
    """Figures of the ranking table: the target first, then the headline figures."""
    return tuple(dict.fromkeys((results.target, *HEADLINE_FIGURES)))


class Remark(NamedTuple):
    """Why a figure is undefined, or a warning about it, and the rows that it holds for."""

    name: str
    text: str
    rows: tuple[int, ...]


def _remarks(
    rows: Iterable[RankedTrial],
    names: Sequence[str] | None,
    text_of: Callable[[Figure], str | None],
) -> tuple[Remark, ...]:
    found: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        for name in row.figures.figures if names is None else names:
            text = text_of(row.figure(name))
            if text:
                found.setdefault((name, text), []).append(row.row)
    return tuple(Remark(name, text, tuple(who)) for (name, text), who in found.items())


def undefined_figures(
    rows: Iterable[RankedTrial], names: Sequence[str] | None = None
) -> tuple[Remark, ...]:
    """Undefined figures with their reasons, those of the same reason together."""
    return _remarks(rows, names, lambda f: None if f.value is not None else f.reason or "?")


def figure_warnings(rows: Iterable[RankedTrial]) -> tuple[Remark, ...]:
    """Warnings that figures carry, those of the same text together."""
    return _remarks(rows, None, lambda figure: figure.warning)


def row_ranges(rows: Sequence[int]) -> str:
    """Row numbers, runs shortened.

    >>> row_ranges((1, 2, 3, 5, 8, 9))
    '1-3, 5, 8, 9'
    """
    runs: list[list[int]] = []
    for row in sorted(rows):
        if runs and row == runs[-1][-1] + 1:
            runs[-1].append(row)
        else:
            runs.append([row])
    parts = [f"{r[0]}-{r[-1]}" if len(r) > 2 else ", ".join(map(str, r)) for r in runs]
    return ", ".join(parts)


def policy_names(results: Results) -> tuple[str, ...]:
    """Policies in the order in which the trials name them."""
    return tuple(dict.fromkeys(p.policy for t in results.trials for p in t.policies))


def gold_labels(results: Results) -> tuple[str, ...]:
    """Gold labels in the order of the confusion tables."""
    return tuple(dict.fromkeys(label for t in results.trials for label in t.table))


def common_tail(names: Sequence[str]) -> str:
    """The words that all names end with, so that a narrow table can leave them out once said.

    >>> common_tail(["a/en × judge", "b/en × judge"])
    ' × judge'
    >>> common_tail(["a", "b"]), common_tail(["a × j", "a × j"])
    ('', '')
    """
    if len(set(names)) < 2:
        return ""
    split = [name.split(" ") for name in names]
    shortest = min(map(len, split))
    shared = 0
    while shared < shortest - 1 and len({words[-1 - shared] for words in split}) == 1:
        shared += 1
    return "" if shared == 0 else " " + " ".join(split[0][-shared:])
