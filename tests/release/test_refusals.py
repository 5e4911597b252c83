from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import Problem
from metajudge.gold.goldset import GoldSet, load_goldset
from metajudge.gold.ledger import LedgerEntry
from metajudge.release.evidence import Carried, carried, read_evidence
from metajudge.release.manifest import Change
from metajudge.release.refusals import (
    MOST_READS,
    borrowed,
    dirty,
    drifted,
    mapped,
    missing_replies,
    model_made,
    moved,
    other_figures,
    other_number,
    peeked,
    unchanged,
    unconfirmed,
    unsafe,
    unsaid,
    unworded,
)
from metajudge.report.results import BrokenGuardrail
from metajudge.scoring.policies import parse_policy
from metajudge.templates.catalogue import catalogue_wording, changed
from metajudge.templates.peers import PeerTemplate
from metajudge.templates.template import Template
from tests.experiment.folder import write_gold
from tests.release.confirmed import Confirmed, confirmed
from tests.release.factory import put_release


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Confirmed:
    return confirmed(tmp_path_factory.mktemp("confirmed"))


@pytest.fixture
def gold(tmp_path: Path) -> GoldSet:
    return load_goldset(write_gold(tmp_path))


def laws(problems: Any) -> str:
    return " / ".join(f"{problem}" for problem in problems)


def safe(found: Confirmed, **changes: Any) -> Carried:
    return carried(found.results, found.confirmation).model_copy(update=changes)


def test_a_selection_without_confirmation(found: Confirmed) -> None:
    assert list(unconfirmed(found.results, "results.json")) == []
    bare = found.results.model_copy(update={"selection": None})
    (problem,) = unconfirmed(bare, "results.json")
    assert "confirmed on the sealed test split" in problem.law
    assert "select EXPERIMENT --confirm" in problem.mend
    assert "--candidate NAME" in problem.mend


def test_results_of_another_experiment_or_other_labels(found: Confirmed) -> None:
    gold = found.experiment.prepare().gold
    sha256 = found.results.config_sha256
    assert list(dirty(found.results, "e.yaml", sha256, gold)) == []
    turned = replace(gold, claims=gold.claims[1:])
    problems = list(dirty(found.results, "e.yaml", "f" * 64, turned))
    assert [problem.field for problem in problems] == ["config_sha256", "sha256"]
    assert problems[0].got == sha256


def entry(**changes: Any) -> LedgerEntry:
    told = {
        "time": "2025-03-01T09:30:00Z",
        "purpose": "confirm",
        "experiment": "other",
        "experiment_sha256": "b" * 64,
        "candidates": ["a"],
        "gold_version": "1",
        "gold_sha256": "d" * 64,
        "claims": 3,
        "package_version": "0",
        **changes,
    }
    return LedgerEntry.model_validate(told)


def test_a_gold_version_whose_test_labels_were_read_too_often(gold: GoldSet) -> None:
    entries = [entry(experiment=f"e{i}") for i in range(MOST_READS)]
    elsewhere = [entry(gold_version="0") for _ in range(5)]
    assert list(peeked([*entries, *elsewhere], gold)) == []
    for one in (entry(), entry(experiment="renamed"), entry(purpose="sweep")):
        (problem,) = peeked([*elsewhere, *entries, one], gold)
        assert problem.got == f"{MOST_READS + 1} of version 1"
        assert "neither another experiment name nor --override lifts this" in problem.mend
        assert "raise `version`" in problem.mend
    raised = replace(gold, manifest=gold.manifest.model_copy(update={"version": "2"}))
    assert list(peeked([*elsewhere, *entries, entry()], raised)) == []


