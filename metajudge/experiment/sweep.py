"""The main job: declared experiment in, results out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from metajudge.errors import ExperimentError, InputError, Problem, StoreError
from metajudge.experiment.askable import absent_judges, refuse_hopeless
from metajudge.experiment.build import Prepared, gold_path, prepare
from metajudge.experiment.config import ExperimentConfig, JudgeRef, read_experiment
from metajudge.experiment.confirm import (
    Answered,
    confirmation,
    find_candidate,
    held_on_test,
    measured,
    read_test,
    unlabelled_test,
    unsealed,
    with_dev_priors,
)
from metajudge.experiment.fingerprint import config_sha256
from metajudge.experiment.measuring import measure
from metajudge.experiment.outcome import SweepOutcome
from metajudge.experiment.split_check import no_split, not_on_dev, unsealed_note
from metajudge.experiment.study import Study, plan_study
from metajudge.gold.goldset import load_goldset
from metajudge.gold.ledger import read_ledger, record_sweep
from metajudge.gold.validation import validation_problems
from metajudge.judges.judge import Judge
from metajudge.report.results import Results
from metajudge.runner.absent import Absent, from_store_alone, obstacle
from metajudge.runner.call import Call, RunOutcome, RunReport
from metajudge.runner.door import run_sync
from metajudge.runner.engine import run_calls
from metajudge.runner.limits import Budget, Limits
from metajudge.runner.progress import Observer
from metajudge.runner.store import Store
from metajudge.templates.reading_names import reading_named
from metajudge.verdicts.verdict import Reply
from metajudge.version import __version__

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
        prepared = prepare(self.config, self.path, limit)
        note = unsealed_note(self.config, prepared.gold)
        return prepared if note is None else replace(prepared, notes=(*prepared.notes, note))

    def check_test_split(self) -> None:
        """Whether there is a sealed test split to confirm on, before anything is asked.

        Raises:
            InputError: The gold set has no split or is faulty, or gold.split is not dev.
        """
        place, columns = gold_path(self.config, self.path.parent), self.config.gold.columns
        if load_goldset(place, columns=columns or None).manifest.split is None:
            raise ExperimentError(no_split(place))
        if self.config.gold.split != "dev":
            raise ExperimentError(not_on_dev(self.config, self.path))

    def check_candidate(self, name: str) -> None:
        """Whether the experiment has a candidate of this name, before anything is asked.

        Raises:
            InputError: It has none, or the experiment is faulty.
        """
        find_candidate(self.config, self.path, self.prepare(), name)

    def plan(self, prepared: Prepared, replies: Mapping[str, Reply] | None = None) -> Study:
        """Every call of the experiment in the order in which it would go out.

        Args:
            prepared: What is asked.
            replies: Replies to the extractions of the context form `truths`, by key.
        """
        priors = any(reading_named(name).asks_blank for name in self.config.readings)
        return plan_study(prepared, replies, with_priors=priors)

    def sweep(
        self,
        *,
        store: str | Path = DEFAULT_STORE,
        limit: int | None = None,
        use_recordings: bool = True,
        observer: Observer | None = None,
        before: Callable[[Study, Store, Prepared], None] | None = None,
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
        with Store(store) as replies:
            if use_recordings:
                self.load_recordings(replies)
            prepared = self._record_read(prepared)
            run = Run(self, prepared, replies)
            if before is not None:
                before(run.study, replies, prepared)
            run.ask(observer)
        return self.measure(prepared, run.study, run.replies, run.reports)

    def confirm(
        self,
        outcome: SweepOutcome,
        *,
        candidate: str | None = None,
        store: str | Path = DEFAULT_STORE,
        use_recordings: bool = True,
        observer: Observer | None = None,
    ) -> Results:
        """The results with the winner held against the baseline on the sealed test split.

        A label prior that a reading divides out is the one that the dev replies gave.

        The judges are asked first, and about claims without labels; what then reads the labels is
        recorded in the gold set's ledger before one is seen, every time.

        Args:
            outcome: What `sweep` found on the dev split.
            candidate: `trial` (its first reading) or `trial (reading)`, to confirm a candidate that
                was not chosen, or to measure the baseline alone; None for the winner.
            store: The reply store's file; it holds what the sweep was told.
            use_recordings: Load the experiment's recordings into the store first.
            observer: Is told how the run goes.

        Raises:
            ExperimentError: There is nothing to confirm, or the run ended before it was answered.
            GoldError: The read cannot be recorded.
            StoreError: The store cannot be used.
        """
        named = None
        if candidate is not None:
            named = find_candidate(self.config, self.path, outcome.prepared, candidate)
        keys = held_on_test(self.config, self.path, outcome.results, named)
        blind = unlabelled_test(self.config, self.path, outcome.prepared, keys)
        with Store(store) as replies:
            if use_recordings:
                self.load_recordings(replies)
            run = Run(self, blind, replies)
            run.ask(observer)
            before = Run(self, with_dev_priors(outcome.prepared, keys), replies).study
            dev = Answered(before.main, replies.get_many(before.keys))
        _refuse_stopped(run.reports, self.path)
        # Without labels, so that a reading which cannot be had costs no read of them.
        read_test(keys, dev, Answered(run.study.main, run.replies))
        prepared = unsealed(self.config, self.path, outcome.prepared, keys)
        test = Answered(self.plan(prepared, run.replies).main, run.replies)
        found = measured(self.config, keys, prepared, read_test(keys, dev, test))
        results, selection = outcome.results, outcome.results.selection
        confirmed = confirmation(self.config, self.path, keys, prepared, results, found=found)
        if selection is None:
            return results
        told = {"confirmation": confirmed, "test_reads": confirmed.reads}
        return results.model_copy(update={"selection": selection.model_copy(update=told)})

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
        with Store(store) as replies:
            if use_recordings:
                self.load_recordings(replies)
            prepared = self._record_read(prepared)
            run = Run(self, prepared, replies)
            for step in run.steps():
                if step.absent is not None:
                    run.take(from_store_alone(step.calls, replies, step.absent, observer))
                    continue
                try:
                    limits = run.limits(step)
                    run.take(await run_calls(step.calls, step.judge, replies, limits, observer))
                finally:
                    await step.judge.close()
        return self.measure(prepared, run.study, run.replies, run.reports)

    def limits(self, ref: JudgeRef, before: Sequence[RunReport], elapsed_s: float = 0.0) -> Limits:
        """Limits of one judge's run: what the budget leaves after the runs before it."""
        budget = self.config.budget
        whole = Budget(usd=budget.usd, calls=budget.calls, minutes=budget.minutes)
        return Limits(
            deadline_s=ref.timeout_s,
            max_in_flight=ref.max_in_flight,
            budget=whole.left(before, elapsed_s),
        )

    def measure(
        self,
        prepared: Prepared,
        plan: Study,
        replies: Mapping[str, Reply],
        reports: Sequence[RunReport] = (),
    ) -> SweepOutcome:
        """Read, measure and rank stored replies; a pure function of its arguments."""
        results = measure(self.config, prepared, plan, replies, reports)
        return SweepOutcome(results, prepared, plan.keys)

    def _record_read(self, prepared: Prepared) -> Prepared:
        """Put it on record when a sweep is about to see test labels: it then has no seal to break.

        Gives what was prepared, with this read counted.

        Raises:
            GoldError: The read cannot be recorded.
        """
        gold, split = prepared.gold, self.config.gold.split
        if gold.manifest.split is None or split == "dev" or gold.path is None:
            return prepared
        names = [trial.name for trial in prepared.trials]
        record_sweep(
            gold,
            experiment=self.config.name,
            experiment_sha256=config_sha256(self.config),
            candidates=names,
            package_version=__version__,
        )
        return replace(prepared, test_reads=len(read_ledger(gold.path)))

    def load_recordings(self, store: Store) -> None:
        """Take the replies of the declared recordings into a store.

        Raises:
            InputError: A recording cannot be read.
        """
        for name in self.config.recordings:
            path = self.path.parent / name
            try:
                store.load(path)
            except StoreError as error:
                law = f"a recording must be readable: {error}"
                mend = "Correct the path, or take it out of recordings."
                raise InputError(Problem(str(self.path), law, mend, field="recordings")) from None


