"""Both sides of a consultation, and its gold set, are for one metric."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import InputError
from metajudge.gold.strict_yaml import dump_yaml
from metajudge.release.answers import Answer, AnswerClaim
from metajudge.release.consult import Statistics, consult
from metajudge.release.consult.metric import common_metrics, served_by
from metajudge.release.consult.sides import Draft, parse_side
from metajudge.report.consult_decision import about, note_lines
from metajudge.report.consult_results import ConsultReport
from tests.experiment.folder import write_gold
from tests.release.factory import put_release

QUESTION = "How many on the free plan?"
PASSAGES = ("The free plan holds 5 members.", "The office is on the second floor.")
HELPFUL, DIRECT = "helpful-passage+strict", "direct-passage+strict"


def side(text: str) -> Draft:
    return parse_side(text, ("en",))


def released(folder: Path, metric: str) -> Draft:
    release = put_release(folder / metric, name="mine")
    manifest = release.manifest.model_copy(update={"metric": metric})
    return replace(
        side("literal+strict"), name="mine@1", release=replace(release, manifest=manifest)
    )


def asked(folder: Path, current: str, proposed: str, **given: Any) -> ConsultReport:
    rules = [{"match": "holds 5", "reply": "yes"}]
    script = {"name": "passages", "rules": rules, "replies": ["no"]}
    (folder / "judge.yaml").write_text(dump_yaml(script), encoding="utf-8")
    sample = [
        Answer(f"a{n}", (PASSAGES[n % 2],), (AnswerClaim(f"a{n}-0", QUESTION),)) for n in range(6)
    ]
    usual = {"judge": f"scripted:{folder}/judge.yaml", "store": folder / "replies.sqlite"}
    told = {"statistics": Statistics(resamples=50)}
    return consult(current, proposed, sample, **(usual | told | given))


def gold_for(folder: Path, metric: str) -> Path:
    """Passages with a question each, half of which help."""
    n = range(8)
    contexts = [{"context_id": f"x{i}", "passages": [f"{PASSAGES[i % 2]} {i}."]} for i in n]
    claims = [
        {"claim_id": f"c{i}", "answer_id": f"g{i}", "context_id": f"x{i}", "lang": "en"}
        | {"claim": QUESTION, "label": ("yes", "no")[i % 2]}
        for i in n
    ]
    write_gold(folder, claims, contexts, metric=metric)
    return folder / "gold"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("literal+strict", ("faithfulness", "context_recall")),
        ("recalled+strict", ("faithfulness", "context_recall")),
        (HELPFUL, ("context_relevance",)),
        ("traceable+lenient", ("groundedness",)),
    ],
)
def test_a_template_stands_for_the_metrics_that_ask_its_question(
    text: str, found: tuple[str, ...]
) -> None:
    assert served_by(side(text)) == found


def test_a_framework_and_a_release_stand_for_their_own(tmp_path: Path) -> None:
    framework = replace(side("literal+strict"), kind="metric")
    recall = released(tmp_path, "context_recall")
    assert served_by(framework) == ("faithfulness",)
    assert served_by(recall) == ("context_recall",)
    assert common_metrics((side("literal+strict"), recall)) == ("context_recall",)


@pytest.mark.parametrize(
    ("current", "proposed", "told"),
    [
        ("literal+strict", HELPFUL, "is for faithfulness or context_recall"),
        (HELPFUL, "traceable+strict", "is for context_relevance"),
    ],
)
def test_two_metrics_are_refused_before_any_call(
    tmp_path: Path, current: str, proposed: str, told: str
) -> None:
    with pytest.raises(InputError, match=told) as refused:
        asked(tmp_path, current, proposed)
    assert refused.value.problems[0].field == "--proposed"
    assert not (tmp_path / "replies.sqlite").exists()


def test_releases_of_two_metrics_are_refused(tmp_path: Path) -> None:
    sides = (released(tmp_path, "faithfulness"), released(tmp_path, "context_recall"))
    with pytest.raises(InputError, match="mine@1 for context_recall"):
        common_metrics(sides)


def test_gold_for_another_metric_is_refused(tmp_path: Path) -> None:
    place = gold_for(tmp_path, "groundedness")
    with pytest.raises(InputError, match="both sides ask: context_relevance") as refused:
        asked(tmp_path, HELPFUL, DIRECT, gold=place)
    assert refused.value.problems[0].got == "'groundedness'"


def test_the_metric_is_named_in_both_languages(tmp_path: Path) -> None:
    found = asked(tmp_path, HELPFUL, DIRECT, gold=gold_for(tmp_path, "context_relevance"))
    assert found.metric == "context_relevance" and found.gold is not None
    assert about(found, "en")[0] == ("metric", "context relevance")
    assert about(found, "zh")[0] == ("指标", "上下文相关性")
    usual = found.model_copy(update={"metric": "faithfulness"})
    assert "metric" not in dict(about(usual, "en"))


def test_shipped_gold_is_for_faithfulness_alone(tmp_path: Path) -> None:
    found = asked(tmp_path, HELPFUL, DIRECT)
    assert found.gold is None and found.metric == "context_relevance"
    assert "没有用 --gold 指定 context_relevance 的标注集：无法判断对错。" in note_lines(
        found, "zh"
    )
