"""Experiment 005 asks all wordings of a judged metric about dev, its default about test, once."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from metajudge.experiment import Experiment
from metajudge.experiment.fingerprint import config_sha256
from metajudge.gold.claim import METRIC_NAMES
from metajudge.gold.ledger import LEDGER, read_ledger
from metajudge.report.part import Figure
from metajudge.report.results import Results, TrialFigures
from metajudge.report.results_file import read_results
from metajudge.report.selection_results import Confirmation
from metajudge.runner.recording import read_header
from metajudge.runner.store import Store
from metajudge.templates.catalogue import catalogue

ROOT = Path(__file__).parents[2]
PLACE = ROOT / "experiments" / "005-metrics"
RECORDING = ROOT / "experiments" / "recordings" / "005-metrics.jsonl.gz"
METRICS = tuple(name for name in METRIC_NAMES if name != "faithfulness")
READINGS = {
    "README.md": {"batch_corrected": "batch-corrected", "top": "top label"},
    "README.zh-CN.md": {"batch_corrected": "去掉批次先验", "top": "最可能的标签"},
}


def test_every_metric_beside_faithfulness_is_swept() -> None:
    assert {path.parent.name for path in PLACE.glob("*/experiment.yaml")} == set(METRICS)


@pytest.mark.parametrize("metric", METRICS)
def test_it_asks_the_shipped_wordings_about_the_dev_split(metric: str) -> None:
    experiment = Experiment.from_file(PLACE / metric)
    config = experiment.config
    assert config.name == f"005-{metric}"
    assert (config.gold.path, config.gold.split) == (f"../../../gold/{metric}", "dev")
    wordings = list(catalogue(metric))
    assert [ref.name for ref in config.templates] == wordings
    assert config.baseline == wordings[0]
    assert [judge.temperature for judge in config.judges] == [0.0]
    assert config.target == "kappa"


class Measured(NamedTuple):
    """One metric's default: what stands in `results.json`."""

    results: Results
    confirmation: Confirmation

    def dev(self, reading: str) -> TrialFigures:
        return next(
            t
            for t in self.results.trials
            if (t.trial, t.reading) == (self.confirmation.trial, reading)
        )

    @property
    def top(self) -> dict[str, Figure]:
        """The top label on test, which stands beside the chosen reading or is the chosen one."""
        return self.confirmation.baseline_figures or self.confirmation.winner


def confirmed(results: Results) -> Measured:
    assert results.selection is not None
    assert results.selection.confirmation is not None
    return Measured(results, results.selection.confirmation)


def kept(metric: str) -> Measured:
    return confirmed(read_results(PLACE / metric / "results.json"))


def shown(figure: Figure) -> str:
    """As pages print it: `0.23 [−0.07, 0.34]`."""

    def number(value: float | None) -> str:
        assert value is not None
        return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")

    return f"{number(figure.value)} [{number(figure.low)}, {number(figure.high)}]"


@pytest.mark.slow
@pytest.mark.parametrize("metric", METRICS)
def test_its_results_are_found_again_without_a_call(metric: str, tmp_path: Path) -> None:
    """In a copy: the look that is made again stands in the copy's ledger."""
    folder = tmp_path / "experiments" / "005-metrics" / metric
    shutil.copytree(PLACE / metric, folder)
    gold = tmp_path / "gold" / metric
    shutil.copytree(ROOT / "gold" / metric, gold, ignore=shutil.ignore_patterns(LEDGER))
    (tmp_path / "experiments" / "recordings").mkdir()
    shutil.copy(RECORDING, tmp_path / "experiments" / "recordings")

    experiment, store = Experiment.from_file(folder), tmp_path / "replies.sqlite"
    outcome, was = experiment.sweep(store=store), kept(metric)
    named = f"{was.confirmation.trial} ({was.confirmation.reading})"
    again = confirmed(experiment.confirm(outcome, candidate=named, store=store))
    with Store(store) as replies:
        assert replies.count() == read_header(RECORDING).replies, "the judge was asked"

    told = {(trial.trial, trial.reading): trial.figures["kappa"] for trial in again.results.trials}
    for trial in was.results.trials:
        same(told[trial.trial, trial.reading], trial.figures["kappa"])
    one, other = again.confirmation, was.confirmation
    for part in ("winner", "baseline_figures", "differences"):
        assert getattr(one, part).keys() == getattr(other, part).keys()
        for name, figure in getattr(other, part).items():
            same(getattr(one, part)[name], figure)
    fields = {"trial", "reading", "named", "broken_on_dev", "broken", "holds", "claims", "contexts"}
    assert one.model_dump(include=fields) == other.model_dump(include=fields)


