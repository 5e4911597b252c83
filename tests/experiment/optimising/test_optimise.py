from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import ExperimentError
from metajudge.experiment import Experiment
from metajudge.experiment.optimising.optimise import Proposing, run_optimiser
from metajudge.gold.strict_yaml import dump_yaml
from metajudge.report.search_optimised import OptimisedResults
from metajudge.selection.optimise.spec import Optimiser
from metajudge.templates.catalogue import read_wordings
from metajudge.templates.template import Template
from tests.experiment.searched import searchable

GOOD = """Does the context back the claim? Choose one label.

yes: it follows, so MIND that.
no: it conflicts.
idk: it is not there."""
USELESS = GOOD.replace("so MIND that", "in whatever words")
GEPA = Optimiser("gepa", rounds=3, minibatch=8)


def write_proposer(folder: Path, texts: list[str]) -> str:
    replies = [json.dumps({"new_instruction": text}, ensure_ascii=False) for text in texts]
    script = {"name": "proposer", "replies": replies}
    (folder / "proposer.yaml").write_text(dump_yaml(script), encoding="utf-8")
    return "scripted:proposer.yaml"


def rewritten(
    folder: Path, experiment: Experiment, texts: list[str], **fields: Any
) -> OptimisedResults:
    proposing = Proposing(write_proposer(folder, texts))
    given = {"optimiser": GEPA, "language": "en", "proposing": proposing, **fields}
    return run_optimiser(experiment, store=folder / "r.sqlite", out=folder / "out", **given)


def test_what_the_proposer_writes_is_chosen_by_our_figures_and_swept(tmp_path: Path) -> None:
    experiment = searchable(tmp_path)
    results = rewritten(tmp_path, experiment, [USELESS, "Be fair.", GOOD])
    assert results.decision.winner is not None and results.told_apart
    assert results.refused and "line for each label" in results.refused[0].problems[0]
    chosen = next(one for one in results.proposed if one.template == results.decision.winner)
    assert "MIND" in chosen.instruction
    assert results.learned_from + results.chosen_on == results.gold.claims
    assert results.tool == "dspy.GEPA" and results.proposer == "scripted:proposer.yaml"
    assert results.experiment is not None
    proposal = Experiment.from_file(tmp_path / "out" / results.experiment)
    swept = proposal.sweep(store=tmp_path / "r.sqlite").results
    assert swept.decision.winner == results.decision.winner
    assert swept.calls.from_store > 0
    (wording,) = read_wordings([tmp_path / "out" / path for path in results.templates]).values()
    template = wording.source_for("en")
    assert isinstance(template, Template) and template.parentage is not None
    assert template.parentage.method == "optimise"
    assert template.parentage.source == "scripted:proposer.yaml"
    assert template.parentage.parents[0].label == "plain@1.0.0/en"


def test_run_again_it_asks_nothing_and_proposes_the_same(tmp_path: Path) -> None:
    experiment = searchable(tmp_path)
    first, second = (rewritten(tmp_path, experiment, [USELESS, GOOD]) for _ in range(2))
    assert all(calls.asked == 0 for calls in second.calls.values())
    left_out = {"created", "calls"}
    assert first.model_dump(exclude=left_out) == second.model_dump(exclude=left_out)


def test_where_nothing_is_better_nothing_is_written(tmp_path: Path) -> None:
    results = rewritten(tmp_path, searchable(tmp_path), [USELESS])
    assert results.decision.winner is None and results.experiment is None
    assert "Nothing that was proposed comes before plain" in results.decision.sentence
    assert not (tmp_path / "out").exists()


def test_names_that_are_not_there_are_told(tmp_path: Path) -> None:
    experiment = searchable(tmp_path)
    for changes, told in (
        ({"template": "plane"}, "'plain'"),
        ({"judge": "nobody"}, "--judge"),
        ({"language": "zh"}, "in zh"),
        ({"proposing": Proposing()}, "needs a model that proposes"),
    ):
        with pytest.raises(ExperimentError, match=told):
            rewritten(tmp_path, experiment, [GOOD], **changes)


def test_test_claims_stay_sealed(tmp_path: Path) -> None:
    experiment = searchable(tmp_path)
    with pytest.raises(ExperimentError, match="dev split"):
        rewritten(tmp_path, experiment.changed(gold={"path": "gold"}), [GOOD])


def test_a_budget_holds_for_judge_and_proposer_together(tmp_path: Path) -> None:
    experiment = searchable(tmp_path).changed(budget={"calls": 30})
    results = rewritten(tmp_path, experiment, [GOOD])
    assert results.stopped is not None
    assert sum(calls.asked for calls in results.calls.values()) <= 30
    assert "ended early" in results.decision.sentence
