from pathlib import Path
from typing import Any


def record(label: Any, claim: str = "The mill burned down.", **more: Any) -> dict[str, Any]:
    return {
        "dataset": "RAGTruth",
        "doc": "The mill burned down in May. It was rebuilt.",
        "claim": claim,
        "label": label,
        "contamination_identifier": "0" * 64,
    } | more


def test_labels_as_numbers_and_texts(imported: Any, saved: Any) -> None:
    given = (1, 0, "1", "0", 1.0, 0.0, True, None)
    rows = [record(label, f"Claim {number}.") for number, label in enumerate(given)]
    got = imported("llm-aggrefact", saved(rows, "test.jsonl"))
    want = ["yes", "unsupported", "yes", "unsupported", "yes", "unsupported", "yes", None]
    assert got.labels == want
    assert got.claims[-1].unlabelled == "unlabelled"


def test_the_part_stands_in_the_id(imported: Any, saved: Any) -> None:
    rows = [record(1), record(1, dataset="Wice"), record(1, dataset=None)]
    got = imported("llm-aggrefact", saved(rows, "test.jsonl"))
    parts = [claim.claim_id.rpartition("-")[0] for claim in got.claims]
    assert parts == ["RAGTruth", "Wice", "aggrefact"]
    again = imported("llm-aggrefact", saved(rows[::-1], "test.jsonl"))
    assert {claim.claim_id for claim in got.claims} == {claim.claim_id for claim in again.claims}


def test_one_pair_twice_has_one_id(imported: Any, saved: Any) -> None:
    got = imported("llm-aggrefact", saved([record(1), record(0), record(1, "New.")], "t.jsonl"))
    first, second, third = (claim.claim_id for claim in got.claims)
    assert first == second != third


def test_a_csv_file(imported: Any, tmp_path: Path) -> None:
    path = tmp_path / "test.csv"
    path.write_text(
        'dataset,doc,claim,label\nWice,"a, b","茶，绿茶",1\nWice,,x,0\n', encoding="utf-8"
    )
    got = imported("llm-aggrefact", path)
    assert [(claim.claim, claim.label, claim.line) for claim in got.claims] == [
        ("茶，绿茶", "yes", 2)
    ]
    assert [(left.reason, left.line) for left in got.left] == [("missing_context", 3)]


def test_what_does_not_come_in(imported: Any, saved: Any) -> None:
    rows = [record(2), record("yes"), record(1, doc=["a"]), record(1, None), record([1])]
    got = imported("llm-aggrefact", saved(rows, "test.json"))
    assert got.reasons == [
        *("unknown_label", "unknown_label", "malformed", "missing_text", "unknown_label")
    ]
    assert got.left[0].where.endswith("row 1") and got.left[0].line is None
