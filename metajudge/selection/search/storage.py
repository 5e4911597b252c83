"""Where a study is kept: opened by URL, trials written whole, every fault told with its mend."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from metajudge.errors import ExperimentError, Problem, short_repr
from metajudge.runner.opening import shown_url
from metajudge.selection.search.opening import opened, reach, storage_faults
from metajudge.selection.search.sampler import CONSTRAINTS, SpaceForm, optuna_quiet
from metajudge.selection.search.space import Setting
from metajudge.selection.search.trials import (
    UNKNOWN_CONSTRAINT,
    KnownTrial,
    Outcome,
    StudySpec,
)

_DECLARED = "metajudge"
_OWNER = "owner"
_OUTCOME = "outcome"
_ENDED_ELSEWHERE = {"state": "failed", "reason": "ended by another tool"}
_OWNERS_STUDY = "{} (owners)"


class StudyStorage:
    """One study in its storage; several processes may have it open.

    Attributes:
        form: The space as Optuna has it.
        shown: The storage's URL without password and query; `memory` without a URL.
    """

    def __init__(self, spec: StudySpec) -> None:
        """Open the storage and the study, or make them.

        Raises:
            StoreError: The storage cannot be opened.
            ExperimentError: The study of this name was declared otherwise.
        """
        self._spec = spec
        self.shown = "memory" if spec.storage is None else shown_url(spec.storage)
        with self._open() as optuna:
            self.form = SpaceForm(optuna, spec.space)
            self._storage, self._dispose = opened(optuna, spec.storage)
            directions = [objective.direction for objective in spec.objectives]
            self._study_id = self._made(optuna, spec.name, directions)
            ways = [way.name.lower() for way in self._storage.get_study_directions(self._study_id)]
            self._owners_id: int | None = None
            self._ended: dict[int, KnownTrial] = {}
            self._noted: dict[int, Mapping[str, Any]] = {}
            self._check(ways == directions)

    def trials(self) -> tuple[KnownTrial, ...]:
        """Every trial by number."""
        with self._open():
            stored = self._storage.get_all_trials(self._study_id, deepcopy=False)
            return tuple(self._ended.get(trial.number) or self._known(trial) for trial in stored)

    def noted(self, number: int) -> Mapping[str, Any]:
        """What the sampler noted of a trial when it was proposed, once `trials` has read it."""
        return self._noted[number]

    def add(self, setting: Setting, owner: str, noted: Mapping[str, Any]) -> int:
        """Write a running trial in one piece; its number."""
        with self._open() as optuna:
            trial = optuna.trial.create_trial(
                state=optuna.trial.TrialState.RUNNING,
                params=dict(setting),
                distributions=self.form.distributions(setting),
                user_attrs={_OWNER: owner},
                system_attrs=dict(noted),
            )
            made = self._storage.create_new_trial(self._study_id, template_trial=trial)
            return int(self._storage.get_trial_number_from_id(made))

    def end(self, number: int, outcome: Outcome) -> bool:
        """Write how a trial ends, its state last; False where it had ended before."""
        with self._open() as optuna:
            state = getattr(optuna.trial.TrialState, optuna_state(outcome.state))
            trial = self._id(number)
            try:
                self._storage.set_trial_user_attr(trial, _OUTCOME, outcome.written())
                if outcome.constraints:
                    told = told_constraints(outcome.constraints)
                    self._storage.set_trial_system_attr(trial, CONSTRAINTS, told)
                values = outcome_values(self._spec, outcome.state, outcome.values)
                return bool(self._storage.set_trial_state_values(trial, state, values))
            except optuna.exceptions.UpdateFinishedTrialError:
                return False

    def owner_changes(self) -> list[dict[str, Any]]:
        """Trials that went from one owner to another, in order: `trial`, `giver`, `taker`."""
        with self._open():
            if self._owners_id is None:
                try:
                    name = _OWNERS_STUDY.format(self._spec.name)
                    self._owners_id = self._storage.get_study_id_from_name(name)
                except KeyError:
                    return []
            changes = self._storage.get_all_trials(self._owners_id, deepcopy=False)
            return [dict(change.user_attrs) for change in changes]

    def change_owner(self, number: int, giver: str, taker: str) -> None:
        """Write that a trial goes to another owner; it does only if `giver` owns it then."""
        with self._open() as optuna:
            if self._owners_id is None:
                name = _OWNERS_STUDY.format(self._spec.name)
                self._owners_id = self._made(optuna, name, ["minimize"])
            change = optuna.trial.create_trial(
                state=optuna.trial.TrialState.FAIL,
                user_attrs={"trial": number, "giver": giver, "taker": taker},
            )
            self._storage.create_new_trial(self._owners_id, template_trial=change)

    def close(self) -> None:
        """Give connections back."""
        self._storage.remove_session()
        self._dispose()

    @contextmanager
    def _open(self) -> Iterator[Any]:
        with optuna_quiet() as optuna, storage_faults(self._spec.storage):
            yield optuna

    def _id(self, number: int) -> int:
        return int(self._storage.get_trial_id_from_study_id_trial_number(self._study_id, number))

    def _known(self, trial: Any) -> KnownTrial:
        ended = trial.state.is_finished()
        told = trial.user_attrs.get(_OUTCOME, _ENDED_ELSEWHERE) if ended else {}
        known = KnownTrial(
            trial.number,
            self.form.restored(trial.params),
            told.get("state", "running"),
            told.get("values", {}),
            told.get("constraints", {}),
            told.get("facts", {}),
            told.get("reason"),
            trial.user_attrs.get(_OWNER, ""),
        )
        if ended:
            self._ended[trial.number] = known
        self._noted[trial.number] = {
            name: value for name, value in trial.system_attrs.items() if name != CONSTRAINTS
        }
        return known

    def _made(self, optuna: Any, name: str, directions: Sequence[str]) -> int:
        ways = [getattr(optuna.study.StudyDirection, word.upper()) for word in directions]
        try:
            return int(self._storage.create_new_study(ways, study_name=name))
        except optuna.exceptions.DuplicatedStudyError:
            return int(self._storage.get_study_id_from_name(name))

    def _check(self, same_directions: bool) -> None:
        """Note what is declared, or compare it with what was."""
        declared = json.loads(_text(self._spec.declared()))
        known = self._storage.get_study_user_attrs(self._study_id).get(_DECLARED)
        empty = same_directions and not self._storage.get_n_trials(self._study_id)
        if known is None and empty:
            self._storage.set_study_user_attr(self._study_id, _DECLARED, declared)
            known = self._storage.get_study_user_attrs(self._study_id)[_DECLARED]
        where = f"study {self._spec.name!r} in {self.shown}"
        mend = "Give search.study another name, or declare it as before; its trials stay."
        if known is None:
            raise ExperimentError(Problem(where, "was not made by metajudge", mend))
        problems = [
            Problem(
                where,
                f"goes on as declared: {short_repr(before)}",
                mend,
                field=field,
                got=short_repr(after),
            )
            for field, before, after in _differing(known, declared)
        ]
        if problems:
            raise ExperimentError(problems)


def check_storage(url: str) -> None:
    """That a storage can be opened, before anything is asked; nothing is made in it.

    Raises:
        StoreError: As the study's opening would.
    """
    with optuna_quiet(), storage_faults(url):
        reach(url)


def optuna_state(state: str) -> str:
    """The library's word for how a trial ended; `undefined` still teaches which way not to go."""
    return {"told": "COMPLETE", "undefined": "PRUNED"}.get(state, "FAIL")


