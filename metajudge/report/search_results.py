"""`search.json` and `race.json`: what was tried, what it cost, and what is proposed."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from metajudge.report.part import Figure, Part, Reading
from metajudge.report.results import CallCounts, Decision, GoldInfo, JudgeInfo, RankRow

SCHEMA_VERSION = "1"
Value = str | int | float | bool


def value_text(value: Value) -> str:
    """A value of an axis as a key of JSON.

    >>> value_text(True), value_text(3)
    ('true', '3')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


class StoppedEarly(Part):
    """Why a candidate was not asked about every claim."""

    why: str = Field(description="guardrail NAME, beaten, halved or pruned")
    by: str | None = Field(default=None, description="The candidate that beat it.")
    limit: float | None = Field(default=None, description="What the full grid comes to at least.")
    bound: float | None = Field(default=None, description="What it would have to keep.")


class Candidate(Part):
    """A trial under a reading, with its figures on the claims that it was asked about."""

    trial: str
    reading: Reading
    claims: int = Field(description="Claims asked, draws counted.")
    calls: int = Field(description="Calls of its trial that the race took.")
    calls_full: int = Field(description="Calls of its trial in the full grid.")
    figures: dict[str, Figure] = Field(default_factory=dict)
    off: float | None = Field(
        default=None, description="How far it is off its guardrails in sum; 0 where it keeps them."
    )
    broken: tuple[str, ...] = ()
    stopped: StoppedEarly | None = None


class RaceSummary(Part):
    """What one race came to."""

    trials: tuple[int, ...] = Field(
        default=(), description="Numbers of the study's trials in it; none for declared trials."
    )
    candidates: int
    first: str | None = Field(description="The safe winner; null where there is none.")
    ties: tuple[str, ...] = ()
    calls: int
    calls_full: int
    chance_otherwise: float = Field(
        description="P(the full grid would decide otherwise), simulated from the data; a "
        "statistical tie is the same decision."
    )


class MachineResults(Part):
    """What every search, race, optimiser and tuning says of its experiment."""

    schema_version: str = SCHEMA_VERSION
    name: str
    question: str
    created: str
    package_version: str
    config_sha256: str
    seed: int
    alpha: float
    gold: GoldInfo
    judges: tuple[JudgeInfo, ...]
    target: str
    guardrails: dict[str, float]


class RacedResults(MachineResults):
    """What a search and a race say of how candidates are stopped early."""

    baseline: str | None
    method: str
    block: int
    unit: str
    error: float


class RaceResults(RacedResults):
    """A race of the declared trials of an experiment."""

    claims: int
    calls: CallCounts
    race: RaceSummary | None = Field(description="null where the run ended before the race did.")
    candidates: tuple[Candidate, ...]
    decision: Decision
    notes: tuple[str, ...] = ()


class StudyTrial(Part):
    """One setting that was tried."""

    number: int
    state: str = Field(description="told, undefined, failed, duplicate or running")
    setting: dict[str, Value]
    values: dict[str, float | None] = Field(default_factory=dict)
    candidate: Candidate | None = None
    on_front: bool = False
    reason: str | None = None


class StudyInfo(Part):
    """The study that the settings come from."""

    name: str
    storage: str
    sampler: str
    tool_version: str
    seed: int
    generation: int
    wanted: int = Field(description="Settings that were to be tried.")
    settings: int | None = Field(description="Settings of the space; null where it has no end.")
    objectives: dict[str, str]
    axes: dict[str, tuple[Value, ...]]


class AxisChange(Part):
    """One axis on which a proposal is not what its base has."""

    axis: str
    value: Value
    text: str | None = Field(default=None, description="The authored text behind the choice.")
    taken_out: bool = Field(default=False, description="A rule that the proposal leaves out.")


class Proposal(Part):
    """The first safe candidate that the search made, as template files."""

    trial: str
    reading: Reading
    number: int
    setting: dict[str, Value]
    base: str
    parents: tuple[str, ...]
    changes: tuple[AxisChange, ...]
    first: bool = Field(description="Whether it comes before every declared trial.")
    against: str | None = Field(default=None, description="The first declared trial.")
    difference: Figure | None = Field(
        default=None, description="Its target minus that of `against`, paired."
    )
    told_apart: bool = False
    experiment: str = Field(description="The experiment that sweeps it, beside search.json.")
    templates: tuple[str, ...]


class SearchResults(RacedResults):
    """A search."""

    study: StudyInfo
    ended: str = Field(description="trials, exhausted, elsewhere, or why the run stopped")
    calls: CallCounts = Field(description="The account of this run.")
    spent: int = Field(
        description="Calls that the search took in all its runs, the last ranking's too, whether "
        "the store had them or not; a call that two trials share counts for both."
    )
    spent_full: int = Field(description="Calls of the full grid of every trial in it.")
    chance_otherwise: float | None = Field(
        description="At most this is the chance that the full grid would have decided a race "
        "otherwise: the sum over the races."
    )
    races: tuple[RaceSummary, ...]
    declared: tuple[Candidate, ...]
    trials: tuple[StudyTrial, ...]
    front: tuple[int, ...]
    importance: dict[str, dict[str, float]]
    no_importance: dict[str, str]
    ranking: tuple[RankRow, ...] = Field(description="Candidates that answered every claim.")
    figures: dict[str, dict[str, Figure]] = Field(description="`trial (reading)` -> figures.")
    decision: Decision
    proposal: Proposal | None = None
    texts: dict[str, dict[str, str]] = Field(
        default_factory=dict, description="axis -> value -> the authored text behind it"
    )
    plots: dict[str, dict[str, Any] | None] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()
