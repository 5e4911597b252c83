"""What people reach among themselves, and whether the judge could stand in for one of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metajudge.agreement.adjust import benjamini_yekutieli
from metajudge.agreement.arrays import Floats, Ints, Masks, Numbers, as_floats, divide
from metajudge.agreement.bootstrap import cluster_sums
from metajudge.agreement.coefficients import RATER_COEFFICIENTS
from metajudge.agreement.estimate import Estimate, IntervalMethod, estimate
from metajudge.agreement.fleiss import rating_counts
from metajudge.agreement.kappa import cohen_kappa
from metajudge.agreement.table import confusion_table
from metajudge.agreement.tails import student_lower_tail
from metajudge.counted import counted

MISSING = -1


def pairwise_kappa(ratings: Numbers, n_labels: int = 3) -> Floats:
    """Cohen's kappa of each pair of annotators on the claims that both labelled.

    Args:
        ratings: Shape (R, N), label codes; MISSING where an annotator gave none.
        n_labels: K.

    Returns:
        Shape (R, R), symmetric, nan on the diagonal and where undefined.

    >>> pairwise_kappa([[0, 1, 0], [0, 1, -1]])[0, 1]
    np.float64(1.0)
    """
    codes = np.asarray(ratings, np.int64)
    kappas = np.full((len(codes), len(codes)), np.nan)
    for one in range(len(codes)):
        for other in range(one):
            both = (codes[one] != MISSING) & (codes[other] != MISSING)
            table = confusion_table(codes[one, both], codes[other, both], n_labels)
            kappas[one, other] = kappas[other, one] = cohen_kappa(table)
    return kappas


def judge_kappas(ratings: Numbers, verdict: Numbers, n_labels: int = 3) -> Floats:
    """Cohen's kappa of the judge with each annotator, shape (R,), nan where undefined.

    Args:
        ratings: Shape (R, N), as in `pairwise_kappa`.
        verdict: Shape (N,), the judge's codes, failures included.
        n_labels: K.
    """
    codes, said = np.asarray(ratings, np.int64), np.asarray(verdict, np.int64)
    known = codes != MISSING
    pairs = zip(codes, known, strict=True)
    tables = [confusion_table(row[seen], said[seen], n_labels) for row, seen in pairs]
    return as_floats([cohen_kappa(table) for table in tables])


def rater_agreement(
    ratings: Numbers,
    cluster: Numbers,
    weights: Numbers,
    name: str = "krippendorff_alpha",
    *,
    n_labels: int = 3,
    method: IntervalMethod = "bca",
    level: float = 0.95,
) -> Estimate:
    """Agreement of all annotators (or runs) with its cluster-bootstrap interval.

    Args:
        ratings: Shape (R, N), label codes; MISSING where an annotator gave none.
        cluster: Shape (N,), codes of answers or contexts.
        weights: Shape (B, G), from `cluster_weights`.
        name: One of `RATER_COEFFICIENTS`.
        n_labels: K; the ordered ones need yes, no and idk.
        method: Of the interval.
        level: Coverage aimed at.

    Returns:
        The estimate; n counts the claims with two ratings or more.

    Raises:
        ValueError: `fleiss_kappa` where claims have different numbers of ratings.

    >>> from metajudge.agreement.bootstrap import cluster_weights
    >>> draws = cluster_weights(2, 10, np.random.default_rng(1))
    >>> rater_agreement([[0, -1], [-1, 1]], [0, 1], draws).reason
    'no claim has two ratings'
    """
    counts = rating_counts(ratings, n_labels)
    kind = RATER_COEFFICIENTS[name]
    paired = counts.sum(-1) >= 2
    sums = cluster_sums(cluster, kind.units(counts)[None], paired)
    return estimate(sums, kind.coefficient, weights, method, level)[0]


@dataclass(frozen=True, slots=True)
class AlternativeAnnotator:
    """Whether the judge may replace a human annotator.

    Attributes:
        winning_rate: Share of annotators that the judge stands in for at the false discovery rate;
            None when the test is not allowed, then `reason` is set.
        advantage: Mean probability that the judge is at least as close to the other annotators as
            the one left out; None likewise.
        p_values: One for each annotator, adjusted (Benjamini-Yekutieli).
        advantages: One for each annotator.
        epsilon: Cost-benefit bonus granted to the judge.
        passed: Winning rate of 0.5 or more; None likewise.
        reason: Why there is no test.
    """

    winning_rate: float | None
    advantage: float | None
    p_values: tuple[float, ...]
    advantages: tuple[float, ...]
    epsilon: float
    passed: bool | None
    reason: str | None = None


def _closeness(codes: Ints, label: Ints, others: Masks) -> Floats:
    same = (codes == label) & others
    return divide(same.sum(0), others.sum(0))


def alternative_annotator_test(
    ratings: Numbers,
    verdict: Numbers,
    epsilon: float = 0.2,
    false_discovery_rate: float = 0.05,
    min_claims: int = 30,
) -> AlternativeAnnotator:
    """The alternative annotator test for labels.

    Each annotator is left out in turn. Judge and annotator are scored on each claim by the share of
    the remaining annotators that they agree with, and compared by a one-sided t-test.

    Args:
        ratings: Shape (R, N), R >= 3 annotators; MISSING where there is no label.
        verdict: Shape (N,), judge codes; a failure agrees with nobody.
        epsilon: 0.2 against experts, 0.15 skilled, 0.1 crowd annotators, as the authors advise.
        false_discovery_rate: Of the Benjamini-Yekutieli procedure.
        min_claims: Claims needed for each annotator, shared with at least one other.

    Source: Calderon, Reichart and Dror (2025), ACL, section 3.
    """
    codes = np.asarray(ratings, np.int64)
    said = np.asarray(verdict, np.int64)
    known = codes != MISSING
    if len(codes) < 3:
        return _no_test(epsilon, f"needs three annotators, got {len(codes)}")
    raw, advantages = [], []
    for left_out in range(len(codes)):
        others = known.copy()
        others[left_out] = False
        usable = known[left_out] & others.any(0)
        n = int(usable.sum())
        if n < min_claims:
            return _no_test(
                epsilon,
                f"annotator {left_out} shares {counted(n, 'claims')} with others, "
                f"under {min_claims}",
            )
        person = _closeness(codes, codes[left_out], others)[usable]
        judge = _closeness(codes, said, others)[usable]
        wins, losses = judge >= person, person >= judge
        advantages.append(float(wins.mean()))
        raw.append(_mean_below(losses.astype(float) - wins, epsilon))
    adjusted = benjamini_yekutieli(raw)
    rate = float((adjusted <= false_discovery_rate).mean())
    mean = float(np.mean(advantages))
    p_values = tuple(adjusted.tolist())
    return AlternativeAnnotator(rate, mean, p_values, tuple(advantages), epsilon, rate >= 0.5)


def _no_test(epsilon: float, reason: str) -> AlternativeAnnotator:
    return AlternativeAnnotator(None, None, (), (), epsilon, None, reason)


def _mean_below(gaps: Floats, limit: float) -> float:
    n, mean, spread = len(gaps), float(gaps.mean()), float(gaps.std(ddof=1))
    if spread == 0:
        return 0.0 if mean < limit else 1.0
    return student_lower_tail((mean - limit) / (spread / n**0.5), n - 1)


def cross_entropy(shares: Numbers, probabilities: Numbers) -> Floats:
    """Cross-entropy of annotator shares under the judge's probabilities, in nats, per claim.

    Args:
        shares: Shape (n, K), share of annotators for each label, rows sum to 1.
        probabilities: Shape (n, K), rows sum to 1; nan rows where the judge gave none.

    Returns:
        Shape (n,), 0 or more, inf where the judge excludes a label that people gave, nan where
        the judge gave no probabilities.

    >>> float(cross_entropy([[1, 0]], [[0.5, 0.5]])[0]) == float(np.log(2))
    True
    """
    people, judge = as_floats(shares), as_floats(probabilities)
    with np.errstate(divide="ignore"):
        logs = np.log(judge)
    return as_floats(-np.where(people > 0, people * np.where(people > 0, logs, 0.0), 0.0).sum(-1))


def jensen_shannon(shares: Numbers, probabilities: Numbers) -> Floats:
    """Jensen-Shannon divergence of annotator shares and judge probabilities, 0 to ln 2, per claim.

    Args:
        shares: Shape (n, K).
        probabilities: Shape (n, K); nan rows give nan.

    Source: Lin (1991), IEEE Trans. Inf. Theory 37.

    >>> float(jensen_shannon([[1, 0]], [[0, 1]])[0]) == float(np.log(2))
    True
    """
    people, judge = as_floats(shares), as_floats(probabilities)
    middle = (people + judge) / 2
    return as_floats((_entropy_gap(people, middle) + _entropy_gap(judge, middle)) / 2)


def _entropy_gap(left: Floats, middle: Floats) -> Floats:
    present = left > 0
    quotient = np.where(present, divide(left, middle), 1.0)
    gap = np.where(present, left * np.log(quotient), 0.0).sum(-1)
    return as_floats(np.where(np.isnan(left).any(-1), np.nan, gap))
