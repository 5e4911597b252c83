"""What a tuning comes to, in one sentence of each language."""

from __future__ import annotations

import math

from metajudge.counted import counted
from metajudge.experiment.decision import breaking
from metajudge.experiment.searching.words import against_words, figure_words
from metajudge.experiment.tuning.final import Final
from metajudge.report.results import Decision
from metajudge.report.tune_results import TunedRow
from metajudge.selection.ranking import Ranked


def tune_decision(
    final: Final, rows: tuple[TunedRow, ...], target: str, different: int
) -> Decision:
    """Who comes first, how it stands to what is declared, and that it was chosen among many.

    Args:
        final: The last ranking.
        rows: The same as it stands in the file.
        target: Name of the figure that decides.
        different: Settings with different verdicts that were measured.
    """
    first = final.first
    if not first.safe:
        return _nobody(rows[0], different)
    if first.target.value is None:
        why = first.target.reason
        return _decision(
            f"Nothing is chosen: {target.replace('_', '-')} is undefined ({why}).",
            f"未作选择：{target.replace('_', '-')} 无法计算（{why}）。",
        )
    name, figure = final.who(first).setting.name, figure_words(target, first.target)
    if final.who(first).kind == "declared":
        return _decision(
            f"Nothing tried comes before what is declared: {name} stays first, {figure}.",
            f"尝试过的设置都不及已声明的候选：{name} 仍居首位，{figure}。",
        )
    against, against_zh = _against(final, first, target)
    panel, panel_zh = _of_panel(final) if final.who(first).kind == "panel" else ("", "")
    return _decision(
        f"Chosen on the dev claims: {name}, {figure}, keeping every guardrail.{against}{panel} It "
        f"is the best of {counted(different, 'different settings')}, so this figure is too good: "
        "confirm it.",
        f"在开发集上选出：{name}，{figure}，守住全部护栏。{against_zh}{panel_zh}"
        f"它是 {different:,} 个不同设置中的最佳者，该数值偏乐观，须经确认。",
        final,
    )


def _decision(sentence: str, sentence_zh: str, chosen: Final | None = None) -> Decision:
    winner = reading = None
    if chosen is not None:
        who = chosen.who(chosen.first)
        panel = who.kind == "panel"
        winner = who.setting.name if panel else who.key.trial
        reading = None if panel else who.key.reading
    return Decision(winner=winner, reading=reading, sentence=sentence, sentence_zh=sentence_zh)


def _nobody(nearest: TunedRow, different: int) -> Decision:
    worst = max(nearest.broken, key=lambda b: math.inf if b.by is None else b.by)
    broken, broken_zh = breaking(worst)
    return _decision(
        f"No safe setting: each of {counted(different, 'different settings')} breaks a guardrail, "
        f"so nothing is chosen. Nearest is {nearest.name}, which {broken}.",
        f"没有安全的设置：{different:,} 个不同设置都突破了护栏，因此不作选择。最接近的是 "
        f"{nearest.name}，{broken_zh}。",
    )


def _against(final: Final, first: Ranked, target: str) -> tuple[str, str]:
    """How the first one stands to the first declared candidate."""
    other = final.best_declared
    if other is None:
        return "", ""
    name = final.who(other).setting.name
    if not other.safe:
        told = f" {name}, the first declared, breaks a guardrail."
        return told, f"已声明候选中居首的 {name} 突破了护栏。"
    return against_words(name, *final.difference(first, other, target), target)


def _of_panel(final: Final) -> tuple[str, str]:
    """What a panel cannot do yet, and who may be declared instead."""
    row = final.to_declare
    if row is None:
        other = "no single setting comes before what is declared."
        other_zh = "单个候选的设置都不及已声明的候选。"
    else:
        other = f"the first single setting is {final.who(row).setting.name}."
        other_zh = f"居首的单个候选是 {final.who(row).setting.name}。"
    return (
        f" A panel can be neither declared nor released yet; {other}",
        f"评审组目前既不能声明也不能发布；{other_zh}",
    )
