"""What a sweep found."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metajudge.experiment.build import Prepared
from metajudge.report.results import RankRow, Results
from metajudge.report.words import Language

if TYPE_CHECKING:
    import pandas as pd

    from metajudge.report.prompts import Prompts


@dataclass(frozen=True, slots=True)
class SweepOutcome:
    """What a sweep found, and the claims it was about.

    Attributes:
        results: Every figure, as written to `results.json`.
        prepared: Gold set, trials and judges.
        keys: Keys of every call that the figures rest on.
    """

    results: Results
    prepared: Prepared
    keys: tuple[str, ...] = ()

    @property
    def ranking(self) -> tuple[RankRow, ...]:
        """Candidates in order, with ties and broken guardrails."""
        return self.results.ranking

    def to_pandas(self) -> pd.DataFrame:
        """One row a candidate: rank, trial, reading, figures with their limits."""
        import pandas as pd

        figures = {(t.trial, t.reading): t.figures for t in self.results.trials}
        rows: list[dict[str, Any]] = []
        for row in self.results.ranking:
            entry: dict[str, Any] = {
                "rank": row.rank,
                "trial": row.trial,
                "reading": row.reading,
                "safe": row.safe,
            }
            for name, figure in figures[row.trial, row.reading].items():
                entry |= {
                    name: figure.value,
                    f"{name}_low": figure.low,
                    f"{name}_high": figure.high,
                }
            rows.append(entry)
        return pd.DataFrame(rows)

    def report_html(self, path: str | Path, language: Language = "en") -> Path:
        """Write the self-contained HTML report."""
        from metajudge.report.html import write_html

        return write_html(self.results, self.prepared.gold, path, language, self.prompts())

    def prompts(self) -> Prompts:
        """What was sent, by trial and language, with places for context and claim."""
        from metajudge.report.prompts import prompt_shapes

        trials = [(trial.name, trial.variants) for trial in self.prepared.trials]
        return prompt_shapes(trials, {claim.lang for claim in self.prepared.gold.claims})
