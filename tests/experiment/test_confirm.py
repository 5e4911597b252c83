from __future__ import annotations

import json
import math
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metajudge.errors import ExperimentError, GoldError
from metajudge.experiment import Experiment, SweepOutcome
from metajudge.gold import load_goldset
from metajudge.gold.ledger import read_ledger
from metajudge.report.results import BrokenGuardrail
from tests.experiment.folder import (
    CAREFUL,
    LOOSE,
    bare,
    declare,
    halls,
    rows,
    write_gold,
    write_script,
    write_template,
)
from tests.loopback import Answer, ServerCall, chat, serve

SPLIT = {"salt": "s/1", "dev_share": 0.5}


def two_wordings(folder: Path, n: int = 24, **fields: Any) -> Experiment:
    """`mine` calls summaries yes, `literal` calls them idk; half of the halls are sealed."""
    if not (folder / "gold").exists():
        claims, contexts = halls(n)
        write_gold(folder, claims, contexts, split=SPLIT)
    write_template(folder, "mine", rule="MIND the gist:")
    told = {
        "judges": [write_script(folder, CAREFUL)],
        "templates": ["literal", "templates/*.yaml"],
        "gold": {"path": "gold", "split": "dev"},
        "baseline": "literal",
        **fields,
    }
    return declare(folder, **told)


def sweep(declared: Experiment) -> SweepOutcome:
    return declared.sweep(store=declared.path.parent / "store.sqlite")


def labels_turned(folder: Path, split: str) -> None:
    """Every label of a split replaced by another one."""
    gold = load_goldset(folder / "gold")
    other = {"yes": "no", "no": "idk", "idk": "yes"}
    wanted = {c.claim_id for c in gold.claims if gold.split_of(c) == split}
    path = folder / "gold" / "claims.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        if line["claim_id"] in wanted:
            line["label"] = other[line["label"]]
    rows(path, lines)


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


def tilted(text: str, yes: float, no: float, idk: float) -> tuple[str, Any]:
    """A rule with label probabilities."""
    shares = {"yes": yes, "no": no, "idk": idk}
    first = {word: math.log(share) for word, share in shares.items()}
    return text, {"text": max(shares, key=lambda word: shares[word]), "first_token": first}


TILTED = [
    tilted(r"Claim: Hall \w+ opens at 1?\d\.", 0.5, 0.1, 0.4),
    tilted(r"Claim: Hall \w+ opens", 0.05, 0.7, 0.25),
    tilted(r"Claim: Access", 0.42, 0.08, 0.5),
]


def tilted_judge(folder: Path, **fields: Any) -> Experiment:
    """A judge that leans to idk: without its prior it calls summaries yes."""
    if not (folder / "gold").exists():
        claims, contexts = halls(24)
        write_gold(folder, claims, contexts, split=SPLIT)
    told = {
        "judges": [write_script(folder, TILTED, tilted("", 0.05, 0.15, 0.8)[1])],
        "gold": {"path": "gold", "split": "dev"},
        "readings": ["top", "batch_corrected"],
        "baseline": "literal",
        **fields,
    }
    return declare(folder, **told)


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