def outcome_values(
    spec: StudySpec, state: str, values: Mapping[str, float | None]
) -> list[float] | None:
    """Values of a told trial in the order of the objectives; None of any other."""
    if state != "told":
        return None
    told = [values[objective.name] for objective in spec.objectives]
    return [value for value in told if value is not None]


def told_constraints(constraints: Mapping[str, float | None]) -> list[float]:
    """As samplers take them; one that is not known counts as broken."""
    return [UNKNOWN_CONSTRAINT if value is None else value for value in constraints.values()]


def differences(
    known: Mapping[str, Any], declared: Mapping[str, Any], path: str = ""
) -> Iterator[tuple[str, object, object]]:
    """Where two declarations differ: field, what it was, and what it is.

    >>> list(differences({"seed": 1, "space": {"a": 1}}, {"seed": 2, "space": {"a": 1}}))
    [('seed', 1, 2)]
    """
    for name in dict.fromkeys([*known, *declared]):
        before, after = known.get(name, "absent"), declared.get(name, "absent")
        field = f"{path}{name}"
        if _text(before) == _text(after):
            continue
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            yield from differences(before, after, f"{field}.")
        else:
            yield field, before, after


def _differing(
    known: Mapping[str, Any], declared: Mapping[str, Any]
) -> Iterator[tuple[str, object, object]]:
    """As `differences`, and what differs behind two fingerprints where the study noted it."""
    parts = known.get("parts", {}), declared.get("parts", {})
    for found in differences({**known, "parts": 0}, {**declared, "parts": 0}):
        named = list(differences(*parts)) if found[0] == "fingerprint" and parts[0] else []
        yield from named or [found]


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
