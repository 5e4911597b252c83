"""An optimiser's run as it stands in `optimise.json`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from metajudge.experiment.build import Prepared
from metajudge.experiment.decision import rank_rows
from metajudge.experiment.measuring import run_counts
from metajudge.experiment.racing.results import declared_parts
from metajudge.experiment.searching.figures import key_text
from metajudge.experiment.searching.proposal import Written, seen_from
from metajudge.experiment.searching.words import figure_words
from metajudge.experiment.sweep import Experiment
from metajudge.report.figure import figure, number
from metajudge.report.part import Figure
from metajudge.report.results import CallCounts, Decision, RankRow
from metajudge.report.search_optimised import (
    OptimisedResults,
    ProposedInstruction,
    RefusedInstruction,
)
from metajudge.report.translated import translated
from metajudge.runner.trial import Trial
from metajudge.selection.columns import CandidateCodes
from metajudge.selection.optimise.optimiser import Optimised
from metajudge.selection.ranking import Ranked
from metajudge.templates.instruction import instruction_text
from metajudge.templates.template import Template


class Begun(NamedTuple):
    """What an optimiser starts from.

    Attributes:
        trial: The declared trial.
        language: Of template and claims.
        start: Its template.
        proposer: Who writes instructions, as it was named; None for nobody.
    """

    trial: Trial
    language: str
    start: Template
    proposer: str | None = None


def optimised_results(
    experiment: Experiment,
    prepared: Prepared,
    begun: Begun,
    made: Optimised,
    *,
    written: Written | None,
    out: Path,
    notes: Sequence[str],
) -> OptimisedResults:
    """Everything that an optimiser came to.

    Args:
        experiment: Whose template was rewritten.
        prepared: Its claims and judges.
        begun: The start.
        made: What the optimiser came to.
        written: Its files; None where nothing was chosen.
        out: Folder that its files are in.
        notes: What the user should know.
    """
    config = experiment.config
    return OptimisedResults(
        **declared_parts(config, prepared),
        seed=made.optimiser.seed,
        language=begun.language,
        tool=made.optimiser.tool,
        tool_version=made.tool_version,
        judge=begun.trial.judge,
        proposer=begun.proposer if made.proposer else None,
        rounds=made.optimiser.rounds,
        start=begun.start.label,
        instruction=instruction_text(begun.start),
        learned_from=len(made.train),
        chosen_on=len(made.validation),
        calls=_calls(made),
        proposed=_proposed(made),
        refused=_refused(made),
        ranking=_ranking(made),
        figures=_figures(made),
        decision=_decision(made, config.target),
        told_apart=made.told_apart,
        experiment=None if written is None else seen_from(written.experiment, out),
        templates=() if written is None else tuple(seen_from(p, out) for p in written.templates),
        feedback_used=dict(made.feedback_used),
        feedback_left_out=dict(made.feedback_left_out),
        failed_rows=made.neutral,
        mismatches=made.mismatches,
        shown_contexts=made.shown_contexts,
        stopped=made.stopped,
        notes=(*notes, *prepared.notes, *made.notes),
    )


def _calls(made: Optimised) -> dict[str, CallCounts]:
    return {
        role: run_counts(sum(report.asked for report in reports), reports)
        for role, reports in made.reports.items()
    }


def _figures(made: Optimised) -> dict[str, dict[str, Figure]]:
    return {
        key_text(key): {name: figure(value) for name, value in row.figures.items()}
        for key, row in zip(made.measured.keys, made.measured.figures, strict=True)
    }


def _proposed(made: Optimised) -> tuple[ProposedInstruction, ...]:
    return tuple(
        ProposedInstruction(
            number=one.number,
            template=one.template.name,
            instruction=one.instruction,
            examples=len(one.template.examples),
            row_mean=number(one.row_mean),
            left_out=one.left_out,
        )
        for one in made.candidates
    )


def _refused(made: Optimised) -> tuple[RefusedInstruction, ...]:
    return tuple(
        RefusedInstruction(
            number=one.number,
            instruction=one.instruction,
            problems=tuple(str(problem) for problem in one.problems),
        )
        for one in made.refused
    )


def _ranking(made: Optimised) -> tuple[RankRow, ...]:
    keys = made.measured.keys
    unread = np.zeros((len(keys), 0), np.int64), np.zeros((len(keys), 0, 3), np.float32)
    return rank_rows(made.measured.ranked, CandidateCodes(keys, *unread))


def _decision(made: Optimised, target: str) -> Decision:
    why = "" if made.stopped is None else made.stopped.rstrip(".")
    early = f"The run ended early: {why}. " if why else ""
    why_zh = translated(made.stopped or "", "zh").rstrip(".。")
    early_zh = f"运行提前结束：{why_zh}。" if why_zh else ""
    told, told_zh, chosen = _choice(made, target)
    key = None if chosen is None else made.measured.keys[chosen.index]
    return Decision(
        winner=None if key is None else key.trial,
        reading=None if key is None else key.reading,
        sentence=f"{early}{told}",
        sentence_zh=f"{early_zh}{told_zh}",
    )


def _choice(made: Optimised, target: str) -> tuple[str, str, Ranked | None]:
    """What the figures on the claims that chose say, in English and Chinese."""
    measured, start = made.measured, made.start.name
    row = next((r for r in measured.ranked if measured.keys[r.index].trial == start), None)
    today, today_zh = "undefined", "无法计算"
    if row is not None:
        today = today_zh = figure_words(target, row.target)
    if not measured.ranked:
        return "Nothing was measured, so nothing is proposed.", "没有测量结果，因此没有提案。", None
    chosen = None if made.chosen is None else made.ranked(made.candidates[made.chosen])
    if chosen is None:
        return (
            f"Nothing that was proposed comes before {start} ({today}) and keeps every guardrail.",
            f"没有提案能在守住全部护栏的同时超过 {start}（{today_zh}）。",
            None,
        )
    name = key_text(measured.keys[chosen.index])
    shown = figure_words(target, chosen.target)
    apart = "" if made.told_apart else f" On these claims it cannot be told from {start}."
    apart_zh = "" if made.told_apart else f"在这些陈述上与 {start} 无法区分。"
    return (
        f"Proposed: {name}, {shown}, keeping every guardrail; {start}: {today}.{apart}",
        f"提案：{name}，{shown}，守住全部护栏；{start}：{today_zh}。{apart_zh}",
        chosen,
    )
