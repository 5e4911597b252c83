import asyncio

from metajudge.metrics.selfcheck.checker import SelfCheck
from tests.loopback import chat, hang, serve
from tests.metrics.selfcheck.asked import (
    ANSWER,
    BAD,
    GOOD,
    LOST,
    PASSAGES,
    FakeJudge,
    candidate,
    checker,
    claim_of,
    label_of,
    reads,
)


async def test_units_come_as_they_are_judged_and_the_outcome_at_the_end():
    waits = {GOOD: 0.3, BAD: 0.0, LOST: 0.15}

    def script(call):
        return reads(call).after(waits[claim_of(call.prompt)])

    with serve(script) as server:
        async with checker(server.url) as checks:
            stream = checks.stream(ANSWER, PASSAGES)
            assert stream.outcome is None
            seen = [(unit.text, unit.label) async for unit in stream]
            assert seen == [(BAD, "no"), (LOST, "idk"), (GOOD, "yes")]
            assert stream.outcome is not None
            assert (stream.outcome.decision, stream.outcome.text) == ("stripped", GOOD)
            assert [unit.text for unit in stream.outcome.units] == [GOOD, BAD, LOST]
            again = checks.stream(ANSWER, PASSAGES)
            assert [unit.cached async for unit in again] == [True, True, True]


async def test_late_units_come_at_the_deadline():
    def script(call):
        return hang() if claim_of(call.prompt) == BAD else reads(call)

    with serve(script) as server:
        async with checker(server.url, deadline_s=0.4) as checks:
            stream = checks.stream(ANSWER, PASSAGES)
            seen = {unit.text: unit.label or unit.failure async for unit in stream}
    assert seen == {GOOD: "yes", LOST: "idk", BAD: "deadline"}
    assert stream.outcome is not None


async def test_whoever_leaves_early_ends_the_calls():
    def script(call):
        return reads(call) if claim_of(call.prompt) == GOOD else hang()

    with serve(script) as server:
        async with checker(server.url, deadline_s=30) as checks:
            stream = checks.stream(ANSWER, PASSAGES)
            async for _ in stream:
                break
            await stream.aclose()
            assert stream.outcome is None
            for _ in range(100):
                if not server.in_flight:
                    break
                await asyncio.sleep(0.01)
            assert server.in_flight == 0


async def test_nothing_is_raised_and_nothing_is_missing():
    with serve(chat("hm, well")) as server:
        async with checker(server.url) as checks:
            for arguments, units in (((5, PASSAGES), 0), (("", PASSAGES), 0), ((GOOD, []), 1)):
                stream = checks.stream(*arguments)
                assert len([unit async for unit in stream]) == units
                assert stream.outcome is not None
            stream = checks.stream(GOOD, PASSAGES)
            assert [unit.failure async for unit in stream] == ["unparsable"]


async def test_a_judge_that_stays_at_home_streams_too():
    judge = FakeJudge(label_of)
    async with SelfCheck(candidate(), judge, deadline_s=5) as checks:
        stream = checks.stream(ANSWER, PASSAGES)
        assert sorted([unit.index async for unit in stream]) == [0, 1, 2]
    assert stream.outcome is not None
    assert stream.outcome.text == GOOD
