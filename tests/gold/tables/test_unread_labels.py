from __future__ import annotations

from pathlib import Path

import pytest

from metajudge.gold.importing.source import Source
from metajudge.gold.tables.columns_seen import seen_columns
from metajudge.gold.tables.proposal import propose
from metajudge.gold.tables.unread_labels import UnreadLabels, near_word, unread_labels, word_options
from tests.gold.writing import csv_text


@pytest.fixture
def found(tmp_path: Path):
    """Unread columns of labels among columns given by heading, twelve rows."""

    def find(sheet: dict[str, list[str]], *read: str) -> list[str]:
        rows = [[cells[n % len(cells)] for cells in sheet.values()] for n in range(12)]
        path = tmp_path / "sheet.csv"
        path.write_text(csv_text([list(sheet), *rows]), encoding="utf-8")
        columns = seen_columns(Source(str(path)))
        unread = {name: "" for name in sheet if name not in read}
        return [one.key for one in unread_labels(columns, unread, read)]

    return find


def test_columns_that_share_their_words_look_like_labels(found):
    ours = ["backed up", "clashes", "说不准"]
    assert found({"Kate": ours, "李": ours[::-1]}) == ["label:Kate", "label:李"]
    assert found({"Kate": ours, "Bo": ours}, "Bo") == ["label:Kate"]


def test_the_name_is_what_follows_the_kind_of_annotator(found):
    assert found({"Reviewer Kate": ["good", "bad"], "place": ["x"]}) == ["label:Kate"]
    assert found({"Reviewer A": ["good", "bad"], "place": ["x"]}) == ["label:Reviewer A"]


@pytest.mark.parametrize(
    "sheet",
    [
        {"domain": ["law", "health"], "status": ["open", "done"]},
        {"Kate": ["a b"], "Bo": ["a b"]},
        {"pages": ["1", "2", "3"], "lines": ["1", "2", "3"]},
        {"GPT-4 verdict": ["good", "bad"], "model": ["good", "bad"]},
        {"Kate": [f"word {n}" for n in range(12)], "Bo": [f"word {n}" for n in range(12)]},
    ],
)
def test_other_columns_do_not(found, sheet):
    assert found(sheet) == []


def test_options_are_quoted_for_a_shell():
    assert UnreadLabels("label:Kate", "Reviewer Kate", ()).option == (
        "--map 'label:Kate=Reviewer Kate'"
    )
    assert word_options(["backed up", "支持"]) == "--labels 'backed up=…' --labels '支持=…'"


def test_slips_of_known_words_are_told():
    assert near_word("suported", []) == "supported"
    assert near_word("ok", ["okay"]) is None


def test_one_explained_column_beside_others_is_a_persons(tmp_path: Path):
    rows = [[f"Tea {n}.", f"The page on tea {n}.", "好" if n % 2 else "坏"] for n in range(12)]
    path = tmp_path / "sheet.csv"
    rows = [[*row, ["fine", "poor"][n % 2]] for n, row in enumerate(rows)]
    head = ["claim", "context", "Reviewer Kate", "Reviewer 李"]
    path.write_text(csv_text([head, *rows]), encoding="utf-8")
    told = propose(Source(str(path), labels={"好": "yes", "坏": "no"}))
    assert told.columns["label"] == "Reviewer Kate"
    assert "--map 'label:Kate=Reviewer Kate' --map 'label:李=Reviewer 李'" in told.unsettled()
