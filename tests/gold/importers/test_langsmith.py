"""Exports in the form of LangSmith's models, written for these tests."""

import csv
import json
from datetime import datetime, timezone
from typing import Any
from uuid import UUID

import pytest

RUN, OTHER = str(UUID(int=1)), str(UUID(int=2))
PASSAGES = [{"page_content": "Line 4 runs until 1 a.m.", "metadata": {"source": "x"}}]


def run(number: str = RUN, **more: Any) -> dict[str, Any]:
    return {
        "id": number,
        "name": "rag",
        "run_type": "chain",
        "trace_id": number,
        "parent_run_id": None,
        "inputs": {"question": "How late?", "documents": PASSAGES},
        "outputs": {"answer": "Until one in the morning.", "label": "yes"},
        "extra": {"metadata": {"ls_model_name": "tiny-2"}},
    } | more


def feedback(value: Any, kind: str | None = "app", **more: Any) -> dict[str, Any]:
    user = {"type": kind, "user_id": "u1", "user_name": "anna", "metadata": {"ip": "10.0.0.9"}}
    return {
        "id": str(UUID(int=77)),
        "run_id": RUN,
        "key": "faithfulness",
        "score": None,
        "value": value,
        "comment": "一点收车",
        "created_at": "2025-03-01T09:30:00Z",
        "modified_at": "2025-03-01T09:31:00Z",
        "feedback_source": user if kind else None,
    } | more


def test_runs_and_feedback_of_a_folder_are_joined(imported, saved, tmp_path):
    saved([run(), run(OTHER)], "out/runs.jsonl")
    bo = {"type": "app", "user_id": "u2"}
    rows = [feedback("yes"), feedback("no", feedback_source=bo), feedback("yes", run_id="gone")]
    saved(rows, "out/feedback.jsonl")
    read = imported("langsmith", tmp_path / "out")
    assert [claim.claim_id for claim in read.claims] == [RUN, OTHER]
    assert (read.labels, read.votes()) == ([None, None], {"anna": "yes", "u2": "no"})
    claim = read.claims[0]
    assert (claim.claim, claim.passages) == (
        "Until one in the morning.",
        ("Line 4 runs until 1 a.m.",),
    )
    assert (claim.question, claim.generator, claim.unlabelled) == ("How late?", "tiny-2", "tied")
    note = claim.annotations[0]
    assert (note.note, note.time) == ("一点收车", "2025-03-01T09:31:00+00:00")
    assert [(out.reason, out.line) for out in read.left] == [("missing_text", 3)]
    assert "10.0.0.9" not in repr(read.rows)


def test_feedback_inside_its_run_and_later_feedback_of_one_person(imported, saved):
    late = feedback("no", modified_at="2025-03-02T09:31:00Z")
    read = imported("langsmith", saved([run(feedback=[late, feedback("yes")])]))
    assert (read.labels, read.reasons) == (["no"], ["superseded"])


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("model", "model_made"),
        ("auto_eval", "model_made"),
        ("evaluator", "model_made"),
        ("api", "unsettled"),
        (None, "unsettled"),
    ],
)
def test_b92_only_what_people_gave_in_the_page_is_gold(imported, saved, kind, reason):
    read = imported("langsmith", saved([run(feedback=[feedback("yes", kind)])]))
    assert (read.labels, read.reasons) == ([None], [reason])
    assert read.claims[0].unlabelled == reason


def test_b92_the_run_s_own_label_is_a_model_s(imported, saved):
    assert imported("langsmith", saved([run()])).labels == [None]
    assert imported("langsmith", saved([run()]), {"label": "outputs.label"}).labels == [None]


def test_the_api_s_feedback_counts_where_a_field_names_the_person(imported, saved):
    made = feedback("yes", "api", extra={"reviewer": "陈"})
    read = imported("langsmith", saved([run(feedback=[made])]), {"annotator": "extra.reviewer"})
    assert (read.labels, read.votes()) == (["yes"], {"陈": "yes"})
    model = feedback("yes", "model", extra={"reviewer": "陈"})
    read = imported("langsmith", saved([run(feedback=[model])]), {"annotator": "extra.reviewer"})
    assert read.reasons == ["model_made"]


