"""What a score rests on, and faithfulness under both policies."""

from __future__ import annotations

import json

import pytest

from metajudge.agreement.intervals import wilson_interval
from metajudge.metrics.diagnosis.diagnose import diagnose
from metajudge.metrics.diagnosis.units import LENIENT, STRICT, with_both_policies
from tests.metrics.diagnosis.rows import row

IDK = [{"unit": f"claim {i}", "label": "idk"} for i in range(20)]


def contents_page(policy, score, **more):
    """Twenty claims, of which the context contradicts none and supports none."""
    return [
        row(f"a{i}", groundedness=(0, 20))
        | {"faithfulness": score, "faithfulness_policy": policy, "faithfulness_verdicts": IDK}
        | more
        for i in range(12)
    ]


@pytest.mark.parametrize(("policy", "score"), [("strict", 0.0), ("lenient", 1.0)])
def test_what_is_not_mentioned_is_no_contradiction_whatever_the_policy(policy, score):
    found = diagnose(contents_page(policy, score))
    assert found.whole.outcomes["support"].row.name == "unrelated_context"
    assert found.counts("support") == {"unrelated_context": 12}
    means = found.sample.means
    assert (means[STRICT].score, means[LENIENT].score) == (0.0, 1.0)
    assert found.whole.causes.end != "not_low", "not mentioned is unfaithful to the tree"


def test_without_verdicts_a_lenient_score_is_no_strict_one():
    told = {"faithfulness": 1.0, "faithfulness_policy": "lenient"}
    assert with_both_policies(told) == told | {STRICT: None, LENIENT: 1.0}
    for policy in ("strict", "ragas", "partial(0.5)", "expected", "of my own", None):
        assert with_both_policies(told | {"faithfulness_policy": policy})[STRICT] == 1.0
        assert LENIENT not in with_both_policies(told | {"faithfulness_policy": policy})


def test_a_failed_call_earns_nothing_under_either_policy():
    labels = ["yes", "idk", "no", None]
    told = {"faithfulness": 0.25, "faithfulness_verdicts": [{"label": label} for label in labels]}
    both = with_both_policies(told | {"faithfulness_policy": "deepeval"})
    assert (both[STRICT], both[LENIENT]) == (0.25, 0.5)
    undefined = told | {"faithfulness": None}
    assert with_both_policies(undefined) == undefined


def test_sentences_of_the_answer_are_no_aspects():
    verdicts = [
        {"unit": "when", "label": "yes"},
        {"unit": "where", "label": "no"},
        {"unit": "At nine.", "label": "yes"},
        {"unit": "Enjoy!", "label": "no"},
    ]
    told = row("a") | {"answer": "At nine. Enjoy!", "answer_relevance": 0.5}
    for cell in (verdicts, json.dumps(verdicts)):
        reading = diagnose([told | {"answer_relevance_verdicts": cell}]).answers[0].readings
        limits = wilson_interval(1, 2, 0.8)
        assert reading["answer_relevance"].n == 2
        assert reading["answer_relevance"].low == pytest.approx(float(limits.low))
    sides = ("aspect", "aspect", "aspect", "sentence")
    sided = [one | {"side": side} for one, side in zip(verdicts, sides, strict=True)]
    aspects = diagnose([told | {"answer_relevance_verdicts": sided}]).answers[0].readings
    assert aspects["answer_relevance"].n == 3, "an aspect that is worded as a sentence is one"
    alone = told | {"answer_relevance_verdicts": verdicts[:2]}
    assert diagnose([alone]).answers[0].readings["answer_relevance"].n == 2


def test_f1_is_a_share_of_half_the_statements_of_both_sides():
    told = row("a", answer_correctness=(8, 8))
    reading = diagnose([told]).answers[0].readings["answer_correctness"]
    assert reading.n == 4
    assert reading.low == pytest.approx(float(wilson_interval(4, 4, 0.8).low))


def test_a_chinese_spreadsheet_says_whether_there_is_a_rule():
    told = [row(f"甲{i}", faithfulness="low", context_recall="high") for i in range(12)]
    for said, cause in (("否", "hard_rule"), ("是", None)):
        walk = diagnose([one | {"hard_rule": said} for one in told]).whole.causes
        assert (walk.cause and walk.cause.name) == cause


def test_memory_stays_bounded_on_very_many_contexts():
    from metajudge.metrics.diagnosis.evaluated import MOST_DRAWS, read_sample, resampled

    rows = read_sample(
        [row(f"a{i}", passages=1) | {"faithfulness": 0.5} for i in range(20_000)],
        ["faithfulness"], level=0.95, answer_level=0.8,
    ).rows  # fmt: skip
    assert resampled(rows, 0.95).weights.size <= MOST_DRAWS
