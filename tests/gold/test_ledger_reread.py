"""Test labels handed out again for figures that were published."""

from __future__ import annotations

from pathlib import Path

import pytest

from metajudge.errors import GoldError
from metajudge.gold.goldset import load_goldset
from metajudge.gold.ledger import LEDGER, read_ledger, reread_test, unseal
from tests.experiment.folder import halls, write_gold

SPLIT = {"salt": "s/1", "dev_share": 0.5}
MINE, OTHER = "a" * 64, "b" * 64


def sealed_gold(folder: Path) -> Path:
    claims, contexts = halls(8)
    return write_gold(folder, claims, contexts, split=SPLIT)


def read(place: Path, experiment: str = MINE, purpose: str = "confirm") -> None:
    unseal(
        place,
        purpose=purpose,  # type: ignore[arg-type]
        experiment="e",
        experiment_sha256=experiment,
        candidates=["a"],
        package_version="0",
    )


def test_labels_that_were_confirmed_on_are_given_without_an_entry(tmp_path: Path) -> None:
    place = sealed_gold(tmp_path)
    read(place)
    gold = load_goldset(place)
    before = (place / LEDGER).read_bytes()
    for _ in range(3):
        found = reread_test(place, experiment_sha256=MINE, gold_sha256=gold.sha256)
        assert found.claims == gold.subset("test").claims
    assert (place / LEDGER).read_bytes() == before
    assert len(read_ledger(place)) == 1


@pytest.mark.parametrize(("experiment", "purpose"), [(OTHER, "confirm"), (MINE, "sweep")])
def test_another_experiment_or_a_mere_sweep_is_no_confirmation(
    tmp_path: Path, experiment: str, purpose: str
) -> None:
    place = sealed_gold(tmp_path)
    read(place, experiment, purpose)
    sha256 = load_goldset(place).sha256
    with pytest.raises(GoldError, match="only where the ledger has the confirmation"):
        reread_test(place, experiment_sha256=MINE, gold_sha256=sha256)


def test_no_label_without_a_ledger(tmp_path: Path) -> None:
    place = sealed_gold(tmp_path)
    sha256 = load_goldset(place).sha256
    with pytest.raises(GoldError, match=r"ledger\.jsonl"):
        reread_test(place, experiment_sha256=MINE, gold_sha256=sha256)


def test_no_label_of_a_set_that_changed_since(tmp_path: Path) -> None:
    place = sealed_gold(tmp_path)
    read(place)
    before = load_goldset(place).sha256
    claims, contexts = halls(8)
    claims[0]["label"] = "no"
    write_gold(tmp_path, claims, contexts, split=SPLIT)
    read(place)
    with pytest.raises(GoldError, match=before):
        reread_test(place, experiment_sha256=MINE, gold_sha256=before)
