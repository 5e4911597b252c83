from pathlib import Path
from typing import Any

import pytest

EVIDENCE = ["(meta data) TITLE: Pier", "It is 300 m long.", " ", "It opened in 1931.", "So it is."]


def record(label: str | None = "supported", sets: Any = ((1,),), **more: Any) -> dict[str, Any]:
    return {
        **{"label": label, "supporting_sentences": [list(each) for each in sets]},
        **{"claim": "It is long.", "evidence": EVIDENCE},
        "meta": {
            **{"id": "dev00012", "claim_title": "Long Pier", "claim_section": "History."},
            "claim_context": "There is a pier. ",
        },
    } | more


def part(number: int, **more: Any) -> dict[str, Any]:
    meta = record()["meta"] | {"id": f"dev00012-{number}", "claim_context": ""}
    return record(claim=f"Part {number}.", meta=meta, **more)


def test_labels_are_binary(imported: Any, saved: Any) -> None:
    words = ["supported", "partially_supported", "not_supported", None]
    got = imported("wice", saved([record(word) for word in words], "dev.jsonl"))
    assert got.labels == ["supported", "unsupported", "unsupported", None]
    assert got.left == [] and got.claims[3].unlabelled == "unlabelled"
    claim = got.claims[0]
    assert (claim.claim_id, claim.answer_id, claim.group) == (
        *("wice-dev00012", "wice-dev00012", "wice-Long Pier"),
    )
    assert claim.passages == tuple(text for text in EVIDENCE if text.strip())
    assert claim.note == "text before the claim: There is a pier." and claim.question is None


@pytest.mark.parametrize(
    ("sets", "spans", "kind"),
    [
        ([[1]], [1], None),
        ([[1, 3]], [1, 3], "summary"),
        ([[4, 1], [3, 4]], [1, 3, 4], "summary"),
        ([[1, 3], [4]], [1, 3, 4], None),
        ([[]], [], None),
        ([[], [1]], [1], None),
        ([], [], None),
    ],
)
def test_alternative_evidence(
    imported: Any, saved: Any, sets: list[list[int]], spans: list[int], kind: str | None
) -> None:
    claim = imported("wice", saved([record(sets=sets)], "dev.jsonl")).claims[0]
    assert claim.spans == tuple(EVIDENCE[number] for number in spans)
    assert claim.slice == kind
    assert ("any one is enough" in (claim.note or "")) == (len(sets) > 1)


def test_sub_claims_share_the_answer_of_their_claim(imported: Any, saved: Any) -> None:
    got = imported("wice", saved([part(0), part(1)], "dev.jsonl"))
    assert [claim.claim_id for claim in got.claims] == ["wice-dev00012-0", "wice-dev00012-1"]
    assert {claim.answer_id for claim in got.claims} == {"wice-dev00012"}
    assert got.claims[0].note is None


def test_tokens_that_are_not_supported(imported: Any, saved: Any) -> None:
    flags = {
        "claim_tokens": ["Part", "0", "."],
        "non_supported_spans": [True, True, False],
    }
    got = imported("wice", saved([part(0, label="partially_supported", **flags)], "dev.jsonl"))
    assert got.labels == ["unsupported"] and got.claims[0].note == "not supported: Part 0"
    odd = part(0, **(flags | {"non_supported_spans": [True]}))
    assert imported("wice", saved([odd], "dev.jsonl")).claims[0].note is None


def test_what_does_not_come_in(imported: Any, saved: Any) -> None:
    rows = [
        record("maybe"),
        record(claim=None),
        record(evidence=[" ", None]),
        record(evidence="one text"),
        record(sets=[[9]]),
        record(sets=[["1"]]),
        record(supporting_sentences=3),
        record(meta=None),
    ]
    got = imported("wice", saved(rows, "dev.jsonl"))
    assert got.reasons == [
        *("unknown_label", "missing_text", "missing_context"),
        *("malformed", "malformed", "malformed", "malformed"),
    ]
    assert [left.line for left in got.left] == [1, 2, 3, 4, 5, 6, 7]
    assert [claim.claim_id for claim in got.claims] == [None]


def test_labels_that_the_user_maps(imported: Any, saved: Any) -> None:
    path = saved([record("refuted")], "dev.jsonl")
    assert imported("wice", path, labels={"refuted": "unsupported"}).labels == ["unsupported"]


def test_a_folder_and_a_saved_folder(imported: Any, saved: Any, tmp_path: Path) -> None:
    from metajudge.gold.tabular import write_with_datasets

    saved([part(0)], "wice/entailment_retrieval_subclaim_dev.jsonl")
    saved([part(0)], "wice/non_supported_tokens_dev.jsonl")
    assert imported("wice", tmp_path / "wice").labels == ["supported"] * 2
    write_with_datasets([record(), part(1)], tmp_path / "saved")
    got = imported("wice", tmp_path / "saved")
    assert got.labels == ["supported"] * 2 and got.problems == []
