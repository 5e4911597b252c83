"""Experiment 005 asks every judged metric's own wordings about its own dev split."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metajudge.experiment import Experiment
from metajudge.gold.claim import METRIC_NAMES
from metajudge.templates.catalogue import catalogue

PLACE = Path(__file__).parents[2] / "experiments" / "005-metrics"
METRICS = tuple(name for name in METRIC_NAMES if name != "faithfulness")


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


@pytest.mark.slow
@pytest.mark.parametrize("metric", METRICS)
def test_its_results_are_found_again_without_a_call(metric: str, tmp_path: Path) -> None:
    experiment = Experiment.from_file(PLACE / metric).changed(budget={"calls": 1})
    again = experiment.sweep(store=tmp_path / "replies.sqlite").results
    kept = json.loads((PLACE / metric / "results.json").read_text("utf-8"))
    assert again.calls.asked == 0
    told = {(trial.trial, trial.reading): trial.figures["kappa"] for trial in again.trials}
    for trial in kept["trials"]:
        kappa = told[trial["trial"], trial["reading"]]
        was = trial["figures"]["kappa"]
        assert (kappa.value, kappa.low) == pytest.approx((was["value"], was["low"]), abs=2e-6)
