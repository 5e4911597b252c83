from __future__ import annotations

from pathlib import Path
from typing import Any

from metajudge.experiment import Experiment
from metajudge.report.results import Results
from tests.experiment.folder import (
    CAREFUL,
    declare,
    halls,
    write_gold,
    write_script,
    write_template,
)

READS = [(r"(Hall \w+ opens at \d+\.)[\s\S]*Claim: \1", "yes")]


def sweep(declared: Experiment) -> Results:
    return declared.sweep(store=declared.path.parent / "store.sqlite").results


def scripted(
    folder: Path, rules: list[tuple[str, Any]], default: Any = "idk", **fields: Any
) -> Any:
    return declare(folder, judges=[write_script(folder, rules, default)], **fields)


def test_a_judge_that_reads_only_what_it_is_asked_never_flips(tmp_path: Path) -> None:
    declared = scripted(
        tmp_path, CAREFUL, perturbations=["passage_order", "paraphrase", "label_order"]
    )
    found = sweep(declared).stability
    assert found is not None
    assert {axis.axis: axis.flip_rate.value for axis in found.axes} == {
        "passage_order": 0,
        "paraphrase": 0,
        "label_order": 0,
    }
    assert found.claims == 24
    assert found.flip_rates == {}


def test_b103_a_judge_that_changes_its_mind_is_held_to_its_flip_rate(tmp_path: Path) -> None:
    # Ten replies in turn, one of them another label: no draw can be trusted to repeat.
    script = ["yes", *["idk"] * 9]
    (tmp_path / "judge.yaml").write_text(
        f"name: flips\nreplies: {script}\n".replace("'", '"'), encoding="utf-8"
    )
    declared = declare(
        tmp_path,
        judges=["scripted:judge.yaml"],
        perturbations=[{"axis": "repeats", "draws": 4}],
        guardrails={"flip_rate": 0.05, "over_credit_upper": 1.0, "kappa_above": -1.0},
    )
    results = sweep(declared)
    assert results.stability is not None
    rate = results.stability.flip_rates["literal"]
    assert rate.value is not None
    assert 0.1 < rate.value < 0.3
    assert results.guardrails["flip_rate"] == 0.05
    (row,) = results.ranking
    assert [b.guardrail for b in row.broken] == ["flip_rate"]
    assert results.decision.winner is None


def test_b102_a_judge_swayed_by_position_is_found(tmp_path: Path) -> None:
    reply = '[{"id": 1, "verdict": "yes"}, {"id": 2, "verdict": "no"}, {"id": 3, "verdict": "no"}, '
    reply += '{"id": 4, "verdict": "no"}]'
    declared = scripted(tmp_path, [(r"1\. ", reply)], "no", perturbations=["batch_position"])
    found = sweep(declared).stability
    assert found is not None
    (axis,) = found.axes
    # Of four claims in a call, the first and the last change places, and their verdicts with them.
    assert axis.flip_rate.value == 0.5
    assert {row.claim_id.split("-")[1] for row in found.most_flipping} == {"literal", "off_context"}


def test_a_context_of_one_passage_has_no_other_order(tmp_path: Path) -> None:
    claims, contexts = halls(4)
    contexts[0]["passages"] = contexts[0]["passages"][:1]
    write_gold(tmp_path, claims, contexts)
    found = sweep(scripted(tmp_path, CAREFUL, perturbations=["passage_order"])).stability
    assert found is not None
    assert [axis.n for axis in found.axes] == [12]


def test_levels_that_a_trial_cannot_have_are_named(tmp_path: Path) -> None:
    write_template(tmp_path, "mine")
    declared = scripted(
        tmp_path,
        CAREFUL,
        templates=[
            "templates/*.yaml",
            {"name": "literal", "labels": "letters", "rotations": "all"},
        ],
        perturbations=["paraphrase", "label_order"],
    )
    found = sweep(declared).stability
    assert found is not None
    missing = {(axis.trial, axis.axis): axis.not_had for axis in found.axes if axis.not_had}
    told = " ".join(line for lines in missing.values() for line in lines) + " ".join(found.notes)
    assert "no shipped paraphrase" in told
    assert "every order of the labels already" in told


