"""The seal of the test split: who may look, and each look on record."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import ExperimentError, GoldError
from metajudge.gold import load_goldset
from metajudge.gold.ledger import read_ledger
from tests.experiment.folder import LOOSE, bare, halls, write_gold
from tests.experiment.sealed import SPLIT, labels_turned, sweep, two_wordings


def test_selection_cannot_reach_test_labels(tmp_path: Path) -> None:
    declared = two_wordings(tmp_path, controls={"per_kind": 3}, perturbations=["paraphrase"])
    before = sweep(declared)
    designs = before.prepared.designs
    assert designs.stability is not None
    assert designs.controls is not None
    held = (before.prepared.gold, designs.stability.gold)
    assert all(gold.split_of(claim) == "dev" for gold in held for claim in gold.claims)
    hidden = {
        claim.claim_id
        for claim in load_goldset(tmp_path / "gold").claims
        if claim.claim_id not in {c.claim_id for c in before.prepared.gold.claims}
    }
    assert hidden
    assert not hidden & {probe.claim_id for probe in designs.controls.probes}

    labels_turned(tmp_path, "test")
    assert bare(sweep(declared).results) == bare(before.results)
    labels_turned(tmp_path, "dev")
    assert bare(sweep(declared).results) != bare(before.results)
    assert read_ledger(tmp_path / "gold") == ()


def test_a_second_look_is_counted_and_called_no_proof(tmp_path: Path) -> None:
    declared = two_wordings(tmp_path)
    outcome = sweep(declared)
    declared.confirm(outcome, store=tmp_path / "store.sqlite")
    again = declared.confirm(outcome, store=tmp_path / "store.sqlite")
    assert again.selection is not None
    assert again.selection.confirmation is not None
    assert again.selection.confirmation.reads == 2
    assert "this gold version 2 times" in again.selection.confirmation.sentence
    later = sweep(declared)
    assert later.results.selection is not None
    assert later.results.selection.test_reads == 2


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes into read-only folders")
def test_no_label_is_read_where_the_read_cannot_be_recorded(tmp_path: Path) -> None:
    declared = two_wordings(tmp_path)
    outcome = sweep(declared)
    (tmp_path / "gold").chmod(0o500)
    try:
        with pytest.raises(GoldError, match="cannot be recorded"):
            declared.confirm(outcome, store=tmp_path / "store.sqlite")
    finally:
        (tmp_path / "gold").chmod(0o700)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"guardrails": {"over_credit_upper": 0.0}}, "there is no safe winner"),
        ({"baseline": None}, "a baseline other than itself"),
        ({"baseline": "mine"}, "To measure it alone, name it: --candidate mine"),
        ({"gold": {"path": "gold"}}, "chosen on the dev split"),
    ],
)
def test_the_seal_is_kept_where_there_is_nothing_to_confirm(
    tmp_path: Path, fields: dict[str, Any], told: str
) -> None:
    declared = two_wordings(tmp_path, **fields)
    outcome = sweep(declared)
    before = read_ledger(tmp_path / "gold")
    with pytest.raises(ExperimentError, match=told):
        declared.confirm(outcome, store=tmp_path / "store.sqlite")
    assert read_ledger(tmp_path / "gold") == before


def test_a_sweep_over_test_claims_is_a_read_recorded_once(tmp_path: Path) -> None:
    declared = two_wordings(tmp_path, gold={"path": "gold"}, guardrails=LOOSE)
    sweep(declared)
    sweep(declared)
    (entry,) = read_ledger(tmp_path / "gold")
    assert entry.purpose == "sweep"
    assert entry.candidates == ("literal", "mine")
    sweep(declared.changed(threshold=0.5))
    assert len(read_ledger(tmp_path / "gold")) == 2


def test_an_edited_experiment_has_still_looked_before(tmp_path: Path) -> None:
    declared = two_wordings(tmp_path)
    declared.confirm(sweep(declared), store=tmp_path / "store.sqlite")
    edited = declared.changed(threshold=0.5)
    again = edited.confirm(sweep(edited), store=tmp_path / "store.sqlite").selection
    assert again is not None
    assert again.confirmation is not None
    assert "this gold version 2 times" in again.confirmation.sentence
    write_gold(tmp_path, *halls(24), split=SPLIT, version="2")
    fresh = edited.confirm(sweep(edited), store=tmp_path / "store.sqlite").selection
    assert fresh is not None
    assert fresh.confirmation is not None
    assert fresh.confirmation.reads == 3
    assert "no proof" not in fresh.confirmation.sentence


def test_a_sweep_over_test_claims_counts_itself(tmp_path: Path) -> None:
    declared = two_wordings(tmp_path, gold={"path": "gold"})
    first, again = sweep(declared).results, sweep(declared).results
    assert first.selection is not None
    assert first.selection.test_reads == 1
    assert bare(first) == bare(again)


def test_a_dev_claim_that_stands_in_test_too_is_refused(tmp_path: Path) -> None:
    claims, contexts = halls(24)
    gold = load_goldset(write_gold(tmp_path, claims, contexts, split=SPLIT))
    places = {gold.split_of(claim): claim.context_id for claim in gold.claims}
    texts = {context["context_id"]: context["passages"] for context in contexts}
    for context in contexts:
        if context["context_id"] == places["test"]:
            context["passages"] = texts[places["dev"]]
    shown = {c["slice"]: c["claim"] for c in claims if c["context_id"] == places["dev"]}
    for claim in claims:
        if claim["context_id"] == places["test"]:
            claim["claim"] = shown[claim["slice"]]
    write_gold(tmp_path, claims, contexts, split=SPLIT)
    with pytest.raises(GoldError, match="is in the sealed test split too"):
        two_wordings(tmp_path).prepare()
