from __future__ import annotations

import json
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import GoldError
from metajudge.gold import Context, GoldSet, load_goldset, read_table
from metajudge.gold.events import SettleEvent, append_event
from metajudge.gold.exporters import jsonl
from metajudge.gold.exporters.export import export_goldset
from metajudge.gold.exporters.form import Wishes
from metajudge.gold.exporters.forms import MODULES, form_named, form_of, writer_named
from tests.gold.reading import Make, Tea

NAMES = {
    "jsonl": "g.jsonl",
    "csv": "g.csv",
    "parquet": "g.parquet",
    "label-studio": "g.json",
    "datasets": "g",
    "folder": "g",
}


def faults(gold: GoldSet, path: Path, form: str | None = None) -> list[str]:
    with pytest.raises(GoldError) as caught:
        export_goldset(gold, path, form)
    return [str(problem) for problem in caught.value.problems]


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_every_form_declares_itself() -> None:
    for name in MODULES:
        assert form_named(name).name == name and callable(writer_named(name))
    endings = [ending for name in MODULES for ending in form_named(name).endings]
    assert len(set(endings)) == len(endings)
    assert form_of(Path("A.NDJSON")).name == "jsonl"


def test_an_unknown_form_is_refused_with_the_known_ones(make_gold: Make, tmp_path: Path) -> None:
    gold = make_gold([{}])
    assert "Did you mean 'parquet'?" in faults(gold, tmp_path / "g", "parkett")[0]
    told = faults(gold, tmp_path / "g.xlsx")[0]
    assert ".jsonl, .ndjson, .csv, .parquet, .json" in told and "--as jsonl|csv" in told


@pytest.mark.parametrize("form", MODULES)
def test_counts_and_files_of_an_export(form: str, make_gold: Make, tmp_path: Path) -> None:
    gold = make_gold([{}, {"context_id": "y"}])
    gold = replace(gold, contexts=gold.contexts | {"z": Context(context_id="z", passages=("z",))})
    done = export_goldset(gold, tmp_path / "new" / NAMES[form], form)
    assert (done.form.name, done.claims, done.pending, done.contexts) == (form, 2, 0, 2)
    assert done.files[0] == tmp_path / "new" / NAMES[form] and all(f.exists() for f in done.files)
    assert names(tmp_path / "new") == sorted(file.name for file in done.files)
    left = "1 context that no claim uses are left out"
    assert (left in done.notes) == (form != "folder")
    in_table = form not in ("folder", "label-studio")
    assert any("--as folder carries all" in note for note in done.notes) == in_table


@pytest.mark.parametrize("form", MODULES)
def test_the_same_set_gives_the_same_content_twice(
    form: str, make_gold: Make, tmp_path: Path
) -> None:
    gold = make_gold([{}, {"context_id": "y"}])
    first = export_goldset(gold, tmp_path / NAMES[form], form).files
    before = [file.read_bytes() for file in first if file.is_file()]
    if form != "folder":
        again = export_goldset(gold, tmp_path / NAMES[form], form).files
        assert [file.read_bytes() for file in again if file.is_file()] == before
        assert names(tmp_path) == sorted(file.name for file in again)


def test_labels_settled_since_are_in_it_and_the_version_says_so(tea: Tea, tmp_path: Path) -> None:
    folder = tea()
    settled = SettleEvent(
        claim_id="c1",
        annotator="bo",
        time="2025-03-01T09:30:00Z",
        save_id="save-0001",
        label="no",
        why="read again",
    )
    append_event(folder, settled)
    gold = load_goldset(folder)
    export_goldset(gold, tmp_path / "copy", "folder")
    copy = load_goldset(tmp_path / "copy")
    assert copy.manifest.version == "1+c1" and copy.sha256 == gold.sha256
    assert names(tmp_path / "copy") == ["claims.jsonl", "contexts.jsonl", "goldset.yaml"]
    export_goldset(gold, tmp_path / "rows.jsonl")
    assert [claim.label for claim in read_table(tmp_path / "rows.jsonl").claims] == ["no", "no"]


def test_the_ledger_of_test_labels_goes_along(tea: Tea, tmp_path: Path) -> None:
    folder = tea()
    (folder / "ledger.jsonl").write_text('{"kept": true}\n', encoding="utf-8")
    export_goldset(load_goldset(folder), tmp_path / "copy", "folder")
    assert (tmp_path / "copy" / "ledger.jsonl").read_text(encoding="utf-8") == '{"kept": true}\n'


def test_the_set_itself_is_never_written_over(tea: Tea) -> None:
    folder = tea()
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    gold = load_goldset(folder)
    places: list[tuple[Path, str | None]] = [
        (folder / "claims.jsonl", None),
        (folder / "claims.csv", None),
        (folder / "annotations" / "x.jsonl", None),
        (folder / "ledger.jsonl", None),
        (folder / "sub" / ".." / "contexts.jsonl", None),
        (folder, "folder"),
        (folder.parent, "datasets"),
    ]
    for path, form in places:
        assert "the set that it is made of" in faults(gold, path, form)[0], path
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    table = folder.parent / "t.jsonl"
    export_goldset(gold, table)
    again = read_table(table)
    assert "the set that it is made of" in faults(again, table)[0]
    export_goldset(gold, folder / "mine.csv")
    assert load_goldset(folder) == gold


