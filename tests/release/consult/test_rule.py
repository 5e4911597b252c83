"""The rule's table in constructed worlds: adopt, hold, collect, and what cannot move."""

from __future__ import annotations

import math

import pytest

from metajudge.release.consult.needed import needed
from metajudge.release.consult.rule import Bounds, Findings, apply_rule, held
from metajudge.release.consult.units import NOTHING_CHANGES
from metajudge.report.consult_results import MatchedThreshold, OnGold, Repeats, Thresholds
from metajudge.report.consult_rule import Criterion, Rule
from metajudge.report.part import Figure


def fig(value: float, half: float = 0.01, n: int = 1000) -> Figure:
    return Figure(value=value, low=value - half, high=value + half, n=n, clusters=n)


GOOD = {
    "over_credit": fig(-0.01),
    "summary_as_idk": fig(-0.10, n=200),
    "kappa": fig(0.05),
    "pass_agreement": fig(0.03),
    "score_mae": fig(-0.01),
}


def gold_world(of_proposed: Figure | None = None, **differences: Figure) -> OnGold:
    return OnGold(
        changed=10,
        better=7,
        worse=3,
        mcnemar_p=0.3,
        directions=(),
        current={},
        proposed={"over_credit": of_proposed or fig(0.05, 0.02)},
        differences=GOOD | differences,
    )


def keeping(threshold: float = 0.6, own: float = 0.5) -> Thresholds:
    matched = MatchedThreshold(
        keeps="pass_rate",
        threshold=fig(threshold),
        wanted=fig(0.7),
        obtained=fig(0.69),
        at_own=fig(own),
    )
    return Thresholds(current=0.8, proposed=0.8, pass_rate=matched, false_pass_rate=matched)


def world(**changed: object) -> Findings:
    usual: dict[str, object] = {
        "coverage": fig(1.0, 0.0),
        "pass_rate_shift": fig(-0.2, 0.05, 300),
        "on_gold": gold_world(),
        "repeats": Repeats(repeats=1, measured=False),
        "thresholds": keeping(),
        "pure_policy": False,
        "same": False,
        "needed": 2000,
        "unanswered": 0,
        "claims": 1500,
        "answers": 300,
        "gold_claims": 1000,
        "gold_answers": 250,
        "not_yes_slices": ("contradiction", "outside_true"),
    }
    return Findings(**(usual | changed))  # type: ignore[arg-type]


def ruled(**changed: object) -> Rule:
    return apply_rule(world(**changed), Bounds())


def row(rule: Rule, name: str) -> Criterion:
    return next(criterion for criterion in rule.criteria if criterion.name == name)


def test_a_world_in_which_everything_is_kept_is_adopted() -> None:
    rule = ruled()
    assert rule.decision == "adopt" and rule.collect == ()
    assert rule.sentence.startswith("Adopt") and rule.sentence_zh.startswith("采用")
    assert {c.state for c in rule.criteria} == {"kept", "not_measured"}
    assert row(rule, "repeat_flips").why == "one_draw"


@pytest.mark.parametrize(
    ("name", "figure", "by"),
    [
        ("over_credit_difference", "over_credit", fig(0.05, 0.02)),
        ("summary_as_idk_difference", "summary_as_idk", fig(0.08, 0.05)),
        ("kappa_difference", "kappa", fig(-0.06, 0.03)),
        ("pass_agreement_difference", "pass_agreement", fig(-0.10, 0.05)),
    ],
)
def test_one_broken_difference_holds_whatever_else_is_kept(
    name: str, figure: str, by: Figure
) -> None:
    rule = ruled(on_gold=gold_world(**{figure: by}))
    assert rule.decision == "hold"
    assert [c.name for c in rule.criteria if c.state == "broken"] == [name]
    assert f"{by.value:.2f}" in rule.sentence and f"{by.value:.2f}" in rule.sentence_zh


def test_over_credit_above_the_guardrail_holds() -> None:
    rule = ruled(on_gold=gold_world(of_proposed=fig(0.2, 0.05)))
    assert rule.decision == "hold"
    assert row(rule, "over_credit_upper").why == "beyond_bound"


def test_a_hole_in_coverage_holds_and_is_held_by_its_value() -> None:
    rule = ruled(coverage=fig(0.97, 0.02))
    assert rule.decision == "hold" and row(rule, "coverage").state == "broken"
    assert ruled(coverage=fig(0.98, 0.02)).decision == "adopt"


