from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import ExperimentError, InputError
from metajudge.experiment import Experiment
from metajudge.experiment.design import some_contexts
from metajudge.gold import load_goldset
from tests.experiment.folder import CAREFUL, bare, declare, halls, write_gold, write_script

FACTS = (r"List the facts", "- The hall opens at 9.\n- The hall lends books.")


def sweep(declared: Experiment, **options: Any) -> Any:
    return declared.sweep(store=declared.path.parent / "store.sqlite", **options)


def test_an_experiment_without_perturbations_asks_its_trials_alone(tmp_path: Path) -> None:
    declared = declare(tmp_path)
    study = declared.plan(declared.prepare())
    assert (study.stability, study.controls, study.factors, study.truths) == (None, None, None, {})
    assert study.calls == study.main.calls
    assert study.keys == tuple(c.key for c in study.distinct("baseline:ngram"))


def test_calls_of_all_parts_go_out_in_one_prefix_order_each_once(tmp_path: Path) -> None:
    declared = declare(
        tmp_path,
        perturbations=["paraphrase", {"axis": "repeats", "draws": 2}],
        controls={"per_kind": 2},
        factors={"trials": ["literal"], "context_forms": ["raw"]},
        templates=["literal", "summary-tolerant"],
    )
    prepared = declared.prepare()
    study = declared.plan(prepared)
    calls = study.distinct("baseline:ngram")
    prompts = ["\n".join(m.content for m in c.request.messages) for c in calls]
    assert prompts == sorted(prompts)
    assert len({c.key for c in calls}) == len(calls)
    assert study.stability is not None
    assert study.controls is not None
    # Two rewordings and one draw more; the first draw is the ranked trial's own call.
    per_trial = len(study.claims)
    ranked = {c.key for c in study.main.distinct("baseline:ngram")}
    beside = {c.key for c in study.stability.distinct("baseline:ngram")}
    assert len(beside - ranked) == 2 * 3 * per_trial
    assert len(beside & ranked) == 2 * per_trial


def test_contexts_are_drawn_whole_and_from_each_language_in_turn(tmp_path: Path) -> None:
    english, contexts = halls(6)
    chinese, more = halls(3, "zh")
    gold = load_goldset(write_gold(tmp_path, english + chinese, contexts + more))
    part = some_contexts(gold, 12, 1)
    assert {c.context_id for c in part.claims} == set(part.contexts)
    assert len(part.claims) == 12
    langs = [context[2:4] for context in part.contexts]
    assert langs.count("zh") in (1, 2)
    assert some_contexts(gold, 12, 1) == part
    assert any(some_contexts(gold, 12, seed) != part for seed in range(2, 6))
    assert len(some_contexts(gold, 10_000, 1).claims) == len(gold.claims)


def test_other_temperatures_are_judges_of_their_own(tmp_path: Path) -> None:
    declared = declare(
        tmp_path,
        judges=[{"spec": "openai/m", "api_base": "http://127.0.0.1:1/v1"}],
        perturbations=[{"axis": "repeats", "draws": 3, "temperatures": [0, 0.7]}],
    )
    prepared = declared.prepare()
    warm = "openai/m at temperature 0.7"
    assert list(prepared.judges) == ["openai/m", warm]
    assert prepared.judges[warm].identity["temperature"] == 0.7
    assert prepared.judges[warm].spec == "openai/m"
    study = declared.plan(prepared)
    assert len(study.distinct(warm)) == 3 * len(study.claims)
    assert len(study.distinct("openai/m")) == 3 * len(study.claims)


def test_one_spec_can_stand_twice_under_two_names(tmp_path: Path) -> None:
    spec = write_script(tmp_path, CAREFUL)
    twice = [{"spec": spec, "name": "cold"}, {"spec": spec, "name": "warm", "temperature": 1}]
    outcome = sweep(declare(tmp_path, judges=twice))
    assert {row.trial for row in outcome.ranking} == {"cold | literal", "warm | literal"}
    with pytest.raises(ExperimentError, match=r"judges holds scripted:judge\.yaml more than once"):
        declare(tmp_path, judges=[spec, spec])


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"perturbations": ["paraphrases"]}, "paraphrase"),
        ({"perturbations": ["repeat"]}, "repeats"),
        ({"perturbations": [{"axis": "batch_position", "levels": ["5:forward"]}]}, "so there are"),
        ({"perturbations": [{"axis": "label_order", "levels": ["+9"]}]}, "label_order has the"),
        ({"perturbations": ["paraphrase"], "stability": {"trials": ["litteral"]}}, "'litteral'"),
        ({"stability": {"trials": ["litteral"]}}, "'litteral'"),
        ({"controls": {"kinds": ["numbers_shifted"]}}, "number_shifted"),
        ({"controls": {"trials": ["nobody"]}}, "controls.trials"),
        ({"factors": {"trials": ["literal"], "context_forms": ["truth"]}}, "truths"),
        ({"context_forms": ["chunks"]}, "chunks"),
        ({"context_forms": ["truths"]}, "compares wording and writes nothing"),
        ({"factors": {"trials": ["literal"]}}, "compares wording and writes nothing"),
        (
            {
                "templates": ["ragas:faithfulness"],
                "factors": {"trials": ["ragas:faithfulness"], "context_forms": ["raw"]},
            },
            "asked with its own 10 claims a call",
        ),
    ],
)
def test_a_wrong_name_is_refused_before_anything_is_asked(
    tmp_path: Path, fields: dict[str, Any], told: str
) -> None:
    with pytest.raises(InputError, match=told):
        sweep(declare(tmp_path, **fields))
    assert not (tmp_path / "store.sqlite").exists()


