from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pytest

from metajudge.agreement.estimate import Estimate
from metajudge.selection import Bounds, Ranked, idle_guardrails
from tests.selection.worlds import names, ranking, world

# 40 gold-yes (20 of them summaries), 20 gold-no, 20 gold-idk.
GOLD = ["yes"] * 40 + ["no"] * 20 + ["idk"] * 20
SLICES = ["summary"] * 20 + ["literal"] * 20 + ["contradiction"] * 20 + ["off_context"] * 20
LOOSE = Bounds(over_credit_upper=0.2)


def with_changes(said: Sequence[str], changes: dict[int, str]) -> list[str]:
    return [changes.get(i, word) for i, word in enumerate(said)]


RIGHT = GOLD
TIMID = with_changes(GOLD, {i: "idk" for i in range(12)})
EAGER = with_changes(GOLD, {i: "yes" for i in range(50, 60)})
FAILING = with_changes(GOLD, {i: "failure" for i in range(0, 80, 3)})
CONSTANT = {f"always {word}": [word] * 80 for word in ("yes", "no", "idk")}


def made(verdicts: dict[str, list[str]], **options: object):  # type: ignore[no-untyped-def]
    return world(GOLD, verdicts, slices=SLICES, **options)


def place(ranked: Sequence[Ranked], measurer: object, name: str) -> Ranked:
    return ranked[names(ranked, measurer).index(name)]  # type: ignore[arg-type]


@pytest.mark.parametrize("baseline", [None, "timid", "right", "always no", "always idk"])
def test_constant_and_failing_judges_are_never_safe(baseline: str | None) -> None:
    measurer = made({**CONSTANT, "failing": FAILING, "timid": TIMID, "right": RIGHT})
    ranked = ranking(measurer, bounds=LOOSE, baseline=baseline)
    for name in (*CONSTANT, "failing"):
        assert not place(ranked, measurer, name).safe, name
    assert ranked[0].safe
    assert names(ranked, measurer)[0] == "right"


@pytest.mark.parametrize("word", ["yes", "no", "idk", "failure"])
def test_a_constant_judge_alone_is_no_winner(word: str) -> None:
    measurer = made({"only": [word] * 80})
    assert not ranking(measurer, bounds=Bounds(over_credit_upper=None, coverage=None))[0].safe
    assert not ranking(measurer, baseline="only")[0].safe


def test_a_bound_missed_by_exactly_nothing_does_not_outrank_the_safe() -> None:
    """A constant no breaks only `kappa > 0`, by 0, and has no summary-as-idk at all."""
    measurer = made({"always no": ["no"] * 80, "timid": TIMID})
    ranked = ranking(measurer, bounds=LOOSE)
    (broken,) = place(ranked, measurer, "always no").broken
    assert (broken.guardrail, broken.by) == ("kappa_above", 0)
    assert names(ranked, measurer) == ["timid", "always no"]


def test_each_guardrail_is_named_with_how_far_it_is_off() -> None:
    measurer = made({"right": RIGHT, "eager": EAGER, "failing": FAILING, "timid": TIMID})
    ranked = ranking(measurer, bounds=LOOSE, baseline="right")
    figures = dict(zip(measurer.candidates.keys, measurer.measure(), strict=True))
    by_name = {key.trial: row.figures for key, row in figures.items()}

    eager = {b.guardrail: b for b in place(ranked, measurer, "eager").broken}
    high = by_name["eager"]["over_credit"].high
    assert high is not None
    assert eager["over_credit_upper"].got == high
    assert eager["over_credit_upper"].by == pytest.approx(high - 0.2)
    assert eager["loss_contradiction"].got == pytest.approx(10 / 20)
    assert eager["loss_contradiction"].by == pytest.approx(10 / 20 - 0.02)
    gap = measurer.differences("over_credit", 0)[1]
    assert eager["over_credit_above_baseline"].got == gap.high

    failing = {b.guardrail: b for b in place(ranked, measurer, "failing").broken}
    assert failing["coverage"].got == pytest.approx(53 / 80)
    assert failing["coverage"].by == pytest.approx(0.98 - 53 / 80)

    timid = {b.guardrail: b for b in place(ranked, measurer, "timid").broken}
    assert set(timid) == {"loss_summary_yes"}
    assert timid["loss_summary_yes"].got == pytest.approx(12 / 20)


def test_the_baseline_is_not_compared_with_itself_and_none_lifts_a_bound() -> None:
    measurer = made({"right": RIGHT, "eager": EAGER})
    assert place(ranking(measurer, bounds=LOOSE, baseline="right"), measurer, "right").safe
    lifted = Bounds(over_credit_upper=None, over_credit_above_baseline=None, slice_loss=None)
    assert place(ranking(measurer, bounds=lifted, baseline="right"), measurer, "eager").safe


