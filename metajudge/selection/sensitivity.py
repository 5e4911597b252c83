"""Negative controls: does a trial's verdict follow what should matter?

A probe is a claim whose right verdict is known because its evidence, or the claim itself, was
changed on purpose. A trial that is stable because it does not read is found here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from metajudge.agreement.arrays import Ints, Masks, as_floats, divide
from metajudge.agreement.bootstrap import ClusterSums, cluster_sums
from metajudge.agreement.coefficients import Coefficient
from metajudge.agreement.estimate import (
    FEW_CLUSTERS,
    Estimate,
    estimate,
    estimate_share,
    to_estimates,
)
from metajudge.agreement.intervals import Interval
from metajudge.agreement.paired_score import paired_score_interval
from metajudge.agreement.rates import ratio, share_coefficient
from metajudge.agreement.table import FAILURE, YES
from metajudge.agreement.tails import binomial_lower_tail
from metajudge.counted import counted

CONTEXT_KINDS = ("evidence_removed", "contexts_swapped")
"""Kinds that change the context and leave the claim: what a judge that reads must notice."""
NO_BEFORE = -1
FEWEST_YES = 5
"""Claims called yes before, under which a drop cannot be shown."""
EVERYTHING = 0.95
"""Share of yes, before and after, from which a trial is said to answer yes to everything."""

Weights = np.ndarray[tuple[int, int], np.dtype[np.float32]]
Cause = Literal["not_tested", "credits_nothing", "always_yes", "blind", "too_few"]


@dataclass(frozen=True, slots=True)
class ControlRuns:
    """Verdicts of one trial on the n probes of one kind.

    Attributes:
        trial: The trial.
        kind: The kind of control.
        before: Shape (n,), verdict codes of the unchanged claims under the same trial; -1 where a
            probe was made from no claim.
        after: Shape (n,), verdict codes of the probes. Yes is the verdict wrong by construction.
        contexts: Shape (n,), contexts of the claims as codes, the same ones for all kinds.

    Raises:
        ValueError: Shapes or codes that do not fit.
    """

    trial: str
    kind: str
    before: Ints
    after: Ints
    contexts: Ints

    def __post_init__(self) -> None:
        if not self.before.shape == self.after.shape == self.contexts.shape:
            raise ValueError(f"{self.trial}, {self.kind}: before, after and contexts differ in n")
        for codes, least in ((self.before, NO_BEFORE), (self.after, YES)):
            if codes.size and not (codes.min() >= least and codes.max() <= FAILURE):
                raise ValueError(f"{self.trial}, {self.kind}: codes are {least} to {FAILURE}")

    @property
    def paired(self) -> Masks:
        """Probes with a verdict on the unchanged claim, shape (n,)."""
        return np.asarray(self.before != NO_BEFORE, np.bool_)


class Change(NamedTuple):
    """Probes by what their verdict did, masks of shape (n,); a failure neither stops nor becomes.

    Attributes:
        yes: Called yes before.
        stops: Yes before, no or idk after.
        becomes: No or idk before, yes after.
    """

    yes: Masks
    stops: Masks
    becomes: Masks


@dataclass(frozen=True, slots=True)
class ControlEstimates:
    """One trial on one kind of control.

    Attributes:
        trial: The trial.
        kind: The kind.
        n: Probes.
        yes_before: Share of the unchanged claims called yes.
        wrong: Share of probes called yes.
        drop: Share of probes that stop being yes minus share that become yes, -1 to 1.
    """

    trial: str
    kind: str
    n: int
    yes_before: Estimate
    wrong: Estimate
    drop: Estimate


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Whether a trial is seen to read the evidence.

    Attributes:
        drop: Over the context kinds together.
        cause: Why it is taken not to read; None where it reads.
        reason: The cause in words, with its numbers; None where it reads.
    """

    drop: Estimate
    cause: Cause | None
    reason: str | None


class Controls(NamedTuple):
    """Every trial on every kind, and by trial whether it reads."""

    rows: tuple[ControlEstimates, ...]
    sensitivity: Mapping[str, Sensitivity]


