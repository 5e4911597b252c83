"""What happens to an answer, from what was said of its units: a pure function.

Failures are never credited in the score that is told. What they do to the decision is the user's
choice: `closed` decides as if they were unsupported, `open` as if they were supported. An answer
that passes in either case passes; one that passes only when they are trusted is `unchecked`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from metajudge.metrics.selfcheck.checked import CheckedUnit, Decision, Said
from metajudge.metrics.selfcheck.settings import OnFailure, OnUnsupported
from metajudge.scoring.policies import FAILURE_CODE, Policy, Score
from metajudge.verdicts.verdict import LABELS, Label, LabelProbabilities

_CODES: Mapping[Label, int] = {label: code for code, label in enumerate(LABELS)}
_HAIR = 1e-12
"""As in `scoring.answers.passes`: 4/5 summed in floating point may fall a hair under 0.8."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How verdicts decide.

    Attributes:
        policy: How they become a score.
        min_score: Least score that passes.
        on_unsupported: What happens to an answer that does not pass.
        on_failure: How units without a verdict count.
    """

    policy: Policy
    min_score: float
    on_unsupported: OnUnsupported
    on_failure: OnFailure

    @property
    def is_open(self) -> bool:
        """Whether units without a verdict count as supported."""
        return self.on_failure == "open"

    def costs(self, label: Label) -> bool:
        """Whether units with a label cost points, other than yes."""
        credit = self.policy.credit[_CODES[label]]
        return label != "yes" and (credit is None or (credit != "dropped" and credit < 1.0))


@dataclass(frozen=True, slots=True)
class Ruling:
    """What happens to an answer.

    Attributes:
        decision: The decision.
        score: Over all units asked; None where it is undefined.
        removed: Sentences to take out, where it is stripped.
    """

    decision: Decision
    score: float | None
    removed: tuple[int, ...] = ()


def decide(rule: Rule, said: Sequence[Said], sentences: Sequence[tuple[int, ...]]) -> Ruling:
    """What happens to an answer.

    Args:
        rule: How verdicts decide.
        said: What was said of each unit, at least one.
        sentences: For each unit, the sentences that it stands for.

    Returns:
        A score that the policy leaves undefined (no verdict at all, or none that counts) does not
        pass; where units have labels and none costs a point, nothing can be stripped either.
    """
    least = score_of(rule.policy, said, trusting=False)
    trusted = score_of(rule.policy, said, trusting=True) if rule.is_open else least
    passes_anyway, passes = _reaches(least.value, rule), _reaches(trusted.value, rule)
    lost = any(each.label is None for each in said)
    if passes_anyway:
        return Ruling("passed", least.value)
    if passes:
        return Ruling("unchecked", least.value)
    if rule.on_unsupported == "report":
        return Ruling("unchecked" if lost else "reported", least.value)
    wrong = [
        n for n, each in enumerate(said)
        if (not rule.is_open if each.label is None else rule.costs(each.label))
    ]  # fmt: skip
    if not wrong and rule.is_open and lost:
        return Ruling("unchecked", least.value)
    if rule.on_unsupported == "strip":
        return _stripped(least.value, set(wrong), sentences)
    decision: Decision = "refused" if rule.on_unsupported == "refuse" else "handed_over"
    return Ruling(decision, least.value)


def withheld(rule: Rule) -> Decision:
    """The decision on an answer of which nothing could be checked."""
    if rule.is_open or rule.on_unsupported == "report":
        return "unchecked"
    return "handed_over" if rule.on_unsupported == "hand_over" else "refused"


def score_of(policy: Policy, said: Sequence[Said], *, trusting: bool) -> Score:
    """The score of an answer.

    Args:
        policy: How verdicts become a score.
        said: What was said of each unit.
        trusting: Whether units without a verdict count as a sure yes.
    """
    if policy.from_probabilities:
        codes = [_code(each, trusting) for each in said]
        unknown = LabelProbabilities(*(float("nan"),) * 3)
        sure = LabelProbabilities(1.0, 0.0, 0.0)
        likely = [
            (sure if trusting and each.label is None else each.probabilities or unknown)
            for each in said
        ]
        return policy.score_answer(codes, likely)
    counts = [0, 0, 0, 0]
    for each in said:
        counts[_code(each, trusting)] += 1
    return _score_of_counts(policy, *counts)


def counts_of(units: Sequence[CheckedUnit], removed: int, sentences: int) -> Mapping[str, int]:
    """The counts that a sentence about a decision names."""
    labels = [unit.label for unit in units]
    return {
        "n": len(labels),
        "yes": labels.count("yes"),
        "failed": labels.count(None),
        "removed": removed,
        "sentences": sentences,
    }


@lru_cache(maxsize=4096)
def _score_of_counts(policy: Policy, yes: int, no: int, idk: int, failed: int) -> Score:
    codes = [0] * yes + [1] * no + [2] * idk + [FAILURE_CODE] * failed
    return policy.score_answer(codes)


def _code(said: Said, trusting: bool) -> int:
    if said.label is None:
        return 0 if trusting else FAILURE_CODE
    return _CODES[said.label]


def _reaches(score: float | None, rule: Rule) -> bool:
    return score is not None and score >= rule.min_score - _HAIR


def _stripped(score: float | None, wrong: set[int], sentences: Sequence[tuple[int, ...]]) -> Ruling:
    """Stripped, unless nothing that was checked would be left, or a claim is in no sentence."""
    removed = {place for unit in wrong for place in sentences[unit]}
    kept = any(
        unit not in wrong and not removed.issuperset(places)
        for unit, places in enumerate(sentences)
    )
    if not kept or not removed or not all(sentences[unit] for unit in wrong):
        return Ruling("refused", score)
    return Ruling("stripped", score, tuple(sorted(removed)))
