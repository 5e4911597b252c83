"""Exports in the form of Label Studio, written for these tests."""

import random
from typing import Any

import pytest

CONTEXT = "The kettle holds 1.7 litres. It switches off by itself."
ANNA, BO, CHEN = "anna@example.org", "bo@example.org", "陈@example.org"


def choice(*words: str, name: str = "label", **more: Any) -> dict[str, Any]:
    value = {"choices": list(words)}
    return {
        "id": "r1",
        "type": "choices",
        "value": value,
        "origin": "manual",
        "to_name": "claim",
        "from_name": name,
    } | more


def evidence(text: str, start: int = 0) -> dict[str, Any]:
    value = {"start": start, "end": start + len(text), "text": text, "labels": ["Evidence"]}
    return {"type": "labels", "value": value, "to_name": "ctx", "from_name": "evidence"}


def annotation(who: Any, *regions: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "id": 1,
        "completed_by": who,
        "result": list(regions),
        "was_cancelled": False,
        "ground_truth": False,
        "created_at": "2025-03-01T09:00:00.000000Z",
        "updated_at": "2025-03-01T09:30:00.123456Z",
        "lead_time": 12.5,
    } | more


def task(*annotations: dict[str, Any], **more: Any) -> dict[str, Any]:
    data = {"claim": "The kettle holds 1.7 litres.", "context": CONTEXT, "question": "How much?"}
    return {
        "id": 7,
        "data": data,
        "annotations": list(annotations),
        "predictions": [],
        "drafts": [],
    } | more


def test_one_task_with_three_annotators_evidence_and_a_note(imported, saved):
    note = {
        "type": "textarea",
        "from_name": "note",
        "to_name": "claim",
        "value": {"text": ["Said in so many words."]},
    }
    user = {"id": 4, "email": ANNA, "first_name": "A", "avatar": "https://example.org/a.png"}
    first = annotation(
        user, choice("yes"), evidence("holds 1.7 litres"), evidence("not there"), note
    )
    read = imported("label-studio", saved([task(first, annotation(5, choice("No")))]))
    (claim,) = read.claims
    assert (claim.claim_id, claim.question) == ("7", "How much?")
    assert claim.passages == (CONTEXT,)
    given = claim.annotations[0]
    assert (given.annotator, given.label, given.seconds) == (ANNA, "yes", 12.5)
    assert given.time == "2025-03-01T09:30:00.123456+00:00"
    assert given.spans == ("holds 1.7 litres",)
    assert given.note == "Said in so many words."
    assert read.votes() == {ANNA: "yes", "5": "no"}
    assert "avatar" not in repr(read.rows)
    assert (claim.label, claim.unlabelled, claim.detail) == (None, "tied", "1 yes, 1 no")


def test_chinese_words_come_by_the_label_map_alone(imported, saved):
    data = {"摘要": "壶能装一点七升。", "原文": "这把壶容量为一点七升。"}
    made = task(annotation(CHEN, choice("支持", name="判断")), data=data)
    columns = {"claim": "data.摘要", "passages": "原文", "label": "判断"}
    read = imported("label-studio", saved([made]), columns)
    assert [(row.reason, row.what) for row in read.left] == [("unknown_label", "支持")]
    assert read.claims[0].unlabelled == "unknown_label"
    read = imported("label-studio", saved([made]), columns, {"支持": "yes"})
    assert (read.labels, read.votes(), read.left) == (["yes"], {CHEN: "yes"}, [])


def test_cancelled_drafts_rejected_and_empty_are_counted(imported, saved):
    made = task(
        annotation(1, choice("yes"), was_cancelled=True, id=11),
        annotation(2, choice("yes"), last_action="rejected", id=12),
        annotation(3, id=13),
        drafts=[{"id": 14, "result": [choice("no")], "user": BO}],
    )
    read = imported("label-studio", saved([made]))
    assert [(row.reason, row.what) for row in read.left] == [
        ("cancelled", "11"),
        ("unsettled", "12"),
        ("unlabelled", "13"),
        ("unsettled", "14"),
    ]
    assert all(row.where.endswith("row 1") and row.line is None for row in read.left)
    assert read.labels == [None]


