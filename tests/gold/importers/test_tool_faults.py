"""Exports that once gave labels of a model as gold, or lost records without a word."""

import json
import math
from typing import Any

import pytest

from metajudge.gold.goldset import load_goldset
from metajudge.gold.importers.formats import format_named, reader_named
from metajudge.gold.importing.assemble import About, assemble
from metajudge.gold.importing.records import folded_word
from metajudge.gold.importing.source import Source
from metajudge.gold.importing.words import identifier, label_of, word_of
from metajudge.gold.writer import write_goldset

CLAIM, CONTEXT = "The kettle holds 1.7 litres.", "The kettle holds 1.7 litres. It is blue."
TEXTS = {"claim": CLAIM, "context": CONTEXT}


def task(**more: Any) -> list[dict[str, Any]]:
    region = {"type": "choices", "from_name": "label", "value": {"choices": ["yes"]}}
    annotation = {"id": 4, "completed_by": 1, "result": [region], "lead_time": 3.5} | more
    return [{"id": 7, "data": TEXTS, "annotations": [annotation]}]


@pytest.mark.parametrize(
    "made",
    [{"parent_prediction": 5, "lead_time": None}, {"last_action": "prediction"}],
    ids=["no time was spent on it", "said by the page"],
)
def test_b92_label_studio_annotations_copied_from_predictions_are_of_a_model(imported, saved, made):
    read = imported("label-studio", saved(task(**made)))
    assert (read.labels, read.reasons) == ([None], ["model_made"])


def test_label_studio_an_annotation_that_a_person_submitted_is_the_persons(imported, saved):
    read = imported("label-studio", saved(task(parent_prediction=5, last_action="submitted")))
    assert (read.labels, read.left) == (["yes"], [])


@pytest.mark.parametrize("task_id", [None, 1], ids=["no ids", "one id"])
def test_label_studio_rows_of_two_texts_are_two_claims(imported, saved, task_id):
    rows = [
        TEXTS | {"id": task_id, "label": "yes", "annotator": 1, "annotation_id": 4},
        {"claim": CLAIM, "context": "It is blue.", "id": task_id}
        | {"label": "no", "annotator": 2, "annotation_id": 5},
        TEXTS | {"id": task_id, "label": "yes", "annotator": 3, "annotation_id": 6},
    ]
    read = imported("label-studio", saved(rows))
    assert (read.labels, [claim.claim_id for claim in read.claims]) == (["yes", "no"], [None] * 2)
    assert (read.votes(0), read.votes(1)) == ({"1": "yes", "3": "yes"}, {"2": "no"})


@pytest.mark.parametrize("users", [None, ["anna", "bo"]], ids=["no users", "too few"])
def test_argilla_responses_without_users_are_not_lost_or_given_to_others(imported, saved, users):
    row = TEXTS | {
        "label.responses": ["yes", "no", "no"],
        "label.responses.users": users,
        "label.responses.status": ["submitted"] * 3,
    }
    read = imported("argilla", saved([row]))
    assert read.votes() == {"unnamed": "yes", "unnamed-2": "no", "unnamed-3": "no"}
    assert read.labels == ["no"]


def test_argilla_flat_responses_without_status_are_counted(imported, saved):
    row = TEXTS | {"label.responses": ["yes", "no"], "label.responses.users": ["anna", "bo"]}
    read = imported("argilla", saved([row]))
    assert (read.labels, read.reasons) == ([None], ["unsettled"] * 2)


@pytest.mark.parametrize(
    ("status", "reasons"), [("Default", ["unsettled"]), ("Validated", []), (None, [])]
)
def test_argilla_an_annotation_that_nobody_validated_is_a_draft(imported, saved, status, reasons):
    row = {"inputs": TEXTS, "annotation": "yes", "annotation_agent": "m", "status": status}
    read = imported("argilla", saved([row]))
    assert (read.reasons, read.labels) == (reasons, [None if reasons else "yes"])


def test_b92_prodigy_a_models_answer_that_was_loaded_is_of_a_model(imported, saved):
    row = TEXTS | {"_input_hash": 1, "_task_hash": 2, "answer": "accept", "accept": ["yes"]}
    row |= {"llm": {"response": "yes"}}
    read = imported("prodigy", saved([row], "a.jsonl"))
    assert (read.labels, read.reasons) == ([None], ["model_made"])
    seen = row | {"_timestamp": 1740821400, "_annotator_id": "anna"}
    assert imported("prodigy", saved([seen], "b.jsonl")).votes() == {"anna": "yes"}


def test_b92_mlflow_the_outputs_of_an_app_are_no_expectation(imported, saved):
    row = {"dataset_record_id": "d", "inputs": TEXTS, "outputs": {"label": "yes"}}
    assert imported("mlflow", saved([row])).labels == [None]
    said = row | {"expectations": {"label": "no"}}
    assert imported("mlflow", saved([said])).labels == ["no"]
    assert imported("mlflow", saved([said]), {"label": "outputs.label"}).labels == ["yes"]


@pytest.mark.parametrize(
    ("maker", "label", "reasons"),
    [
        ("model", None, ["model_made"]),
        ("gpt-4o", None, ["unsettled"]),
        (" Human", "yes", []),
        (None, "yes", []),
    ],
)
def test_b92_label_source_is_heard_without_ids_of_ours(imported, saved, maker, label, reasons):
    row = {"inputs": TEXTS, "outputs": {"label": "yes"}, "metadata": {"label_source": maker}}
    read = imported("langsmith", saved([row]))
    assert (read.labels, read.reasons) == ([label], reasons)


