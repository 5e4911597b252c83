"""Scoring policies: how the verdicts of one answer become its score.

A policy gives each label a credit, or leaves claims with that label out of account. The score is
the sum of credits over the claims *asked*. A failure is never credited, is no `no` and no `idk`,
and stays in the denominator of every policy; coverage stands beside the score.

| policy | yes | no | idk | without failures equal to |
|---|---|---|---|---|
| `lenient` | 1 | 0 | 1 | (n - no) / n |
| `strict` | 1 | 0 | 0 | yes / n |
| `partial(w)` | 1 | 0 | w | (yes + w idk) / n |
| `drop_idk` | 1 | 0 | left out | yes / (yes + no) |
| `expected` | P(yes) | P(yes) | P(yes) | mean P(yes) |
| `deepeval` | 1 | 0 | 1 | DeepEval's default |
| `deepeval(penalize)` | 1 | 0 | 0 | DeepEval with penalize_ambiguous_claims |
| `ragas` | 1 | 0 | 0 | Ragas, whose prompt has no idk |
| `map(yes=1,no=0,…)` | as written | | | a label left out has no value |
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from metajudge.errors import ExperimentError, Problem, short_repr

PolicyLabel = Literal["yes", "no", "idk"]
POLICY_LABELS: tuple[PolicyLabel, ...] = ("yes", "no", "idk")
POLICY_NAMES = (
    "lenient",
    "strict",
    "partial(w)",
    "drop_idk",
    "expected",
    "deepeval",
    "deepeval(penalize)",
    "ragas",
    "map(yes=…,no=…,idk=…)",
)
FAILURE_CODE = 3

Undefined = Literal["no claims", "no verdicts", "no decided claims", "probabilities missing"]
UNDEFINED: tuple[Undefined, ...] = (
    "no claims",
    "no verdicts",
    "no decided claims",
    "probabilities missing",
)
"""Why an answer has no score; the code of a reason is its place here, -1 for a score."""

DROPPED: Literal["dropped"] = "dropped"
Credit = float | Literal["dropped"] | None
"""Credit of a label in [0, 1]; `dropped` leaves its claims out; None: the policy has no value."""

_CALL = re.compile(r"^\s*([a-z_]+)\s*(?:\(\s*([^()]*?)\s*\))?\s*$")
_FIXED: dict[str, tuple[Credit, Credit, Credit]] = {
    "lenient": (1.0, 0.0, 1.0),
    "strict": (1.0, 0.0, 0.0),
    "drop_idk": (1.0, 0.0, DROPPED),
    "expected": (1.0, 0.0, 0.0),
    "deepeval": (1.0, 0.0, 1.0),
    "deepeval(penalize)": (1.0, 0.0, 0.0),
    "ragas": (1.0, 0.0, 0.0),
}


class Score(NamedTuple):
    """Score of one answer in [0, 1], or None with the reason why there is none."""

    value: float | None
    reason: Undefined | None


@dataclass(frozen=True, slots=True)
class Policy:
    """A scoring policy.

    Attributes:
        name: As typed and as printed beside every score.
        version: Changes when the same name scores differently.
        credit: Credit of yes, no, idk.
        from_probabilities: The credit of a claim is its P(yes), whatever its label.
    """

    name: str
    version: str
    credit: tuple[Credit, Credit, Credit]
    from_probabilities: bool = False

    def score_answer(
        self, codes: npt.ArrayLike, probabilities: npt.ArrayLike | None = None
    ) -> Score:
        """Score of one answer.

        Args:
            codes: Label codes of its claims, shape (n,): 0 yes, 1 no, 2 idk, 3 failure.
            probabilities: Label probabilities, shape (n, 3), for `expected`; nan where absent.

        Returns:
            None for no claims, for an answer all of whose verdicts failed, for `drop_idk` without
            a yes or no, and for `expected` when a claim with a label has no probabilities.

        Raises:
            ValueError: A code outside 0 to 3, or a label that the policy has no value for.

        >>> twenty_idk = [2] * 20
        >>> [parse_policy(p).score_answer(twenty_idk).value for p in ("lenient", "strict")]
        [1.0, 0.0]
        >>> parse_policy("strict").score_answer([])
        Score(value=None, reason='no claims')
        """
        from metajudge.scoring.answers import score_answers

        labels = np.asarray(codes, dtype=np.int8).reshape(-1)
        answers = np.zeros(labels.size, dtype=np.int64)
        return score_answers(self, labels, answers, 1, probabilities).score(0)

    def credits_by_code(self) -> npt.NDArray[np.float64]:
        """Credit by label code, shape (4,): nan for dropped, 0 for a failure and no value."""
        row = [np.nan if value == DROPPED else value or 0.0 for value in self.credit]
        return np.array([*row, 0.0], dtype=np.float64)

    def labels_without_value(self) -> tuple[PolicyLabel, ...]:
        """Labels that this policy has no value for."""
        return tuple(
            label for label, value in zip(POLICY_LABELS, self.credit, strict=True) if value is None
        )


def parse_policy(text: str, where: str = "policies") -> Policy:
    """The policy that a name stands for.

    Raises:
        ExperimentError: No such policy, or an argument out of range.

    >>> parse_policy("partial( 0.50 )").name
    'partial(0.5)'
    """
    match = _CALL.match(text)
    name, argument = match.groups() if match else ("", None)
    if name == "partial":
        weight = _unit_number(argument, text, where)
        return Policy(f"partial({weight:g})", "1", (1.0, 0.0, weight))
    if name == "map":
        return _mapped(argument or "", text, where)
    full = name if argument is None else f"{name}({argument})"
    if full not in _FIXED:
        near = difflib.get_close_matches(full, POLICY_NAMES, 1)
        mend = f"Did you mean {near[0]!r}?" if near else "Choose one of them."
        raise _refused(where, f"a policy is one of {', '.join(POLICY_NAMES)}", mend, text)
    return Policy(full, "1", _FIXED[full], from_probabilities=full == "expected")


def check_policy(policy: Policy, labels: Iterable[str], where: str = "policies") -> None:
    """Refuse a policy that has no value for a label that a template offers.

    Args:
        policy: The policy.
        labels: Labels that the template offers.
        where: What is being read, for the message.

    Raises:
        ExperimentError: Naming each label without a value.

    >>> check_policy(parse_policy("map(yes=1,no=0)"), ("yes", "no"))
    """
    valued = set(POLICY_LABELS) - set(policy.labels_without_value())
    problems = [
        Problem(
            where,
            f"a policy has a value for every label that a template offers, and {policy.name!r} "
            f"has none for {label!r}",
            "Choose another policy, or take the label out of the template.",
            got=repr(label),
        )
        for label in labels
        if label not in valued
    ]
    if problems:
        raise ExperimentError(problems)


def _mapped(argument: str, text: str, where: str) -> Policy:
    credit: dict[str, float] = {}
    for part in filter(None, (piece.strip() for piece in argument.split(","))):
        label, _, value = (piece.strip() for piece in part.partition("="))
        if label not in POLICY_LABELS or label in credit:
            law = f"map() names each of {', '.join(POLICY_LABELS)} at most once"
            raise _refused(where, law, "Correct the label.", text)
        credit[label] = _unit_number(value, text, where)
    if not credit:
        raise _refused(where, "map() gives labels a value", "Write map(yes=1,no=0).", text)
    written = ",".join(f"{label}={credit[label]:g}" for label in POLICY_LABELS if label in credit)
    yes, no, idk = (credit.get(label) for label in POLICY_LABELS)
    return Policy(f"map({written})", "1", (yes, no, idk))


def _unit_number(argument: str | None, text: str, where: str) -> float:
    try:
        value = float(argument or "")
    except ValueError:
        value = np.nan
    if not 0.0 <= value <= 1.0:
        law = "a label's credit is a number from 0 to 1"
        raise _refused(where, law, "Write for instance partial(0.5).", text)
    return value


def _refused(where: str, law: str, mend: str, text: str) -> ExperimentError:
    return ExperimentError(Problem(where, law, mend, got=short_repr(text)))
