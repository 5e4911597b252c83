"""Calls that are sent at once end as those that go by a task."""

import asyncio
import dataclasses

import pytest

from metajudge.metrics.selfcheck.calls import Calls
from metajudge.metrics.selfcheck.desk import Desk
from metajudge.metrics.selfcheck.questions import Questions
from tests.loopback import chat, drop, error, hang, html, raw, serve
from tests.metrics.selfcheck.asked import ANSWER, GOOD, PASSAGES, checker, reads

ODD = 'Hall "A" \\ {opens} at\tnine 🙂 九点。'
UNLIKE = {"elapsed_ms": 0.0}
FAILING = [
    error(500),
    error(429),
    error(401),
    error(400, "blocked", code="content_filter"),
    html(),
    raw(b"data: {}"),
    raw(b'{"choices": []}'),
    drop(),
    hang(),
    chat(""),
    chat("hm, well"),
    chat("I'm sorry, but I can't help with that."),
]


def by_task(monkeypatch):
    """No call is sent at once."""
    monkeypatch.setattr(Desk, "begin", lambda *_: None)


def asked(script, answers, **settings):
    """Outcomes of checks one after the other, and the server's log of what it got."""
    settings = {"cache_size": 0, "deadline_s": 30, **settings}

    async def run(url):
        async with checker(url, **settings) as checks:
            return [await checks.check_async(answer, PASSAGES) for answer in answers]

    with serve(script) as server:
        outcomes = asyncio.run(run(server.url))
        sent = [call.raw for call in server.received]
    return [dataclasses.replace(outcome, **UNLIKE) for outcome in outcomes], sent


@pytest.mark.parametrize("answer", [GOOD, ANSWER, ODD, "甲馆九点开放。甲馆五点关闭。"])
def test_requests_and_verdicts_are_those_of_calls_by_a_task(answer, monkeypatch):
    begun = []
    begin = Desk.begin
    monkeypatch.setattr(
        Desk, "begin", lambda *given: begun.append(begin(*given)) or begun[-1], raising=True
    )
    quick, sent = asked(reads, [answer] * 3)
    assert begun[0] is None, "nothing rests when the first one is sent"
    assert begun[-1] is not None, "later ones are sent at once"
    by_task(monkeypatch)
    slow, sent_so = asked(reads, [answer] * 3)
    assert quick == slow
    assert sorted(sent) == sorted(sent_so)


@pytest.mark.parametrize(
    "script", [reads, *([chat("yes"), failing] for failing in FAILING if not failing.hang)]
)
def test_the_sync_way_ends_as_the_async_way(script):
    settings = {"cache_size": 0, "deadline_s": 30}
    awaited, sent = asked(script, [ANSWER, ODD])
    with serve(script) as server, checker(server.url, **settings) as checks:
        found = [checks.check(answer, PASSAGES) for answer in (ANSWER, ODD)]
        sent_so = [call.raw for call in server.received]
    assert [dataclasses.replace(checked, **UNLIKE) for checked in found] == awaited
    assert sorted(sent) == sorted(sent_so)


def test_a_sync_check_makes_no_task_once_a_connection_rests(monkeypatch):
    made = []
    with serve(reads) as server, checker(server.url) as checks:
        first = checks.check(GOOD, PASSAGES)
        loop = checks._checks.background.loop
        create = loop.create_task
        monkeypatch.setattr(loop, "create_task", lambda *a, **k: made.append(a) or create(*a, **k))
        second = checks.check("Hall B opens at ten.", PASSAGES)
        assert made == []
    assert (first.decision, second.decision) == ("passed", "passed")


@pytest.mark.parametrize("failing", FAILING)
def test_failures_are_those_of_calls_by_a_task(failing, monkeypatch):
    script, deadline_s = [chat("yes"), failing], 3 if failing.hang else 30
    quick, _ = asked(script, [GOOD, GOOD], deadline_s=deadline_s)
    by_task(monkeypatch)
    slow, _ = asked(script, [GOOD, GOOD], deadline_s=deadline_s)
    assert quick == slow
    assert quick[1].failures


@pytest.mark.parametrize(
    ("script", "sent", "told"),
    [
        ([chat("yes"), error(500), chat("yes")], 3, 2),
        ([chat("yes"), drop(), chat("yes")], 3, 1),
        ([chat("yes"), error(400, "unsupported", param="temperature"), chat("yes")], 3, 1),
    ],
)
def test_b45_what_is_sent_again_is_counted_as_an_attempt_only_where_it_is_one(script, sent, told):
    """A connection closed while it rested and a refused setting are no attempts."""
    (_, second), log = asked(script, [GOOD, GOOD], deadline_s=5)
    assert second.decision == "passed"
    assert (len(log), second.calls) == (sent, told)


def test_a_call_that_is_given_up_frees_its_place():
    async def run(url):
        settings = {"cache_size": 0, "deadline_s": 2, "max_in_flight": 1, "breaker_after": 99}
        async with checker(url, **settings) as checks:
            found = [await checks.check_async(GOOD, PASSAGES) for _ in range(4)]
            desk = await checks._checks.desks.here()
            return found, desk._slots.held

    with serve([chat("yes"), hang(), chat("yes")]) as server:
        found, held = asyncio.run(run(server.url))
    assert [checked.units[0].failure for checked in found] == [None, "deadline", None, None]
    assert held == 0


def test_an_error_in_reading_costs_its_own_verdict(monkeypatch):
    async def run(url):
        async with checker(url, cache_size=0, deadline_s=5) as checks:
            await checks.check_async(GOOD, PASSAGES)
            monkeypatch.setattr(Questions, "read_plainly", lambda *_: 1 / 0)
            return await checks.check_async(GOOD, PASSAGES)

    with serve(chat("yes")) as server:
        checked = asyncio.run(run(server.url))
    assert dict(checked.failures) == {"unexpected": 1}
    assert "ZeroDivisionError" in (checked.units[0].detail or "")


def test_a_check_that_is_cancelled_leaves_nothing_behind():
    async def run(server):
        async with checker(server.url, cache_size=0, deadline_s=30) as checks:
            await checks.check_async(GOOD, PASSAGES)
            task = asyncio.create_task(checks.check_async(GOOD, PASSAGES))
            await asyncio.sleep(0.05)
            task.cancel()
            await asyncio.wait([task])
            desk = await checks._checks.desks.here()
            return task.cancelled(), desk._slots.held, checks.judge_is_down

    with serve([chat("yes"), hang()]) as server:
        assert asyncio.run(run(server)) == (True, 0, False)


def test_calls_hold_no_dictionary():
    assert "__dict__" not in dir(Calls)
