"""Selection in `results.json`: the front, the luck of the choice, the confirmation, the power."""

from __future__ import annotations

from pydantic import Field

from metajudge.report.part import Figure, Part, Reading


class FrontPoint(Part):
    """A candidate on the axes summary-as-idk, over-credit and cost."""

    trial: str
    reading: Reading
    summary_as_idk: float | None
    over_credit: float | None
    tokens_per_claim: float | None = Field(
        description="Mean tokens read and written for one verdict; null where the judge tells none."
    )
    safe: bool
    on_front: bool = Field(
        description="No other candidate is as good on all axes and better on one."
    )


class ComparisonFigures(Part):
    """One candidate against the baseline on the same claims."""

    trial: str
    reading: Reading
    differences: dict[str, Figure] = Field(
        description="summary_as_idk, over_credit, kappa, accuracy: candidate minus baseline, paired"
    )
    swap_p: dict[str, float | None] = Field(
        default_factory=dict,
        description="p of each difference by the swap test, not adjusted for several candidates",
    )
    better: int = Field(description="Claims right now and wrong with the baseline.")
    worse: int
    mcnemar_p: float | None = Field(
        description="Mid-p, right against wrong; claims as independent."
    )
    mcnemar_exact_p: float | None = None
    stuart_maxwell_p: float | None = Field(
        default=None, description="Marginal homogeneity; variance as under the null."
    )
    bhapkar_p: float | None = Field(description="Marginal homogeneity of the three labels.")
    holm_p: float | None = Field(description="`mcnemar_p` adjusted over candidates (Holm).")
    fdr_q: float | None = Field(description="`mcnemar_p` adjusted (Benjamini-Hochberg).")


class OptimismFigures(Part):
    """How much of the winner's number is the luck of being chosen."""

    apparent: float | None
    corrected: float | None
    optimism: float | None
    win_shares: dict[str, float] = Field(
        description="`trial (reading)` -> share of resamples that choose it; those above 0"
    )
    no_winner_share: float
    resamples: int
    reason: str | None = None


class Confirmation(Part):
    """The winner, or a candidate that the user named, against the baseline on the test split.

    The baseline itself, named, is measured alone: then `baseline_figures` and `differences` are
    empty and `holds` is null.
    """

    trial: str
    reading: Reading
    named: bool = Field(
        default=False, description="The user named it although selection did not choose it."
    )
    broken_on_dev: tuple[str, ...] = Field(
        default=(), description="Guardrails that a named candidate breaks on dev."
    )
    baseline: str
    claims: int
    contexts: int
    winner: dict[str, Figure] = Field(
        description="summary_as_idk, over_credit, kappa, coverage of the confirmed candidate"
    )
    baseline_figures: dict[str, Figure]
    differences: dict[str, Figure]
    broken: tuple[str, ...] = Field(description="Guardrails that the candidate breaks on test.")
    holds: bool | None = Field(
        description="Every guardrail is kept and the target is better than the baseline's; null "
        "where the baseline was measured alone and nothing compared."
    )
    reads: int = Field(
        description="How often test labels of this gold set were read, this included."
    )
    sentence: str
    sentence_zh: str

    @property
    def alone(self) -> bool:
        """It is the baseline, measured with nothing to compare."""
        return self.holds is None


class DetectableFigures(Part):
    """What this gold set can show about one figure."""

    figure: str
    power: float
    difference: float | None = Field(
        description="Size of the smallest true difference between two candidates seen so often."
    )
    clusters: int
    claims: int
    reason: str | None = None
    curve: tuple[tuple[float, float], ...] = Field(
        default=(), description="(size of the true difference, power) with as many clusters"
    )


class LabelsNeeded(Part):
    """Labels needed for a stated difference."""

    figure: str
    slice: str = Field(description="The slice, or `all`.")
    difference: float = Field(description="Size, without a sign.")
    have: int
    need: int | None = Field(description="null where more than was searched, or undefined")
    reason: str | None = None


class PowerResults(Part):
    """What size of difference this gold set can show, and what would be needed for less."""

    trial: str
    reading: Reading
    detectable: tuple[DetectableFigures, ...]
    needed: tuple[LabelsNeeded, ...]
    worlds: int
    churn: float = Field(description="Assumed share of verdicts that change without a reason.")


class SelectionResults(Part):
    """Everything about the choice beyond the ranking."""

    front: tuple[FrontPoint, ...]
    comparisons: tuple[ComparisonFigures, ...]
    optimism: OptimismFigures
    confirmation: Confirmation | None = None
    test_reads: int = Field(description="Ledger entries of this gold set's test labels so far.")
    notes: tuple[str, ...] = ()


class ReliabilityBin(Part):
    """One bar of a reliability diagram."""

    low: float
    high: float
    n: int
    confidence: float | None
    right: float | None


class CoveragePoint(Part):
    """What remains when the least sure verdicts are left to people."""

    threshold: float = Field(description="Verdicts below this confidence are left to people.")
    coverage: float
    error: float | None
    over_credit: float | None


class CalibrationFigures(Part):
    """How far the label probabilities of one trial can be believed."""

    trial: str
    reading: Reading
    n: int
    ece: Figure
    brier: Figure
    brier_parts: dict[str, float | None] = Field(
        description="reliability, resolution, uncertainty, within: `yes` against the rest"
    )
    bins: tuple[ReliabilityBin, ...]
    temperature: float | None = Field(description="Fitted on these claims; 1 changes nothing.")
    ece_after: dict[str, Figure] = Field(
        description="temperature, isotonic -> ECE, cross-fitted by context on these claims"
    )
    yes_threshold: float | None = Field(
        description="Least P(yes) to call yes that keeps the over-credit guardrail here."
    )
    at_threshold: dict[str, Figure] = Field(
        default_factory=dict,
        description=(
            "summary_as_idk, over_credit with verdicts made by `yes_threshold`, and the same with "
            "`_cross_fitted`: each claim's threshold fitted without its context"
        ),
    )
    abstention: tuple[CoveragePoint, ...]
    aurc: float | None = Field(
        default=None, description="Area under the risk-coverage curve; lower is better."
    )
    reason: str | None = None
