"""What part is policy, template and judge: parts add up, and each order is shown."""

from __future__ import annotations

import random

import pytest

from metajudge.release.consult.parts import decompose, differing, in_order
from metajudge.release.consult.shifts import score_shift, scored
from metajudge.report.consult_results import Decomposition
from tests.release.consult.worlds import bench_of, said, side

FIGURES = ("mean_score", "pass_rate", "support_rate")


def totals(found: Decomposition) -> None:
    """Parts, and the steps of each path, add up to the total."""
    assert found.total is not None and found.forward is not None and found.backward is not None
    for name in FIGURES:
        whole = getattr(found.total, name).value
        for steps in (found.parts, found.forward.steps, found.backward.steps):
            assert sum(getattr(step, name).value for step in steps) == pytest.approx(
                whole, abs=5e-6
            )


def test_a_policy_alone_takes_the_whole_shift() -> None:
    sides = (side("lenient"), side("strict"))
    verdicts = said("yi", "ii")
    parts = in_order(differing(*sides, ["en"]))
    assert parts == ("policy",)
    found = decompose(
        bench_of(("yy", "yy")), sides, parts, {(False, False): verdicts, (True, True): verdicts}
    )
    assert [step.part for step in found.parts] == ["policy"]
    assert found.parts[0].mean_score is not None and found.parts[0].support_rate is not None
    assert found.parts[0].mean_score.value == -0.75
    assert found.parts[0].support_rate.value == 0.0
    totals(found)


def test_policy_and_template_in_both_orders_by_hand() -> None:
    # one answer of two claims: verdicts ii under the current template, yi under the proposed
    sides = (side("lenient"), side("strict", template="summary-tolerant"))
    corners = {(False, False): said("ii"), (True, True): said("yi")}
    parts = in_order(differing(*sides, ["en"]))
    assert parts == ("policy", "template")
    found = decompose(bench_of(("yy",)), sides, parts, corners)
    # policy first: 1 -> 0, then template: 0 -> 0.5; template first: 1 -> 1, then policy: 1 -> 0.5
    assert found.forward is not None and found.backward is not None
    forward = [step.mean_score.value for step in found.forward.steps if step.mean_score]
    backward = [step.mean_score.value for step in found.backward.steps if step.mean_score]
    assert found.forward.order == ("policy", "template") and forward == [-1.0, 0.5]
    assert found.backward.order == ("template", "policy") and backward == [0.0, -0.5]
    shares = {step.part: step.mean_score.value for step in found.parts if step.mean_score}
    assert shares == {"policy": -0.75, "template": 0.25}
    totals(found)


def test_all_four_parts_add_up_in_random_worlds() -> None:
    rng = random.Random(3)
    sides = (
        side("lenient", 0.8, judge="one"),
        side("partial(0.5)", 0.6, template="summary-tolerant", judge="two"),
    )
    parts = in_order(differing(*sides, ["en"]))
    assert parts == ("policy", "threshold", "template", "judge")
    for _ in range(5):
        shape = ["y" * rng.randint(1, 5) for _ in range(6)]
        corners = {
            (a, b): said(*("".join(rng.choice("ynif") for _ in text) for text in shape))
            for a in (False, True)
            for b in (False, True)
        }
        found = decompose(bench_of(shape), sides, parts, corners)
        assert [step.part for step in found.parts] == list(parts)
        totals(found)


def test_without_the_mixed_calls_template_and_judge_are_one_part() -> None:
    sides = (side("lenient", judge="one"), side("strict", template="summary-tolerant", judge="two"))
    parts = in_order(differing(*sides, ["en"]))
    corners = {(False, False): said("ii"), (True, True): said("yi")}
    missing = ("summary-tolerant+strict with one: 2 claims have no reply",)
    found = decompose(bench_of(("yy",)), sides, parts, corners, missing)
    assert [step.part for step in found.parts] == ["policy", "template_and_judge"]
    assert found.not_asked == missing
    totals(found)


def test_an_answer_without_a_score_under_any_combination_is_left_out_of_the_mean() -> None:
    sides = (side("drop_idk"), side("strict"))
    verdicts = said("ii", "yi")
    found = decompose(
        bench_of(("yy", "yy")),
        sides,
        ("policy",),
        {(False, False): verdicts, (True, True): verdicts},
    )
    assert found.answers == 1
    totals(found)


def test_nothing_differs_and_nothing_is_split() -> None:
    sides = (side("strict"), side("ragas"))
    assert differing(*sides, ["en"]) == set()
    verdicts = said("yi")
    found = decompose(
        bench_of(("yy",)), sides, (), {(False, False): verdicts, (True, True): verdicts}
    )
    assert found.parts == () and found.total is None


def test_the_total_is_the_shift_that_the_scores_show_interval_and_all() -> None:
    shape = ("yyy",) * 20
    sides = (side("lenient", 0.6), side("strict", 0.6, template="summary-tolerant"))
    was, now = said(*("yii",) * 20), said(*("yyi", "yii") * 10)
    place = bench_of(shape)
    shown = score_shift(
        place, scored(place, sides[0], was), scored(place, sides[1], now)
    ).pass_rate_shift
    parts = in_order(differing(*sides, ["en"]))
    found = decompose(place, sides, parts, {(False, False): was, (True, True): now})
    assert found.total is not None and found.total.pass_rate == shown
    assert shown.low is not None and shown.low < (shown.value or 0.0)


def test_a_policy_never_moves_the_support_rate_and_a_template_that_did_not_may() -> None:
    sides = (side("lenient"), side("strict", template="summary-tolerant"))
    verdicts = said(*("yi",) * 20)
    found = decompose(
        bench_of(("yy",) * 20),
        sides,
        ("policy", "template"),
        {(False, False): verdicts, (True, True): verdicts},
    )
    policy, template = (step.support_rate for step in found.parts)
    assert policy is not None and (policy.low, policy.high) == (0.0, 0.0)
    assert template is not None and template.low is not None and template.low < 0