def test_broken_outweighs_open() -> None:
    rule = ruled(on_gold=gold_world(of_proposed=fig(0.2, 0.05), kappa=fig(0.0, 0.1)), unanswered=5)
    assert rule.decision == "hold" and rule.collect == ()


def test_an_open_difference_collects_labels_of_the_slices_that_it_rests_on() -> None:
    rule = ruled(on_gold=gold_world(summary_as_idk=fig(0.0, 0.04, 100)))
    assert rule.decision == "collect"
    (wanted,) = rule.collect
    assert wanted.what == "labels" and wanted.slices == ("summary", "aggregation")
    # (1.959964 + 0.841621) * 0.04 / 1.959964 / 0.02 = 2.8588; squared 8.173, of 100 claims: 818
    assert wanted.have == 100 and wanted.more == 718
    assert "718" in rule.sentence and "summary, aggregation" in rule.sentence
    assert rule.sentence_zh.startswith("先收集")


def test_over_credit_asks_for_slices_that_gold_does_not_call_yes() -> None:
    rule = ruled(on_gold=gold_world(of_proposed=fig(0.09, 0.04, 400)))
    (wanted,) = rule.collect
    assert wanted.slices == ("contradiction", "outside_true")
    # bound 0.10, value 0.09: (2.801585 * 0.04 / 1.959964 / 0.01)² * 400
    assert wanted.more == math.ceil(400 * (2.801585 / 1.959964 * 4) ** 2) - 400


def test_open_pass_agreement_counts_labels_not_answers() -> None:
    rule = ruled(on_gold=gold_world(pass_agreement=fig(0.0, 0.04, 250)))
    (wanted,) = rule.collect
    # 250 answers * 8.173 = 2044 answers of 4 claims
    assert wanted.what == "labels" and wanted.have == 1000
    assert wanted.more == 4 * math.ceil(250 * (2.801585 / 1.959964 * 2) ** 2) - 1000


def test_a_pass_rate_shift_that_is_hardly_known_collects_answers() -> None:
    rule = ruled(pass_rate_shift=fig(-0.5, 0.2, 30), answers=30)
    (wanted,) = rule.collect
    assert rule.decision == "collect" and wanted.what == "answers"
    assert wanted.have == 30 and wanted.more == 90


def test_calls_without_a_reply_collect_and_are_counted() -> None:
    rule = ruled(unanswered=40)
    (wanted,) = rule.collect
    assert (wanted.what, wanted.have, wanted.more) == ("replies", 1960, 40)
    assert row(rule, "budget_complete").why == "unanswered"


def test_without_gold_nothing_on_gold_is_decided() -> None:
    rule = ruled(on_gold=None)
    assert rule.decision == "collect"
    assert {c.why for c in rule.criteria if c.state == "open"} == {"no_gold"}
    assert all(wanted.more is None and wanted.reason for wanted in rule.collect)


def test_a_figure_on_its_bound_has_no_number_of_labels() -> None:
    rule = ruled(on_gold=gold_world(of_proposed=fig(0.10, 0.04, 400)))
    (wanted,) = rule.collect
    assert wanted.more is None and "too near" in (wanted.reason or "")


def test_a_figure_without_claims_of_its_kind_is_open_with_its_reason() -> None:
    nothing = Figure(value=None, n=0, reason="no claim is a gold-yes claim of slice summary")
    rule = ruled(on_gold=gold_world(summary_as_idk=nothing))
    (wanted,) = rule.collect
    assert row(rule, "summary_as_idk_difference").why == "undefined"
    assert wanted.more is None and "no claim is" in (wanted.reason or "")


def test_a_pure_policy_change_is_not_held_by_what_it_cannot_move() -> None:
    # Over-credit is beyond the guardrail on both sides alike: no reason to keep the old policy.
    gold = gold_world(of_proposed=fig(0.3, 0.05))
    rule = ruled(on_gold=gold, pure_policy=True)
    unmoved = {c.name for c in rule.criteria if c.state == "unmoved"}
    assert unmoved == {
        "over_credit_difference",
        "summary_as_idk_difference",
        "kappa_difference",
        "over_credit_upper",
    }
    assert {c.why for c in rule.criteria if c.state == "unmoved"} == {"same_verdicts"}
    assert rule.decision == "adopt"
    assert "same verdicts" in rule.sentence
    assert "0.6 comes nearest to today's pass rate" in rule.sentence
    assert "0.6" in rule.sentence_zh


