"""The calls of a release applied to answers: what is asked again, and budgets."""

from __future__ import annotations

import sqlite3

from metajudge.runner.limits import Budget
from metajudge.runner.recording import export_recording
from metajudge.runner.store import Store
from tests.release.applied import LENDS, NICE, OPENS, answer, told


def test_recorded_replies_are_not_asked_for_again(release, store, tmp_path):
    rows = [answer("a", OPENS, LENDS), answer("b", NICE)]
    first = release.judge(rows, store=store)
    recording = tmp_path / "replies.jsonl.gz"
    with sqlite3.connect(store) as table:
        keys = [key for (key,) in table.execute("select key from replies")]
    with Store(store) as replies:
        assert export_recording(replies, recording, keys) == len(keys) > 0
    again = release.judge(
        rows, store=tmp_path / "other.sqlite", recordings=[recording], budget=Budget(calls=1)
    )
    assert again.rows == first.rows
    assert again.summary.calls.sent == 0


def test_b52_b71_the_same_again_asks_nothing_and_gives_the_same(release, store):
    rows = [answer("a", OPENS, NICE), told("The whole story.", "b")]
    first = release.judge(rows, store=store)
    again = release.judge(rows, store=store)
    assert again.rows == first.rows
    assert first.summary.calls.sent == first.summary.calls.needed > 0
    assert (again.summary.calls.sent, again.summary.calls.stored) == (0, first.summary.calls.needed)


def test_b72_a_spent_budget_leaves_answers_open_and_the_next_run_goes_on(release, store):
    rows = [answer(f"a{i}", f"Hall A opens at {i}.") for i in range(6)]
    stopped = release.judge(rows, store=store, budget=Budget(calls=2))
    assert stopped.summary.calls.stopped == "budget"
    assert stopped.summary.scored == 2
    assert stopped.summary.unscored == {"not judged yet: the run stopped early": 4}
    assert stopped.summary.claims == 2, "figures are about what was judged to the end"
    assert stopped.summary.mean_score.value == 1.0
    whole = release.judge(rows, store=store)
    assert whole.summary.calls.sent == 4
    assert set(whole.scores.values()) == {1.0}


def test_a_budget_spent_on_extraction_leaves_the_rest_open(release, store):
    rows = [told("The whole story.", f"a{i}", question=f"Number {i}?") for i in range(3)]
    stopped = release.judge([*rows, answer("b", OPENS)], store=store, budget=Budget(calls=2))
    assert stopped.summary.calls.message == "the budget (2 calls) is spent. Run again to go on."
    assert stopped.summary.calls.stopped == "budget"
    assert set(stopped.scores.values()) == {None}
    assert stopped.summary.unscored == {"not judged yet: the run stopped early": 4}
    assert release.judge(rows, store=store).summary.scored == 3


def test_what_extraction_left_of_a_budget_is_not_named_as_the_budget(release, store):
    rows = [told("The whole story."), answer("b", OPENS)]
    stopped = release.judge(rows, store=store, budget=Budget(calls=1))
    assert stopped.summary.calls.message == "the budget (1 call) is spent. Run again to go on."
