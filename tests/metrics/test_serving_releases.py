"""A release serves the metric that its templates are made for, with its policy and threshold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from metajudge.errors import InputError
from metajudge.metrics.evaluate import evaluate, releases_by_metric
from metajudge.metrics.release_metric import metric_of_release
from metajudge.release.application import JudgeSettings
from metajudge.release.apply import judge_answers
from tests.release.applied import answer, made, told

ROWS = [
    answer("a", "Hall A opens at 9.", "Hall A closes at 5.", "Hall A is old."),
    told("The whole story of hall A.", "b"),
]


def test_scores_are_those_of_judge_and_no_call_is_made_twice(tmp_path: Path) -> None:
    release = made(tmp_path)
    store = tmp_path / "replies.sqlite"
    judged = judge_answers(release, ROWS, JudgeSettings(store=store))
    found = evaluate(ROWS, ["faithfulness"], release=release, store=store)
    assert found.scores("faithfulness") == pytest.approx(judged.scores, abs=1e-6)
    assert found.summary.calls.sent == 0
    assert found.summary.calls.stored == judged.summary.calls.sent
    account = found.summary.metrics[0]
    assert account.release == release.ref
    assert found.of("a", "faithfulness").details == {"threshold": 0.5, "passed": False}


def test_its_policy_stands_and_can_be_named_otherwise(tmp_path: Path) -> None:
    release = made(tmp_path, policy="lenient")
    store = tmp_path / "replies.sqlite"
    found = evaluate(ROWS[:1], ["faithfulness"], release=release, store=store)
    assert found.of("a", "faithfulness").policy == "lenient"
    assert found.scores("faithfulness")["a"] == pytest.approx(2 / 3, abs=1e-6)
    policies = {"faithfulness": "strict"}
    strict = evaluate(ROWS[:1], ["faithfulness"], release=release, store=store, policies=policies)
    assert strict.scores("faithfulness")["a"] == pytest.approx(1 / 3, abs=1e-6)


def test_other_metrics_are_asked_by_its_judge(tmp_path: Path) -> None:
    release = made(tmp_path)
    rows = [{**ROWS[0], "answer": "Hall A opens at 9."}]
    metrics = ["faithfulness", "groundedness"]
    found = evaluate(rows, metrics, release=release, store=tmp_path / "s.sqlite")
    judges = {account.judge for account in found.summary.metrics}
    assert judges == {release.candidate.judge.spec}
    assert found.summary.metrics[1].release is None


def test_a_release_by_reference_and_by_metric(tmp_path: Path) -> None:
    release = made(tmp_path)
    folder = tmp_path / "registry" / "faithfulness-verdict" / "1.0.0"
    assert metric_of_release(release) == "faithfulness"
    assert set(releases_by_metric(str(folder))) == {"faithfulness"}
    recall = release.manifest.model_copy(update={"metric": "context_recall"})
    assert metric_of_release(replace(release, manifest=recall)) == "context_recall"
    other = release.manifest.model_copy(update={"metric": "goal_achievement"})
    assert metric_of_release(replace(release, manifest=other)) == "faithfulness"
    assert set(releases_by_metric({"context_recall": folder})) == {"context_recall"}
    assert releases_by_metric(None) == {}


def test_a_release_for_another_question_is_refused(tmp_path: Path) -> None:
    release = made(tmp_path)
    with pytest.raises(InputError, match="'sentence'"):
        evaluate(
            ROWS, ["groundedness"], release={"groundedness": release}, store=tmp_path / "s.sqlite"
        )
