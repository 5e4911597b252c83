"""Goal achievement: whether an agent's record shows that its goal and its steps were reached."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from metajudge.errors import InputError
from metajudge.metrics.computed.tool_calls import read_tool_calls
from metajudge.metrics.judged.shares import Wording, share, share_sentence
from metajudge.metrics.judged.unit import Found, JudgedMetric, Listed, Said, Unit
from metajudge.metrics.judged.words import Because, because, sentence
from metajudge.metrics.row import MetricRow, Turn

_STEPS = Wording(
    (
        "{yes} of {n} steps were achieved",
        "{n} 项结果中有 {yes} 项达成",
    ),
    ("missing", "缺少："),
)
GOAL, STEP = "goal", "step"
_SPEAKERS = {
    "user": ("User", "用户"),
    "assistant": ("Agent", "助手"),
    "call": ("Call", "调用"),
    "tool": ("Result", "返回"),
    "system": ("System", "系统"),
}
"""How a record names who speaks, in English and Chinese."""


def record_of(row: MetricRow) -> tuple[str, ...]:
    """The record as passages: one a message, call or outcome, the final output last.

    >>> record_of(MetricRow("a", turns=(Turn("user", "Hi", ({"name": "f", "args": {"n": 1}},)),)))
    ('User: Hi', 'Call: f(n=1)')
    """
    told = [line for turn in row.turns or () for line in _lines(turn, row.chinese)]
    if row.answer and (not row.turns or row.turns[-1].content.strip() != row.answer.strip()):
        told.append(_said("assistant", row.answer, row.chinese))
    return tuple(told)


def _lines(turn: Turn, chinese: bool) -> Iterator[str]:
    if turn.content.strip():
        yield _said(turn.role, turn.content, chinese)
    for call in turn.tool_calls:
        yield _said("call", _call(call), chinese)


def _said(role: str, text: str, chinese: bool) -> str:
    speaker = _SPEAKERS.get(role, (role.capitalize(), role))[chinese]
    if not speaker:
        return text
    return f"{speaker}：{text}" if chinese else f"{speaker}: {text}"


def _call(call: Any) -> str:
    try:
        return ", ".join(map(str, read_tool_calls([call], "turns")))
    except InputError:
        # What an agent made is part of its record, whatever its form.
        return json.dumps(call, ensure_ascii=False, default=repr)


def _missing(row: MetricRow) -> Because | None:
    if row.goal is None:
        return "no_goal"
    return None if record_of(row) else "no_turns"


def _units(row: MetricRow, listed: Listed) -> tuple[Unit, ...]:
    record, steps = record_of(row), listed["steps"]
    if not steps:
        return ()
    whole = Unit("goal_achievement", row.goal or "", record, row.question, side=GOAL)
    asked = (Unit("goal_achievement", s, record, row.question, side=STEP) for s in steps)
    return (whole, *asked)


def _score(said: Said) -> Found:
    chinese, steps = said.row.chinese, said.of_side(STEP)
    (whole,) = said.of_side(GOAL)
    found = share(steps, said.policy)
    if found.why is not None:
        return Found(None, because(found.why, chinese))
    words = {
        "yes": ("the goal was achieved: ", "目标已达成："),
        "no": ("the goal was not achieved: ", "目标未达成："),
        "idk": ("whether the goal was achieved cannot be seen: ", "看不出目标是否达成："),
    }
    unread = ("no verdict on the whole goal could be read: ", "目标整体的裁决无法读取：")
    head = sentence(*words.get(whole.label or "", unread), chinese)
    told = head + share_sentence(found, steps, _STEPS, chinese)
    details = {
        "achieved": {"yes": True, "no": False}.get(whole.label or ""),
        "missing_steps": [verdict.unit for verdict in steps if verdict.label != "yes"],
    }
    return Found(found.score, told, details)


GOAL_ACHIEVEMENT = JudgedMetric(
    name="goal_achievement",
    parts=("goal_achievement",),
    units=_units,
    score=_score,
    missing=_missing,
    nothing="no_step",
    lists=("steps",),
)
