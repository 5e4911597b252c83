"""Exports in the forms of MLflow, written for these tests."""

import json
from typing import Any

import pytest

ROOT, CHILD = "q83vEjRWeJA=", "ESIzRFVmd4g="
ROOT_HEX, CHILD_HEX = "abcdef1234567890", "1122334455667788"
DOCUMENTS = [{"page_content": "The pool is heated.", "metadata": {}}]


def span(number: str, parent: str | None, kind: str, inputs: Any, outputs: Any) -> dict[str, Any]:
    attributes = {
        "mlflow.spanType": json.dumps(kind),
        "mlflow.spanInputs": json.dumps(inputs),
        "mlflow.spanOutputs": json.dumps(outputs, ensure_ascii=False),
    }
    return {"span_id": number, "parent_span_id": parent, "name": kind, "attributes": attributes}


SPANS = [
    span(ROOT, None, "CHAIN", {"question": "Is it warm?"}, "泳池有加热。"),
    span(CHILD, ROOT, "RETRIEVER", {"query": "warm"}, DOCUMENTS),
]


def feedback(value: Any, kind: str = "HUMAN", who: str = "anna", **more: Any) -> dict[str, Any]:
    return {
        "assessment_id": f"a-{who}",
        "assessment_name": "groundedness",
        "trace_id": "tr-1",
        "source": {"source_type": kind, "source_id": who},
        "create_time": "2025-03-01T09:30:00.123Z",
        "last_update_time": "2025-03-01T09:30:00.123Z",
        "feedback": {"value": value},
        "rationale": "见原文",
    } | more


def trace(*assessments: dict[str, Any], spans: Any = SPANS, number: str = "tr-1") -> dict[str, Any]:
    info = {
        "trace_id": number,
        "request_preview": '{"question": "Is it w...',
        "response_preview": "The po...",
        "assessments": list(assessments),
    }
    return {"info": info, "data": {"spans": spans}}


def test_a_trace_is_judged_against_what_it_retrieved(imported, saved):
    rows = [feedback("yes"), feedback("yes", "LLM_JUDGE", "m"), feedback("no", "AI_JUDGE", "n"),
            feedback("no", "CODE", "c")]  # fmt: skip
    read = imported("mlflow", saved([trace(*rows)]))
    (claim,) = read.claims
    assert (claim.claim_id, claim.claim) == ("tr-1", "泳池有加热。")
    assert (claim.passages, claim.question) == (("The pool is heated.",), "Is it warm?")
    assert (claim.label, read.votes()) == ("yes", {"anna": "yes"})
    note = claim.annotations[0]
    assert (note.note, note.time) == ("见原文", "2025-03-01T09:30:00.123000+00:00")
    assert [(out.reason, out.what) for out in read.left] == [
        ("model_made", "a-m"),
        ("model_made", "a-n"),
        ("model_made", "a-c"),
    ]


def test_overridden_assessments_are_superseded(imported, saved):
    rows = [
        feedback("no", valid=False),
        feedback("no", who="bo"),
        feedback("yes", who="bo", assessment_id="new", overrides="a-bo"),
    ]
    read = imported("mlflow", saved([trace(*rows)]))
    assert (read.votes(), read.reasons) == ({"bo": "yes"}, ["superseded", "superseded"])


def test_expectations_with_plain_and_stored_values(imported, saved):
    stored = {"serialized_value": {"value": '["no"]', "serialization_format": "JSON_FORMAT"}}
    rows = [feedback(None, who="bo") | {"feedback": None, "expectation": stored}]
    del rows[0]["feedback"]
    rows.append(feedback(None) | {"expectation": {"value": "no"}})
    del rows[1]["feedback"]
    rows.append({**rows[1], "assessment_name": "expected_response", "assessment_id": "x"})
    read = imported("mlflow", saved([trace(*rows)]))
    assert (read.votes(), read.left) == ({"bo": "no", "anna": "no"}, [])


def test_booleans_and_numbers_need_the_label_map(imported, saved):
    path = saved([trace(feedback(True), feedback(1.0, who="bo"))])
    read = imported("mlflow", path)
    assert [(out.reason, out.what) for out in read.left] == [
        ("unknown_label", "true"),
        ("unknown_label", "1"),
    ]
    read = imported("mlflow", path, None, {"true": "supported", "1": "supported"})
    assert read.labels == ["supported"]


