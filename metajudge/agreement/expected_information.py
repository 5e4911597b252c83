"""What learning one label is expected to tell about a decision, in bits, over simulated worlds."""

from __future__ import annotations

import numpy as np

from metajudge.agreement.arrays import Floats, Numbers, as_floats


def posterior_weights(n_clusters: int, n_worlds: int, rng: np.random.Generator) -> Floats:
    """Weights of clusters in worlds that the sample could have come from, shape (B, G).

    Rows sum to G, weights are not whole. The bootstrap's smooth twin: no cluster is ever left out
    altogether, so that no world lacks a label or slice that was seen.

    Args:
        n_clusters: G, at least 1.
        n_worlds: B.
        rng: Source of randomness.

    Source: Rubin (1981), Ann. Stat. 9 (the Bayesian bootstrap), with clusters as units.

    >>> bool(np.allclose(posterior_weights(5, 3, np.random.default_rng(1)).sum(1), 5))
    True
    """
    drawn = rng.standard_exponential((n_worlds, n_clusters))
    return as_floats(drawn * (n_clusters / drawn.sum(1, keepdims=True)))


def entropy(shares: Numbers, axis: int = -1) -> Floats:
    """Shannon entropy in bits of shares that sum to 1 along an axis; 0 where one of them is 1.

    Source: Shannon (1948), Bell Syst. Tech. J. 27, section 6.

    >>> entropy([0.5, 0.25, 0.25]).tolist()
    1.5
    """
    parts = as_floats(shares)
    logs = np.log2(parts, out=np.zeros_like(parts), where=parts > 0)
    return as_floats(-(parts * logs).sum(axis) + 0.0)


def information(joint: Numbers, variance: Numbers, n_worlds: int) -> Floats:
    """Mutual information of a label and the decision, in bits, shape (M,).

    Counted in B worlds it is too great by about (C - 1) / (2 B ln 2) · Σ_o v_o / p_o, where C
    decisions occur and the share of outcome o has the mean p_o and the variance v_o over worlds;
    with one claim a kind v_o is p_o (1 - p_o), and this is the correction of Miller. It is taken
    off, so that what tells nothing is 0 on average, and below 0 half of the time.

    Args:
        joint: Shape (C, M, O), shares of worlds by decision and by outcome of the label; sums to 1
            over the first and the last axis.
        variance: Shape (M, O), of the share of each outcome over worlds.
        n_worlds: B.

    Source: Lindley (1956), Ann. Math. Stat. 27 (expected information of an experiment); Miller
    (1955), Note on the bias of information estimates.

    >>> joint = np.array([[[0.5, 0.0], [0.25, 0.25]], [[0.0, 0.5], [0.25, 0.25]]])
    >>> information(joint, np.zeros((2, 2)), 100).tolist()
    [1.0, 0.0]
    """
    shares = as_floats(joint)
    decided, outcomes = shares.sum(2), shares.sum(0)
    both = np.moveaxis(shares, 1, 0).reshape(shares.shape[1], -1)
    told = entropy(decided, 0) + entropy(outcomes) - entropy(both)
    n_decisions = int((decided > 0).any(1).sum())
    spread = np.zeros_like(outcomes)
    np.divide(as_floats(variance), outcomes, out=spread, where=outcomes > 0)
    return as_floats(told - (n_decisions - 1) * spread.sum(1) / (2 * n_worlds * np.log(2)))
