"""What a race comes to, in one sentence of each language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metajudge.agreement.estimate import Estimate
from metajudge.counted import counted
from metajudge.experiment.config import ExperimentConfig
from metajudge.experiment.decision import why_stopped
from metajudge.experiment.searching.figures import Row, key_text, nearest_row
from metajudge.report.results import CallCounts, Decision

if TYPE_CHECKING:
    from metajudge.experiment.racing.results import Measured


def race_decision(found: Measured, config: ExperimentConfig, calls: CallCounts) -> Decision:
    """Who comes first, on how many claims, and how likely the full grid would say otherwise."""
    outcome, keys = found.raced.outcome, found.raced.field.keys
    if outcome is None:
        why, why_zh = why_stopped(calls)
        return Decision(
            winner=None,
            reading=None,
            sentence=f"Nothing is decided: the race ended early, since {why}. Run it again.",
            sentence_zh=f"尚无结论：竞赛提前结束（{why_zh}）。请再次运行。",
        )
    name, chance = config.target.replace("_", "-"), outcome.chance_otherwise
    entries = len(found.raced.field.columns.gold)
    full = f"The full grid would decide otherwise with a chance of {chance:.1%}."
    full_zh = f"全量评测作出不同决定的概率为 {chance:.1%}。"
    if outcome.first is None:
        nearest = nearest_row(found.rows, config.target)
        near = "" if nearest is None else f" Nearest is {key_text(keys[nearest])}."
        near_zh = "" if nearest is None else f"最接近的是 {key_text(keys[nearest])}。"
        return Decision(
            winner=None,
            reading=None,
            sentence=f"No safe winner: every candidate breaks a guardrail.{near} {full}",
            sentence_zh=f"没有安全的优胜者：所有候选都突破了护栏。{near_zh}{full_zh}",
        )
    key, row = keys[outcome.first], found.rows[outcome.first]
    ties = tuple(key_text(keys[other]) for other in outcome.ties)
    tied = f" It cannot be told from: {'; '.join(ties)}." if ties else ""
    tied_zh = f"与下列候选无法区分：{'；'.join(ties)}。" if ties else ""
    shown = _shown(row, config.target)
    return Decision(
        winner=key.trial,
        reading=key.reading,
        ties=ties,
        sentence=(
            f"First choice: {key_text(key)}, {name} {shown} on {row.claims:,} of "
            f"{counted(entries, 'claims')}, keeping every guardrail.{tied} {full}"
        ),
        sentence_zh=(
            f"首选：{key.trial}（{key.reading}），{name} {shown}（{entries} 条陈述中的 "
            f"{row.claims} 条），守住全部护栏。{tied_zh}{full_zh}"
        ),
    )


def _shown(row: Row, name: str) -> str:
    found: Estimate | None = row.figures.get(name)
    if found is None or found.value is None:
        return "undefined"
    if found.low is None or found.high is None:
        return f"{found.value:.2f}"
    return f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"
