import io

import pytest

from metajudge.judges.judge import JudgeCallError
from metajudge.runner import (
    PlainProgress,
    RichProgress,
    RunReport,
    Silent,
    Store,
    progress_for,
    run_calls,
)
from metajudge.runner.progress import _Tally
from metajudge.verdicts.verdict import Reply
from tests.runner.fakes import FakeJudge, make_calls, quick


async def flaky(number, prompt):
    if prompt == "claim 3":
        raise JudgeCallError("bad_request", "no")
    return Reply(f"yes to {prompt}", cost_usd=0.001, latency_ms=1.0, created="2026")


class Terminal(io.StringIO):
    def isatty(self):
        return True


async def test_b124_all_observers_give_equal_runs(tmp_path):
    outcomes = []
    shown = (
        Silent(),
        PlainProgress(io.StringIO()),
        RichProgress(Terminal()),
        RichProgress(io.StringIO()),
        None,
    )
    for number, observer in enumerate(shown):
        with Store(tmp_path / f"{number}.db") as store:
            outcome = await run_calls(make_calls(40), FakeJudge(flaky), store, quick(), observer)
        failure = [r.failure for r in outcome.replies.values()]
        texts = [r.text for r in outcome.replies.values()]
        outcomes.append((failure, texts, outcome.report.failures, outcome.report.stopped))
    assert all(outcome == outcomes[0] for outcome in outcomes)


async def test_b124_a_log_file_gets_few_lines(tmp_path):
    log = io.StringIO()
    with Store(tmp_path / "r.db") as store:
        await run_calls(make_calls(1000), FakeJudge(flaky), store, quick(), PlainProgress(log))
    lines = log.getvalue().splitlines()
    assert lines[0] == "1,000 calls, 0 already answered"
    assert len(lines) <= 12
    assert "1000/1000 done" in lines[-2]
    assert "1 failed, $0.9990" in lines[-2]
    assert lines[-1].startswith("done (999 answered, 0 cached, 1 failed, 0 not asked")


def test_a_slow_run_gets_a_line_every_30_s(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("metajudge.runner.progress.time.monotonic", lambda: now[0])
    log = io.StringIO()
    progress = PlainProgress(log)
    progress.on_start(1000, 100)
    for _ in range(20):
        now[0] += 10
        progress.on_reply("k", Reply("yes"))
    lines = log.getvalue().splitlines()
    assert len(lines) == 1 + 6
    assert "103/1000 done, 0.1/s, 0 failed, 149:30 left" in lines[1]


def test_b118_a_narrow_encoding_or_a_closed_stream_harms_nothing():
    raw = io.BytesIO()
    ascii_only = io.TextIOWrapper(raw, encoding="ascii")
    progress = PlainProgress(ascii_only)
    progress.on_start(1, 0)
    progress.on_end(RunReport(1, stopped="judge_down", message="支持"))
    assert b"stopped: \\u652f" in raw.getvalue()
    closed = io.StringIO()
    for shown in (PlainProgress(closed), RichProgress(closed)):
        shown.on_start(1, 0)
        closed.close()
        shown.on_reply("k", Reply("yes"))
        shown.on_end(RunReport(1))
        closed = io.StringIO()


def test_the_bar_shows_numbers_and_the_reason_of_an_early_end():
    terminal = Terminal()
    bar = RichProgress(terminal)
    bar.on_start(10, 4)
    bar.on_reply("k", Reply("yes", cost_usd=0.5))
    bar.on_end(RunReport(10, stopped="budget", message="the budget of [5] USD is spent"))
    shown = terminal.getvalue()
    assert "5/10" in shown
    assert "$0.5" in shown
    assert "the budget of [5] USD is spent" in shown


def test_an_end_without_a_start_is_harmless():
    RichProgress(io.StringIO()).on_end(RunReport(0))


@pytest.mark.parametrize(
    ("stream", "kind"), [(Terminal(), RichProgress), (io.StringIO(), PlainProgress)]
)
def test_a_bar_only_on_a_terminal(stream, kind):
    assert type(progress_for(stream)) is kind


def test_cached_calls_do_not_speed_up_the_rate():
    tally = _Tally(100, 90)
    assert tally.left_s is None
    tally.started -= 10
    tally.add(Reply("yes"))
    assert tally.rate == pytest.approx(0.1, rel=0.01)
    assert tally.left_s == pytest.approx(90, rel=0.01)