def measure_controls(
    runs: Sequence[ControlRuns], weights: Weights, level: float = 0.95
) -> Controls:
    """Figures of every trial and kind, and which trials are insensitive.

    Args:
        runs: One entry a trial and kind.
        weights: Shape (B, G), resamples of the contexts that `ControlRuns.contexts` counts.
        level: Coverage of intervals.
    """
    rows = tuple(
        ControlEstimates(
            trial=run.trial,
            kind=run.kind,
            n=len(run.after),
            yes_before=_share(run, run.before, run.paired, level),
            wrong=_share(run, run.after, np.ones(len(run.after), np.bool_), level),
            drop=drop(run, weights, level),
        )
        for run in runs
    )
    trials = dict.fromkeys(run.trial for run in runs)
    found = {
        trial: sensitivity([run for run in runs if run.trial == trial], weights, level)
        for trial in trials
    }
    return Controls(rows, found)


def sensitivity(runs: Sequence[ControlRuns], weights: Weights, level: float = 0.95) -> Sensitivity:
    """Whether one trial is seen to read, from its probes of `CONTEXT_KINDS` together.

    It reads when fewer claims are called yes once their evidence is gone: the lower limit of the
    drop is above 0, and so says the exact sign test over contexts at half the same error. Otherwise
    it is insensitive, for one of these causes:

    - `not_tested`: no probe of these kinds has a verdict before.
    - `credits_nothing`: under 5 claims are called yes before. Constant idk is stable and blind.
    - `always_yes`: yes to at least 95 % of the claims before and after.
    - `blind`: the drop cannot be told from none.
    - `too_few`: under 5 probes, or a drop that too few contexts share (sign test).

    Args:
        runs: Probes of one trial, any kinds.
        weights: Shape (B, G), resamples of contexts.
        level: Coverage of the interval.

    Source: Sign test of the contexts' net changes, ties left out: Conover (1999), Practical
    Nonparametric Statistics, 3rd ed., section 3.4.
    """
    pooled = _pooled(runs)
    found = drop(pooled, weights, level)
    cause, reason = _cause(pooled, found, (1 - level) / 2)
    return Sensitivity(found, cause, reason)


def changes(run: ControlRuns) -> Change:
    """What the verdicts of paired probes did.

    >>> change = changes(ControlRuns("t", "evidence_removed", np.array([0, 0, 0, 2]),
    ...                              np.array([2, 0, 3, 0]), np.arange(4)))
    >>> change.stops.tolist(), change.becomes.tolist()
    ([True, False, False, False], [False, False, False, True])
    """
    yes, still = run.before == YES, run.after == YES
    stops = yes & ~still & (run.after != FAILURE)
    becomes = run.paired & ~yes & (run.before != FAILURE) & still
    return Change(yes, stops, becomes)


def drop(run: ControlRuns, weights: Weights, level: float = 0.95) -> Estimate:
    """Share of paired probes that stop being yes minus the share that become yes, -1 to 1.

    Without failures it is the share of yes before minus the share after. A failure shows nothing:
    it stays in the denominator and is neither.

    The interval is that of the paired cluster bootstrap by context. Under 30 contexts, and where
    all contexts change alike, so that resamples have nothing to vary, it is the paired score
    interval at the effective number of probes.

    Args:
        run: The probes; undefined where none has a verdict before.
        weights: Shape (B, G), resamples of contexts.
        level: Coverage aimed at.
    """
    coefficient = Coefficient("drop", ratio, "no probe has a verdict before", -1.0)
    sums = _net_change(run)
    means = ratio(sums.sums[:, 0])
    known = means[~np.isnan(means)]
    if len(known) >= FEW_CLUSTERS and known.min() < known.max():
        unseen = weights.shape[1] - len(sums.sums)
        padded = np.pad(sums.sums, ((0, unseen), (0, 0), (0, 0)))
        resampled = ClusterSums(padded, sums.n, sums.n_clusters)
        return estimate(resampled, coefficient, weights, "percentile", level)[0]
    change = changes(run)
    size = _effective_probes(sums, change)
    n = max(int(run.paired.sum()), 1)
    yes, stops, becomes = (int(mask.sum()) * size / n for mask in change)
    table = (yes - stops, stops, becomes, max(size - yes - becomes, 0.0))
    return to_estimates(
        as_floats(coefficient(sums.totals)),
        Interval(*map(np.atleast_1d, paired_score_interval(*table, level=level))),
        sums,
        undefined=coefficient.undefined,
        method="paired score, effective n",
        level=level,
    )[0]


