"""Whether a judge may stand in for one of the annotators, and how near it comes to their shares."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, as_floats, divide
from metajudge.agreement.bootstrap import cluster_sums
from metajudge.agreement.ceiling import (
    MISSING,
    AlternativeAnnotator,
    alternative_annotator_test,
    cross_entropy,
    jensen_shannon,
)
from metajudge.agreement.coefficients import Coefficient
from metajudge.agreement.estimate import Estimate, estimate
from metajudge.agreement.rates import ratio
from metajudge.selection.panel import Panel
from metajudge.selection.stability import Resampling

LEAST_ANNOTATORS = 3
LEAST_CLAIMS = 30
EPSILON = 0.2
FALSE_DISCOVERY_RATE = 0.05
SMALLEST_PROBABILITY = 0.001
"""What a label probability counts as at least: servers list their likeliest tokens only, so a label
that is not among them has probability 0, and one such claim would make the mean infinite."""
NO_PROBABILITIES = "no claim with labels of two annotators has label probabilities"


def participants(people: Panel, least_claims: int = LEAST_CLAIMS) -> tuple[int, ...]:
    """Rows of the annotators who can take part in the alternative annotator test.

    Where annotators change from claim to claim, many share a few claims only. Those with fewer than
    `least_claims` claims that another participant labelled too are left out, until everyone left
    has enough.
    """
    rows = np.arange(len(people.annotators))
    while len(rows):
        known = people.known[rows]
        enough = (known & (known.sum(0) >= 2)).sum(1) >= least_claims
        if enough.all():
            break
        rows = rows[enough]
    return tuple(rows.tolist())


def stand_in_tests(
    people: Panel,
    verdicts: Ints,
    *,
    epsilon: float = EPSILON,
    least_claims: int = LEAST_CLAIMS,
) -> tuple[AlternativeAnnotator, ...]:
    """The alternative annotator test of every candidate; no test, with the reason, under three.

    Args:
        people: The panel.
        verdicts: Shape (S, n), codes in the label space of the gold set, failures included.
        epsilon: Bonus of the judge for its cost: 0.2 against experts, 0.15 against skilled people,
            0.1 against crowd workers, as the authors advise.
        least_claims: Claims that each annotator must share with another.

    Source: Calderon, Reichart and Dror (2025), ACL, section 3.
    """
    rows = participants(people, least_claims)
    if len(rows) < LEAST_ANNOTATORS:
        reason = (
            f"needs {LEAST_ANNOTATORS} annotators who share {least_claims} claims each with the "
            f"others, got {len(rows)}"
        )
        refused = AlternativeAnnotator(None, None, (), (), epsilon, None, reason)
        return (refused,) * len(verdicts)
    ratings = people.ratings[list(rows)]
    some = (ratings != MISSING).any(0)
    return tuple(
        alternative_annotator_test(
            ratings[:, some], said[some], epsilon, FALSE_DISCOVERY_RATE, least_claims
        )
        for said in verdicts
    )


class SoftAgreement(NamedTuple):
    """Label probabilities of one candidate against the shares of people's labels.

    Attributes:
        cross_entropy: Mean over claims, nats; probabilities count as SMALLEST_PROBABILITY at least.
        jensen_shannon: Mean divergence over claims, 0 to ln 2.
        least: Cross-entropy of the annotators' own shares; None without a claim.
        constant: Cross-entropy of the overall shares, given for every claim; None likewise.
        floored: Claims with a smaller probability for a label that people gave.
    """

    cross_entropy: Estimate
    jensen_shannon: Estimate
    least: float | None
    constant: float | None
    floored: int


def soft_agreement(
    people: Panel, probabilities: Floats, resampling: Resampling
) -> tuple[SoftAgreement | None, ...]:
    """Soft-label agreement of every candidate; None for one without any label probabilities.

    Args:
        people: The panel.
        probabilities: Shape (S, n, K), nan rows where the judge gave none; such claims are not
            scored, so n of the estimates can be smaller than the shared claims.
        resampling: How intervals are made.

    Source: Lin (1991), IEEE Trans. Inf. Theory 37 (Jensen-Shannon divergence).
    """
    given = np.asarray(np.isfinite(probabilities).all(-1), np.bool_)
    scored = np.asarray(given & people.shared, np.bool_)
    shares = np.where(people.shared[:, None], people.shares, 0.0)
    judge = as_floats(divide(probabilities, probabilities.sum(-1, keepdims=True)))
    lifted = np.maximum(judge, SMALLEST_PROBABILITY)
    lifted /= lifted.sum(-1, keepdims=True)
    figures = [
        _means(people, distance, scored, resampling)
        for distance in (cross_entropy(shares, lifted), jensen_shannon(shares, judge))
    ]
    floored = ((judge < SMALLEST_PROBABILITY) & (shares > 0)).any(-1) & scored
    return tuple(
        SoftAgreement(figures[0][i], figures[1][i], *_bounds(shares[mask]), int(floored[i].sum()))
        if given[i].any()
        else None
        for i, mask in enumerate(scored)
    )


def _means(
    people: Panel, distances: Floats, scored: Masks, resampling: Resampling
) -> tuple[Estimate, ...]:
    parts = np.stack([np.where(scored, distances, 0.0), scored.astype(np.float64)], axis=-1)
    sums = cluster_sums(people.cluster, parts, scored)
    mean = Coefficient("mean", ratio, NO_PROBABILITIES)
    return estimate(sums, mean, resampling.weights, "bca", resampling.level)


def _bounds(shares: Floats) -> tuple[float | None, float | None]:
    if not len(shares):
        return None, None
    overall = np.broadcast_to(shares.mean(0), shares.shape)
    least, constant = cross_entropy(shares, shares).mean(), cross_entropy(shares, overall).mean()
    return float(least), float(constant)