def same(one: Figure, other: Figure) -> None:
    if other.value is None:
        assert one.value is None
    else:
        assert (one.value, one.low) == pytest.approx((other.value, other.low), abs=2e-6)


@pytest.mark.parametrize("metric", METRICS)
def test_what_was_read_of_test_follows_the_rule_from_dev_alone(metric: str) -> None:
    found, config = kept(metric), Experiment.from_file(PLACE / metric).config
    assert found.results.selection is not None
    holms = [row.holm_p for row in found.results.selection.comparisons]
    assert min(p for p in holms if p is not None) > 0.05, "a wording is told apart"
    kappas = {name: found.dev(name).figures["kappa"].value or 0 for name in config.readings}
    assert found.confirmation.trial == config.baseline
    assert found.confirmation.reading == max(kappas, key=lambda name: kappas[name])
    assert found.confirmation.alone == (found.confirmation.reading == "top")
    (look,) = read_ledger(ROOT / "gold" / metric)
    names = dict.fromkeys((found.confirmation.reading, "top"))
    assert look.candidates == tuple(f"{config.baseline} ({name})" for name in names)
    assert look.experiment_sha256 == config_sha256(config) == found.results.config_sha256


@pytest.mark.parametrize("page", READINGS)
def test_the_table_of_the_readme_has_what_was_measured(page: str) -> None:
    lines = (ROOT / page).read_text("utf-8").splitlines()
    for metric in METRICS:
        results, found = kept(metric)
        kappas = (kept(metric).dev(found.reading).figures, found.winner, kept(metric).top)
        units = f"{len(results.claims)}, {found.claims}"
        cells = (f"`{metric}`", found.trial, READINGS[page][found.reading], units)
        row = " | ".join((*cells, *(shown(figures["kappa"]) for figures in kappas)))
        assert f"| {row} |" in lines
        assert (results.gold.contexts, found.contexts) == (8, 8)


def test_the_tables_of_the_experiment_have_what_was_measured() -> None:
    lines = (PLACE / "README.md").read_text("utf-8").splitlines()
    names = {"top": "top", "batch_corrected": "batch"}
    figures = ("kappa", "over_credit", "under_credit", "accuracy")
    for metric in METRICS:
        found, cells = kept(metric).confirmation, [metric]
        for trial in kept(metric).results.trials:
            told = (shown(trial.figures[name]) for name in figures)
            row = " | ".join((*cells, trial.trial, names[trial.reading], *told))
            assert f"| {row} |" in lines
            cells = [""]
        both = (found.winner, kept(metric).top)
        kappas = [shown(part["kappa"]) for part in (*both, found.differences) if part]
        credit = [shown(part["over_credit"]) for part in both]
        row = " | ".join((metric, "batch", *kappas, *credit))
        if found.alone:
            row = " | ".join((metric, "top, alone", kappas[0], "–", "–", credit[0], "–"))
        assert f"| {row} |" in lines


def test_who_is_at_chance_on_test_is_said_by_name() -> None:
    """The prose of both READMEs and of the experiment rests on these two lists."""
    lows = {metric: kept(metric).confirmation.winner["kappa"].low or 0 for metric in METRICS}
    tops = {metric: kept(metric).top["kappa"].low or 0 for metric in METRICS}
    at_chance = {"answer_relevance", "answer_redundancy", "goal_achievement"}
    assert {metric for metric in METRICS if lows[metric] <= 0} == at_chance
    assert {m for m in METRICS if tops[m] > 0} == {"context_entity_recall", "answer_correctness"}
