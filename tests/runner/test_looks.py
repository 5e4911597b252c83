"""Whether failures lie in the judge or in the calls is asked before a run ends early."""

from __future__ import annotations

import asyncio

import pytest

from metajudge.judges.judge import JudgeCallError
from metajudge.runner import run_calls
from metajudge.runner.limits import Budget
from metajudge.runner.slots import Slots
from metajudge.runner.store import Store
from metajudge.verdicts.verdict import Reply
from tests.runner.fakes import FakeJudge, failing, make_calls, quick, yes

pytestmark = pytest.mark.usefixtures("virtual_clock")
ONE_TRY = {"server": 1, "connection": 1}


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "replies.db") as opened:
        yield opened


async def ill_at_first_twenty(number: int, prompt: str) -> Reply:
    """Calls about one context, which the server cannot take; all others are answered."""
    if prompt.startswith("claim") and int(prompt.split()[1]) < 20:
        raise JudgeCallError("server", "HTTP 500")
    return await yes(number, prompt)


async def test_a_context_that_always_fails_holds_up_nothing_and_comes_to_the_same_again(store):
    limits = quick(max_in_flight=4, max_attempts=ONE_TRY)
    first = await run_calls(make_calls(40), FakeJudge(ill_at_first_twenty), store, limits)
    assert first.report.stopped is None
    assert (first.report.answered, first.report.failures) == (20, {"server": 20})
    judge = FakeJudge(ill_at_first_twenty)
    again = await run_calls(make_calls(40), judge, store, limits)
    assert again.report.stopped is None
    assert again.report.failures == {"server": 20}
    assert [r.failure for r in again.replies.values()] == [
        r.failure for r in first.replies.values()
    ]
    assert 1 <= judge.looks <= 3
    assert again.report.retries == 0


async def test_a_rest_of_a_few_calls_that_always_fail_is_no_judge_that_is_down(store):
    judge = FakeJudge(ill_at_first_twenty)
    outcome = await run_calls(make_calls(3), judge, store, quick(max_attempts=ONE_TRY))
    assert outcome.report.stopped is None
    assert outcome.report.failures == {"server": 3}
    assert judge.looks == 1


async def test_a_judge_that_is_down_is_looked_at_once_and_by_one_worker(store):
    judge = FakeJudge(failing("connection", "refused"))
    outcome = await run_calls(make_calls(500), judge, store, quick(max_attempts=ONE_TRY))
    assert outcome.report.stopped == "judge_down"
    assert judge.looks == 1
    assert judge.attempts <= 40


async def test_a_web_page_lies_in_no_call(store):
    judge = FakeJudge(failing("not_a_judge", "text/html"))
    outcome = await run_calls(make_calls(100), judge, store, quick())
    assert outcome.report.stopped == "judge_down"
    assert judge.looks == 0


@pytest.mark.parametrize("kind", ["bad_request", "empty"])
async def test_requests_of_which_none_was_ever_understood_end_the_run(store, kind):
    async def act(number, prompt):
        if not prompt.startswith("claim") or prompt == "claim 99":
            return await yes(number, prompt)
        raise JudgeCallError(kind, "scripted")

    limits = quick(max_in_flight=1)
    judge = FakeJudge(act)
    never = await run_calls(make_calls(40), judge, store, limits)
    assert (never.report.stopped, judge.looks) == ("judge_down", 0)
    known = await run_calls(make_calls(40), FakeJudge(act), store, limits, answered_before=True)
    assert known.report.stopped is None
    await run_calls(make_calls(1, start=99), FakeJudge(act), store, limits)
    again = await run_calls(make_calls(100), FakeJudge(act), store, limits)
    assert (again.report.stopped, again.report.failed) == (None, 99)


async def test_the_budget_of_calls_holds_for_looks_too(store):
    limits = quick(budget=Budget(calls=8), max_in_flight=1, max_attempts=ONE_TRY)
    judge = FakeJudge(ill_at_first_twenty)
    outcome = await run_calls(make_calls(20), judge, store, limits)
    assert (judge.attempts, judge.looks, outcome.report.sent) == (8, 0, 8)
    assert outcome.report.stopped == "judge_down"


async def test_a_look_that_waited_for_its_place_keeps_to_the_budget_too(store):
    limits = quick(budget=Budget(calls=20), max_attempts=ONE_TRY)
    judge = FakeJudge(failing("server"))
    outcome = await run_calls(make_calls(60), judge, store, limits)
    assert judge.attempts + judge.looks == outcome.report.sent == 20


@pytest.mark.parametrize("finish", ["length", "content_filter"])
async def test_a_reply_without_text_says_that_the_judge_is_there_and_is_paid(store, finish):
    async def act(number, prompt):
        if not prompt.startswith("claim"):
            return Reply("", finish, prompt_tokens=9, completion_tokens=16, cost_usd=0.01)
        return await ill_at_first_twenty(number, prompt)

    outcome = await run_calls(make_calls(3), FakeJudge(act), store, quick(max_attempts=ONE_TRY))
    assert (outcome.report.stopped, outcome.report.failures) == (None, {"server": 3})
    assert (outcome.report.cost_usd, outcome.report.completion_tokens) == (0.01, 16)


async def test_an_interrupt_ends_the_last_look_at_once(store):
    interrupt, given_up = asyncio.Event(), []

    async def act(number, prompt):
        if prompt.startswith("claim"):
            return await ill_at_first_twenty(number, prompt)
        interrupt.set()
        try:
            return await asyncio.Event().wait()
        except asyncio.CancelledError:
            given_up.append(prompt)
            raise

    limits = quick(max_attempts=ONE_TRY, deadline_s=3600.0)
    outcome = await run_calls(make_calls(3), FakeJudge(act), store, limits, interrupt=interrupt)
    assert outcome.report.stopped == "interrupted"
    assert outcome.report.wall_s < 60
    assert len(given_up) == 1


async def test_what_comes_back_is_not_kept(store):
    await run_calls(
        make_calls(20), FakeJudge(ill_at_first_twenty), store, quick(max_attempts=ONE_TRY)
    )
    assert store.count() == 0


async def test_a_place_ahead_comes_before_all_who_wait():
    slots = Slots(quick(max_in_flight=1), None)
    await slots.take()
    order = []

    async def take(name, *, ahead=False):
        await slots.take(ahead=ahead)
        order.append(name)
        slots.give_back()

    waiting = asyncio.create_task(take("first"))
    await asyncio.sleep(0)
    looking = asyncio.create_task(take("look", ahead=True))
    await asyncio.sleep(0)
    slots.give_back()
    await asyncio.gather(waiting, looking)
    assert order == ["look", "first"]