def test_b100_one_claim_in_two_hundred_is_a_tie() -> None:
    gold = ["yes"] * 100 + ["no"] * 100
    one_off = with_changes(gold, {3: "idk"})
    measurer = world(gold, {"a": gold, "b": one_off}, slices=["summary"] * 100 + [None] * 100)
    first, second = ranking(measurer)
    assert (first.rank, second.rank, second.tied_with_first) == (1, 1, True)
    assert names((first, second), measurer) == ["a", "b"]
    assert second.difference is not None
    assert second.difference.value == pytest.approx(0.01)


def test_b100_a_paired_difference_is_seen_where_intervals_overlap() -> None:
    gold = ["yes"] * 100 + ["no"] * 100
    rest = {i: "idk" for i in range(40, 80)}
    worse = rest | {i: "idk" for i in range(30, 40)}
    measurer = world(
        gold,
        {"a": with_changes(gold, rest), "b": with_changes(gold, worse)},
        slices=["summary"] * 100 + [None] * 100,
    )
    first, second = ranking(measurer)
    assert first.target.high is not None and second.target.low is not None
    assert first.target.high > second.target.low
    assert not second.tied_with_first
    assert second.rank == 2


def test_unsafe_candidates_come_after_safe_ones_by_how_far_they_are_off() -> None:
    measurer = made({"always yes": CONSTANT["always yes"], "eager": EAGER, "timid": TIMID})
    ranked = ranking(measurer, bounds=LOOSE)
    assert names(ranked, measurer) == ["timid", "eager", "always yes"]
    assert [row.rank for row in ranked] == [1, 2, 3]
    assert [row.tied_with_first for row in ranked] == [False, False, False]


def test_an_undefined_target_comes_last_and_is_no_tie() -> None:
    gold = ["yes", "no", "idk"] * 10
    measurer = world(gold, {"a": gold, "b": gold})
    ranked = ranking(measurer, bounds=Bounds(over_credit_upper=None))
    assert [row.target.value for row in ranked] == [None, None]
    assert not any(row.tied_with_first for row in ranked)


def test_an_undefined_kappa_is_not_ranked_first() -> None:
    gold = ["yes"] * 6
    measurer = world(gold, {"b": gold, "a": ["yes"] * 5 + ["no"]}, slices=["summary"] * 6)
    bounds = Bounds(over_credit_upper=None, kappa_above=None)
    assert names(ranking(measurer, bounds=bounds), measurer) == ["a", "b"]


@pytest.mark.parametrize("target", ["kappa", "accuracy", "balanced_accuracy"])
def test_agreement_targets_rank_the_greater_first(target: str) -> None:
    measurer = made({"timid": TIMID, "right": RIGHT})
    assert names(ranking(measurer, target=target, bounds=LOOSE), measurer) == ["right", "timid"]


def test_readings_that_nothing_tells_apart_go_plain_first() -> None:
    measurer = made({"a/prior_corrected": RIGHT, "a/batch_corrected": RIGHT, "a/top": RIGHT})
    order = [measurer.candidates.keys[row.index].reading for row in ranking(measurer)]
    assert order == ["top", "prior_corrected", "batch_corrected"]


POOL = {**CONSTANT, "right": RIGHT, "twin": RIGHT, "timid": TIMID, "eager": EAGER, "f": FAILING}


def told(keys: Sequence[str], baseline: str | None) -> list[object]:
    measurer = made({key: POOL[key] for key in keys}, resamples=60)
    ranked = ranking(measurer, bounds=LOOSE, baseline=baseline)
    return [
        (name, dataclasses.replace(row, index=0))
        for name, row in zip(names(ranked, measurer), ranked, strict=True)
    ]


@pytest.mark.parametrize("baseline", [None, "timid", "eager"])
def test_law_10_the_order_of_candidates_decides_nothing(baseline: str | None) -> None:
    usual = told(list(POOL), baseline)
    for turn in (1, 3, 5):
        assert told([*POOL][turn:] + [*POOL][:turn], baseline) == usual
    assert told([*POOL][::-1], baseline) == usual


def told_of(value: float | None, low: float | None, high: float | None) -> Estimate:
    return Estimate(value, low, high, 40, 20, "test", None if value is not None else "one draw")


def test_b103_a_candidate_that_flips_too_often_is_not_safe_and_the_interval_is_told() -> None:
    measurer = made({"right": RIGHT, "timid": TIMID})
    rates = {"right": told_of(0.08, 0.04, 0.13), "timid": told_of(0.05, 0.01, 0.2)}
    ranked = ranking(measurer, bounds=LOOSE, flip_rates=rates)
    assert names(ranked, measurer) == ["timid", "right"]
    (broken,) = place(ranked, measurer, "right").broken
    assert (broken.guardrail, broken.bound, broken.got) == ("flip_rate", 0.05, 0.08)
    assert broken.by == pytest.approx(0.03)
    assert broken.reason == "interval [0.04, 0.13]"