def test_scores_are_words_and_other_keys_are_not_the_label(imported, saved):
    rows = [feedback(None, score=1), feedback("yes", key="helpfulness")]
    path = saved([run(feedback=rows)])
    read = imported("langsmith", path)
    assert [(out.reason, out.what) for out in read.left] == [("unknown_label", "1")]
    assert imported("langsmith", path, None, {"1": "supported"}).labels == ["supported"]
    read = imported("langsmith", saved([run(feedback=[feedback("yes", key="helpfulness")])]))
    assert read.left[0].detail == "say which one is the label: helpfulness"


def test_steps_inside_a_run_are_no_claims_unless_judged(imported, saved):
    step = run(OTHER, parent_run_id=RUN)
    read = imported("langsmith", saved([run(), step]))
    assert (len(read.claims), read.reasons) == (1, ["no_claim"])
    step["feedback"] = [feedback("no", run_id=OTHER)]
    assert imported("langsmith", saved([run(), step])).labels == [None, "no"]


def test_examples_of_a_dataset_state_their_label(imported, saved):
    def example(label: Any, **metadata: Any) -> dict[str, Any]:
        return {
            "id": "e1",
            "dataset_id": "d",
            "inputs": {"claim": "末班车一点。", "context": ["一点收车。"]},
            "outputs": {"label": label},
            "metadata": metadata,
        }

    rows = [example("yes"), example("supported"), example("grounded"), example(None)]
    rows.append(example("no", label_source="model"))
    read = imported("langsmith", saved(rows, "data.jsonl"), {"label_source": "label_source"})
    assert read.labels == ["yes", "supported", None, None, None]
    assert [claim.unlabelled for claim in read.claims[2:]] == [
        "unknown_label",
        "unlabelled",
        "model_made",
    ]
    assert read.claims[0].annotations == ()
    read = imported("langsmith", saved(rows[:1], "data.jsonl"), {"label": "metadata.none"})
    assert read.labels == [None]


def test_b88_csv_with_json_in_its_cells(imported, tmp_path):
    odd = 'Until "one",\nat\tnight，一点。'
    path = tmp_path / "data.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "inputs", "outputs", "metadata"])
        inputs = json.dumps({"claim": odd, "context": [odd]}, ensure_ascii=False)
        writer.writerow(["e1", inputs, json.dumps({"label": "idk"}), "{}"])
    read = imported("langsmith", path)
    assert read.problems == []
    assert (read.claims[0].claim, read.claims[0].passages, read.labels) == (odd, (odd,), ["idk"])


def test_b91_three_to_one_and_one_to_one(imported, saved):
    def votes(*words: str) -> list[dict[str, Any]]:
        who = [{"type": "app", "user_id": f"u{n}"} for n, _ in enumerate(words)]
        return [feedback(w, feedback_source=u) for w, u in zip(words, who, strict=True)]

    rows = [run(feedback=votes("yes", "yes", "no", "yes")), run(feedback=votes("no", "yes"))]
    assert imported("langsmith", saved(rows[:1])).labels == ["yes"]
    assert imported("langsmith", saved(rows[1:])).labels == [None]


def test_what_the_installed_package_writes_is_read(imported, saved):
    schemas = pytest.importorskip("langsmith.schemas")
    now = datetime(2025, 3, 1, 9, 30, tzinfo=timezone.utc)
    made = schemas.Run(**run(), start_time=now).model_dump(mode="json")
    given = feedback("yes", trace_id=RUN, created_at=now, modified_at=now)
    given["feedback_source"] = schemas.FeedbackSourceBase(type="app", user_id="u1")
    written = schemas.Feedback(**given).model_dump(mode="json")
    read = imported("langsmith", saved([made, written], "all.jsonl"))
    assert (read.labels, read.votes(), read.left) == (["yes"], {"u1": "yes"}, [])
