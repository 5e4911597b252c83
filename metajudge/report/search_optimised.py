"""`optimise.json`: what an optimiser proposed, what it cost, and which proposal was chosen."""

from __future__ import annotations

from pydantic import Field

from metajudge.report.part import Figure, Part
from metajudge.report.results import CallCounts, Decision, RankRow
from metajudge.report.search_results import MachineResults


class ProposedInstruction(Part):
    """One instruction that makes a template."""

    number: int
    template: str
    instruction: str
    examples: int
    row_mean: float | None = Field(description="Mean score of the rows that were asked; it led.")
    left_out: str | None = Field(description="Why it was not measured on the claims that choose.")


class RefusedInstruction(Part):
    """One instruction that makes no template, and why."""

    number: int
    instruction: str
    problems: tuple[str, ...]


class OptimisedResults(MachineResults):
    """A run of an optimiser."""

    language: str
    tool: str
    tool_version: str
    judge: str
    proposer: str | None
    rounds: int
    start: str
    instruction: str = Field(description="The instruction that it started from.")
    learned_from: int = Field(description="Claims that were learned from, a pool's cases too.")
    chosen_on: int = Field(
        description="Claims that chose; none of their contexts was learned from."
    )
    calls: dict[str, CallCounts] = Field(description="By role: judge, proposer.")
    proposed: tuple[ProposedInstruction, ...]
    refused: tuple[RefusedInstruction, ...]
    ranking: tuple[RankRow, ...]
    figures: dict[str, dict[str, Figure]] = Field(description="`template (reading)` -> figures.")
    decision: Decision
    told_apart: bool
    experiment: str | None = Field(
        default=None, description="The experiment that sweeps the proposal, beside optimise.json."
    )
    templates: tuple[str, ...] = ()
    feedback_used: dict[str, int] = Field(default_factory=dict)
    feedback_left_out: dict[str, int] = Field(default_factory=dict)
    failed_rows: int = 0
    mismatches: int = 0
    shown_contexts: tuple[str, ...] = ()
    stopped: str | None = None
    notes: tuple[str, ...] = ()