def test_blind_and_constant_judges_are_never_selected(tmp_path: Path) -> None:
    lenient = {"over_credit_upper": 1.0, "kappa_above": -1.0, "coverage": 0.0, "slice_loss": None}
    claims, contexts = halls(12)
    write_gold(tmp_path, claims, contexts)
    reasons = {}
    for name, rules, default in (
        ("yes", [], "yes"),
        ("idk", [], "idk"),
        ("blind", CAREFUL, "idk"),
        ("reads", READS, "idk"),
    ):
        declared = scripted(tmp_path, rules, default, controls={"per_kind": 12}, guardrails=lenient)
        results = sweep(declared)
        assert results.controls is not None
        reasons[name] = results.controls.insensitive["literal (top)"]
        broken = [b.guardrail for b in results.ranking[0].broken]
        assert broken == ([] if name == "reads" else ["insensitive"]), name
    assert reasons["reads"] is None
    assert len({reasons[name] for name in ("yes", "idk", "blind")}) == 3


def test_wording_form_and_batch_are_told_apart(tmp_path: Path) -> None:
    rules = [
        (r"List the facts", "- The hall opens early.\n- The hall lends books."),
        (r"The hall opens early[\s\S]*Claim: Access", "idk"),
        (r"Claim: Access", "yes"),
    ]
    declared = scripted(
        tmp_path,
        rules,
        "no",
        factors={"trials": ["literal"], "context_forms": ["raw", "truths"], "claims_per_call": [1]},
    )
    found = sweep(declared).factors
    assert found is not None
    assert {c.context_form: c.summary_as_idk.value for c in found.cells} == {"raw": 0, "truths": 1}
    (effect,) = [e for e in found.effects if e.figure == "summary_as_idk" and e.order == 1]
    assert effect.effect == "context_form: truths - raw"
    assert effect.difference.value == 1


def test_a_call_that_shows_the_same_is_no_other_way_of_asking(tmp_path: Path) -> None:
    """A larger batch that finds no more claims has the same prompt, if another length of reply."""
    claims, contexts = halls(4)
    del claims[-2:]
    write_gold(tmp_path, claims, contexts)
    batch = {
        "name": "literal",
        "claims_per_call": 3,
        "answer": {"form": "label_only", "json": True},
    }
    found = sweep(declare(tmp_path, templates=[batch], perturbations=["claims_per_call"])).stability
    assert found is not None
    (axis,) = found.axes
    # Three halls have four claims and are asked in other calls; the last has two, in one call.
    assert [level.compared for level in axis.levels] == [12, 12]
    assert axis.n == 12


def test_what_was_never_asked_agrees_with_nothing(tmp_path: Path) -> None:
    axes = ["passage_order", {"axis": "repeats", "draws": 2}]
    declared = scripted(tmp_path, CAREFUL, perturbations=axes, budget={"calls": 20})
    found = sweep(declared)
    assert found.calls.stopped == "budget"
    assert found.stability is not None
    counted = {axis.axis: axis.n for axis in found.stability.axes}
    assert counted["passage_order"] + counted["repeats"] <= 20
    for axis in found.stability.axes:
        assert (axis.flip_rate.value is None) == (axis.n == 0)
        assert axis.n < 24


def test_contexts_without_facts_have_no_other_order(tmp_path: Path) -> None:
    lists = [
        (r"Hall en0[\s\S]*List the facts", "- It opens.\n- It lends."),
        ("List the facts", " "),
    ]
    declared = scripted(
        tmp_path, lists, "yes", context_forms=["truths"], perturbations=["passage_order"]
    )
    found = sweep(declared).stability
    assert found is not None
    (axis,) = found.axes
    assert (axis.n, axis.flip_rate.value) == (4, 0)


def test_perturbations_that_nobody_can_have_are_told(tmp_path: Path) -> None:
    peer = "ragas:faithfulness"
    results = sweep(declare(tmp_path, templates=[peer], perturbations=["paraphrase"]))
    assert results.stability is None
    assert any("Nothing is perturbed" in note for note in results.notes)
    named = {"trials": ["ragas:faithfulness"]}
    results = sweep(
        declare(tmp_path, templates=[peer], perturbations=["paraphrase"], stability=named)
    )
    assert results.stability is None
    assert any("has no paraphrase: 1:" in note for note in results.notes)


def test_without_a_single_probe_nobody_is_seen_to_read(tmp_path: Path) -> None:
    """Evidence is removed by its spans, and these claims have none."""
    results = sweep(declare(tmp_path, controls={"kinds": ["evidence_removed"]}))
    assert results.controls is not None
    assert set(results.controls.probes.values()) == {0}
    assert results.controls.causes == {"literal (top)": "not_tested"}
    assert any("no span (en) 12" in note for note in results.controls.notes)
    assert results.decision.winner is None
