"""The state of a watch: one JSON file, written whole, that only one release and canary may use."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, ValidationError, model_validator

from metajudge.agreement.eprocess import (
    BETS,
    EVEN_BETS,
    EProcess,
    begun,
    log_combined,
    log_evidence,
    updated,
)
from metajudge.errors import Problem, ReleaseError
from metajudge.gold.appended import UtcTime, alone_in
from metajudge.gold.validation import validation_problems
from metajudge.report.figure import rounded
from metajudge.report.part import Part, VerdictCode
from metajudge.report.written_file import write_whole

FORMAT: Literal["metajudge-watch/1"] = "metajudge-watch/1"
ComponentName = Literal["verdicts", "over_credit", "coverage"]
WEIGHTS: dict[ComponentName, float] = {"verdicts": 0.7, "over_credit": 0.2, "coverage": 0.1}
"""Shares of the evidence; those of components that a canary cannot have fall to the others."""
LARGEST_LOG = 100.0
"""Evidence beyond e to the 100 is written as this; an alarm has long been raised then."""
LOG_RANGE = 1e9
SLACK = 1e-5
"""By how much a log of evidence may differ from what the rounded numbers in a file make."""

AlarmKind = Literal["identity", "prompt", "verdicts"]
NoiseSource = Literal["declared", "evidence", "two_draws"]


class ChangedClaim(Part):
    """A claim with another verdict than the release has stored."""

    claim_id: str
    was: VerdictCode
    now: VerdictCode


Finite = Annotated[float, Field(allow_inf_nan=False)]
Log = Annotated[float, Field(allow_inf_nan=False, ge=-LOG_RANGE, le=LOG_RANGE)]
Count = Annotated[int, Field(ge=0, le=10**9)]


class Run(Part):
    """One run of a watch."""

    time: UtcTime
    contexts: Count
    claims: Count
    draws: Count
    """Draws a claim."""
    changed: Count
    """Claims whose verdict is another one in some draw; an unreadable reply counts as another."""
    credited: Count
    """Claims that gold does not call yes, and that are called yes now but were not."""
    unreadable: Count
    """Claims whose reply could not be read, and could be before."""
    unanswered: Count
    """Claims without an answer: they count as unchanged."""
    counted: bool
    """Whether the evidence was moved."""
    note: str = ""
    """Why it was not."""
    e: Finite
    """The evidence after the run."""
    changes: tuple[ChangedClaim, ...] = ()


class Component(Part):
    """One e-process."""

    null_mean: Annotated[float, Field(gt=0, lt=1)]
    """Highest mean of its outcomes while nothing changed."""
    bets: Annotated[tuple[Annotated[float, Field(gt=0, lt=1)], ...], Field(min_length=1)]
    """Shares that are at stake in one outcome."""
    batches: Count = 0
    log_wealth: tuple[Log, ...] = ()
    """Natural log of the money behind each bet; () before the first batch."""
    log_e: Log = 0.0
    """Natural log of its evidence."""

    @model_validator(mode="after")
    def _adds_up(self) -> Component:
        if len(self.log_wealth) != (len(self.bets) if self.batches else 0):
            raise ValueError("has one number of log_wealth a bet once it has batches, else none")
        if abs(self.log_e - float(log_evidence(self._process()))) > SLACK:
            raise ValueError("has the log_e that its log_wealth and batches make")
        return self

    def _process(self) -> EProcess:
        if not self.batches:
            return begun(self.bets)
        return EProcess(self.bets, self.batches, np.array(self.log_wealth))

    @classmethod
    def fresh(cls, null_mean: float, *, even: bool = False) -> Component:
        """Before the first batch; `even` where a null mean of one half says nothing changed."""
        return cls(null_mean=null_mean, bets=EVEN_BETS if even else BETS)

    def after(self, outcomes: tuple[float, ...]) -> Component:
        """With one more batch; outcomes as in `metajudge.agreement.eprocess.updated`."""
        moved = updated(self._process(), outcomes, self.null_mean)
        return Component(
            null_mean=self.null_mean,
            bets=self.bets,
            batches=moved.batches,
            log_wealth=tuple(rounded(float(log)) for log in moved.log_wealth),
            log_e=rounded(float(log_evidence(moved))),
        )


class Alarm(Part):
    """Why a watch calls for people."""

    time: UtcTime
    kind: AlarmKind
    told: tuple[str, ...]
    """One line a reason."""


class Acknowledgement(Part):
    """What people said when they ended a series."""

    time: UtcTime
    why: str


class Series(Part):
    """Runs whose evidence adds up, from a fresh start to an alarm or to now."""

    started: UtcTime
    components: Annotated[dict[ComponentName, Component], Field(min_length=1)]
    runs: tuple[Run, ...] = ()
    alarm: Alarm | None = None
    ended: Acknowledgement | None = None

    @model_validator(mode="after")
    def _adds_up(self) -> Series:
        if any(component.batches != self.counted for component in self.components.values()):
            raise ValueError("every component has as many batches as runs are counted")
        return self

    @property
    def log_e(self) -> float:
        """Natural log of the evidence of all components together."""
        names = list(self.components)
        logs = [self.components[name].log_e for name in names]
        return float(log_combined(logs, [WEIGHTS[name] for name in names]))

    @property
    def e(self) -> float:
        """The evidence, capped at e to the 100."""
        return math.exp(min(self.log_e, LARGEST_LOG))

    @property
    def counted(self) -> int:
        """Runs that moved the evidence."""
        return sum(run.counted for run in self.runs)


class Noise(Part):
    """How often the pinned judge changes its own verdict."""

    source: NoiseSource
    limit: Annotated[float, Field(gt=0, lt=0.5)] | None
    """Upper limit of the share of changed verdicts; null where each run measures it by a second
    draw of every claim."""


class CanaryPin(Part):
    """The claims that are asked again."""

    name: str
    version: str
    sha256: str
    """Of the claims that the release has verdicts on."""
    claims: int
    contexts: int


class WatchState(Part):
    """The whole file."""

    format: Literal["metajudge-watch/1"] = FORMAT
    release: str
    """`name@version`."""
    release_sha256: str
    canary: CanaryPin
    alpha: Annotated[float, Field(gt=0, lt=1)]
    noise: Noise
    series: Annotated[tuple[Series, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _goes_on(self) -> WatchState:
        if [series.ended is None for series in self.series] != [False] * (len(self.series) - 1) + [
            True
        ]:
            raise ValueError("series: every one but the last has ended")
        return self

    @property
    def now(self) -> Series:
        """The series that is running."""
        return self.series[-1]

    @property
    def runs(self) -> int:
        """Runs of all series."""
        return sum(len(series.runs) for series in self.series)

    def with_series(self, series: Series) -> WatchState:
        """With the running series replaced."""
        return self.model_copy(update={"series": (*self.series[:-1], series)})

    def restarted(self, why: str, time: str) -> WatchState:
        """With the running series ended for a reason, and a new one begun."""
        ended = self.now.model_copy(update={"ended": Acknowledgement(time=time, why=why)})
        fresh = {
            name: Component(null_mean=component.null_mean, bets=component.bets)
            for name, component in self.now.components.items()
        }
        new = Series(started=time, components=fresh)
        return self.model_copy(update={"series": (*self.series[:-1], ended, new)})


def read_state(path: Path) -> WatchState | None:
    """The state in a file; None where there is no file.

    Raises:
        ReleaseError: It cannot be read, or is none.
    """
    mend = "Name another file with --state, or move this one away to begin anew."
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        law = f"the state of the watch cannot be read: {error.strerror or type(error).__name__}"
        raise ReleaseError(Problem(str(path), law, mend)) from error
    try:
        return WatchState.model_validate_json(raw)
    except ValidationError as error:
        found = validation_problems(error, WatchState, str(path), lambda _: None)
        raise ReleaseError([*found, Problem(str(path), "this is no state of a watch", mend)]) from (
            error
        )


def check_writable(path: Path) -> None:
    """Proves that a state can be written, before a judge is paid for.

    Raises:
        ReleaseError: Its folder cannot be made or written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        law = f"the state cannot be written: {error.strerror or type(error).__name__}"
        raise ReleaseError(Problem(str(path), law, "Name another file with --state.")) from error


def write_state(path: Path, state: WatchState, before: WatchState | None) -> None:
    """Writes the state, unless the file is no longer as it was read.

    Args:
        path: The file.
        state: The new state.
        before: The state as it was read; None where there was no file.

    Raises:
        ReleaseError: Another run wrote it meanwhile.
        InputError: It cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with alone_in(path.parent):
        if read_state(path) != before:
            law = "two runs of one watch at a time: another one has written the state meanwhile"
            mend = "This run is not counted; run the same command again."
            raise ReleaseError(Problem(str(path), law, mend))
        write_whole(path, state.model_dump_json(indent=1) + "\n")