def _refuse_stopped(reports: Sequence[RunReport], path: Path) -> None:
    stopped = next((report for report in reports if report.stopped), None)
    if stopped is not None:
        why = (stopped.message or str(stopped.stopped)).rstrip(".")
        law = f"the confirmation stopped early: {why}"
        mend = "Run it again: replies are kept, and no test label was read."
        raise ExperimentError(Problem(str(path), law, mend))


class _Step(NamedTuple):
    """Calls of one judge that go out together; `absent` where the judge cannot be asked."""

    name: str
    judge: Judge
    calls: list[Call]
    absent: Absent | None


class Run:
    """One sweep under way: what is to ask next, and what the judges have answered so far.

    Attributes:
        study: Every call known so far.
        replies: Replies by key.
        reports: One account a step.
    """

    def __init__(self, experiment: Experiment, prepared: Prepared, store: Store) -> None:
        self.experiment, self.prepared, self.store = experiment, prepared, store
        self.replies: dict[str, Reply] = {}
        self.reports: list[RunReport] = []
        self._started = time.monotonic()
        self._over = False
        self.study = experiment.plan(prepared)
        if self.study.truths:
            self.replies = store.get_many(
                [c.key for name in self.study.truths for c in self.study.extractions(name)]
            )
            self.study = experiment.plan(prepared, self.replies)

    def steps(self) -> Iterator[_Step]:
        """Extractions first, then verdicts; ends when the run was stopped.

        Raises:
            ModelFileError: No judge can be asked, and the store covers no trial as a whole.
        """
        judges = self.prepared.judges
        for name in self.study.truths:
            calls = self.study.extractions(name)
            if self.study.waiting and not self._over and obstacle(judges[name].spec) is None:
                yield _Step(name, judges[name], calls, None)
            else:
                self._take_stored(calls)
        if self.study.waiting:
            self.study = self.experiment.plan(self.prepared, self.replies)
        absent = absent_judges(self.study, judges, self.store)
        refuse_hopeless(self.study, self.store, absent.values())
        for name, judge in judges.items():
            calls = self.study.distinct(name)
            if self._over:
                self._take_stored(calls)
            elif calls or name in absent:
                yield _Step(name, judge, calls, absent.get(name))

    def ask(self, observer: Observer | None) -> None:
        """Take every step, for programs without an event loop."""
        for step in self.steps():
            self.take(
                from_store_alone(step.calls, self.store, step.absent, observer)
                if step.absent is not None
                else run_sync(step.calls, step.judge, self.store, self.limits(step), observer)
            )

    def limits(self, step: _Step) -> Limits:
        """What the budget leaves for a step."""
        elapsed_s = time.monotonic() - self._started
        return self.experiment.limits(self.prepared.refs[step.name], self.reports, elapsed_s)

    def take(self, outcome: RunOutcome) -> None:
        """Take a step's answers; whether the run is over."""
        report = outcome.report
        if report.stopped == "budget" and self.reports:
            # A later step was given what was left, so its own words name another number.
            report = replace(report, message=self.experiment.config.budget.spent)
        self.replies |= outcome.replies
        self.reports.append(report)
        self._over = report.stopped in ("interrupted", "budget")

    def _take_stored(self, calls: Sequence[Call]) -> None:
        """What the store holds of calls that are not to be asked now."""
        known = self.store.get_many([call.key for call in calls])
        self.replies |= known
        self.reports.append(RunReport(asked=len(calls), cache_hits=len(known)))
