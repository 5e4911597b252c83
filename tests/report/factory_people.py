"""Made-up calibration, power and ceiling of a sweep."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from metajudge.report.ceiling_results import (
    BesidePeople,
    CandidateCeiling,
    CeilingResults,
    PeopleFigures,
    SoftLabelFigures,
    StandIn,
)
from metajudge.report.results import Results, TrialVerdicts
from metajudge.report.selection_results import (
    CalibrationFigures,
    CoveragePoint,
    DetectableFigures,
    LabelsNeeded,
    PowerResults,
    ReliabilityBin,
)
from tests.report.factory_figures import gap, share


def calibration(results: Results, row: TrialVerdicts) -> CalibrationFigures:
    """Bins and the coverage curve counted from the row's own probabilities."""
    sure = [
        (max(triple), verdict == claim.gold, verdict == "yes" and claim.gold not in ("yes",))
        for triple, verdict, claim in zip(
            row.probabilities, row.verdicts, results.claims, strict=True
        )
        if triple is not None
    ]
    bins = []
    for step in range(10):
        low, high = step / 10, (step + 1) / 10
        held = [(p, right) for p, right, _ in sure if low < p <= high]
        bins.append(
            ReliabilityBin(
                low=low,
                high=high,
                n=len(held),
                confidence=float(np.mean([p for p, _ in held])) if held else None,
                right=float(np.mean([right for _, right in held])) if held else None,
            )
        )
    n = len(sure)
    ece = sum(
        b.n * abs(b.confidence - b.right)
        for b in bins
        if b.confidence is not None and b.right is not None
    ) / max(n, 1)
    return CalibrationFigures(
        trial=row.trial,
        reading=row.reading,
        n=n,
        ece=share(ece, n),
        brier=share(0.18, n),
        brier_parts={"reliability": 0.02, "resolution": 0.07, "uncertainty": 0.23, "within": None},
        bins=tuple(bins),
        temperature=1.7,
        ece_after={"temperature": share(ece / 2, n), "isotonic": share(ece / 3, n)},
        yes_threshold=0.62,
        at_threshold={
            "summary_as_idk": share(0.2, 25),
            "over_credit": share(0.05, 80),
            "summary_as_idk_cross_fitted": share(0.24, 25),
            "over_credit_cross_fitted": share(0.08, 80),
        },
        aurc=0.214,
        abstention=tuple(
            CoveragePoint(
                threshold=threshold,
                coverage=len(kept) / max(n, 1),
                error=float(np.mean([not right for _, right, _ in kept])) if kept else None,
                over_credit=float(np.mean([over for _, _, over in kept])) if kept else None,
            )
            for threshold in np.linspace(0, 1, 21).tolist()
            for kept in [[entry for entry in sure if entry[0] >= threshold]]
        ),
    )


def power(results: Results, text: str = "") -> PowerResults:
    """Two figures that can be seen, one that cannot; labels by slice."""
    found = (("summary_as_idk", 0.16), ("over_credit", 0.07), ("kappa", None))
    slices = Counter(claim.slice for claim in results.claims if claim.slice)
    first = results.ranking[0]
    return PowerResults(
        trial=first.trial,
        reading=first.reading,
        detectable=tuple(
            DetectableFigures(
                figure=name,
                power=0.8,
                difference=difference,
                clusters=34,
                claims=len(results.claims),
                reason=None
                if difference
                else "even mending every wrong verdict is seen in 61 % of worlds, under 80 %"
                + text,
                curve=tuple(
                    (round(d, 3), round(1 - math.exp(-((d / (difference or 0.3)) ** 2) * 1.61), 3))
                    for d in np.linspace(0.01, 0.3, 8).tolist()
                ),
            )
            for name, difference in found
        ),
        needed=tuple(
            LabelsNeeded(
                figure=figure,
                slice=name,
                difference=0.05,
                have=have,
                need=None if place == 2 else have * (3 + place),
                reason="4,096 clusters are not enough; more were not tried" + text
                if place == 2
                else None,
            )
            for figure in ("summary_as_idk", "over_credit")
            for place, (name, have) in enumerate(
                [("all", len(results.claims)), *sorted(slices.items())[:4]]
            )
        ),
        worlds=200,
        churn=0.02,
    )


def ceiling(results: Results, text: str = "") -> CeilingResults:
    """Three annotators; the second row's reading has no probabilities and cannot be tested."""
    people = ("ann", "bo", "chen" + text)
    n = len(results.claims)
    labels = {label: 3 * k for label, k in results.gold.labels.items()}
    return CeilingResults(
        labels_from="people",
        cluster=results.cluster,
        claims=max(1, n // 2),
        claims_asked=n,
        annotators=dict.fromkeys(people, max(1, n // 2)),
        labels=labels,
        rare_labels=tuple(labels)[-1:],
        least_shared=10,
        people=PeopleFigures(
            agreement=share(0.84, n),
            kappa=gap(0.74, 0.08, n),
            alpha=gap(0.73, 0.09, n),
            pairs=3,
            pairs_left_out=1,
        ),
        candidates=tuple(
            CandidateCeiling(
                trial=row.trial,
                reading=row.reading,
                agreement=share(0.7, n),
                kappa=_beside(0.55, n),
                alpha=_beside(0.53, n),
                by_annotator={who: gap(0.5 + 0.03 * k, 0.1, n) for k, who in enumerate(people)},
                stand_in=_stand_in(place, people, text),
                soft=None
                if place == 1
                else SoftLabelFigures(
                    cross_entropy=share(0.71, n),
                    jensen_shannon=share(0.12, n),
                    least=0.31,
                    constant=1.02,
                    floored=2,
                ),
            )
            for place, row in enumerate(results.ranking)
        ),
        epsilon=0.2,
        false_discovery_rate=0.05,
        participants=people,
        least_claims=30,
        probability_floor=0.001,
    )


def _beside(judge: float, n: int) -> BesidePeople:
    return BesidePeople(
        judge=gap(judge, 0.1, n), people=0.74, difference=gap(judge - 0.74, 0.1, n), ratio=0.74
    )


def _stand_in(place: int, people: Sequence[str], text: str) -> StandIn:
    known = place != 1
    return StandIn(
        winning_rate=0.67 if known else None,
        advantage=0.81 if known else None,
        passed=place % 2 == 0 if known else None,
        advantages=dict.fromkeys(people, 0.81) if known else {},
        p_values=dict.fromkeys(people, 0.03) if known else {},
        reason=None if known else "only 2 annotators share 30 claims" + text,
    )
