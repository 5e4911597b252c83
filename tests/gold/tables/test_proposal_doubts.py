"""Columns that may be otherwise than they look: models, other questions, ids, changed places."""

import pytest

from metajudge.errors import GoldError
from metajudge.gold.tables.label_columns import BY_MODEL
from tests.gold.tables.proposing import LONG, SHORT, TEXTS, THREE


@pytest.mark.parametrize(
    "heading", ["label.suggestion", "prediction", "judge", "gpt", "model", "预测", "Label (GPT-4o)"]
)
def test_b92_what_a_model_made_is_never_read_unasked(proposed, heading):
    alone = proposed(TEXTS | {heading: THREE})
    assert alone.unread[heading] == BY_MODEL
    assert alone.layout == "no labels"
    beside = proposed(TEXTS | {heading: THREE, "Label": THREE})
    assert beside.columns == {"claim": "Claim", "context": "Context", "label": "Label"}
    assert proposed(TEXTS | {heading: THREE}, columns={"label": heading}).words


def test_b92_annotators_may_be_numbers(proposed):
    sheet = {"claim": SHORT[0], "context": LONG[0], "label": ["yes", "no"], "annotator": ["1", "2"]}
    assert proposed(sheet, rows=2).columns["annotator"] == "annotator"


def test_b92_a_column_without_a_label_word_is_no_annotators(proposed):
    got = proposed(TEXTS | {"annotation_name": "label", "label": ["yes", "no", "idk"]})
    assert got.columns["label"] == "label"
    assert "known label" in got.unread["annotation_name"]
    scale = proposed(TEXTS | {"Rating": list("1245"), "Label": THREE})
    assert (scale.columns["label"], "scale" in scale.unread["Rating"]) == ("Label", True)


def test_b92_other_questions_are_no_annotators(proposed):
    two = ["yes", "no"]
    got = proposed(TEXTS | {"Faithful": two, "Relevant": two, "流畅": two})
    assert (got.columns["label"], set(got.unread)) == ("Faithful", {"Relevant", "流畅"})


def test_a_label_beside_annotators_is_what_they_settled_on(proposed):
    sheet = TEXTS | {"Anna": THREE, "Bo": THREE, "Label": THREE}
    assert proposed(sheet).columns["gold"] == "Label"
    assert "Label" in proposed(sheet | {"Final": THREE}).unread
    names = proposed(TEXTS | {"No": THREE, "Yes Anna": THREE, "True Bo": THREE}).columns
    assert list(names)[2:] == ["label:No", "label:Yes Anna", "label:True Bo"]


@pytest.mark.parametrize("heading", ["label_source", "标注来源"])
def test_b92_who_made_labels_is_read_whatever_it_says(proposed, heading):
    sheet = {"claim": SHORT, "context": LONG, "label": ["yes", "no", "idk"], heading: "gpt-4o"}
    assert proposed(sheet).columns["label_source"] == heading
    said = {"claim": "claim", "context": "context", "label": "label"}
    assert proposed(sheet, columns=said).columns["label_source"] == heading


def test_every_other_column_stands_under_not_read(proposed):
    got = proposed(TEXTS | {"Label": THREE, "colour": "red", "blank": ""})
    assert got.unread == {"colour": "", "blank": ""}
    told = proposed(TEXTS | {"x": "y"}, columns={"claim": "Claim", "context": "Context"})
    assert told.unread == {"x": ""}


def test_contexts_that_are_addresses_or_ids_are_told(proposed):
    for texts in (["https://a.org/1", "https://a.org/2"], ["doc-1", "doc-2"], ["a.pdf", "b.pdf"]):
        got = proposed({"claim": SHORT, "context": texts, "label": ["yes", "no", "idk"]})
        assert not got.certain
        assert any("addresses or ids" in note for note in got.notes)
    beside = proposed({"Claim": SHORT, "Source": "https://a.org/1", "Passage text": LONG})
    assert beside.columns["context"] == "Passage text"


def test_texts_that_may_have_changed_places_are_told(proposed):
    turned = proposed({"Claim": LONG, "Context": SHORT, "Label": THREE})
    assert any("longer than their contexts" in note for note in turned.notes)


def test_words_that_are_nearly_known_are_named(proposed):
    got = proposed(TEXTS | {"Label": [*THREE, "Suported"]}, rows=5)
    assert any("suported (1; supported?)" in note for note in got.notes)


def test_yes_to_a_question_for_faults_stays_open_beside_a_given_word(proposed):
    sheet = TEXTS | {"Hallucinated?": ["yes", "no", "hmm"]}
    assert dict(proposed(sheet, labels={"hmm": "idk"}).meaning.labels) == {"hmm": "idk"}


@pytest.mark.parametrize(
    ("sheet", "law"),
    [
        (TEXTS | {"Label": THREE, "Verdict": THREE}, "which column holds the label"),
        (TEXTS | {"Label": THREE, "Bo": THREE}, "which column holds the label"),
        (TEXTS | {"Judge": ["a", "b"], "Label": THREE}, "may name people or models"),
        ({"text": LONG, "document_text": LONG[::-1], "Label": THREE}, "holds the context"),
        ({SHORT[0]: SHORT, LONG[0]: LONG, "yes": ["yes", "no", "idk"]}, "first line holds a claim"),
    ],
)
def test_b92_what_may_be_otherwise_is_asked(proposed, sheet, law):
    with pytest.raises(GoldError, match=law):
        proposed(sheet)


def test_a_table_without_rows(proposed):
    with pytest.raises(GoldError, match="the table has no rows"):
        proposed(TEXTS, rows=0)


def test_b92_a_column_that_names_models_is_told(proposed):
    sheet = {"claim": SHORT, "context": LONG, "label": ["yes", "no", "idk"]}
    got = proposed(sheet | {"Source": ["human", "gpt-4o"]})
    assert not got.certain
    assert any("'Source' names models in 2" in note for note in got.notes)
    typed = proposed(sheet | {"Rater type": ["model", "human"]})
    assert typed.columns["label_source"] == "Rater type"
    other = proposed(sheet | {"Label type": ["binary", "long"]})
    assert "label_source" not in other.columns


def test_b92_what_came_out_of_a_model_is_no_annotators(proposed):
    got = proposed(TEXTS | {"ground_truth": THREE, "output": THREE})
    assert (got.columns["label"], got.unread) == ("ground_truth", {"output": BY_MODEL})


def test_columns_beside_each_other_that_are_numbered_are_annotators(proposed):
    labels = proposed(TEXTS | {"Label": THREE, "Label 2": THREE, "Label 3": THREE}).columns
    assert list(labels)[2:] == ["label:Label", "label:Label 2", "label:Label 3"]
    noted = {f"annotator_{n}_label": THREE for n in "123"} | {"annotator_1_comment": ["hm", ""]}
    got = proposed(TEXTS | noted).columns
    assert got["note:annotator 1"] == "annotator_1_comment"
    assert "label:annotator 3" in got


def test_zeros_and_ones_that_nobody_explains_are_told(proposed):
    got = proposed(TEXTS | {"anna": ["1", "0"], "Label": THREE})
    assert got.unread["anna"].startswith("0 and 1 under a heading")
