import json
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import GoldError
from metajudge.gold.importers.formats import MODULES, format_named, formats, reader_named
from metajudge.gold.importing.imported import Format
from metajudge.gold.importing.recognise import recognise
from metajudge.gold.importing.source import Source

PUBLIC = Path(__file__).parents[4] / "shared" / "public_gold"


def form(name: str, *marks: str, files: tuple[str, ...] = (), hub: tuple[str, ...] = ()) -> Format:
    return Format(
        name, name.title(), "public", "a file", "ternary", "-", marks=marks, files=files, hub=hub
    )


TABLE = form("table")
SMALL, LARGE = form("small", "claim", "label"), form("large", "claim", "label", "evidence")
NAMED = form("named", files=("tea_*.json", "tea.jsonl"), hub=("brewers/tea",))
KNOWN = (SMALL, LARGE, form("other", "claim", "evidence"), NAMED, TABLE)


@pytest.fixture
def file(tmp_path):
    def write(name: str, held: Any) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        if isinstance(held, str):
            path.write_text(held, encoding="utf-8")
        elif path.suffix == ".jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in held), encoding="utf-8")
        else:
            path.write_text(json.dumps(held, indent=1), encoding="utf-8")
        return path

    return write


def name_of(path: Path, known: Any = KNOWN) -> str:
    return recognise(Source(path), known).format.name


def test_by_the_fields_of_the_first_record(file):
    row = {"claim": "a", "label": "b", "more": 1}
    assert name_of(file("a.jsonl", [row])) == "small"
    assert name_of(file("a.json", [row])) == "small"
    assert name_of(file("a.csv", "claim;label;more\na;b;c\n")) == "small"
    assert name_of(file("b.json", {"rows": [row]})) == "small"
    assert name_of(file("c.json", {"id-1": row, "id-2": row})) == "small"
    assert (
        recognise(Source(file("a.jsonl", [row])), KNOWN).why
        == "recognised by the fields claim, label"
    )


def test_the_format_with_more_marks_is_meant(file):
    path = file("a.jsonl", [{"claim": "a", "label": "b", "evidence": "c"}])
    assert name_of(path, (SMALL, LARGE, TABLE)) == "large"


def test_several_that_fit_are_listed(file):
    path = file("a.jsonl", [{"claim": "a", "label": "b", "title": "c"}])
    other = form("other", "claim", "title")
    with pytest.raises(GoldError, match="several formats fit: small, other"):
        recognise(Source(path), (SMALL, other, TABLE))
    named = form("other", "claim", "title", files=("a*.jsonl",))
    assert name_of(path, (SMALL, named, TABLE)) == "other"


def test_by_names_of_files_and_of_sets(file, tmp_path):
    assert name_of(file("tea_1.json", {"x": 1})) == "named"
    file("set/tea_2.json", {"x": 1})
    file("set/notes.txt", "no table")
    assert name_of(tmp_path / "set") == "named"
    assert recognise(Source("hf:brewers/tea:green#dev"), KNOWN).format is NAMED


def test_a_folder_by_the_records_of_its_files(file, tmp_path):
    file("set/.hidden.jsonl", [{"nothing": 1}])
    file("set/broken.jsonl", "{")
    file("set/part.jsonl", [{"claim": "a", "label": "b"}])
    assert name_of(tmp_path / "set") == "small"


def test_what_no_format_fits(file, tmp_path):
    assert recognise(Source(file("a.csv", "x,y\n1,2\n")), KNOWN).why == "no other format fits"
    for place in (file("a.pdf", "x"), file("set/a.pdf", "x").parent):
        with pytest.raises(GoldError, match="no format fits"):
            name_of(place)
    with pytest.raises(GoldError, match="no such file or folder"):
        name_of(tmp_path / "nothing")
    with pytest.raises(GoldError, match="Save the sheet as CSV"):
        name_of(file("a.xlsx", "PK"))


def test_every_format_declares_itself_whole():
    every = formats()
    assert [declared.name for declared in every] == list(MODULES)
    for declared in every:
        assert declared.title and declared.holds and declared.mapping, declared.name
        assert callable(reader_named(declared.name))
        if declared.kind == "public":
            assert declared.licence != "unknown" and declared.citation and declared.url
    marks = [frozenset(declared.marks) for declared in every if declared.marks]
    assert len(set(marks)) == len(marks)
    with pytest.raises(GoldError, match="Did you mean 'ragtruth'"):
        format_named("ragtruht")


@pytest.mark.skipif(not PUBLIC.is_dir(), reason="there is no copy of the public sets here")
def test_upstreams_own_files_are_recognised():
    folders = {name: PUBLIC / module / "original" for name, module in MODULES.items()}
    there = {name: folder for name, folder in folders.items() if folder.is_dir()}
    assert {name: recognise(Source(place)).format.name for name, place in there.items()} == {
        name: name for name in there
    }
