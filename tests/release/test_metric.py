"""A release stands for one metric: what is made of it for another one is refused, and says why."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from metajudge.errors import InputError, ReleaseError
from metajudge.experiment import Experiment
from metajudge.release.application import JudgeSettings
from metajudge.release.apply import judge_answers
from metajudge.release.bundle import Release, read_release
from metajudge.release.emit.kinds import KINDS
from metajudge.release.emit.writing import ANY_METRIC, emitted
from metajudge.release.refusals import other_metric
from metajudge.release.verify import open_case, verify
from metajudge.release.watch_canary import read_canary
from tests.experiment.sealed import two_wordings
from tests.release.applied import answer, made, told
from tests.release.confirmed import confirm


@pytest.fixture(scope="module")
def recall(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """A release made on gold for context recall."""
    folder = tmp_path_factory.mktemp("recall")
    path = two_wordings(folder).path
    gold = folder / "gold" / "goldset.yaml"
    gold.write_text(gold.read_text("utf-8") + "metric: context_recall\n", "utf-8")
    return confirm(Experiment.from_file(path)).release().release


def of(release: Release, metric: str) -> Release:
    return replace(release, manifest=release.manifest.model_copy(update={"metric": metric}))


def test_a_release_says_what_its_gold_is_gold_for(recall: Release) -> None:
    assert read_release(recall.folder).manifest.metric == "context_recall"
    assert "metric: context_recall\n" in (recall.folder / "release.yaml").read_text("utf-8")
    card = (recall.folder / "CARD.md").read_text("utf-8")
    assert "for LLM judges of context recall" in card and "faithfulness judges" not in card
    assert verify(open_case(str(recall.folder))).state == "ok"


def test_a_name_stands_for_one_metric(recall: Release) -> None:
    before = of(recall, "faithfulness").manifest
    assert not [*other_metric(None, recall.manifest), *other_metric(before, before)]
    (problem,) = other_metric(before, recall.manifest)
    assert "serve one metric: faithfulness" in problem.law and problem.got == "'context_recall'"


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
def test_drop_ins_that_are_named_faithfulness_are_for_faithfulness(
    recall: Release, kind: str
) -> None:
    if kind not in ANY_METRIC:
        with pytest.raises(ReleaseError, match="serves context_recall"):
            emitted(recall, kind)
        return
    told = "".join(emitted(recall, kind).texts.values())
    assert re.search(r'"?metric"?:? ?\|? ?["`]context_recall', told)


def test_a_watch_asks_gold_of_the_release_s_metric(recall: Release) -> None:
    gold = recall.folder / recall.manifest.gold.path
    assert read_canary(recall, gold).claims
    with pytest.raises(ReleaseError, match="watched on gold for groundedness") as caught:
        read_canary(of(recall, "groundedness"), gold)
    assert caught.value.problems[0].got == "'context_recall'"


def test_claims_are_drawn_from_an_answer_for_faithfulness_alone(tmp_path: Path) -> None:
    release = of(made(tmp_path), "context_recall")
    settings = JudgeSettings(store=tmp_path / "replies.sqlite")
    given = [answer("a", "Hall A opens at 9.")]
    assert judge_answers(release, given, settings).scores == {"a": 1.0}
    with pytest.raises(InputError, match="--metrics context_recall") as caught:
        judge_answers(release, [*given, told("The whole story of hall A.", "b")], settings)
    assert caught.value.problems[0].got == "answer 'b' without claims"
