from typing import Any


def record(number: int, label: str = "attributable", **more: Any) -> dict[str, Any]:
    return {
        "question": "Why do ferries run late?",
        "claim": f"Ferries run late when the tide is low [{number}].",
        "claim_raw_string": "Ferries run late when the tide is low.",
        "response": "Ferries run late when the tide is low. They wait.",
        "references": ["[1] At low tide the pier cannot be reached.", "[2] The crew waits."],
        "citation_links": [],
        "webpage_references": [],
        "attribution_label": label,
        "src_dataset": "HAGRID",
        "id": f"HAGRID_00000000-0000-4000-8000-00000000000{number}",
    } | more


def test_labels_citation_marks_and_ids(imported: Any, saved: Any) -> None:
    got = imported("attributionbench", saved([record(1), record(2, "not attributable")], "t.jsonl"))
    assert got.labels == ["yes", "unsupported"]
    first = got.claims[0]
    assert first.claim.endswith("[1].") and len(first.passages) == 2
    assert first.claim_id == "attrbench-RID_00000000-0000-4000-8000-000000000001"
    assert first.group == first.question == "Why do ferries run late?"


def test_equal_references_under_two_questions(imported: Any, saved: Any) -> None:
    rows = [record(1), record(2, question="When do ferries run?"), record(3, question=None)]
    got = imported("attributionbench", saved(rows, "t.jsonl"))
    assert len({claim.passages for claim in got.claims}) == 1
    assert len({claim.group for claim in got.claims}) == 3
    assert got.claims[2].question is got.claims[2].group is None


def test_long_questions_make_short_groups(imported: Any, saved: Any) -> None:
    got = imported("attributionbench", saved([record(1, question="why " * 100)], "t.jsonl"))
    assert len(got.claims[0].group) == 200


def test_what_does_not_come_in(imported: Any, saved: Any) -> None:
    rows = [
        record(1, "partly attributable"),
        record(2, references=[]),
        record(3, references=[7]),
        record(4, claim=" "),
        record(5, references="[1] One reference as a text."),
    ]
    got = imported("attributionbench", saved(rows, "t.jsonl"))
    assert got.reasons == ["unknown_label", "missing_context", "malformed", "missing_text"]
    assert got.claims[0].passages == ("[1] One reference as a text.",)
