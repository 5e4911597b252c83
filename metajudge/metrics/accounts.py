"""What the account of a metric holds beside its mean: turns, cut-offs, warnings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from pydantic import Field

from metajudge.gold.goldset import GoldSet
from metajudge.metrics.computed.calibrated import Calibrated, CutOff
from metajudge.metrics.computed.turns import TurnCounts
from metajudge.report.figure import figure, number
from metajudge.report.part import Figure, Part


class Told(Part):
    """One sentence in both languages."""

    en: str
    zh: str

    def of(self, language: str) -> str:
        """In Chinese for `zh` and in English for any other language."""
        return self.zh if language == "zh" else self.en


class TurnsAccount(Part):
    """Turns over all conversations; null where no user speaks in any."""

    conversations: int
    without: int = Field(description="Rows in which no user speaks; they count nowhere else.")
    most: int | None
    fewest: int | None
    single_turn_share: float | None = Field(description="Conversations of one turn, 0 to 1.")
    low: float | None = Field(description="Of the interval of that share (Wilson).")
    high: float | None


class CutOffAccount(Part):
    """A score from which on, or up to which, something is said of a row."""

    score: float | None = Field(description="Null where no score keeps the bound.")
    wrong: Figure = Field(description="Share of gold claims that it is wrongly said of.")
    right: Figure = Field(description="Share of gold claims that it is rightly said of.")


class CalibrationAccount(Part):
    """What a raw score means on gold, and what follows for the rows."""

    gold: str = Field(description="`name@version` of the gold set; its dev split is read.")
    gold_sha256: str
    claims: int
    claims_without_score: int
    bound: float = Field(description="Largest upper limit of `wrong`.")
    level: float = Field(description="Of the intervals.")
    supported_from: CutOffAccount
    unsupported_to: CutOffAccount
    labels: dict[str, int] = Field(description="supported, unsupported, undecided -> rows")


def turns_account(counts: TurnCounts) -> TurnsAccount:
    """Counts of turns as they stand in the file."""
    return TurnsAccount(
        conversations=counts.n,
        without=counts.without,
        most=counts.most,
        fewest=counts.fewest,
        single_turn_share=number(counts.single_turn_share),
        low=number(counts.low),
        high=number(counts.high),
    )


def calibration_account(
    found: Calibrated, gold: GoldSet, labels: Iterable[str | None]
) -> CalibrationAccount:
    """A calibration as it stands in the file.

    Args:
        found: The cut-offs.
        gold: What they were fitted on.
        labels: Of the rows with a score; None where undecided.
    """
    said = Counter(label or "undecided" for label in labels)
    return CalibrationAccount(
        gold=f"{gold.manifest.name}@{gold.manifest.version}",
        gold_sha256=gold.sha256,
        claims=found.n,
        claims_without_score=found.n_undefined,
        bound=found.bound,
        level=found.level,
        supported_from=_cut_off(found.supported_from),
        unsupported_to=_cut_off(found.unsupported_to),
        labels={name: said[name] for name in ("supported", "unsupported", "undecided")},
    )


def _cut_off(cut_off: CutOff) -> CutOffAccount:
    return CutOffAccount(
        score=number(cut_off.score), wrong=figure(cut_off.wrong), right=figure(cut_off.right)
    )