def test_feedback_on_a_step_is_about_that_step(imported, saved):
    step = span(CHILD, ROOT, "LLM", {"context": "It is heated.", "query": "?"}, "It is cold.")
    rows = [feedback("yes", span_id=ROOT_HEX), feedback("no", who="bo", span_id=CHILD_HEX)]
    root = span(ROOT, None, "CHAIN", {"context": ["It is heated."]}, {"response": "It is warm."})
    read = imported("mlflow", saved([trace(*rows, spans=[root, step])]))
    assert [(claim.claim_id, claim.claim, claim.label) for claim in read.claims] == [
        ("tr-1", "It is warm.", "yes"),
        (f"tr-1:{CHILD_HEX}", "It is cold.", "no"),
    ]


def test_the_cut_previews_are_not_taken_for_texts(imported, saved):
    read = imported("mlflow", saved([trace(feedback("yes"), spans=[])]))
    assert (read.claims, read.reasons) == ([], ["missing_text"])


def frame(*assessments: dict[str, Any]) -> dict[str, Any]:
    return {
        "trace_id": "tr-1",
        "trace": json.dumps(trace(*assessments), ensure_ascii=False),
        "state": "OK",
        "request": {"question": "Is it warm?"},
        "response": "泳池有加热。",
        "spans": SPANS,
        "assessments": list(assessments),
    }


def test_rows_of_search_traces_of_every_kind(imported, saved, tmp_path):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame([frame(feedback("yes"), feedback("no", who="陈"))])
    table.to_json(tmp_path / "a.jsonl", orient="records", lines=True, force_ascii=False)
    table.to_csv(tmp_path / "a.csv", index=False)
    table.drop(columns="trace").to_csv(tmp_path / "b.csv", index=False)
    table.drop(columns="trace").to_parquet(tmp_path / "b.parquet")
    for name in ("a.jsonl", "a.csv", "b.csv", "b.parquet"):
        read = imported("mlflow", tmp_path / name)
        assert (read.votes(), read.left) == ({"anna": "yes", "陈": "no"}, []), name
        assert read.claims[0].passages == ("The pool is heated.",)
        assert read.claims[0].unlabelled == "tied"


def test_records_of_an_evaluation_dataset(imported, saved):
    made = {
        "dataset_record_id": "dr-1",
        "inputs": {"question": "Warm?", "context": ["The pool is heated."]},
        "outputs": {"response": "It is warm."},
        "expectations": {"label": "supported", "expected_response": "Yes."},
        "tags": {},
    }
    bare = {"inputs": {"question": "Warm?"}, "expectations": {"expected_response": "Yes."}}
    read = imported("mlflow", saved({"dataset_id": "d", "records": [made, bare]}))
    assert (read.labels, read.claims[0].claim_id) == (["supported"], "dr-1")
    assert read.reasons == ["missing_text"]


def test_b91_three_to_one_and_one_to_one_with_dates(imported, saved):
    def votes(*words: str) -> list[dict[str, Any]]:
        return [
            feedback(word, who=f"p{n}", last_update_time=f"2025-03-0{n + 1}T09:00:00Z")
            for n, word in enumerate(words)
        ]

    rows = [trace(*votes("yes", "yes", "yes", "no")), trace(*votes("no", "yes"), number="tr-2")]
    read = imported("mlflow", saved(rows))
    assert read.labels == ["yes", None]
    assert read.claims[1].detail == "1 yes, 1 no"


def test_b92_judges_are_never_gold(imported, saved):
    read = imported("mlflow", saved([trace(feedback("yes", "LLM_JUDGE"))]))
    assert (read.labels, read.claims[0].unlabelled) == ([None], "model_made")


def test_assessments_under_other_names_are_named(imported, saved):
    read = imported("mlflow", saved([trace(feedback("yes", assessment_name="tone"))]))
    assert [(out.reason, out.detail) for out in read.left] == [
        ("unlabelled", "say which one is the label: tone")
    ]


def test_what_is_neither_is_malformed(imported, saved):
    assert imported("mlflow", saved([{"x": 1}])).reasons == ["malformed"]
