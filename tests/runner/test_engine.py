import asyncio
import gc

import pytest

from metajudge.errors import ModelFileError, StoreError
from metajudge.judges.judge import JudgeCallError
from metajudge.runner import Store, run_calls
from metajudge.verdicts.verdict import Reply
from tests.runner.fakes import FakeJudge, failing, make_calls, quick, slow, yes

pytestmark = pytest.mark.usefixtures("virtual_clock")


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "replies.db") as opened:
        yield opened


def failures_of(outcome):
    return [reply.failure for reply in outcome.replies.values()]


async def test_every_call_is_answered_once_in_order(store):
    calls, judge = make_calls(300), FakeJudge()
    outcome = await run_calls(calls, judge, store)
    assert list(outcome.replies) == [call.key for call in calls]
    assert judge.prompts == [f"claim {number}" for number in range(300)]
    report = outcome.report
    assert (report.asked, report.answered, report.sent, report.retries) == (300, 300, 300, 0)
    assert (report.prompt_tokens, report.completion_tokens) == (3000, 600)
    assert (report.cost_usd, report.unpriced, report.stopped) == (None, 300, None)
    assert report.not_asked == report.failed == 0


async def test_b52_b71_b72_a_finished_run_asks_nothing(store):
    calls = make_calls(20)
    first = await run_calls(calls, FakeJudge(), store)
    again = FakeJudge()
    second = await run_calls(calls, again, store)
    assert again.attempts == 0
    assert second.replies == first.replies
    assert (second.report.cache_hits, second.report.answered, second.report.sent) == (20, 0, 0)
    await run_calls(make_calls(25), again, store)
    assert again.attempts == 5


async def test_repeats_are_draws_and_equal_calls_are_one(store):
    judge = FakeJudge()
    calls = [*make_calls(3), *make_calls(3), *make_calls(3, repeat=1)]
    outcome = await run_calls(calls, judge, store)
    assert judge.attempts == outcome.report.asked == 6


async def test_no_calls(store):
    outcome = await run_calls([], FakeJudge(), store)
    assert outcome.replies == {}
    assert outcome.report.stopped is None


async def test_b44_time_outs_use_up_the_attempts(store):
    judge = FakeJudge(slow(5))
    limits = quick(deadline_s=0.02, max_attempts={"timeout": 2})
    outcome = await run_calls(make_calls(3), judge, store, limits)
    assert judge.attempts == 6
    assert failures_of(outcome) == ["timeout"] * 3
    assert outcome.report.failures == {"timeout": 3}
    assert "0.02 s" in next(iter(outcome.replies.values())).failure_detail


@pytest.mark.parametrize("kind", ["server", "connection"])
async def test_b45_there_is_one_retry_layer(store, kind):
    judge = FakeJudge(failing(kind))
    outcome = await run_calls(make_calls(1), judge, store, quick(max_attempts={kind: 3}))
    assert judge.attempts == 3
    assert outcome.report.retries == 2
    assert failures_of(outcome) == ["transport"]


async def test_b46_one_hanging_call_holds_nothing_up(store, tmp_path):
    on_disk = []

    async def act(number, prompt):
        if prompt == "claim 7":
            await asyncio.sleep(0.7)
            with Store(tmp_path / "replies.db") as other:
                on_disk.append(other.count())
            await asyncio.sleep(60)
        return await yes(number, prompt)

    limits = quick(deadline_s=0.9, max_attempts={"timeout": 1})
    outcome = await run_calls(make_calls(20), FakeJudge(act), store, limits)
    assert failures_of(outcome).count("timeout") == 1
    assert outcome.report.answered == 19
    assert on_disk == [19]


async def test_b46_a_judge_that_ignores_cancellation_ends_in_a_time_out(store, monkeypatch):
    monkeypatch.setattr("metajudge.runner.engine.CANCEL_GRACE_S", 0.02)
    release = asyncio.Event()

    async def act(number, prompt):
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        raise RuntimeError("too late")

    limits = quick(deadline_s=0.02, max_attempts={"timeout": 1})
    outcome = await run_calls(make_calls(1), FakeJudge(act), store, limits)
    assert failures_of(outcome) == ["timeout"]
    release.set()
    await asyncio.sleep(0.01)
    gc.collect()


