"""Metrics without a judge as `evaluate` runs them: records of calls, sameness, turns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from metajudge.errors import InputError, MetajudgeError
from metajudge.metrics.computed.agents import TOOL_CALL_METRICS
from metajudge.metrics.computed.tool_matching import Sameness
from metajudge.metrics.computed_metrics import ComputeSettings
from metajudge.metrics.evaluate import evaluate
from metajudge.metrics.evaluation import Evaluation
from tests.metrics.judging import script

EXPECTED = [{"name": "book", "arguments": {"price": 9.5, "trace_id": "a"}}]
MADE = [{"name": "book", "arguments": {"price": 9.5004, "trace_id": "b"}}]
SAID = [{"role": "user", "content": "Book it."}, {"role": "assistant", "content": "Done."}]


def found(folder: Path, rows: list[dict[str, Any]], *metrics: str, **more: Any) -> Evaluation:
    return evaluate(rows, metrics, store=folder / "replies.sqlite", **more)


@pytest.mark.parametrize(("lang", "reason"), [("en", "no record of calls"), ("zh", "没有调用记录")])
def test_a_row_without_a_record_of_calls_has_no_score(
    tmp_path: Path, lang: str, reason: str
) -> None:
    row = {"answer_id": "a", "expected_tools": EXPECTED, "lang": lang}
    of_all = found(tmp_path, [row], *TOOL_CALL_METRICS)
    for name in TOOL_CALL_METRICS:
        score = of_all.of("a", name)
        assert score.score is None and score.reason is not None and reason in score.reason


@pytest.mark.parametrize("record", [{"actual_tools": []}, {"turns": SAID}])
def test_a_record_in_which_no_call_was_made_is_a_missed_call(
    tmp_path: Path, record: dict[str, Any]
) -> None:
    row = {"answer_id": "a", "expected_tools": EXPECTED, **record}
    assert found(tmp_path, [row], "tool_call_recall").scores("tool_call_recall") == {"a": 0.0}


@pytest.mark.parametrize(
    ("same", "recall", "policy"),
    [
        (Sameness(), 0.0, "any order"),
        (Sameness(absolute=0.001), 0.0, "any order, numbers within 0.001"),
        (
            Sameness(absolute=0.001, ignored=("trace_id",)),
            1.0,
            "any order, numbers within 0.001, without trace_id",
        ),
        (
            Sameness(relative=0.01, ignored=("trace_id",)),
            1.0,
            "any order, relative 0.01, without trace_id",
        ),
        (Sameness(by_name_alone=True), 1.0, "any order, names alone"),
    ],
)
def test_when_two_calls_are_the_same_is_a_setting_and_is_told(
    tmp_path: Path, same: Sameness, recall: float, policy: str
) -> None:
    row = {"answer_id": "a", "expected_tools": EXPECTED, "actual_tools": MADE}
    by_name = found(tmp_path, [row], "tool_call_recall", same_tools=same)
    in_one = found(tmp_path, [row], "tool_call_recall", computed=ComputeSettings(same_tools=same))
    assert by_name.records == in_one.records
    score = by_name.of("a", "tool_call_recall")
    assert (score.score, score.policy) == (recall, policy)


def test_order_is_a_setting(tmp_path: Path) -> None:
    calls = [{"name": "a"}, {"name": "b"}]
    row = {"answer_id": "a", "expected_tools": calls, "actual_tools": calls[::-1]}
    for in_order, recall in ((False, 1.0), (True, 0.5)):
        one = found(tmp_path, [row], "tool_call_recall", tools_in_order=in_order)
        assert one.scores("tool_call_recall") == {"a": recall}


@pytest.mark.parametrize("tolerance", [-1.0, float("nan"), float("inf")])
def test_a_senseless_tolerance_is_refused(tmp_path: Path, tolerance: float) -> None:
    with pytest.raises(InputError, match="0 or more"):
        found(tmp_path, [{"answer_id": "a"}], "turns", same_tools=Sameness(absolute=tolerance))


def test_the_account_of_turns_has_most_fewest_and_the_share_of_single_turns(
    tmp_path: Path,
) -> None:
    rows: list[dict[str, Any]] = [{"answer_id": f"r{n}", "turns": SAID} for n in range(40)]
    rows += [{"answer_id": "long", "turns": SAID * 3}, {"answer_id": "none", "answer": "Hi."}]
    account = found(tmp_path, rows, "turns").summary.metrics[0]
    turns = account.turns
    assert turns is not None
    assert (turns.conversations, turns.without, turns.most, turns.fewest) == (41, 1, 3, 1)
    assert turns.single_turn_share == pytest.approx(40 / 41, abs=1e-6)
    assert turns.low is not None and 0.8 < turns.low < 40 / 41
    (warning,) = account.warnings
    assert "98% of 41 conversations end after one turn" in warning.en
    assert "41 个对话中有 98% 只有一轮" in warning.zh


def test_conversations_of_several_turns_warn_of_nothing(tmp_path: Path) -> None:
    rows = [{"answer_id": f"r{n}", "turns": SAID * 2} for n in range(5)]
    assert found(tmp_path, rows, "turns").summary.metrics[0].warnings == ()


@pytest.mark.parametrize("form", ["jsonl", "json", "csv", "parquet"])
def test_agents_rows_are_written_whole_and_can_be_evaluated_again(
    tmp_path: Path, form: str
) -> None:
    rows: list[dict[str, Any]] = [
        {"answer_id": "a", "turns": SAID, "expected_tools": EXPECTED, "actual_tools": MADE},
        {"answer_id": "乙", "answer": "九点。", "context": ["九点开门。"], "lang": "zh"},
    ]
    metrics = ("turns", "tool_call_f1", "ngram_coverage")
    first = found(tmp_path, rows, *metrics)
    path = first.save(tmp_path / f"scored.{form}")
    again = evaluate(str(path), metrics, store=tmp_path / "replies.sqlite")
    for name in metrics:
        assert [row.scores[name] for row in again.rows] == [row.scores[name] for row in first.rows]


@pytest.mark.parametrize(
    ("fault", "metric", "told"),
    [
        ({"expected_tools": ["book"], "actual_tools": []}, "tool_call_f1", "has a name"),
        ({"expected_tools": [], "actual_tools": [{"tool": "f"}]}, "tool_call_recall", "has a name"),
        ({"turns": [{"role": "narrator", "content": "x"}]}, "turns", "'narrator'"),
    ],
)
def test_faults_of_records_are_all_told_before_a_judge_is_asked(
    tmp_path: Path, fault: dict[str, Any], metric: str, told: str
) -> None:
    rows = [{"answer_id": name, "question": "q?", "context": ["x"], **fault} for name in "ab"]
    judge = script(tmp_path, {}, otherwise="yes")
    with pytest.raises(InputError, match=told) as caught:
        found(tmp_path, rows, "context_relevance", metric, judge=judge)
    assert len(caught.value.problems) == 2
    assert not (tmp_path / "replies.sqlite").exists()


@pytest.mark.parametrize(
    ("metric", "more", "told"),
    [
        ("answer_similarity", {"embedding": "x"}, "an embedding model is named by one of"),
        ("nli_entailment", {"nli": "/no/such/folder"}, "."),
    ],
)
def test_a_model_that_cannot_be_opened_is_told_before_a_judge_is_asked(
    tmp_path: Path, metric: str, more: dict[str, Any], told: str
) -> None:
    row = {"answer_id": "a", "question": "q?", "context": ["x"]}
    judge = script(tmp_path, {}, otherwise="yes")
    with pytest.raises(MetajudgeError, match=told):
        found(tmp_path, [row], "context_relevance", metric, judge=judge, **more)
    assert not (tmp_path / "replies.sqlite").exists()


def test_names_may_stand_with_blanks_and_a_last_comma(tmp_path: Path) -> None:
    rows = [{"answer_id": "a", "turns": SAID}]
    account = found(tmp_path, rows, "turns, ngram_coverage,").summary.metrics
    assert [metric.metric for metric in account] == ["turns", "ngram_coverage"]


def test_calls_of_frameworks_are_written_as_mappings(tmp_path: Path) -> None:
    from dataclasses import dataclass

    @dataclass
    class Call:
        name: str
        args: dict[str, Any]

    call = Call("f", {"a": 1})
    row = {"answer_id": "a", "expected_tools": [call], "actual_tools": [call]}
    scored = found(tmp_path, [row], "tool_call_f1")
    assert scored.scores("tool_call_f1") == {"a": 1.0}
    assert scored.records[0]["expected_tools"] == [{"name": "f", "args": {"a": 1}}]
    scored.save(tmp_path / "out.jsonl")


def test_b86_calls_are_the_same_calls_in_whatever_form_the_rows_come(tmp_path: Path) -> None:
    """Tables give every call the arguments of all calls, those that it lacks as nulls."""
    import datasets

    book = {"name": "book", "arguments": {"flight": "LH 1", "seats": [1, 2]}}
    look = {"name": "look", "arguments": {"where": {"city": "北京"}}}
    rows = [
        {"answer_id": "1", "expected_tools": [book], "actual_tools": [book, look]},
        {"answer_id": "2", "expected_tools": [look], "actual_tools": [look]},
    ]
    table = pd.DataFrame(rows)
    table.to_parquet(tmp_path / "rows.parquet")
    held = datasets.Dataset.from_list(rows)
    held.to_json(tmp_path / "rows.jsonl", force_ascii=False)
    again = pd.read_parquet(tmp_path / "rows.parquet")
    for source in (rows, table, again, held, tmp_path / "rows.parquet", tmp_path / "rows.jsonl"):
        found = evaluate(source, ["tool_call_f1"], store=tmp_path / "s.sqlite")
        assert list(found.scores("tool_call_f1").values()) == [pytest.approx(2 / 3), 1.0]


def test_a_set_among_arguments_has_no_order(tmp_path: Path) -> None:
    one, other = ({"name": "f", "arguments": {"of": held}} for held in ({8, 0}, {0, 8}))
    rows = [{"answer_id": "1", "expected_tools": [one], "actual_tools": [other]}]
    found = evaluate(rows, ["tool_call_f1"], store=tmp_path / "s.sqlite")
    assert found.of("1", "tool_call_f1").score == 1.0
