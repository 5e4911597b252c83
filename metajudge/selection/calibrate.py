"""Maps fitted to gold labels: of label probabilities, and the least P(yes) that may be called yes.

Everything here learns from gold, so it is fitted on the development split only, and what it
promises is judged on claims that it was not fitted on (`cross_fitted`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, Numbers, as_floats, divide
from metajudge.agreement.bootstrap import cluster_shares
from metajudge.agreement.estimate import estimate_share
from metajudge.agreement.rates import share, share_coefficient
from metajudge.agreement.table import IDK, NO, YES
from metajudge.templates.reading_names import DECIMALS

PROBABILITY_FLOOR = 1e-6
"""Share of a label that a reply's first token did not list; its logarithm must be finite."""
TEMPERATURES = (0.05, 20.0)
"""Temperatures looked at; the ends stand for all beyond them."""
FOLDS = 5
BLOCK = 32
"""Thresholds measured together; bounds memory."""

_HALVINGS = 40

Map = Callable[[Floats], Floats]
"""From label probabilities (n, K) to calibrated ones."""
Fit = Callable[[Floats, Ints], Map]
"""From label probabilities (n, K) and gold codes (n,) to a map."""


def at_temperature(probabilities: Numbers, temperature: float) -> Floats:
    """Label probabilities raised to 1 / temperature, summing to 1 again; above 1 flattens them.

    Args:
        probabilities: Shape (n, K).
        temperature: Above 0.

    >>> at_temperature([[0.8, 0.2]], 2.0).round(3).tolist()
    [[0.667, 0.333]]
    """
    return _scaled(_logs(probabilities), 1 / temperature)


def fit_temperature(probabilities: Numbers, gold: Numbers) -> float:
    """The temperature under which gold labels are most likely; 1 changes nothing.

    Args:
        probabilities: Shape (n, K), n >= 1, without nan.
        gold: Shape (n,), codes 0 … K - 1.

    Returns:
        Within `TEMPERATURES`. A judge that is never wrong gets the lower end, one that knows
        nothing the upper.

    Raises:
        ValueError: There is no row.

    Source: Guo et al. (2017), ICML, section 4.2 (temperature scaling), on log-probabilities in
    place of logits. The likelihood has one peak in 1 / temperature, so its slope is halved.

    >>> sure = [[0.9, 0.1]] * 10
    >>> round(fit_temperature(sure, [0] * 9 + [1]), 6)
    1.0
    """
    logs, truth = _logs(probabilities), np.asarray(gold, np.int64)
    if not len(logs):
        raise ValueError("a temperature needs at least one claim")
    right = logs[np.arange(len(logs)), truth]
    low, high = 1 / TEMPERATURES[1], 1 / TEMPERATURES[0]
    for _ in range(_HALVINGS):
        middle = np.sqrt(low * high)
        expected = (_scaled(logs, middle) * logs).sum(-1)
        if float((right - expected).sum()) > 0:
            low = middle
        else:
            high = middle
    return float(1 / np.sqrt(low * high))


def _logs(probabilities: Numbers) -> Floats:
    return as_floats(np.log(np.maximum(as_floats(probabilities), PROBABILITY_FLOOR)))


def _scaled(logs: Floats, sharpness: float) -> Floats:
    heights = np.exp(sharpness * (logs - logs.max(-1, keepdims=True)))
    return as_floats(heights / heights.sum(-1, keepdims=True))


@dataclass(frozen=True, slots=True)
class IsotonicMap:
    """One rising step function for each label, its steps joined by straight lines.

    Attributes:
        steps: For each label, places and heights, each of shape (m,) and rising.
    """

    steps: tuple[tuple[Floats, Floats], ...]

    def __call__(self, probabilities: Numbers) -> Floats:
        """Calibrated probabilities (n, K), summing to 1; even where no label keeps any."""
        given = as_floats(probabilities)
        risen = [np.interp(column, *step) for column, step in zip(given.T, self.steps, strict=True)]
        heights = np.stack(risen, axis=-1)
        total = heights.sum(-1, keepdims=True)
        return np.where(total > 0, divide(heights, total), 1.0 / len(self.steps))


def fit_isotonic(probabilities: Numbers, gold: Numbers) -> IsotonicMap:
    """Isotonic regression of each label against the rest, renormalised.

    Args:
        probabilities: Shape (n, K), n >= 1, without nan.
        gold: Shape (n,), codes 0 … K - 1; a label that gold lacks is mapped to 0.

    Source: Zadrozny and Elkan (2002), KDD (pool-adjacent-violators; each label against the rest,
    normalised).

    >>> fit_isotonic([[0.9, 0.1], [0.2, 0.8]], [0, 1])([[0.9, 0.1]]).tolist()
    [[1.0, 0.0]]
    """
    from sklearn.isotonic import IsotonicRegression

    given, truth = as_floats(probabilities), np.asarray(gold, np.int64)
    steps = []
    for label, column in enumerate(given.T):
        model = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
        model.fit(column, as_floats(truth == label))
        steps.append((as_floats(model.X_thresholds_), as_floats(model.y_thresholds_)))
    return IsotonicMap(tuple(steps))