def test_the_last_update_of_one_annotator_stands(imported, saved):
    late = annotation(1, choice("no"), id=2, updated_at="2025-03-02T08:00:00Z")
    read = imported("label-studio", saved([task(late, annotation(1, choice("yes")))]))
    assert read.votes() == {"1": "no"}
    assert [(row.reason, row.what, row.detail) for row in read.left] == [("superseded", "1", "1")]
    same = [
        annotation(1, choice(word), updated_at="2025-03-02T08:00:00Z") for word in ("yes", "no")
    ]
    read = imported("label-studio", saved([task(*same)]))
    assert read.reasons == ["unsettled", "unsettled"]
    assert read.claims[0].unlabelled == "unsettled"


def test_ground_truth_stands_above_the_majority_and_two_of_them_may_tie(imported, saved):
    votes = [annotation(who, choice("yes"), id=who) for who in (1, 2)]
    truth = annotation(3, choice("no"), id=3, ground_truth=True)
    read = imported("label-studio", saved([task(*votes, truth)]))
    assert (read.labels, len(read.claims[0].annotations)) == (["no"], 3)
    other = annotation(4, choice("idk"), id=4, ground_truth=True)
    read = imported("label-studio", saved([task(*votes, truth, other)]))
    assert (read.labels, read.claims[0].unlabelled) == ([None], "tied")


def test_a_control_that_asks_something_else_is_never_the_label(imported, saved):
    made = task(annotation(1, choice("yes", name="helpful"), choice("no", name="fluent")))
    read = imported("label-studio", saved([made]))
    assert read.labels == [None]
    assert read.left[0].detail == "say which one is the label: helpful, fluent"
    read = imported("label-studio", saved([made]), {"label": "fluent"})
    assert read.labels == ["no"]


def test_yes_to_hallucination_is_not_yes(imported, saved):
    made = task(annotation(1, choice("yes", name="hallucination")))
    path = saved([made])
    read = imported("label-studio", path, {"label": "hallucination"})
    assert read.left[0].detail == "yes to hallucination may mean the opposite"
    labels = {"yes": "unsupported", "no": "supported"}
    assert imported("label-studio", path, {"label": "hallucination"}, labels).labels == [
        "unsupported"
    ]


def test_two_choices_at_once_are_no_label(imported, saved):
    read = imported("label-studio", saved([task(annotation(1, choice("yes", "idk")))]))
    assert [(row.reason, row.what) for row in read.left] == [("unknown_label", "yes, idk")]


def test_taxonomy_gives_the_last_name_of_its_path(imported, saved):
    region = choice() | {"type": "taxonomy", "value": {"taxonomy": [["not supported", "idk"]]}}
    assert imported("label-studio", saved([task(annotation(1, region))])).labels == ["idk"]


def test_b92_predictions_are_never_gold(imported, saved):
    prediction = {"id": 3, "model_version": "judge-v2", "score": 0.99, "result": [choice("yes")]}
    read = imported("label-studio", saved([task(predictions=[prediction])]))
    assert [(row.reason, row.what) for row in read.left] == [("model_made", "judge-v2")]
    assert (read.labels, read.claims[0].unlabelled) == ([None], "model_made")
    assert read.claims[0].annotations == ()


def test_b91_three_to_one_two_to_two_one_to_one(imported, saved):
    def voted(*words: str) -> dict[str, Any]:
        return task(
            *(
                annotation(f"p{n}", choice(word), updated_at=f"2025-03-0{n + 1}T08:00:00Z")
                for n, word in enumerate(words)
            )
        )

    made = [voted("yes", "yes", "yes", "no"), voted("yes", "yes", "no", "no"), voted("yes", "no")]
    read = imported("label-studio", saved(made))
    assert read.labels == ["yes", None, None]
    assert [claim.detail for claim in read.claims] == ["", "2 yes, 2 no", "1 yes, 1 no"]
    assert [len(claim.annotations) for claim in read.claims] == [4, 4, 2]


def test_b89_annotations_brought_in_by_an_import_keep_their_labels_and_names(imported, saved):
    made = [
        task(
            annotation(name, choice(word), last_action="imported", import_id=number),
            id=number,
            data={"claim": f"Claim {number}.", "context": CONTEXT},
        )
        for number, (name, word) in enumerate(
            [(ANNA, "yes"), (BO, "no"), (CHEN, "idk"), (ANNA, "no"), (BO, "yes")]
        )
    ]
    read = imported("label-studio", saved(made))
    assert read.labels == ["yes", "no", "idk", "no", "yes"]
    names = [note.annotator for claim in read.claims for note in claim.annotations]
    assert names == [ANNA, BO, CHEN, ANNA, BO]


