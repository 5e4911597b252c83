"""Exports in the forms of Argilla, written for these tests."""

from typing import Any

import pytest

FIELDS = {"claim": "The lake froze in 1963.", "context": "In 1963 the lake was frozen over."}


def nested(responses: dict[str, list[dict[str, Any]]], **more: Any) -> dict[str, Any]:
    return {
        "id": "r1",
        "fields": FIELDS,
        "metadata": {"batch": 3},
        "suggestions": {},
        "responses": responses,
        "vectors": {},
        "status": "completed",
        "_server_id": "0f",
    } | more


def said(*words: Any) -> list[dict[str, Any]]:
    return [{"value": word, "user_id": f"u{number}"} for number, word in enumerate(words, 1)]


def flat(**more: Any) -> dict[str, Any]:
    return {
        "id": "r1",
        "status": "completed",
        "_server_id": "0f",
        **FIELDS,
        "label.responses": ["yes", "no", "yes", "no"],
        "label.responses.users": ["anna", "bo", "陈", "dee"],
        "label.responses.status": ["submitted", "discarded", "submitted", "draft"],
        "note.responses": ["wörtlich", "原文如此"],
        "note.responses.users": ["anna", "陈"],
        "note.responses.status": ["submitted", "submitted"],
        "label.suggestion": "no",
        "label.suggestion.score": 0.8,
        "label.suggestion.agent": "judge-v2",
    } | more


def test_flattened_records_tell_submitted_from_draft_and_discarded(imported, saved):
    read = imported("argilla", saved([flat()]))
    assert read.votes() == {"anna": "yes", "陈": "yes"}
    assert [note.note for note in read.claims[0].annotations] == ["wörtlich", "原文如此"]
    assert (read.claims[0].claim_id, read.labels) == ("r1", ["yes"])
    assert [(row.reason, row.what) for row in read.left] == [
        ("model_made", "label.suggestion"),
        ("cancelled", "bo"),
        ("unsettled", "dee"),
    ]


def test_flattened_records_through_datasets(imported, saved, tmp_path):
    datasets = pytest.importorskip("datasets")
    datasets.Dataset.from_list([flat()]).save_to_disk(str(tmp_path / "set"))
    read = imported("argilla", tmp_path / "set")
    assert read.votes() == {"anna": "yes", "陈": "yes"}
    datasets.Dataset.from_list([flat()]).to_parquet(str(tmp_path / "set.parquet"))
    assert imported("argilla", tmp_path / "set.parquet").labels == ["yes"]


def test_nested_records_count_where_they_are_certain(imported, saved):
    made = [
        nested({"label": said("yes")}),
        nested({"label": said("no", "no")}),
        nested({"label": said("yes", "no")}),
        nested({"label": said("yes")}, status="pending"),
    ]
    read = imported("argilla", saved(made))
    assert read.labels == ["yes", "no", None, None]
    assert [len(claim.annotations) for claim in read.claims] == [1, 0, 0, 0]
    assert read.reasons == ["unsettled"] * 3
    assert "to_list(flatten=True)" in read.claims[2].detail


def test_nested_records_with_a_status_are_read_in_full(imported, saved):
    answers = [{"value": "yes", "user_id": "u1", "status": "submitted"}]
    answers += [{"value": "no", "user_id": "u2", "status": "submitted"}]
    read = imported("argilla", saved([nested({"label": answers}, status="pending")]))
    assert (read.votes(), read.claims[0].unlabelled) == ({"u1": "yes", "u2": "no"}, "tied")


def test_b92_suggestions_are_never_gold(imported, saved):
    suggestion = {"label": {"value": "yes", "score": 0.9, "agent": "judge"}}
    read = imported("argilla", saved([nested({}, suggestions=suggestion, status="pending")]))
    assert [(row.reason, row.what, row.detail) for row in read.left] == [
        ("model_made", "label", "a suggestion")
    ]
    assert (read.labels, read.claims[0].unlabelled) == ([None], "model_made")