def test_langfuse_scores_without_a_trace_stay_with_their_own_texts(imported, saved):
    rows = [
        {"id": word, "traceId": None, "name": "label", "source": "ANNOTATION", "value": word}
        | {"authorUserId": "u", "claim": f"{CLAIM} {word}", "context": CONTEXT}
        for word in ("yes", "no")
    ]
    read = imported("langfuse", saved(rows, "a.jsonl"))
    assert {claim.claim[-3:].strip(): claim.label for claim in read.claims} == {
        "yes": "yes",
        "no": "no",
    }


def span(**attributes: Any) -> dict[str, Any]:
    return {"context": {"span_id": "s", "trace_id": "t"}, "attributes": attributes}


def judgement(**more: Any) -> dict[str, Any]:
    result = {"label": "yes"}
    return {"id": "a", "span_id": "s", "name": "label", "annotator_kind": "HUMAN"} | (
        {"result": result} | more
    )


@pytest.mark.parametrize("position", [None, math.nan])
def test_phoenix_an_annotation_without_a_document_is_of_the_span(imported, saved, position):
    documents = [{"document": {"content": CONTEXT}}]
    place = span(output={"value": CLAIM}, retrieval={"documents": documents})
    rows = [place, judgement(document_position=position)]
    assert imported("phoenix", saved(rows, "a.jsonl")).labels == ["yes"]


@pytest.mark.parametrize(
    ("name", "rows", "reasons"),
    [
        ("phoenix", [span(), judgement(), judgement(document_position=0)], "ttc"),
        (
            "langsmith",
            [
                {"id": "r", "run_type": "llm", "inputs": {}, "outputs": {}},
                {"run_id": "r", "key": "label", "feedback_source": {"type": "app"}},
            ],
            "tt",
        ),
        (
            "langfuse",
            [{"id": "t"}, {"traceId": "t", "name": "label", "source": "ANNOTATION", "value": 1}],
            "tt",
        ),
    ],
    ids=["phoenix", "langsmith", "langfuse"],
)
def test_judgements_of_what_has_no_texts_are_counted(imported, saved, name, rows, reasons):
    told = {"t": "missing_text", "c": "no_claim"}
    read = imported(name, saved(rows, "a.jsonl"))
    assert sorted(read.reasons) == sorted(told[letter] for letter in reasons)


@pytest.mark.parametrize("word", ["nan", "null", "None"])
def test_a_question_that_is_the_trace_of_a_missing_one_is_none(tmp_path, saved, word):
    rows = [{"dataset_id": "d", "inputs": TEXTS | {"question": word}, "outputs": {"label": "yes"}}]
    source = Source(saved(rows, "a.jsonl"))
    read = reader_named("langsmith")(source)
    gold = assemble(format_named("langsmith"), read, About("tea"), source).goldset
    write_goldset(gold, tmp_path / "gold")
    assert load_goldset(tmp_path / "gold").claims[0].question is None


def test_words_as_data_frames_and_chinese_keyboards_write_them(tmp_path):
    source = Source(tmp_path, labels={"支持": "yes"})
    assert [label_of(word, source) for word in ("ＹＥＳ", "支持", "yes.")] == ["yes", "yes", None]
    assert (word_of(math.nan), identifier(math.nan)) == ("", None)
    assert folded_word("ＳＵＰＰＯＲＴＳ") == "supports"


@pytest.mark.parametrize(
    ("label", "found"), [(1.0, "supported"), ("nan", None), (" 1 ", "supported")]
)
def test_labels_that_data_frames_made_fractions_of(imported, tmp_path, label, found):
    fields = {"id": "s", "doc": CONTEXT, "summary": CLAIM, "label": label, "edit_types": []}
    path = tmp_path / "summedits.json"
    path.write_text(json.dumps([fields]), encoding="utf-8")
    assert imported("summedits", path).labels == [found]


def test_promptfoo_a_test_case_with_two_labels_keeps_neither(saved):
    cases = [{"vars": TEXTS | {"label": word}} for word in ("yes", "no", "yes")]
    source = Source(saved(cases))
    made = assemble(
        format_named("promptfoo"),
        reader_named("promptfoo")(source),
        About("tea", label_space="ternary"),
        source,
    )
    assert (made.goldset.claims, made.waiting) == ((), {"unsettled": 1})
    assert made.left_out_counts == {"duplicate": 2}


@pytest.mark.parametrize("edited", [{"statements": []}, None])
def test_ragas_a_sample_without_verdicts_is_counted(imported, saved, edited):
    judged = {"prompt_input": {"context": CONTEXT, "statements": [CLAIM]}, "edited_output": edited}
    sample = {"metric_input": {"response": CLAIM}, "prompts": {"nli": judged}, "is_accepted": True}
    read = imported("ragas", saved({"faithfulness": [sample]}))
    assert (read.claims, read.reasons) == ([], ["no_claim"])


def test_a_waiting_claim_tells_the_word_that_is_not_known(imported, saved):
    row = {"text": CLAIM, "context": CONTEXT, "label": ["也许"], "Comments": []}
    read = imported("doccano", saved([row], "anna.jsonl"))
    assert read.claims[0].detail == "也许 (anna)"