def test_the_release_before_over_again(tmp_path: Path) -> None:
    manifest = put_release(tmp_path, "1.2.3").manifest
    assert list(unchanged(None, manifest)) == []
    same = manifest.model_copy(update={"notes": ("again",), "version": "0.0.0"})
    (problem,) = unchanged(manifest, same)
    assert problem.law == "nothing differs from 1.2.3"
    (pin,) = manifest.templates
    for other in (
        {"templates": (pin.model_copy(update={"fingerprint": "e" * 64}),)},
        {"templates": (pin.model_copy(update={"prior": (0.2, 0.3, 0.5)}),)},
        {"reading": "batch_corrected"},
        {"context_form": "truths"},
        {"policy": manifest.policy.model_copy(update={"threshold": 0.6})},
        {"policy": manifest.policy.model_copy(update={"name": "lenient"})},
        {"judge": manifest.judge.model_copy(update={"identity": {"model": "m2"}})},
        {"gold": manifest.gold.model_copy(update={"sha256": "e" * 64})},
    ):
        assert list(unchanged(manifest, manifest.model_copy(update=other))) == [], other


def test_labels_of_a_model(tmp_path: Path, gold: GoldSet) -> None:
    """B92: labels that a model made are never gold."""
    assert list(model_made(gold)) == []
    made = replace(gold, manifest=gold.manifest.model_copy(update={"label_source": "model"}))
    (problem,) = model_made(made)
    assert problem.field == "label_source"


def test_a_policy_without_a_value_for_an_offered_label() -> None:
    """B25: template and policy drift apart."""
    sources = list(catalogue_wording("literal").by_language.values())
    assert drifted(parse_policy("strict"), sources) == []
    (problem,) = drifted(parse_policy("map(yes=1,no=0)"), sources)
    assert "has none for 'idk'" in problem.law
    template = sources[0]
    assert isinstance(template, Template)
    binary = changed(
        template, "test", labels={"yes": "y", "no": "n"}, definitions={"yes": "a", "no": "b"}
    )
    assert drifted(parse_policy("map(yes=1,no=0)"), [binary]) == []


def test_a_prompt_of_a_package_is_not_frozen() -> None:
    peer = object.__new__(PeerTemplate)
    object.__setattr__(peer, "name", "deepeval:faithfulness")
    object.__setattr__(peer, "package_version", "4.3")
    object.__setattr__(peer, "language", "en")
    ours = catalogue_wording("literal").by_language["en"]
    assert list(borrowed([ours])) == []
    assert len(list(borrowed([ours, peer]))) == 1


def test_a_gold_set_that_is_read_through_a_map() -> None:
    assert list(mapped({}, "e.yaml")) == []
    (problem,) = mapped({"claim": "statement"}, "e.yaml")
    assert problem.field == "gold.columns"


BROKEN = BrokenGuardrail(guardrail="over_credit_upper", bound=0.1, got=0.31, by=0.21)


def broken_on_dev(found: Confirmed) -> Carried:
    row = safe(found).ranking.model_copy(update={"broken": (BROKEN,), "safe": False})
    return safe(found, ranking=row)


def on_test(found: Confirmed, **changes: Any) -> Carried:
    return safe(found, confirmation=found.confirmation.model_copy(update=changes))


def test_a_safe_candidate_needs_no_override_and_takes_none(found: Confirmed) -> None:
    assert list(unsafe(safe(found), None)) == []
    (problem,) = unsafe(safe(found), "just so")
    assert "nothing is overridden" in problem.law


def test_each_broken_guardrail_is_named_with_by_how_much(found: Confirmed) -> None:
    (problem,) = unsafe(broken_on_dev(found), None)
    assert "over_credit_upper is broken, by 0.210" in problem.law
    assert problem.got == "0.310, bound 0.1"
    met = BrokenGuardrail(guardrail="kappa_above", bound=0.0, got=0.0, by=0.0)
    row = safe(found).ranking.model_copy(update={"broken": (met,), "safe": False})
    (problem,) = unsafe(safe(found, ranking=row), None)
    assert problem.law.endswith("kappa_above is broken: it must be above 0")
    (problem,) = unsafe(on_test(found, broken=("coverage",), holds=False), None)
    assert "on test, and coverage is broken there" in problem.law
    (problem,) = unsafe(on_test(found, holds=False), None)
    assert problem.law.startswith("the confirmation on test holds. Confirmed on the test split")
    (*_, problem) = unsafe(on_test(found, broken=("coverage",), holds=None), None)
    assert "better than a baseline on test, and nothing was compared. Confirmed" in problem.law


