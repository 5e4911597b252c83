from typing import Any

import pytest

from metajudge.gold.importing.fields import Record, Texts
from metajudge.gold.importing.imported import ImportedClaim, LeftOut
from metajudge.gold.importing.judgements import Judgement, judged, step_left, without_texts
from metajudge.gold.importing.recognise import recognise
from metajudge.gold.importing.source import Source

TEXTS = Texts("茶很烫。", ("茶是热的。",), None, {})
PLACE = Record("a.jsonl", 1, {})


def judgement(name: str, value: Any, maker: Any = "person", line: int = 5, **row: Any) -> Judgement:
    return Judgement(Record("b.jsonl", line, row), name, value, maker, None, f"j{line}")


def outcome(*given: Judgement, columns: Any = None) -> tuple[ImportedClaim, list[LeftOut]]:
    rows = list(judged(PLACE, TEXTS, Source("a", columns), given, claim_id="t1"))
    assert isinstance(rows[-1], ImportedClaim)
    return rows[-1], [row for row in rows[:-1] if isinstance(row, LeftOut)]


def test_only_the_question_that_asks_for_the_label_is_read():
    claim, left = outcome(judgement("verdict", "yes"), judgement("tone", "no"))
    assert (claim.label, left) == ("yes", [])
    claim, left = outcome(judgement("tone", "yes"), judgement("tone", "no", "model"))
    assert (claim.label, [(out.reason, out.what) for out in left]) == (
        None,
        [("unlabelled", "t1")],
    )
    assert claim.detail == "say which one is the label: tone"
    claim, _ = outcome(judgement("tone", "yes"), columns={"label": "tone"})
    assert claim.label == "yes"


@pytest.mark.parametrize(
    ("maker", "reason", "detail"),
    [
        ("model", "model_made", "verdict"),
        ("program", "model_made", "verdict, by a program"),
        ("unsaid", "unsettled", "came through the API"),
    ],
)
def test_b92_what_no_person_gave_is_left_out_at_its_own_line(maker, reason, detail):
    claim, (out,) = outcome(judgement("verdict", "yes", maker, line=9))
    assert (claim.label, claim.unlabelled, claim.annotations) == (None, reason, ())
    assert (out.reason, out.where, out.line, out.what) == (reason, "b.jsonl", 9, "j9")
    assert out.detail.startswith(detail)


def test_a_field_that_names_a_person_vouches_for_the_api_and_for_no_model():
    columns = {"annotator": "by"}
    claim, _ = outcome(judgement("verdict", "yes", "unsaid", by="陈"), columns=columns)
    assert [(note.annotator, note.label) for note in claim.annotations] == [("陈", "yes")]
    claim, left = outcome(judgement("verdict", "yes", "model", by="陈"), columns=columns)
    assert (claim.label, left[0].reason) == (None, "model_made")


def test_what_is_judged_may_be_missing_and_steps_are_no_claims():
    (out,) = without_texts([judgement("verdict", "yes")])
    assert (out.reason, out.where, out.line) == ("missing_text", "b.jsonl", 5)
    assert step_left(PLACE, None).reason == "no_claim"


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("label-studio", [{"id": 1, "data": {}, "annotations": [], "predictions": []}]),
        ("argilla", [{"id": 1, "fields": {}, "responses": {}, "suggestions": {}}]),
        ("prodigy", [{"text": "", "_input_hash": 1, "_task_hash": 2, "answer": "accept"}]),
        ("doccano", [{"id": 1, "text": "", "label": [], "Comments": []}]),
        ("langsmith", [{"id": "e", "dataset_id": "d", "inputs": {}, "outputs": {}}]),
        ("langfuse", [{"id": "s", "traceId": "t", "name": "x", "source": "EVAL", "value": 1}]),
        ("phoenix", [{"id": "a", "span_id": "s", "annotator_kind": "HUMAN", "result": {}}]),
        ("mlflow", [{"info": {}, "data": {}}]),
        ("promptfoo", {"evalId": "e", "results": {"results": []}, "config": {}}),
        ("deepeval", [{"input": "", "actual_output": "", "retrieval_context": []}]),
        ("ragas", [{"user_input": "", "response": "", "retrieved_contexts": []}]),
    ],
)
def test_the_usual_export_of_each_tool_is_recognised(saved, name, held):
    assert recognise(Source(saved(held))).format.name == name
