"""What the tabs *Selection* and *Calibration* show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from metajudge.report.figure_text import compact, count, percent
from metajudge.report.part import Figure
from metajudge.report.places import Place, Places
from metajudge.report.ranked import RankedTrial, calibrated_rows
from metajudge.report.remarks import off_by
from metajudge.report.results import BrokenGuardrail, Results
from metajudge.report.selection_results import ComparisonFigures, Confirmation, LabelsNeeded
from metajudge.report.stability_parts import reach, scale
from metajudge.report.words import Words, both, word, word_or_code

COMPARED = ("summary_as_idk", "over_credit", "kappa")


class Rejected(NamedTuple):
    """A candidate that may not win, and the guardrails that say so."""

    ranked: RankedTrial
    place: Place
    broken: Mapping[str, BrokenGuardrail]


class Compared(NamedTuple):
    """A candidate against the baseline, and the rows to look at in the change browser."""

    place: Place
    figures: ComparisonFigures
    baseline_row: int | None


class WinShare(NamedTuple):
    """How often resamples choose a candidate; `place` is None for nobody."""

    place: Place | None
    share: float
    percent: str


def selection_parts(
    results: Results, rows: Sequence[RankedTrial], places: Places
) -> dict[str, Any]:
    """Names of the template's parts and what they stand for; None where results have none."""
    return {
        "selection": _selection(results, rows, places),
        "power": _power(results, places),
        "calibration": [
            (places.of(c.trial, c.reading), c) for _, c in calibrated_rows(results, rows)
        ],
        "calibration_top": scale(
            [f for c in results.calibration for f in (c.ece, *c.ece_after.values())]
        ),
        "off_by": lambda broken: both(lambda lang: off_by(broken, lang)),
        "got_bound": lambda broken: both(
            lambda lang: word(
                "got_bound", lang, got=compact(broken.got, 3), bound=compact(broken.bound)
            )
        ),
    }


def rejected(rows: Sequence[RankedTrial], places: Places) -> tuple[Rejected, ...]:
    """Candidates with a broken guardrail, in the order of the ranking."""
    return tuple(
        Rejected(
            row,
            places.of(row.trial, row.reading),
            {found.guardrail: found for found in row.broken},
        )
        for row in rows
        if row.broken
    )


def in_row_order(
    comparisons: Sequence[ComparisonFigures], places: Places
) -> list[ComparisonFigures]:
    """Comparisons as the ranking has their candidates."""

    def row(found: ComparisonFigures) -> float:
        return places.of(found.trial, found.reading).row or float("inf")

    return sorted(comparisons, key=row)


def win_shares(results: Results, places: Places) -> tuple[WinShare, ...]:
    """Shares of resamples by candidate, the greatest first, and that of nobody last."""
    selection = results.selection
    if selection is None:
        return ()
    found = sorted(selection.optimism.win_shares.items(), key=lambda pair: -pair[1])
    shares = [WinShare(places.of(label), share, percent(share)) for label, share in found]
    nobody = selection.optimism.no_winner_share
    return (*shares, WinShare(None, nobody, percent(nobody)))


def _selection(
    results: Results, rows: Sequence[RankedTrial], places: Places
) -> dict[str, Any] | None:
    found = results.selection
    if found is None:
        return None
    off = rejected(rows, places)
    optimism = found.optimism
    baseline_row = places.of(results.baseline or "").row
    return {
        "found": found,
        "front": [(places.of(point.trial, point.reading), point) for point in found.front],
        "rejected": off,
        "broken_names": tuple(dict.fromkeys(name for row in off for name in row.broken)),
        "optimism_lead": both(
            lambda lang: word(
                "optimism_lead",
                lang,
                n=count(optimism.resamples),
                target=word_or_code("figure", results.target, lang),
            )
        ),
        "confirmed": winner_confirmed(results),
        "win_shares": win_shares(results, places),
        "comparisons": [
            Compared(places.of(c.trial, c.reading), c, _same_reading(places, results, c))
            for c in in_row_order(found.comparisons, places)
        ],
        "compared": COMPARED,
        "reach": reach([d for c in found.comparisons for d in c.differences.values()]),
        "comparisons_lead": both(
            lambda lang: word("comparisons_lead", lang, baseline=results.baseline or "–")
        ),
        "baseline_row": baseline_row,
        "reads": both(lambda lang: word("test_reads_n", lang, n=count(found.test_reads))),
        "confirmation_lead": _confirmation_lead(results),
        "confirmed_word": found.confirmation and confirmed_word(found.confirmation),
        "confirmation_head": found.confirmation and confirmation_head(found.confirmation),
    }


def _same_reading(places: Places, results: Results, compared: ComparisonFigures) -> int | None:
    """The baseline's row in the same reading, or else its first row."""
    name = results.baseline or ""
    return places.of(name, compared.reading).row or places.of(name).row


def winner_confirmed(results: Results) -> Figure | None:
    """The target of the winner on test; None where it, and no other candidate, was not confirmed.

    Only the first choice of these very results is the one whose luck of being chosen is told. A
    baseline that was measured alone is not confirmed.
    """
    found = None if results.selection is None else results.selection.confirmation
    chosen = (results.decision.winner, results.decision.reading)
    if found is None or found.alone or (found.trial, found.reading) != chosen:
        return None
    return found.winner.get(results.target)


def confirmed_word(found: Confirmation) -> str:
    """The key of what the confirmed candidate is called."""
    if found.alone:
        return "baseline"
    return "named_candidate" if found.named else "winner"


def confirmation_head(found: Confirmation) -> str:
    """The key of what came of it: holds, fails, or alone."""
    if found.alone:
        return "alone"
    return "holds" if found.holds else "fails"


def _confirmation_lead(results: Results) -> Words | None:
    found = None if results.selection is None else results.selection.confirmation
    if found is None:
        return None
    lead = "confirmation_lead_named" if found.named else "confirmation_lead"
    if found.alone:
        lead = "confirmation_lead_alone"
    return both(
        lambda lang: word(
            lead,
            lang,
            baseline=found.baseline,
            claims=word("claims_n", lang, n=count(found.claims)),
            contexts=word("contexts_n", lang, n=count(found.contexts)),
        )
    )


def _power(results: Results, places: Places) -> dict[str, Any] | None:
    found = results.power
    if found is None:
        return None
    needed: dict[str, dict[str, dict[float, LabelsNeeded]]] = {}
    for row in found.needed:
        needed.setdefault(row.slice, {}).setdefault(row.figure, {})[row.difference] = row
    place = places.of(found.trial, found.reading)
    columns = tuple(dict.fromkeys((row.figure, row.difference) for row in found.needed))
    return {
        "found": found,
        "lead": both(
            lambda lang: word(
                "power_lead",
                lang,
                trial=f"#{place.row or '–'} {place.head}",
                worlds=count(found.worlds),
                churn=percent(found.churn),
            )
        ),
        "needed": needed,
        "columns": columns,
        "need_for": lambda difference: both(
            lambda lang: word("labels_needed_for", lang, d=compact(difference))
        ),
    }
