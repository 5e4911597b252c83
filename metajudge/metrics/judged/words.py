"""Sentences about scores, in the language of the answer that they are about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from metajudge.counted import filled
from metajudge.metrics.scored import UnitVerdict

Because = Literal[
    "no_answer",
    "no_context",
    "no_question",
    "no_reference",
    "no_goal",
    "no_turns",
    "states_nothing",
    "no_passage",
    "reference_states_nothing",
    "reference_names_nothing",
    "asks_nothing",
    "no_step",
    "no_verdict",
    "no_decided",
    "no_probability",
    "list_failed",
    "not_yet",
]
"""Why a score is undefined."""
BECAUSE: dict[Because, tuple[str, str]] = {
    "no_answer": ("the row has no answer", "这一行没有回答"),
    "no_context": ("the row has no context", "这一行没有材料"),
    "no_question": ("the row has no question", "这一行没有问题"),
    "no_reference": ("the row has no reference answer", "这一行没有参考答案"),
    "no_goal": ("the row has no goal", "这一行没有目标"),
    "no_turns": ("the row has neither turns nor an answer", "这一行既没有对话轮次也没有回答"),
    "states_nothing": ("the answer states nothing", "回答没有作出任何陈述"),
    "no_passage": ("no passage was retrieved", "没有检索到任何段落"),
    "reference_states_nothing": ("the reference states nothing", "参考答案没有作出任何陈述"),
    "reference_names_nothing": ("the reference names no entity", "参考答案没有提到任何实体"),
    "asks_nothing": ("the question asks for nothing", "问题没有问任何内容"),
    "no_step": ("the goal has no step", "目标没有可核对的结果"),
    "no_verdict": ("no reply could be read", "没有一个答复可以读取"),
    "no_decided": ("no unit was decided yes or no", "没有一项得到是或否的裁决"),
    "no_probability": ("a reply lacks label probabilities", "有答复缺少标签概率"),
    "list_failed": ("extraction failed: {detail}", "提取失败：{detail}"),
    "not_yet": ("not judged yet: the run stopped early", "尚未评判：运行提前结束"),
}
"""Reason -> its text in English and Chinese."""
_LABELS = {"yes": ("yes", "是"), "no": ("no", "否"), "idk": ("not there", "未提及")}
_FAILED = ("no verdict", "无裁决")
_MOST_NAMED = 5
_LONGEST = 120


def because(reason: Because, chinese: bool, detail: str = "") -> str:
    """Why a score is undefined, as people read it.

    >>> because("no_reference", False), because("list_failed", True, "truncated")
    ('the row has no reference answer', '提取失败：truncated')
    """
    return BECAUSE[reason][chinese].format(detail=detail)


def sentence(en: str, zh: str, chinese: bool, **figures: object) -> str:
    """One of two wordings with its figures filled in; texts in them are never formatted again."""
    return filled(zh if chinese else en, figures)


def quoted(verdicts: Sequence[UnitVerdict], chinese: bool) -> str:
    """Units with their labels in a list, the first five written out.

    >>> quoted([UnitVerdict("Rent is due.", "idk")], False)
    '“Rent is due.” (not there)'
    """
    shown = [f"{named(v.unit, chinese)}{_label(v, chinese)}" for v in verdicts[:_MOST_NAMED]]
    return _joined(shown, len(verdicts), chinese)


def listed(verdicts: Sequence[UnitVerdict], chinese: bool) -> str:
    """Units without labels in a list, the first five written out."""
    shown = [named(verdict.unit, chinese) for verdict in verdicts[:_MOST_NAMED]]
    return _joined(shown, len(verdicts), chinese)


def named(text: str, chinese: bool) -> str:
    """A text in quotes, on one line and not too long."""
    line = " ".join(text.split())
    cut = line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
    return f"“{cut}”"


def _label(verdict: UnitVerdict, chinese: bool) -> str:
    word = _FAILED if verdict.label is None else _LABELS[verdict.label]
    return f"（{word[1]}）" if chinese else f" ({word[0]})"


def _joined(shown: Sequence[str], whole: int, chinese: bool) -> str:
    more = whole - len(shown)
    tail = [] if more <= 0 else [f"另有 {more} 项" if chinese else f"{more} more"]
    return ("、" if chinese else ", ").join([*shown, *tail])
