from __future__ import annotations

import pytest

from metajudge.scoring.policies import parse_policy
from metajudge.selection import PolicyEstimates, policy_figures
from tests.selection.worlds import world

ANSWERS = ["p"] * 4 + ["q"] * 2 + ["r"] * 2
GOLD = ["yes", "yes", "no", "idk", "yes", "yes", "idk", "idk"]
SAID = ["yes", "idk", "no", "yes", "yes", "failure", "idk", "no"]


def scored(policy: str, threshold: float = 0.5, said: list[str] | None = None) -> PolicyEstimates:
    measurer = world(GOLD, {"a": said or SAID}, answers=ANSWERS)
    return policy_figures(measurer, [parse_policy(policy)], threshold)[0][0]


def test_strict_by_hand() -> None:
    # judge: 2/4, 1/2, 0/2; gold: 2/4, 2/2, 0/2
    found = scored("strict", 0.6)
    assert found.mean_score.value == pytest.approx((0.5 + 0.5 + 0) / 3)
    assert found.gold_mean_score == pytest.approx((0.5 + 1 + 0) / 3)
    assert found.bias.value == pytest.approx((0 - 0.5 + 0) / 3)
    assert found.mae.value == pytest.approx(0.5 / 3)
    assert found.pass_agreement.value == pytest.approx(2 / 3)
    assert (found.undefined_answers, found.bias.n) == (0, 3)


def test_lenient_by_hand() -> None:
    # judge: 3/4, 1/2, 1/2; gold: 3/4, 2/2, 2/2
    found = scored("lenient", 0.75)
    assert found.mean_score.value == pytest.approx(1.75 / 3)
    assert found.bias.value == pytest.approx(-1 / 3)
    assert found.pass_agreement.value == pytest.approx(1 / 3)


def test_drop_idk_leaves_out_answers_without_a_decided_claim() -> None:
    # judge: 2/3, 1/2 (the failure stays), 0/1; gold: 2/3, 2/2, undefined
    found = scored("drop_idk")
    assert found.mean_score.value == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)
    assert found.gold_mean_score == pytest.approx((2 / 3 + 1) / 2)
    assert found.bias.value == pytest.approx(-0.5 / 2)
    assert (found.undefined_answers, found.bias.n) == (1, 2)


def test_twenty_idk_is_one_lenient_and_zero_strict() -> None:
    measurer = world(["idk"] * 20, {"a": ["idk"] * 20}, answers=["p"] * 20)
    lenient, strict = policy_figures(
        measurer, [parse_policy("lenient"), parse_policy("strict")], 0.8
    )[0]
    assert (lenient.mean_score.value, strict.mean_score.value) == (1, 0)
    assert (lenient.bias.value, strict.pass_agreement.value) == (0, 1)


def test_gold_may_be_scored_by_one_policy_throughout() -> None:
    # judge, lenient: 3/4, 1/2, 1/2; gold, strict: 2/4, 2/2, 0/2
    measurer = world(GOLD, {"a": SAID}, answers=ANSWERS)
    lenient, strict = parse_policy("lenient"), parse_policy("strict")
    found = policy_figures(measurer, [lenient], 0.5, strict)[0][0]
    assert found.mean_score.value == pytest.approx(1.75 / 3)
    assert found.gold_mean_score == pytest.approx(1.5 / 3)
    assert found.bias.value == pytest.approx((0.25 - 0.5 + 0.5) / 3)
    assert found.mae.value == pytest.approx((0.25 + 0.5 + 0.5) / 3)


def test_a_threshold_that_is_reached_is_passed() -> None:
    measurer = world(["yes"] * 4 + ["no"], {"a": ["yes"] * 4 + ["idk"]}, answers=["p"] * 5)
    found = policy_figures(measurer, [parse_policy("strict")], 0.8)[0][0]
    assert found.pass_agreement.value == 1


def test_each_draw_of_an_answer_has_a_score_of_its_own() -> None:
    # One claim an answer, two draws: right once, wrong once. A single run is off by 1/2 on average.
    measurer = world(["yes", "yes"], {"a": ["yes", "idk", "idk", "yes"]}, repeats=2)
    found = policy_figures(measurer, [parse_policy("strict")], 0.5)[0][0]
    assert found.mae.value == pytest.approx(0.5)
    assert found.pass_agreement.value == pytest.approx(0.5)
    assert (found.mae.n, found.mae.n_clusters) == (4, 2)


def test_expected_takes_probabilities_and_gold_as_certain() -> None:
    measurer = world(
        ["yes", "no"],
        {"a": ["yes", "no"], "b": ["yes", "no"]},
        probabilities={"a": [[0.75, 0.25, 0], [0.25, 0.5, 0.25]]},
    )
    rows = policy_figures(measurer, [parse_policy("expected")], 0.5)
    assert rows[0][0].bias.value == pytest.approx((-0.25 + 0.25) / 2)
    assert rows[0][0].mae.value == pytest.approx(0.25)
    assert rows[1][0].mean_score.value is None
    assert rows[1][0].undefined_answers == 2


def test_binary_gold_scores_the_share_of_supported_claims() -> None:
    gold = ["supported", "unsupported", "unsupported"]
    measurer = world(gold, {"a": ["yes", "idk", "no"]}, answers=["p"] * 3)
    names = ["lenient", "strict", "drop_idk", "map(yes=1,no=0,idk=0.5)"]
    rows = policy_figures(measurer, [parse_policy(p) for p in names], 0.5)[0]
    assert [row.gold_mean_score for row in rows] == pytest.approx([1 / 3] * 4)
    assert [row.bias.value for row in rows] == pytest.approx([1 / 3, 0, 1 / 2 - 1 / 3, 1 / 6])


def test_intervals_are_bca_and_wilson() -> None:
    found = scored("strict")
    assert "bca" in found.bias.method
    assert "bca" in found.mae.method
    assert found.pass_agreement.method == "Wilson, effective n"


def test_context_clusters_hold_several_answers() -> None:
    measurer = world(GOLD, {"a": SAID}, answers=ANSWERS, cluster="context")
    found = policy_figures(measurer, [parse_policy("strict")], 0.5)[0][0]
    assert found.bias.n_clusters == 3
