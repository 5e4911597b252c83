"""A reading of label probabilities is measured on the sealed test split."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from metajudge.errors import ExperimentError
from metajudge.gold import load_goldset
from metajudge.gold.ledger import read_ledger
from tests.experiment.folder import halls, write_gold
from tests.experiment.sealed import SPLIT, sweep, tilted_judge, two_wordings


def test_another_reading_of_the_baseline_can_be_confirmed_against_it(tmp_path: Path) -> None:
    declared = tilted_judge(tmp_path)
    outcome = sweep(declared)
    assert (outcome.results.decision.winner, outcome.results.decision.reading) == (
        "literal",
        "batch_corrected",
    )
    found = declared.confirm(outcome, store=tmp_path / "store.sqlite").selection
    assert found is not None
    assert found.confirmation is not None
    assert found.confirmation.differences["summary_as_idk"].value == -1
    assert "of literal (batch_corrected) minus literal -1.00" in found.confirmation.sentence
    (entry,) = read_ledger(tmp_path / "gold")
    assert entry.candidates == ("literal (batch_corrected)", "literal (top)")


def test_a_reading_without_probabilities_cannot_be_named(tmp_path: Path) -> None:
    declared = two_wordings(tmp_path, readings=["top", "batch_corrected"])
    outcome = sweep(declared)
    with pytest.raises(ExperimentError, match="no label probabilities came on dev"):
        declared.confirm(
            outcome, candidate="mine (batch_corrected)", store=tmp_path / "store.sqlite"
        )
    assert read_ledger(tmp_path / "gold") == ()


def test_the_label_prior_of_a_confirmed_reading_is_the_one_of_dev(tmp_path: Path) -> None:
    """A test split without off-context claims has a mean that would turn summaries to idk."""
    claims, contexts = halls(24)
    gold = load_goldset(write_gold(tmp_path, claims, contexts, split=SPLIT))
    test = {claim.claim_id for claim in gold.claims if gold.split_of(claim) == "test"}
    left_out = ("contradiction", "off_context")
    for claim in claims:
        claim["exclude"] = claim["claim_id"] in test and claim["slice"] in left_out
    write_gold(tmp_path, claims, contexts, split=SPLIT)
    literal, summary = np.array([0.5, 0.1, 0.4]), np.array([0.42, 0.08, 0.5])
    assert (summary / (literal + summary)).argmax() == 2, "idk, by a prior of the test batch"

    declared = tilted_judge(tmp_path)
    named = "literal (batch_corrected)"
    outcome = sweep(declared)
    found = declared.confirm(outcome, candidate=named, store=tmp_path / "store.sqlite").selection
    assert found is not None
    assert found.confirmation is not None
    assert found.confirmation.winner["summary_as_idk"].value == 0


def test_a_content_free_prior_is_the_same_from_either_split(tmp_path: Path) -> None:
    declared = tilted_judge(tmp_path, readings=["top", "prior_corrected"])
    outcome = sweep(declared)
    found = declared.confirm(
        outcome, candidate="literal (prior_corrected)", store=tmp_path / "store.sqlite"
    ).selection
    assert found is not None
    assert found.confirmation is not None
    assert found.confirmation.winner["coverage"].value == 1
    test = declared.changed(gold={"path": "gold", "split": "test"})
    (_, corrected) = sweep(test).results.trials
    assert corrected.reading == "prior_corrected"
    for name, shown in found.confirmation.winner.items():
        assert shown.value == corrected.figures[name].value


def test_a_store_without_the_dev_replies_cannot_give_the_prior(tmp_path: Path) -> None:
    declared = tilted_judge(tmp_path)
    outcome = sweep(declared)
    with pytest.raises(ExperimentError, match="this store has none"):
        declared.confirm(outcome, store=tmp_path / "another.sqlite")
    assert read_ledger(tmp_path / "gold") == ()
