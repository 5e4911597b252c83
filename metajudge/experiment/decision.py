"""The ranking as it stands in the file, and what it comes to in one sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence

from metajudge.experiment.figure import figure, number
from metajudge.report.results import BrokenGuardrail, Decision, Figure, RankRow
from metajudge.selection.columns import CandidateCodes
from metajudge.selection.ranking import Ranked


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
                    guardrail=b.guardrail, bound=b.bound, got=number(b.got), by=number(b.by)
                )
                for b in row.broken
            ),
            target=figure(row.target),
            difference_to_first=None if row.difference is None else figure(row.difference),
        )
        for row in ranked
    )


def decide(rows: Sequence[RankRow], target: str) -> Decision:
    """The first choice among the safe candidates, or no safe winner.

    A candidate whose target is undefined is never chosen.
    """
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
    return Decision(
        winner=first.trial,
        reading=first.reading,
        ties=ties,
        sentence=(
            f"First choice: {first.trial} ({first.reading}), {name} {shown}, "
            f"keeping every guardrail.{tied}"
        ),
        sentence_zh=(
            f"首选：{first.trial}（{first.reading}），{name} {shown}，守住全部护栏。{tied_zh}"
        ),
    )


def _nobody(sentence: str, sentence_zh: str) -> Decision:
    return Decision(winner=None, reading=None, sentence=sentence, sentence_zh=sentence_zh)


def _unsafe(nearest: RankRow) -> tuple[str, str]:
    """Why there is no safe winner, in English and Chinese."""
    worst = max(nearest.broken, key=lambda b: math.inf if b.by is None else b.by)
    off = "" if worst.by is None else f" by {worst.by:.2f}"
    off_zh = "" if worst.by is None else f"，超出 {worst.by:.2f}"
    return (
        f"No safe winner: every candidate breaks a guardrail. Nearest is {nearest.trial} "
        f"({nearest.reading}), which breaks {worst.guardrail}{off}.",
        f"没有安全的优胜者：所有候选都突破了护栏。最接近的是 {nearest.trial}"
        f"（{nearest.reading}），突破 {worst.guardrail}{off_zh}。",
    )


def _shown(target: Figure) -> str:
    if target.value is None:
        return "undefined"
    if target.low is None or target.high is None:
        return f"{target.value:.2f}"
    return f"{target.value:.2f} [{target.low:.2f}, {target.high:.2f}]"
