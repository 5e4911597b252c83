"""What a sweep says of gold labels that are missing, stale or corrected; nothing is silent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import ExperimentError
from metajudge.experiment import SweepOutcome
from metajudge.gold import load_goldset
from metajudge.gold.events import SettleEvent, append_event
from metajudge.report.results_file import read_results, write_results
from tests.experiment.folder import declare, halls, write_gold

TIME = "2025-03-01T09:30:00+00:00"


def sweep(folder: Path, **fields: Any) -> SweepOutcome:
    declared = declare(folder, judges=["baseline:ngram"], templates=["literal"], **fields)
    return declared.sweep(store=folder / "store.sqlite")


def without_labels(rows: list[dict[str, Any]], *names: str) -> list[dict[str, Any]]:
    return [
        {name: value for name, value in row.items() if name != "label"}
        if row["claim_id"] in names
        else row
        for row in rows
    ]


def settle(gold: Path, claim: str, label: str, **more: Any) -> None:
    fields = {"claim_id": claim, "annotator": "ada", "time": TIME, "save_id": f"save-{claim}"}
    event = SettleEvent.model_validate(fields | {"label": label, "why": "read again"} | more)
    append_event(gold, event)


def test_claims_without_a_label_take_no_part_and_are_counted(tmp_path: Path) -> None:
    claims, contexts = halls()
    rows = without_labels(claims, "en0-literal", "en1-summary", "en1-literal")
    write_gold(tmp_path, rows, contexts)
    results = sweep(tmp_path).results
    assert len(results.claims) == results.gold.claims == len(claims) - 3
    assert "3 claims have no gold label yet and take no part." in results.notes
    path = tmp_path / "results.json"
    write_results(results, path)
    assert read_results(path).notes == results.notes


def test_only_those_of_the_split_and_the_languages_are_counted(tmp_path: Path) -> None:
    english, contexts = halls()
    chinese, more = halls(1, "zh")
    rows = without_labels([*english, *chinese], "en0-literal", "zh0-literal")
    write_gold(tmp_path, rows, [*contexts, *more])
    results = sweep(tmp_path, gold={"path": "gold", "languages": ["en"]}).results
    assert "1 claim has no gold label yet and take no part." in results.notes


def test_a_set_that_only_waits_says_what_to_do(tmp_path: Path) -> None:
    claims, contexts = halls(1)
    names = [str(row["claim_id"]) for row in claims]
    write_gold(tmp_path, without_labels(claims, *names), contexts)
    with pytest.raises(ExperimentError, match="4 claims wait for a label: `metajudge label`"):
        sweep(tmp_path)


def test_a_correction_changes_the_gold_that_results_name(tmp_path: Path) -> None:
    write_gold(tmp_path)
    before = sweep(tmp_path).results.gold
    settle(tmp_path / "gold", "en0-literal", "no", because="review")
    results = sweep(tmp_path).results
    gold = load_goldset(tmp_path / "gold")
    assert (before.version, results.gold.version) == ("1", "1+c1")
    assert before.sha256 != results.gold.sha256 == gold.sha256
    assert any(note.startswith("gold 1+c1: 1 label was corrected") for note in results.notes)
    path = tmp_path / "results.json"
    write_results(results, path)
    assert json.loads(path.read_text(encoding="utf-8"))["gold"]["version"] == "1+c1"
    assert [key.gold for key in results.claims if key.claim_id == "en0-literal"] == ["no"]


def test_labels_of_before_a_change_of_the_policy_are_counted(tmp_path: Path) -> None:
    changes = [{"version": "2", "support": {"summary": False}}]
    policy = {"version": "2", "support": {"summary": False}, "changes": changes}
    write_gold(tmp_path, labelling_policy=policy)
    assert (
        "6 labels are of before the labelling policy 2; they count."
        in sweep(tmp_path).results.notes
    )
    settle(tmp_path / "gold", "en0-summary", "yes", policy="2")
    notes = sweep(tmp_path).results.notes
    assert "5 labels are of before the labelling policy 2; they count." in notes
    assert not any("corrected" in note for note in notes)


def test_a_set_where_nothing_waits_has_no_such_note(tmp_path: Path) -> None:
    write_gold(tmp_path)
    notes = " ".join(sweep(tmp_path).results.notes)
    assert "no gold label" not in notes and "corrected" not in notes and "policy" not in notes
