"""Asking judges piece by piece: many small runs on one budget, one store and one account."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from metajudge.errors import ModelFileError
from metajudge.experiment.config import ExperimentConfig, JudgeRef
from metajudge.judges.judge import Judge
from metajudge.runner.absent import from_store_alone, unaskable
from metajudge.runner.call import Call, RunReport
from metajudge.runner.door import OpenDoor
from metajudge.runner.limits import Budget, Limits
from metajudge.runner.progress import Observer
from metajudge.runner.store import Store
from metajudge.verdicts.verdict import Reply


class Asking:
    """Judges of one experiment, asked as often as wanted within its budget.

    Args:
        config: The experiment.
        judges: By name.
        refs: What the experiment says of each judge.
        store: Where replies are kept.
        observer: Is told how the calls go.
        lease_s: How long a call that is under way is left to this process by others that share
            the store, in s; None where nobody else asks.

    Attributes:
        replies: Replies by key, of everything wanted so far.
        reports: One account for each run.
        stopped: The account of the run that ended early; None while more may be asked.
    """

    def __init__(
        self,
        config: ExperimentConfig,
        judges: Mapping[str, Judge],
        refs: Mapping[str, JudgeRef],
        store: Store,
        *,
        observer: Observer | None = None,
        lease_s: float | None = None,
    ) -> None:
        self.replies: dict[str, Reply] = {}
        self.reports: list[RunReport] = []
        self.stopped: RunReport | None = None
        self._config, self._judges, self._refs = config, judges, refs
        self._store, self._observer, self._lease_s = store, observer, lease_s
        self._started, self._door = time.monotonic(), OpenDoor()
        self._answered: set[str] = set()

    def ask(self, calls: Mapping[str, Sequence[Call]]) -> bool:
        """Get replies to calls by judge, those of one judge in the order given.

        What the store has is not asked again. After an early end only the store is read.

        Returns:
            Whether every call was settled: answered, or failed for good.

        Raises:
            ModelFileError: A judge cannot be asked on this machine, and the store lacks replies.
            StoreError: Replies cannot be read or written.
        """
        settled = True
        for name, wanted in calls.items():
            fresh = [call for call in wanted if call.key not in self.replies]
            if not fresh:
                continue
            if self.stopped is None:
                self._run(name, fresh)
            else:
                self.replies |= self._store.get_many([call.key for call in fresh])
            settled = settled and all(call.key in self.replies for call in fresh)
        return settled

    def _run(self, name: str, calls: Sequence[Call]) -> None:
        judge = self._judges[name]
        absent = unaskable(judge, calls, self._store)
        if absent is not None:
            found = from_store_alone(calls, self._store, absent, self._observer)
            self._take(found.replies, found.report)
            raise ModelFileError(absent.sentence)
        outcome = self._door.run(
            calls,
            judge,
            self._store,
            self._limits(name),
            self._observer,
            answered_before=name in self._answered,
        )
        if outcome.report.answered or outcome.report.cache_hits:
            self._answered.add(name)
        self._take(outcome.replies, outcome.report)

    def _take(self, replies: Mapping[str, Reply], report: RunReport) -> None:
        if report.stopped == "budget" and self.reports:
            # Each run is given what was left, so its own words name another number.
            report = replace(report, message=self._config.budget.spent)
        self.replies |= replies
        self.reports.append(report)
        if report.stopped is not None:
            self.stopped = report

    def _limits(self, name: str) -> Limits:
        budget, ref = self._config.budget, self._refs[name]
        whole = Budget(usd=budget.usd, calls=budget.calls, minutes=budget.minutes)
        return Limits(
            deadline_s=ref.timeout_s,
            max_in_flight=ref.max_in_flight,
            budget=whole.left(self.reports, time.monotonic() - self._started),
            lease_s=self._lease_s,
        )

    def close(self) -> None:
        """Give back connections and models."""
        with self._door as door:
            door.close_judges(self._judges.values())
