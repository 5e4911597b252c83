"""Event loops, threads, bounds, cancellation, and the ends of a self-check."""

import asyncio
import contextlib
import gc
import threading
import time

import pytest

from tests.loopback import hang, serve
from tests.metrics.selfcheck.asked import ANSWER, GOOD, PASSAGES, checker, fake, label_of, reads


def test_after_it_is_closed_nothing_is_asked():
    checks, judge = fake(label_of)
    with checks:
        pass
    checked = checks.check(GOOD, PASSAGES)
    assert dict(checked.failures) == {"closed": 1}
    assert judge.closed == 1
    checks.close()
    assert judge.closed <= 2


async def test_too_many_calls_that_wait_are_turned_away_at_once():
    with serve(reads, latency_s=0.1) as server:
        async with checker(server.url, max_in_flight=2, max_waiting=3) as checks:
            found = await asyncio.gather(
                *(checks.check_async(f"Hall {n} opens at nine.", PASSAGES) for n in range(20))
            )
        assert server.peak_in_flight == 2
        assert server.calls == 5
    assert sum(checked.decision == "passed" for checked in found) == 5
    assert sum(checked.failures.get("overloaded", 0) for checked in found) == 15
    assert not checks.judge_is_down


async def test_waiting_for_a_turn_counts_towards_the_deadline():
    with serve(reads, latency_s=2) as server:
        async with checker(server.url, max_in_flight=1, deadline_s=3) as checks:
            found = await asyncio.gather(
                *(checks.check_async(f"Hall {n} opens at nine.", PASSAGES) for n in range(4))
            )
    assert [checked.decision for checked in found].count("passed") == 1
    assert max(checked.elapsed_ms for checked in found) < 30_000


async def test_a_cancelled_check_ends_its_calls_and_says_nothing_about_the_judge():
    with serve(hang()) as server:
        async with checker(server.url, deadline_s=30, breaker_after=1) as checks:
            task = asyncio.ensure_future(checks.check_async(ANSWER, PASSAGES))
            while server.in_flight < 3:
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            for _ in range(100):
                if not server.in_flight:
                    break
                await asyncio.sleep(0.01)
            assert server.in_flight == 0, "the connections are closed"
            assert not checks.judge_is_down
            left = asyncio.all_tasks() - {asyncio.current_task()}
            assert not left


async def test_a_judge_that_ignores_its_cancellation_holds_nobody():
    released = asyncio.Event()

    async def stubborn():
        while not released.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await released.wait()
        return "yes"

    checks, _ = fake(lambda _: stubborn(), deadline_s=0.2)
    checks._checks.desks.stays_home = False
    async with checks:
        began = time.perf_counter()
        checked = await checks.check_async(GOOD, PASSAGES)
        assert time.perf_counter() - began < 30
        assert dict(checked.failures) == {"deadline": 1}
        released.set()
        await asyncio.sleep(0.05)


def test_a_judge_that_blocks_its_event_loop_holds_nobody():
    released = threading.Event()
    checks, _ = fake(lambda _: released.wait(60) and "yes", deadline_s=0.2)
    with checks:
        began = time.perf_counter()
        assert dict(checks.check(GOOD, PASSAGES).failures) == {"deadline": 1}

        async def once():
            return await checks.check_async(GOOD, PASSAGES)

        assert dict(asyncio.run(once()).failures) == {"deadline": 1}
        assert time.perf_counter() - began < 30
        released.set()


async def test_b51_the_sync_call_works_inside_a_running_loop_and_patches_nothing():
    before = asyncio.get_running_loop(), asyncio.get_event_loop_policy()
    with serve(reads) as server, checker(server.url) as checks:
        assert checks.check(GOOD, PASSAGES).decision == "passed"
    assert (asyncio.get_running_loop(), asyncio.get_event_loop_policy()) == before