def test_an_undefined_flip_rate_keeps_no_bound() -> None:
    measurer = made({"right": RIGHT})
    ranked = ranking(measurer, bounds=LOOSE, flip_rates={"right": told_of(None, None, None)})
    (broken,) = ranked[0].broken
    assert (broken.got, broken.by, broken.reason) == (None, None, "one draw")


def test_a_candidate_that_does_not_read_is_never_safe_and_comes_last() -> None:
    measurer = made({"right": RIGHT, "always yes": CONSTANT["always yes"], "timid": TIMID})
    told = {"right": "calls 9 of 10 emptied contexts yes", "timid": None}
    ranked = ranking(measurer, bounds=LOOSE, insensitive=told)
    assert names(ranked, measurer) == ["timid", "always yes", "right"]
    (broken,) = place(ranked, measurer, "right").broken
    assert (broken.guardrail, broken.bound, broken.by) == ("insensitive", 0, None)
    assert broken.reason == told["right"]
    lifted = Bounds(over_credit_upper=0.2, insensitive=False)
    assert names(ranking(measurer, bounds=lifted, insensitive=told), measurer)[0] == "right"


def test_insensitivity_can_be_told_of_one_reading() -> None:
    measurer = made({"a/top": RIGHT, "a/prior_corrected": RIGHT})
    ranked = ranking(measurer, bounds=LOOSE, insensitive={measurer.candidates.keys[0]: "blind"})
    assert [row.index for row in ranked] == [1, 0]
    assert [row.safe for row in ranked] == [True, False]


def test_nothing_silent_idle_guardrails_are_named() -> None:
    keys = made({"a": RIGHT, "b/top": RIGHT, "b/prior_corrected": RIGHT}).candidates.keys
    assert idle_guardrails(Bounds(), keys) == (
        "Nothing is held to flip_rate: repeats were not asked.",
        "Nothing is held to insensitive: negative controls were not asked.",
    )
    some = idle_guardrails(Bounds(), keys, {"a": told_of(0, 0, 0)}, {"b": None})
    assert some == (
        "Not held to flip_rate, since repeats were not asked: b.",
        "Not held to insensitive, since negative controls were not asked: a.",
    )
    assert (
        idle_guardrails(
            Bounds(), keys, dict.fromkeys("ab", told_of(0, 0, 0)), {"a": "x", "b": None}
        )
        == ()
    )
    assert idle_guardrails(Bounds(flip_rate=None, insensitive=False), keys) == ()


def test_rows_that_only_names_tell_apart_share_a_rank_among_the_unsafe_too() -> None:
    yes = CONSTANT["always yes"]
    measurer = made({"b": yes, "a": yes, "c": yes, "eager": EAGER})
    ranked = ranking(measurer, bounds=Bounds())
    assert names(ranked, measurer) == ["eager", "a", "b", "c"]
    assert [row.rank for row in ranked] == [1, 2, 2, 2]
    assert not any(row.tied_with_first or row.safe for row in ranked)
    assert [row.adjusted_p for row in ranked] == [None] * 4


def test_equal_safe_rows_behind_the_first_share_a_rank() -> None:
    measurer = made({"right": RIGHT, "x": TIMID, "y": TIMID})
    ranked = ranking(measurer, bounds=LOOSE)
    assert [row.rank for row in ranked] == [1, 2, 2]
    assert [row.tied_with_first for row in ranked] == [False, False, False]
    # 12 summaries change one way: 2 / 2**12 by chance, twice for two rows compared.
    assert [row.adjusted_p for row in ranked[1:]] == [pytest.approx(4 / 2**12)] * 2


def test_b100_five_claims_one_way_are_a_tie_though_the_interval_leaves_zero_out() -> None:
    gold = ["yes"] * 40 + ["no"] * 40
    worse = with_changes(gold, {i: "idk" for i in range(5)})
    measurer = world(gold, {"a": gold, "b": worse}, slices=["summary"] * 20 + [None] * 60)
    first, second = ranking(measurer)
    assert second.difference is not None and second.difference.excludes_zero
    assert second.adjusted_p == pytest.approx(2 / 2**5)
    assert (second.rank, second.tied_with_first) == (1, True)
    assert first.adjusted_p is None


def test_looking_at_many_candidates_asks_for_more_than_looking_at_two() -> None:
    gold = ["yes"] * 60 + ["no"] * 40
    slices = ["summary"] * 60 + [None] * 40
    off = {
        name: with_changes(gold, {7 * i + k: "idk" for k in range(6)})
        for i, name in enumerate("bcdefgh")
    }
    two = ranking(world(gold, {"a": gold, "b": off["b"]}, slices=slices))
    assert not two[1].tied_with_first
    many = ranking(world(gold, {"a": gold, **off}, slices=slices))
    assert all(row.tied_with_first for row in many[1:])
    assert many[1].adjusted_p == pytest.approx(7 * 2 / 2**6)
