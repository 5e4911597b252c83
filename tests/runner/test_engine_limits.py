"""Concurrency, rate limits, budgets and early ends."""

import asyncio
import time

import pytest

from metajudge.judges.judge import JudgeCallError
from metajudge.runner import Budget, Limits, Store, run_calls
from metajudge.verdicts.verdict import Reply
from tests.runner.fakes import FakeJudge, failing, make_calls, quick, rate_limited, slow, yes

pytestmark = pytest.mark.usefixtures("virtual_clock")


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "replies.db") as opened:
        yield opened


def failures_of(outcome):
    return [reply.failure for reply in outcome.replies.values()]


@pytest.mark.parametrize("given", [1, 7, 40])
async def test_a_given_concurrency_is_kept_exactly(store, given):
    judge = FakeJudge(slow(0.002))
    await run_calls(make_calls(100), judge, store, Limits(max_in_flight=given))
    assert judge.peak == given


async def test_concurrency_adapts_and_the_judge_caps_it(store):
    wide = FakeJudge(slow(0.005))
    await run_calls(make_calls(600), wide, store)
    assert 16 < wide.peak <= 128
    capped = FakeJudge(slow(0.001), max_in_flight=2)
    await run_calls(make_calls(20, start=1000), capped, store)
    assert capped.peak == 2


async def test_no_task_per_call_up_front(store):
    seen = []

    async def act(number, prompt):
        seen.append(len(asyncio.all_tasks()))
        return await yes(number, prompt)

    await run_calls(make_calls(1000), FakeJudge(act), store, Limits(max_in_flight=8))
    assert max(seen) <= 8 * 2 + 5


async def test_b53_throttling_costs_no_row_its_attempts(store):
    judge = FakeJudge(rate_limited(60, retry_after=0.2))
    limits = quick(max_in_flight=20, max_attempts={"server": 1})
    outcome = await run_calls(make_calls(150), judge, store, limits)
    assert failures_of(outcome) == [None] * 150
    assert outcome.report.answered == 150


async def test_b53_throttling_without_retry_after(store, monkeypatch):
    monkeypatch.setattr("metajudge.runner.throttle.FIRST_WAIT_S", 0.1)
    judge = FakeJudge(rate_limited(40, retry_after=None))
    outcome = await run_calls(make_calls(100), judge, store, quick())
    assert failures_of(outcome) == [None] * 100
    assert judge.attempts <= 140


async def test_few_extra_calls_at_a_providers_limit(store):
    rate, n = 200, 800
    judge = FakeJudge(rate_limited(rate, retry_after=0.5))
    started = time.monotonic()
    outcome = await run_calls(make_calls(n), judge, store)
    assert outcome.report.answered == n
    assert judge.attempts <= 1.1 * n
    assert time.monotonic() - started <= 1.3 * n / rate


async def test_a_provider_that_only_refuses_ends_the_run(store, monkeypatch):
    judge = FakeJudge(failing("rate_limit", "quota used up", retry_after=0.01))
    outcome = await run_calls(make_calls(100), judge, store, quick())
    assert outcome.report.stopped == "judge_down"
    assert "quota used up" in outcome.report.message


async def test_a_call_that_alone_is_always_refused_ends(store):
    async def act(number, prompt):
        if prompt == "claim 3":
            raise JudgeCallError("rate_limit", "request too large", 0.01)
        return await yes(number, prompt)

    limits = quick(max_attempts={"rate_limit": 3})
    outcome = await run_calls(make_calls(10), FakeJudge(act), store, limits)
    assert outcome.report.failures == {"rate_limit": 1}
    assert outcome.report.answered == 9


async def test_a_wait_beyond_patience_ends_the_run(store):
    judge = FakeJudge(failing("rate_limit", "daily quota", retry_after=7200))
    outcome = await run_calls(make_calls(50), judge, store, quick())
    assert outcome.report.stopped == "judge_down"
    assert "7200 s" in outcome.report.message


async def test_the_budget_of_calls_is_never_passed(store):
    judge = FakeJudge(slow(0.001))
    outcome = await run_calls(make_calls(100), judge, store, quick(budget=Budget(calls=30)))
    assert judge.attempts == 30
    assert outcome.report.stopped == "budget"
    assert (outcome.report.answered, outcome.report.not_asked) == (30, 70)
    assert store.count() == 30
    enough = await run_calls(make_calls(100), judge, store, quick(budget=Budget(calls=70)))
    assert enough.report.stopped is None


async def test_the_budget_in_usd_is_never_passed(store):
    async def act(number, prompt):
        await asyncio.sleep(0.001)
        return Reply("yes", cost_usd=0.01)

    judge = FakeJudge(act)
    outcome = await run_calls(make_calls(100), judge, store, quick(budget=Budget(usd=0.255)))
    assert outcome.report.stopped == "budget"
    assert outcome.report.cost_usd == pytest.approx(0.25)
    nothing = make_calls(5, start=500)
    outcome = await run_calls(nothing, judge, store, quick(budget=Budget(usd=0)))
    assert (outcome.report.stopped, outcome.report.sent) == ("budget", 0)


async def test_the_budget_in_minutes_ends_also_a_hanging_run(store):
    limits = quick(budget=Budget(minutes=0.1 / 60), grace_s=0.05, deadline_s=60)
    started = time.monotonic()
    outcome = await run_calls(make_calls(30), FakeJudge(slow(60)), store, limits)
    assert outcome.report.stopped == "budget"
    assert time.monotonic() - started < 2


async def test_an_interrupt_waits_for_calls_in_flight_and_keeps_them(store):
    interrupt, judge = asyncio.Event(), FakeJudge(slow(0.1))
    asyncio.get_running_loop().call_later(0.05, interrupt.set)
    limits = quick(max_in_flight=10)
    outcome = await run_calls(make_calls(100), judge, store, limits, interrupt=interrupt)
    assert outcome.report.stopped == "interrupted"
    assert outcome.report.answered == store.count() == judge.attempts == 10


async def test_an_interrupt_does_not_wait_for_ever(store):
    interrupt = asyncio.Event()
    asyncio.get_running_loop().call_later(0.05, interrupt.set)
    limits = quick(grace_s=0.05, deadline_s=60)
    started = time.monotonic()
    await run_calls(make_calls(9), FakeJudge(slow(60)), store, limits, interrupt=interrupt)
    assert time.monotonic() - started < 2


async def test_cancelling_the_run_keeps_what_came(store, tmp_path):
    async def act(number, prompt):
        return await yes(number, prompt) if number <= 5 else await slow(60)(number, prompt)

    judge = FakeJudge(act)
    run = asyncio.ensure_future(run_calls(make_calls(50), judge, store, quick()))
    await asyncio.sleep(0.1)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert judge.in_flight == 0
    with Store(tmp_path / "replies.db") as other:
        assert other.count() == 5
