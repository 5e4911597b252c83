"""The lowest cut-off of the judge that keeps a miss rate, for each cut-off of the screen.

A claim passes unseen where its screen score reaches the screen's cut-off, or its judge score the
judge's. Whoever lowers the judge's cut-off passes more, so the loss of a context only grows: tested
from the safest cut-off down, until the first one that fails, no correction for the number of
cut-offs is needed, and they may be scores of the sample itself.

Sources: Bates et al. (2021), J. ACM 68, Theorem 1 (a loss that only grows); Angelopoulos et al.
(2021), Learn then Test, section 2 (fixed-sequence testing; Bonferroni over several sequences, here
the cut-offs of the screen).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, as_floats
from metajudge.metrics.cascade.risk import Test, contexts_needed, p_value, upper_limit

Unit = Literal["claim", "answer"]
"""What is missed: an unsupported claim, or an answer with one of which every claim passes."""


@dataclass(frozen=True, slots=True)
class Claims:
    """Labelled claims with their scores.

    Attributes:
        screen: Shape (n,), 0 to 1, higher is better supported; nan never passes.
        judge: Shape (n,), the same.
        unsupported: Shape (n,), claims whose gold label is not yes (supported).
        answers: Shape (n,), codes 0 … A - 1.
        contexts: Shape (n,), codes 0 … G - 1; whole contexts are the independent draws.
    """

    screen: Floats
    judge: Floats
    unsupported: Masks
    answers: Ints
    contexts: Ints


class Risk(NamedTuple):
    """The units that can be missed, at one cut-off of the screen.

    Attributes:
        scores: Shape (m,), what the judge's cut-off is held against; inf passed the screen, -inf
            never passes. Of the units that can be missed.
        shares: Shape (m,), what missing each adds to the mean loss; together they are 1.
        observed: Every finite score, of supported units too: the cut-offs there are.
        n_contexts: Contexts with a unit that can be missed.
        test: The test of their losses.
    """

    scores: Floats
    shares: Floats
    observed: Floats
    n_contexts: int
    test: Test


class Line(NamedTuple):
    """What one cut-off of the screen allows.

    Attributes:
        screen: Cut-off of the screen; None passes nothing there.
        judge: The lowest cut-off of the judge that keeps the rate; None passes nothing there.
        holds: Whether the rate is kept at all, with the judge's cut-off as it is.
        mean: Mean loss over contexts at these cut-offs, 0 to 1.
        p: p of a true mean loss of the rate or more.
        upper: Upper limit of the true mean loss at the same error.
        delta: Error that this line may spend.
        n_contexts: Contexts with a unit that can be missed.
        test: How p was had.
        strictest: Mean loss at the most careful cut-offs of this line that pass anything.
    """

    screen: float | None
    judge: float | None
    holds: bool
    mean: float
    p: float
    upper: float
    delta: float
    n_contexts: int
    test: Test
    strictest: float

    @property
    def passes_something(self) -> bool:
        """Whether any claim can pass unseen."""
        return self.screen is not None or self.judge is not None


def joined(claims: Claims, screen: float | None) -> Floats:
    """What the judge's cut-off is held against, shape (n,): inf for what passes the screen.

    >>> one = np.zeros(2, np.int64)
    >>> claims = Claims(np.array([1.0, 0.2]), np.array([0.5, np.nan]), one == 0, one, one)
    >>> joined(claims, 0.9).tolist()
    [inf, -inf]
    """
    judged = np.where(np.isnan(claims.judge), -np.inf, claims.judge)
    if screen is None:
        return as_floats(judged)
    return as_floats(np.where(np.nan_to_num(claims.screen, nan=-1.0) >= screen, np.inf, judged))


def risk_of(claims: Claims, screen: float | None, unit: Unit) -> Risk:
    """The units that can be missed.

    A context's loss is the share of its unsupported claims (or answers) that pass, so that each
    context counts once, whatever its size.
    """
    scores, bad, contexts = joined(claims, screen), claims.unsupported, claims.contexts
    if unit == "answer":
        scores, bad, contexts = _by_answer(scores, claims)
    mine = contexts[bad]
    sizes = np.bincount(mine, minlength=int(contexts.max(initial=-1)) + 1)
    n_contexts = int((sizes > 0).sum())
    shares = 1.0 / (sizes[mine] * max(n_contexts, 1))
    test: Test = "binomial" if sizes.max(initial=0) <= 1 else "hoeffding-bentkus"
    observed = np.unique(scores[np.isfinite(scores)])
    return Risk(scores[bad], as_floats(shares), as_floats(observed), n_contexts, test)


def _by_answer(scores: Floats, claims: Claims) -> tuple[Floats, Masks, Ints]:
    """Scores, bad ones and contexts of answers: an answer passes where its worst claim does."""
    n = int(claims.answers.max(initial=-1)) + 1
    worst = np.full(n, np.inf)
    np.minimum.at(worst, claims.answers, scores)
    bad = np.zeros(n, np.bool_)
    np.logical_or.at(bad, claims.answers, claims.unsupported)
    contexts = np.zeros(n, np.int64)
    contexts[claims.answers] = claims.contexts
    return as_floats(worst), bad, contexts


def loss_at(risk: Risk, judge: float | None) -> float:
    """Mean loss over contexts with a cut-off of the judge; None is one that nothing reaches."""
    limit = np.inf if judge is None else judge
    return min(1.0, max(0.0, float(risk.shares[risk.scores >= limit].sum())))


def lowest(risk: Risk, rate: float, delta: float) -> tuple[float | None, bool]:
    """The lowest cut-off that keeps the rate, and whether any does.

    Args:
        risk: From `risk_of`.
        rate: The miss rate that has to be kept.
        delta: Error allowed.

    Returns:
        (None, True): only what passes the screen may pass. (None, False): not even that.
    """
    if p_value(loss_at(risk, None), risk.n_contexts, rate, risk.test) > delta:
        return None, False
    first_bad = _first_failing(risk, rate, delta)
    offered = risk.observed[risk.observed > first_bad]
    return (float(offered[0]) if len(offered) else None), True


def _first_failing(risk: Risk, rate: float, delta: float) -> float:
    """The highest score of a unit that may not be missed any more; -inf where all may be."""
    order = np.argsort(-risk.scores, kind="stable")
    scores, losses = risk.scores[order], np.cumsum(risk.shares[order])
    last_of_score = np.append(scores[1:] != scores[:-1], True)
    steps = [(s, m) for s, m in zip(scores[last_of_score], losses[last_of_score], strict=True)]
    low, high = 0, len(steps)
    while low < high:  # p grows with the loss, so the first that fails is found by halving
        middle = (low + high) // 2
        mean = min(1.0, float(steps[middle][1]))
        if p_value(mean, risk.n_contexts, rate, risk.test) <= delta:
            low = middle + 1
        else:
            high = middle
    return float(steps[low][0]) if low < len(steps) else -np.inf


def line(claims: Claims, screen: float | None, unit: Unit, rate: float, delta: float) -> Line:
    """What one cut-off of the screen allows at a rate and an error."""
    risk = risk_of(claims, screen, unit)
    judge, holds = lowest(risk, rate, delta)
    mean = loss_at(risk, judge)
    return Line(
        screen=screen,
        judge=judge,
        holds=holds,
        mean=mean,
        p=p_value(mean, risk.n_contexts, rate, risk.test),
        upper=upper_limit(mean, risk.n_contexts, delta, risk.test),
        delta=delta,
        n_contexts=risk.n_contexts,
        test=risk.test,
        strictest=_strictest(risk, screen),
    )


def _strictest(risk: Risk, screen: float | None) -> float:
    if screen is None and len(risk.observed):
        return loss_at(risk, float(risk.observed[-1]))
    return loss_at(risk, None)


def lines(
    claims: Claims, cuts: Sequence[float | None], unit: Unit, rate: float, delta: float
) -> tuple[Line, ...]:
    """Every cut-off of the screen, all of them right at once with probability 1 - delta.

    Args:
        claims: Labelled claims with their scores.
        cuts: Cut-offs of the screen, chosen before its scores on gold were seen.
        unit: What is missed.
        rate: The miss rate that has to be kept.
        delta: Error allowed over all lines together; each gets an equal part.
    """
    return tuple(line(claims, cut, unit, rate, delta / len(cuts)) for cut in cuts)


def needed(found: Sequence[Line], rate: float) -> tuple[int, int | None]:
    """Contexts with an unsupported unit that a guarantee needs: without a miss, and as seen.

    Args:
        found: From `lines`; none of them passes anything.
        rate: The miss rate that has to be kept.

    Returns:
        Contexts needed where nothing is missed, and where the loss stays what it was at the most
        careful cut-offs; None where no number is enough.
    """
    least = min(found, key=lambda one: one.strictest)
    enough = contexts_needed(rate, least.delta) or 1
    return enough, contexts_needed(rate, least.delta, least.strictest, least.test)
