"""What a run of a cascade could not have read, counted."""

from __future__ import annotations

from collections import Counter

from metajudge.metrics.cascade.run import WHOLE_ANSWER, Applied
from metajudge.runner.setback import FAILURE_OF
from metajudge.verdicts.verdict import Failure


def whole_answers(applied: Applied) -> int:
    """Answers whose claims could not be told apart, each one claim; not those still to be asked."""
    claims = (claim for answer in applied.answers for claim in answer.claims)
    return sum(claim.note == WHOLE_ANSWER and claim.stage != "open" for claim in claims)


def failed_calls(applied: Applied) -> dict[Failure, int]:
    """Calls of this run without an answer, by class of failure; {} where there is none."""
    found: Counter[Failure] = Counter()
    for report in applied.reports:
        for kind, n in report.failures.items():
            found[FAILURE_OF[kind]] += n
    return dict(found)
