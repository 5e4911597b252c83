"""Rows of claims: texts, labels, maps of fields and labels, and annotations."""

from typing import Any

import pytest

from metajudge.gold import load_goldset, read_table
from tests.gold.reading import ROW, Tea, faults


@pytest.mark.parametrize("word", ["nan", "NaN", "None", "null", "<NA>"])
@pytest.mark.parametrize("field", ["claim", "question", "context"])
def test_b39_the_word_for_a_missing_value_is_never_text(table: Tea, word: str, field: str) -> None:
    assert "only the trace of a missing value" in faults(table([ROW | {field: word}]))[0]


def test_b39_missing_question_is_none_and_missing_context_is_refused(table: Tea) -> None:
    gold = read_table(
        table(
            [ROW, {**ROW, "claim": "B.", "question": None}, {**ROW, "claim": "C.", "question": " "}]
        )
    )
    assert [claim.question for claim in gold.claims] == [None] * 3
    row = {name: value for name, value in ROW.items() if name != "context"}
    assert "a claim needs context_id, or context" in faults(table([row], "b.jsonl"))[0]


def test_texts_are_kept_to_the_letter(table: Tea) -> None:
    text = '  一\u2028二\u0085三\r\n😀\t\x00 "quoted", \' e\u0301  '
    gold = read_table(table([{**ROW, "claim": text, "context": [text]}]))
    assert gold.claims[0].claim == text
    assert gold.passages(gold.claims[0]) == (text,)


def test_lone_surrogate_is_refused(table: Tea) -> None:
    found = faults(table('{"claim": "a\\ud800", "context": "b", "label": "yes"}\n'))
    assert found[0].startswith("F:1: claim: the text holds half a character (U+D800)")


@pytest.mark.parametrize(
    ("label", "hint"),
    [
        ("Yes", "Did you mean 'yes'? Or map the labels: {'Yes': 'yes'}."),
        ("entailment", "Or map the labels: {'entailment': 'yes'}."),
        ("SUPPORTS", "Or map the labels: {'SUPPORTS': 'yes'}."),
        ("NOT ENOUGH INFO", "{'NOT ENOUGH INFO': 'idk'}."),
        (True, "{'True': 'yes'}."),
        (1, "{'1': 'supported'}."),
        ([], "must be one of yes, no, idk"),
    ],
)
def test_unknown_labels_are_refused_with_a_hint(table: Tea, label: Any, hint: str) -> None:
    assert hint in faults(table([ROW | {"label": label}]))[0]


def test_missing_label(table: Tea) -> None:
    rows = [{**ROW, "label": None}, {k: value for k, value in ROW.items() if k != "label"}]
    rows[1]["claim"] = "B."
    assert [text.split(". ")[0] for text in faults(table(rows))] == [
        "F:1: label: this field is needed",
        "F:2: label: this field is needed",
    ]


def test_labels_of_the_other_space(tea: Tea, table: Tea) -> None:
    rows = [
        {
            "claim_id": "c",
            "answer_id": "a",
            "context_id": "x1",
            "claim": "A.",
            "lang": "en",
            "label": "supported",
            "annotations": [{"annotator": "ann", "label": "unsupported"}],
        }
    ]
    found = faults(tea(rows))
    assert len(found) == 2 and "a ternary gold set has the labels yes, no, idk" in found[0]
    assert "annotations[0].label" in found[1]
    mixed = [ROW, {**ROW, "claim": "B.", "label": "unsupported"}]
    assert "labels of both: unsupported, yes" in faults(table(mixed))[0]


