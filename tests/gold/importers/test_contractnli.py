from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import GoldError

TEXT = "MUTUAL NDA\n\nKeep it secret. Return it at the end.  保密。"
SPANS = [[0, 10], [10, 12], [12, 27], [28, 49], [51, 54]]
LABELS = {
    "nda-1": {"short_description": "a", "hypothesis": "It is to be kept secret."},
    "nda-2": {"short_description": "b", "hypothesis": "It may be kept for ever."},
    "nda-3": {"short_description": "c", "hypothesis": "It may be sold."},
}
CHOICES = {
    "nda-1": {"choice": "Entailment", "spans": [2, 4]},
    "nda-2": {"choice": "Contradiction", "spans": [3]},
    "nda-3": {"choice": "NotMentioned", "spans": []},
}


def contract(number: int = 11, choices: Any = CHOICES, **more: Any) -> dict[str, Any]:
    return {
        **{"id": number, "file_name": f"{number}.txt", "text": TEXT, "spans": SPANS},
        **{"annotation_sets": [{"annotations": choices}], "document_type": "x", "url": "y"},
    } | more


@pytest.fixture
def file(saved: Any) -> Any:
    def write(*contracts: Any, name: str = "dev.json", labels: Any = LABELS) -> Path:
        path: Path = saved({"documents": list(contracts), "labels": labels}, f"set/{name}")
        return path

    return write


def test_labels_clauses_and_evidence(imported: Any, file: Any) -> None:
    got = imported("contractnli", file(contract()))
    assert got.labels == ["yes", "no", "idk"] and got.left == [] and got.problems == []
    first, second, third = got.claims
    assert first.passages == ("MUTUAL NDA", "Keep it secret.", "Return it at the end.", "保密。")
    assert first.spans == ("Keep it secret.", "保密。") and first.slice == "summary"
    assert second.spans == ("Return it at the end.",) and second.slice is None
    assert third.spans == () and third.slice is None
    assert first.claim == "It is to be kept secret."
    assert [claim.claim_id for claim in got.claims] == [
        f"contractnli-11-nda-{number}" for number in (1, 2, 3)
    ]
    assert {claim.answer_id for claim in got.claims} == {"contractnli-11"}


def test_one_hypothesis_has_a_label_in_each_contract(imported: Any, file: Any) -> None:
    other = {"nda-1": {"choice": "Contradiction", "spans": [2]}}
    got = imported("contractnli", file(contract(), contract(12, other)))
    same = [claim for claim in got.claims if claim.claim == "It is to be kept secret."]
    assert [claim.label for claim in same] == ["yes", "no"]
    assert [claim.claim_id for claim in same] == ["contractnli-11-nda-1", "contractnli-12-nda-1"]


def test_a_folder_of_splits(imported: Any, file: Any) -> None:
    for number, name in enumerate(("train.json", "dev.json", "test.json")):
        folder = file(contract(number), name=name).parent
    (folder / "other.json").write_text("{}", encoding="utf-8")
    got = imported("contractnli", folder)
    assert len(got.claims) == 9 and got.problems == []
    with pytest.raises(GoldError, match=r"holds no train\.json or dev\.json"):
        imported("contractnli", folder.parent)


def test_what_does_not_come_in(imported: Any, file: Any) -> None:
    odd = {
        "nda-1": {"choice": "Perhaps", "spans": []},
        "nda-2": {"choice": "Entailment", "spans": [9]},
        "nda-3": None,
        "nda-4": {"choice": "Entailment", "spans": []},
    }
    got = imported(
        "contractnli",
        file(
            contract(1, odd),
            contract(2, text=None),
            contract(3, spans=[[0, 999]]),
            contract(4, spans=[]),
            contract(5, annotation_sets=[]),
            "text",
        ),
    )
    assert got.claims == [] and [fault.where[-5:] for fault in got.problems] == ["row 6"]
    assert [(left.reason, left.what) for left in got.left] == [
        ("unknown_label", "1-nda-1"),
        ("malformed", "1 spans of an annotation"),
        ("unknown_label", "1-nda-3"),
        ("missing_text", "1 labels.nda-4.hypothesis"),
        ("missing_context", "2 text"),
        ("malformed", "spans"),
        ("malformed", "4 spans"),
        ("malformed", "5 annotation_sets"),
    ]


def test_a_second_annotation_set_is_told(imported: Any, file: Any) -> None:
    sets = [{"annotations": CHOICES}, {"annotations": {}}]
    got = imported("contractnli", file(contract(annotation_sets=sets)))
    assert got.labels == ["yes", "no", "idk"]
    assert [(left.reason, left.what, left.detail) for left in got.left] == [
        ("set_aside", "11", "annotation sets after the first: 1")
    ]


def test_rows_of_premise_and_hypothesis(imported: Any, saved: Any, tmp_path: Path) -> None:
    import datasets

    rows = [
        {"premise": "Keep it.", "hypothesis": "It is kept.", "label": label} for label in (1, 0, 2)
    ]
    names = ["contradiction", "entailment", "neutral"]
    table = datasets.Dataset.from_list(rows).cast_column("label", datasets.ClassLabel(names=names))
    table.save_to_disk(str(tmp_path / "saved"))
    assert imported("contractnli", tmp_path / "saved").labels == ["yes", "no", "idk"]
    worded = [row | {"label": names[row["label"]]} for row in rows]
    assert imported("contractnli", saved(worded, "rows.jsonl")).labels == ["yes", "no", "idk"]
