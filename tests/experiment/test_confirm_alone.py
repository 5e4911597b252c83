"""The baseline, named, is measured alone on the sealed test split."""

from __future__ import annotations

from pathlib import Path

import pytest

from metajudge.gold import load_goldset
from metajudge.gold.ledger import read_ledger
from metajudge.report.results import Results
from metajudge.report.selection_results import Confirmation
from tests.experiment.folder import LOOSE, halls, write_gold
from tests.experiment.sealed import SPLIT, sweep, two_wordings


def of(results: Results) -> Confirmation:
    assert results.selection is not None
    assert results.selection.confirmation is not None
    return results.selection.confirmation


def test_the_baseline_is_measured_alone_and_has_the_figures_that_a_comparison_gives_it(
    tmp_path: Path,
) -> None:
    declared, store = two_wordings(tmp_path), tmp_path / "store.sqlite"
    outcome = sweep(declared)
    found = of(declared.confirm(outcome, candidate="literal", store=store))
    (entry,) = read_ledger(tmp_path / "gold")
    assert (entry.purpose, entry.candidates) == ("confirm", ("literal (top)",))
    assert entry.claims == found.claims
    assert (found.trial, found.reading, found.baseline) == ("literal", "top", "literal")
    assert (found.alone, found.holds) == (True, None)
    assert (found.baseline_figures, found.differences) == ({}, {})
    assert found.reads == 1
    compared = of(declared.confirm(outcome, store=store))
    assert found.winner == compared.baseline_figures
    assert not compared.alone
    assert "this gold version 2 times" in compared.sentence


@pytest.mark.parametrize(
    ("bounds", "broken", "told", "told_zh"),
    [
        (
            LOOSE,
            (),
            "Measured alone on the test split, nothing compared: summary-as-idk of literal 1.00 "
            "[0.77, 1.00]; it keeps every guardrail that needs no comparison.",
            "在测试集上单独测量，未作任何比较：literal 的 summary-as-idk 为 1.00 [0.77, 1.00]；"
            "守住全部无需比较的护栏。",
        ),
        (
            {"over_credit_upper": 0.0, "kappa_above": 0.9, "slice_loss": 0.0},
            ("over_credit_upper", "kappa_above"),
            "; it breaks over_credit_upper, kappa_above there.",
            "；在测试集上突破 over_credit_upper、kappa_above。",
        ),
    ],
)
def test_alone_is_held_to_the_guardrails_that_need_no_comparison(
    tmp_path: Path,
    bounds: dict[str, float | None],
    broken: tuple[str, ...],
    told: str,
    told_zh: str,
) -> None:
    declared = two_wordings(tmp_path, guardrails=bounds)
    outcome = sweep(declared)
    found = of(declared.confirm(outcome, candidate="literal", store=tmp_path / "store.sqlite"))
    assert found.broken == broken
    assert found.sentence.endswith(told)
    assert found.sentence_zh.endswith(told_zh)


def test_a_target_that_test_cannot_show_is_undefined_in_both_languages(tmp_path: Path) -> None:
    claims, contexts = halls(24)
    gold = load_goldset(write_gold(tmp_path, claims, contexts, split=SPLIT))
    test = {claim.claim_id for claim in gold.claims if gold.split_of(claim) == "test"}
    for claim in claims:
        claim["exclude"] = claim["claim_id"] in test and claim["slice"] == "summary"
    write_gold(tmp_path, claims, contexts, split=SPLIT)
    declared = two_wordings(tmp_path)
    outcome = sweep(declared)
    found = of(declared.confirm(outcome, candidate="literal", store=tmp_path / "store.sqlite"))
    assert found.winner["summary_as_idk"].value is None
    assert "summary-as-idk of literal undefined;" in found.sentence
    assert "literal 的 summary-as-idk 无法计算；" in found.sentence_zh
