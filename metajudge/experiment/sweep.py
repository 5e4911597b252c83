"""The main job: declared experiment in, results out."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from metajudge.errors import ExperimentError, InputError, Problem, StoreError
from metajudge.experiment.askable import (
    Absent,
    absent_judges,
    from_store_alone,
    refuse_hopeless,
)
from metajudge.experiment.build import Prepared, prepare
from metajudge.experiment.config import ExperimentConfig, read_experiment
from metajudge.experiment.measuring import measure
from metajudge.experiment.outcome import SweepOutcome
from metajudge.gold.validation import validation_problems
from metajudge.judges.judge import Judge
from metajudge.runner.call import RunOutcome, RunReport
from metajudge.runner.door import run_sync
from metajudge.runner.engine import run_calls
from metajudge.runner.limits import Budget, Limits
from metajudge.runner.progress import Observer
from metajudge.runner.store import Store
from metajudge.runner.trial import Plan, plan_calls
from metajudge.verdicts.verdict import Reply

DEFAULT_STORE = Path(".metajudge") / "replies.sqlite"


@dataclass(frozen=True, slots=True)
class Experiment:
    """A declared experiment, read and validated.

    >>> Experiment.from_file("no-such.yaml")
    Traceback (most recent call last):
    ...
    metajudge.errors.ExperimentError: no-such.yaml: ...

    Attributes:
        config: What the file declares.
        path: The file; relative paths in it start from its folder.
    """

    config: ExperimentConfig
    path: Path = field(default=Path("experiment.yaml"))

    @classmethod
    def from_file(cls, path: str | Path) -> Experiment:
        """The experiment of a YAML file, or of a folder with `experiment.yaml` in it.

        Raises:
            ExperimentError: With every fault of the file.
        """
        place = Path(path)
        if place.is_dir():
            place = place / "experiment.yaml"
        return cls(read_experiment(place), place)

    def changed(self, **changes: Any) -> Experiment:
        """The same experiment with other settings, e.g. `repeats=3`.

        Raises:
            ExperimentError: A setting is unknown or out of range.
        """
        raw = self.config.model_dump(by_alias=True) | changes
        where = str(self.path)
        try:
            return replace(self, config=ExperimentConfig.model_validate(raw))
        except ValidationError as error:
            complaints = validation_problems(error, ExperimentConfig, where, lambda _: None)
            raise ExperimentError(complaints) from None

    def prepare(self, limit: int | None = None) -> Prepared:
        """Gold, trials and judges, checked; nothing is asked."""
        return prepare(self.config, self.path, limit)

    def plan(self, prepared: Prepared) -> Plan:
        """Every call of the experiment in the order in which it would go out."""
        return plan_calls(
            prepared.trials,
            prepared.gold,
            prepared.judges,
            with_priors="prior_corrected" in self.config.readings,
        )

    def sweep(
        self,
        *,
        store: str | Path = DEFAULT_STORE,
        limit: int | None = None,
        use_recordings: bool = True,
        observer: Observer | None = None,
        before: Callable[[Plan, Store, Prepared], None] | None = None,
    ) -> SweepOutcome:
        """Ask what is not yet in the store, then measure and rank.

        Running it again asks only what is missing: that is also how a stopped run goes on.

        Args:
            store: The reply store's file.
            limit: Judge at most the first `limit` claims.
            use_recordings: Load the experiment's recordings into the store first.
            observer: Is told how the run goes.
            before: Called with the plan before anything is asked; may raise to stop there.

        Raises:
            InputError: Something the experiment names is faulty.
            ModelFileError: The local model is not here and the store covers no trial as a whole.
            StoreError: The store cannot be used.
        """
        prepared = self.prepare(limit)
        plan = self.plan(prepared)
        with Store(store) as replies:
            absent = self._ready(plan, replies, use_recordings)
            if before is not None:
                before(plan, replies, prepared)
            asked = _Asked(self)
            for spec, judge in prepared.judges.items():
                calls = plan.distinct(spec)
                if spec in absent:
                    outcome = from_store_alone(calls, replies, absent[spec], observer)
                else:
                    outcome = run_sync(calls, judge, replies, asked.limits(spec, judge), observer)
                if asked.is_over_after(outcome):
                    break
        return self.measure(prepared, plan, asked.replies, asked.reports)

    async def sweep_async(
        self,
        *,
        store: str | Path = DEFAULT_STORE,
        limit: int | None = None,
        use_recordings: bool = True,
        observer: Observer | None = None,
    ) -> SweepOutcome:
        """`sweep` for programs with an event loop: notebooks and web services."""
        prepared = self.prepare(limit)
        plan = self.plan(prepared)
        with Store(store) as replies:
            absent = self._ready(plan, replies, use_recordings)
            asked = _Asked(self)
            for spec, judge in prepared.judges.items():
                calls = plan.distinct(spec)
                if spec in absent:
                    outcome = from_store_alone(calls, replies, absent[spec], observer)
                else:
                    try:
                        limits = asked.limits(spec, judge)
                        outcome = await run_calls(calls, judge, replies, limits, observer)
                    finally:
                        await judge.close()
                if asked.is_over_after(outcome):
                    break
        return self.measure(prepared, plan, asked.replies, asked.reports)

    def limits(
        self, judge: Judge, spec: str, before: Sequence[RunReport], elapsed_s: float
    ) -> Limits:
        """Limits of one judge's run: what the budget leaves after the judges before it."""
        budget = self.config.budget
        spent = sum(report.cost_usd or 0.0 for report in before)
        sent = sum(report.sent for report in before)
        ref = next(ref for ref in self.config.judges if ref.spec == spec)
        return Limits(
            deadline_s=ref.timeout_s,
            max_in_flight=ref.max_in_flight,
            budget=Budget(
                usd=None if budget.usd is None else max(budget.usd - spent, 0.0),
                calls=None if budget.calls is None else max(budget.calls - sent, 0),
                minutes=(
                    None if budget.minutes is None else max(budget.minutes - elapsed_s / 60, 1e-9)
                ),
            ),
        )

    def measure(
        self,
        prepared: Prepared,
        plan: Plan,
        replies: Mapping[str, Reply],
        reports: Sequence[RunReport] = (),
    ) -> SweepOutcome:
        """Read, measure and rank stored replies; a pure function of its arguments."""
        results = measure(self.config, prepared, plan, replies, reports)
        return SweepOutcome(results, prepared)

    def _ready(self, plan: Plan, store: Store, use_recordings: bool) -> dict[str, Absent]:
        """Load recordings; the judges that lack replies and cannot be asked here."""
        if use_recordings:
            self._load_recordings(store)
        absent = absent_judges(plan, store)
        refuse_hopeless(plan, store, absent.values())
        return absent

    def _load_recordings(self, store: Store) -> None:
        for name in self.config.recordings:
            path = self.path.parent / name
            try:
                store.load(path)
            except StoreError as error:
                law = f"a recording must be readable: {error}"
                mend = "Correct the path, or take it out of recordings."
                raise InputError(Problem(str(self.path), law, mend, field="recordings")) from None


@dataclass(slots=True)
class _Asked:
    """What the judges of one sweep have answered so far, one judge after the other."""

    experiment: Experiment
    replies: dict[str, Reply] = field(default_factory=dict)
    reports: list[RunReport] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)

    def limits(self, spec: str, judge: Judge) -> Limits:
        elapsed_s = time.monotonic() - self.started
        return self.experiment.limits(judge, spec, self.reports, elapsed_s)

    def is_over_after(self, outcome: RunOutcome) -> bool:
        """Take a judge's answers; whether the judges after it are left alone."""
        self.replies |= outcome.replies
        self.reports.append(outcome.report)
        return outcome.report.stopped in ("interrupted", "budget")
