"""What a release made of answers: a score each, with its verdicts, and the account of them all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from metajudge.judges.judge import Scalar
from metajudge.release.answer_rows import ClaimsMode
from metajudge.release.correction import CorrectedSupport
from metajudge.release.extraction_spread import ExtractionSpread
from metajudge.report.part import Figure, Part, VerdictCode
from metajudge.runner.call import Stopped

if TYPE_CHECKING:
    import pandas as pd

FORMAT: Literal["metajudge-judged/1"] = "metajudge-judged/1"
NOT_YET = "not judged yet: the run stopped early"
EXTRACTION_FAILED = "extraction failed"


class JudgeNow(Part):
    """The judge that was asked, held against the one that the release pins."""

    spec: str
    identity: dict[str, Scalar]
    is_pinned: bool
    """False where the figures of the release say nothing about these scores."""
    differences: tuple[str, ...]
    """What differs from the pin."""


class ExtractionAccount(Part):
    """How claims came about that no row gave."""

    templates: dict[str, str] = Field(description="`name@version/language` -> SHA-256")
    temperature: float | None
    answers: int = Field(description="Answers whose claims were asked for.")
    failures: dict[str, int] = Field(
        description="class -> answers without a score, since their claims are unknown"
    )
    failed_draws: int = Field(description="Draws without claims, those further ones among them.")
    spread: ExtractionSpread | None = Field(description="null for a single draw")


class CallAccount(Part):
    """What was asked in this run."""

    needed: int
    stored: int
    sent: int
    failed: int
    open: int = Field(description="Calls that an early end left open; the next run asks them.")
    cost_usd: float | None
    stopped: Stopped | None
    message: str = Field(description="Why it ended early, or that a budget could not be kept.")

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is to be said of calls that came to their end."""
        return (self.message,) if self.message and self.stopped is None else ()


class JudgedSummary(Part):
    """The account of all answers. Failures count as asked; an answer without a score is told."""

    format: Literal["metajudge-judged/1"] = FORMAT
    release: str
    release_sha256: str
    package_version: str
    templates: dict[str, str] = Field(description="`name@version/language` -> SHA-256")
    policy: str
    policy_version: str
    threshold: float
    judge: JudgeNow
    claims_mode: ClaimsMode
    repeats: int = Field(description="Draws of every verdict.")
    answers: int
    scored: int
    unscored: dict[str, int] = Field(description="Why an answer has no score -> answers")
    contexts: int
    languages: dict[str, int] = Field(description="language -> answers")
    claims: int = Field(description="Claims asked, of answers that are judged to the end.")
    verdicts: dict[VerdictCode, int] = Field(description="Over all draws.")
    failures: dict[str, int] = Field(description="class -> verdicts without a label")
    mean_score: Figure
    pass_rate: Figure = Field(
        description="Share of the answers that state something; without a score, none passes."
    )
    coverage: Figure = Field(description="Share of claims with a label, first draw.")
    support: CorrectedSupport
    repeat_sd: Figure | None = Field(
        description="Mean over answers of the SD of the score over draws; null for one draw."
    )
    extraction: ExtractionAccount | None = Field(description="null where every claim was given")
    calls: CallAccount
    notes: tuple[str, ...]


@dataclass(frozen=True, repr=False)
class Judged:
    """Answers with their scores, in the order in which they came.

    Attributes:
        summary: The account of them all.
        rows: One mapping an answer, as JSON has it: `answer_id`, `score` or null with `reason`,
            `passed`, release, policy and threshold, counts over all draws, how its claims came
            about, what else its row held, its `context`, its `claims` (null where they are not
            known), and `verdicts`, one a claim. The rows can be judged and consulted on again.
    """

    summary: JudgedSummary
    rows: tuple[Mapping[str, Any], ...]

    def __repr__(self) -> str:
        mean, told = self.summary.mean_score.value, self.summary
        shown = "undefined" if mean is None else f"{mean:.2f}"
        return f"Judged({told.release}, {told.scored} of {told.answers} answers, mean {shown})"

    @property
    def scores(self) -> dict[str, float | None]:
        """Score by `answer_id`; None where there is none."""
        return {row["answer_id"]: row["score"] for row in self.rows}

    def to_pandas(self) -> pd.DataFrame:
        """One row an answer; `context`, `claims` and `verdicts` hold lists."""
        import pandas as pd

        return pd.DataFrame(list(self.rows))

    def to_dataset(self) -> Any:
        """A `datasets.Dataset`, one row an answer."""
        from metajudge.gold.tabular import dataset_of
        from metajudge.release.judged_file import even_rows

        return dataset_of(even_rows(self.rows))

    def save(self, path: str | Path) -> None:
        """Write the rows: `.jsonl`, `.json`, `.csv`, `.parquet`, or a folder.

        Raises:
            InputError: The place cannot be written to, or its form is not known.
        """
        from metajudge.release.judged_file import write_judged

        write_judged(self, path)
