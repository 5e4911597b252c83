"""What `metajudge consult` found: what a change of the metric would do to a sample of answers.

Everything that a report shows is in here, and nothing else has to be read to show it. `was` and
`current` are today's metric, `now` and `proposed` the change.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from metajudge.gold.claim import MetricName
from metajudge.report.consult_rule import Rule
from metajudge.report.part import Figure, Part, Reading, VerdictCode

CONSULT_FORMAT: Literal["metajudge-consult/1"] = "metajudge-consult/1"
SideKind = Literal["release", "template", "metric"]
PartName = Literal["policy", "threshold", "template", "judge", "template_and_judge"]
Stopped = Literal["budget", "access", "no_model", "judge_down", "interrupted"]


class ConsultSide(Part):
    """One of the two metrics, with everything that its scores follow from."""

    name: str = Field(description="As it was asked for, or a release's `name@version`.")
    kind: SideKind
    templates: tuple[str, ...] = Field(description="`name@version/language` of each template.")
    fingerprints: tuple[str, ...] = Field(description="SHA-256 of each template, same order.")
    form: str = Field(description="How the context reaches the judge.")
    reading: Reading
    policy: str
    threshold: float = Field(description="Least score of an answer that passes, 0 to 1.")
    judge: str = Field(description="Judge spec.")
    temperature: float | None
    release_sha256: str | None = Field(
        default=None, description="Of the release's SHA256SUMS; null for other kinds."
    )


class ConsultSample(Part):
    """The answers that the consultation is about."""

    name: str
    sha256: str = Field(description="Over the ids, contexts and claims of all answers.")
    answers: int = Field(description="Answers with at least one claim.")
    without_claims: int = Field(description="Answers that state nothing; they have no score.")
    claims: int
    contexts: int = Field(description="Contexts, resampled as wholes.")
    languages: dict[str, int] = Field(description="language -> claims")
    slices: dict[str, int] = Field(description="slice -> claims; empty where nobody said")


class ConsultGold(Part):
    """The labelled claims that both sides were asked too."""

    name: str
    version: str
    sha256: str
    split: str | None
    policy_version: str = Field(description="Version of the labelling policy.")
    label_source: str
    claims: int
    answers: int
    contexts: int
    languages: dict[str, int]


class ConsultCalls(Part):
    """What was asked, and what stayed without a reply."""

    needed: int = Field(description="Different calls that both sides need.")
    stored: int = Field(description="Of these, answered by stored replies.")
    sent: int
    unanswered: int = Field(description="Calls without a reply; their answers are left out.")
    unanswered_claims: dict[str, int] = Field(
        description="current, proposed -> claims of the sample without a reply, first draw"
    )
    unanswered_gold: dict[str, int] = Field(description="The same on the gold claims.")
    cost_usd: float | None = None
    stopped: Stopped | None = Field(default=None, description="Why asking ended early.")
    message: str = Field(default="", description="The same in one line for people.")
    budget: dict[str, float] = Field(
        default_factory=dict, description="usd, calls, minutes: the limits that were set"
    )


class ShownClaim(Part):
    """The text of a claim that is shown as an example; escape it where it is shown."""

    answer_id: str
    claim: str
    lang: str
    slice: str | None
    question: str | None = None


class FlipDirection(Part):
    """Claims whose verdict changes one way; a failure is a verdict of its own."""

    was: VerdictCode
    now: VerdictCode
    claims: int
    share: Figure = Field(description="Among all claims of the sample.")
    examples: tuple[str, ...] = Field(description="Up to three claim ids; texts in `texts`.")


class FlipGroup(Part):
    """Flips in one slice or language."""

    kind: Literal["slice", "language"]
    name: str
    claims: int
    changed: int
    flip_rate: Figure
    support_shift: Figure = Field(description="Share called yes, proposed minus current, paired.")
    directions: dict[str, int] = Field(description="e.g. `idk->yes` -> claims; only those above 0")


class Flips(Part):
    """Verdicts of the same claims under both sides, first draw."""

    claims: int
    changed: int
    flip_rate: Figure = Field(description="Share of claims with another verdict.")
    table: dict[VerdictCode, dict[VerdictCode, int]] = Field(
        description="was -> now -> claims, all sixteen cells"
    )
    directions: tuple[FlipDirection, ...] = Field(description="Most claims first.")
    groups: tuple[FlipGroup, ...]


class SideScores(Part):
    """Answer scores of one side."""

    policy: str
    threshold: float
    mean: Figure = Field(description="Mean score of the answers that have one, 0 to 1.")
    pass_rate: Figure = Field(
        description="Share of all answers that pass; one without a score does not."
    )
    histogram: tuple[int, ...] = Field(
        description="Answers in ten equal bins from 0 to 1; the last holds 1 too"
    )
    deciles: tuple[float | None, ...] = Field(
        description="Eleven: least, 10 %, … 90 %, greatest; null without a score"
    )
    undefined: dict[str, int] = Field(description="Why an answer has no score -> answers")


class FlippedAnswer(Part):
    """An answer that passes under one side only."""

    answer_id: str
    score_was: float | None
    score_now: float | None
    passed_was: bool
    passed_now: bool


class ScoreShift(Part):
    """What a dashboard would show before and after."""

    answers: int
    current: SideScores
    proposed: SideScores
    mean_shift: Figure = Field(
        description="Proposed minus current over answers that have both scores, paired."
    )
    pass_rate_shift: Figure = Field(description="Proposed minus current, paired.")
    to_pass: int = Field(description="Answers that pass only under the proposed side.")
    to_fail: int
    flipped: tuple[FlippedAnswer, ...]
    languages: dict[str, LanguageShift] = Field(
        default_factory=dict, description="Only where the sample has several."
    )


class LanguageShift(Part):
    """The shift in one language."""

    answers: int
    mean_shift: Figure
    pass_rate_shift: Figure


class PartStep(Part):
    """One swap on the way from the current to the proposed side."""

    part: PartName
    mean_score: Figure | None = Field(description="Change that this swap makes; null: not asked.")
    pass_rate: Figure | None
    support_rate: Figure | None = Field(description="Change of the share of claims called yes.")


class PartPath(Part):
    """All swaps in one order; its steps add up to the total."""

    order: tuple[PartName, ...]
    steps: tuple[PartStep, ...]


class Decomposition(Part):
    """How much of the shift is policy, threshold, template and judge, one swapped at a time.

    `template` is the wording with its context form and reading. Only what differs is listed;
    `template_and_judge` stands for both where no single swap of them was asked.
    """

    differing: tuple[PartName, ...]
    answers: int = Field(description="Answers with a score under every combination.")
    total: PartStep | None = Field(
        description="`part` is the first that differs and means nothing here."
    )
    parts: tuple[PartStep, ...] = Field(
        description="Mean over both orders (Shapley's for two parts); they add up to the total."
    )
    forward: PartPath | None = Field(description="Policy first, judge last.")
    backward: PartPath | None = Field(description="Judge first, policy last.")
    not_asked: tuple[str, ...] = Field(
        default=(), description="Combinations whose calls the budget did not allow, in words."
    )


class SideSupport(Part):
    """Support rate of one side on the sample, as called and corrected for the judge's errors."""

    raw: Figure = Field(description="Share of claims called yes.")
    corrected: Figure = Field(
        description="Rogan-Gladen with the side's own error rates on gold; null with the reason."
    )
    singular_value: float | None = Field(
        description="Smallest of the error matrix: 0 useless, 1 perfect."
    )


