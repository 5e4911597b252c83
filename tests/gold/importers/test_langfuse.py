"""Exports in the forms of Langfuse, written for these tests."""

import csv
from typing import Any

PASSAGE = "The shop sells bread from 7 a.m."


def trace(**more: Any) -> dict[str, Any]:
    return {
        "id": "t1",
        "timestamp": "2025-03-01T09:00:00.000Z",
        "name": "chat",
        "userId": "customer-3",
        "input": {"question": "From when?", "context": [PASSAGE]},
        "output": "From seven.",
        "metadata": {},
    } | more


def score(value: Any, source: str = "ANNOTATION", **more: Any) -> dict[str, Any]:
    return {
        "id": "s1",
        "traceId": "t1",
        "observationId": None,
        "name": "groundedness",
        "dataType": "CATEGORICAL",
        "value": 0,
        "stringValue": value,
        "source": source,
        "authorUserId": "anna",
        "comment": "七点开门",
        "timestamp": "2025-03-01T09:30:00.000Z",
        "updatedAt": "2025-03-01T09:30:00.000Z",
    } | more


def test_scores_inside_their_trace(imported, saved):
    scores = [score("yes"), score("no", "EVAL", id="s2"), score("no", "API", id="s3")]
    read = imported("langfuse", saved([trace(scores=scores)]))
    (claim,) = read.claims
    assert (claim.claim_id, claim.claim, claim.passages) == ("t1", "From seven.", (PASSAGE,))
    assert (claim.question, claim.label) == ("From when?", "yes")
    assert (read.votes(), claim.annotations[0].note) == ({"anna": "yes"}, "七点开门")
    assert [(out.reason, out.what) for out in read.left] == [
        ("model_made", "s2"),
        ("unsettled", "s3"),
    ]
    assert "customer-3" not in repr(read.rows)


def test_scores_and_traces_of_a_folder_in_the_form_of_blob_storage(imported, saved, tmp_path):
    saved([trace()], "out/traces.jsonl")
    row = {
        "id": "s1",
        "trace_id": "t1",
        "observation_id": None,
        "name": "groundedness",
        "value": 1,
        "string_value": "True",
        "data_type": "BOOLEAN",
        "source": "ANNOTATION",
        "author_user_id": "bo",
        "updated_at": "2025-03-01 09:46:19.963000",
    }
    saved([row, {**row, "trace_id": "gone", "id": "s9"}], "out/scores.jsonl")
    read = imported("langfuse", tmp_path / "out")
    assert [(out.reason, out.what) for out in read.left] == [
        ("unknown_label", "True"),
        ("missing_text", "s9"),
    ]
    read = imported("langfuse", tmp_path / "out", None, {"true": "supported"})
    assert (read.labels, read.votes()) == (["supported"], {"bo": "supported"})
    assert read.claims[0].annotations[0].time == "2025-03-01T09:46:19.963000"


def test_version_3_scores_with_a_subject(imported, saved):
    row = score(None, subject={"kind": "trace", "id": "t1"}, traceId=None) | {"value": "idk"}
    read = imported("langfuse", saved({"data": [trace(), row], "meta": {"page": 1}}))
    assert read.labels == ["idk"]


def test_a_downloaded_trace_with_its_observations(imported, saved):
    step = {"id": "o1", "type": "RETRIEVER", "parentObservationId": "o0", "output": [PASSAGE]}
    judged = {
        "id": "o2",
        "parentObservationId": "o0",
        "model": "tiny-2",
        "input": {"query": "When?", "context": PASSAGE},
        "output": {"role": "assistant", "content": "At seven."},
    }
    held = {"trace": trace(), "observations": [step, judged], "scores": [score("yes")]}
    held["scores"].append(score("no", observationId="o2", id="s2"))
    read = imported("langfuse", saved(held, "trace-t1.json"))
    assert [claim.claim for claim in read.claims] == ["From seven.", "At seven."]
    assert (read.labels, read.reasons) == (["yes", "no"], ["no_claim"])
    assert read.claims[1].generator == "tiny-2"


def test_a_chat_is_read_by_its_last_turns(imported, saved):
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "几点开门？"},
    ]
    made = trace(input={"messages": messages}, metadata={"passages": [PASSAGE]})
    made["output"] = [{"role": "assistant", "content": "七点。"}]
    columns = {"question": "input"}
    (claim,) = imported("langfuse", saved([made]), columns).claims
    assert (claim.claim, claim.question, claim.passages) == ("七点。", "几点开门？", (PASSAGE,))


def test_dataset_items_state_their_label(imported, saved):
    example = {
        "id": "i1",
        "datasetId": "d",
        "datasetName": "gold",
        "input": {"claim": "七点开门。", "context": PASSAGE},
        "expectedOutput": {"label": "yes"},
        "metadata": None,
        "status": "ACTIVE",
    }
    read = imported("langfuse", saved([example, {**example, "id": "i2", "expectedOutput": None}]))
    assert read.labels == ["yes", None]
    snake = {"input": example["input"], "expected_output": {"判断": "支持"}, "dataset_id": "d"}
    columns = {"label": "expected_output.判断"}
    assert imported("langfuse", saved([snake]), columns, {"支持": "yes"}).labels == ["yes"]


def test_archived_items_are_left_out(imported, saved):
    example = {"id": "i", "datasetId": "d", "input": {"claim": "x", "context": PASSAGE},
            "expectedOutput": {"label": "yes"}, "status": "ARCHIVED"}  # fmt: skip
    assert imported("langfuse", saved([example])).reasons == ["set_aside"]


def test_b92_models_and_unknown_sources_are_never_gold(imported, saved):
    rows = [trace(), score("yes", "EVAL"), score("yes", "API"), score("yes", "FEEDBACK")]
    read = imported("langfuse", saved(rows))
    assert (read.labels, read.reasons) == ([None], ["model_made", "unsettled", "unsettled"])


def test_scores_without_an_author_are_different_people(imported, saved):
    scores = [score("yes", authorUserId=None), score("no", authorUserId=None, id="s2")]
    read = imported("langfuse", saved([trace(scores=scores)]))
    assert read.votes() == {"unnamed": "yes", "unnamed-2": "no"}


def test_b88_csv_of_scores_that_hold_their_texts(imported, tmp_path):
    odd = 'From "seven",\nor\tso，七点。'
    path = tmp_path / "scores.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        names = ["id", "traceId", "name", "source", "dataType", "value", "stringValue"]
        writer.writerow([*names, "authorUserId", "output", "context"])
        for who, word in (("anna", "yes"), ("bo", "yes")):
            row = [f"s-{who}", "t1", "groundedness", "ANNOTATION", "CATEGORICAL", "", word]
            writer.writerow([*row, who, odd, PASSAGE])
    read = imported("langfuse", path)
    assert (read.claims[0].claim, read.labels, read.problems) == (odd, ["yes"], [])
    assert read.votes() == {"anna": "yes", "bo": "yes"}


def test_b91_a_tie_is_not_decided_by_time(imported, saved):
    late = score("no", authorUserId="bo", updatedAt="2025-04-01T00:00:00Z")
    read = imported("langfuse", saved([trace(scores=[score("yes"), late])]))
    assert (read.labels, read.claims[0].detail) == ([None], "1 yes, 1 no")
