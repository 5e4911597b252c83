"""The rule as `metajudge consult` applied it: criteria, decision, and what to collect first."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from metajudge.report.part import Figure, Part

Decision = Literal["nothing_changes", "adopt", "hold", "collect"]
State = Literal["kept", "broken", "open", "unmoved", "not_measured"]
CriterionName = Literal[
    "budget_complete",
    "coverage",
    "over_credit_difference",
    "summary_as_idk_difference",
    "kappa_difference",
    "over_credit_upper",
    "pass_agreement_difference",
    "score_error_difference",
    "pass_rate_shift_known",
    "repeat_flips",
]
Why = Literal[
    "within_bound",
    "beyond_bound",
    "interval_holds_bound",
    "undefined",
    "same_verdicts",
    "no_gold",
    "one_draw",
    "unanswered",
    "too_few_answers",
]


class Criterion(Part):
    """One line of the rule."""

    name: CriterionName
    bound: float | None = Field(description="null where there is nothing to exceed.")
    kept_if: Literal["at_least", "at_most", "complete"]
    got: Figure | None
    state: State = Field(
        description=(
            "kept or broken: the whole interval is on one side of the bound; open: it holds the "
            "bound, or the figure is undefined; unmoved: the change cannot move it"
        )
    )
    why: Why


class Collect(Part):
    """What has to be collected before one criterion can be decided."""

    criterion: CriterionName
    what: Literal["labels", "answers", "replies"]
    slices: tuple[str, ...] = Field(description="Slices that the criterion rests on; empty: any.")
    have: int
    more: int | None = Field(description="How many more; null with the reason.")
    reason: str | None = None


class Rule(Part):
    """The rule as it was applied: any broken holds, else any open collects, else adopt."""

    bounds: dict[str, float]
    pure_policy: bool = Field(description="Both sides have the same verdicts.")
    criteria: tuple[Criterion, ...]
    decision: Decision
    collect: tuple[Collect, ...] = ()
    sentence: str
    sentence_zh: str