def _net_change(run: ControlRuns) -> ClusterSums:
    """Per context: probes that stop being yes minus those that become yes, and paired probes."""
    change = changes(run)
    signed = change.stops.astype(np.float64) - change.becomes
    parts = np.stack([signed, as_floats(run.paired)], axis=-1)[None]
    return cluster_sums(run.contexts, parts, run.paired)


def _effective_probes(sums: ClusterSums, change: Change) -> float:
    """Paired probes after the design effect; the number of contexts where no spread is seen."""
    net, n = sums.sums[:, 0].T
    total, groups = n.sum(), int(sums.n_clusters[0])
    mean = divide(net.sum(), total)
    alone = (change.stops | change.becomes).sum() - total * mean**2
    clustered = ((net - mean * n) ** 2).sum() * divide(groups, groups - 1)
    size = float(divide(total * alone, clustered))
    return min(groups if np.isnan(size) else size, float(total))


def _share(run: ControlRuns, codes: Ints, among: Masks, level: float) -> Estimate:
    parts = np.stack([(codes == YES) & among, among], axis=-1)[None]
    sums = cluster_sums(run.contexts, parts, among)
    return estimate_share(sums, share_coefficient("yes", "a probe with this verdict"), level)[0]


def _pooled(runs: Sequence[ControlRuns]) -> ControlRuns:
    mine = [run for run in runs if run.kind in CONTEXT_KINDS]
    empty = np.zeros(0, np.int64)
    return ControlRuns(
        runs[0].trial,
        " and ".join(CONTEXT_KINDS),
        np.concatenate([empty, *(run.before for run in mine)]),
        np.concatenate([empty, *(run.after for run in mine)]),
        np.concatenate([empty, *(run.contexts for run in mine)]),
    )


class _Found(NamedTuple):
    cause: Cause | None
    reason: str | None


def _cause(run: ControlRuns, found: Estimate, error: float) -> _Found:
    n, yes = int(run.paired.sum()), int(changes(run).yes.sum())
    if n == 0:
        return _Found("not_tested", f"no probe of {run.kind} has a verdict before")
    if n < FEWEST_YES:
        few = f"{counted(n, 'probes')} of {run.kind} {'is' if n == 1 else 'are'} too few"
        return _Found("too_few", f"{few} to show that it reads")
    if yes < FEWEST_YES:
        return _Found(
            "credits_nothing",
            f"says yes to {yes} of {n} claims with their evidence: "
            "a judge that credits nothing cannot be seen to read",
        )
    return _not_seen_to_follow(run, found, error)


def _not_seen_to_follow(run: ControlRuns, found: Estimate, error: float) -> _Found:
    n, yes = int(run.paired.sum()), int(changes(run).yes.sum())
    after = int((run.paired & (run.after == YES)).sum())
    failed = int((run.paired & (run.after == FAILURE)).sum())
    told = f"says yes to {yes} of {n} claims with their evidence and to {after} of {n} without it"
    told += f" ({failed} verdicts failed)" if failed else ""
    if found.low is None or found.low <= 0:
        if min(yes, after) >= EVERYTHING * n:
            return _Found("always_yes", f"{told}: yes to everything")
        limits = f"drop {found.value:.2f}, {found.low:.2f} to {found.high:.2f}"
        return _Found("blind", f"{told} ({limits}): not told from one that reads only the claim")
    net = _net_change(run).sums[:, 0, 0]
    fell, rose = int((net > 0).sum()), int((net < 0).sum())
    if binomial_lower_tail(rose, fell + rose) <= error:
        return _Found(None, None)
    where = f"fewer yes in {counted(fell, 'contexts')} and more in {rose}"
    return _Found("too_few", f"{told}: {where}, too few contexts to tell from chance")
