import asyncio

from metajudge.metrics.selfcheck.deadlines import Deadlines


async def test_waits_end_at_their_time_and_others_before_them_do_not_matter():
    loop, deadlines = asyncio.get_running_loop(), Deadlines()
    now, ended = loop.time(), []
    for name, after in (("a", 0.02), ("b", 0.06), ("early", 0.01), ("c", 0.08)):
        over = loop.create_future()
        over.add_done_callback(lambda _, name=name: ended.append((name, loop.time() - now)))
        deadlines.set(now + after, over)
        if name == "b":
            over.cancel()
    await asyncio.sleep(0.2)
    assert [name for name, _ in ended] == ["b", "early", "a", "c"]
    assert all(
        took >= after for (_, took), after in zip(ended[1:], (0.01, 0.02, 0.08), strict=True)
    )
    assert not deadlines._waits


async def test_one_timer_serves_all_and_what_has_ended_is_let_go():
    loop, deadlines = asyncio.get_running_loop(), Deadlines()
    for number in range(1000):
        over = loop.create_future()
        assert deadlines.set(loop.time() + 60 + number, over) is None
        over.cancel()
    assert len(deadlines._waits) == 1
    assert deadlines._timer is not None
    deadlines._timer.cancel()


async def test_a_deadline_before_others_has_a_timer_to_cancel():
    loop, deadlines = asyncio.get_running_loop(), Deadlines()
    deadlines.set(loop.time() + 60, loop.create_future())
    over = loop.create_future()
    timer = deadlines.set(loop.time() + 0.01, over)
    assert timer is not None
    await asyncio.wait_for(over, 1)
