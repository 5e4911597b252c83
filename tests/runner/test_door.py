import asyncio
import os
import signal
import subprocess
import sys
import threading

import pytest

from metajudge.errors import MetajudgeError
from metajudge.runner import Store, run_calls, run_sync
from tests.runner.fakes import FakeJudge, make_calls, quick, slow, yes


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "replies.db") as opened:
        yield opened


def test_b50_works_twice_in_one_process_and_then_inside_a_loop(store):
    judge = FakeJudge()
    for start in (0, 10):
        assert run_sync(make_calls(10, start), judge, store).report.answered == 10
    inside = asyncio.run(run_calls(make_calls(10, 20), judge, store))
    assert inside.report.answered == 10
    assert judge.closed == 2


def test_the_judge_can_stay_open(store):
    judge = FakeJudge()
    run_sync(make_calls(1), judge, store, keep_open=True)
    assert judge.closed == 0


async def test_b51_inside_a_loop_the_async_function_is_named(store):
    with pytest.raises(MetajudgeError, match="run_calls"):
        run_sync(make_calls(1), FakeJudge(), store)


def test_b51_importing_leaves_asyncio_alone():
    code = (
        "import asyncio; before = (asyncio.run, asyncio.get_event_loop_policy);"
        "import metajudge.runner;"
        "assert before == (asyncio.run, asyncio.get_event_loop_policy)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_cleanly_and_a_second_run_goes_on(store, number):
    before = signal.getsignal(number)
    answered = asyncio.Event()

    async def act(call, prompt):
        if call == 5:
            os.kill(os.getpid(), number)
            asyncio.get_running_loop().call_later(0.1, answered.set)
        await answered.wait()
        return await yes(call, prompt)

    limits = quick(max_in_flight=5, grace_s=60, deadline_s=60)
    outcome = run_sync(make_calls(30), FakeJudge(act), store, limits)
    assert outcome.report.stopped == "interrupted"
    assert outcome.report.answered == store.count() == 5
    assert signal.getsignal(number) is before
    rest = FakeJudge()
    assert run_sync(make_calls(30), rest, store).report.cache_hits == 5
    assert rest.attempts == 25


def test_a_second_ctrl_c_ends_at_once(store):
    async def act(call, prompt):
        if call == 3:
            for _ in range(2):
                os.kill(os.getpid(), signal.SIGINT)
                await asyncio.sleep(0)
        return await slow(600)(call, prompt)

    with pytest.raises(KeyboardInterrupt):
        run_sync(make_calls(3), FakeJudge(act), store, quick(grace_s=600, deadline_s=600))


def test_works_outside_the_main_thread(tmp_path):
    outcomes = []

    def work():
        with Store(tmp_path / "thread.db") as store:
            outcomes.append(run_sync(make_calls(5), FakeJudge(), store))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert outcomes[0].report.answered == 5
