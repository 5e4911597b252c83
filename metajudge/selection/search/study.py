"""A study: settings are handed out, what was measured is told, and it goes on where it was.

Several processes may work on one study at once. Trials are written whole, so their order settles
who was first: of two with the same setting the lower number stands, the other is marked as its
duplicate and handed out to nobody. Where a study ends after so many settings, the lowest numbers
are those; what processes write beyond at the same time waits until more are wanted. A trial belongs
to the process that took it; those of a process that is gone are handed out again with their setting
before anything new is.
"""

from __future__ import annotations

import weakref
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from metajudge.runner.owner import at_work, is_gone, let_go, take_on
from metajudge.selection.front import pareto_front
from metajudge.selection.search.plots import importances, study_figures
from metajudge.selection.search.proposals import Proposer
from metajudge.selection.search.space import Setting, setting_key
from metajudge.selection.search.storage import StudyStorage
from metajudge.selection.search.trials import (
    AskedTrial,
    Importances,
    KnownTrial,
    Outcome,
    State,
    StudySpec,
    finite,
    has_room,
)

_NOBODY = ""


class TemplateStudy:
    """A study that is open in this process, for one thread of it.

    Attributes:
        spec: As declared.
        shown: Where it is kept, without password; `memory` without a URL.
        exhausted: The last `ask` found no new setting.
    """

    def __init__(self, spec: StudySpec) -> None:
        """Open or make the study; see `open`."""
        self.spec = spec
        self.exhausted = False
        self._storage = StudyStorage(spec)
        self.shown = self._storage.shown
        self._proposer = Proposer(spec, self._storage.form)
        self._size = spec.space.size()
        self._owner = take_on()
        self._held: dict[int, Setting] = {}
        self._keys: list[str] = []
        weakref.finalize(self, let_go, self._owner)

    @classmethod
    def open(cls, spec: StudySpec) -> TemplateStudy:
        """Make a study, or go on with the one of this name.

        Raises:
            StoreError: Its storage cannot be opened or used.
            ExperimentError: It was declared otherwise; names each difference.
        """
        return cls(spec)

    def close(self) -> None:
        """Let go of what is not told yet, so that others may take it over; then it is not used."""
        let_go(self._owner)
        self._held.clear()
        self._storage.close()

    def ask(self, count: int, most: int | None = None) -> tuple[AskedTrial, ...]:
        """Settings to be measured: first those left by processes that are gone, then new ones.

        Fewer than `count` at the end of a generation that this process holds trials of: tell them
        first. Fewer, or none, when the space is exhausted (`exhausted` says so), and when the study
        has as many settings as it is to have.

        Args:
            count: At most this many, at least 1.
            most: Settings that the study is to have in all, those of every process counted;
                None has no end.
        """
        self.exhausted = False
        trials = self._storage.trials()
        asked = self._taken_over(trials, count, most)
        while len(asked) < count and not self._held_before(len(trials)):
            made = self._new(trials) if has_room(trials, most) else None
            if made is None:
                break
            trials = self._storage.trials()
            if not self._first_with_its_setting(made, trials[len(self._keys) :]):
                continue
            if not has_room(trials[: made.number], most):
                self._storage.change_owner(made.number, self._owner, _NOBODY)
                break
            self._held[made.number] = made.setting
            asked.append(made)
        return tuple(asked)

    def tell(
        self,
        asked: AskedTrial,
        values: Mapping[str, float | None],
        constraints: Mapping[str, float | None],
        facts: Mapping[str, Any],
    ) -> bool:
        """What was measured of a trial.

        Args:
            asked: As handed out.
            values: By objective. One that is missing, None, nan or infinite leaves the trial
                `undefined`; the others are kept.
            constraints: By guardrail, above 0 where it is broken; None or nan is not known, which
                does not count as kept.
            facts: Whatever should be kept with the trial, plain JSON.

        Returns:
            False where the trial had been ended by another process; then nothing changes.

        Raises:
            ValueError: The trial is not held by this process, or a value is of no objective.
            TypeError: A fact is not plain JSON.
        """
        names = [objective.name for objective in self.spec.objectives]
        strange = sorted(set(values) - set(names))
        if strange:
            raise ValueError(f"values of no objective of the study: {strange}")
        told = {name: finite(values.get(name)) for name in names}
        missing = [name for name in names if told[name] is None]
        reason = f"undefined: {', '.join(missing)}" if missing else None
        state: State = "undefined" if missing else "told"
        bounds = {name: finite(value) for name, value in constraints.items()}
        return self._end(asked, Outcome(state, told, bounds, facts, reason))

    def fail(self, asked: AskedTrial, reason: str, facts: Mapping[str, Any] | None = None) -> bool:
        """A trial ended in an error: kept with the reason, never as a value, never asked again.

        Raises:
            ValueError: The trial is not held by this process.
        """
        return self._end(asked, Outcome("failed", {}, {}, facts or {}, reason))

    def abandon(self, asked: AskedTrial) -> None:
        """Hand a trial back unmeasured, as when a budget is spent: the next `ask` hands it out.

        Raises:
            ValueError: The trial is not held by this process.
        """
        self._release(asked)
        self._storage.change_owner(asked.number, self._owner, _NOBODY)

    def take_over(self, number: int) -> AskedTrial | None:
        """Take a running trial from another owner, whether or not that one is known to be gone.

        For trials of another host or container, of which nobody here can know whether it works.

        Returns:
            None where it is not running, or another process took it first.
        """
        trials = self._storage.trials()
        if trials[number].state != "running" or number in self._held:
            return None
        return self._taken(trials, number, self._owners(trials)[number])

    def trials(self) -> tuple[KnownTrial, ...]:
        """Every trial of every process by number, duplicates and failures too."""
        return self._storage.trials()

    def elsewhere(self) -> tuple[KnownTrial, ...]:
        """Running trials that this process does not hold, with their owners of now."""
        trials = self._storage.trials()
        owners = self._owners(trials)
        return tuple(
            trial._replace(owner=owners[trial.number])
            for trial in trials
            if trial.number in owners and trial.number not in self._held
        )

    def front(self) -> tuple[int, ...]:
        """Numbers of the trials told that keep every guardrail and that no other of them beats."""
        told = [trial for trial in self.trials() if trial.state == "told" and trial.feasible]
        if not told:
            return ()
        signs = [
            1 if objective.direction == "minimize" else -1 for objective in self.spec.objectives
        ]
        names = [objective.name for objective in self.spec.objectives]
        points = np.array([[trial.values[name] for name in names] for trial in told], np.float64)
        kept = pareto_front(points * signs)
        return tuple(trial.number for trial, on in zip(told, kept, strict=True) if on)

    def importances(self) -> Importances:
        """How much each dimension decides about each objective, as the trials told show it."""
        return importances(self.spec, self.trials())

    def figures(self) -> dict[str, dict[str, Any] | None]:
        """Optuna's plots as plain Plotly JSON: `front`, `importance`, `history`; None without."""
        return study_figures(self.spec, self.trials())

    def _new(self, trials: Sequence[KnownTrial]) -> AskedTrial | None:
        """Write a new trial; None when the space is exhausted."""
        self._keys += [setting_key(trial.setting) for trial in trials[len(self._keys) :]]
        seen = set(self._keys)
        full = self._size is not None and len(seen) >= self._size
        proposal = (
            None
            if full
            else self._proposer.propose(trials, self._storage.noted, seen, self._salt(trials))
        )
        self.exhausted = proposal is None
        if proposal is None:
            return None
        number = self._storage.add(proposal.setting, self._owner, proposal.noted)
        return AskedTrial(number, proposal.setting)

    def _salt(self, trials: Sequence[KnownTrial]) -> int:
        """0 unless other processes are at work, which should not propose the same as this one."""
        others = {trial.owner for trial in trials} - {self._owner}
        elsewhere = any(t.state == "running" and t.number not in self._held for t in trials)
        alone = not elsewhere and not any(at_work(owner) for owner in others)
        return 0 if alone else zlib.crc32(self._owner.encode())

    def _first_with_its_setting(self, asked: AskedTrial, others: Sequence[KnownTrial]) -> bool:
        """Whether no lower number among others has the setting; else it is marked a duplicate.

        Lower numbers are all there: storages give numbers one after the other, each with what is
        written under it.
        """
        key = setting_key(asked.setting)
        for other in others:
            if other.number < asked.number and setting_key(other.setting) == key:
                reason = f"same setting as trial {other.number}"
                self._storage.end(asked.number, Outcome("duplicate", {}, {}, {}, reason))
                return False
        return True

    def _held_before(self, number: int) -> bool:
        """Whether trials of a generation before that of `number` are held here untold."""
        opened = number // self.spec.generation
        return any(held // self.spec.generation < opened for held in self._held)

    def _taken_over(
        self, trials: Sequence[KnownTrial], count: int, most: int | None
    ) -> list[AskedTrial]:
        owners = self._owners(trials)
        taken: list[AskedTrial] = []
        for number, owner in owners.items():
            if len(taken) >= count or not has_room(trials[:number], most):
                break
            if number not in self._held and is_gone(owner):
                asked = self._taken(trials, number, owner)
                taken += [] if asked is None else [asked]
        return taken

    def _taken(self, trials: Sequence[KnownTrial], number: int, giver: str) -> AskedTrial | None:
        self._storage.change_owner(number, giver, self._owner)
        asked = AskedTrial(number, trials[number].setting)
        owner = self._owners(trials[number : number + 1])[number]
        if owner != self._owner or not self._first_with_its_setting(asked, trials[:number]):
            return None
        self._held[number] = asked.setting
        return asked

    def _owners(self, trials: Sequence[KnownTrial]) -> dict[int, str]:
        """Who owns each running trial now: changes count in order, from the owner they name."""
        owners = {trial.number: trial.owner for trial in trials if trial.state == "running"}
        if any(number not in self._held for number in owners):
            for change in self._storage.owner_changes():
                if owners.get(change["trial"]) == change["giver"]:
                    owners[change["trial"]] = change["taker"]
        return owners

    def _end(self, asked: AskedTrial, outcome: Outcome) -> bool:
        self._release(asked)
        return self._storage.end(asked.number, outcome)

    def _release(self, asked: AskedTrial) -> None:
        if self._held.pop(asked.number, None) is None:
            raise ValueError(f"trial {asked.number} is not held by this process")