def test_label_and_column_maps(table: Tea) -> None:
    rows = [
        {"hypothesis": "Tea is hot.", "premise": "Tea.", "gold": "E", "uid": "7", "genre": "tea"},
        {"hypothesis": "Tea is cold.", "premise": "Tea.", "gold": "C", "uid": "8", "genre": "tea"},
    ]
    columns = {"claim": "hypothesis", "passages": "premise", "label": "gold", "claim_id": "uid"}
    gold = load_goldset(table(rows), columns=columns, labels={"E": "yes", "C": "no"})
    assert [(claim.claim_id, claim.label) for claim in gold.claims] == [("7", "yes"), ("8", "no")]
    assert "column 'genre' is not read (2 rows)" in gold.notes
    assert "lang guessed from the script (2 rows)" in gold.notes


def test_faulty_column_map(table: Tea) -> None:
    found = faults(table([ROW]), columns={"label": "labell", "clam": "claim"})
    assert (
        "labell: the column map takes 'label' from a column that is not there. "
        "Did you mean 'label'?" in found[0]
    )
    assert "clam: the column map names a field that a claim does not have" in found[1]


def test_unknown_columns_are_refused_without_a_map(table: Tea) -> None:
    path = table([ROW | {"lable": "yes", "source": "web"}])
    found = faults(path)
    assert (
        "lable: there is no such field (got 'yes'). Did you mean 'label'? A column map" in found[0]
    )
    assert load_goldset(path, columns={}).notes[0] == "column 'lable' is not read (1 row)"


def test_annotations_give_a_label_by_the_rule(tea: Tea) -> None:
    def row(*votes: str, **more: Any) -> dict[str, Any]:
        notes = [
            {"annotator": f"ann{n}", "label": vote, "time": f"2026-01-0{n + 1}"}
            for n, vote in enumerate(votes)
        ]
        return {
            "claim_id": "c",
            "answer_id": "a",
            "context_id": "x1",
            "claim": "A.",
            "lang": "en",
            "annotations": notes,
            **more,
        }

    assert load_goldset(tea([row("yes", "no", "yes")])).claims[0].label == "yes"
    assert load_goldset(tea([row("yes", "no", label="no")])).claims[0].label == "no"
    tied = load_goldset(tea([row("yes", "yes"), row("yes", "no", claim_id="d")]))
    assert [(claim.claim_id, claim.why) for claim in tied.pending] == [("d", "a tie: 1 yes, 1 no")]
    assert [claim.claim_id for claim in tied.claims] == ["c"]
    found = faults(tea([row("yes", "mabye", claim_id="d")]))
    assert (
        "annotations[1].label: must be one of yes, no, idk (got 'mabye'). Use one of: yes, no, "
        "idk. Or map the labels" in found[0]
    )
    manifest = (tea() / "goldset.yaml").read_text(encoding="utf-8")
    latest = tea([row("yes", "no")], manifest=manifest + "adjudication: majority_then_latest\n")
    assert load_goldset(latest).claims[0].label == "no"


def test_rows_inherit_who_labelled_them(tea: Tea) -> None:
    manifest = (tea() / "goldset.yaml").read_text(encoding="utf-8").replace("human", "author")
    rows = [
        {
            "claim_id": f"c{n}",
            "answer_id": "a",
            "context_id": "x1",
            "claim": f"A{n}.",
            "lang": "en",
            "label": "yes",
        }
        for n in range(2)
    ]
    rows[1]["label_source"] = "model"
    gold = load_goldset(tea(rows, manifest=manifest))
    assert [claim.label_source for claim in gold.claims] == ["author", "model"]


@pytest.mark.parametrize(("wrong", "right"), [("lable", "label"), ("excluded", "exclude")])
def test_a_misspelt_field_of_a_claim_without_a_label_names_the_nearest(
    tea: Tea, wrong: str, right: str
) -> None:
    row = {"claim_id": "c", "answer_id": "a", "context_id": "x", "claim": "Tea.", "lang": "en"}
    folder = tea([row | {wrong: "yes"}], [{"context_id": "x", "passages": ["Tea."]}])
    assert faults(folder)[0].startswith(
        f"F/claims.jsonl:1: {wrong}: there is no such field (got 'yes'). Did you mean '{right}'?"
    )