@pytest.mark.parametrize(
    ("kind", "failure"),
    [
        ("bad_request", "transport"),
        ("content_filter", "refused"),
        ("context_too_long", "transport"),
        ("missing", "missing"),
        ("not_a_judge", "transport"),
    ],
)
async def test_b48_some_errors_are_not_retried_and_other_rows_go_on(store, kind, failure):
    async def act(number, prompt):
        if prompt == "claim 5":
            raise JudgeCallError(kind, "why it failed")
        return await yes(number, prompt)

    judge = FakeJudge(act)
    outcome = await run_calls(make_calls(10), judge, store, quick())
    assert judge.attempts == 10
    reply = outcome.replies[make_calls(1, start=5)[0].key]
    assert (reply.failure, reply.failure_detail) == (failure, "why it failed")
    assert outcome.report.failures == {kind: 1}
    assert outcome.report.answered == 9


async def test_b48_refusals_are_answers_and_kept(store):
    async def act(number, prompt):
        if prompt == "claim 0":
            raise JudgeCallError("content_filter", "filtered")
        return Reply("", "content_filter")

    judge = FakeJudge(act)
    for _ in range(2):
        outcome = await run_calls(make_calls(2), judge, store, quick())
        assert failures_of(outcome) == ["refused", "refused"]
    assert judge.attempts == 2


async def test_b04_empty_replies_are_asked_again_and_not_kept(store):
    async def act(number, prompt):
        return Reply("", "stop", prompt_tokens=0, completion_tokens=0)

    judge = FakeJudge(act)
    outcome = await run_calls(make_calls(2), judge, store, quick())
    assert judge.attempts == 4
    assert failures_of(outcome) == ["empty", "empty"]
    assert store.count() == 0


async def test_b05_truncated_replies_are_kept(store):
    async def act(number, prompt):
        return Reply('{"verdict": "ye', "length")

    outcome = await run_calls(make_calls(1), FakeJudge(act), store)
    assert outcome.report.answered == store.count() == 1


async def test_b65_failures_are_asked_again_next_time(store):
    async def ill(number, prompt):
        if prompt in ("claim 3", "claim 4"):
            raise JudgeCallError("server", "500")
        return await yes(number, prompt)

    first = await run_calls(make_calls(10), FakeJudge(ill), store, quick())
    assert first.report.failures == {"server": 2}
    healthy = FakeJudge()
    second = await run_calls(make_calls(10), healthy, store, quick())
    assert healthy.prompts == ["claim 3", "claim 4"]
    assert failures_of(second) == [None] * 10


async def test_b49_a_dead_judge_ends_the_run_early(store):
    judge = FakeJudge(failing("connection", "connection refused"))
    outcome = await run_calls(make_calls(2000), judge, store, quick())
    assert outcome.report.stopped == "judge_down"
    assert "connection refused" in outcome.report.message
    assert judge.attempts <= 100
    assert outcome.report.not_asked >= 1900
    healthy = await run_calls(make_calls(2000), FakeJudge(), store, quick())
    assert healthy.report.answered == 2000


async def test_html_judges_end_the_run(store):
    judge = FakeJudge(failing("not_a_judge", "text/html"))
    outcome = await run_calls(make_calls(500), judge, store, quick())
    assert outcome.report.stopped == "judge_down"
    assert judge.attempts <= 32


async def test_a_short_run_without_any_answer_is_a_judge_down(store):
    outcome = await run_calls(make_calls(2), FakeJudge(failing("server")), store, quick())
    assert outcome.report.stopped == "judge_down"
    assert failures_of(outcome) == ["transport"] * 2


async def test_missing_recorded_replies_never_stop_a_run(store):
    outcome = await run_calls(make_calls(300), FakeJudge(failing("missing")), store, quick())
    assert outcome.report.stopped is None
    assert outcome.report.failures == {"missing": 300}


async def test_bad_requests_stop_only_a_judge_that_never_answered(store):
    async def act(number, prompt):
        if number > 20:
            raise JudgeCallError("bad_request", "odd context")
        return await yes(number, prompt)

    proven = await run_calls(make_calls(60), FakeJudge(act), store, quick())
    assert proven.report.stopped is None
    other = make_calls(60, start=100)
    never = await run_calls(other, FakeJudge(failing("bad_request")), store, quick())
    assert never.report.stopped == "judge_down"


