from __future__ import annotations

import json
from dataclasses import replace

import pytest

from metajudge.agreement.intervals import wilson_interval
from metajudge.errors import InputError
from metajudge.metrics.diagnosis.against import compared
from metajudge.metrics.diagnosis.causes import Facts
from metajudge.metrics.diagnosis.diagnose import DiagnosisSettings, as_fields, diagnose
from metajudge.metrics.diagnosis.matrix import Reading
from metajudge.metrics.diagnosis.tables import Threshold
from tests.metrics.diagnosis.rows import many, row

INVENTED = {"faithfulness": "low", "context_recall": "high", "answer_correctness": "low"}


def facts(**told):
    return DiagnosisSettings(facts=Facts(**told))


def test_an_answers_interval_is_wilsons_of_its_units():
    (answer,) = diagnose([row("a", faithfulness=(4, 5))]).answers
    reading = answer.readings["faithfulness"]
    limits = wilson_interval(4, 5, 0.8)
    assert (reading.score, reading.n) == (0.8, 5)
    assert (reading.low, reading.high) == pytest.approx((float(limits.low), float(limits.high)))


def test_few_units_leave_an_answer_undecided_and_name_what_is_left():
    told = [row("a", faithfulness=(4, 5), context_recall="high", answer_correctness="low")]
    outcome = diagnose(told).answers[0].outcomes["recall"]
    assert outcome.status == "undecided"
    assert outcome.row is None
    assert [one.name for one in outcome.possible] == ["stale_material", "invented"]
    assert not outcome.lacking


def test_what_is_left_may_lack_in_the_table():
    told = [row("a", faithfulness=(4, 5), context_recall="high", answer_correctness="high")]
    outcome = diagnose(told).answers[0].outcomes["recall"]
    assert outcome.status == "undecided"
    assert outcome.lacking


def test_a_score_without_units_stands_alone_and_is_counted():
    told = many(12, **INVENTED)
    for one in told:
        del one["faithfulness_verdicts"]
    found = diagnose(told)
    assert found.sample.without_units == 12
    assert found.counts("recall") == {"invented": 12}


def test_a_set_is_undecided_where_the_interval_of_its_mean_spans_the_threshold():
    half = [*many(10, **INVENTED), *many(10, **INVENTED | {"faithfulness": 1.0})]
    for place, one in enumerate(half):
        one |= {"answer_id": f"b{place}", "context": [f"context {place}"]}
    found = diagnose(half)
    mean = found.whole.readings["faithfulness"]
    assert mean.score == pytest.approx(0.6)
    assert mean.low < 0.8
    settings = DiagnosisSettings(
        thresholds={"faithfulness": Threshold(low_below=0.6, high_from=0.6, source=("", ""))}
    )
    whole = diagnose(half, settings).whole
    assert whole.outcomes["recall"].status == "undecided"
    assert whole.causes.end == "undecided"
    assert whole.causes.experiments == ()


def test_under_ten_contexts_a_mean_decides_nothing():
    assert diagnose(many(9, **INVENTED)).whole.outcomes["recall"].status == "undecided"
    assert diagnose(many(10, **INVENTED)).whole.outcomes["recall"].status == "found"
    same = many(30, **INVENTED)
    for one in same:
        one["context"] = ["one and the same"]
    assert diagnose(same).whole.outcomes["recall"].status == "undecided"


def test_an_undefined_score_is_no_level():
    told = [*many(11, **INVENTED), row("z", **INVENTED | {"context_recall": None})]
    found = diagnose(told)
    outcome = found.answers[-1].outcomes["recall"]
    assert outcome.status == "no_score"
    assert outcome.missing == ("context_recall",)
    assert found.counts("recall") == {"invented": 11, "no_score": 1}


def test_a_table_without_its_metrics_is_shown_only_where_no_other_can_be_read():
    assert list(diagnose(many(10, faithfulness="low")).tables) == ["support", "triad", "recall"]
    assert list(diagnose(many(10, **INVENTED)).tables) == ["recall"]


def test_the_lenient_score_of_a_table_of_contents_context():
    """20 claims, none contradicted and none supported: 1.00 lenient, 0.00 grounded."""
    found = diagnose(many(12, faithfulness=(20, 20), groundedness=(0, 20)))
    assert found.whole.outcomes["support"].row.name == "unrelated_context"


@pytest.mark.parametrize(
    ("recall", "told", "cause"),
    [
        ("low", {}, "recall"),
        ("high", {"passages": 11}, "long_context"),
        ("high", {"passages": 10, "hard_rule": False}, "hard_rule"),
        ("high", {"passages": 10, "hard_rule": True, "temperature": 0.31}, "temperature"),
        ("high", {"passages": 10, "hard_rule": True, "temperature": 0.3}, "weak_model"),
    ],
)
def test_the_first_yes_is_the_cause(recall, told, cause):
    rows = many(12, faithfulness="low", context_recall=recall)
    found = diagnose(rows, facts(**told))
    assert found.whole.causes.cause.name == cause
    assert {answer.causes.cause.name for answer in found.answers} == {cause}


