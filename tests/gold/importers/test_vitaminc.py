from pathlib import Path
from typing import Any


def record(number: int, label: str = "SUPPORTS", **more: Any) -> dict[str, Any]:
    return {
        "unique_id": f"case7_{number}",
        "case_id": "case7",
        "label": label,
        "claim": f"The bridge opened before {number} .",
        "evidence": "The bridge , 300 m long , opened in 1931 .",
    } | more


def test_labels_ids_and_groups(imported: Any, saved: Any) -> None:
    rows = [record(1), record(2, "REFUTES"), record(3, "NOT ENOUGH INFO")]
    got = imported("vitaminc", saved(rows, "dev.jsonl"))
    assert got.labels == ["yes", "no", "idk"]
    assert [claim.claim_id for claim in got.claims] == [f"vitaminc-case7_{n}" for n in (1, 2, 3)]
    assert {claim.group for claim in got.claims} == {"vitaminc-case7"}
    first = got.claims[0]
    assert (first.line, first.lang, first.title, first.slice) == (1, "en", None, None)
    assert first.claim == "The bridge opened before 1 ."


def test_page_and_revision_when_present(imported: Any, saved: Any) -> None:
    rows = [
        record(1, page="Long Bridge", wiki_revision_id="90210", revision_type="real"),
        record(2, page="Long Bridge"),
    ]
    got = imported("vitaminc", saved(rows, "dev.jsonl"))
    assert [claim.title for claim in got.claims] == ["Long Bridge (revision 90210)", "Long Bridge"]


def test_what_does_not_come_in(imported: Any, saved: Any) -> None:
    rows = [
        record(1, "MAYBE"),
        record(2, claim=None),
        record(3, evidence=""),
        record(4, claim=12),
        record(5),
        record(6, label=None),
    ]
    path = saved(rows, "dev.jsonl")
    path.write_text(path.read_text(encoding="utf-8") + '{"unique_id": "case', encoding="utf-8")
    got = imported("vitaminc", path)
    assert got.reasons == ["unknown_label", "missing_text", "missing_context", "malformed"]
    assert [left.line for left in got.left] == [1, 2, 3, 4]
    assert got.left[0].what == "'case7_1' label" and got.left[0].detail == "label is 'MAYBE'"
    assert got.labels == ["yes", None] and got.claims[1].unlabelled == "unlabelled"
    assert got.problems[0].line == 7


def test_a_folder_of_splits(imported: Any, saved: Any, tmp_path: Path) -> None:
    saved([record(1)], "vitaminc/dev.jsonl")
    saved([record(2)], "vitaminc/train.jsonl")
    got = imported("vitaminc", tmp_path / "vitaminc")
    assert [Path(claim.where).name for claim in got.claims] == ["dev.jsonl", "train.jsonl"]


def test_words_that_the_user_maps(imported: Any, saved: Any) -> None:
    path = saved([record(1, "MAYBE")], "dev.jsonl")
    assert imported("vitaminc", path, labels={"maybe": "idk"}).labels == ["idk"]
