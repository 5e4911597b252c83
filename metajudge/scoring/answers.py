"""From verdict codes to one score per answer, vectorised, and what explains each score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metajudge.scoring.policies import FAILURE_CODE, UNDEFINED, Policy, Score, Undefined

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int8]

PASS, FAIL, NO_SCORE = 1, 0, -1


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Scores of many answers under one policy.

    Attributes:
        policy: The policy's name.
        values: Shape (n_answers,), in [0, 1]; nan where undefined.
        undefined: Index in `UNDEFINED`, shape (n_answers,), int8; -1 where there is a score.
        n_claims: Claims asked, shape (n_answers,).
        coverage: Share of claims with a verdict, shape (n_answers,); nan for no claims.
    """

    policy: str
    values: Floats
    undefined: Codes
    n_claims: Ints
    coverage: Floats

    def score(self, answer: int) -> Score:
        """The score of one answer, None with its reason where undefined."""
        code = int(self.undefined[answer])
        if code >= 0:
            return Score(None, UNDEFINED[code])
        return Score(float(self.values[answer]), None)

    def undefined_counts(self) -> dict[Undefined, int]:
        """Answers without a score by reason; reasons that occur, in the order of `UNDEFINED`."""
        counts = np.bincount(self.undefined[self.undefined >= 0], minlength=len(UNDEFINED))
        return {name: int(n) for name, n in zip(UNDEFINED, counts, strict=True) if n}


def score_answers(
    policy: Policy,
    codes: npt.ArrayLike,
    answer_index: npt.ArrayLike,
    n_answers: int,
    probabilities: npt.ArrayLike | None = None,
) -> Scores:
    """Scores of all answers at once.

    Args:
        policy: The policy.
        codes: Label codes, shape (n_claims,): 0 yes, 1 no, 2 idk, 3 failure.
        answer_index: Which answer each claim belongs to, shape (n_claims,), 0 to n_answers - 1.
        n_answers: Number of answers, those without a claim included.
        probabilities: Label probabilities, shape (n_claims, 3), nan where absent; for `expected`.

    Raises:
        ValueError: Shapes or codes out of range, or a label that the policy has no value for.

    >>> from metajudge.scoring.policies import parse_policy
    >>> strict = parse_policy("strict")
    >>> score_answers(strict, [0, 2, 1, 0, 3], [0, 0, 0, 0, 1], 3).values.tolist()
    [0.5, nan, nan]
    """
    labels, answers = _checked(policy, codes, answer_index, n_answers)
    credits, missing = _credits(policy, labels, probabilities)
    counted = ~np.isnan(credits)
    n_claims = np.bincount(answers, minlength=n_answers)
    n_labelled = np.bincount(answers[labels != FAILURE_CODE], minlength=n_answers)
    n_counted = np.bincount(answers[counted], minlength=n_answers)
    n_decided = np.bincount(answers[counted & (labels != FAILURE_CODE)], minlength=n_answers)
    earned = np.bincount(answers[counted], weights=credits[counted], minlength=n_answers)
    n_missing = np.bincount(answers[missing], minlength=n_answers)

    undefined = np.full(n_answers, -1, dtype=np.int8)
    undefined[n_missing > 0] = UNDEFINED.index("probabilities missing")
    undefined[(n_decided == 0) & (n_missing == 0)] = UNDEFINED.index("no decided claims")
    undefined[n_labelled == 0] = UNDEFINED.index("no verdicts")
    undefined[n_claims == 0] = UNDEFINED.index("no claims")
    values = _ratio(earned, n_counted)
    values[undefined >= 0] = np.nan
    return Scores(policy.name, values, undefined, n_claims, _ratio(n_labelled, n_claims))


def lost_points(
    policy: Policy, codes: npt.ArrayLike, probabilities: npt.ArrayLike | None = None
) -> Floats:
    """Points that each claim of an answer cost, shape (n,), 0 to 1; nan for a claim left out.

    The score of an answer is 1 minus the mean of its claims' lost points, so an explanation built
    from these cannot disagree with it. Failures cost a full point: they are never credited.

    Raises:
        ValueError: As for `score_answers`.
    """
    n_claims = np.asarray(codes).size
    labels, _ = _checked(policy, codes, np.zeros(n_claims, dtype=np.int64), 1)
    credits, _ = _credits(policy, labels, probabilities)
    return 1.0 - credits