def test_what_is_not_known_is_asked_for_and_never_a_no():
    rows = many(12, faithfulness="low", context_recall="high")
    walk = diagnose(rows).whole.causes
    assert walk.end == "unknown"
    assert walk.cause is None
    assert [one.reply for one in walk.asked] == ["no", "no", "unknown", "not_asked"]
    assert walk.open.name == "hard_rule"
    assert walk.experiments == ("hard-rule",)
    bare = [
        {k: v for k, v in one.items() if k != "context"} for one in many(12, faithfulness="low")
    ]
    first = diagnose(bare).whole.causes
    assert first.open.name == "recall"
    assert first.experiments == ("shorter-context", "key-passage-last", "hard-rule")


def test_high_faithfulness_has_no_cause():
    walk = diagnose(many(12, faithfulness="high")).whole.causes
    assert walk.end == "not_low"
    assert walk.experiments == ()


def test_recall_given_for_all_rows():
    rows = many(12, faithfulness="low")
    found = diagnose(rows, facts(context_recall=Reading(0.3)))
    assert found.whole.causes.cause.name == "recall"


def test_recall_that_spans_its_threshold_stops_the_tree():
    found = diagnose([row("a", faithfulness=(0, 30), context_recall=(4, 5))])
    walk = found.answers[0].causes
    assert walk.end == "undecided"
    assert walk.open.name == "recall"


def test_facts_come_from_columns():
    rows = many(12, faithfulness="low", context_recall="high", hard_rule=True, temperature=0.7)
    assert diagnose(rows).whole.causes.cause.name == "temperature"
    mixed = [*rows[:6], *(one | {"hard_rule": "no"} for one in rows[6:])]
    found = diagnose(mixed)
    assert found.whole.causes.open.name == "hard_rule", "rows that differ say nothing of the set"
    names = {answer.causes.cause.name for answer in found.answers}
    assert names == {"temperature", "hard_rule"}


def test_every_faulty_column_is_named_at_once():
    rows = [
        row("a", faithfulness=0.5) | {"faithfulness": 1.5},
        row("b", faithfulness=0.5) | {"faithfulness": "often"},
        row("c", faithfulness=0.5, hard_rule="perhaps", temperature="warm"),
    ]
    with pytest.raises(InputError) as refused:
        diagnose(rows)
    fields = [problem.field for problem in refused.value.problems]
    assert fields == ["faithfulness", "faithfulness", "temperature", "hard_rule"]


def test_rows_without_scores_say_how_they_are_written():
    with pytest.raises(InputError, match="metajudge evaluate"):
        diagnose([row("a")])


def test_settings_are_checked():
    line = Threshold(low_below=0.5, high_from=0.5, source=("", ""))
    with pytest.raises(InputError) as refused:
        DiagnosisSettings(thresholds={"faithfulnes": line}, level=1.0)
    assert len(refused.value.problems) == 2
    assert "faithfulness" in str(refused.value)


def test_names_of_other_frameworks():
    told = [{"id": "a", "answer": "x", "faithfulness": 0.9, "answer_relevancy": 0.9}]
    (answer,) = diagnose(told).answers
    assert set(answer.readings) == {"faithfulness", "answer_relevance"}


def test_a_diagnosis_is_json():
    found = diagnose(many(12, **INVENTED))
    told = json.loads(json.dumps(as_fields(found.whole), allow_nan=False))
    assert told["tables"]["recall"]["row"] == "invented"
    assert told["tables"]["recall"]["diagnosis"][1] == "材料已检索到，但模型编造"
    assert told["causes"]["end"] == "unknown"


def test_before_and_after_are_paired():
    before = many(20, faithfulness=0.5)
    after = [
        one | {"faithfulness": 0.5 + 0.2 * (place % 4 > 0)} for place, one in enumerate(before)
    ]
    shift, lenient = compared(diagnose(before), diagnose(after))
    assert (lenient.metric, lenient.told_apart) == ("lenient_faithfulness", False)
    assert (shift.before, shift.after) == pytest.approx((0.5, 0.65))
    assert shift.told_apart
    assert 0.1 < shift.difference.low < 0.15 < shift.difference.high < 0.2
    assert not any(one.told_apart for one in compared(diagnose(before), diagnose(before)))
    with pytest.raises(InputError, match="answer_id"):
        compared(diagnose(before), diagnose([one | {"answer_id": f"z{one['answer_id']}"}
                                             for one in before]))  # fmt: skip


def test_settings_reach_answers_and_set_alike():
    rows = many(12, **INVENTED | {"faithfulness": 0.7})
    line = Threshold(low_below=0.6, high_from=0.6, source=("", ""))
    settings = replace(DiagnosisSettings(), thresholds={"faithfulness": line})
    found = diagnose(rows, settings)
    assert found.whole.outcomes["recall"].row.name == "stale_material"
    assert found.counts("recall") == {"stale_material": 12}


@pytest.mark.parametrize(
    ("score", "end"), [((140, 200), "not_low"), ((97, 200), "undecided"), ((60, 200), "unknown")]
)
def test_what_spans_medium_and_high_alone_is_not_low(score, end):
    """Between 0.5 and 0.8 nothing is low: the tree is not left undecided."""
    line = Threshold(low_below=0.5, high_from=0.72, source=("", ""))
    settings = DiagnosisSettings(thresholds={"faithfulness": line})
    (answer,) = diagnose([row("a", faithfulness=score)], settings).answers
    assert answer.causes.end == end
