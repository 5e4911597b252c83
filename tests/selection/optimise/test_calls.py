"""Calls of many threads as runs of the engine."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from metajudge.errors import ModelFileError
from metajudge.judges.judge import JudgeCallError, Request, Scalar, call_key
from metajudge.runner.call import Call
from metajudge.runner.health import ARE_YOU_THERE
from metajudge.runner.limits import Budget, Limits
from metajudge.runner.store import Store
from metajudge.selection.optimise.calls import Halted, SharedCalls
from metajudge.templates.message import Message
from metajudge.verdicts.verdict import Reply


class Counting:
    """Answers with the prompt; fails where the prompt says so, and is down from then on."""

    spec, max_in_flight = "counting", 3
    gives_logprobs = label_in_one_token = False

    def __init__(self) -> None:
        self.identity: dict[str, Scalar] = {"model": "counting"}
        self.asked: list[str] = []
        self.at_once = self.most = self.closed = self.looks = 0
        self.loops: set[int] = set()

    async def ask(self, request: Request) -> Reply:
        text = request.messages[0].content
        if request == ARE_YOU_THERE:
            text = "down" if self.asked[-1].startswith("down") else text
            self.looks += 1
        else:
            self.asked.append(text)
        self.loops.add(id(asyncio.get_running_loop()))
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        await asyncio.sleep(0.001)
        self.at_once -= 1
        if text.startswith("long"):
            raise JudgeCallError("context_too_long", "too long")
        if text.startswith("down"):
            raise JudgeCallError("connection", "refused")
        if text.startswith("mend"):
            raise ModelFileError("the model's file is missing")
        return Reply(text)

    async def close(self) -> None:
        self.closed += 1


def call(text: str) -> Call:
    request = Request((Message("user", text),), max_tokens=1)
    return Call(call_key({"model": "counting"}, request), request)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "replies.db") as opened:
        yield opened


ONE_TRY = {"connection": 1}


def test_many_threads_ask_each_call_once_within_the_judges_limit(store: Store) -> None:
    judge = Counting()
    wanted = [call(f"t{i % 40}") for i in range(200)]
    with (
        SharedCalls({"judge": judge}, store, Limits()) as calls,
        ThreadPoolExecutor(16) as threads,
    ):
        replies = list(threads.map(lambda each: calls.reply("judge", each), wanted))
    assert [reply.text for reply in replies] == [f"t{i % 40}" for i in range(200)]
    assert sorted(judge.asked) == sorted({f"t{i}" for i in range(40)})
    assert judge.most <= 3
    assert len(judge.loops) == 1
    assert judge.closed == 1
    assert store.count() == 40


def test_the_budget_is_that_of_all_runs_together(store: Store) -> None:
    judge, proposer = Counting(), Counting()
    limits = Limits(budget=Budget(calls=5))
    with SharedCalls({"judge": judge, "proposer": proposer}, store, limits) as calls:
        for i in range(3):
            calls.reply("judge", call(f"a{i}"))
        for i in range(2):
            calls.reply("proposer", call(f"b{i}"))
        with pytest.raises(Halted, match="the budget of 5 calls is spent"):
            calls.reply("judge", call("c"))
        # What is stored can still be had.
        assert calls.reply("judge", call("b1")).text == "b1"
    assert len(judge.asked) + len(proposer.asked) == 5


def test_one_call_that_fails_is_not_the_end(store: Store) -> None:
    with SharedCalls({"judge": Counting()}, store, Limits(max_attempts=ONE_TRY)) as calls:
        assert calls.reply("judge", call("long")).failure is not None
        assert calls.reply("judge", call("fine")).text == "fine"
        assert calls.reply("judge", call("down 1")).failure == "transport"
        assert calls.reply("judge", call("fine 2")).text == "fine 2"
        assert calls.stopped is None


def test_a_first_call_that_fails_is_not_the_end_and_is_not_asked_again(store: Store) -> None:
    judge = Counting()
    limits = Limits(max_attempts=ONE_TRY, stop_after=3)
    with SharedCalls({"judge": judge}, store, limits) as calls:
        for _ in range(5):
            assert calls.reply("judge", call("down 1")).failure == "transport"
        assert calls.reply("judge", call("fine")).text == "fine"
        assert calls.stopped is None
        both = calls.replies("judge", [call("down 1"), call("fine 2")])
    assert [reply.failure for reply in both.values()] == ["transport", None]
    assert judge.asked == ["down 1", "fine", "fine 2"]
    assert all(report.stopped is None for report in calls.reports["judge"])


def test_a_judge_that_is_down_is_not_asked_on_and_on(store: Store) -> None:
    judge = Counting()
    limits = Limits(max_attempts=ONE_TRY, stop_after=3)
    with SharedCalls({"judge": judge}, store, limits) as calls:
        calls.reply("judge", call("fine"))
        for i in range(3):
            calls.reply("judge", call(f"down {i}"))
        with pytest.raises(Halted, match="again when the judge is up"):
            calls.reply("judge", call("down 4"))
    assert len(judge.asked) == 4


def test_what_has_to_be_mended_is_carried_out_of_the_thread(store: Store) -> None:
    judge = Counting()
    with SharedCalls({"judge": judge}, store, Limits()) as calls:
        with pytest.raises(Halted) as caught:
            calls.reply("judge", call("mend"))
        assert isinstance(caught.value.error, ModelFileError)
        assert calls.reply("judge", call("fine")).text == "fine"
    assert judge.closed == 1


def test_after_the_end_nothing_is_asked(store: Store) -> None:
    with SharedCalls({"judge": Counting()}, store, Limits()) as calls:
        pass
    with pytest.raises(Halted, match="are over"):
        calls.reply("judge", call("late"))


def test_halting_is_no_exception_that_an_optimiser_would_score() -> None:
    assert not issubclass(Halted, Exception)


def test_a_judge_in_two_roles_is_closed_once(store: Store) -> None:
    judge = Counting()
    with SharedCalls({"judge": judge, "proposer": judge}, store, Limits()) as calls:
        calls.reply("judge", call("a"))
        calls.reply("proposer", call("b"))
    assert judge.closed == 1


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_nobody_waits_for_a_worker_that_broke(store: Store) -> None:
    def broken(role: str, sent: int) -> None:
        raise ZeroDivisionError("a bug of the caller")

    with SharedCalls({"judge": Counting()}, store, Limits(), broken) as calls:
        with pytest.raises(Halted, match="a bug of the caller"):
            calls.reply("judge", call("a"))
        calls._worker.join()
        with pytest.raises(Halted, match="are over"):
            calls.reply("judge", call("b"))