class JudgeError(Part):
    """How much of the shift of the support rate is the judges' error, and how much is real.

    The claims are the same on both sides, so a corrected shift away from 0 means that the error
    rates on gold do not hold for the sample, or that gold has too few labels.
    """

    current: SideSupport
    proposed: SideSupport
    raw_shift: Figure = Field(description="Proposed minus current, paired.")
    corrected_shift: Figure = Field(description="What correction leaves of the shift.")
    error_shift: Figure = Field(description="What correction takes away: raw minus corrected.")
    reason: str | None = Field(default=None, description="Why nothing is corrected.")


class MatchedThreshold(Part):
    """A threshold for the proposed side that keeps a rate of the current one."""

    keeps: Literal["pass_rate", "false_pass_rate"]
    threshold: Figure = Field(description="Least score that passes; null with the reason.")
    wanted: Figure = Field(description="Today's rate.")
    obtained: Figure = Field(description="The rate of the proposed side at that threshold.")
    at_own: Figure = Field(description="The rate of the proposed side at its own threshold.")


class Thresholds(Part):
    """Where the proposed side would have to pass answers."""

    current: float
    proposed: float
    pass_rate: MatchedThreshold = Field(description="On the sample.")
    false_pass_rate: MatchedThreshold = Field(
        description=(
            "On gold: share of the answers that should not pass, by the proposed policy and "
            "threshold on gold labels, that pass all the same"
        )
    )