def test_a_pure_policy_change_is_decided_by_scores_against_gold_scores() -> None:
    rule = ruled(on_gold=gold_world(score_mae=fig(0.2, 0.05)), pure_policy=True)
    assert rule.decision == "hold"
    assert row(rule, "score_error_difference").state == "broken"
    assert "score_error_difference" not in {c.name for c in ruled().criteria}


def test_repeats_that_flip_as_much_as_the_change_leave_it_open() -> None:
    noisy = Repeats(repeats=3, measured=True, beyond=fig(0.01, 0.03))
    assert row(ruled(repeats=noisy), "repeat_flips").state == "open"
    clear = Repeats(repeats=3, measured=True, beyond=fig(0.2, 0.03))
    assert ruled(repeats=clear).decision == "adopt"
    less = Repeats(repeats=3, measured=True, beyond=fig(-0.2, 0.03))
    assert ruled(repeats=less).decision == "hold"


def test_nothing_that_differs_changes_nothing() -> None:
    rule = ruled(same=True)
    assert rule.decision == "nothing_changes"
    assert rule.sentence.startswith("Nothing changes") and rule.sentence_zh.startswith("没有变化")


def test_bounds_are_options() -> None:
    loose = Bounds(over_credit_upper=0.5, over_credit_difference=0.3)
    gold = gold_world(of_proposed=fig(0.2, 0.05))
    assert apply_rule(world(on_gold=gold), loose).decision == "adopt"
    assert apply_rule(world(on_gold=gold), loose).bounds["over_credit_upper"] == 0.5


def test_an_interval_on_the_bound_is_kept_in_both_directions() -> None:
    assert held(fig(0.01, 0.01), 0.02, low_is_good=True) == "kept"
    assert held(fig(-0.01, 0.01), -0.02, low_is_good=False) == "kept"
    assert held(fig(0.031, 0.01), 0.02, low_is_good=True) == "broken"
    assert held(fig(-0.031, 0.01), -0.02, low_is_good=False) == "broken"
    assert held(Figure(value=0.1, n=3), 0.02, low_is_good=True) == "open"


def test_where_nothing_changed_the_labels_needed_follow_wilson() -> None:
    # 25 contexts: high = z² / (25 + z²); 0.02 takes z² (1 / 0.02 - 1) = 188.2 contexts
    z2 = 1.959964**2
    half = z2 / (25 + z2)
    got = Figure(value=0.0, low=-half, high=half, n=100, method=NOTHING_CHANGES)
    assert needed(got, 0.02) == math.ceil(100 * z2 * 49 / 25)


def test_coverage_of_a_part_is_broken_only_where_no_reply_can_mend_it() -> None:
    # 2 of 40 claims lost; with 100 open ones at best 138 of 140 = 0.9857, with 20 at best 58 of 60.
    got = fig(0.95, 0.05, 40)
    some = {"coverage": got, "claims": 40, "unanswered": 30}
    rule = ruled(**some, left_out=100)
    assert (row(rule, "coverage").state, row(rule, "coverage").why) == ("open", "unanswered")
    assert [wanted.criterion for wanted in rule.collect] == ["budget_complete"]
    assert row(ruled(**some, left_out=20), "coverage").state == "broken"
    assert row(ruled(coverage=got, claims=40), "coverage").state == "broken"


def test_a_threshold_that_comes_no_nearer_is_not_named() -> None:
    matched = keeping().pass_rate.model_copy(update={"at_own": fig(0.69), "obtained": fig(0.69)})
    told = keeping().model_copy(update={"pass_rate": matched})
    assert "threshold" not in ruled(thresholds=told).sentence
    assert "threshold" in ruled().sentence


def test_one_reason_for_unknown_numbers_is_told_once() -> None:
    rule = ruled(on_gold=None)
    assert rule.sentence.count("there is no gold set") == 1
    assert "rise of over-credit, rise of summary-as-idk, change of kappa" in rule.sentence
    assert rule.sentence_zh.count("数量未知") == 1


def test_a_limit_just_beyond_its_bound_does_not_read_as_if_it_stood_on_it() -> None:
    by = Figure(value=0.1, low=0.0209, high=0.17, n=500, clusters=100)
    rule = ruled(on_gold=gold_world(over_credit=by))
    assert "0.1000 [0.0209, 0.1700], at most 0.02" in rule.sentence
    assert "0.0209" in rule.sentence_zh


def test_where_nothing_differs_no_criterion_is_kept_or_broken() -> None:
    rule = ruled(same=True, coverage=fig(0.0, 0.1), unanswered=9)
    assert {(c.state, c.why, c.got) for c in rule.criteria} == {("unmoved", "same_verdicts", None)}
