"""`results.json`: everything a sweep found, as figures, ids and hashes; no judged text.

The report, the pull-request comment and later comparisons read this and nothing else; claim and
context texts come from the gold set, so that a set which may not be passed on stays where it is.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from metajudge.report.ceiling_results import CeilingResults
from metajudge.report.part import Figure, Part, Reading, VerdictCode
from metajudge.report.selection_results import (
    CalibrationFigures,
    PowerResults,
    SelectionResults,
)
from metajudge.report.stability_results import ControlResults, FactorResults, StabilityResults

SCHEMA_VERSION = "1.1"


class LabelFigures(Part):
    """Precision, recall and F1 of one label."""

    precision: Figure
    recall: Figure
    f1: Figure


class GroupFigures(Part):
    """One slice or one language of one trial."""

    n: int
    accuracy: Figure
    called: dict[VerdictCode, int] = Field(description="How often each verdict was given.")
    gold: dict[str, int]


class PolicyFigures(Part):
    """How one scoring policy's answer scores fare against the same policy on gold labels."""

    policy: str
    mean_score: Figure
    gold_mean_score: float | None
    bias: Figure = Field(description="Mean of judge score minus gold score, -1 to 1.")
    mae: Figure = Field(description="Mean absolute difference of scores, 0 to 1.")
    pass_agreement: Figure = Field(description="Share of answers with the same pass or fail.")
    threshold: float
    undefined_answers: int


class RotationFigures(Part):
    """One order of the labels of a rotated dialect, before averaging."""

    order: tuple[str, ...]
    summary_as_idk: float | None
    over_credit: float | None
    accuracy: float | None


class TemplateInfo(Part):
    """A template that took part."""

    label: str
    family: str
    language: str
    dialect: str
    form: str
    layout: str
    fingerprint: str
    package: str | None = Field(default=None, description="Peer package and version.")


class TrialFigures(Part):
    """Everything about one trial under one reading."""

    trial: str
    reading: Reading
    judge: str
    templates: tuple[TemplateInfo, ...]
    repeats: int
    table: dict[str, dict[VerdictCode, int]] = Field(description="gold label -> verdict -> n")
    figures: dict[str, Figure] = Field(
        description=(
            "accuracy, balanced_accuracy, kappa, mcc, ac1, summary_as_idk, over_credit, "
            "over_credit_outside_true, under_credit, missed_contradictions, coverage, "
            "constant_answer"
        )
    )
    labels: dict[str, LabelFigures]
    slices: dict[str, GroupFigures]
    languages: dict[str, GroupFigures]
    language_figures: dict[str, dict[str, Figure]] = Field(
        description="language -> summary_as_idk, over_credit, kappa"
    )
    policies: tuple[PolicyFigures, ...]
    failures: dict[str, int]
    prior: dict[str, dict[str, float]] | None = Field(
        default=None,
        description="template and dialect -> label prior from content-free claims",
    )
    rotations: tuple[RotationFigures, ...] = ()


class TrialVerdicts(Part):
    """Verdicts of one trial and reading, in the order of `claims`; repeat 0 where several."""

    trial: str
    reading: Reading
    verdicts: tuple[VerdictCode, ...]
    probabilities: tuple[tuple[float, float, float] | None, ...] = ()
    reasons: dict[str, str] = Field(default_factory=dict, description="claim_id -> judge's reason")
    failures: dict[str, str] = Field(default_factory=dict, description="claim_id -> class: detail")


class ClaimKey(Part):
    """Which claim a verdict belongs to."""

    claim_id: str
    answer_id: str
    context_id: str
    gold: str
    slice: str | None
    lang: str


class BrokenGuardrail(Part):
    """A bound that a candidate did not keep."""

    guardrail: str
    bound: float
    got: float | None
    by: float | None
    reason: str | None = Field(default=None, description="What the numbers do not say.")


class RankRow(Part):
    """One line of the ranking."""

    rank: int
    tied_with_first: bool
    trial: str
    reading: Reading
    safe: bool
    broken: tuple[BrokenGuardrail, ...]
    target: Figure
    difference_to_first: Figure | None = Field(
        default=None, description="Paired difference of the target to the first row."
    )
    adjusted_p: float | None = Field(
        default=None,
        description=(
            "p of that difference by the swap test, adjusted over the safe rows (Holm); a safe row "
            "is tied unless the interval leaves 0 out and this is at most alpha"
        ),
    )


class Decision(Part):
    """What the sweep comes to."""

    winner: str | None
    reading: Reading | None
    ties: tuple[str, ...] = ()
    sentence: str
    sentence_zh: str


class CallCounts(Part):
    """What was asked of the judges in this run."""

    planned: int
    from_store: int
    asked: int
    answered: int
    failed: int
    retries: int
    prompt_tokens: int | None
    cached_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None
    wall_s: float
    stopped: str | None = None
    message: str | None = None


class GoldInfo(Part):
    """The gold set that took part."""

    name: str
    version: str
    sha256: str
    policy_version: str
    split: str | None
    claims: int
    answers: int
    contexts: int
    labels: dict[str, int]
    languages: dict[str, int]
    left_out: int = Field(description="Claims not judged: excluded or labelled by a model.")
    label_source: str


class JudgeInfo(Part):
    """A judge that took part."""

    spec: str
    identity: dict[str, str | int | float | bool | None]


class Results(Part):
    """One finished sweep."""

    schema_version: str = SCHEMA_VERSION
    name: str
    question: str
    created: str
    package_version: str
    config_sha256: str
    seed: int
    resamples: int
    cluster: Literal["answer", "context"]
    alpha: float
    gold: GoldInfo
    judges: tuple[JudgeInfo, ...]
    calls: CallCounts
    target: str
    guardrails: dict[str, float]
    baseline: str | None
    trials: tuple[TrialFigures, ...]
    ranking: tuple[RankRow, ...]
    decision: Decision
    selection: SelectionResults | None = None
    stability: StabilityResults | None = None
    controls: ControlResults | None = None
    factors: FactorResults | None = None
    calibration: tuple[CalibrationFigures, ...] = ()
    power: PowerResults | None = None
    ceiling: CeilingResults | None = None
    claims: tuple[ClaimKey, ...]
    verdicts: tuple[TrialVerdicts, ...]
    notes: tuple[str, ...] = ()
