"""Numbers as they stand in `results.json`: rounded, never nan."""

from __future__ import annotations

from metajudge.agreement.estimate import Estimate
from metajudge.report.part import Figure


def figure(estimate: Estimate) -> Figure:
    """An estimate as it stands in the file; the number of resamples stands there once."""
    return Figure(
        value=number(estimate.value),
        low=number(estimate.low),
        high=number(estimate.high),
        n=estimate.n,
        clusters=estimate.n_clusters,
        method=estimate.method.partition(" resamples")[0].rstrip("0123456789").rstrip(", "),
        reason=estimate.reason,
        warning=estimate.warning,
    )


def number(value: float | None) -> float | None:
    """A number to 6 decimals, and never -0; None stays None."""
    return None if value is None else rounded(float(value))


def rounded(value: float) -> float:
    """A number to 6 decimals, and never -0."""
    return round(value, 6) + 0.0
