"""Exports in the forms of Phoenix's client, written for these tests."""

from typing import Any

import pytest

DOCUMENTS = [
    {"document.content": "Oats need a cool summer.", "document.score": 0.8},
    {"document.content": "燕麦喜凉。"},
]


def span(number: str = "s1", trace: str = "t1", **more: Any) -> dict[str, Any]:
    return {
        "context.span_id": number,
        "context.trace_id": trace,
        "name": "answer",
        "span_kind": "CHAIN",
        "parent_id": None,
        "attributes.input.value": "What do oats need?",
        "attributes.output.value": "Oats need heat.",
    } | more


def retriever(**more: Any) -> dict[str, Any]:
    held = {"attributes.retrieval.documents": DOCUMENTS, "parent_id": "s1"}
    return span("s2") | held | {"attributes.output.value": None} | more


def annotation(label: Any, kind: str = "HUMAN", **more: Any) -> dict[str, Any]:
    return {
        "id": "a1",
        "span_id": "s1",
        "name": "faithfulness",
        "annotator_kind": kind,
        "result": {"label": label, "score": 0.0, "explanation": "与原文相反"},
        "metadata": {"token": "secret-1"},
        "identifier": "",
        "source": "APP",
        "user_id": "anna",
        "created_at": "2025-03-01T09:00:00+00:00",
        "updated_at": "2025-03-01T09:30:00+00:00",
    } | more


def test_spans_of_a_folder_and_what_their_trace_retrieved(imported, saved, tmp_path):
    saved([span(), retriever()], "out/spans.jsonl")
    rows = [annotation("no"), annotation("yes", "LLM", id="a2"), annotation("yes", "CODE", id="a3")]
    saved({"data": [*rows, annotation("no", span_id="gone", id="a4")]}, "out/annotations.json")
    read = imported("phoenix", tmp_path / "out")
    (claim,) = read.claims
    assert (claim.claim_id, claim.claim, claim.label) == ("s1", "Oats need heat.", "no")
    assert (claim.passages, claim.question) == (
        ("Oats need a cool summer.", "燕麦喜凉。"),
        "What do oats need?",
    )
    assert (read.votes(), claim.annotations[0].note) == ({"anna": "no"}, "与原文相反")
    assert sorted((out.reason, out.what) for out in read.left) == [
        ("missing_text", "a4"),
        ("model_made", "a2"),
        ("model_made", "a3"),
        ("no_claim", "s2"),
    ]
    assert "secret-1" not in repr(read.rows)


def frame(**more: Any) -> dict[str, Any]:
    """A row of a frame that holds span and annotation, as a join of both gives it."""
    flat = {
        "annotation_name": "faithfulness",
        "annotator_kind": "HUMAN",
        "result.label": "yes",
        "result.score": 1.0,
        "result.explanation": None,
        "user_id": "anna",
        "updated_at": 1740821400000,
        "attributes.retrieval.documents": DOCUMENTS,
    }
    return span() | flat | more


def test_joined_frames_of_every_kind(imported, saved, tmp_path):
    pandas = pytest.importorskip("pandas")
    rows = [frame(), frame(user_id="bo"), frame(user_id="陈", **{"result.label": "no"})]
    table = pandas.DataFrame(rows)
    table.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    table.to_csv(tmp_path / "a.csv", index=False)
    table.to_parquet(tmp_path / "a.parquet")
    for name in ("a.jsonl", "a.csv", "a.parquet"):
        read = imported("phoenix", tmp_path / name)
        assert (read.labels, read.votes()) == (["yes"], {"anna": "yes", "bo": "yes", "陈": "no"})
        assert read.claims[0].passages == ("Oats need a cool summer.", "燕麦喜凉。")
        assert (read.left, read.problems) == ([], [])


def test_times_of_frames_are_read(imported, saved):
    rows = [frame(), frame(**{"result.label": "no", "updated_at": 1740821500000})]
    read = imported("phoenix", saved(rows))
    assert (read.labels, read.reasons) == (["no"], ["superseded"])
    assert read.claims[0].annotations[0].time == "2025-03-01T09:31:40+00:00"


def test_a_score_counts_where_there_is_no_label(imported, saved):
    path = saved([frame(**{"result.label": None})])
    assert [(out.reason, out.what) for out in imported("phoenix", path).left] == [
        ("unknown_label", "1")
    ]
    assert imported("phoenix", path, None, {"1": "supported"}).labels == ["supported"]


def test_annotations_of_single_documents_are_no_claims(imported, saved):
    rows = [frame(), annotation("yes", document_position=0, id="d1")]
    read = imported("phoenix", saved(rows))
    assert [(out.reason, out.what) for out in read.left] == [("no_claim", "d1")]


def test_b92_models_and_programs_are_never_gold(imported, saved):
    rows = [frame(annotator_kind="LLM"), frame(annotator_kind="CODE", user_id="x")]
    read = imported("phoenix", saved(rows))
    assert (read.labels, read.reasons) == ([None], ["model_made", "model_made"])
    assert read.claims[0].unlabelled == "model_made"


def test_yes_to_hallucination_is_not_yes(imported, saved):
    rows = [frame(annotation_name="hallucination")]
    assert imported("phoenix", saved(rows)).reasons == ["unlabelled"]
    read = imported("phoenix", saved(rows), {"label": "hallucination"})
    assert (read.labels, read.reasons) == ([None], ["unknown_label"])


def test_examples_of_a_dataset(imported, saved):
    made = {
        "example_id": "e1",
        "input": {"question": "要什么？", "reference": "燕麦喜凉。"},
        "output": {"answer": "燕麦喜热。"},
        "metadata": {"label": "no"},
    }
    (claim,) = imported("phoenix", saved([made]), {"passages": "input.reference"}).claims
    assert (claim.claim_id, claim.claim, claim.label) == ("e1", "燕麦喜热。", "no")
    assert imported("phoenix", saved([made])).reasons == ["missing_context"]


def test_b88_csv_with_comma_quote_newline_and_tab(imported, tmp_path):
    pandas = pytest.importorskip("pandas")
    odd = 'Oats, "cool",\nand\twet，凉。'
    rows = [frame(**{"attributes.output.value": odd, "attributes.retrieval.documents": None,
                     "context": odd})]  # fmt: skip
    pandas.DataFrame(rows).to_csv(tmp_path / "a.csv", index=False)
    (claim,) = imported("phoenix", tmp_path / "a.csv").claims
    assert (claim.claim, claim.passages) == (odd, (odd,))


def test_b91_two_to_two_is_no_label(imported, saved):
    rows = [frame(user_id=who, **{"result.label": word}) for who, word in
            (("a", "yes"), ("b", "no"), ("c", "yes"), ("d", "no"))]  # fmt: skip
    read = imported("phoenix", saved(rows))
    assert (read.labels, read.claims[0].detail) == ([None], "2 yes, 2 no")
