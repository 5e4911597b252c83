"""Tuning on stored replies: what wins, what may not, what is missing, and that nobody is asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import ExperimentError
from metajudge.experiment import Experiment
from metajudge.experiment.searching.config import TuningRef
from metajudge.experiment.tuning import tried as tried_module
from metajudge.experiment.tuning.tune import tune
from metajudge.gold.ledger import read_ledger
from metajudge.report.tune_results import TuneResults
from metajudge.runner.store import Store
from metajudge.shipped import shipped_experiment
from tests.experiment.folder import halls, write_gold, write_template
from tests.experiment.tuned import RIGHT, SPLIT, THRESHOLD, TIMID, reply, tunable, two_halves

VARIES = {"created", "speed"}
LOOSE = {"over_credit_upper": 0.45, "over_credit_above_baseline": None}


def swept(folder: Path, **fields: Any) -> Experiment:
    """The experiment with every reply stored."""
    experiment = tunable(folder, **fields)
    experiment.sweep(store=folder / "r.sqlite")
    return experiment


def tuned(folder: Path, experiment: Experiment, **fields: Any) -> TuneResults:
    ref = TuningRef(**fields.pop("ref", {}))
    return tune(experiment, store=folder / "r.sqlite", ref=ref, **fields)


def same(results: TuneResults) -> dict[str, Any]:
    return results.model_dump(exclude=VARIES)


def test_the_threshold_that_mends_a_timid_judge_comes_first(tmp_path: Path) -> None:
    results = tuned(tmp_path, swept(tmp_path))
    first = results.ranking[0]
    assert (results.decision.winner, results.decision.reading) == ("plain", THRESHOLD)
    assert first.kind == "tuned" and first.safe
    assert first.figures["summary_as_idk"].value == 0.0
    assert first.figures["summary_as_idk"].high is not None
    assert results.against == "plain (top)" and results.told_apart
    assert results.difference is not None and results.difference.value == -1.0
    assert results.declare is not None and results.declare.reading == THRESHOLD
    assert "the best of" in results.decision.sentence
    assert "最佳者" in results.decision.sentence_zh
    assert read_ledger(tmp_path / "gold") == ()


def test_what_is_declared_comes_first_in_the_sweep_that_is_advised(tmp_path: Path) -> None:
    experiment = swept(tmp_path)
    found = tuned(tmp_path, experiment).declare
    assert found is not None
    again = experiment.changed(readings=(*experiment.config.readings, found.reading))
    results = again.sweep(store=tmp_path / "r.sqlite").results
    assert (results.decision.winner, results.decision.reading) == (found.trial, found.reading)
    assert results.calls.asked == 0


def test_figures_of_settings_are_those_of_a_sweep(tmp_path: Path) -> None:
    experiment = swept(tmp_path)
    first = tuned(tmp_path, experiment).ranking[0]
    again = experiment.changed(readings=("top", THRESHOLD))
    results = again.sweep(store=tmp_path / "r.sqlite").results
    (row,) = [trial for trial in results.trials if trial.reading == THRESHOLD]
    assert dict(row.figures) == first.figures


@pytest.mark.parametrize("sampler", ["grid", "tpe", "nsga2", "random"])
def test_the_same_seed_gives_the_same_file(tmp_path: Path, sampler: str) -> None:
    write_template(tmp_path, "other", "by and large,")
    experiment = swept(tmp_path, templates=["templates/*.yaml"])
    ref = {"sampler": sampler, "members": 2, "threshold_step": 0.1}
    if sampler != "grid":
        ref["trials"] = 30
    one, other = (tuned(tmp_path, experiment, ref=ref, seed=7) for _ in range(2))
    assert same(one) == same(other)
    assert one.space.sampler == sampler and one.seed == 7
    assert (one.space.tool_version is None) == (sampler in ("grid", "random"))
    single = [row for row in one.ranking if row.kind == "tuned"]
    assert single[0].name.startswith("plain (top@") or single[0].name.startswith("other (top@")


def test_what_breaks_a_guardrail_never_comes_first(tmp_path: Path) -> None:
    """A threshold that credits everything has the best target, and is no choice."""
    bold = [*RIGHT, (r"Claim: Access", reply("idk", yes=0.10, no=0.05, idk=0.85))]
    results = tuned(tmp_path, swept(tmp_path, rules=bold))
    broken = [row.safe for row in results.ranking]
    assert broken == sorted(broken, reverse=True)
    assert results.ranking[0].name == "plain (top)"
    assert any(row.figures["summary_as_idk"].value == 0.0 for row in results.ranking)
    assert results.decision.winner is None and results.declare is None
    assert "stays first" in results.decision.sentence and "仍居首位" in results.decision.sentence_zh
    assert [point.name for point in results.front] == ["plain (top)"]


def test_no_safe_setting_is_said_and_nothing_is_to_be_declared(tmp_path: Path) -> None:
    experiment = swept(tmp_path, guardrails={"over_credit_upper": 0.001})
    results = tuned(tmp_path, experiment)
    assert not any(row.safe for row in results.ranking)
    assert results.decision.winner is None and results.declare is None
    assert results.safe_settings == 0 and results.front == () and results.luck is None
    assert results.decision.sentence.startswith("No safe setting")
    assert "over_credit_upper" in results.decision.sentence
    assert results.decision.sentence_zh.startswith("没有安全的设置")


def test_where_a_panel_wins_it_is_said_that_it_cannot_be_released(tmp_path: Path) -> None:
    experiment = two_halves(tmp_path)
    experiment.sweep(store=tmp_path / "r.sqlite")
    results = tuned(tmp_path, experiment, ref={"members": 2})
    first = results.ranking[0]
    assert first.kind == "panel"
    assert {member.trial for member in first.setting.members} == {"even", "odd"}
    assert first.setting.vote == "mean_probability" and first.setting.threshold is not None
    assert first.figures["summary_as_idk"].value == 0.0
    assert results.decision.winner == first.name and results.decision.reading is None
    assert "neither declared nor released" in results.decision.sentence
    assert "不能声明也不能发布" in results.decision.sentence_zh
    single = next(row for row in results.ranking if row.kind != "panel")
    assert (results.declare is not None) == (single.kind == "tuned" and single.safe)
    assert any("Panels are held to neither" in note for note in results.notes)
    alone = tuned(tmp_path, experiment)
    assert not [row for row in alone.ranking if row.kind == "panel"]


def test_with_panels_drawn_every_single_setting_is_measured_too(tmp_path: Path) -> None:
    experiment = two_halves(tmp_path)
    experiment.sweep(store=tmp_path / "r.sqlite")
    whole = tuned(tmp_path, experiment)
    drawn = tuned(tmp_path, experiment, ref={"members": 3, "sampler": "random", "trials": 5})
    assert whole.space.tried < drawn.space.tried <= whole.space.tried + 5
    best = next(row for row in whole.ranking if row.kind == "tuned")
    assert best.name in {row.name for row in drawn.ranking}


def test_weights_are_compared_with_one_truth(tmp_path: Path) -> None:
    """Every summary is idk, a fourth of the claims: some credit for idk makes up for it."""
    experiment = swept(tmp_path, rules=TIMID)
    ref = {"threshold_step": None, "weight_step": 0.25}
    found = tuned(tmp_path, experiment, ref=ref).weights
    assert found is not None and found.gold_policy == "strict"
    errors = {row.weight: row.mae.value for row in found.rows}
    assert errors == {0.0: 0.25, 0.25: 0.125, 0.5: 0.0, 0.75: 0.125, 1.0: 0.25}
    assert found.best == 0.5
    lenient = tuned(tmp_path, experiment, ref={**ref, "gold_policy": "lenient"}).weights
    assert lenient is not None and lenient.best == 1.0
    assert tuned(tmp_path, experiment, ref={"weight_step": None}).weights is None


def test_the_luck_of_the_choice_is_told(tmp_path: Path) -> None:
    luck = tuned(tmp_path, swept(tmp_path)).luck
    assert luck is not None and luck.folds == 5 and not luck.adaptive
    assert luck.optimism.apparent == luck.optimism.corrected == 0.0
    assert luck.unseen["summary_as_idk"].value == 0.0
    assert luck.unseen["over_credit"].low is not None


def test_search_says_what_may_be_tried(tmp_path: Path) -> None:
    write_template(tmp_path, "even", "EVEN halls:")
    experiment = swept(
        tmp_path,
        templates=["templates/*.yaml"],
        search={
            "readings": ["top@0.70", "batch_corrected"],
            "objectives": ["summary_as_idk", "kappa", "tokens"],
            "tuning": {"members": 2, "votes": ["majority"], "threshold_step": 0.25},
        },
    )
    space = tune(experiment, store=tmp_path / "r.sqlite").space
    assert space.candidates == 4 and space.votes == ("majority",) and space.members == 2
    assert space.objectives == {
        "summary_as_idk": "minimize",
        "kappa": "maximize",
        "trials": "minimize",
    }
    assert space.settings == 4 * 5 * 1 * 5


def test_judges_that_search_leaves_out_are_ranked_but_not_tuned(tmp_path: Path) -> None:
    spec = "scripted:judge.yaml"
    judges = [{"spec": spec, "name": "one"}, {"spec": spec, "name": "two", "temperature": 0.5}]
    experiment = tunable(tmp_path)
    experiment = experiment.changed(
        judges=judges, baseline="one | plain", search={"judges": ["two"]}
    )
    experiment.sweep(store=tmp_path / "r.sqlite")
    results = tuned(tmp_path, experiment)
    assert results.decision.winner == "two | plain"
    assert {row.name for row in results.ranking if row.kind == "declared"} == {
        "one | plain (top)",
        "two | plain (top)",
    }
    assert any("one | plain (top): left out by search.judges" in note for note in results.notes)


def some_replies(
    experiment: Experiment, folder: Path, trial: int, missing: int | None = None
) -> None:
    """A store that lacks so many replies to one trial, or half of them, and no others."""
    prepared = experiment.prepare()
    plan = experiment.plan(prepared)
    calls = [call for calls in plan.main.calls.values() for call in calls]
    mine = [call.call.key for call in calls if call.trial == trial]
    left = set(mine[: len(mine) // 2 if missing is None else missing])
    kept = [call.call.key for call in calls if call.call.key not in left]
    with Store(folder / "r.sqlite") as whole, Store(folder / "part.sqlite") as part:
        part.insert(list(whole.rows(kept)))


def test_a_trial_that_lacks_replies_is_named_and_left_out(tmp_path: Path) -> None:
    write_template(tmp_path, "second", "by and large,")
    experiment = swept(tmp_path, templates=["templates/*.yaml"])
    some_replies(experiment, tmp_path, 1)
    results = tune(experiment, store=tmp_path / "part.sqlite")
    assert {told.trial: told.left_out for told in results.stored} == {
        "plain": False,
        "second": True,
    }
    assert {row.setting.members[0].trial for row in results.ranking} == {"plain"}
    (note,) = [note for note in results.notes if note.startswith("second:")]
    assert "the store lacks replies to" in note and "left out" in note


def test_a_few_missing_replies_count_as_failures(tmp_path: Path) -> None:
    write_template(tmp_path, "second", "by and large,")
    experiment = swept(tmp_path, templates=["templates/*.yaml"])
    some_replies(experiment, tmp_path, 1, 1)
    results = tune(experiment, store=tmp_path / "part.sqlite")
    (told,) = [told for told in results.stored if told.trial == "second"]
    assert told.missing == 1 and not told.left_out
    row = next(row for row in results.ranking if row.name == "second (top)")
    assert row.figures["coverage"].value == pytest.approx(1 - 1 / told.entries, abs=1e-6)


def test_a_missing_passage_or_extraction_is_counted_by_the_claims_that_need_it(
    tmp_path: Path,
) -> None:
    forms = ["raw", "chunks(any)", "truths(5)"]
    experiment = swept(tmp_path, n=12, context_forms=forms, baseline=None)
    prepared = experiment.prepare()
    first = experiment.plan(prepared)
    extracted = [call.key for name in first.truths for call in first.extractions(name)]
    with Store(tmp_path / "r.sqlite") as whole, Store(tmp_path / "part.sqlite") as part:
        study = experiment.plan(prepared, whole.get_many(extracted))
        calls = (call for calls in study.main.calls.values() for call in calls)
        passage = next(call.call.key for call in calls if call.passage is not None)
        lost = {passage, extracted[0]}
        part.insert(list(whole.rows(key for key in study.keys if key not in lost)))
    results = tune(experiment, store=tmp_path / "part.sqlite")
    assert {told.trial: told.missing for told in results.stored} == {
        "plain": 0,
        "plain · chunks(any)": 1,
        "plain · truths(5)": 4,
    }


def test_binary_gold_is_tuned_on_as_well(tmp_path: Path) -> None:
    claims, contexts = halls(32)
    words = {"yes": "supported", "no": "unsupported", "idk": "unsupported"}
    rows = [claim | {"label": words[claim["label"]]} for claim in claims]
    experiment = tunable(tmp_path)
    write_gold(tmp_path, rows, contexts, split=SPLIT, label_space="binary")
    experiment.sweep(store=tmp_path / "r.sqlite")
    results = tuned(tmp_path, experiment)
    assert results.decision.reading == THRESHOLD and results.told_apart


def test_without_the_baseline_s_replies_nothing_is_tuned(tmp_path: Path) -> None:
    write_template(tmp_path, "second", "by and large,")
    experiment = swept(tmp_path, templates=["templates/*.yaml"])
    some_replies(experiment, tmp_path, 0)
    with pytest.raises(ExperimentError, match="compare with the baseline") as raised:
        tune(experiment, store=tmp_path / "part.sqlite")
    assert raised.value.problems[0].field == "baseline"


@pytest.mark.parametrize("made", [False, True])
def test_an_empty_store_is_told_with_the_command_that_fills_it(tmp_path: Path, made: bool) -> None:
    experiment = tunable(tmp_path)
    if made:
        Store(tmp_path / "r.sqlite").close()
    with pytest.raises(ExperimentError, match="metajudge sweep") as raised:
        tuned(tmp_path, experiment)
    assert "r.sqlite" in str(raised.value)
    assert (tmp_path / "r.sqlite").exists() == made


def test_a_store_without_one_whole_trial_says_what_each_lacks(tmp_path: Path) -> None:
    experiment = swept(tmp_path, baseline=None)
    some_replies(experiment, tmp_path, 0)
    with pytest.raises(ExperimentError, match=r"every trial lacks some: plain \d+ of \d+") as told:
        tune(experiment, store=tmp_path / "part.sqlite")
    assert "A call that fails each time has no reply to store" in str(told.value)


def test_test_claims_stay_sealed(tmp_path: Path) -> None:
    experiment = swept(tmp_path).changed(gold={"path": "gold"})
    with pytest.raises(ExperimentError, match="dev split"):
        tuned(tmp_path, experiment)


@pytest.mark.parametrize(
    ("ref", "told"),
    [
        ({"sampler": "grid", "trials": 5}, "a grid is measured whole"),
        ({"gold_policy": "stricter"}, "strict"),
        ({"gold_policy": "map(yes=1)"}, "no"),
    ],
)
def test_what_does_not_go_together_is_told(tmp_path: Path, ref: dict[str, Any], told: str) -> None:
    with pytest.raises(ExperimentError, match=told):
        tuned(tmp_path, swept(tmp_path), ref=ref)


def test_a_grid_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tried_module, "MOST_GRID", 50)
    monkeypatch.setattr(tried_module, "TRIALS", 20)
    experiment = swept(tmp_path)
    with pytest.raises(ExperimentError, match="at most 50 settings, and this one has 101"):
        tuned(tmp_path, experiment, ref={"sampler": "grid"})
    drawn = tuned(tmp_path, experiment).space
    assert (drawn.sampler, drawn.tried) == ("tpe", 20)


def test_a_judge_without_probabilities_has_its_labels_alone(tmp_path: Path) -> None:
    bare = [(match, told["text"]) for match, told in TIMID]
    experiment = swept(tmp_path, rules=bare)
    results = tuned(tmp_path, experiment)
    assert results.ranking[0].name == "plain (top)" and results.decision.winner is None


@pytest.fixture(scope="module")
def first_experiment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TuneResults]:
    folder = tmp_path_factory.mktemp("first")
    yield tune(Experiment.from_file(shipped_experiment()), store=folder / "r.sqlite")


def test_experiment_001_is_tuned_on_its_recordings_without_a_call(
    first_experiment: TuneResults,
) -> None:
    """No model is here, and a fresh store takes what it needs from the recordings."""
    results = first_experiment
    assert len(results.stored) == 9 and not any(told.missing for told in results.stored)
    assert results.space.sampler == "grid" and results.space.tried > 1000
    assert results.decision.winner is None and results.declare is None
    assert "over_credit_upper" in results.decision.sentence
    assert results.gold.split == "dev"


def test_who_does_not_read_the_evidence_is_no_start(first_experiment: TuneResults) -> None:
    (note,) = [n for n in first_experiment.notes if n.startswith("Not tuned: literal (prior")]
    assert "breaks insensitive" in note
    names = {row.name for row in first_experiment.ranking if row.kind == "tuned"}
    assert not any(name.startswith("literal (prior_corrected") for name in names)


def test_loosened_guardrails_let_a_setting_of_experiment_001_through(tmp_path: Path) -> None:
    experiment = Experiment.from_file(shipped_experiment()).changed(guardrails=LOOSE)
    results = tune(experiment, store=tmp_path / "r.sqlite")
    first = results.ranking[0]
    assert first.safe and results.safe_settings > 0 and len(results.front) >= 1
    assert results.luck is not None and results.luck.optimism.corrected is not None
    assert results.luck.optimism.corrected >= (results.luck.optimism.apparent or 0.0)
    assert results.luck.unseen["summary_as_idk"].value is not None
