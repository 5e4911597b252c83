"""Runs in processes of their own: killed hard, and several on one store."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter

import pytest

from metajudge.runner import Store, run_sync
from tests.loopback import chat, hang, serve
from tests.runner.fakes import make_calls
from tests.runner.sweep import SocketJudge

IN_FLIGHT = 8
pytestmark = pytest.mark.skipif(os.name != "posix", reason="POSIX signals")


def sweep(path, server, first, n):
    command = [sys.executable, "-m", "tests.runner.sweep", path, server.port, first, n]
    return subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, text=True)


def counts_of(process):
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    return json.loads(out)


def stored(path):
    if not path.exists():
        return 0
    file = sqlite3.connect(path)
    try:
        return file.execute("SELECT count(*) FROM replies").fetchone()[0]
    except sqlite3.OperationalError:
        return 0
    finally:
        file.close()


def texts(path, n):
    with Store(path) as store:
        return {key: r.text for key, r in store.get_many(c.key for c in make_calls(n)).items()}


def echo(call):
    return chat(f"yes to {call.prompt}")


def test_b70_a_run_killed_hard_goes_on_and_ends_the_same(tmp_path):
    n, path, answered = 400, tmp_path / "replies.db", 80
    with serve(lambda call: echo(call) if call.number < answered else hang()) as server:
        process = sweep(path, server, 0, n)
        give_up_at = time.monotonic() + 300
        while server.calls < answered + IN_FLIGHT and time.monotonic() < give_up_at:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        server.script = echo
        kept, sent = stored(path), server.calls
        assert sent == answered + IN_FLIGHT
        assert 0 < kept <= answered
        asked, hits, answered, failed = counts_of(sweep(path, server, 0, n))
        assert (asked, hits, answered, failed) == (n, kept, n - kept, 0)
        assert sent - kept <= IN_FLIGHT
        assert server.calls == sent + n - kept
        whole = tmp_path / "whole.db"
        with Store(whole) as store:
            run_sync(make_calls(n), SocketJudge(server.port), store)
        assert texts(path, n) == texts(whole, n)
        assert len(texts(path, n)) == n


def test_b73_four_processes_share_one_store(tmp_path):
    path = tmp_path / "replies.db"
    with serve(echo, latency_s=0.005) as server:
        processes = [sweep(path, server, 25 * number, 50) for number in range(4)]
        for process in processes:
            asked, hits, answered, failed = counts_of(process)
            assert (asked, failed) == (50, 0)
            assert hits + answered == 50
        asked_of = Counter(call.prompt for call in server.received)
    assert len(asked_of) == 125
    assert max(asked_of.values()) <= 2
    assert len(texts(path, 125)) == 125
    file = sqlite3.connect(path)
    assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    file.close()