def test_records_of_the_server(imported, saved):
    made = {
        "id": "8c",
        "fields": FIELDS,
        "responses": [
            {"user_id": "u1", "status": "submitted", "values": {"faithful": {"value": "yes"}}},
            {"user_id": "u2", "status": "discarded", "values": None},
            {"user_id": "u3", "status": "discarded", "values": {"faithful": {"value": "no"}}},
        ],
        "suggestions": [{"question_name": "faithful", "value": "no", "agent": "m"}],
    }
    read = imported("argilla", saved({"items": [made]}))
    assert (read.votes(), read.reasons) == ({"u1": "yes"}, ["model_made", "cancelled"])


def test_a_feedback_set_of_version_1(imported, saved):
    answers = [
        {"user_id": "u1", "value": "supported", "status": "submitted"},
        {"user_id": "u2", "value": "unsupported", "status": "submitted"},
        {"user_id": "u3", "value": "supported", "status": "draft"},
    ]
    columns = {key: [answer[key] for answer in answers] for key in answers[0]}
    for question in (answers, columns):
        made = {**FIELDS, "label": question, "label-suggestion": "supported", "external_id": "e"}
        read = imported("argilla", saved([made], "rows.jsonl"))
        assert read.votes() == {"u1": "supported", "u2": "unsupported"}
        assert read.reasons == ["model_made", "unsettled"]
        assert read.left[0].line == 1


def test_text_classification_of_version_1(imported, saved):
    made = [
        {"id": 1, "inputs": FIELDS, "annotation": "no", "annotation_agent": "anna",
         "prediction": [{"label": "yes", "score": 0.7}], "status": "Validated"},
        {"id": 2, "inputs": FIELDS, "annotation": None, "prediction": [{"label": "yes"}],
         "status": "Default"},
        {"id": 3, "inputs": FIELDS, "annotation": "no", "status": "Discarded"},
    ]  # fmt: skip
    read = imported("argilla", saved(made))
    assert read.labels == ["no", None, None]
    assert [claim.unlabelled for claim in read.claims[1:]] == ["model_made", "cancelled"]
    assert read.votes() == {"anna": "no"}


def test_chinese_question_and_words_by_the_maps(imported, saved):
    made = nested({"判断": said("有依据")}, fields={"断言": "湖面结冰。", "材料": "湖面冻住了。"})
    columns = {"claim": "断言", "passages": "fields.材料", "label": "判断"}
    read = imported("argilla", saved([made]), columns, {"有依据": "supported"})
    assert (read.labels, read.claims[0].claim) == (["supported"], "湖面结冰。")
    assert imported("argilla", saved([made]), columns).left[0].what == "有依据"


def test_questions_about_something_else_are_named(imported, saved):
    read = imported("argilla", saved([nested({"tone": said("yes"), "length": said("no")})]))
    assert [(row.reason, row.detail) for row in read.left] == [
        ("unlabelled", "say which one is the label: tone, length")
    ]


def test_b91_a_tie_of_people_is_no_label(imported, saved):
    made = flat(**{"label.responses.status": ["submitted"] * 4})
    read = imported("argilla", saved([made]))
    assert (read.labels, read.claims[0].detail) == ([None], "2 yes, 2 no")


def test_b86_a_record_without_an_id_has_none(imported, saved):
    assert imported("argilla", saved([flat(id=None)])).claims[0].claim_id is None


def test_b88_odd_texts_stay_as_they_are(imported, saved):
    odd = 'Ice, "thick",\nand\told，冰。'
    read = imported("argilla", saved([flat(claim=odd)], "rows.jsonl"))
    assert read.claims[0].claim == odd


def test_records_without_texts_are_left_out(imported, saved):
    read = imported("argilla", saved([nested({}, fields={"prompt": "?"})]))
    assert read.reasons == ["missing_text"]
