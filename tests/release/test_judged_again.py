"""Judged rows as answers: to be judged and consulted on again, in every form."""

from __future__ import annotations

import pytest

from metajudge.release.answers_file import read_answers
from metajudge.release.consult import Statistics, consult
from metajudge.runner.health import ARE_YOU_THERE
from tests.release.applied import answer, made, told


@pytest.fixture
def release(tmp_path):
    return made(tmp_path)


def rows():
    return [
        answer("a", "Hall A opens at 9.", "Hall A closes at 5."),
        told("The whole story.", "b", question="What of it?"),
        answer("c"),
        answer("d", "Hall A mumbles."),
    ]


@pytest.mark.parametrize("name", ["o.jsonl", "o.json", "o.csv", "o.parquet", "folder"])
def test_what_judge_writes_is_a_sample_with_the_claims_that_it_extracted(release, tmp_path, name):
    store = tmp_path / "s.sqlite"
    judged = release.judge(rows(), store=store)
    judged.save(tmp_path / name)
    read = read_answers(tmp_path / name).answers
    assert [one.answer_id for one in read] == ["a", "b", "c", "d"]
    assert [len(one.claims or ()) for one in read] == [2, 3, 0, 1]
    assert {one.passages for one in read} == {("Hall A opens at 9.", "Hall A lends 20 books.")}
    again = release.judge(tmp_path / name, store=store)
    assert again.scores == judged.scores
    assert again.summary.calls.sent == 0


def test_claims_are_extracted_once_and_then_consulted_on(release, tmp_path):
    judged = tmp_path / "judged.jsonl"
    store = tmp_path / "s.sqlite"
    release.judge(rows(), store=store).save(judged)
    found = consult(
        "literal+lenient",
        "literal+strict",
        judged,
        judge="baseline:ngram",
        gold="none",
        store=store,
        statistics=Statistics(resamples=100),
    )
    assert (found.flips.claims, found.sample.without_claims) == (6, 1)


def test_claims_that_are_not_known_stay_open(release, tmp_path):
    judged = release.judge([told("A sorry state.", "b")], store=tmp_path / "s.sqlite")
    assert judged.rows[0]["claims"] is None
    judged.save(tmp_path / "o.jsonl")
    (one,) = read_answers(tmp_path / "o.jsonl").answers
    assert one.claims is None and one.answer == "A sorry state."


def test_own_fields_keep_apart_however_often_rows_are_judged(release, tmp_path):
    store = tmp_path / "s.sqlite"
    given = [answer("a", "Hall A opens at 9.", score="mine", input_score="older")]
    (row,) = release.judge(given, store=store).rows
    assert (row["score"], row["input_score"], row["input_input_score"]) == (1.0, "older", "mine")
    (again,) = release.judge([dict(row)], store=store).rows
    assert again["score"] == 1.0
    assert {"mine", "older"} <= {v for v in again.values() if isinstance(v, str)}


def test_b47_an_answer_of_failures_alone_does_not_pass(release, tmp_path):
    given = [*rows(), told("A sorry state.", "e")]
    summary = release.judge(given, store=tmp_path / "s.sqlite").summary
    # a 0.5 passes; b 1/3 and the failed d and e do not; c states nothing.
    assert (summary.pass_rate.value, summary.pass_rate.n) == (0.25, 4)
    assert summary.scored == 2


def test_b47_calls_that_failed_as_the_judge_went_down_are_open(tmp_path):
    down = {"error": "connection"}
    release = made(tmp_path, rules=[("closes", down), (ARE_YOU_THERE.messages[0].content, down)])
    given = [answer(f"a{i}", f"Hall A closes at {i}.") for i in range(12)]
    store = tmp_path / "s.sqlite"
    stopped = release.judge([answer("z", "Hall A opens at 9."), *given], store=store)
    assert stopped.summary.calls.stopped == "judge_down"
    assert stopped.summary.unscored == {"not judged yet: the run stopped early": 12}
    assert stopped.summary.verdicts["failure"] == 0


def test_figures_do_not_depend_on_the_order_of_rows(release, tmp_path):
    given = [
        answer(f"a{i}", *["Hall A opens at 9."] * (i % 4), "It is nice.", context=[f"Hall {i}."])
        for i in range(12)
    ]
    one, other = (
        release.judge(order, store=tmp_path / "s.sqlite").summary for order in (given, given[::-1])
    )
    assert one.mean_score == other.mean_score and one.support == other.support
