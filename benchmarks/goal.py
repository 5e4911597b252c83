"""A goal and what was found: one row of the table in `results.md`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["kept", "missed", "not measured", "for comparison"]


@dataclass(frozen=True, slots=True)
class Row:
    """One goal.

    Attributes:
        goal: Number and promise, as in `G3: direct >= 1,200 calls/s`.
        measured: What this run found.
        beside: Floor or peer measured in the same run; "" where there is none.
        kept: Whether the promise holds; None where there is nothing to hold or nothing measured.
        reason: Why it was missed or not measured; "" otherwise.
    """

    goal: str
    measured: str
    beside: str = ""
    kept: bool | None = None
    reason: str = ""

    @property
    def state(self) -> State:
        """One word for the last column."""
        if self.kept is None:
            return "not measured" if self.reason else "for comparison"
        return "kept" if self.kept else "missed"


def judged(goal: str, measured: str, beside: str, kept: bool, reason: str) -> Row:
    """A row whose reason is only given when the goal is missed."""
    return Row(goal, measured, beside, kept, "" if kept else reason)


def skipped(goal: str, reason: str) -> Row:
    """A row for what could not be measured here."""
    return Row(goal, "-", reason=reason)
