import asyncio
import sys
import threading
import time

import pytest

from metajudge.metrics.selfcheck.background import Background, LateError, LoopEndedError


@pytest.fixture
def background():
    made = Background()
    yield made
    made.close()


async def gives(value, after_s=0.0):
    await asyncio.sleep(after_s)
    return value


def test_what_comes_of_a_coroutine_comes_back(background):
    async def fails():
        raise TimeoutError("its own")

    assert background.wait(gives(3), 5) == 3
    with pytest.raises(TimeoutError, match="its own"):
        background.wait(fails(), 5)


def test_one_that_is_late_is_cancelled(background):
    ended = threading.Event()

    async def long():
        try:
            await asyncio.sleep(30)
        finally:
            ended.set()

    with pytest.raises(LateError):
        background.wait(long(), 0.05)
    assert ended.wait(5)


def test_many_threads_at_once_are_all_answered(background):
    """Only the first of a crowd rouses the loop; none of the others may be left lying."""
    found = []

    def ask(thread):
        found.extend(background.wait(gives((thread, n)), 10) for n in range(100))

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(16)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert sorted(found) == [(thread, n) for thread in range(16) for n in range(100)]


def test_those_who_wait_when_it_is_closed_hear_of_it_and_it_begins_anew():
    background = Background()
    raised = []

    def ask():
        try:
            background.wait(gives(1, after_s=30), 20)
        except LoopEndedError as error:
            raised.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    while background.loop is None or not asyncio.all_tasks(background.loop):
        time.sleep(0.01)
    background.close()
    thread.join(10)
    assert len(raised) == 1
    assert background.wait(gives(2), 5) == 2
    background.close()
