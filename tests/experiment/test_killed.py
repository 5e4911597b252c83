"""Acceptance 4: killed hard in the middle, a sweep goes on and ends as if nothing had happened."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from metajudge.runner.store import Store
from tests.experiment.folder import bare, declare
from tests.loopback import Answer, ServerCall, chat, hang, serve

IN_FLIGHT = 4
CODE = """
import sys
from metajudge.experiment import Experiment
Experiment.from_file(sys.argv[1]).sweep(store=sys.argv[2])
"""


def answer(call: ServerCall) -> Answer:
    return chat(["yes", "no", "idk"][sum(call.prompt.encode()) % 3])


@pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
def test_b70_a_sweep_killed_hard_repeats_nothing_and_ends_the_same(tmp_path: Path) -> None:
    store, answered = tmp_path / "killed.sqlite", 30
    with serve(lambda call: answer(call) if call.number < answered else hang()) as server:
        judge = {"spec": "openai/m", "api_base": server.url, "max_in_flight": IN_FLIGHT}
        declared = declare(
            tmp_path, judges=[judge], templates=["literal", "summary-tolerant"], repeats=2
        )
        n = declared.plan(declared.prepare()).distinct("openai/m")
        command = [sys.executable, "-c", CODE, str(declared.path), str(store)]
        child = subprocess.Popen(command)
        try:
            give_up_at = time.monotonic() + 300
            while server.calls < answered + IN_FLIGHT and time.monotonic() < give_up_at:
                time.sleep(0.01)
        finally:
            child.send_signal(signal.SIGKILL)
            child.wait()
        server.script, sent = answer, server.calls
        with Store(store) as kept:
            stored = kept.count()
        assert 0 < stored <= answered < len(n) == 96
        assert sent - stored <= IN_FLIGHT

        went_on = declared.sweep(store=store)
        assert went_on.results.calls.from_store == stored
        assert went_on.results.calls.answered == len(n) - stored
        assert server.calls == sent + len(n) - stored
        # The two draws of a claim are one prompt.
        repeated = Counter(call.raw for call in server.received)
        assert sum(max(0, times - 2) for times in repeated.values()) <= IN_FLIGHT

        whole = declared.sweep(store=tmp_path / "whole.sqlite")
    assert bare(went_on.results) == bare(whole.results)
    assert whole.results.calls.answered == len(n)
