"""Exports in the form of doccano, written for these tests."""

import csv
from typing import Any

SOURCE = "The museum is closed on Mondays. Entry is free."


def row(*labels: Any, **more: Any) -> dict[str, Any]:
    return {
        "id": 12,
        "text": "The museum opens on Mondays.",
        "context": SOURCE,
        "label": list(labels),
        "Comments": [],
    } | more


def test_one_file_for_each_annotator_joined_by_id_and_text(imported, saved, tmp_path):
    saved([row("no"), row("yes", id=13, text="Entry is free.")], "export/anna.jsonl")
    saved([row("no", Comments=["见第一句", "!"]), row(id=13, text="Entry is free.")],
          "export/陈伟.jsonl")  # fmt: skip
    saved([row("idk")], "export/bo.jsonl")
    read = imported("doccano", tmp_path / "export")
    assert [claim.claim_id for claim in read.claims] == ["12", "13"]
    assert read.votes() == {"anna": "no", "bo": "idk", "陈伟": "no"}
    assert read.votes(1) == {"anna": "yes"}
    assert read.labels == ["no", "yes"]
    assert read.claims[0].annotations[-1].note == "见第一句\n!"


def test_a_shared_project_states_a_label_without_a_name(imported, saved):
    rows = [row("no"), row("no", "yes", id=2, text="x"), row(id=3, text="y")]
    read = imported("doccano", saved(rows, "all.jsonl"))
    assert read.labels == ["no", None, None]
    assert all(claim.annotations == () for claim in read.claims)
    assert [(out.reason, out.what, out.line) for out in read.left] == [
        ("unknown_label", "no, yes", 2)
    ]
    assert read.claims[2].unlabelled == "unlabelled"


def test_marked_parts_are_evidence_and_no_label(imported, saved):
    made = row([0, 10, "EVIDENCE"], text=SOURCE, claim="It is closed on Mondays.")
    read = imported("doccano", saved([made], "anna.jsonl"))
    assert [(out.reason, out.detail) for out in read.left] == [
        ("unlabelled", "parts are marked, the text has no label")
    ]
    both = row(
        text=SOURCE,
        claim="It is closed on Mondays.",
        label=None,
        cats=["yes"],
        entities=[{"id": 1, "label": "E", "start_offset": 4, "end_offset": 10}],
    )
    read = imported("doccano", saved([both], "anna.jsonl"))
    assert (read.labels, read.claims[0].spans) == (["yes"], ("museum",))


def test_numbers_for_labels_are_not_guessed(imported, saved):
    made = {"id": 1, "text": "x", "context": SOURCE, "annotations": [{"label": 3, "user": 1}]}
    read = imported("doccano", saved([made], "old.jsonl"))
    assert (read.labels, read.left[0].detail) == ([None], "labels are numbers")


def test_b88_csv_with_comma_quote_newline_and_tab(imported, tmp_path):
    odd = 'Closed, "always",\non\tMondays，周一闭馆。'
    path = tmp_path / "anna.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text", "context", "label", "Comments"])
        writer.writerow([1, odd, SOURCE, "no", ""])
    read = imported("doccano", path)
    assert (read.claims[0].claim, read.labels, read.problems) == (odd, ["no"], [])


def test_chinese_labels_by_the_map(imported, saved):
    made = row("矛盾", text="周一开馆。", 原文="周一闭馆。", context=None)
    path = saved([made], "陈伟.jsonl")
    columns = {"passages": "原文"}
    assert imported("doccano", path, columns).left[0].what == "矛盾"
    assert imported("doccano", path, columns, {"矛盾": "no"}).votes() == {"陈伟": "no"}


def test_b91_two_annotators_who_disagree_are_tied(imported, saved, tmp_path):
    saved([row("yes")], "export/a.jsonl")
    saved([row("no")], "export/b.jsonl")
    read = imported("doccano", tmp_path / "export")
    assert (read.labels, read.claims[0].unlabelled) == ([None], "tied")


def test_b86_one_id_for_two_texts_is_no_id(imported, saved):
    read = imported("doccano", saved([row("yes"), row("no", text="Other.")], "anna.jsonl"))
    assert [claim.claim_id for claim in read.claims] == [None, None]
