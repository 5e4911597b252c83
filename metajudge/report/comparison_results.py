"""What `metajudge compare` found: two candidates, of one run or of two, on the same claims."""

from __future__ import annotations

from pydantic import Field

from metajudge.report.part import Figure, Part, Reading, VerdictCode


class ComparedCandidate(Part):
    """One side of a comparison."""

    run: str = Field(description="Name of the experiment.")
    created: str
    trial: str
    reading: Reading


class ChangeCell(Part):
    """Claims of one gold label whose verdict went one way; `was` equals `now` where it stayed."""

    slice: str | None = Field(description="null: all claims together.")
    gold: str
    was: VerdictCode
    now: VerdictCode
    claims: int


class ChangedClaim(Part):
    """One claim whose verdict changed."""

    claim_id: str
    gold: str
    slice: str | None
    lang: str
    was: VerdictCode
    now: VerdictCode


class RunComparison(Part):
    """B against A: A is the former practice, B the change."""

    a: ComparedCandidate
    b: ComparedCandidate
    gold: str = Field(description="Name and version of the gold set that both were measured on.")
    gold_sha256: str
    claims: int = Field(description="Claims that both have.")
    only_a: tuple[str, ...] = Field(description="Ids of claims that only A has.")
    only_b: tuple[str, ...]
    figures_a: dict[str, Figure] = Field(
        description="summary_as_idk, over_credit, kappa, accuracy on the common claims"
    )
    figures_b: dict[str, Figure]
    differences: dict[str, Figure] = Field(description="B minus A, paired.")
    swap_p: dict[str, float | None] = Field(description="p of each difference by the swap test.")
    told_apart: dict[str, bool] = Field(
        description="Whether the interval leaves 0 out and p is at most alpha."
    )
    unseen_below: dict[str, float | None] = Field(
        description="Size of a true difference that these claims show in 80 of 100 comparisons."
    )
    changes: tuple[ChangeCell, ...] = Field(description="Verdict was -> is, cells above 0.")
    changed: tuple[ChangedClaim, ...]
    better: int = Field(description="Claims right now and wrong before.")
    worse: int
    mcnemar_p: float | None = Field(
        description="Mid-p, right against wrong; claims as independent."
    )
    mcnemar_exact_p: float | None
    stuart_maxwell_p: float | None = Field(description="Marginal homogeneity of the labels.")
    bhapkar_p: float | None
    sentence: str
    sentence_zh: str
    notes: tuple[str, ...] = ()
