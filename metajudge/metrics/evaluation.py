"""What metrics made of rows: scores by row, and the account of them all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from metajudge.metrics.accounts import CalibrationAccount, Told, TurnsAccount
from metajudge.metrics.scored import MetricScore, ScoredRow
from metajudge.release.judged import CallAccount
from metajudge.report.part import Figure, Part

if TYPE_CHECKING:
    import pandas as pd

FORMAT: Literal["metajudge-evaluated/1"] = "metajudge-evaluated/1"


class MetricAccount(Part):
    """One metric over all rows. A row without a score is told, with its reason."""

    metric: str
    kind: Literal["judged", "computed"]
    range: str
    better: Literal["higher", "lower", "neither"]
    mean: Figure = Field(description="Over rows with a score, resampled by context.")
    rows: int
    scored: int
    undefined: dict[str, int] = Field(description="Why a row has no score -> rows")
    units: int = Field(description="Units asked: claims, sentences, passages, …")
    failures: dict[str, int] = Field(description="class -> units without a label")
    policy: str | None
    release: str | None
    judge: str | None
    templates: dict[str, str] = Field(description="`name@version/language` -> SHA-256")
    extraction: dict[str, str] = Field(description="Prompts that lists were made with -> SHA-256")
    calls: int = Field(description="Calls that the scores rest on, each once a row.")
    tokens: int
    cost_usd: float | None = Field(description="Sum of the known prices; null where none is.")
    whole: Figure | None = Field(
        default=None,
        description="Share of answers grounded in full, or of goals achieved as a whole.",
    )
    turns: TurnsAccount | None = Field(default=None, description="Of the metric `turns` alone.")
    calibration: CalibrationAccount | None = Field(
        default=None, description="Where gold says what the raw score means."
    )
    warnings: tuple[Told, ...] = Field(default=(), description="Before the mean is believed.")


class EvaluationSummary(Part):
    """The account of all metrics."""

    format: Literal["metajudge-evaluated/1"] = FORMAT
    package_version: str
    answers: int
    contexts: int
    languages: dict[str, int] = Field(description="language -> rows")
    metrics: tuple[MetricAccount, ...]
    calls: CallAccount
    notes: tuple[str, ...]


@dataclass(frozen=True, repr=False)
class Evaluation:
    """Rows with their scores, in the order in which they came.

    Attributes:
        summary: The account of them all.
        rows: One an answer.
    """

    summary: EvaluationSummary
    rows: tuple[ScoredRow, ...]

    def __repr__(self) -> str:
        told = []
        for account in self.summary.metrics:
            value = account.mean.value
            shown = "undefined" if value is None else f"{value:.3f}"
            told.append(f"{account.metric} {shown} ({account.scored} of {account.rows})")
        return f"Evaluation({', '.join(told)})"

    @property
    def records(self) -> tuple[dict[str, Any], ...]:
        """Flat rows as files have them: `<metric>` is the score, `<metric>_reason` and so on."""
        from metajudge.metrics.evaluation_file import flat_rows

        return flat_rows(self.rows)

    def scores(self, metric: str) -> Mapping[str, float | None]:
        """Score by `answer_id` under a metric; None where there is none.

        Raises:
            KeyError: The metric was not asked for.
        """
        return {row.answer_id: row.scores[metric].score for row in self.rows}

    def of(self, answer_id: str, metric: str) -> MetricScore:
        """One score with its verdicts.

        Raises:
            KeyError: There is no such answer, or the metric was not asked for.
        """
        by_id = {row.answer_id: row for row in self.rows}
        return by_id[answer_id].scores[metric]

    def to_pandas(self) -> pd.DataFrame:
        """One row an answer, as `records`."""
        import pandas as pd

        return pd.DataFrame(list(self.records))

    def save(self, path: str | Path) -> Path:
        """Write the rows: `.jsonl`, `.json`, `.csv`, `.parquet`, or a folder.

        Raises:
            InputError: The place cannot be written to, or its form is not known.
        """
        from metajudge.metrics.evaluation_file import write_evaluation

        return write_evaluation(self, path)