def test_an_override_lifts_what_is_broken(found: Confirmed) -> None:
    for shown in (broken_on_dev(found), on_test(found, holds=False), on_test(found, holds=None)):
        assert list(unsafe(shown, "The judge is small.")) == []


@pytest.mark.parametrize("text", ["", "  ", "\n", "\udcff"])
def test_an_override_says_why_and_a_note_something(text: str) -> None:
    assert list(unworded(None, ())) == []
    assert list(unworded("because", ["17 claims had been looked at."])) == []
    (one, two) = unworded(text, [text])
    assert (one.field, two.field) == ("--override", "--note")


def test_bounds_that_were_moved_in_the_results(found: Confirmed) -> None:
    declared = found.experiment.config.guardrails.model_dump()
    assert list(moved(found.results, declared, "e.yaml")) == []
    wider = found.results.guardrails | {"over_credit_upper": 0.9}
    told = found.results.model_copy(update={"guardrails": wider})
    (problem,) = moved(told, declared, "e.yaml")
    assert (problem.field, problem.got) == ("guardrails.over_credit_upper", "0.9")
    less = {name: bound for name, bound in wider.items() if name != "over_credit_upper"}
    (problem,) = moved(found.results.model_copy(update={"guardrails": less}), declared, "e.yaml")
    assert problem.got == "None"


def test_a_guardrail_that_the_figures_break_and_the_results_call_kept(found: Confirmed) -> None:
    evidence = read_evidence(found.release(name="of-figures").release.folder)
    assert list(unsaid(evidence.recomputed, evidence.carried)) == []
    tight = evidence.carried.guardrails | {"over_credit_upper": 0.01}
    strict = evidence.carried.model_copy(update={"guardrails": tight})
    problems = list(unsaid(evidence.recomputed, strict))
    assert [problem.field for problem in problems] == ["over_credit_upper"] * 2
    assert "broken on dev" in problems[0].law
    assert "broken on test" in problems[1].law
    (problem,) = unsaid(evidence.recomputed, on_test(found, broken=("coverage",)))
    assert problem.field == "confirmation.holds"


def test_replies_that_give_other_figures(found: Confirmed) -> None:
    folder = found.release(name="of-refusals").release.folder
    evidence = read_evidence(folder).recomputed
    trial = next(t for t in found.results.trials if t.trial == "mine")
    assert list(other_figures(evidence, trial, found.confirmation)) == []
    figure = trial.figures["kappa"].model_copy(update={"value": 0.123})
    told = trial.model_copy(update={"figures": trial.figures | {"kappa": figure}})
    (problem,) = other_figures(evidence, told, found.confirmation)
    assert (problem.field, problem.got) == (
        "kappa",
        f"{trial.figures['kappa'].value} from replies, 0.123 in results.json",
    )
    winner = found.confirmation.winner | {"kappa": figure}
    confirmation = found.confirmation.model_copy(update={"winner": winner})
    (problem,) = other_figures(evidence, trial, confirmation)
    assert "kappa on test" in problem.law


def test_a_number_that_is_not_the_computed_one() -> None:
    change = Change(kind="minor", reasons=("3 of 40 gold verdicts flip.",))
    assert list(other_number(None, "1.3.0", change)) == []
    assert list(other_number("1.3.0", "1.3.0", change)) == []
    (problem,) = other_number("1.2.4", "1.3.0", change)
    assert "1.3.0, a minor one. 3 of 40 gold verdicts flip." in problem.law
    assert "Ask for 1.3.0" in problem.mend


def test_missing_replies_say_how_many_and_what_gets_them() -> None:
    assert list(missing_replies("dev", 0, 9, "e.yaml")) == []
    (problem,) = missing_replies("dev", 2, 9, "e.yaml")
    assert "2 of 9 about the dev split" in problem.law
    assert "metajudge sweep e.yaml" in problem.mend
    (problem,) = missing_replies("test", 2, 9, "e.yaml")
    assert "sweep" not in problem.mend
    assert isinstance(problem, Problem)
