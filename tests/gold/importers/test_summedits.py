from pathlib import Path
from typing import Any


def record(label: Any = 1, **more: Any) -> dict[str, Any]:
    return {
        **{"id": "q_1_og", "doc": "Ann: Is it long?\nBo: Yes.", "summary": "Bo says that it is."},
        **{"label": label, "original_summary": "x", "edit_types": [], "split": "evaluation"},
    } | more


def test_labels_are_binary(imported: Any, saved: Any) -> None:
    labels = [1, 0, "1", "0", None, "", 2, True]
    rows = [record(label, id=f"q_{number}") for number, label in enumerate(labels)]
    got = imported("summedits", saved(rows, "summedits_qmsumm.json"))
    assert got.labels == ["supported", "unsupported"] * 2 + [None, None]
    assert [(left.reason, left.detail) for left in got.left] == [
        ("unknown_label", "label is 2"),
        ("unknown_label", "label is True"),
    ]


def test_a_claim_is_an_answer_of_its_own(imported: Any, saved: Any) -> None:
    rows = [record(), record(0, id="q_1_0", edit_types=["negation"], summary="Bo says not.")]
    first, second = imported("summedits", saved(rows, "summedits_qmsumm.json")).claims
    assert first.claim_id == first.answer_id == "summedits-q_1_og"
    assert second.answer_id == "summedits-q_1_0" and first.passages == second.passages
    assert {first.slice, second.slice} == {"summary"} and second.note is None


def test_what_does_not_come_in(imported: Any, saved: Any, tmp_path: Path) -> None:
    saved([record(summary=" "), record(doc=None)], "set/summedits_news.json")
    saved([record()], "set/summedits_scitldr.json")
    (tmp_path / "set" / "summedits_zz.json").write_text('[{"id": 1,\n', encoding="utf-8")
    got = imported("summedits", tmp_path / "set")
    assert got.reasons == ["missing_text", "missing_context"] and got.labels == ["supported"]
    assert len(got.problems) == 1 and got.problems[0].where.endswith("summedits_zz.json")


def test_rows_of_a_saved_folder(imported: Any, tmp_path: Path) -> None:
    from metajudge.gold.tabular import write_with_datasets

    rows = [
        {
            **{"id": "b_1", "domain": "billsum", "doc": "It is long.", "summary": "It is short."},
            **{"label": label, "edit_types": "['antonym_swap']", "seed_summary": "It is long."},
        }
        for label in (0, 1)
    ]
    write_with_datasets(rows, tmp_path / "saved")
    got = imported("summedits", tmp_path / "saved")
    assert got.labels == ["unsupported", "supported"] and got.left == []
