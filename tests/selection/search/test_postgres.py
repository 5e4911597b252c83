"""Several processes on one study: a real PostgreSQL server, an SQLite file, real processes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

from metajudge.errors import StoreError
from metajudge.selection.search.space import Setting, setting_key
from metajudge.selection.search.study import TemplateStudy
from tests.selection.postgres import PASSWORD, postgres
from tests.selection.searched import figures, spec

ROOT = Path(__file__).parents[3]
PROGRAM = [sys.executable, "-m", "tests.selection.searched"]


@pytest.mark.slow
def test_four_processes_on_postgresql_hand_out_no_setting_twice(tmp_path: Path) -> None:
    with postgres() as base:
        url = base.format(quote(PASSWORD))
        handed_out = _drained(url, tmp_path, 4)
        study = TemplateStudy.open(spec(url))
        _check(study, handed_out, 4)
        _kill_one_and_take_over(study, url)
        _no_more_than_wanted(url, tmp_path, workers=4, most=len(study.trials()) + 10)
        with pytest.raises(StoreError) as caught:
            TemplateStudy.open(spec(base.format("hunter22")))
        assert "hunter22" not in str(caught.value)
        assert "password" in str(caught.value)
        study.close()


def test_two_processes_on_sqlite_hand_out_no_setting_twice(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'search.db'}"
    handed_out = _drained(url, tmp_path, 2)
    _check(TemplateStudy.open(spec(url)), handed_out, 2)


def test_two_processes_on_sqlite_hand_out_no_more_than_wanted(tmp_path: Path) -> None:
    _no_more_than_wanted(f"sqlite:///{tmp_path / 'search.db'}", tmp_path, workers=2, most=11)


def _drained(url: str, folder: Path, workers: int, *most: str) -> list[tuple[int, Setting]]:
    """What processes handed out that began at once on one storage."""
    lists = [folder / f"{worker}.jsonl" for worker in range(workers)]
    commands = [[*PROGRAM, "drain", url, str(path), *most] for path in lists]
    running = [subprocess.Popen(command, cwd=ROOT) for command in commands]
    assert [worker.wait(timeout=300) for worker in running] == [0] * workers
    lines = [line for path in lists for line in path.read_text("utf-8").splitlines()]
    return [(number, setting) for number, setting in map(json.loads, lines)]


def _check(study: TemplateStudy, handed_out: list[tuple[int, Setting]], workers: int) -> None:
    trials = study.trials()
    assert [trial.number for trial in trials] == list(range(len(trials)))
    assert len({trial.owner for trial in trials}) == workers
    numbers = [number for number, _ in handed_out]
    assert len(set(numbers)) == len(numbers)
    keys = [setting_key(setting) for _, setting in handed_out]
    assert len(set(keys)) == len(keys)
    doubles = {trial.number for trial in trials if trial.state == "duplicate"}
    assert set(numbers) | doubles == set(range(len(trials)))
    assert not set(numbers) & doubles
    assert {trial.state for trial in trials} <= {"told", "undefined", "duplicate"}
    assert len(numbers) >= workers * 6


def _no_more_than_wanted(url: str, folder: Path, *, workers: int, most: int) -> None:
    """Processes that reach the end at once go no further; what is beyond waits for more."""
    study = TemplateStudy.open(spec(url))
    before = {setting_key(trial.setting) for trial in study.trials()}
    handed_out = _drained(url, folder, workers, str(most))
    settings = {setting_key(setting) for _, setting in handed_out}
    assert len(settings) == len(handed_out)
    assert len(settings | before) == most
    waiting = [trial.number for trial in study.elsewhere()]
    assert all(number >= most for number in waiting)
    assert study.ask(1, most) == ()
    more = study.ask(1, most + 1)
    assert len(more) == 1
    assert [asked.number for asked in more] == (waiting or [len(study.trials()) - 1])[:1]
    study.close()


def _kill_one_and_take_over(study: TemplateStudy, url: str) -> None:
    """Trials of a process that works are left to it; killed, whoever asks next has them."""
    command = [*PROGRAM, "hold", url]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        held = json.loads(worker.stdout.readline())
        assert [trial.number for trial in study.elsewhere()] == held
        new = study.ask(1)
        worker.kill()
    assert [asked.number for asked in new] == [held[-1] + 1]
    left = study.ask(3)
    assert [asked.number for asked in left] == held
    for asked in (*new, *left):
        study.tell(asked, *figures(asked.setting), {})
    assert study.elsewhere() == ()
