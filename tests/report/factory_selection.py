"""A made-up selection: front, comparisons and confirmation that fit the ranking."""

from __future__ import annotations

import numpy as np

from metajudge.report.part import Figure
from metajudge.report.results import RankRow, Results, TrialFigures
from metajudge.report.selection_results import (
    ComparisonFigures,
    Confirmation,
    FrontPoint,
    OptimismFigures,
    SelectionResults,
)
from tests.report.factory_figures import gap, share


def selection(results: Results, rng: np.random.Generator, text: str = "") -> SelectionResults:
    """Front, comparisons with the baseline, optimism and a confirmation where there is a winner."""
    trials = {(t.trial, t.reading): t for t in results.trials}
    names = list(dict.fromkeys(trial.trial for trial in results.trials))
    tokens = {name: round(300 + 900 * float(rng.random()), 1) for name in names}
    points = [
        _point(row, trials[row.trial, row.reading], tokens[row.trial]) for row in results.ranking
    ]
    front = tuple(
        point.model_copy(update={"on_front": not any(_beats(other, point) for other in points)})
        for point in points
    )
    first = results.ranking[0]
    won = results.decision.winner is not None
    value = first.target.value
    shares = {
        f"{row.trial} ({row.reading})": part
        for row, part in zip(results.ranking, (0.61, 0.22, 0.08, 0.02), strict=False)
    }
    return SelectionResults(
        front=front,
        comparisons=_comparisons(results, trials),
        optimism=OptimismFigures(
            apparent=value if won else None,
            corrected=None if value is None or not won else round(value + 0.04, 6),
            optimism=0.04 if won and value is not None else None,
            win_shares=shares,
            no_winner_share=0.07,
            resamples=500,
            reason=None if won else "no safe winner",
        ),
        confirmation=_confirmation(results, first, trials[first.trial, first.reading], text)
        if won and results.baseline
        else None,
        test_reads=2,
        notes=("Flip rates stay as found on every resample." + text,),
    )


def _point(row: RankRow, trial: TrialFigures, tokens: float) -> FrontPoint:
    return FrontPoint(
        trial=row.trial,
        reading=row.reading,
        summary_as_idk=trial.figures["summary_as_idk"].value,
        over_credit=trial.figures["over_credit"].value,
        tokens_per_claim=None if "ragas" in row.trial else tokens,
        safe=row.safe,
        on_front=False,
    )


def _beats(other: FrontPoint, point: FrontPoint) -> bool:
    axes = ("summary_as_idk", "over_credit", "tokens_per_claim")
    pairs = [
        (9e9 if a is None else a, 9e9 if b is None else b)
        for a, b in ((getattr(other, axis), getattr(point, axis)) for axis in axes)
    ]
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


def _comparisons(
    results: Results, trials: dict[tuple[str, str], TrialFigures]
) -> tuple[ComparisonFigures, ...]:
    base = trials.get((results.baseline or "", results.trials[0].reading))
    if base is None:
        return ()
    rows = []
    for place, trial in enumerate(results.trials):
        if (trial.trial, trial.reading) == (base.trial, base.reading):
            continue
        gaps = {}
        for name in ("summary_as_idk", "over_credit", "kappa"):
            now, was = trial.figures[name].value, base.figures[name].value
            gaps[name] = (
                Figure(value=None, n=0, reason="a share is undefined")
                if now is None or was is None
                else gap(now - was, 0.11, trial.figures[name].n)
            )
        p = min(1.0, 0.0004 * 3**place)
        rows.append(
            ComparisonFigures(
                trial=trial.trial,
                reading=trial.reading,
                differences=gaps,
                swap_p={"summary_as_idk": p, "over_credit": min(1.0, p * 9), "kappa": None},
                better=20 - place % 12,
                worse=4 + place % 9,
                mcnemar_p=None if place == 2 else p,
                bhapkar_p=None if place == 3 else min(1.0, p * 1.4),
                holm_p=None if place == 2 else min(1.0, p * 5),
                fdr_q=None if place == 2 else min(1.0, p * 2),
            )
        )
    return tuple(rows)


def _confirmation(results: Results, first: RankRow, trial: TrialFigures, text: str) -> Confirmation:
    figures = {
        name: trial.figures[name] for name in ("summary_as_idk", "over_credit", "kappa", "coverage")
    }
    figures["summary_as_idk"] = share(0.2, 20)
    base = figures | {"summary_as_idk": share(0.6, 20), "over_credit": share(0.05, 40)}
    return Confirmation(
        trial=first.trial,
        reading=first.reading,
        baseline=results.baseline or "",
        claims=84,
        contexts=17,
        winner=figures,
        baseline_figures=base,
        differences={
            "summary_as_idk": gap(-0.4, 0.2, 20),
            "over_credit": gap(0.01, 0.04, 40),
            "kappa": gap(0.12, 0.1, 84),
        },
        broken=(),
        holds=True,
        reads=2,
        sentence="Confirmed on the test split: summary-as-idk falls by 0.40." + text,
        sentence_zh="在 test 划分上得到确认：概括判 idk 下降 0.40。" + text,
    )
