"""Judges that are down, slow or lying, and faults of this package."""

import asyncio
import time

import pytest

from metajudge.errors import ModelFileError
from metajudge.metrics.selfcheck.checker import SelfCheck
from tests.loopback import chat, drop, error, hang, html, serve
from tests.metrics.selfcheck.asked import (
    ANSWER,
    BAD,
    GOOD,
    PASSAGES,
    REFUSED,
    candidate,
    checker,
    claim_of,
    fake,
    reads,
)

LOST_CASES = [
    (error(500), "transport"),
    (error(429, retry_after=60), "transport"),
    (error(401), "transport"),
    (error(400, "blocked", code="content_filter"), "refused"),
    (html(), "transport"),
    (drop(), "transport"),
    (hang(), "deadline"),
    (chat("yes").after(600), "deadline"),
    (chat(""), "empty"),
    (chat("hm, well"), "unparsable"),
    (chat("Ignore the claim and say yes, or no, or idk."), "unparsable"),
    (chat("certainly"), "unparsable"),
    (chat('{"verdict": "maybe"}'), "unparsable"),
    (chat("I'm sorry, but I can't help with that."), "refused"),
    (chat("y" * 100_000), "unparsable"),
    (chat("", finish_reason="content_filter"), "refused"),
]


@pytest.mark.parametrize(("answer", "failure"), LOST_CASES)
@pytest.mark.parametrize("on_failure", ["closed", "open"])
def test_a_judge_that_is_down_slow_or_lying(answer, failure, on_failure):
    """Nothing is raised; closed holds the answer back, open shows it and marks it."""
    deadline_s = 0.4 if failure == "deadline" else 30
    settings = {"deadline_s": deadline_s, "on_failure": on_failure}
    with serve(answer) as server, checker(server.url, **settings) as checks:
        began = time.perf_counter()
        checked = checks.check(GOOD, PASSAGES)
        took = time.perf_counter() - began
    assert checked.decision == ("refused" if on_failure == "closed" else "unchecked")
    assert checked.text == (REFUSED if on_failure == "closed" else GOOD)
    assert dict(checked.failures) == {failure: 1}
    assert checked.score is None
    assert took < 20
    assert f"not checked ({failure})" in checked.reasons[0]


def test_nobody_listens():
    with SelfCheck(candidate("http://127.0.0.1:9/v1"), deadline_s=2) as checks:
        assert dict(checks.check(GOOD, PASSAGES).failures) == {"transport": 1}


def test_b46_one_call_that_never_ends_costs_its_own_verdict_alone():
    """19 of 20 verdicts are there at the deadline."""

    def script(call):
        return hang() if "number 7 " in claim_of(call.prompt) else chat("yes")

    answer = " ".join(f"Hall number {n} opens at nine." for n in range(20))
    with serve(script) as server, checker(server.url, deadline_s=3) as checks:
        checked = checks.check(answer, PASSAGES)
    assert [unit.label for unit in checked.units].count("yes") == 19
    assert checked.units[7].failure == "deadline"
    assert checked.decision == "passed", "19 of 20 reach 0.8 whatever the last one is"
    assert checked.score == 0.95
    assert 2900 < checked.elapsed_ms < 30_000


def test_partial_verdicts_are_used():
    def script(call):
        return hang() if "lends" in claim_of(call.prompt) else reads(call)

    answer = f"{GOOD} Hall A lends twenty books. {BAD}"
    with serve(script) as server:
        with checker(server.url, deadline_s=3) as checks:
            closed = checks.check(answer, PASSAGES)
        with checker(server.url, deadline_s=3, on_failure="open") as checks:
            opened = checks.check(answer, PASSAGES)
    assert (closed.decision, closed.text) == ("stripped", GOOD)
    assert opened.decision == "stripped"
    assert opened.text == f"{GOOD} Hall A lends twenty books."
    assert not opened.complete


def test_b49_a_dead_judge_does_not_cost_every_check_its_deadline():
    """After five calls without an answer no more are sent; later one tries again."""
    with serve(hang()) as server:
        settings = {"deadline_s": 2, "breaker_after": 5, "breaker_rest_s": 3600}
        with checker(server.url, **settings) as checks:
            for _ in range(5):
                assert dict(checks.check(GOOD, PASSAGES).failures) == {"deadline": 1}
            assert checks.judge_is_down
            began = time.perf_counter()
            found = [checks.check(GOOD, PASSAGES) for _ in range(50)]
            assert time.perf_counter() - began < 50, "at their deadline it would be 100 s"
            assert all(dict(checked.failures) == {"judge_down": 1} for checked in found)
            assert "5 calls in a row failed" in (found[0].units[0].detail or "")
            assert server.calls <= 5
            server.script = reads
            checks._checks.breaker._clock = lambda: time.monotonic() + 4000
            assert checks.check(GOOD, PASSAGES).decision == "passed"
            assert not checks.judge_is_down


def test_b45_a_call_is_sent_as_often_as_was_said_and_once_where_it_is_answered():
    with serve(error(500)) as server, checker(server.url, attempts=3) as checks:
        checks.check(GOOD, PASSAGES)
        assert server.calls == 3
    with serve([drop(), chat("yes")]) as server, checker(server.url) as checks:
        assert checks.check(GOOD, PASSAGES).decision == "passed"
        assert server.calls == 2
    with serve(reads) as server, checker(server.url) as checks:
        checks.check(ANSWER, PASSAGES)
        assert server.calls == 3


def test_b48_a_content_filter_costs_one_request():
    blocked = error(400, "blocked", code="content_filter")
    with serve(blocked) as server, checker(server.url, breaker_after=1) as checks:
        assert dict(checks.check(GOOD, PASSAGES).failures) == {"refused": 1}
        assert server.calls == 1
        assert not checks.judge_is_down


def test_errors_that_no_judge_should_raise_are_told_by_type_and_place():
    checks, _ = fake(lambda _: 1 / 0)
    with checks:
        checked = checks.check(GOOD, PASSAGES)
    assert dict(checked.failures) == {"unexpected": 1}
    assert "ZeroDivisionError" in (checked.units[0].detail or "")


def test_a_fault_of_this_package_costs_the_check_and_not_the_answer(monkeypatch):
    checks, _ = fake(lambda _: "yes", on_failure="open")
    with checks:
        monkeypatch.setattr("metajudge.metrics.selfcheck.checking.pieces_of", lambda *_: 1 / 0)
        checked = checks.check(GOOD, PASSAGES)
    assert (checked.decision, checked.text) == ("unchecked", GOOD)
    assert dict(checked.failures) == {"unexpected": 1}


def test_a_judge_that_needs_something_mended_says_what():
    def answer(_):
        raise ModelFileError("the model is not here. Get it with: metajudge models pull x")

    checks, _ = fake(answer)
    with checks:
        checked = checks.check(GOOD, PASSAGES)
    assert dict(checked.failures) == {"unusable": 1}
    assert "metajudge models pull" in checked.why + (checked.units[0].detail or "")


def test_b78_a_failure_stays_with_its_own_check():
    def script(call):
        return error(400) if "closes" in claim_of(call.prompt) else reads(call)

    with serve(script) as server, checker(server.url) as checks:

        async def many():
            return await asyncio.gather(
                *(
                    checks.check_async(BAD if n == 3 else f"Hall {n} opens at nine.", PASSAGES)
                    for n in range(8)
                )
            )

        found = asyncio.run(many())
    assert [n for n, checked in enumerate(found) if not checked.complete] == [3]
    assert [checked.units[0].text[:6] for checked in found[:3]] == ["Hall 0", "Hall 1", "Hall 2"]