def test_b88_comma_quote_newline_and_tab_stay_in_the_text(imported, saved):
    odd = 'Tea, "hot",\nand\tgreen，茶。'
    made = task(annotation(1, choice("yes")), data={"claim": odd, "context": [odd, CONTEXT]})
    (claim,) = imported("label-studio", saved([made])).claims
    assert (claim.claim, claim.passages) == (odd, (odd, CONTEXT))


def test_b86_ids_do_not_hang_on_the_order(imported, saved):
    made = [task(annotation(1, choice("yes")), id=number) for number in range(5)]
    shuffled = random.Random(1).sample(made, 5)
    one, other = (imported("label-studio", saved(held)).claims for held in (made, shuffled))
    assert {claim.claim_id for claim in one} == {claim.claim_id for claim in other}
    assert {claim.claim_id for claim in one} == {"0", "1", "2", "3", "4"}
    assert imported("label-studio", saved([task(id=None)])).claims[0].claim_id is None


@pytest.mark.parametrize(
    ("data", "reason", "what"),
    [
        ({"context": CONTEXT}, "missing_text", "claim"),
        ({"claim": "  ", "context": CONTEXT}, "missing_text", "claim"),
        ({"claim": "It is hot."}, "missing_context", "passages"),
        ({"claim": "x", "document": "a", "context": "b"}, "malformed", "context or document"),
    ],
)
def test_missing_and_doubtful_texts_are_named(imported, saved, data, reason, what):
    read = imported("label-studio", saved([task(annotation(1, choice("yes")), data=data)]))
    assert [(row.reason, row.what) for row in read.left] == [(reason, what)]
    assert read.claims == []


def test_an_empty_context_is_a_context(imported, saved):
    made = task(annotation(1, choice("no")), data={"claim": "It is hot.", "context": []})
    assert imported("label-studio", saved([made])).claims[0].passages == ()


def test_our_own_fields_come_back(imported, saved):
    data = {
        "claim": "茶很烫。",
        "passages": ["茶是热的。"],
        "claim_id": "c1",
        "answer_id": "a1",
        "context_id": "x1",
        "group": "tea",
        "slice": "paraphrase",
        "lang": "zh",
        "title": "茶",
    }
    (claim,) = imported(
        "label-studio", saved([task(annotation(1, choice("yes")), data=data)])
    ).claims
    assert (claim.claim_id, claim.answer_id, claim.context_id) == ("c1", "a1", "x1")
    assert (claim.group, claim.slice, claim.lang, claim.title) == ("tea", "paraphrase", "zh", "茶")


def row(number: int, word: Any, who: Any, **more: Any) -> dict[str, Any]:
    return {
        "id": 7,
        "claim": "壶会自动断电。",
        "context": CONTEXT,
        "label": word,
        "annotator": who,
        "annotation_id": number,
        "created_at": "2025-03-01T09:00:00Z",
        "updated_at": f"2025-03-0{number}T09:00:00Z",
        "lead_time": 3,
    } | more


def test_json_min_rows_of_one_task_are_one_claim(imported, saved):
    marked = [{"start": 0, "end": 10, "text": "The kettle", "labels": ["Evidence"]}]
    rows = [row(1, "yes", 1, evidence=marked), row(2, {"choices": ["yes"]}, 2), row(3, "no", 1)]
    read = imported("label-studio", saved(rows))
    assert (len(read.claims), read.votes()) == (1, {"1": "no", "2": "yes"})
    assert (read.reasons, read.left[0].what) == (["superseded"], "1")
    assert read.claims[0].annotations[0].seconds == 3.0
    read = imported("label-studio", saved([row(1, "yes", 1, evidence=marked)]))
    assert read.claims[0].spans == ("The kettle",)


def test_json_min_without_a_label(imported, saved):
    read = imported("label-studio", saved([row(1, None, 1)]))
    assert (read.labels, read.reasons) == ([None], ["unlabelled"])


def test_what_is_no_export_is_said(imported, saved):
    read = imported("label-studio", saved([{"id": 1, "text": "x"}, task(None)]))
    assert read.reasons == ["malformed", "malformed"]
