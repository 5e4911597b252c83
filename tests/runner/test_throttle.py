import asyncio
import time

import pytest

from metajudge.runner.throttle import Throttle

pytestmark = pytest.mark.usefixtures("virtual_clock")


async def test_no_refusal_no_wait():
    throttle = Throttle()
    started = time.monotonic()
    for _ in range(1000):
        await throttle.enter()
    assert time.monotonic() == started
    assert throttle.rate is None


async def test_one_refusal_closes_the_gate_for_all_and_only_once():
    throttle = Throttle()
    sent = [await throttle.enter() for _ in range(10)]
    assert throttle.refused(sent[5], 0.1)
    assert not any(throttle.refused(at, 0.1) for at in sent[6:])
    assert throttle.refusals_in_row == 1
    started = time.monotonic()
    await throttle.enter()
    assert time.monotonic() - started == pytest.approx(0.1)


async def test_the_pace_is_learned_from_the_calls_let_in():
    throttle = Throttle()
    sent = [await throttle.enter() for _ in range(30)]
    for at in sent[20:]:
        throttle.refused(at, 0.2)
    await throttle.enter()
    assert throttle.rate == pytest.approx(0.95 * 20 / 0.2)
    started = time.monotonic()
    await asyncio.gather(*(throttle.enter() for _ in range(20)))
    assert time.monotonic() - started == pytest.approx(20 / throttle.rate, rel=0.3)


async def test_late_refusals_of_an_earlier_episode_close_nothing():
    throttle = Throttle()
    early = await throttle.enter()
    assert throttle.refused(await throttle.enter(), 0.05)
    await throttle.enter()
    assert not throttle.refused(early, 0.05)


async def test_without_retry_after_the_wait_doubles_until_an_answer():
    throttle = Throttle()
    assert throttle._wait_for(None) == 1.0
    throttle.refusals_in_row = 3
    assert throttle._wait_for(None) == 8.0
    throttle.refusals_in_row = 30
    assert throttle._wait_for(None) == 60.0
    throttle.answered()
    assert throttle._wait_for(None) == 1.0
