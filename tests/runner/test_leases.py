"""Several runs on one store, of which no two have the same call out."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter

import pytest

from metajudge.judges.judge import JudgeCallError
from metajudge.runner import Budget, Store, run_calls
from metajudge.runner.leases import LEASE_S
from tests.loopback import chat, serve
from tests.runner.fakes import FakeJudge, failing, make_calls, quick, slow, yes

IN_FLIGHT = 8
posix = pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
virtual = pytest.mark.usefixtures("virtual_clock")


def sweep(path, server, n, lease_s):
    command = [sys.executable, "-m", "tests.runner.sweep", path, server.port, 0, n, lease_s]
    return subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, text=True)


def counts_of(process):
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    return json.loads(out)


def query(path, text):
    file = sqlite3.connect(path, timeout=30)
    try:
        return file.execute(text).fetchall()
    finally:
        file.close()


def table_names(path):
    return {name for (name,) in query(path, "SELECT name FROM sqlite_master WHERE type = 'table'")}


def leased(path):
    return {key for (key,) in query(path, "SELECT key FROM leases")}


def stored(path):
    if not path.exists():
        return 0
    try:
        return query(path, "SELECT count(*) FROM replies")[0][0]
    except sqlite3.OperationalError:
        return 0


def echo(call):
    return chat(f"yes to {call.prompt}")


def assert_complete(path, n):
    with Store(path) as store:
        texts = {call.key: f"yes to claim {number}" for number, call in enumerate(make_calls(n))}
        assert {key: reply.text for key, reply in store.get_many(texts).items()} == texts


@pytest.mark.slow
def test_four_processes_ask_no_call_twice(tmp_path):
    n, path = 200, tmp_path / "replies.db"
    # Answers begin to come once the calls of two processes are there.
    with serve(echo, latency_s=0.05, together=IN_FLIGHT + 1) as server:
        counts = [counts_of(p) for p in [sweep(path, server, n, LEASE_S) for _ in range(4)]]
        asked_of = Counter(call.prompt for call in server.received)
    assert len(asked_of) == n
    assert set(asked_of.values()) == {1}
    for asked, hits, answered, failed in counts:
        assert (asked, hits + answered, failed) == (n, n, 0)
    assert sum(answered for _, _, answered, _ in counts) == n
    assert sum(answered > 0 for _, _, answered, _ in counts) > 1
    assert_complete(path, n)
    assert leased(path) == set()


@posix
@pytest.mark.slow
def test_calls_of_a_process_killed_hard_are_asked_by_the_others(tmp_path):
    n, path = 160, tmp_path / "replies.db"
    sent = []

    def timed(call):
        sent.append((call.prompt, time.monotonic()))
        return echo(call)

    with serve(timed, latency_s=0.1) as server:
        processes = [sweep(path, server, n, LEASE_S) for _ in range(4)]
        give_up_at = time.monotonic() + 300
        while stored(path) < 0.2 * n and time.monotonic() < give_up_at:
            time.sleep(0.01)
        killed_at = time.monotonic()
        processes[0].send_signal(signal.SIGKILL)
        processes[0].communicate()
        for process in processes[1:]:
            asked, hits, answered, failed = counts_of(process)
            assert (asked, hits + answered, failed) == (n, n, 0)
    assert_complete(path, n)
    again = {prompt for prompt, count in Counter(p for p, _ in sent).items() if count > 1}
    assert len(again) <= IN_FLIGHT
    for prompt in again:
        first, second = [at for name, at in sent if name == prompt]
        assert first < second
        assert second > killed_at
    assert max(at for _, at in sent) - killed_at < LEASE_S
    assert leased(path) == set()


def test_a_lease_is_held_by_one_and_runs_out(tmp_path, monkeypatch):
    now = [1_000_000.0]
    monkeypatch.setattr("metajudge.runner.leases.time.time", lambda: now[0])
    with Store(tmp_path / "replies.db") as one, Store(tmp_path / "replies.db") as other:
        ours, theirs = one.leases(0.3), other.leases(30)
        assert ours.take("k")
        assert not theirs.take("k")
        assert theirs.free(["k", "free"]) == {"free"}
        now[0] += 0.2
        ours.renew()
        now[0] += 0.2
        assert not theirs.take("k")
        now[0] += 0.2
        assert theirs.free(["k"]) == {"k"}
        assert theirs.take("k")
        ours.give_back(["k"])
        assert not ours.take("k")
        theirs.give_back(["k"])
        assert ours.take("k")
        ours.close()
        assert theirs.take("k")


def test_whose_process_is_gone_holds_nothing(tmp_path):
    with Store(tmp_path / "replies.db") as store:
        ended, elsewhere, ours = (store.leases(LEASE_S) for _ in range(3))
        host, pid, _, number = ended.owner.split(" ")
        ended.owner = f"{host} {pid} 1 {number}"
        elsewhere.owner = f"another-host/ {pid} 1 {number}"
        assert ended.take("a")
        assert elsewhere.take("b")
        assert ours.free(["a", "b"]) == {"a"}
        assert ours.take("a")
        assert not ours.take("b")
        assert ours.free(["a", "b"]) == set()


async def two_runs(path, first, second, *, n, lease_s=5.0, delay_s=0.05, **limits):
    """Two runs on two openings of one store, the second begun a little later."""
    allowed = quick(lease_s=lease_s, max_in_flight=4, **limits)
    with Store(path) as one, Store(path) as other:

        async def later():
            await asyncio.sleep(delay_s)
            return await run_calls(make_calls(n), second, other, allowed)

        return await asyncio.gather(run_calls(make_calls(n), first, one, allowed), later())


@virtual
async def test_a_slow_call_is_waited_for_as_long_as_its_process_lives(tmp_path):
    judges = FakeJudge(slow(1.2)), FakeJudge(slow(1.2))
    first, second = await two_runs(tmp_path / "replies.db", *judges, n=4, lease_s=0.4)
    assert [judge.attempts for judge in judges] == [4, 0]
    assert first.replies == second.replies
    assert (second.report.cache_hits, second.report.answered) == (4, 0)


@virtual
async def test_what_failed_elsewhere_is_asked_here(tmp_path):
    async def late_refusal(number, prompt):
        await asyncio.sleep(0.3)
        raise JudgeCallError("bad_request", "scripted")

    judges = FakeJudge(late_refusal), FakeJudge()
    first, second = await two_runs(tmp_path / "replies.db", *judges, n=3)
    assert first.report.failures == {"bad_request": 3}
    assert (second.report.answered, second.report.failures) == (3, {})
    assert judges[1].attempts == 3


@virtual
async def test_an_early_end_gives_the_leases_back(tmp_path):
    path = tmp_path / "replies.db"
    interrupt = asyncio.Event()
    asyncio.get_running_loop().call_later(0.1, interrupt.set)
    with Store(path) as store:
        ended = await run_calls(
            make_calls(20),
            FakeJudge(slow(60)),
            store,
            quick(lease_s=LEASE_S, grace_s=0.05),
            interrupt=interrupt,
        )
    assert ended.report.stopped == "interrupted"
    assert leased(path) == set()


@virtual
async def test_waiting_for_others_ends_with_the_run_s_time(tmp_path):
    path = tmp_path / "replies.db"
    with Store(path) as one, Store(path) as other:
        leases = one.leases(LEASE_S)
        calls = make_calls(2)
        assert leases.take(calls[0].key)
        started = time.monotonic()
        allowed = quick(lease_s=LEASE_S, budget=Budget(minutes=0.5 / 60))
        outcome = await run_calls(calls, FakeJudge(), other, allowed)
    assert time.monotonic() - started < 5
    assert outcome.report.stopped == "budget"
    assert list(outcome.replies) == [calls[1].key]


@virtual
async def test_with_a_judge_that_is_down_both_runs_end(tmp_path):
    judges = FakeJudge(failing("connection")), FakeJudge(failing("connection"))
    outcomes = await two_runs(tmp_path / "replies.db", *judges, n=30, delay_s=0)
    assert [outcome.report.stopped for outcome in outcomes] == ["judge_down"] * 2


@virtual
async def test_an_old_store_gains_the_table_and_goes_on_without(tmp_path):
    path = tmp_path / "replies.db"
    with Store(path) as store:
        await run_calls(make_calls(3), FakeJudge(), store)
    assert table_names(path) == {"replies", "recordings", "facts"}
    judge = FakeJudge(yes)
    with Store(path) as store:
        outcome = await run_calls(make_calls(5), judge, store, quick(lease_s=LEASE_S))
    assert (outcome.report.cache_hits, judge.attempts) == (3, 2)
    assert table_names(path) == {"replies", "recordings", "facts", "leases"}
    with Store(path) as store:
        outcome = await run_calls(make_calls(6), judge, store)
    assert (outcome.report.cache_hits, judge.attempts) == (5, 3)