class RepeatNoise(Part):
    """How much one side changes when it is only asked again."""

    flip_rate: Figure = Field(description="Share of pairs of draws of a claim that disagree.")
    pass_flip_rate: Figure = Field(
        description="Share of pairs of draws of an answer on two sides of the threshold."
    )


class Repeats(Part):
    """Whether the change is greater than what repeats do by themselves."""

    repeats: int
    measured: bool = Field(description="False for one draw.")
    current: RepeatNoise | None = None
    proposed: RepeatNoise | None = None
    between: RepeatNoise | None = Field(
        default=None, description="The same between a draw of one side and a draw of the other."
    )
    beyond: Figure | None = Field(
        default=None,
        description="Flips between sides minus the greater flip rate within a side, paired.",
    )


class GoldFlip(Part):
    """What gold says about claims whose verdict changes one way, on the gold set."""

    was: VerdictCode
    now: VerdictCode
    claims: int
    agrees_before: Figure = Field(description="Share whose gold label is the former verdict.")
    agrees_after: Figure
    agrees_neither: Figure
    slices: dict[str, int]
    examples: tuple[str, ...] = Field(description="Up to three claim ids of the gold set.")


class OnGold(Part):
    """Both sides on the same labelled claims."""

    changed: int
    better: int = Field(description="Claims right now and wrong before.")
    worse: int
    mcnemar_p: float | None = Field(description="Mid-p; claims as independent.")
    directions: tuple[GoldFlip, ...] = Field(description="Most claims first.")
    current: dict[str, Figure] = Field(
        description=(
            "over_credit, summary_as_idk, under_credit, kappa, accuracy, coverage, and on answers "
            "pass_agreement, score_bias and score_mae (each against gold labels under the side's "
            "own policy and threshold) and false_pass_rate (see `thresholds`)"
        )
    )
    proposed: dict[str, Figure]
    differences: dict[str, Figure] = Field(description="Proposed minus current, paired.")


class ConsultReport(Part):
    """What a change of the metric would do, and whether to make it."""

    format: Literal["metajudge-consult/1"] = CONSULT_FORMAT
    created: str = Field(description="ISO 8601 in UTC.")
    package_version: str
    metric: MetricName = Field(default="faithfulness", description="What both sides ask for.")
    current: ConsultSide
    proposed: ConsultSide
    differing: tuple[PartName, ...] = Field(description="Empty: nothing changes.")
    sample: ConsultSample
    gold: ConsultGold | None
    calls: ConsultCalls
    seed: int
    resamples: int
    level: float = Field(description="Coverage that intervals aim at.")
    flips: Flips
    scores: ScoreShift
    parts: Decomposition
    error: JudgeError | None = Field(description="null without gold.")
    thresholds: Thresholds
    repeats: Repeats
    on_gold: OnGold | None = Field(description="null without gold.")
    rule: Rule
    texts: dict[str, ShownClaim] = Field(description="Claim id -> text, examples only.")
    gold_texts: dict[str, ShownClaim] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()


ScoreShift.model_rebuild()
