from __future__ import annotations

import json
from dataclasses import replace

import pytest

from metajudge.errors import InputError
from metajudge.gold.goldset import load_goldset
from metajudge.gold.ledger import read_ledger
from metajudge.metrics.cascade.asked import CallSettings
from metajudge.metrics.cascade.confirm import confirm_cascade
from metajudge.metrics.cascade.fit import fit_cascade
from metajudge.metrics.cascade.settings import FitSettings
from metajudge.runner.limits import Budget
from metajudge.runner.store import Store
from tests.metrics.cascade.folder import gold, judge


@pytest.fixture
def ready(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    calls = CallSettings(store=tmp_path / "s.sqlite")
    place = gold(tmp_path, 100, split={"salt": "s", "dev_share": 0.5})
    settings = FitSettings(judge=judge(tmp_path), miss_rate=0.15, calls=calls)
    return fit_cascade(place, settings).cascade, place, calls


def test_the_read_is_on_record_and_the_rate_is_that_of_test(ready):
    cascade, place, calls = ready
    found = confirm_cascade(cascade, place, calls)
    assert found.missed == 0
    assert found.holds(cascade)
    assert found.contexts + cascade.gold.contexts == 100
    (entry,) = read_ledger(place)
    assert entry.purpose == "confirm"
    assert entry.experiment == "cascade cascade"
    assert confirm_cascade(cascade, place, calls).reads == 2


def test_a_judge_that_cannot_be_asked_costs_no_read(ready):
    cascade, place, calls = ready
    cut = replace(calls, budget=Budget(calls=1))
    found = confirm_cascade(cascade, place, cut)
    assert found.stopped is not None
    assert not found.holds(cascade)
    assert read_ledger(place) == ()


def test_cut_offs_that_pass_everything_do_not_hold(ready):
    cascade, place, calls = ready
    loose = cascade.judge.model_copy(update={"cut": 0.0})
    found = confirm_cascade(cascade.model_copy(update={"judge": loose}), place, calls)
    assert found.missed == 1
    assert not found.holds(cascade)


def test_another_set_is_refused_without_a_read(ready, tmp_path):
    cascade, place, calls = ready
    other = cascade.gold.model_copy(update={"name": "other"})
    with pytest.raises(InputError, match="fitted on"):
        confirm_cascade(cascade.model_copy(update={"gold": other}), place, calls)
    assert read_ledger(place) == ()


@pytest.mark.parametrize("half", ["dev", "test"])
def test_gold_that_was_changed_since_the_fit_is_refused_without_a_read(ready, half):
    cascade, place, calls = ready
    whole = load_goldset(place)
    claim = next(c for c in whole.subset(half).claims if c.label == "idk")
    path = place / "claims.jsonl"
    lines = path.read_text().splitlines()
    lines = [
        line.replace('"idk"', '"no"') if f'"{claim.claim_id}"' in line else line for line in lines
    ]
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match="dev half" if half == "dev" else "the set is what"):
        confirm_cascade(cascade, place, calls)
    assert read_ledger(place) == ()


def test_a_test_half_without_anything_to_miss_shows_nothing(ready):
    cascade, place, calls = ready
    dev = {claim.claim_id for claim in load_goldset(place).subset("dev").claims}
    path = place / "claims.jsonl"
    kept = [
        line for line in path.read_text().splitlines()
        if json.loads(line)["claim_id"] in dev or json.loads(line)["label"] == "yes"
    ]  # fmt: skip
    path.write_text("\n".join(kept) + "\n")
    whole = cascade.gold.model_copy(update={"whole_sha256": load_goldset(place).sha256})
    found = confirm_cascade(cascade.model_copy(update={"gold": whole}), place, calls)
    assert (found.missed, found.contexts) == (None, 0)
    assert not found.holds(cascade)


def test_only_what_the_screen_does_not_pass_is_asked_about(ready, tmp_path):
    cascade, place, calls = ready
    fresh = replace(calls, store=tmp_path / "fresh.sqlite")
    with Store(fresh.store) as store:
        assert store.count() == 0
    confirm_cascade(cascade, place, fresh)
    with Store(fresh.store) as store:
        assert store.count() == 3 * (100 - cascade.gold.contexts)
