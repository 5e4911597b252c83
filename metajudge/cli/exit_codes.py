"""What a verb ends with: the one place where exit codes are given their meaning.

| code | meaning |
|---|---|
| 0 | done; adopt; verified; quiet; as emitted; the gate passes |
| 1 | no safe winner (asked for), not confirmed, hold, not verified, edited, alarm, gate fails |
| 2 | bad input, no such model or release, a key that is refused, something not installed |
| 3 | the budget is spent; what is complete is reported |
| 4 | cannot decide: collect first, judge down, no reply could be read, interrupted, not checked |
| 141 | whoever read the output went away, as for any Unix tool |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from metajudge.errors import (
    EXIT_BUDGET,
    EXIT_CANNOT_DECIDE,
    EXIT_GOOD,
    EXIT_GUARDRAIL,
    EXIT_USAGE,
)

if TYPE_CHECKING:
    from metajudge.report.results import Results

EXIT_PIPE = 141
HELP = """\b
Exit codes:
  0  done; adopt; verified; quiet; passed
  1  no safe winner, not confirmed, hold, not verified, edited, alarm, failed
  2  bad input, no such model, a key that is refused, something not installed
  3  the budget is spent; what is complete is reported
  4  cannot decide: collect first, judge down, nothing readable, interrupted
"""
"""The codes as `--help` shows them."""

_OF_STOP = {
    "access": EXIT_USAGE,
    "no_model": EXIT_USAGE,
    "budget": EXIT_BUDGET,
    "judge_down": EXIT_CANNOT_DECIDE,
    "interrupted": EXIT_CANNOT_DECIDE,
}


def stop_exit_code(stopped: str) -> int:
    """The code of a run that ended early, by the reason that its account gives."""
    return _OF_STOP.get(stopped, EXIT_CANNOT_DECIDE)


def verdicts_read(results: Results) -> int:
    """Verdicts with a label, over all trials."""
    return sum(
        count
        for trial in results.trials
        for row in trial.table.values()
        for code, count in row.items()
        if code != "failure"
    )


def sweep_exit_code(results: Results, *, require_winner: bool) -> int:
    """The code that a sweep ends with."""
    if results.calls.stopped is not None:
        return stop_exit_code(results.calls.stopped)
    if verdicts_read(results) == 0:
        return EXIT_CANNOT_DECIDE
    if require_winner and results.decision.winner is None:
        return EXIT_GUARDRAIL
    return EXIT_GOOD
