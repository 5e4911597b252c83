import asyncio
import threading
import time

import pytest

from metajudge.judges.judge import JudgeCallError
from metajudge.judges.worker import Worker
from tests.virtual_time import Held, virtual_time


async def test_work_is_done_in_one_thread_one_piece_after_another():
    worker, under_way, most = Worker("w"), 0, 0
    threads = set()

    def work():
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        threads.add(threading.current_thread().name)
        time.sleep(0.01)
        under_way -= 1
        return len(threads)

    found = await asyncio.gather(*(worker.run(work) for _ in range(4)))
    await worker.close()
    await worker.close()
    assert found == [1, 1, 1, 1] and most == 1
    assert all(name.startswith("w") for name in threads)


async def test_what_takes_too_long_fails_and_its_wait_is_not_the_next_ones():
    worker, held = Worker("w"), Held()
    with held:
        long = asyncio.create_task(worker.run(held.work, 60))
        await held.under_way()
        with virtual_time():
            with pytest.raises(JudgeCallError, match="no answer within 60 s"):
                await long
            following = asyncio.create_task(worker.run(lambda: "done", 60))
            await asyncio.sleep(600)
            assert not following.done()
    assert await following == "done"
    await worker.close()


async def test_errors_of_the_work_are_the_callers():
    worker = Worker("w")
    with pytest.raises(ZeroDivisionError):
        await worker.run(lambda: 1 / 0)
    assert await worker.run(lambda: 1) == 1
    await worker.close()
    assert await worker.run(lambda: 2) == 2
    await worker.close()
