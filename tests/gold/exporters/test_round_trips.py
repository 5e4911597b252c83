"""What is exported comes back the same, in every form and whatever stands in the texts."""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from metajudge.gold import Claim, Context, GoldManifest, GoldSet, load_goldset, read_table
from metajudge.gold.claim import Annotation, PendingClaim
from metajudge.gold.exporters.export import export_goldset
from metajudge.gold.exporters.form import Wishes
from metajudge.gold.formula_guard import COLUMN, looks_like_formula
from tests.gold.exporters.sets import HOSTILE, MANIFEST, gold_sets

EVERY = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
FEW = settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))


def back(gold: GoldSet, name: str, form: str, wishes: Wishes | None = None) -> GoldSet:
    """The set after an export and a reading by the same manifest."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / name
        export_goldset(gold, path, form, wishes)
        if form == "folder":
            return load_goldset(path)
        return read_table(path, manifest=gold.manifest)


@EVERY
@given(gold_sets())
def test_json_lines(gold: GoldSet) -> None:
    assert back(gold, "gold.jsonl", "jsonl") == gold


@EVERY
@given(gold_sets())
def test_csv(gold: GoldSet) -> None:
    assert back(gold, "gold.csv", "csv") == gold
    assert back(gold, "gold.csv", "csv", Wishes(byte_order_mark=False)) == gold


@FEW
@given(gold_sets())
def test_parquet(gold: GoldSet) -> None:
    assert back(gold, "gold.parquet", "parquet") == gold


@FEW
@given(gold_sets())
def test_saved_datasets(gold: GoldSet) -> None:
    assert back(gold, "gold", "datasets") == gold


@EVERY
@given(gold_sets())
def test_gold_folder(gold: GoldSet) -> None:
    found = back(gold, "gold", "folder")
    whole = tuple(c.model_copy(update={"why": ""}) for c in gold.pending)
    assert (found.manifest, found.claims, found.contexts) == (
        gold.manifest,
        gold.claims,
        gold.contexts,
    )
    assert tuple(c.model_copy(update={"why": ""}) for c in found.pending) == whole


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_a_table_beside_a_manifest_is_a_gold_folder(form: str, tmp_path: Path) -> None:
    gold = hostile_set()
    manifest = tmp_path / "new"
    export_goldset(gold, manifest, "folder")
    for name in ("claims.jsonl", "contexts.jsonl"):
        (manifest / name).unlink()
    export_goldset(gold, manifest / f"claims.{form}", form)
    assert load_goldset(manifest) == gold


def hostile_set() -> GoldSet:
    """One claim, or one that waits, with each hostile text in every field."""
    claims: list[Claim] = []
    pending: list[PendingClaim] = []
    contexts = {}
    for number, text in enumerate(HOSTILE):
        name = f"x{number}"
        contexts[name] = Context(
            context_id=name, passages=(text, "b"), title=text, domain=text, group=f"g{text[:99]}"
        )
        note = Annotation(annotator=text[:99], label="yes", note=text, spans=(text,), policy=text)
        fields: dict[str, Any] = {
            "claim_id": f"c{number}",
            "answer_id": f"a{number}",
            "context_id": name,
            "claim": text,
            "question": text,
            "note": text,
            "generator": text,
            "spans": (text,),
            "annotations": (note,),
        }
        if number % 2:
            claims.append(Claim(**fields, label="no", label_policy=text))
        else:
            pending.append(PendingClaim(**fields, why=text))
    manifest = GoldManifest.model_validate(MANIFEST)
    return GoldSet(manifest, tuple(claims), contexts, pending=tuple(pending))


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("gold.jsonl", "jsonl"),
        ("gold.csv", "csv"),
        ("gold.parquet", "parquet"),
        ("gold", "datasets"),
        ("gold", "folder"),
    ],
)
def test_every_hostile_text_in_every_field(name: str, form: str) -> None:
    gold = hostile_set()
    assert back(gold, name, form) == gold


def cells(path: Path) -> Iterator[str]:
    text = path.read_bytes().decode("utf-8-sig")
    for row in csv.reader(io.StringIO(text, newline="")):
        yield from row


def test_no_cell_of_a_csv_file_is_a_formula(tmp_path: Path) -> None:
    path = tmp_path / "gold.csv"
    export_goldset(hostile_set(), path)
    assert not [cell for cell in cells(path) if looks_like_formula(cell)]
    export_goldset(hostile_set(), tmp_path / "folder", "folder")
    from metajudge.gold import write_goldset

    write_goldset(hostile_set(), tmp_path / "by-hand", "csv")
    for file in (tmp_path / "by-hand").glob("*.csv"):
        assert not [cell for cell in cells(file) if looks_like_formula(cell)]
    assert load_goldset(tmp_path / "by-hand") == hostile_set()


def test_an_apostrophe_of_the_texts_own_stays_in_any_csv(tmp_path: Path) -> None:
    path = tmp_path / "theirs.csv"
    path.write_text("claim,context,label\n'=1 is a text,'-' is a dash,yes\n", encoding="utf-8")
    (claim,) = read_table(path).claims
    assert claim.claim == "'=1 is a text"
    assert next(iter(read_table(path).contexts.values())).passages == ("'-' is a dash",)


def test_a_guarded_cell_that_somebody_rewrote_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "gold.csv"
    rows = f'claim,context,label,{COLUMN}\nTea.,"\'=1",yes,claim context\n'
    path.write_text(rows, encoding="utf-8")
    gold = read_table(path)
    assert gold.claims[0].claim == "Tea."
    assert next(iter(gold.contexts.values())).passages == ("=1",)


def test_b88_a_claim_with_comma_quote_line_and_tab_comes_back_from_csv(tmp_path: Path) -> None:
    text = 'Tea, "green",\nor\tblack; or =none'
    gold = hostile_set()
    claim = gold.claims[0].model_copy(update={"claim": text})
    gold = GoldSet(gold.manifest, (claim,), {claim.context_id: gold.contexts[claim.context_id]})
    path = tmp_path / "gold.csv"
    export_goldset(gold, path)
    assert read_table(path, manifest=gold.manifest) == gold
    rows = list(csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))
    assert len(rows) == 2 and len(set(map(len, rows))) == 1


def test_b86_exports_carry_ids_and_they_are_the_same_again(tmp_path: Path) -> None:
    path = tmp_path / "without.jsonl"
    path.write_text(
        '{"claim": "茶是热的。", "context": "茶。", "label": "yes"}\n', encoding="utf-8"
    )
    gold = read_table(path)
    for name in ("a.jsonl", "a.csv", "a.parquet"):
        export_goldset(gold, tmp_path / name)
        found = read_table(tmp_path / name, manifest=gold.manifest)
        assert [c.claim_id for c in found.claims] == [c.claim_id for c in gold.claims]
        assert found == gold and found.notes == ()


def test_a_label_written_into_a_row_that_waits_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    export_goldset(hostile_set(), path)
    text = path.read_bytes().decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    waiting = sum(not row["label"] for row in rows)
    for row in rows:
        row["label"] = row["label"] or "idk"
    sheet = io.StringIO(newline="")
    writer = csv.DictWriter(sheet, rows[0].keys(), quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(sheet.getvalue(), encoding="utf-8", newline="")
    found = read_table(path, manifest=hostile_set().manifest)
    assert found.pending == () and len(found.claims) == len(HOSTILE)
    assert f"why it waited: not read, there is a label by now ({waiting} rows)" in found.notes


def test_claims_that_people_did_not_settle_do_not_get_a_label_by_majority(tmp_path: Path) -> None:
    votes = tuple(Annotation(annotator=who, label="yes") for who in "ab")
    fields: dict[str, Any] = {"claim_id": "c", "answer_id": "a", "context_id": "x", "claim": "Tea."}
    gold = GoldSet(
        GoldManifest.model_validate(MANIFEST),
        (Claim(**fields | {"claim_id": "d", "label": "yes"}),),
        {"x": Context(context_id="x", passages=("Tea.",))},
        pending=(PendingClaim(**fields, annotations=votes, why="people did not settle it"),),
    )
    for name, form in (("a.jsonl", "jsonl"), ("a.csv", "csv"), ("a", "folder")):
        export_goldset(gold, tmp_path / name, form)
        path = tmp_path / name
        found = load_goldset(path) if form == "folder" else read_table(path, manifest=gold.manifest)
        assert found == gold
