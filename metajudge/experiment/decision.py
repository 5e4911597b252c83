"""The ranking as it stands in the file, and what it comes to in one sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence

from metajudge.counted import counted
from metajudge.report.figure import figure, number
from metajudge.report.part import Figure
from metajudge.report.remarks import must_exceed
from metajudge.report.results import BrokenGuardrail, CallCounts, Decision, RankRow
from metajudge.selection.columns import CandidateCodes
from metajudge.selection.ranking import Ranked

STOPS = {
    "budget": ("the budget is spent", "预算已用完"),
    "interrupted": ("it was interrupted", "运行被中断"),
    "judge_down": ("the judge is down", "裁判不可用"),
    "access": ("the judge refused access", "裁判拒绝访问"),
    "no_model": ("the judge's model is not there", "缺少裁判的模型"),
}
"""Why a run ended early -> a clause in English and Chinese."""


def rank_rows(ranked: Sequence[Ranked], candidates: CandidateCodes) -> tuple[RankRow, ...]:
    """The ranking as it stands in the file."""
    return tuple(
        RankRow(
            rank=row.rank,
            tied_with_first=row.tied_with_first,
            trial=candidates.keys[row.index].trial,
            reading=candidates.keys[row.index].reading,
            safe=row.safe,
            broken=tuple(
                BrokenGuardrail(
                    guardrail=b.guardrail,
                    bound=b.bound,
                    got=number(b.got),
                    by=number(b.by),
                    reason=b.reason,
                )
                for b in row.broken
            ),
            target=figure(row.target),
            difference_to_first=None if row.difference is None else figure(row.difference),
            adjusted_p=number(row.adjusted_p),
        )
        for row in ranked
    )


def decide(rows: Sequence[RankRow], target: str, calls: CallCounts | None = None) -> Decision:
    """The first choice among the safe candidates, or no safe winner.

    A candidate whose target is undefined is never chosen. A run that stopped early says so first.

    Args:
        rows: The ranking.
        target: Name of the figure that decides.
        calls: The account of the run; None for one that is known to be whole.
    """
    decision = _decide(rows, target)
    if calls is None or calls.stopped is None:
        return decision
    partial, partial_zh = _partial(calls)
    return decision.model_copy(
        update={
            "sentence": f"{partial} {decision.sentence}",
            "sentence_zh": f"{partial_zh}{decision.sentence_zh}",
        }
    )


def _decide(rows: Sequence[RankRow], target: str) -> Decision:
    if not rows:
        return _nobody("Nothing was measured.", "没有任何测量结果。")
    first, name = rows[0], target.replace("_", "-")
    if not first.safe:
        return _nobody(*_unsafe(first))
    if first.target.value is None:
        return _nobody(
            f"No winner: {name} is undefined ({first.target.reason}).",
            f"没有优胜者：{name} 无法计算（{first.target.reason}）。",
        )
    shown = _shown(first.target)
    ties = tuple(f"{r.trial} ({r.reading})" for r in rows[1:] if r.tied_with_first)
    tied = f" It cannot be told from: {'; '.join(ties)}." if ties else ""
    tied_zh = f"与下列候选无法区分：{'；'.join(ties)}。" if ties else ""
    alone = len(rows) > 1 and not any(r.safe for r in rows[1:])
    kept = "the only one that keeps every guardrail" if alone else "keeping every guardrail"
    kept_zh = "唯一守住全部护栏的候选" if alone else "守住全部护栏"
    return Decision(
        winner=first.trial,
        reading=first.reading,
        ties=ties,
        sentence=(f"First choice: {first.trial} ({first.reading}), {name} {shown}, {kept}.{tied}"),
        sentence_zh=(
            f"首选：{first.trial}（{first.reading}），{name} {shown}，{kept_zh}。{tied_zh}"
        ),
    )


def _nobody(sentence: str, sentence_zh: str) -> Decision:
    return Decision(winner=None, reading=None, sentence=sentence, sentence_zh=sentence_zh)


def _partial(calls: CallCounts) -> tuple[str, str]:
    """That the run stopped early and what is open, in English and Chinese."""
    why, why_zh = why_stopped(calls)
    left = calls.planned - calls.from_store - calls.answered - calls.failed
    one, many = "was not made and counts as a failure", "were not made and count as failures"
    lacking = f"{left:,} of {counted(calls.planned, 'calls')} {one if left == 1 else many}"
    lacking_zh = f"{calls.planned:,} 次调用中有 {left:,} 次未进行，按失败计"
    if left <= 0:
        lacking, lacking_zh = "not every call was settled", "并非所有调用都有结果"
    return (
        f"Partial run, since {why}: {lacking}, so what follows may change.",
        f"运行不完整（{why_zh}）：{lacking_zh}，以下结论可能改变。",
    )


def why_stopped(calls: CallCounts) -> tuple[str, str]:
    """Why a run ended early, as a clause in English and Chinese."""
    code = calls.stopped or ""
    return STOPS.get(code, (code, code))


def _unsafe(nearest: RankRow) -> tuple[str, str]:
    """Why there is no safe winner, in English and Chinese."""
    worst = max(nearest.broken, key=lambda b: math.inf if b.by is None else b.by)
    broken, broken_zh = breaking(worst)
    return (
        f"No safe winner: every candidate breaks a guardrail. Nearest is {nearest.trial} "
        f"({nearest.reading}), which {broken}.",
        f"没有安全的优胜者：所有候选都突破了护栏。最接近的是 {nearest.trial}"
        f"（{nearest.reading}），{broken_zh}。",
    )


def breaking(broken: BrokenGuardrail) -> tuple[str, str]:
    """What a candidate does to a guardrail, as a clause in English and Chinese."""
    name, reason = broken.guardrail, broken.reason
    if name == "insensitive":
        return f"does not read the evidence ({reason})", f"未真正读取证据（{reason}）"
    if broken.by is None:
        because = f" ({reason})" if reason else ""
        return f"breaks {name}, undefined{because}", f"突破 {name}：无法计算{because}"
    if must_exceed(name, broken.by):
        bound = f"{broken.bound:.2f}"
        return f"breaks {name}: it must be above {bound}", f"突破 {name}：须高于 {bound}"
    return f"breaks {name} by {broken.by:.2f}", f"突破 {name}，偏离界限 {broken.by:.2f}"


def _shown(target: Figure) -> str:
    if target.value is None:
        return "undefined"
    if target.low is None or target.high is None:
        return f"{target.value:.2f}"
    return f"{target.value:.2f} [{target.low:.2f}, {target.high:.2f}]"