def test_folders_that_hold_something_else_are_left_alone(make_gold: Make, tmp_path: Path) -> None:
    gold = make_gold([{}])
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "letter.txt").write_text("mine", encoding="utf-8")
    for form in ("datasets", "folder"):
        assert "holds something else" in faults(gold, mine, form)[0]
    for form in ("jsonl", "csv", "parquet", "label-studio"):
        assert "is a file, and this is a folder" in faults(gold, mine, form)[0]
    (tmp_path / "g.xml").mkdir()
    assert "g.xml" in faults(gold, tmp_path / "g.json")[0]
    assert "needs a name of its own" in faults(gold, tmp_path / "h.xml", "label-studio")[0]
    assert "needs a name of its own" in faults(gold, Path(), "jsonl")[0]
    (tmp_path / "file").write_text("x", encoding="utf-8")
    assert "holds something else" in faults(gold, tmp_path / "file", "folder")[0]
    assert names(mine) == ["letter.txt"] and names(tmp_path) == ["file", "g.xml", "mine"]


def test_an_older_export_stays_until_the_new_one_is_whole(
    make_gold: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "g.jsonl"
    export_goldset(make_gold([{}]), path)
    before = path.read_bytes()

    def torn(goldset: GoldSet) -> Any:
        yield {"claim_id": "c0"}
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(jsonl, "table_rows", torn)
    with pytest.raises(OSError, match="No space"):
        export_goldset(make_gold([{}, {}]), path)
    assert path.read_bytes() == before and names(tmp_path) == ["g.jsonl"]


def test_an_older_data_set_is_replaced_as_a_whole(make_gold: Make, tmp_path: Path) -> None:
    export_goldset(make_gold([{}]), tmp_path / "g", "datasets")
    export_goldset(make_gold([{}, {}]), tmp_path / "g", "datasets")
    assert len(read_table(tmp_path / "g").claims) == 2
    assert names(tmp_path) == ["g"]


@pytest.mark.parametrize("form", MODULES)
def test_half_characters_are_named_and_nothing_is_written(
    form: str, make_gold: Make, tmp_path: Path
) -> None:
    gold = make_gold([{"note": "half \ud800"}, {}], {"x": ("\udfff",)})
    told = faults(gold, tmp_path / NAMES[form], form)
    assert len(told) == 2 and all("half a character" in text for text in told)
    assert "'c0'" in told[0] and names(tmp_path) == []


def test_what_a_spreadsheet_cannot_hold_is_said(make_gold: Make, tmp_path: Path) -> None:
    told = faults(make_gold([{"claim": "a\x00b"}]), tmp_path / "g.csv")
    assert "U+0000" in told[0] and "'c0'" in told[0]
    gold = make_gold([{}, {}], {"x": ("long " * 8000,)})
    note, _ = export_goldset(gold, tmp_path / "g.csv").notes
    assert note.startswith("2 cells are longer than the 32767 characters")


def test_the_byte_order_mark_of_csv_is_a_choice(make_gold: Make, tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    export_goldset(make_gold([{"claim": "茶。"}]), path)
    raw = path.read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf") and raw.count(b"\r\n") == 2
    export_goldset(make_gold([{"claim": "茶。"}]), path, wishes=Wishes(byte_order_mark=False))
    assert path.read_bytes() == raw.removeprefix(b"\xef\xbb\xbf")


@pytest.mark.parametrize("form", ["jsonl", "csv", "label-studio"])
def test_large_sets_are_written_a_row_at_a_time(form: str, make_gold: Make, tmp_path: Path) -> None:
    rows = [{"claim": f"Tea is hot, says witness {n}."} for n in range(1_000)]
    gold = make_gold(rows, {"x": ("Tea. " * 2_000,)})
    tracemalloc.start()
    export_goldset(gold, tmp_path / NAMES[form], form)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (tmp_path / NAMES[form]).stat().st_size > 9e6 and peak < 3e6


def test_json_lines_are_lines_whatever_the_texts_hold(make_gold: Make, tmp_path: Path) -> None:
    gold = make_gold([{"claim": "a\u2028b\x85c\nd"}, {}])
    export_goldset(gold, tmp_path / "g.jsonl")
    lines = (tmp_path / "g.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["claim_id"] for line in lines] == ["c0", "c1"]


@pytest.mark.parametrize(("name", "form"), [("g.parquet", "parquet"), ("g", "datasets")])
def test_columns_have_their_types_whatever_is_in_them(
    name: str, form: str, make_gold: Make, tmp_path: Path
) -> None:
    import datasets

    gold = make_gold([{}])
    full = make_gold([{"annotations": [{"annotator": "bo", "label": "yes", "seconds": 3}]}])
    features = []
    for number, one in enumerate((gold, full)):
        path = tmp_path / str(number) / name
        export_goldset(one, path, form)
        if form == "parquet":
            table = datasets.Dataset.from_parquet(str(path), cache_dir=str(tmp_path / "cache"))
        else:
            table = datasets.load_from_disk(str(path))
        features.append(table.features)
        assert table.num_rows == len(one.claims)
    assert features[0] == features[1]


@pytest.mark.parametrize("form", MODULES)
def test_a_set_without_claims_can_be_written_and_is_no_gold_to_read(
    form: str, make_gold: Make, tmp_path: Path
) -> None:
    gold = replace(make_gold([{}]), claims=())
    path = export_goldset(gold, tmp_path / NAMES[form], form).files[0]
    if form != "label-studio":
        with pytest.raises(GoldError):
            load_goldset(path)