def test_facts_are_extracted_first_and_then_judged(tmp_path: Path) -> None:
    spec = write_script(tmp_path, [FACTS, (r"\[1\] The hall opens at 9\.", "yes")], "no")
    declared = declare(tmp_path, judges=[spec], context_forms=["raw", "truths(5)"])
    study = declared.plan(declared.prepare())
    assert study.waiting
    assert len(study.extractions(spec)) == 6
    outcome = sweep(declared)
    called = {row.trial: row.verdicts for row in outcome.results.verdicts}
    assert set(called["literal"]) == {"no"}
    assert set(called["literal · truths(5)"]) == {"yes"}
    assert outcome.results.calls.planned == 6 + 2 * 24
    again = sweep(declared)
    assert again.results.calls.asked == 0
    assert again.results.calls.from_store == again.results.calls.planned
    assert bare(again.results) == bare(outcome.results)


def test_a_run_stopped_in_any_part_ends_as_one_that_was_not(tmp_path: Path) -> None:
    fields: dict[str, Any] = {
        "judges": [write_script(tmp_path, [FACTS, *CAREFUL], "no")],
        "context_forms": ["raw", "truths(5)"],
        "perturbations": ["passage_order", {"axis": "repeats", "draws": 2}],
        "controls": {"per_kind": 2},
    }
    whole = declare(tmp_path, **fields)
    wanted = bare(whole.sweep(store=tmp_path / "whole.sqlite").results)
    parts = whole.changed(budget={"calls": 60})
    results = parts.sweep(store=tmp_path / "parts.sqlite").results
    stops = 0
    while results.calls.stopped is not None:
        stops += 1
        assert results.calls.message == "the budget of 60 calls is spent. Run again to go on."
        results = parts.sweep(store=tmp_path / "parts.sqlite").results
    assert stops >= 2
    assert bare(results) | {"config_sha256": ""} == wanted | {"config_sha256": ""}


def test_b23_a_context_without_facts_read_is_a_failure_not_an_empty_context(
    tmp_path: Path,
) -> None:
    spec = write_script(tmp_path, [(r"List the facts", "   ")], "yes")
    outcome = sweep(declare(tmp_path, judges=[spec], context_forms=["truths"]))
    (row,) = outcome.results.trials
    assert row.failures == {"missing": 24}
    assert row.figures["coverage"].value == 0
    assert set(outcome.results.verdicts[0].failures) == {c.claim_id for c in outcome.results.claims}
    assert "no facts" in next(iter(outcome.results.verdicts[0].failures.values()))


def test_b26_passages_judged_apart_are_joined_by_the_stated_rule(tmp_path: Path) -> None:
    spec = write_script(tmp_path, [(r"Context:\nHall \w+ opens", "yes")], "no")
    forms = ["raw", "chunks(any)", "chunks(all)"]
    outcome = sweep(declare(tmp_path, judges=[spec], context_forms=forms))
    called = {row.trial: set(row.verdicts) for row in outcome.results.verdicts}
    assert called == {
        "literal": {"no"},
        "literal · chunks(any)": {"yes"},
        "literal · chunks(all)": {"no"},
    }
    assert outcome.results.calls.planned == 24 + 2 * 24


def test_an_example_from_any_split_is_a_leak(tmp_path: Path) -> None:
    """B105: the check must fire for a claim that is not even judged here."""
    claims, contexts = halls()
    write_gold(tmp_path, claims, contexts, split={"salt": "s/1", "dev_share": 0.5})
    gold = load_goldset(tmp_path / "gold")
    unseen = next(c for c in gold.claims if gold.split_of(c) == "test")
    passage = "\n".join(gold.passages(unseen))
    (tmp_path / "mine.yaml").write_text(
        "name: mine\nversion: 1.0.0\nfamily: own\nlanguage: en\n"
        'definitions: {yes: "a", no: "b", idk: "c"}\n'
        f'examples: [{{context: "Trams leave at noon. {json.dumps(passage.upper())[1:-1]}", '
        'claim: "Other words.", label: yes}]\n',
        encoding="utf-8",
    )
    declared = declare(tmp_path, gold={"path": "gold", "split": "dev"}, templates=["mine.yaml"])
    declared.prepare()
    text = (tmp_path / "mine.yaml").read_text(encoding="utf-8").replace("Trams leave at noon. ", "")
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=f"'{unseen.context_id}'"):
        declared.prepare()
