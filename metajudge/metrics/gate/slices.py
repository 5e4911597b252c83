"""Means by slice: where a change of the mean comes from. They are told and not tested."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from metajudge.metrics.gate.measured import Measured
from metajudge.metrics.gate.report import SliceMean
from metajudge.report.figure import number


def slice_means(metric: Measured, slices: Sequence[str]) -> tuple[SliceMean, ...]:
    """The mean of each slice, today and against the baseline; the greatest loss first.

    Args:
        metric: The scores of one metric.
        slices: Of each case; an empty text where it has none, which is no slice.

    Returns:
        () where no case has a slice. A mean over no score and a change over no pair are None.
    """
    found = [_mean(metric, slices, name) for name in dict.fromkeys(slices) if name]

    def loss(one: SliceMean) -> tuple[float, str]:
        change = 1.0 if one.change is None else metric.sign * one.change
        return change, one.slice

    return tuple(sorted(found, key=loss))


def _mean(metric: Measured, slices: Sequence[str], name: str) -> SliceMean:
    inside = [place for place, own in enumerate(slices) if own == name]
    now = [metric.now[place].score for place in inside]
    pairs = [
        now_score - was
        for place, now_score in zip(inside, now, strict=True)
        if now_score is not None and (was := metric.was[place]) is not None
    ]
    known = [score for score in now if score is not None]
    return SliceMean(
        slice=name,
        cases=len(known),
        mean=_over(known),
        pairs=len(pairs),
        change=_over(pairs),
    )


def _over(values: Iterable[float]) -> float | None:
    listed = list(values)
    return number(sum(listed) / len(listed)) if listed else None
