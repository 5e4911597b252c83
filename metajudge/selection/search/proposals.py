"""What a study proposes next: a function of its trials and the next trial's number alone.

A sampler is made anew for every proposal, seeded by the study's seed and the number. A proposal
that repeats a known setting is put aside for an unseen one near it. What was told within a
generation counts from the next one on; until then its trials are as if still running. A study that
is killed anywhere and taken up again therefore proposes what it would have.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from metajudge.selection.search.sampler import CONSTRAINTS, SpaceForm, optuna_quiet, sampler
from metajudge.selection.search.space import Setting, setting_key
from metajudge.selection.search.storage import optuna_state, outcome_values, told_constraints
from metajudge.selection.search.trials import KnownTrial, StudySpec

_TRIES = 2
"""Proposals that are asked for while they repeat known settings."""
_NEIGHBOUR = 1_000_003
"""Sets the seed for settings near a repeated one apart from those of the proposals."""
_GENERATION = ":generation"


Noted: TypeAlias = Callable[[int], Mapping[str, Any]]
"""What earlier proposals wanted to be kept, by number."""


class Proposal(NamedTuple):
    """A new setting, and what the sampler wants to be kept with its trial."""

    setting: Setting
    noted: Mapping[str, Any]


class Proposer:
    """Proposes from a copy of the study in memory, in which the open generation runs."""

    def __init__(self, spec: StudySpec, form: SpaceForm) -> None:
        self._spec = spec
        self._form = form
        self._running: dict[int, int] = {}
        self._copied = 0
        with optuna_quiet() as optuna:
            self._storage = optuna.storages.InMemoryStorage()
            self._study = optuna.create_study(
                storage=self._storage,
                directions=[objective.direction for objective in spec.objectives],
                sampler=sampler(optuna, spec, 0),
            )
            self._study_id = self._storage.get_study_id_from_name(self._study.study_name)

    def propose(
        self,
        trials: Sequence[KnownTrial],
        noted: Noted,
        seen: Collection[str],
        salt: int = 0,
    ) -> Proposal | None:
        """A setting that is not among those seen; None when nothing new was found.

        Args:
            trials: All trials by number; the proposal is for the number after the last.
            noted: What earlier proposals wanted to be kept.
            seen: Keys of the settings that are out.
            salt: Sets processes apart that propose at the same time; 0 for one that is alone.
        """
        number = len(trials)
        first: Proposal | None = None
        with optuna_quiet() as optuna:
            self._copy(optuna, trials, noted)
            for attempt in range(_TRIES):
                found = self._sampled(optuna, self._seed(number, attempt, salt))
                first = first or found
                if setting_key(found.setting) not in seen:
                    return found
        assert first is not None
        random = np.random.default_rng(self._seed(number, _NEIGHBOUR, salt))
        near = self._spec.space.unseen_near(first.setting, seen, random)
        return None if near is None else Proposal(near, first.noted)

    def _seed(self, number: int, attempt: int, salt: int) -> int:
        entropy = np.random.SeedSequence([self._spec.seed, number, attempt, salt])
        return int(entropy.generate_state(1)[0])

    def _sampled(self, optuna: Any, seed: int) -> Proposal:
        """One proposal; the trial it is asked on stays in the copy, failed, which nobody reads."""
        self._study.sampler = sampler(optuna, self._spec, seed)
        trial = self._study.ask()
        number = trial.number
        identity = self._storage.get_trial_id_from_study_id_trial_number(self._study_id, number)
        if self._spec.sampler == "nsga2":
            self._choose_parents(identity)
        setting = self._form.suggested(trial)
        attributes = self._storage.get_trial_system_attrs(identity)
        self._storage.set_trial_state_values(identity, optuna.trial.TrialState.FAIL)
        kept = {name: value for name, value in attributes.items() if name.endswith(_GENERATION)}
        return Proposal(setting, kept)

    def _choose_parents(self, identity: int) -> None:
        """Choose the parents of every generation in order before a child is asked for.

        Parents that were just chosen are in another order than those that were chosen before, so
        that the first child of a generation would depend on when the study was taken up.
        """
        trial = self._storage.get_trial(identity)
        latest = self._study.sampler.get_trial_generation(self._study, trial)
        for generation in range(1, latest + 1):
            self._study.sampler.get_parent_population(self._study, generation)

    def _copy(
        self,
        optuna: Any,
        trials: Sequence[KnownTrial],
        noted: Noted,
    ) -> None:
        """Bring the copy to what counts for the next number."""
        open_from = len(trials) // self._spec.generation * self._spec.generation
        for trial in trials[self._copied :]:
            copied = optuna.trial.create_trial(
                state=optuna.trial.TrialState.RUNNING,
                params=dict(trial.setting),
                distributions=self._form.distributions(trial.setting),
                system_attrs=dict(noted(trial.number)),
            )
            made = self._storage.create_new_trial(self._study_id, template_trial=copied)
            self._running[trial.number] = made
        self._copied = len(trials)
        for number in [number for number in self._running if number < open_from]:
            if trials[number].state != "running":
                self._end(optuna, self._running.pop(number), trials[number])

    def _end(self, optuna: Any, identity: int, trial: KnownTrial) -> None:
        if trial.constraints:
            told = told_constraints(trial.constraints)
            self._storage.set_trial_system_attr(identity, CONSTRAINTS, told)
        state = getattr(optuna.trial.TrialState, optuna_state(trial.state))
        values = outcome_values(self._spec, trial.state, trial.values)
        self._storage.set_trial_state_values(identity, state, values)
