"""Rows under the names of every framework, and every fault named at once."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from metajudge.errors import InputError
from metajudge.metrics.inputs import read_rows_for_metrics
from metajudge.metrics.row import MetricRow

PLAIN: dict[str, Any] = {
    "question": "几点开门？",
    "answer": "九点。",
    "context": ["九点开门。", "周一闭馆。"],
    "reference": "九点开门。",
}
NAMES = {
    "deepeval": ("input", "actual_output", "retrieval_context", "expected_output"),
    "ragas": ("user_input", "response", "retrieved_contexts", "reference"),
    "ragas 0.1": ("question", "answer", "contexts", "ground_truth"),
    "phoenix": ("input", "output", "context", "reference"),
    "spans": (
        "attributes.input.value",
        "attributes.output.value",
        "attributes.retrieval.documents",
        "reference",
    ),
}


def one(row: Any) -> MetricRow:
    """The only row of a source."""
    (read,) = read_rows_for_metrics([row]).rows
    return read


@pytest.mark.parametrize("names", NAMES.values(), ids=list(NAMES))
def test_b39_names_of_every_framework_are_the_same_row(names: tuple[str, ...]) -> None:
    row = one(dict(zip(names, PLAIN.values(), strict=True)))
    assert (row.question, row.answer, row.reference) == ("几点开门？", "九点。", "九点开门。")
    assert row.passages == ("九点开门。", "周一闭馆。")
    assert (row.lang, row.chinese) == ("zh", True)


def test_the_made_id_is_the_one_that_judge_makes() -> None:
    from metajudge.release.answers_file import read_answers

    plain = {name: PLAIN[name] for name in ("question", "answer", "context")}
    assert one(plain).answer_id == read_answers([plain]).answers[0].answer_id


def test_a_missing_field_is_none_and_an_empty_one_is_empty() -> None:
    row = one({"answer": "", "context": []})
    assert (row.answer, row.passages, row.question, row.reference) == ("", (), None, None)


def test_b39_a_missing_number_of_pandas_is_a_missing_field() -> None:
    table = pd.DataFrame([{"answer": "Nine.", "reference": float("nan"), "question": None}])
    (row,) = read_rows_for_metrics(table).rows
    assert (row.reference, row.question) == (None, None)


@dataclass
class Case:
    """A test case of a framework, as an object."""

    input: str
    actual_output: str
    retrieval_context: list[str] = field(default_factory=list)


def test_objects_of_frameworks_are_rows() -> None:
    row = one(Case("When?", "At nine.", ["Nine."]))
    assert (row.question, row.answer, row.passages) == ("When?", "At nine.", ("Nine.",))


def test_turns_of_three_forms_and_their_tool_calls() -> None:
    ragas = [{"type": "human", "content": "Hi"}, {"type": "ai", "tool_calls": [{"name": "f"}]}]
    row = one({"user_input": ragas, "reference": "x"})
    assert row.turns is not None
    assert [turn.role for turn in row.turns] == ["user", "assistant"]
    assert row.actual_tools == ({"name": "f"},)
    chat = [{"role": "user", "content": "Hi"}, "And then?"]
    assert [turn.content for turn in one({"messages": chat}).turns or ()] == ["Hi", "And then?"]


def test_one_ground_truth_in_a_list_is_a_reference() -> None:
    assert one({"answer": "x", "ground_truths": ["Nine."]}).reference == "Nine."


@pytest.mark.parametrize(
    ("context", "passages", "note"),
    [
        (["a", " ", None, "b"], ("a", "b"), "blank passages left out (2)"),
        ('["a", "b"]', ('["a", "b"]',), "context is one text in [ ], read as one passage: "),
        ("['甲', '乙']", ("['甲', '乙']",), "context is one text in [ ], read as one passage: "),
        (["[1] a"], ("[1] a",), None),
    ],
)
def test_what_reading_makes_of_a_context_is_noted(
    context: Any, passages: tuple[str, ...], note: str | None
) -> None:
    read = read_rows_for_metrics(
        [{"answer_id": "a", "lang": "en", "answer": "x", "context": context}]
    )
    assert read.rows[0].passages == passages
    assert [told[: len(note or "")] for told in read.notes] == ([note] if note else [])


def test_csv_cells_hold_lists(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    frame = pd.DataFrame([{"answer": "x", "statements": json.dumps(["一", "二"]), "context": "c"}])
    frame.to_csv(path, index=False)
    (row,) = read_rows_for_metrics(path).rows
    assert row.lists == {"statements": ("一", "二")}
    assert row.passages == ("c",)


@pytest.mark.parametrize("form", ["jsonl", "json", "parquet"])
def test_files_of_every_form(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"rows.{form}"
    frame = pd.DataFrame([PLAIN])
    if form == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_json(path, orient="records", lines=form == "jsonl", force_ascii=False)
    (row,) = read_rows_for_metrics(path).rows
    assert (row.question, row.passages) == ("几点开门？", ("九点开门。", "周一闭馆。"))


def test_every_fault_is_told_at_once() -> None:
    rows = [
        {"answer_id": "a", "answer": 5, "context": {"x": 1}},
        {"answer_id": "b", "answer": "x", "turns": "talk", "claims": ["ok", " "]},
        {"answer_id": "b", "answer": "x"},
        {"answer": "x", "response": "y"},
        {"reference": ["one", "two"]},
    ]
    with pytest.raises(InputError) as caught:
        read_rows_for_metrics(rows)
    fields = [problem.field for problem in caught.value.problems]
    assert fields == [
        "answer",
        "context",
        "claims[1]",
        "turns",
        "answer_id",
        "response",
        "reference",
    ]


def test_what_else_a_row_holds_comes_back() -> None:
    assert one({"answer": "x", "note": "kept", "score": 3}).fields == {"note": "kept", "score": 3}


def test_a_conversation_that_is_named_and_not_held_is_no_turns() -> None:
    """Sampled spans have the id of their conversation under that name."""
    told = {"answer_id": "a", "answer": "At 9.", "context": ["It opens at 9."]}
    for named in ("c-1", "会话7", 7):
        row = read_rows_for_metrics([{**told, "conversation": named}]).rows[0]
        assert row.turns is None
        assert row.fields["conversation"] == named
    held = [{"role": "user", "content": "When?"}]
    for messages in (held, json.dumps(held)):
        row = read_rows_for_metrics([{**told, "conversation": messages}]).rows[0]
        assert row.turns is not None
        assert row.turns[0].content == "When?"
    with pytest.raises(InputError, match="turns"):
        read_rows_for_metrics([{**told, "conversation": "User: When?"}])


def test_the_ideal_context_of_a_case_stands_beside_the_retrieved_one() -> None:
    case = {"actual_output": "At 9.", "context": ["Ideal."], "retrieval_context": ["Found."]}
    read = read_rows_for_metrics([case])
    (row,) = read.rows
    assert (row.passages, row.reference_contexts) == (("Found.",), ("Ideal.",))
    assert any("taken as the ideal one" in note for note in read.notes)
    assert one({**case, "retrieval_context": None}).passages == ("Ideal.",)
    with pytest.raises(InputError, match="two columns"):
        one({**case, "reference_contexts": ["Another."]})


def test_the_outcome_wished_for_is_the_goal() -> None:
    turns = [{"role": "user", "content": "When?"}, {"role": "assistant", "content": "At 9."}]
    assert one({"turns": turns, "expected_outcome": "Hours told."}).goal == "Hours told."
    assert one({"user_input": turns, "reference": "Hours told."}).goal == "Hours told."
    assert one({"user_input": turns, "reference": "x", "goal": "Hours told."}).goal == "Hours told."
    assert one({"user_input": "When?", "reference": "Hours told."}).goal is None


@dataclass
class Cases:
    """A set of test cases as an object that is no list."""

    test_cases: list[Case]
    goldens: list[Case]


def test_a_set_of_cases_is_its_cases_or_its_goldens() -> None:
    case = Case("When?", "At nine.", ["Nine."])
    for held in (Cases([case], []), Cases([], [case])):
        (row,) = read_rows_for_metrics(held).rows
        assert row.passages == ("Nine.",)
    with pytest.raises(InputError, match="answers are a path"):
        read_rows_for_metrics(Cases([], []))


@pytest.mark.parametrize(
    ("answer", "question", "lang"),
    [
        ("2 GB", "免费版有多大空间？", "zh"),
        ("", "几点开门？", "zh"),
        ("42", "How many?", "en"),
        ("It opens at nine.", "几点开门？", "en"),
        ("九点。", "When does it open?", "zh"),
    ],
)
def test_a_short_answer_is_in_the_language_of_its_question(
    answer: str, question: str, lang: str
) -> None:
    from metajudge.release.answers_file import read_answers

    told = {"answer": answer, "question": question, "context": ["x"], "reference": "5"}
    assert one(told).lang == lang
    assert read_answers([told]).answers[0].lang == lang


def test_one_retrieved_document_of_phoenix_is_a_context() -> None:
    assert one({"input": "When?", "document_text": "Nine."}).passages == ("Nine.",)
