"""Studies that are killed with -9 and taken up again end with the same trials."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from metajudge.selection.search.study import TemplateStudy
from metajudge.selection.search.trials import KnownTrial
from tests.selection.searched import spec, work

ROOT = Path(__file__).parents[3]
TRIALS = 24
WORK = [sys.executable, "-m", "tests.selection.searched", "work"]


def ended(study: TemplateStudy) -> list[tuple[object, ...]]:
    return [trial._replace(owner="") for trial in study.trials()]


def uninterrupted(sampler: str) -> list[tuple[object, ...]]:
    study = TemplateStudy.open(spec(sampler=sampler))  # type: ignore[arg-type]
    work(study, TRIALS)
    return ended(study)


def run(url: str, sampler: str, trials: int, die: str) -> int:
    """A process of its own, with its own order of hashes; its exit status."""
    command = [*WORK, url, sampler, str(trials), die]
    return subprocess.run(command, cwd=ROOT, check=False, timeout=300).returncode


@pytest.mark.parametrize(
    ("sampler", "deaths"),
    [
        # In the middle of asking, between asking and telling, in the middle of telling.
        ("tpe", ("ask:3", "tell:10", "ask:6", "tell:2")),
        ("nsga2", ("ask:15", "tell:4", "tell:1")),
    ],
)
def test_a_killed_study_ends_with_the_trials_of_one_that_was_not(
    tmp_path: Path, sampler: str, deaths: tuple[str, ...]
) -> None:
    url = f"sqlite:///{tmp_path / 'search.db'}"
    for die in deaths:
        assert run(url, sampler, TRIALS, die) == -signal.SIGKILL
    study = TemplateStudy.open(spec(url, sampler=sampler))  # type: ignore[arg-type]
    work(study, TRIALS)
    owners = {trial.owner for trial in study.trials()}
    assert len(owners) > 2
    assert ended(study) == uninterrupted(sampler)


@pytest.mark.parametrize("where", ["set_trial_user_attr", "set_trial_state_values"])
def test_a_death_while_a_trial_is_being_told_loses_nothing(
    tmp_path: Path, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The outcome is written before the state: half of it is as if nothing had been told."""
    import optuna

    url = f"sqlite:///{tmp_path / 'search.db'}"
    study = TemplateStudy.open(spec(url))
    asked = study.ask(2)

    class PulledError(BaseException):
        """The plug."""

    def pulled(*_: object, **__: object) -> None:
        raise PulledError

    with monkeypatch.context() as patched:
        patched.setattr(optuna.storages._CachedStorage, where, pulled)
        with pytest.raises(PulledError):
            study.tell(asked[0], {"summary_as_idk": 0.9, "kappa": 0.1}, {"over_credit": 1}, {})
    study.close()
    again = TemplateStudy.open(spec(url))
    assert again.ask(2) == asked
    for one in asked:
        again.tell(one, {"summary_as_idk": 0.2, "kappa": 0.6}, {"over_credit": -0.1}, {})
    told: KnownTrial = again.trials()[0]
    assert told.constraints == {"over_credit": -0.1}
    assert told.values == {"summary_as_idk": 0.2, "kappa": 0.6}
    assert again.front() == (0, 1)
