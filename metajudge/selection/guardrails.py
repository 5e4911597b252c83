"""Bounds that a candidate must keep, and which of them it breaks, by how much and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from metajudge.agreement.arrays import Floats, as_floats
from metajudge.agreement.estimate import Estimate
from metajudge.selection.columns import CandidateKey
from metajudge.selection.measure import CandidateFigures, Measurer

Insensitive: TypeAlias = Mapping[CandidateKey, str | None] | Mapping[str, str | None]
"""Why a candidate, or a trial under every reading, is taken not to read; None where it reads."""
LOSS_SLICES = ("literal", "contradiction")
ROUNDING = 1e-12
"""A bound met to the last bit is kept, whatever rounding makes of it."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Guardrails of a selection; None (or False) lifts one.

    Attributes:
        over_credit_upper: Upper limit of over-credit stays at or below it.
        over_credit_above_baseline: Upper limit of the paired difference of over-credit to the
            baseline stays at or below it.
        slice_loss: Accuracy on the slices literal and contradiction, and the share of gold-yes
            summaries called yes, lose at most this much to the baseline.
        coverage: Share of claims with a readable verdict is at least this.
        kappa_above: Lower limit of kappa is above it, so that a constant answer never wins.
        flip_rate: The flip rate over repeats stays at or below it. It is the value that is held
            to the bound, not its upper limit: a limit at or under 0.05 takes a few hundred pairs
            of draws even from a judge that never flips, and stability is tried on a part of the
            claims. The interval is told with every broken bound.
        insensitive: A candidate flagged as not reading the evidence is never chosen.
    """

    over_credit_upper: float | None = 0.10
    over_credit_above_baseline: float | None = 0.02
    slice_loss: float | None = 0.02
    coverage: float | None = 0.98
    kappa_above: float | None = 0.0
    flip_rate: float | None = 0.05
    insensitive: bool = True


@dataclass(frozen=True, slots=True)
class Broken:
    """A guardrail that a candidate did not keep.

    Attributes:
        guardrail: Its name; losses are told apart as `loss_literal` and so on.
        bound: The bound; 0 where none is allowed at all.
        got: What was found; None when undefined, or where there is no number.
        by: How far `got` is off, 0 or more; None where `got` is.
        reason: What to know beside the numbers, such as why a candidate is taken as insensitive.
    """

    guardrail: str
    bound: float
    got: float | None
    by: float | None
    reason: str | None = None


def broken_guardrails(
    measurer: Measurer,
    figures: Sequence[CandidateFigures],
    bounds: Bounds,
    baseline: int | None,
    *,
    flip_rates: Mapping[str, Estimate] | None = None,
    insensitive: Insensitive | None = None,
) -> tuple[tuple[Broken, ...], ...]:
    """Broken guardrails of each candidate, in the candidates' order; () for a safe one.

    Args:
        measurer: The sweep.
        figures: Its figures, in the candidates' order.
        bounds: Guardrails.
        baseline: Row of today's practice; it is not compared with itself. None leaves the
            guardrails that compare with it out.
        flip_rates: Flip rate over repeats by trial; a trial that is not there is not held to it.
        insensitive: Who was tried on negative controls, and why it is taken not to read.
    """
    held = _against_baseline(measurer, bounds, baseline)
    beside = broken_beside(measurer.candidates.keys, bounds, flip_rates, insensitive)
    return tuple(
        (
            *(b for b in (*_alone(figures[index], bounds), *held[index]) if b is not None),
            *beside[index],
        )
        for index in range(len(beside))
    )


def broken_beside(
    keys: Sequence[CandidateKey],
    bounds: Bounds,
    flip_rates: Mapping[str, Estimate] | None = None,
    insensitive: Insensitive | None = None,
) -> tuple[tuple[Broken, ...], ...]:
    """Broken guardrails that rest on other calls than the verdicts, in the candidates' order.

    Args:
        keys: The candidates.
        bounds: Guardrails.
        flip_rates: As in `broken_guardrails`.
        insensitive: As in `broken_guardrails`.
    """
    known = _by_candidate(keys, insensitive)
    both = (
        (_flipping(key.trial, bounds, flip_rates or {}), _blind(known.get(key), bounds))
        for key in keys
    )
    return tuple(tuple(broken for broken in row if broken is not None) for row in both)


def idle_guardrails(
    bounds: Bounds,
    keys: Sequence[CandidateKey],
    flip_rates: Mapping[str, Estimate] | None = None,
    insensitive: Insensitive | None = None,
) -> tuple[str, ...]:
    """Who the stability guardrails say nothing about, one sentence each; never left unsaid.

    >>> idle_guardrails(Bounds(insensitive=False), [CandidateKey("a", "top")])
    ('Nothing is held to flip_rate: repeats were not asked.',)
    """
    notes = []
    if bounds.flip_rate is not None:
        missing = [key.trial for key in keys if key.trial not in (flip_rates or {})]
        notes += _idle("flip_rate", "repeats were not asked", missing, len(keys))
    if bounds.insensitive:
        known = _by_candidate(keys, insensitive)
        missing = [key.trial for key in keys if key not in known]
        notes += _idle("insensitive", "negative controls were not asked", missing, len(keys))
    return tuple(notes)


def _idle(name: str, why: str, missing: Sequence[str], n: int) -> list[str]:
    if len(missing) == n:
        return [f"Nothing is held to {name}: {why}."]
    trials = ", ".join(dict.fromkeys(missing))
    return [f"Not held to {name}, since {why}: {trials}."] if missing else []


def _by_candidate(
    keys: Sequence[CandidateKey], insensitive: Insensitive | None
) -> dict[CandidateKey, str | None]:
    known: Mapping[Any, str | None] = insensitive or {}
    return {
        key: known.get(key, known.get(key.trial))
        for key in keys
        if key in known or key.trial in known
    }


def _alone(row: CandidateFigures, bounds: Bounds) -> tuple[Broken | None, ...]:
    figures = row.figures
    return (
        _above("over_credit_upper", bounds.over_credit_upper, figures["over_credit"].high),
        _below("coverage", bounds.coverage, figures["coverage"].value),
        _below("kappa_above", bounds.kappa_above, figures["kappa"].low, strict=True),
    )


def _against_baseline(
    measurer: Measurer, bounds: Bounds, baseline: int | None
) -> tuple[tuple[Broken | None, ...], ...]:
    n = len(measurer.candidates.keys)
    if baseline is None:
        return ((),) * n
    gaps = measurer.differences("over_credit", baseline)
    losses = slice_losses(measurer, baseline)
    return tuple(
        ()
        if index == baseline
        else (
            _above(
                "over_credit_above_baseline", bounds.over_credit_above_baseline, gaps[index].high
            ),
            *(
                _above(f"loss_{name}", bounds.slice_loss, float(loss[index]))
                for name, loss in losses.items()
                if not np.isnan(loss[index])
            ),
        )
        for index in range(n)
    )


def slice_losses(measurer: Measurer, baseline: int) -> dict[str, Floats]:
    """What each candidate loses to the baseline, shape (S,) each; nan where a slice is empty."""
    values = {name: measurer.slice_accuracy(name) for name in LOSS_SLICES}
    kept = [estimate.value for estimate in measurer.shares("summary_yes")]
    values["summary_yes"] = as_floats([np.nan if v is None else v for v in kept])
    return {name: as_floats(row[baseline] - row) for name, row in values.items()}


def _flipping(trial: str, bounds: Bounds, rates: Mapping[str, Estimate]) -> Broken | None:
    rate = rates.get(trial)
    if rate is None:
        return None
    shown = rate.reason
    if rate.low is not None and rate.high is not None:
        shown = f"interval [{rate.low:.2f}, {rate.high:.2f}]"
    return _above("flip_rate", bounds.flip_rate, rate.value, shown)


def _blind(reason: str | None, bounds: Bounds) -> Broken | None:
    return Broken("insensitive", 0.0, None, None, reason) if reason and bounds.insensitive else None


def _above(
    name: str, bound: float | None, got: float | None, reason: str | None = None
) -> Broken | None:
    if bound is None or (got is not None and got <= bound + ROUNDING):
        return None
    return Broken(name, bound, got, None if got is None else got - bound, reason)


def _below(
    name: str, bound: float | None, got: float | None, *, strict: bool = False
) -> Broken | None:
    if bound is None:
        return None
    if got is not None and (got > bound if strict else got >= bound - ROUNDING):
        return None
    return Broken(name, bound, got, None if got is None else bound - got)
