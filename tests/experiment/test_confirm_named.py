"""A candidate that is named by hand is measured on the sealed test split."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from metajudge.errors import ExperimentError
from metajudge.gold.ledger import read_ledger
from metajudge.report.results import BrokenGuardrail
from tests.experiment.folder import write_template
from tests.experiment.sealed import sweep, two_wordings


def test_a_named_candidate_is_confirmed_though_it_broke_a_guardrail_on_dev(tmp_path: Path) -> None:
    declared = two_wordings(tmp_path, guardrails={"over_credit_upper": 0.0})
    outcome = sweep(declared)
    assert outcome.results.decision.winner is None
    selection = declared.confirm(outcome, candidate="mine", store=tmp_path / "store.sqlite")
    assert selection.selection is not None
    found = selection.selection.confirmation
    assert found is not None
    assert (found.trial, found.reading, found.named) == ("mine", "top", True)
    assert found.broken_on_dev == ("over_credit_upper",)
    assert found.broken == ("over_credit_upper",)
    assert not found.holds
    assert found.sentence.startswith(
        "mine was named by hand and is not a safe winner: it broke over_credit_upper on dev. "
        "Not confirmed on the test split: summary-as-idk of mine minus literal -1.00"
    )
    assert found.sentence_zh.startswith(
        "mine 由人工指定，并非安全的优胜者：在 dev 上突破 over_credit_upper。测试集上未获确认："
    )
    (entry,) = read_ledger(tmp_path / "gold")
    assert entry.candidates == ("mine (top)", "literal (top)")


def test_a_guardrail_that_test_does_not_try_is_said_to_be_untried(tmp_path: Path) -> None:
    """A judge that flips over repeats on dev may be confirmed; its flips are not asked on test."""
    declared = two_wordings(tmp_path)
    outcome = sweep(declared)
    flip = BrokenGuardrail(guardrail="flip_rate", bound=0.05, got=0.4, by=0.35)
    rows = [row.model_copy(update={"broken": (flip,)}) for row in outcome.results.ranking]
    nobody = outcome.results.decision.model_copy(update={"winner": None, "reading": None})
    told = outcome.results.model_copy(update={"ranking": tuple(rows), "decision": nobody})
    results = declared.confirm(
        replace(outcome, results=told), candidate="mine (top)", store=tmp_path / "store.sqlite"
    )
    assert results.selection is not None
    found = results.selection.confirmation
    assert found is not None
    assert found.holds
    assert found.broken_on_dev == ("flip_rate",)
    assert found.sentence.endswith("flip_rate is not tried on test.")
    assert found.sentence_zh.endswith("flip_rate 不在测试集上检验。")


def test_a_named_candidate_that_is_safe_but_not_first_is_told_apart(tmp_path: Path) -> None:
    write_template(tmp_path, "yours", rule="MIND the gist too:")
    declared = two_wordings(tmp_path)
    outcome = sweep(declared)
    assert outcome.results.decision.winner == "mine"
    found = declared.confirm(outcome, candidate="yours", store=tmp_path / "store.sqlite").selection
    assert found is not None
    assert found.confirmation is not None
    assert found.confirmation.named
    assert found.confirmation.broken_on_dev == ()
    assert "is not the first choice, though it keeps every guardrail" in found.confirmation.sentence
    assert "并非首选，但在 dev 上守住全部护栏" in found.confirmation.sentence_zh


def test_naming_the_winner_changes_nothing(tmp_path: Path) -> None:
    declared = two_wordings(tmp_path)
    outcome = sweep(declared)
    found = declared.confirm(outcome, candidate="mine", store=tmp_path / "store.sqlite").selection
    assert found is not None
    assert found.confirmation is not None
    assert not found.confirmation.named
    assert found.confirmation.sentence.startswith("Confirmed on the test split")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("mime", "Did you mean 'mine'?"),
        ("mine (batch)", r"Did you mean 'mine \(top\)'?"),
        ("mine (batch_corrected)", "Use one of: literal, mine, literal"),
    ],
)
def test_a_name_that_cannot_be_confirmed_leaves_the_seal_whole(
    tmp_path: Path, name: str, told: str
) -> None:
    declared = two_wordings(tmp_path)
    outcome = sweep(declared)
    with pytest.raises(ExperimentError, match=told):
        declared.confirm(outcome, candidate=name, store=tmp_path / "store.sqlite")
    assert read_ledger(tmp_path / "gold") == ()
