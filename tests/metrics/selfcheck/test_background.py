import asyncio
import sys
import threading
import time

import pytest

from metajudge.metrics.selfcheck.background import (
    Background,
    Errand,
    LateError,
    LoopEndedError,
)


@pytest.fixture
def background():
    made = Background()
    yield made
    made.close()


def run(work):
    """An errand that ends as a coroutine does."""
    return lambda errand: errand.follow(asyncio.get_running_loop().create_task(work))


async def gives(value, after_s=0.0):
    await asyncio.sleep(after_s)
    return value


def test_what_comes_of_a_coroutine_comes_back(background):
    async def fails():
        raise TimeoutError("its own")

    assert background.wait(run(gives(3)), 5) == 3
    with pytest.raises(TimeoutError, match="its own"):
        background.wait(run(fails()), 5)


def test_an_error_in_the_beginning_comes_back_and_the_loop_goes_on(background):
    with pytest.raises(ZeroDivisionError):
        background.wait(lambda _: 1 / 0, 5)
    assert background.wait(lambda errand: errand.give(lambda: 4), 5) == 4


def test_only_the_first_end_counts(background):
    def ends_twice(errand):
        errand.give(lambda: 1)
        errand.give(lambda: begun.append(2))

    begun = []
    assert background.wait(ends_twice, 5) == 1
    assert begun == [], "what comes after the end is not even made"


def test_one_that_is_late_before_its_turn_is_never_begun(background):
    holds, goes_on, begun = threading.Event(), threading.Event(), []

    def hold(errand):
        holds.set()
        goes_on.wait(10)
        errand.give(list)

    thread = threading.Thread(target=background.wait, args=(hold, 20))
    thread.start()
    assert holds.wait(10)
    with pytest.raises(LateError):
        background.wait(begun.append, 0.0)
    goes_on.set()
    thread.join(10)
    assert background.wait(lambda errand: errand.give(lambda: 5), 5) == 5
    assert begun == []
    assert not background._queue.under_way


def test_one_that_is_late_is_cancelled(background):
    ended = threading.Event()

    async def long():
        try:
            await asyncio.sleep(30)
        finally:
            ended.set()

    with pytest.raises(LateError):
        background.wait(run(long()), 0.05)
    assert ended.wait(5)


def test_many_threads_at_once_are_all_answered(background):
    """Only the first of a crowd rouses the loop; none of the others may be left lying."""
    found = []

    def ask(thread):
        found.extend(background.wait(run(gives((thread, n))), 10) for n in range(100))

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


def test_errands_without_a_task_hear_of_the_end_of_the_loop_and_later_ones_are_refused():
    background, begun, raised = Background(), threading.Event(), []

    def ask():
        try:
            background.wait(lambda _: begun.set(), 20)
        except LoopEndedError as error:
            raised.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    assert begun.wait(10)
    queue = background._queue
    background.close()
    thread.join(10)
    assert len(raised) == 1
    with pytest.raises(RuntimeError, match="has ended"):
        queue.put(Errand(list, queue))


def test_those_who_wait_when_it_is_closed_hear_of_it_and_it_begins_anew():
    background = Background()
    raised = []

    def ask():
        try:
            background.wait(run(gives(1, after_s=30)), 20)
        except LoopEndedError as error:
            raised.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    while background.loop is None or not asyncio.all_tasks(background.loop):
        time.sleep(0.01)
    background.close()
    thread.join(10)
    assert len(raised) == 1
    assert background.wait(run(gives(2)), 5) == 2
    background.close()
