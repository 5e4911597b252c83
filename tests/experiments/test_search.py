"""Experiment 004 replays from what is committed, without a call, and says what was found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from metajudge.experiment.searching.search import search
from metajudge.experiment.sweep import Experiment

ROOT = Path(__file__).parents[2] / "experiments"
PLACE = ROOT / "004-search"
CHOSEN = 49


@pytest.fixture(scope="module")
def kept() -> dict[str, Any]:
    read: dict[str, Any] = json.loads((PLACE / "search.json").read_text("utf-8"))
    return read


@pytest.mark.slow
def test_the_search_goes_the_same_way_without_a_call(kept: dict[str, Any], tmp_path: Path) -> None:
    experiment = Experiment.from_file(PLACE).changed(budget={"calls": 1})
    again = search(experiment, store=tmp_path / "replies.sqlite", out=tmp_path / "out")
    assert again.calls.asked == 0
    assert [trial.setting for trial in again.trials] == [t["setting"] for t in kept["trials"]]
    assert [race.calls for race in again.races] == [race["calls"] for race in kept["races"]]
    assert again.decision.winner is None is kept["decision"]["winner"]


def test_the_index_names_what_was_spent(kept: dict[str, Any]) -> None:
    text = (PLACE / "README.md").read_text("utf-8")
    assert f"{kept['spent']:,} of the {kept['spent_full']:,} calls" in text
    assert {trial["state"] for trial in kept["trials"]} == {"told"} and len(kept["trials"]) == 60


def test_the_setting_named_by_hand_is_the_one_with_the_highest_kappa(kept: dict[str, Any]) -> None:
    candidates = [trial["candidate"] for trial in kept["trials"]]
    kappas = [candidate["figures"]["kappa"]["value"] for candidate in candidates]
    assert max(range(60), key=lambda number: kappas[number]) == CHOSEN
    files = PLACE / "proposals" / candidates[CHOSEN]["trial"] / "templates"
    assert len(list(files.glob("*.yaml"))) == 2


def test_the_confirmation_is_on_record(kept: dict[str, Any]) -> None:
    lines = (ROOT.parent / "gold" / "faithfulness" / "ledger.jsonl").read_text("utf-8")
    read = [json.loads(line) for line in lines.splitlines()]
    candidate = kept["trials"][CHOSEN]["candidate"]
    name = f"{candidate['trial']} ({candidate['reading']})"
    assert [name in entry["candidates"] for entry in read].count(True) == 1
    results = PLACE / "proposals" / candidate["trial"] / "results.json"
    confirmed = json.loads(results.read_text("utf-8"))["selection"]["confirmation"]
    assert confirmed["holds"] is False
