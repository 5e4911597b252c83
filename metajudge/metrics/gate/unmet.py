"""Why an assertion on a score does not hold, in lines that fit into a report of pytest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from metajudge.metrics.catalogue import METRICS
from metajudge.metrics.evaluation import MetricAccount
from metajudge.metrics.gate.asserting import no_bar
from metajudge.metrics.gate.scores import is_lost
from metajudge.metrics.scored import MetricScore
from metajudge.release.judged import CallAccount
from metajudge.report.guideline_text import wrapped_cells
from metajudge.report.inert import one_line

_COLUMNS = 72
"""pytest puts eight before them."""
_LONGEST = 200
_SHOWN = 20


def not_measured(score: MetricScore, calls: CallAccount) -> str | None:
    """Why there is no score to trust, where calls failed; None where there is one."""
    if not is_lost(score):
        return None
    details = [f"{unit.failure}: {unit.detail or unit.unit}" for unit in score.failures]
    told = details[:1] or [score.reason or "no reply"]
    lines = [*told, *([calls.message] if calls.stopped else [])]
    return "\n".join([_short(lines[0]), *(_wrapped(line) for line in lines[1:])])


def unmet(
    score: MetricScore,
    account: MetricAccount,
    least: float | None,
    undefined: Literal["fail", "pass"],
) -> str | None:
    """Why an assertion fails; None where it holds.

    Args:
        score: Of the answer.
        account: Of its metric.
        least: Least score that passes (the most, where lower is better); None takes the threshold
            of the release.
        undefined: What an answer without a score comes to.

    Raises:
        InputError: Nothing says what passes.
    """
    if score.score is None:
        if undefined == "pass":
            return None
        return (
            f"{score.metric} is undefined: {score.reason}.\n"
            'Pass undefined="pass" where an answer without a score is right.'
        )
    bar = _bar(score, least)
    sign = -1 if METRICS[score.metric].better == "lower" else 1
    if sign * (score.score - bar) >= -1e-9:
        return None
    served = [score.policy, account.release, account.judge]
    beside = ", ".join(one for one in served if one)
    side = "over" if sign < 0 else "under"
    head = f"{score.metric} {score.score:.2f} is {side} {bar:.2f}"
    return "\n".join([head, _wrapped(beside), *_said(score), _wrapped(score.reason or "")])


def _bar(score: MetricScore, least: float | None) -> float:
    bar = score.details.get("threshold") if least is None else least
    if bar is None:
        raise no_bar()
    return float(bar)


def _said(score: MetricScore) -> Iterator[str]:
    """A paragraph a unit: what was said of it, and why."""
    for unit in score.units[:_SHOWN]:
        label = unit.label or unit.failure or ""
        why = f" – {_short(unit.detail)}" if unit.detail else ""
        yield _wrapped(f"{_short(unit.unit)!r}{why}", f"  {label:<4} ")
    if len(score.units) > _SHOWN:
        yield f"  and {len(score.units) - _SHOWN} more"


def _wrapped(text: str, mark: str = "  ") -> str:
    return "\n".join(wrapped_cells(_short(text, 3 * _LONGEST), _COLUMNS, mark))


def _short(text: str, longest: int = _LONGEST) -> str:
    line = one_line(text)
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
