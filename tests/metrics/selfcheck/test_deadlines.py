import asyncio

from metajudge.metrics.selfcheck.deadlines import Deadlines, Wait


async def test_waits_end_at_their_time_and_others_before_them_do_not_matter():
    loop, deadlines = asyncio.get_running_loop(), Deadlines()
    now, ended = loop.time(), []
    for name, after in (("a", 0.02), ("b", 0.06), ("early", 0.01), ("c", 0.08)):
        wait = Wait(lambda name=name: ended.append((name, loop.time() - now)))
        deadlines.set(now + after, wait)
        if name == "b":
            wait.over()
    await asyncio.sleep(0.2)
    assert [name for name, _ in ended] == ["early", "a", "c"]
    assert all(took >= after for (_, took), after in zip(ended, (0.01, 0.02, 0.08), strict=True))
    assert not deadlines._waits


async def test_one_timer_serves_all_and_what_has_ended_is_let_go():
    loop, deadlines = asyncio.get_running_loop(), Deadlines()
    for number in range(1000):
        wait = Wait(list)
        assert deadlines.set(loop.time() + 60 + number, wait) is None
        wait.over()
    assert len(deadlines._waits) == 1
    assert deadlines._timer is not None
    deadlines._timer.cancel()


async def test_a_deadline_before_others_has_a_timer_to_cancel():
    loop, deadlines, late = asyncio.get_running_loop(), Deadlines(), asyncio.Event()
    deadlines.set(loop.time() + 60, Wait(list))
    timer = deadlines.set(loop.time() + 0.01, Wait(late.set))
    assert timer is not None
    await asyncio.wait_for(late.wait(), 1)


def test_what_is_over_holds_nothing_and_ends_once():
    calls = []
    wait = Wait(lambda: calls.append(1))
    wait.due()
    wait.due()
    assert calls == [1]
    assert wait.is_over