def costly_claims(
    policy: Policy, codes: npt.ArrayLike, probabilities: npt.ArrayLike | None = None
) -> Ints:
    """Indices of the claims that cost points, ascending: what an explanation has to list.

    >>> from metajudge.scoring.policies import parse_policy
    >>> codes = [0, 2, 1, 0]
    >>> [costly_claims(parse_policy(p), codes).tolist() for p in ("lenient", "strict", "drop_idk")]
    [[2], [1, 2], [2]]
    """
    lost = lost_points(policy, codes, probabilities)
    return np.flatnonzero(np.nan_to_num(lost, nan=0.0) > 0.0)


def passes(values: npt.ArrayLike, threshold: float) -> Codes:
    """Pass (1) or fail (0) at a threshold, reached is passed; -1 where there is no score.

    Args:
        values: Scores, shape (n_answers,); nan where undefined.
        threshold: In [0, 1].

    Raises:
        ValueError: A threshold outside [0, 1].

    >>> passes([0.8, 0.4, float("nan")], 0.5).tolist()
    [1, 0, -1]
    """
    if not 0.0 <= threshold <= 1.0:
        raise ValueError(f"passes: a threshold is from 0 to 1, got {threshold!r}")
    scores = np.asarray(values, dtype=np.float64)
    # 4/5 summed in floating point may fall a hair under a threshold of 0.8.
    verdicts = np.where(scores >= threshold - 1e-12, PASS, FAIL).astype(np.int8)
    verdicts[np.isnan(scores)] = NO_SCORE
    return verdicts


def _checked(
    policy: Policy, codes: npt.ArrayLike, answer_index: npt.ArrayLike, n_answers: int
) -> tuple[Codes, Ints]:
    labels = np.asarray(codes, dtype=np.int64).reshape(-1)
    answers = np.asarray(answer_index, dtype=np.int64).reshape(-1)
    if labels.shape != answers.shape:
        raise ValueError(
            f"score_answers: codes and answer_index have one length, got {labels.size} and "
            f"{answers.size}"
        )
    if labels.size and not (0 <= labels.min() and labels.max() <= FAILURE_CODE):
        raise ValueError("score_answers: a label code is 0, 1, 2 or 3 (failure)")
    if answers.size and not (0 <= answers.min() and answers.max() < n_answers):
        raise ValueError(f"score_answers: answer_index runs from 0 to {n_answers - 1}")
    for code, label in enumerate(("yes", "no", "idk")):
        if policy.credit[code] is None and np.any(labels == code):
            raise ValueError(f"policy {policy.name!r} has no value for label {label!r}")
    return labels.astype(np.int8), answers


def _credits(
    policy: Policy, labels: Codes, probabilities: npt.ArrayLike | None
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Credit per claim, nan where it is left out; and which claims lack the probability needed."""
    if not policy.from_probabilities:
        return policy.credits_by_code()[labels], np.zeros(labels.size, dtype=np.bool_)
    failed = labels == FAILURE_CODE
    if probabilities is None:
        return np.where(failed, 0.0, np.nan), ~failed
    rows = np.asarray(probabilities, dtype=np.float64)
    if rows.shape != (labels.size, 3):
        raise ValueError(
            f"score_answers: probabilities have shape ({labels.size}, 3), got {rows.shape}"
        )
    credits = np.where(failed, 0.0, rows[:, 0])
    return credits, np.isnan(credits)


def _ratio(part: npt.ArrayLike, whole: npt.ArrayLike) -> Floats:
    numerator = np.asarray(part, dtype=np.float64)
    denominator = np.asarray(whole, dtype=np.float64)
    ratio: Floats = np.divide(
        numerator, denominator, out=np.full_like(numerator, np.nan), where=denominator > 0
    )
    return ratio
