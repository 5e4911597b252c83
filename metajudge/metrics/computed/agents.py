"""Metrics of agents that need no judge: tool calls and turns, as scores of one answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from metajudge.metrics.computed.tool_calls import ToolCall, read_tool_calls
from metajudge.metrics.computed.tool_matching import (
    Sameness,
    ToolCallCounts,
    compare_tool_calls,
)
from metajudge.metrics.computed.turns import count_turns
from metajudge.metrics.computed.words import sentence
from metajudge.metrics.scored import MetricScore, UnitVerdict

TOOL_CALL_METRICS = ("tool_call_precision", "tool_call_recall", "tool_call_f1")
"""Scores of tool calls; which calls are missing or extra stands in the units of each."""

_MOST_NAMED = 5


def score_tool_calls(
    expected: Any,
    made: Any,
    same: Sameness | None = None,
    *,
    in_order: bool = False,
    language: str = "en",
    where: str = "tool calls",
) -> Mapping[str, MetricScore]:
    """Precision, recall and F1 of an answer's tool calls.

    Each score is 0 to 1. Precision is undefined where no call was made, recall where none was
    expected, F1 where both hold; then the score is None and the reason says which.

    Args:
        expected: Calls that should have been made, in any form that `read_tool_calls` reads.
        made: Calls that were made, or the conversation's messages with their `tool_calls`.
        same: When two calls are the same; None is exact but for rounding.
        in_order: Whether matched calls must come in the expected order.
        language: Of the reasons.
        where: What is read, for messages.

    Returns:
        By names of `TOOL_CALL_METRICS`. Units are the expected calls, `yes` where made and `no`
        where missing, and then the extra ones, `no`.

    Raises:
        InputError: An entry is no call.

    >>> found = score_tool_calls([{"name": "f"}], [{"name": "f"}, {"name": "g"}])
    >>> found["tool_call_precision"].score, found["tool_call_recall"].score
    (0.5, 1.0)
    """
    wanted = read_tool_calls(expected, f"{where}: expected", made_by_people=True)
    counts = compare_tool_calls(
        wanted, read_tool_calls(made, f"{where}: made"), same, in_order=in_order
    )
    units = _units(counts)
    policy = ", ".join(["in order" if in_order else "any order", *(same or Sameness()).told()])
    scores = (counts.precision, counts.recall, counts.f1)
    return {
        name: MetricScore(name, score, _reason(counts, score, language), policy, units)
        for name, score in zip(TOOL_CALL_METRICS, scores, strict=True)
    }


def _units(counts: ToolCallCounts) -> tuple[UnitVerdict, ...]:
    matched = {pair.expected for pair in counts.pairs}
    wanted = (
        UnitVerdict(
            str(call), "yes" if at in matched else "no", detail=None if at in matched else "missing"
        )
        for at, call in enumerate(counts.expected)
    )
    extra = (UnitVerdict(str(call), "no", detail="extra") for call in counts.extra)
    return (*wanted, *extra)


def _reason(counts: ToolCallCounts, score: float | None, language: str) -> str:
    figures = {
        "expected": len(counts.expected),
        "made": len(counts.made),
        "matched": len(counts.pairs),
    }
    if score is None:
        both = not counts.expected and not counts.made
        one = "none_made" if counts.expected else "none_expected"
        return sentence("no_calls" if both else one, language, **figures)
    told = [sentence("calls", language, **figures)]
    told += [
        sentence(key, language, calls=_listed(calls, language))
        for key, calls in (("missing", counts.missing), ("extra", counts.extra))
        if calls
    ]
    if counts.wrong_arguments:
        names = _joined(counts.wrong_arguments, language)
        told.append(sentence("wrong_arguments", language, names=names))
    return ("" if language == "zh" else " ").join(told)


def _listed(calls: Sequence[ToolCall], language: str) -> str:
    more = [f"+{len(calls) - _MOST_NAMED}"] if len(calls) > _MOST_NAMED else []
    return _joined([*map(str, calls[:_MOST_NAMED]), *more], language)


def _joined(texts: Sequence[str], language: str) -> str:
    return ("；" if language == "zh" else "; ").join(texts)


def score_turns(
    messages: Sequence[Any], language: str = "en", where: str = "messages"
) -> MetricScore:
    """Turns of one conversation, 1 and more; over a set, `turn_counts` makes figures of them.

    Args:
        messages: As `count_turns` reads them.
        language: Of the reason.
        where: What is read, for messages.

    >>> score_turns(["How do I pay?", "By card."]).score
    1.0
    """
    turns = count_turns(messages, where)
    if turns is None:
        return MetricScore("turns", None, sentence("no_user", language))
    key = "one_turn" if turns == 1 else "turns"
    return MetricScore("turns", float(turns), sentence(key, language, n=turns))
