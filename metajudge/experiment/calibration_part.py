"""Calibration of label probabilities as it stands in `results.json`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metajudge.agreement.abstention import RiskCoverage
from metajudge.agreement.calibration import Murphy, Reliability
from metajudge.report.figure import figure, number, rounded
from metajudge.report.selection_results import CalibrationFigures, CoveragePoint, ReliabilityBin
from metajudge.selection.calibration import CalibrationRow, calibration_of
from metajudge.selection.columns import CandidateKey
from metajudge.selection.measure import Measurer

PARTS = ("reliability", "resolution", "uncertainty", "within")


def calibration_figures(
    measurer: Measurer, keys: Sequence[CandidateKey], bound: float | None
) -> tuple[CalibrationFigures, ...]:
    """How far each candidate's label probabilities can be believed.

    Readings of one trial are rows of their own, so that label priors are compared on the same
    replies.

    Args:
        measurer: The sweep, of the development split: what is fitted here reads gold labels.
        keys: Candidates of the sweep, in the order wanted.
        bound: The guardrail `over_credit_upper`; None fits no threshold.

    Returns:
        A row a key; a candidate without label probabilities has a `reason` in place of numbers.
    """
    candidates = measurer.candidates
    clusters = measurer.columns.clusters(measurer.cluster)
    rows = [candidates.keys.index(key) for key in keys]
    return tuple(
        _figures(
            candidates.keys[row],
            calibration_of(
                measurer.columns,
                candidates.probabilities[row],
                candidates.codes[row],
                clusters=clusters,
                weights=measurer.weights,
                bound=bound,
                level=measurer.level,
            ),
        )
        for row in rows
    )


def _figures(key: CandidateKey, row: CalibrationRow) -> CalibrationFigures:
    return CalibrationFigures(
        trial=key.trial,
        reading=key.reading,
        n=row.n,
        ece=figure(row.ece),
        brier=figure(row.brier),
        brier_parts=_parts(row.parts),
        bins=_bins(row.reliability),
        temperature=number(row.temperature),
        ece_after={name: figure(one) for name, one in row.ece_after.items()},
        yes_threshold=number(row.threshold),
        at_threshold={name: figure(one) for name, one in row.at_threshold.items()},
        abstention=_points(row.error, row.over_credit),
        aurc=number(row.aurc),
        reason=row.reason,
    )


def _parts(parts: Murphy | None) -> dict[str, float | None]:
    return {name: None if parts is None else number(getattr(parts, name)) for name in PARTS}


def _bins(table: Reliability | None) -> tuple[ReliabilityBin, ...]:
    if table is None:
        return ()
    return tuple(
        ReliabilityBin(
            low=rounded(low),
            high=rounded(high),
            n=int(n),
            confidence=_known(confidence),
            right=_known(right),
        )
        for low, high, n, confidence, right in zip(
            table.edges[:-1], table.edges[1:], table.counts, table.confidence, table.right,
            strict=True,
        )
    )  # fmt: skip


def _points(error: RiskCoverage, over_credit: RiskCoverage) -> tuple[CoveragePoint, ...]:
    return tuple(
        CoveragePoint(
            threshold=rounded(threshold),
            coverage=rounded(coverage),
            error=_known(wrong),
            over_credit=_known(credit),
        )
        for threshold, coverage, wrong, credit in zip(*error, over_credit.risk, strict=True)
    )


def _known(value: float) -> float | None:
    return None if np.isnan(value) else rounded(float(value))
