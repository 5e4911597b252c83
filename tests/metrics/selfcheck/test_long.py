"""A long context holds nobody else up: counted work, no times."""

import asyncio
import gc
import json

import pytest

from metajudge.metrics.selfcheck import calls, passages
from metajudge.metrics.selfcheck.desk import Desk
from metajudge.metrics.selfcheck.questions import Questions
from metajudge.metrics.selfcheck.turns import Turns
from metajudge.templates.template import Template
from tests.loopback import serve
from tests.metrics.selfcheck.asked import GOOD, PASSAGES, candidate, checker, fake, reads

LONG = [f'Hall {n} "opens"\nat nine. 九点。' * 4000 for n in range(3)]
SIZE = sum(map(len, LONG))
UNITS = 12
ANSWER = " ".join(f"Hall {n} opens at nine." for n in range(UNITS))


@pytest.fixture
def begun(monkeypatch):
    """The claims whose calls are begun, each with the number of turns of the loop before it."""
    found, turns = [], [0]
    begin = Desk.begin

    def tick():
        turns[0] += 1
        asyncio.get_running_loop().call_soon(tick)

    def noted(desk, request, *others):
        if not turns[0]:
            tick()
        found.append((turns[0], request.subject.claims))
        return begin(desk, request, *others)

    monkeypatch.setattr(Desk, "begin", noted)
    return found


@pytest.fixture
def rendered(monkeypatch):
    """How many characters of context each rendering took."""
    found = []
    render = Template.render

    def noted(template, shown, *others):
        found.append(sum(map(len, shown)))
        return render(template, shown, *others)

    monkeypatch.setattr(Template, "render", noted)
    return found


def test_calls_about_a_long_context_begin_over_many_turns_and_others_go_before(begun):
    assert SIZE > calls.MOST_AT_ONCE

    async def run(url):
        async with checker(url, deadline_s=60) as checks:
            await checks.check_async(GOOD, PASSAGES)
            begun.clear()
            return await asyncio.gather(
                checks.check_async(ANSWER, LONG),
                checks.check_async("Hall B opens at ten.", PASSAGES),
            )

    with serve(reads) as server:
        long, short = asyncio.run(run(server.url))
    assert (long.decision, short.decision) == ("passed", "passed")
    assert begun[0][1] == ("Hall B opens at ten.",)
    turns = [turn for turn, _ in begun[1:]]
    assert len(set(turns)) == len(turns) == UNITS


def test_short_contexts_begin_all_their_calls_in_one_turn(begun):
    async def run(url):
        async with checker(url, deadline_s=60) as checks:
            await checks.check_async(ANSWER, PASSAGES)
            await asyncio.gather(*(checks.check_async(GOOD, [str(n)]) for n in range(UNITS)))
            begun.clear()
            await checks.check_async(ANSWER, ["Another context."])

    with serve(reads) as server:
        asyncio.run(run(server.url))
    assert len({turn for turn, _ in begun}) == 1
    assert len(begun) == UNITS


@pytest.mark.parametrize("context", [PASSAGES, LONG])
def test_a_context_is_rendered_once_a_call_also_where_no_connection_rests(rendered, context):
    async def run(url):
        async with checker(url, deadline_s=60) as checks:
            return await checks.check_async(ANSWER, context)

    with serve(reads) as server:
        assert asyncio.run(run(server.url)).calls == UNITS
    assert rendered == [sum(map(len, context))] * UNITS


def test_the_json_of_a_long_context_is_made_once_a_check_and_is_right(monkeypatch):
    made = []
    inner = passages._inner
    monkeypatch.setattr(passages, "_inner", lambda text: made.append(len(text)) or inner(text))

    async def run(url):
        async with checker(url, deadline_s=60) as checks:
            await checks.check_async(GOOD, PASSAGES)
            await checks.check_async(ANSWER, LONG)

    with serve(reads) as server:
        asyncio.run(run(server.url))
        received = server.received[1:]
    assert SIZE <= sum(made) < 1.2 * SIZE
    source = candidate().variants[0].source_for("en")
    expected = {source.render(LONG, [f"Hall {n} opens at nine."])[-1].content for n in range(UNITS)}
    assert {call.prompt for call in received} == expected
    assert all(json.loads(call.raw) == call.body for call in received)


def test_what_is_given_up_begins_no_further_calls(begun):
    async def run(url):
        async with checker(url, deadline_s=60) as checks:
            await checks.check_async(GOOD, PASSAGES)
            begun.clear()
            task = asyncio.create_task(checks.check_async(ANSWER, LONG))
            while not begun:
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            so_far = len(begun)
            for _ in range(3 * UNITS):
                await asyncio.sleep(0)
            return so_far, (await checks._checks.desks.here())._slots.held

    with serve(reads) as server:
        so_far, held = asyncio.run(run(server.url))
    assert so_far == len(begun) < UNITS
    assert held == 0


@pytest.mark.parametrize("known", [False, True])
def test_a_sync_check_that_has_ended_holds_its_context_no_longer(known):
    """By counting references alone: who waits for the collector may wait long."""

    def held():
        return sum(isinstance(each, passages.LongPassages) for each in gc.get_objects())

    with serve(reads) as server, checker(server.url, deadline_s=60) as checks:
        checks.check(ANSWER if known else GOOD, LONG if known else PASSAGES)
        gc.collect()
        before = held()
        gc.disable()
        try:
            assert checks.check(ANSWER, LONG).decision == "passed"
            checks._checks.background.wait(lambda errand: errand.give(list), 30)
            assert held() == before
        finally:
            gc.enable()


def test_an_error_in_a_later_turn_costs_its_own_verdict(monkeypatch):
    plain_request = Questions.plain_request

    def fails(questions, matter, texts, judge):
        assert "Hall 5 " not in texts[0]
        return plain_request(questions, matter, texts, judge)

    checks, judge = fake(lambda _: "yes")
    monkeypatch.setattr(Questions, "plain_request", fails)
    with checks:
        checked = checks.check(ANSWER, LONG)
    assert dict(checked.failures) == {"unexpected": 1}
    assert checked.units[5].failure == "unexpected"
    assert len(judge.asked) == UNITS - 1


async def test_one_piece_a_turn_and_a_fault_of_one_stops_no_other():
    loop, turns, done = asyncio.get_running_loop(), Turns(), []
    faults = []
    loop.set_exception_handler(lambda _, context: faults.append(context["exception"]))
    for piece in (lambda: done.append(1), lambda: 1 / 0, lambda: done.append(3)):
        turns.add(piece)
    assert done == []
    seen = []
    for _ in range(4):
        await asyncio.sleep(0)
        seen.append(list(done))
    assert seen == [[1], [1], [1, 3], [1, 3]]
    assert [type(fault) for fault in faults] == [ZeroDivisionError]
    assert not turns._pieces
