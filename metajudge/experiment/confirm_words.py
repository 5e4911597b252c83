"""What a confirmation comes to, in one English and one Chinese text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from metajudge.agreement.estimate import Estimate
from metajudge.selection.columns import CandidateKey

if TYPE_CHECKING:
    from metajudge.experiment.confirm import Confirmed

UNTRIED = ("flip_rate", "insensitive")
"""Guardrails of the dev split that no verdict on test claims speaks about."""


class Named(NamedTuple):
    """That the user named a candidate which selection did not choose.

    Attributes:
        broken: Guardrails it broke on dev; () where it kept them and is not the first choice.
    """

    broken: tuple[str, ...]


def sentences(
    keys: Sequence[CandidateKey], found: Confirmed, looks: int, named: Named | None
) -> tuple[str, str]:
    """What came of it, in English and Chinese.

    Args:
        keys: Candidate and baseline, or the baseline alone.
        found: What was found on the test claims.
        looks: How often this experiment has read the test labels of this gold version, this
            included.
        named: Set where the user named the candidate against the choice.
    """
    texts = [_named(keys[0], named), _alone(keys[0], found) or _compared(keys, found)]
    untried = [name for name in UNTRIED if named is not None and name in named.broken]
    if untried:
        told = "is" if len(untried) == 1 else "are"
        texts.append(
            (
                f"{', '.join(untried)} {told} not tried on test.",
                f"{'、'.join(untried)} 不在测试集上检验。",
            )
        )
    if looks > 1:
        texts.append(
            (
                f"This experiment read the test labels of this gold version {looks} times, so the "
                "last look is no proof.",
                f"本实验已读取此版本标注集的测试标签 {looks} 次，最后一次不能作为证据。",
            )
        )
    return " ".join(en for en, _ in texts if en), "".join(zh for _, zh in texts)


def _named(key: CandidateKey, named: Named | None) -> tuple[str, str]:
    if named is None:
        return "", ""
    who = _shown(key)
    if named.broken:
        return (
            f"{who} was named by hand and is not a safe winner: it broke "
            f"{', '.join(named.broken)} on dev.",
            f"{who} 由人工指定，并非安全的优胜者：在 dev 上突破 {'、'.join(named.broken)}。",
        )
    return (
        f"{who} was named by hand and is not the first choice, though it keeps every guardrail on "
        "dev.",
        f"{who} 由人工指定，并非首选，但在 dev 上守住全部护栏。",
    )


def _alone(key: CandidateKey, found: Confirmed) -> tuple[str, str] | None:
    """Of the baseline that was measured alone; None where there was a comparison."""
    if found.baseline is not None:
        return None
    name, who = found.target.replace("_", "-"), _shown(key)
    figure = found.winner.figures[found.target]
    shown, shown_zh = _number(figure, "")
    told_zh = shown_zh if figure.value is None else f"为 {shown_zh}"
    text = f"Measured alone on the test split, nothing compared: {name} of {who} {shown}"
    text_zh = f"在测试集上单独测量，未作任何比较：{who} 的 {name} {told_zh}"
    if found.broken:
        text += f"; it breaks {', '.join(found.broken)} there"
        text_zh += f"；在测试集上突破 {'、'.join(found.broken)}"
    else:
        text += "; it keeps every guardrail that needs no comparison"
        text_zh += "；守住全部无需比较的护栏"
    return f"{text}.", f"{text_zh}。"


def _compared(keys: Sequence[CandidateKey], found: Confirmed) -> tuple[str, str]:
    candidate, baseline = map(_shown, keys)
    name = found.target.replace("_", "-")
    shown, shown_zh = _number(found.differences[found.target], "+")
    verdict, verdict_zh = ("Confirmed", "已确认") if found.holds else ("Not confirmed", "未获确认")
    text = f"{verdict} on the test split: {name} of {candidate} minus {baseline} {shown}"
    text_zh = f"测试集上{verdict_zh}：{candidate} 与 {baseline} 的 {name} 之差 {shown_zh}"
    if found.broken:
        text += f"; it breaks {', '.join(found.broken)} there"
        text_zh += f"；在测试集上突破 {'、'.join(found.broken)}"
    elif not found.holds:
        text += "; every guardrail is kept, but the difference is not told from nothing"
        text_zh += "；护栏全部守住，但差异无法与零区分"
    return f"{text}.", f"{text_zh}。"


def _number(found: Estimate, sign: str) -> tuple[str, str]:
    """A figure with its interval, in an English and in a Chinese sentence."""
    if found.value is None:
        return "undefined", "无法计算"
    shown = f"{found.value:{sign}.2f}"
    if found.low is not None and found.high is not None:
        shown += f" [{found.low:{sign}.2f}, {found.high:{sign}.2f}]"
    return shown, shown


def _shown(key: CandidateKey) -> str:
    return key.trial if key.reading == "top" else f"{key.trial} ({key.reading})"
