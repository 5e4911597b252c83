import asyncio

from metajudge.runner.limits import Limits
from metajudge.runner.slots import Slots


async def hold(slots, n):
    for _ in range(n):
        await slots.take()


async def test_a_given_number_is_kept_exactly():
    slots = Slots(Limits(max_in_flight=3), None)
    await hold(slots, 3)
    waiter = asyncio.create_task(slots.take())
    await asyncio.sleep(0)
    slots.grow()
    slots.shrink()
    assert slots.places == 3
    assert not waiter.done()
    slots.give_back()
    await waiter
    assert slots.held == 3


def test_the_judge_caps_both_ways():
    assert Slots(Limits(max_in_flight=50), 2).places == 2
    assert Slots(Limits(), 1).places == 1
    assert Slots(Limits(), None).places == 16


async def test_grows_only_while_calls_wait_and_stops_at_the_ceiling():
    slots = Slots(Limits(), None)
    slots.grow()
    assert slots.places == 16
    await hold(slots, 16)
    waiter = asyncio.create_task(slots.take())
    await asyncio.sleep(0)
    for _ in range(1000):
        slots.grow()
    assert slots.places == 128
    slots.wake()
    await waiter


def test_shrinks_by_0_7_down_to_4():
    slots = Slots(Limits(), None)
    slots.shrink()
    assert slots.places == 11
    for _ in range(20):
        slots.shrink()
    assert slots.places == 4


async def test_first_come_first_served_also_when_one_gives_up():
    slots = Slots(Limits(max_in_flight=1), None)
    await slots.take()
    came = []

    async def come(name):
        await slots.take()
        came.append(name)

    tasks = [asyncio.create_task(come(name)) for name in "abc"]
    await asyncio.sleep(0)
    tasks[0].cancel()
    slots.give_back()
    await tasks[1]
    slots.give_back()
    await tasks[2]
    assert came == ["b", "c"]
    assert slots.held == 1


async def test_a_waiter_cancelled_after_its_turn_came_passes_it_on():
    slots = Slots(Limits(max_in_flight=1), None)
    await slots.take()
    first, second = (asyncio.create_task(slots.take()) for _ in range(2))
    await asyncio.sleep(0)
    slots.give_back()
    first.cancel()
    await second
    assert slots.held == 1


def test_the_budget_caps_but_never_blocks():
    slots = Slots(Limits(), None)
    slots.affordable = 2
    assert slots.places == 2
    slots.affordable = 0
    assert slots.places == 1