def temperature_map(probabilities: Floats, gold: Ints) -> Map:
    """The map of the fitted temperature."""
    temperature = fit_temperature(probabilities, gold)
    return lambda given: at_temperature(given, temperature)


FITS: dict[str, Fit] = {"temperature": temperature_map, "isotonic": fit_isotonic}
"""Ways to calibrate label probabilities, by name."""


def folds_by_context(contexts: Numbers, n_folds: int = FOLDS) -> list[tuple[Ints, Ints]]:
    """Rows to fit on and rows held out, no context on both sides; the same for equal input.

    Args:
        contexts: Shape (n,), context codes.
        n_folds: Folds, at most as many as contexts.

    Returns:
        (fitted, held out) pairs of row numbers; [] with fewer than two contexts.
    """
    from sklearn.model_selection import GroupKFold

    groups = np.asarray(contexts, np.int64)
    n = min(n_folds, len(np.unique(groups)))
    if n < 2:
        return []
    return list(GroupKFold(n).split(np.zeros((len(groups), 1)), groups=groups))


def cross_fitted(
    probabilities: Numbers, gold: Numbers, contexts: Numbers, fit: Fit, n_folds: int = FOLDS
) -> Floats | None:
    """Calibrated probabilities of each claim by a map fitted without its context.

    Args:
        probabilities: Shape (n, K), without nan.
        gold: Shape (n,).
        contexts: Shape (n,), context codes.
        fit: One of `FITS`.
        n_folds: Folds.

    Returns:
        Shape (n, K); None with fewer than two contexts.

    Source: Stone (1974), J. R. Stat. Soc. B 36 (cross-validation); folds by context, since claims
    of one context are not independent.
    """
    given, truth = as_floats(probabilities), np.asarray(gold, np.int64)
    folds = folds_by_context(contexts, n_folds)
    mapped = np.full_like(given, np.nan)
    for fitted, held in folds:
        mapped[held] = fit(given[fitted], truth[fitted])(given[held])
    return mapped if folds else None


def fit_yes_threshold(
    yes: Numbers, not_yes: Masks, cluster: Numbers, bound: float, level: float = 0.95
) -> float | None:
    """The least P(yes) to call yes under which over-credit's upper limit keeps the bound.

    Args:
        yes: Shape (n,), P(yes), without nan.
        not_yes: Shape (n,), claims with another gold label than yes.
        cluster: Shape (n,), codes of answers or contexts.
        bound: Largest upper limit allowed, 0 to 1.
        level: Of the interval, Wilson's at the effective n as in `estimate_share`.

    Returns:
        One of the values of `yes`; None when none of them keeps the bound, or every
        gold label is yes. A threshold above all of them, which calls nothing yes, is not offered.

    >>> fit_yes_threshold([0.2] * 50 + [0.9], [True] * 50 + [False], range(51), 0.1)
    0.9
    """
    shares, kind = as_floats(yes), np.asarray(not_yes, np.bool_)
    if not kind.any():
        return None
    among, codes = shares[kind], np.asarray(cluster, np.int64)[kind]
    values = np.unique(shares)
    called = len(among) - np.searchsorted(np.sort(among), values, side="left")
    # An upper limit is never under the share itself, which is quickly had.
    values = values[called <= bound * len(among) + 1e-9]
    everyone = np.ones(len(among), np.bool_)
    coefficient = share_coefficient("over_credit", "a gold-not-yes claim")
    for start in range(0, len(values), BLOCK):
        block = values[start : start + BLOCK]
        sums = cluster_shares(codes, share(among >= block[:, None], everyone))
        for value, found in zip(block, estimate_share(sums, coefficient, level), strict=True):
            if found.high is not None and found.high <= bound + 1e-12:
                return float(value)
    return None


def told_shares(probabilities: Numbers) -> Floats:
    """Label probabilities as a threshold meets them: kept as float32, told to `DECIMALS` decimals.

    What was fitted on them and what is read with the number in a file part the claims alike.

    Args:
        probabilities: Shape (…, 3); nan stays nan.
    """
    return as_floats(np.asarray(probabilities, np.float32)).round(DECIMALS)


def verdicts_at(probabilities: Numbers, threshold: Numbers | None) -> Ints:
    """Label codes: yes from the threshold up, else the larger of no and idk, idk of equals.

    Args:
        probabilities: Shape (…, 3), yes, no, idk.
        threshold: From `fit_yes_threshold`, or one for each row; None calls nothing yes.

    >>> verdicts_at([[0.7, 0.2, 0.1], [0.4, 0.5, 0.1]], 0.3).tolist()
    [0, 0]
    """
    given = as_floats(probabilities)
    limit = as_floats(np.inf if threshold is None else threshold)
    other = np.where(given[..., NO] > given[..., IDK], NO, IDK)
    return np.where(given[..., YES] >= limit, YES, other).astype(np.int64)
