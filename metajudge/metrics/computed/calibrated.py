"""Cut-offs for a score that no judge gave, fitted to gold so that they mean something.

Coverage of wording and entailment are numbers without a natural threshold: 0.6 is much for one
model and little for another. Here people's labels say what a score is worth. Cut-offs are fitted
on the dev split and judged on claims that they were not fitted on; test claims are never read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, Numbers, as_floats
from metajudge.agreement.bootstrap import cluster_shares
from metajudge.agreement.estimate import Estimate, estimate_share
from metajudge.agreement.rates import share, share_coefficient
from metajudge.agreement.table import cluster_codes
from metajudge.gold.claim import Claim
from metajudge.gold.goldset import GoldSet
from metajudge.selection.calibrate import (
    IsotonicMap,
    fit_isotonic,
    fit_yes_threshold,
    folds_by_context,
    told_shares,
)

BOUND = 0.1
"""Share of wrong calls that a cut-off may make, by the upper limit of its interval."""
SUPPORTED = ("yes", "supported")

ScoreOf = Callable[[Claim, tuple[str, ...]], float | None]
"""Score of a claim by its passages, 0 to 1; None where it is undefined."""


@dataclass(frozen=True, slots=True)
class CutOff:
    """A score from which on, or up to which, something is said of a claim.

    Attributes:
        score: 0 to 1; None where no score keeps the bound.
        wrong: Share of the claims that it must not be said of, and is; each claim's cut-off is
            fitted without its context.
        right: Share of the claims that it may be said of, and is; fitted likewise.
    """

    score: float | None
    wrong: Estimate
    right: Estimate


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What a score means on gold.

    Between the two cut-offs a claim is undecided: that is where a judge or people come in.

    Attributes:
        supported_from: Least score to call a claim supported.
        unsupported_to: Greatest score to call a claim unsupported.
        supported_share: The score's map to the share of supported claims, rising.
        n: Claims.
        n_undefined: Claims without a score; nothing is said of them.
        bound: Largest upper limit of `wrong` allowed.
        level: Of the intervals.
    """

    supported_from: CutOff
    unsupported_to: CutOff
    supported_share: IsotonicMap | None
    n: int
    n_undefined: int
    bound: float
    level: float

    def label(self, score: float | None) -> str | None:
        """`supported` or `unsupported`; None between the cut-offs and for no score."""
        if score is None:
            return None
        told = float(told_shares(score))
        yes, no = self.supported_from.score, self.unsupported_to.score
        said = (yes is not None and told >= yes, no is not None and told <= no)
        return {(True, False): "supported", (False, True): "unsupported"}.get(said)

    def probability(self, score: float | None) -> float | None:
        """Share of supported claims among gold claims of about this score, 0 to 1."""
        if score is None or self.supported_share is None:
            return None
        return float(self.supported_share([[score, 1.0 - score]])[0, 0])

    def to_json(self) -> dict[str, Any]:
        """The figures as JSON values; the map is left out."""
        return {
            "supported_from": asdict(self.supported_from),
            "unsupported_to": asdict(self.unsupported_to),
            "n": self.n,
            "n_undefined": self.n_undefined,
            "bound": self.bound,
            "level": self.level,
        }


def calibrated(
    scores: Sequence[float | None],
    supported: Sequence[bool],
    contexts: Sequence[str],
    bound: float = BOUND,
    level: float = 0.95,
) -> Calibrated:
    """Cut-offs of a score, and what they are worth.

    Args:
        scores: Of n claims, 0 to 1; None where undefined. Told to six decimals, as cut-offs are.
        supported: Shape (n,), by gold.
        contexts: Shape (n,), names; claims of one context are never on both sides of a fold.
        bound: Largest upper limit of the share of wrong calls, above 0 and under 1.
        level: Of the intervals, Wilson's at the effective n.

    Returns:
        A cut-off is None where no score keeps the bound, or where gold has no claim that could be
        called wrongly; a few dozen claims keep hardly any bound, and that is as it should be.

    Raises:
        ValueError: The lengths differ, or the bound is out of range.

    >>> scores, gold = [0.9] * 60 + [0.1] * 60, [True] * 60 + [False] * 60
    >>> found = calibrated(scores, gold, [str(n) for n in range(120)])
    >>> found.supported_from.score, found.unsupported_to.score, found.label(0.5)
    (0.9, 0.1, None)
    """
    if not len(scores) == len(supported) == len(contexts) or not 0 < bound < 1:
        raise ValueError("scores, labels and contexts are of one length, and the bound in 0 … 1")
    told = told_shares([np.nan if score is None else score for score in scores])
    known = ~np.isnan(told)
    gold = np.asarray(supported, np.bool_)
    codes = cluster_codes(contexts).codes
    shares = np.stack([told, 1.0 - told], -1)[known]
    truth = np.where(gold[known], 0, 1)
    return Calibrated(
        supported_from=_cut_off(told, gold, codes, bound, level),
        unsupported_to=_told_from_above(
            _cut_off(told_shares(1.0 - told), ~gold, codes, bound, level)
        ),
        supported_share=fit_isotonic(shares, truth) if known.any() else None,
        n=len(told),
        n_undefined=int((~known).sum()),
        bound=bound,
        level=level,
    )


def calibrated_on(
    gold: GoldSet, score_of: ScoreOf, bound: float = BOUND, level: float = 0.95
) -> Calibrated:
    """Cut-offs of a score on the dev split of a gold set.

    Args:
        gold: Its claims that count; yes and supported are supported, all other labels are not.
        score_of: The score.
        bound: As in `calibrated`.
        level: As in `calibrated`.

    Raises:
        GoldError: The gold set declares no split.
    """
    dev = gold.judged().subset("dev")
    return calibrated(
        [score_of(claim, dev.passages(claim)) for claim in dev.claims],
        [claim.label in SUPPORTED for claim in dev.claims],
        [claim.context_id for claim in dev.claims],
        bound,
        level,
    )


def _told_from_above(turned: CutOff) -> CutOff:
    """A cut-off that was fitted on 1 - score, as a score."""
    if turned.score is None:
        return turned
    return replace(turned, score=float(told_shares(1.0 - turned.score)))


def _cut_off(scores: Floats, kind: Masks, codes: Ints, bound: float, level: float) -> CutOff:
    """The least score to say that a claim is of a kind."""
    known = ~np.isnan(scores)

    def fitted(on: Masks) -> float | None:
        on = on & known
        return fit_yes_threshold(scores[on], ~kind[on], codes[on], bound, level)

    least = fitted(known)
    said = np.zeros(len(scores), np.bool_)
    for _, held in folds_by_context(codes):
        outside = np.ones(len(scores), np.bool_)
        outside[held] = False
        said[held] = _reached(scores[held], fitted(outside))
    wrong, right = (
        estimate_share(
            cluster_shares(codes, share(said, among)), share_coefficient(name, what), level
        )[0]
        for name, what, among in (
            ("wrong", "of the other kind", ~kind),
            ("right", "of this kind", kind),
        )
    )
    return CutOff(least, wrong, right)


def _reached(scores: Numbers, least: float | None) -> Masks:
    return np.asarray(as_floats(scores) >= (np.inf if least is None else least), np.bool_)
