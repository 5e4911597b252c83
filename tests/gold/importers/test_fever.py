from typing import Any

import pytest

from metajudge.errors import GoldError


def test_fever_nli(imported: Any, saved: Any) -> None:
    rows = [
        {"cid": 7, "query": "Orrin is a town.", "context": "Orrin is a town.", "label": "SUPPORTS"},
        {"cid": 8, "query": "Orrin is a lake.", "context": "Orrin is a town.", "label": "REFUTES"},
        {"cid": 8, "query": "Orrin is old.", "context": "A town.", "label": "NOT ENOUGH INFO"},
        {"cid": 9, "query": "Orrin is hot.", "context": "A town."},
    ]
    got = imported("fever", saved(rows, "dev.jsonl"))
    assert got.labels == ["yes", "no", "idk", None]
    assert [claim.claim_id for claim in got.claims] == ["fever-7", "fever-8", None, "fever-9"]
    assert got.claims[3].unlabelled == "unlabelled"


def test_gold_evidence_with_page_line_and_text(imported: Any, saved: Any) -> None:
    row = {
        "id": 3,
        "claim": "Orrin is a town by a lake.",
        "label": "SUPPORTS",
        "evidence": [["Orrin", 0, "Orrin is a town ."], ["Orrin", "2", "It lies by a lake ."]],
    }
    got = imported("fever", saved([row], "train.jsonl"))
    assert got.claims[0].passages == ("Orrin is a town .", "It lies by a lake .")


@pytest.mark.parametrize("word", ["supports", "SUPPORTS", "Supports"])
def test_labels_in_any_case_and_texts_as_lists(imported: Any, saved: Any, word: str) -> None:
    row = {"claim": "奥林是座城。", "label": word, "evidence": ["奥林是一座城。", "", "在湖边。"]}
    got = imported("fever", saved([row], "dev.jsonl"))
    assert got.labels == ["yes"] and got.claims[0].passages == ("奥林是一座城。", "在湖边。")
    assert got.claims[0].lang is None


@pytest.mark.parametrize(
    "more",
    [
        {"evidence": [[[104, 120, "Orrin_(town)", 7]]]},
        {"evidence": [[[104, None, None, None]]]},
        {"evidence": [["Orrin", 7]]},
        {"evidence": [["Orrin", 7, 3]]},
        {"evidence_wiki_url": "Orrin", "evidence_sentence_id": 7},
    ],
)
def test_evidence_without_texts_needs_the_page_dump(imported: Any, saved: Any, more: Any) -> None:
    row = {"id": 1, "claim": "Orrin is a town.", "label": "refutes"} | more
    with pytest.raises(GoldError, match="page dump") as caught:
        imported("fever", saved([row], "cfever.jsonl"))
    assert caught.value.problems[0].line == 1


def climate(*evidences: Any, **more: Any) -> dict[str, Any]:
    row = {"claim_id": "12", "claim": "Glaciers grow.", "claim_label": "DISPUTED"}
    return row | {"evidences": list(evidences)} | more


def voted(label: str | None, *votes: str | None, **more: Any) -> dict[str, Any]:
    words = {"s": "SUPPORTS", "r": "REFUTES", "n": "NOT_ENOUGH_INFO", None: None}
    evidence = {
        "evidence_id": f"Glacier:{len(votes)}",
        "evidence_label": label,
        "article": "Glacier",
        "evidence": f"Sentence {len(votes)} on glaciers.",
        "entropy": 0.0,
        "votes": [words.get(vote, vote) for vote in votes],
    }
    return evidence | more


def test_each_climate_evidence_with_its_votes(imported: Any, saved: Any) -> None:
    row = climate(voted("REFUTES", "r", "r", "n", None), voted("NOT_ENOUGH_INFO", "n", None))
    got = imported("fever", saved([row], "climate-fever.jsonl"))
    assert got.labels == ["no", "idk"] and got.left == []
    assert got.votes() == {"vote1": "no", "vote2": "no", "vote3": "idk"}
    first = got.claims[0]
    assert first.claim_id == "climate-fever-12-Glacier:4"
    assert first.title == first.group == "Glacier"


def test_b91_tied_and_contradicted_votes_give_no_label(imported: Any, saved: Any) -> None:
    row = climate(
        voted("NOT_ENOUGH_INFO", "s", "n", None, None, None),
        voted("SUPPORTS", "r", "r"),
        voted("SUPPORTS"),
        voted(None, "r"),
    )
    got = imported("fever", saved([row], "climate-fever.jsonl"))
    assert got.labels == [None, None, "yes", "no"]
    assert [(claim.unlabelled, claim.detail) for claim in got.claims[:2]] == [
        ("tied", "1 yes, 1 idk"),
        ("unsettled", "2 no"),
    ]


def test_disputed_claims_without_votes(imported: Any, saved: Any) -> None:
    row = {"claim": "Glaciers grow.", "evidence": "Some do.", "label": "DISPUTED"}
    got = imported("fever", saved([row], "dev.jsonl"))
    assert got.labels == [None] and got.claims[0].unlabelled == "unsettled"


def test_what_does_not_come_in(imported: Any, saved: Any) -> None:
    rows = [
        {"claim": "a", "evidence": "b", "label": "MOSTLY"},
        {"claim": None, "evidence": "b", "label": "SUPPORTS"},
        {"claim": "a", "evidence": "", "label": "SUPPORTS"},
        {"claim": "a", "label": "SUPPORTS"},
        {"claim": "a", "evidence": {"text": "b"}, "label": "SUPPORTS"},
        climate(),
        climate("text", voted("SUPPORTS", "s", evidence=None), voted("SUPPORTS", "s", "huh")),
        climate(voted("SUPPORTS", "s", votes="s"), evidences=7),
        climate(voted("SUPPORTS", "s", votes=7)),
    ]
    got = imported("fever", saved(rows, "dev.jsonl"))
    assert [(left.reason, left.line) for left in got.left] == [
        ("unknown_label", 1),
        ("missing_text", 2),
        ("missing_context", 3),
        ("missing_context", 4),
        ("malformed", 5),
        ("missing_context", 6),
        ("malformed", 7),
        ("missing_context", 7),
        ("unknown_label", 7),
        ("malformed", 8),
        ("malformed", 9),
    ]
    assert got.labels == ["yes"]
