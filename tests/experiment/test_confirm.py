"""The winner is measured on the sealed test split."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from metajudge.errors import ExperimentError
from metajudge.experiment import Experiment, SweepOutcome
from metajudge.gold import load_goldset
from metajudge.gold.ledger import read_ledger
from tests.experiment.folder import CAREFUL, halls, write_gold
from tests.experiment.sealed import SPLIT, labels_turned, sweep, two_wordings
from tests.loopback import Answer, ServerCall, chat, serve


def test_the_winner_is_confirmed_on_the_test_split_and_the_read_is_on_record(
    tmp_path: Path,
) -> None:
    declared = two_wordings(tmp_path)
    outcome = sweep(declared)
    assert outcome.results.decision.winner == "mine"
    assert outcome.results.selection is not None
    assert outcome.results.selection.confirmation is None

    results = declared.confirm(outcome, store=tmp_path / "store.sqlite")
    assert results.selection is not None
    found = results.selection.confirmation
    assert found is not None
    test = load_goldset(tmp_path / "gold").subset("test")
    assert (found.trial, found.baseline, found.claims) == ("mine", "literal", len(test.claims))
    assert found.winner["summary_as_idk"].value == 0
    assert found.baseline_figures["summary_as_idk"].value == 1
    assert found.differences["summary_as_idk"].value == -1
    assert found.holds
    assert found.sentence.startswith("Confirmed on the test split: summary-as-idk of mine minus")
    assert "已确认" in found.sentence_zh

    (entry,) = read_ledger(tmp_path / "gold")
    assert entry.purpose == "confirm"
    assert entry.candidates == ("mine (top)", "literal (top)")
    assert entry.claims == len(test.claims)
    assert entry.experiment_sha256 == results.config_sha256
    assert (found.reads, results.selection.test_reads) == (1, 1)


def test_a_winner_that_fails_on_test_is_not_confirmed(tmp_path: Path) -> None:
    declared = two_wordings(tmp_path)
    outcome = sweep(declared)
    labels_turned(tmp_path, "test")
    found = declared.confirm(outcome, store=tmp_path / "store.sqlite").selection
    assert found is not None
    assert found.confirmation is not None
    assert not found.confirmation.holds
    assert found.confirmation.sentence.startswith("Not confirmed on the test split")
    assert found.confirmation.broken


def test_a_judge_that_is_down_costs_no_read(tmp_path: Path) -> None:
    def answer(call: ServerCall) -> Answer:
        said = (label for rule, label in CAREFUL if re.search(rule, call.prompt))
        return chat(next(said, "idk"))

    with serve(answer) as server:
        judge = {"spec": "openai/m", "api_base": server.url}
        declared = two_wordings(tmp_path, judges=[judge])
        outcome = sweep(declared)
        assert outcome.results.decision.winner == "mine"
        broken = declared.changed(judges=[judge | {"api_base": "http://127.0.0.1:1/v1"}])
        with pytest.raises(ExperimentError, match="no test label was read"):
            broken.confirm(outcome_with(broken, outcome), store=tmp_path / "store.sqlite")
        assert read_ledger(tmp_path / "gold") == ()
        found = declared.confirm(outcome, store=tmp_path / "store.sqlite").selection
    assert found is not None
    assert found.confirmation is not None
    assert found.confirmation.holds
    assert "no proof" not in found.confirmation.sentence


def outcome_with(declared: Experiment, outcome: SweepOutcome) -> SweepOutcome:
    return replace(outcome, prepared=declared.prepare())


def test_a_gain_in_too_few_answers_is_not_confirmed(tmp_path: Path) -> None:
    """Four answers that all change one way leave the interval clear of 0; chance does so too."""
    claims, contexts = halls(24)
    gold = load_goldset(write_gold(tmp_path, claims, contexts, split=SPLIT))
    test = [c.claim_id for c in gold.claims if gold.split_of(c) == "test" and c.slice == "summary"]
    for claim in claims:
        claim["exclude"] = claim["claim_id"] in test[4:]
    write_gold(tmp_path, claims, contexts, split=SPLIT)
    declared = two_wordings(tmp_path)
    found = declared.confirm(sweep(declared), store=tmp_path / "store.sqlite").selection
    assert found is not None
    assert found.confirmation is not None
    gap = found.confirmation.differences["summary_as_idk"]
    assert (gap.value, gap.high) == (-1, -1)
    assert not found.confirmation.holds
    assert "not told from nothing" in found.confirmation.sentence


def test_languages_without_a_test_claim_are_told_before_the_read(tmp_path: Path) -> None:
    claims, contexts = halls(24)
    gold = load_goldset(write_gold(tmp_path, claims, contexts, split=SPLIT))
    one = next(claim.context_id for claim in gold.claims if gold.split_of(claim) == "dev")
    for claim in claims:
        claim["lang"] = "zh" if claim["context_id"] == one else "en"
    write_gold(tmp_path, claims, contexts, split=SPLIT)
    declared = two_wordings(tmp_path)
    outcome = sweep(declared)
    chinese_only = declared.changed(gold={"path": "gold", "split": "dev", "languages": ["zh"]})
    with pytest.raises(ExperimentError, match="no judged claim in the experiment's languages"):
        chinese_only.confirm(outcome, store=tmp_path / "store.sqlite")
    assert read_ledger(tmp_path / "gold") == ()