async def test_a_wrong_key_ends_the_run_at_once(store):
    judge = FakeJudge(failing("access", "401"))
    outcome = await run_calls(make_calls(500), judge, store, quick(max_in_flight=4))
    assert outcome.report.stopped == "access"
    assert judge.attempts <= 4
    assert "401" in outcome.report.message


async def test_access_errors_after_answers_are_failures_of_their_rows(store):
    async def act(number, prompt):
        if number == 30:
            raise JudgeCallError("access", "403")
        return await yes(number, prompt)

    outcome = await run_calls(make_calls(60), FakeJudge(act), store, quick())
    assert outcome.report.stopped is None
    assert outcome.report.failures == {"access": 1}


async def test_b122_unexpected_errors_are_recorded_without_their_text(store):
    async def act(number, prompt):
        if number == 3:
            raise KeyError("sk-secret-0123456789")
        return await yes(number, prompt)

    outcome = await run_calls(make_calls(10), FakeJudge(act), store, quick())
    (failed,) = [reply for reply in outcome.replies.values() if reply.failure]
    assert failed.failure == "transport"
    assert "KeyError" in failed.failure_detail
    assert "secret" not in repr(outcome)
    assert outcome.report.failures == {"unexpected": 1}


async def test_a_judge_that_cancels_itself_or_answers_nonsense(store):
    async def act(number, prompt):
        if prompt == "claim 1":
            raise asyncio.CancelledError
        return None if prompt == "claim 2" else await yes(number, prompt)

    outcome = await run_calls(make_calls(9), FakeJudge(act), store, quick())
    assert outcome.report.failures == {"connection": 1, "unexpected": 1}
    assert outcome.report.answered == 7


async def test_retries_share_one_budget(store):
    async def act(number, prompt):
        raise JudgeCallError("server", "500")

    limits = quick(retry_floor=5, retry_share=0.0, stop_after=1000)
    judge = FakeJudge(act)
    await run_calls(make_calls(30), judge, store, limits)
    assert judge.attempts == 35


async def test_b74_latency_is_that_of_the_call_and_cached_rows_keep_it(store):
    judge = FakeJudge(slow(0.03))
    first = await run_calls(make_calls(1), judge, store)
    (live,) = first.replies.values()
    assert live.latency_ms == pytest.approx(30)
    assert live.created.startswith("20")
    (cached,) = (await run_calls(make_calls(1), judge, store)).replies.values()
    assert cached == live


async def test_b74_a_replayed_reply_keeps_its_own_latency(store):
    async def act(number, prompt):
        return Reply("yes", latency_ms=123.0, created="2026-01-01T00:00:00+00:00")

    (reply,) = (await run_calls(make_calls(1), FakeJudge(act), store)).replies.values()
    assert (reply.latency_ms, reply.created[:4]) == (123.0, "2026")


async def test_answers_of_another_process_are_used_while_running(store, tmp_path):
    calls = make_calls(200)
    with Store(tmp_path / "replies.db") as other:

        async def act(number, prompt):
            if number == 1:
                for call in calls[150:]:
                    other.put(call.key, call.request, judge.identity, Reply("from elsewhere"))
                other.flush()
            return await yes(number, prompt)

        judge = FakeJudge(act, max_in_flight=1)
        outcome = await run_calls(calls, judge, store)
    assert judge.attempts == 150
    assert (outcome.report.cache_hits, outcome.report.answered) == (50, 150)
    assert len(outcome.replies) == 200


async def test_what_the_user_must_mend_ends_the_run(store):
    async def act(number, prompt):
        if number == 30:
            raise ModelFileError("the model file is missing")
        return await yes(number, prompt)

    with pytest.raises(ModelFileError):
        await run_calls(make_calls(100), FakeJudge(act), store, quick())
    assert store.count() >= 13


async def test_a_store_that_cannot_be_flushed_ends_the_run(store, monkeypatch):
    def full(*_):
        raise StoreError("disk is full")

    monkeypatch.setattr(store, "insert", full)
    with pytest.raises(StoreError, match="full"):
        await run_calls(make_calls(50), FakeJudge(slow(0.01)), store, quick())
    monkeypatch.undo()


async def test_a_store_that_fails_ends_the_run(store, monkeypatch):
    def full(*_):
        raise StoreError("disk is full")

    monkeypatch.setattr(store, "put", full)
    with pytest.raises(StoreError, match="full"):
        await run_calls(make_calls(50), FakeJudge(), store, quick())
