"""What a search comes to, in one sentence of each language."""

from __future__ import annotations

from metajudge.agreement.estimate import Estimate
from metajudge.counted import counted
from metajudge.experiment.decision import why_stopped
from metajudge.experiment.searching.figures import key_text
from metajudge.experiment.searching.final import Final
from metajudge.report.results import CallCounts, Decision
from metajudge.selection.ranking import Ranked


def search_decision(
    final: Final | None, target: str, calls: CallCounts, tried: int, wanted: int
) -> Decision:
    """What the last ranking says; a search that stopped early says so first.

    Args:
        final: The ranking; None where there is none.
        target: Name of the figure that decides.
        calls: The account of the run.
        tried: Settings that were told.
        wanted: Settings that were to be tried.
    """
    decision = _nothing() if final is None else _decide(final, target)
    if calls.stopped is None:
        return decision
    why, why_zh = why_stopped(calls)
    early = f"The search ended early after {tried} of {counted(wanted, 'settings')}, since {why}."
    early_zh = f"搜索提前结束（{why_zh}），已尝试 {wanted} 个设置中的 {tried} 个。"
    return decision.model_copy(
        update={
            "sentence": f"{early} {decision.sentence}",
            "sentence_zh": f"{early_zh}{decision.sentence_zh}",
        }
    )


def _nothing() -> Decision:
    return Decision(
        winner=None,
        reading=None,
        sentence="Nothing is decided: no candidate has answered every claim yet. Run it again.",
        sentence_zh="尚无结论：还没有候选回答完所有陈述。请再次运行。",
    )


def _decide(final: Final, target: str) -> Decision:
    first, proposed = final.ranked[0], final.proposed
    if not first.safe:
        near = key_text(final.key(first))
        return Decision(
            winner=None,
            reading=None,
            sentence=(
                "No safe winner: every candidate breaks a guardrail, so nothing is proposed. "
                f"Nearest is {near}."
            ),
            sentence_zh=(
                f"没有安全的优胜者：所有候选都突破了护栏，因此没有提案。最接近的是 {near}。"
            ),
        )
    if proposed is None:
        return _stays(final, first, target)
    return _proposes(final, first, proposed, target)


def _stays(final: Final, first: Ranked, target: str) -> Decision:
    name, figure = key_text(final.key(first)), figure_words(target, first.target)
    return Decision(
        winner=None,
        reading=None,
        sentence=f"Nothing new is proposed: {name} stays first, {figure}.",
        sentence_zh=f"没有新的提案：{name} 仍居首位，{figure}。",
    )


def _proposes(final: Final, first: Ranked, proposed: Ranked, target: str) -> Decision:
    key, other = final.key(proposed), final.best_declared
    figure = figure_words(target, proposed.target)
    leads = first is proposed or proposed.rank < (other.rank if other else 10**9)
    against, against_zh = _against(final, proposed, other, target)
    head = "Proposed" if leads else "Nothing comes before what is declared; the best found is"
    head_zh = "提案：" if leads else "没有候选超过已声明的模板；搜索到的最佳者为 "
    joint = ": " if leads else " "
    return Decision(
        winner=key.trial if leads else None,
        reading=key.reading if leads else None,
        sentence=f"{head}{joint}{key_text(key)}, {figure}, keeping every guardrail.{against}",
        sentence_zh=f"{head_zh}{key.trial}（{key.reading}），{figure}，守住全部护栏。{against_zh}",
    )


def _against(final: Final, proposed: Ranked, other: Ranked | None, target: str) -> tuple[str, str]:
    """How the proposal stands to the first declared candidate."""
    if other is None:
        return "", ""
    name = key_text(final.key(other))
    if not other.safe:
        told = f" {name}, the first declared, breaks a guardrail."
        return told, f"已声明模板中居首的 {name} 突破了护栏。"
    return against_words(name, *final.difference(proposed, other, target), target)


def against_words(name: str, gap: Estimate, apart: bool, target: str) -> tuple[str, str]:
    """How far the proposal is from another candidate, in English and in Chinese.

    Args:
        name: The other candidate.
        gap: Difference of the target.
        apart: Whether it can be told from zero.
        target: Name of the target.
    """
    shown = figure_words(target, gap, sign=True)
    if apart:
        return f" Against {name}: {shown}.", f"与 {name} 相比：{shown}。"
    return (
        f" On these claims it cannot be told from {name}: {shown}.",
        f"在这些陈述上与 {name} 无法区分：{shown}。",
    )


def figure_words(target: str, found: Estimate, *, sign: bool = False) -> str:
    """A figure by name with its interval, the same in both languages."""
    name = target.replace("_", "-")
    if found.value is None:
        return f"{name} undefined"
    form = "{:+.2f}" if sign else "{:.2f}"
    value = f"{name} {form.format(found.value)}"
    if found.low is None or found.high is None:
        return value
    return f"{value} [{form.format(found.low)}, {form.format(found.high)}]"
