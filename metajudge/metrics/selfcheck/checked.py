"""What a check ends with: the decision, the text to show, and the verdicts behind both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

from metajudge.verdicts.verdict import Label, LabelProbabilities

Decision = Literal["passed", "stripped", "refused", "handed_over", "reported", "unchecked"]
SHOWN: tuple[Decision, ...] = ("passed", "stripped", "reported", "unchecked")
"""Decisions after which the answer, or what is left of it, is shown."""


class Said(NamedTuple):
    """What was said of one unit, or why nothing was.

    Attributes:
        label: yes, no or idk; None where there is none.
        failure: Class of the failure: those of verdicts and readings, and those that only a check
            has: `deadline`, `judge_down`, `overloaded`, `too_many_units`, `too_long`, `bad_input`,
            `closed`, `unusable` (the judge needs something mended) and `unexpected`.
        detail: One line about the failure, without secrets.
        reason: The judge's own reason, where it gave one.
        probabilities: Label probabilities, where the judge gave them.
        cached: Taken from memory: the same unit was judged against the same context before.
    """

    label: Label | None
    failure: str | None = None
    detail: str | None = None
    reason: str | None = None
    probabilities: LabelProbabilities | None = None
    cached: bool = False


@dataclass(frozen=True, slots=True)
class CheckedUnit:
    """One sentence or claim with its verdict.

    Attributes:
        index: 0-based place among the units.
        text: What the judge was asked about.
        label: yes, no or idk; None where the check of it failed.
        failure: Why there is no label, see `Said`.
        detail: One line about the failure.
        reason: The judge's own reason.
        sentences: 0-based sentences of the answer that it stands for: the sentence itself, or the
            one that a claim was drawn from; () for a claim that fits no sentence.
        cached: Taken from memory.
    """

    index: int
    text: str
    label: Label | None
    failure: str | None
    detail: str | None
    reason: str | None
    sentences: tuple[int, ...]
    cached: bool


@dataclass(frozen=True, slots=True)
class Checked:
    """The outcome of one check.

    Attributes:
        decision: `passed`: shown as it is. `stripped`: shown without `removed`. `refused`: the
            refusal text is shown. `handed_over`: the hand-over text is shown and people take on.
            `reported`: shown as it is although the score is too low. `unchecked`: shown as it is
            although the check is not complete.
        text: What to show.
        score: Score under the policy over all units asked, 0 to 1, failures without credit; None
            where it is undefined.
        why: One sentence about the decision, in the answer's language.
        units: Every unit with its verdict, in the order of the answer.
        removed: 0-based sentences that `text` lacks.
        reasons: One line a unit that is not supported or was not checked.
        policy: Name of the policy.
        min_score: Least score that passes.
        release: What the verdicts rest on: `name@version`, or the candidate's name.
        lang: Language of the texts, `en` or `zh`.
        calls: Calls sent to the judge, further attempts among them.
        tokens: Tokens of prompts and replies, as far as the judge told.
        usd: Cost of the calls; None where unknown.
        elapsed_ms: Wall time of the check.
    """

    decision: Decision
    text: str
    score: float | None
    why: str
    units: tuple[CheckedUnit, ...] = ()
    removed: tuple[int, ...] = ()
    reasons: tuple[str, ...] = ()
    policy: str = ""
    min_score: float = 0.0
    release: str = ""
    lang: str = "en"
    calls: int = 0
    tokens: int = 0
    usd: float | None = None
    elapsed_ms: float = 0.0

    @property
    def shown(self) -> bool:
        """Whether the answer, or what is left of it, is shown."""
        return self.decision in SHOWN

    @property
    def complete(self) -> bool:
        """Whether every unit has a verdict."""
        return all(unit.label is not None for unit in self.units)

    @property
    def failures(self) -> Mapping[str, int]:
        """Units without a verdict by class of failure."""
        return Counter(unit.failure for unit in self.units if unit.failure is not None)

    def to_dict(self) -> dict[str, Any]:
        """Plain types, as JSON has them."""
        return {**asdict(self), "shown": self.shown, "failures": dict(self.failures)}
