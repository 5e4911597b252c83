"""A sweep on gold of another metric, with that metric's templates."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from metajudge.errors import TemplateError
from metajudge.experiment import Experiment
from metajudge.experiment.racing.results import race_declared
from metajudge.experiment.searching.search import open_search
from metajudge.experiment.tuning.tune import tune

TEXTS = {
    True: ("The free plan holds 5 members.", "免费版最多五人。"),
    False: ("The office is on the second floor.", "办公室在二楼。"),
}


def written(folder: Path, templates: list[str]) -> Path:
    """An experiment on context relevance: who helps is told by the passage, one is misread."""
    gold = folder / "gold"
    gold.mkdir()
    manifest = {
        "name": "passages",
        "version": "1.0.0",
        "metric": "context_relevance",
        "languages": ["en", "zh"],
        "labelling_policy": {"version": "1"},
        "licence": "CC0-1.0",
        "provenance": "written for a test",
        "label_source": "author",
    }
    (gold / "goldset.yaml").write_text(yaml.safe_dump(manifest), encoding="utf-8")
    claims, contexts = [], []
    for n in range(16):
        chinese, helps = n % 2, n % 4 < 2
        lang = ("en", "zh")[chinese]
        text = TEXTS[helps][chinese] + ("" if n else " Odd.")
        contexts.append({"context_id": f"x{n}", "passages": [text], "lang": lang})
        claim = {"claim_id": f"c{n}", "answer_id": f"a{n}", "context_id": f"x{n}", "lang": lang}
        claim |= {"claim": ("How many on the free plan?", "免费版几个人？")[chinese]}
        claims.append(claim | {"label": "yes" if helps else "no"})
    for name, rows in (("claims", claims), ("contexts", contexts)):
        lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        (gold / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    rules = [
        {"match": "Odd", "reply": "no"},
        {"match": "holds 5", "reply": "yes"},
        {"match": "最多五人", "reply": "是"},
        {"match": "二楼", "reply": "否"},
    ]
    script = {"name": "passages", "rules": rules, "replies": ["no"]}
    (folder / "judge.yaml").write_text(yaml.safe_dump(script, allow_unicode=True), "utf-8")
    experiment = {
        "name": "passages",
        "gold": {"path": "gold"},
        "judges": ["scripted:judge.yaml"],
        "templates": templates,
        "policies": ["strict"],
        "target": "kappa",
    }
    path = folder / "experiment.yaml"
    path.write_text(yaml.safe_dump(experiment), encoding="utf-8")
    return path


def test_a_sweep_measures_the_templates_of_a_metric(tmp_path: Path) -> None:
    path = written(tmp_path, ["helpful-passage", "direct-passage", "useful-passage"])
    experiment = Experiment.from_file(path)
    outcome = experiment.sweep(store=tmp_path / "replies.sqlite")
    found = {trial.trial: trial.figures["kappa"].value for trial in outcome.results.trials}
    assert set(found) == {"helpful-passage", "direct-passage", "useful-passage"}
    # 7 of 8 yes and 8 of 8 no: observed 15/16, by chance (8*7 + 8*9)/256 = 1/2.
    assert set(found.values()) == {0.875}


def test_templates_of_another_metric_are_refused_before_any_call(tmp_path: Path) -> None:
    path = written(tmp_path, ["literal", "helpful-passage"])
    with pytest.raises(TemplateError, match="has the frame 'passage'") as caught:
        Experiment.from_file(path).sweep(store=tmp_path / "replies.sqlite")
    assert len(caught.value.problems) == 2
    assert not (tmp_path / "replies.sqlite").exists()


@pytest.mark.parametrize("run", [race_declared, tune])
def test_other_verbs_mix_no_metrics_either(tmp_path: Path, run: Callable[..., object]) -> None:
    experiment = Experiment.from_file(written(tmp_path, ["helpful-passage", "traceable"]))
    with pytest.raises(TemplateError, match="context_relevance has the frame 'passage'"):
        run(experiment, store=tmp_path / "replies.sqlite")
    assert not (tmp_path / "replies.sqlite").exists()


def test_a_search_starts_from_templates_of_its_metric(tmp_path: Path) -> None:
    path = written(tmp_path, ["helpful-passage"])
    told = yaml.safe_load(path.read_text("utf-8"))
    told["search"] = {"template": {"bases": ["traceable"], "layouts": ["context_first"]}}
    path.write_text(yaml.safe_dump(told), encoding="utf-8")
    with pytest.raises(TemplateError, match=r"traceable@1\.0\.0/en has 'sentence'"):
        open_search(Experiment.from_file(path), store=tmp_path / "replies.sqlite")
