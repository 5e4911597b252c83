"""Answers in the form of Prodigy's db-out, written for these tests."""

from typing import Any

import pytest

OPTIONS = [{"id": "yes", "text": "Supported"}, {"id": "no", "text": "Contradicted"}]
PASSAGE = "The bridge was opened in 1932 and painted grey."


def row(accept: Any = ("yes",), who: str = "set-anna", **more: Any) -> dict[str, Any]:
    return {
        "text": "The bridge opened in 1932.",
        "context": PASSAGE,
        "meta": {"source": "bridges"},
        "options": OPTIONS,
        "_input_hash": 101,
        "_task_hash": -7,
        "_view_id": "choice",
        "accept": list(accept),
        "config": {"choice_style": "single"},
        "answer": "accept",
        "_timestamp": 1740821400,
        "_annotator_id": who,
        "_session_id": who,
    } | more


def binary(answer: str = "accept", **more: Any) -> dict[str, Any]:
    made = row(answer=answer) | more
    return {name: value for name, value in made.items() if name not in ("accept", "options")}


def test_rows_of_one_task_are_one_claim(imported, saved):
    rows = [row(), row(["no"], "set-陈"), row(["yes"], "set-bo"), row(context="Another text.")]
    read = imported("prodigy", saved(rows, "out.jsonl"))
    assert (len(read.claims), read.labels) == (2, ["yes", "yes"])
    assert read.votes() == {"set-anna": "yes", "set-陈": "no", "set-bo": "yes"}
    claim = read.claims[0]
    assert (claim.claim, claim.passages, claim.line) == (row()["text"], (PASSAGE,), 1)
    assert claim.annotations[0].time == "2025-03-01T09:30:00+00:00"


def test_the_last_answer_of_a_session_stands(imported, saved):
    rows = [row(), row(["no"], _timestamp=1740821500)]
    read = imported("prodigy", saved(rows, "out.jsonl"))
    assert (read.votes(), read.reasons) == ({"set-anna": "no"}, ["superseded"])
    rows = [row(_timestamp=None), row(["no"], _timestamp=None)]
    read = imported("prodigy", saved(rows, "out.jsonl"))
    assert (read.labels, read.reasons) == (["no"], ["superseded"])
    read = imported("prodigy", saved([row(), row()], "out.jsonl"))
    assert (read.labels, read.reasons) == (["yes"], ["duplicate"])


def test_ignored_and_rejected_choices_are_left_out(imported, saved):
    rows = [row(answer="ignore"), row(who="b", answer="reject"), row([], who="c")]
    read = imported("prodigy", saved(rows, "out.jsonl"))
    assert read.reasons == ["cancelled", "cancelled", "unlabelled"]
    assert (read.labels, read.claims[0].unlabelled) == ([None], "cancelled")


def test_accept_and_reject_mean_what_the_label_map_says(imported, saved):
    rows = [binary(), binary("reject", text="The bridge is red.")]
    path = saved(rows, "out.jsonl")
    read = imported("prodigy", path)
    assert [(out.reason, out.what) for out in read.left] == [
        ("unknown_label", "accept"),
        ("unknown_label", "reject"),
    ]
    labels = {"accept": "supported", "reject": "unsupported"}
    assert imported("prodigy", path, None, labels).labels == ["supported", "unsupported"]


def test_a_rejected_label_is_not_its_opposite(imported, saved):
    rows = [binary(label="yes"), binary("reject", label="yes", text="It is red.")]
    path = saved(rows, "out.jsonl")
    read = imported("prodigy", path)
    assert (read.labels, read.left[0].what) == (["yes", None], "reject yes")
    assert imported("prodigy", path, None, {"reject yes": "idk"}).labels == ["yes", "idk"]


def test_the_text_of_an_option_counts_where_its_id_says_nothing(imported, saved):
    options = [{"id": 1, "text": "有依据"}, {"id": 2, "text": "无依据"}]
    rows = [row([1], options=options), row([3], options=options, text="x")]
    read = imported("prodigy", saved(rows, "out.jsonl"), None, {"有依据": "supported"})
    assert (read.labels, read.left[0].what) == (["supported", None], "3")
    read = imported("prodigy", saved([row(["yes", "no"])], "out.jsonl"))
    assert read.left[0].what == "yes, no"


def test_a_reviewer_stands_above_the_majority_and_the_answers_are_kept(imported, saved):
    versions = [
        {"accept": ["yes"], "answer": "accept", "sessions": ["set-a", "set-b"], "default": True},
        {"accept": ["no"], "answer": "accept", "sessions": ["set-c"]},
    ]
    read = imported("prodigy", saved([row(["no"], "set-rev", versions=versions)], "out.jsonl"))
    assert (read.labels, read.left) == (["no"], [])
    assert read.votes() == {"set-a": "yes", "set-b": "yes", "set-c": "no"}


def test_marked_parts_of_the_context_are_evidence(imported, saved):
    spans = [{"start": 4, "end": 10, "label": "EVIDENCE"}, {"start": 2, "end": 1, "label": "x"}]
    made = row(text=PASSAGE, statement="It opened in 1932.", spans=spans)
    read = imported("prodigy", saved([made], "out.jsonl"))
    assert (read.claims[0].claim, read.claims[0].spans) == ("It opened in 1932.", ("bridge",))


def test_b92_tasks_nobody_answered_have_no_label(imported, saved):
    made = {name: value for name, value in binary(label="yes").items() if name != "answer"}
    read = imported("prodigy", saved([made], "out.jsonl"))
    assert (read.labels, read.reasons) == ([None], ["unlabelled"])


def test_b91_ties_are_not_decided_by_time(imported, saved):
    rows = [row(), row(["no"], "set-bo", _timestamp=1740829999)]
    read = imported("prodigy", saved(rows, "out.jsonl"))
    assert (read.labels, read.claims[0].detail) == ([None], "1 yes, 1 no")


@pytest.mark.parametrize("columns", [None, {"claim": "摘要", "passages": "meta.原文"}])
def test_missing_texts_are_counted_with_lines(imported, saved, columns):
    rows = [row(), row(context=None)]
    read = imported("prodigy", saved(rows, "out.jsonl"), columns)
    if columns:
        assert [(out.reason, out.line) for out in read.left] == [
            ("missing_text", 1),
            ("missing_text", 2),
        ]
    else:
        assert [(out.reason, out.line) for out in read.left] == [("missing_context", 2)]


def test_chinese_names_of_fields(imported, saved):
    rows = [row(摘要="桥是灰色的。", meta={"原文": ["桥漆成灰色。"]})]
    columns = {"claim": "摘要", "passages": "meta.原文"}
    (claim,) = imported("prodigy", saved(rows, "out.jsonl"), columns).claims
    assert (claim.claim, claim.passages) == ("桥是灰色的。", ("桥漆成灰色。",))


def test_b86_the_same_claims_in_any_order(imported, saved):
    rows = [row(_input_hash=number, text=f"Claim {number}.") for number in range(4)]
    one = imported("prodigy", saved(rows, "out.jsonl")).claims
    other = imported("prodigy", saved(rows[::-1], "out.jsonl")).claims
    assert {(claim.claim, claim.label) for claim in one} == {
        (claim.claim, claim.label) for claim in other
    }
    assert {claim.claim_id for claim in one} == {None}
