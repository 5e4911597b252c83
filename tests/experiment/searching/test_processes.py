"""Acceptance 3: several processes at one search share its settings out and ask no call twice."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from urllib.parse import quote

import pytest

from metajudge.experiment.searching.search import search
from metajudge.selection.search.space import setting_key
from tests.experiment.searched import searchable, served_answer
from tests.loopback import serve
from tests.selection.postgres import PASSWORD, postgres

CODE = """
import sys
from metajudge.experiment import Experiment
from metajudge.experiment.searching.search import search
search(Experiment.from_file(sys.argv[1]), store=sys.argv[2], out=sys.argv[3])
"""


def shared(folder: Path, storage: str, workers: int) -> None:
    """Workers that begin at once, and what they left."""
    with serve(served_answer, latency_s=0.01) as server:
        judge = {"spec": "openai/m", "api_base": server.url, "max_in_flight": 4}
        wanted = {"trials": 16, "generation": 4, "storage": storage}
        experiment = searchable(folder, judges=[judge], search=wanted)
        store = folder / "r.sqlite"
        command = [sys.executable, "-c", CODE, str(experiment.path), str(store)]
        running = [
            subprocess.Popen([*command, str(folder / f"out-{worker}")]) for worker in range(workers)
        ]
        assert [worker.wait(timeout=240) for worker in running] == [0] * workers
        results = search(experiment, store=store, out=folder / "out")
    sent = Counter(call.prompt for call in server.received)
    assert max(sent.values()) == 1
    assert results.ended == "trials"
    told = [trial for trial in results.trials if trial.state != "duplicate"]
    assert len(told) == 16
    assert len({setting_key(trial.setting) for trial in told}) == len(told)
    told_right = {"summary_as_idk": 0.0, "over_credit": 0.0}
    right = [trial for trial in told if told_right.items() <= trial.values.items()]
    assert results.proposal is not None or not right, "which settings are tried is chance"


@pytest.mark.slow
def test_four_processes_on_postgresql_ask_no_call_twice(tmp_path: Path) -> None:
    with postgres() as base:
        shared(tmp_path, base.format(quote(PASSWORD)), 4)


def test_two_processes_on_sqlite_ask_no_call_twice(tmp_path: Path) -> None:
    shared(tmp_path, f"sqlite:///{tmp_path / 'study.sqlite'}", 2)