def test_b50_b80_sync_and_async_many_loops_and_threads_one_after_the_other_and_at_once():
    with serve(reads, latency_s=0.005) as server:
        checks = checker(server.url)

        async def several(name):
            texts = [f"Hall {name} {n} opens at nine." for n in range(5)]
            return await asyncio.gather(*(checks.check_async(t, PASSAGES) for t in texts))

        found = [*asyncio.run(several("a")), *asyncio.run(several("b"))]
        found.append(checks.check("Hall c opens at nine.", PASSAGES))

        def work(number):
            found.append(checks.check(f"Hall t{number} opens at nine.", PASSAGES))
            found.extend(asyncio.run(several(f"u{number}")))

        threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        checks.close()
        assert len(found) == 47
        assert {checked.decision for checked in found} == {"passed"}
        assert server.calls == 47
        for _ in range(100):
            if not server.in_flight:
                break
            time.sleep(0.01)
    gc.collect()


def test_a_checker_that_nobody_closes_leaves_no_open_connection_behind():
    with serve(reads) as server:
        checks = checker(server.url)
        assert asyncio.run(checks.check_async(GOOD, PASSAGES)).decision == "passed"
        del checks
        gc.collect()


async def test_closing_it_inside_a_running_loop_waits_for_nothing():
    with serve(reads) as server:
        checks = checker(server.url)
        assert (await checks.check_async(GOOD, PASSAGES)).decision == "passed"
        assert checks.check(GOOD, PASSAGES).decision == "passed"
        began = time.perf_counter()
        checks.close()
        assert time.perf_counter() - began < 3
        await asyncio.sleep(0.01)
        assert dict((await checks.check_async(GOOD, PASSAGES)).failures) == {"closed": 1}


def test_keyboard_interrupt_passes():
    def answer(_):
        raise KeyboardInterrupt

    checks, _ = fake(answer)
    checks._checks.desks.stays_home = False

    async def once():
        await checks.check_async(GOOD, PASSAGES)

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(once())


@pytest.mark.parametrize("door", ["check", "check_async", "stream"])
def test_closing_it_while_checks_are_under_way_raises_in_none_of_them(door):
    begun = threading.Event()

    async def slow():
        begun.set()
        await asyncio.sleep(30)

    checks, _ = fake(lambda _: slow(), deadline_s=20)

    async def streamed():
        stream = checks.stream(GOOD, PASSAGES)
        async for _ in stream:
            pass
        return stream.outcome

    ways = {
        "check": lambda: checks.check(GOOD, PASSAGES),
        "check_async": lambda: asyncio.run(checks.check_async(GOOD, PASSAGES)),
        "stream": lambda: asyncio.run(streamed()),
    }
    found = []
    thread = threading.Thread(target=lambda: found.append(ways[door]()))
    thread.start()
    assert begun.wait(10)
    checks.close()
    thread.join(10)
    assert [dict(checked.failures) for checked in found] == [{"closed": 1}]


def test_a_checker_that_nobody_closes_leaves_no_thread_behind(tmp_path):
    before = set(threading.enumerate())
    with serve(reads) as server:
        for name in range(3):
            checks = checker(server.url, log=tmp_path / f"{name}.jsonl")
            assert checks.check(GOOD, PASSAGES).decision == "passed"
        del checks
        for _ in range(200):
            gc.collect()
            own = [t for t in set(threading.enumerate()) - before if "metajudge" in t.name]
            if not own:
                break
            time.sleep(0.02)
    assert own == []
    assert all((tmp_path / f"{name}.jsonl").read_text() for name in range(3))


def test_a_trial_whose_event_loop_is_closed_over_it_does_not_keep_the_judge_down():
    with serve(hang()) as server:
        settings = {"breaker_after": 1, "breaker_rest_s": 0.1, "deadline_s": 2}
        with checker(server.url, **settings) as checks:
            checks.check(GOOD, PASSAGES)
            assert checks.judge_is_down
            time.sleep(0.15)
            loop = asyncio.new_event_loop()
            task = loop.create_task(checks.check_async(GOOD, PASSAGES))
            task._log_destroy_pending = False
            loop.call_later(0.05, loop.stop)
            loop.run_forever()
            loop.close()
            server.script = reads
            time.sleep(0.15)
            assert checks.check(GOOD, PASSAGES).decision == "passed"
        del task
        gc.collect()
