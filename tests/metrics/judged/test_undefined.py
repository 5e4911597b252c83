"""Where a metric has no score it is null with a reason, never 0 or 1; a failed call is counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from metajudge.metrics.judged import JUDGED
from tests.metrics.judging import evaluated, script

FULL: dict[str, Any] = {
    "question": "When does it open?",
    "answer": "It opens at nine.",
    "context": ["It opens at nine."],
    "reference": "At nine.",
    "goal": "Find the hour.",
}


def score(folder: Path, metric: str, **changes: Any) -> tuple[float | None, str]:
    """Score and reason of the full row with some fields changed; None takes a field out."""
    row = {k: v for k, v in {"answer_id": "a", **FULL, **changes}.items() if v is not None}
    judge = script(folder, {}, otherwise="yes")
    found = evaluated(folder, [row], [metric], judge).of("a", metric)
    return found.score, str(found.reason)


@pytest.mark.parametrize(
    ("metric", "changes", "reason"),
    [
        ("faithfulness", {"answer": ""}, "the answer states nothing"),
        ("faithfulness", {"answer": "I'm sorry, I don't know."}, "the answer states nothing"),
        ("faithfulness", {"answer": "抱歉，我无法回答。"}, "回答没有作出任何陈述"),
        ("faithfulness", {"claims": []}, "the answer states nothing"),
        ("faithfulness", {"context": None}, "the row has no context"),
        ("faithfulness", {"answer": None}, "the row has no answer"),
        ("groundedness", {"answer": "  "}, "the answer states nothing"),
        ("groundedness", {"context": None}, "the row has no context"),
        ("context_relevance", {"context": []}, "no passage was retrieved"),
        ("context_relevance", {"context": [" "]}, "no passage was retrieved"),
        ("context_relevance", {"question": None}, "the row has no question"),
        ("context_precision", {"context": []}, "no passage was retrieved"),
        ("context_recall", {"reference": None}, "the row has no reference answer"),
        ("context_recall", {"statements": []}, "the reference states nothing"),
        ("context_entity_recall", {"entities": []}, "the reference names no entity"),
        ("context_entity_recall", {"reference": None}, "the row has no reference answer"),
        ("answer_relevance", {"answer": ""}, "the answer states nothing"),
        ("answer_relevance", {"aspects": []}, "the question asks for nothing"),
        ("answer_redundancy", {"question": None}, "the row has no question"),
        ("answer_correctness", {"reference": None}, "the row has no reference answer"),
        ("answer_correctness", {"answer": "No idea."}, "the answer states nothing"),
        ("goal_achievement", {"goal": None}, "the row has no goal"),
        ("goal_achievement", {"answer": None}, "the row has neither turns nor an answer"),
        ("goal_achievement", {"steps": []}, "the goal has no step"),
    ],
)
def test_undefined_is_null_with_a_reason(
    tmp_path: Path, metric: str, changes: dict[str, Any], reason: str
) -> None:
    assert score(tmp_path, metric, **changes) == (None, reason)


@pytest.mark.parametrize("metric", list(JUDGED))
def test_no_readable_reply_is_null_and_every_failure_is_told(tmp_path: Path, metric: str) -> None:
    given = {name: ["One thing."] for name in ("claims", "statements", "entities", "aspects")}
    row = {"answer_id": "a", **FULL, **given, "steps": ["The hour is found."]}
    judge = script(tmp_path, {}, otherwise="Hmm.")
    found = evaluated(tmp_path, [row], [metric], judge)
    told = found.of("a", metric)
    assert (told.score, told.reason) == (None, "no reply could be read")
    assert len(told.failures) == len(told.units) > 0
    account = found.summary.metrics[0]
    assert account.undefined == {"no reply could be read": 1}
    assert sum(account.failures.values()) == account.units


@pytest.mark.parametrize("answer", ["I don't know.", "Sorry, I cannot help.", "抱歉，我无法回答。"])
def test_b31_an_answer_that_states_nothing_costs_no_call(tmp_path: Path, answer: str) -> None:
    row = {**FULL, "answer_id": "a", "answer": answer}
    judge = script(tmp_path, {}, otherwise="yes")
    metrics = ["faithfulness", "groundedness", "answer_correctness"]
    found = evaluated(tmp_path, [row], [*metrics[:2]], judge)
    assert found.summary.calls.needed == 0
    assert {score.score for score in found.rows[0].scores.values()} == {None}
    also = evaluated(tmp_path, [row], metrics, judge).of("a", "answer_correctness")
    assert (also.score, also.units) == (None, ())


@pytest.mark.parametrize(
    ("answer", "missing"), [("I don't know.", "the answer states nothing"), ("我不知道。", "陈述")]
)
def test_b31_a_refusal_covers_nothing_whatever_the_judge_would_say(
    tmp_path: Path, answer: str, missing: str
) -> None:
    row = {**FULL, "answer_id": "a", "answer": answer, "aspects": ["the hour", "the day"]}
    found = evaluated(tmp_path, [row], ["answer_relevance"], script(tmp_path, {}, otherwise="yes"))
    told = found.of("a", "answer_relevance")
    assert (told.score, told.details) == (
        0.0,
        {"missing": ["the hour", "the day"], "redundant": []},
    )
    assert [(unit.label, unit.side) for unit in told.units] == [("no", "aspect")] * 2
    assert missing in str(told.units[0].detail)
    assert (found.summary.calls.needed, told.calls) == (0, 0)


def test_b07_a_passage_without_a_verdict_keeps_its_rank(tmp_path: Path) -> None:
    row = {"answer_id": "a", "question": "q?", "context": ["p1", "p2", "p3"]}
    judge = script(tmp_path, {}, passages={"p1": "Hmm.", "p2": "no", "p3": "yes"})
    found = evaluated(tmp_path, [row], ["context_precision", "context_relevance"], judge)
    told = found.of("a", "context_precision")
    assert (told.score, found.of("a", "context_relevance").score) == (0.333333, 0.333333)
    assert str(told.reason).endswith("Passages without a verdict, worth nothing: 1.")


def test_b78_a_failure_belongs_to_its_row_alone(tmp_path: Path) -> None:
    verdicts = {f"Claim {n}.": "Hmm." if n == 3 else "no" for n in range(8)}
    rows = [
        {"answer_id": str(n), "context": ["x"], "claims": [claim]}
        for n, claim in enumerate(verdicts)
    ]
    found = evaluated(tmp_path, rows, ["faithfulness"], script(tmp_path, verdicts))
    for n, claim in enumerate(verdicts):
        told = found.of(str(n), "faithfulness")
        assert (told.score, len(told.failures)) == ((None, 1) if n == 3 else (0.0, 0))
        assert n == 3 or claim in str(told.reason)
    account = found.summary.metrics[0]
    assert (account.rows, account.scored, account.mean.value) == (8, 7, 0.0)
    assert account.undefined == {"no reply could be read": 1}


def test_b07_a_failure_stays_in_the_denominator(tmp_path: Path) -> None:
    verdicts = {"One.": "yes", "Two.": "Well, hard to say.", "Three.": "yes", "Four.": "no"}
    row = {"answer_id": "a", "context": ["x"], "claims": list(verdicts)}
    found = evaluated(tmp_path, [row], ["faithfulness"], script(tmp_path, verdicts))
    told = found.of("a", "faithfulness")
    assert told.score == 0.5
    assert [unit.unit for unit in told.failures] == ["Two."]


def test_b05_a_list_that_the_token_limit_cut_is_a_failure_not_a_shorter_list(
    tmp_path: Path,
) -> None:
    cut = {"text": "- It opens at", "finish_reason": "length"}
    judge = script(tmp_path, {}, otherwise=cut)
    row = {"answer_id": "a", **FULL}
    told = evaluated(tmp_path, [row], ["faithfulness"], judge).of("a", "faithfulness")
    assert (told.score, told.reason) == (None, "extraction failed: truncated")


def test_b23_a_blank_list_is_an_error_before_any_verdict(tmp_path: Path) -> None:
    judge = script(tmp_path, {}, otherwise="   ")
    found = evaluated(tmp_path, [{"answer_id": "a", **FULL}], ["context_recall"], judge)
    told = found.of("a", "context_recall")
    assert (told.score, told.reason) == (None, "extraction failed: empty")
    assert told.units == ()


@pytest.mark.parametrize(
    ("answer", "other", "told"),
    [
        (
            "It opens at nine.",
            "It is old.",
            "Sentences without a verdict, counted as serving it: 1.",
        ),
        ("九点开门。", "它很旧。", "没有裁决的句子按有用计：1 个。"),
    ],
)
def test_b07_a_sentence_without_a_verdict_is_told_where_less_is_better(
    tmp_path: Path, answer: str, other: str, told: str
) -> None:
    row = {**FULL, "answer_id": "a", "answer": f"{answer} {other}"}
    no = "no" if answer.isascii() else "否"
    judge = script(tmp_path, {answer: no}, otherwise="Hmm.")
    found = evaluated(tmp_path, [row], ["answer_redundancy"], judge).of("a", "answer_redundancy")
    assert found.score == 0.5
    assert str(found.reason).endswith(told)
