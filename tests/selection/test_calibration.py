from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax

from metajudge.agreement import (
    area_under_risk_coverage,
    brier_score,
    expected_calibration_error,
)
from metajudge.selection.calibrate import at_temperature
from metajudge.selection.calibration import NO_PROBABILITIES, ONE_CONTEXT, calibration_of
from tests.selection.worlds import CODES, world

WORDS = ("yes", "no", "idk")


def judged(seed: int = 1, n: int = 240, sharpness: float = 1.0):
    """Gold words, verdict words and probabilities, stated sharper than fair (above 1)."""
    rng = np.random.default_rng(seed)
    fair = softmax(rng.normal(0, 1.5, (n, 3)), axis=1)
    gold = (rng.random(n)[:, None] > fair.cumsum(1)).sum(1).clip(max=2)
    stated = at_temperature(fair, 1 / sharpness).astype(np.float32)
    return [WORDS[g] for g in gold], [WORDS[c] for c in stated.argmax(1)], stated


def found_in(measurer, row: int = 0, bound: float | None = 0.3):
    return calibration_of(
        measurer.columns,
        measurer.candidates.probabilities[row],
        measurer.candidates.codes[row],
        clusters=measurer.columns.clusters(measurer.cluster),
        weights=measurer.weights,
        bound=bound,
        level=measurer.level,
    )


def sweep(seed: int = 1, n: int = 240, sharpness: float = 1.0, **more):
    gold, said, stated = judged(seed, n, sharpness)
    answers = [f"a{i // 4}" for i in range(n)]
    slices = ["summary" if i % 2 else "literal" for i in range(n)]
    return world(
        gold, {"t": said}, probabilities={"t": stated}, answers=answers, slices=slices, **more
    )


def arrays(measurer):
    stated = measurer.candidates.probabilities[0].astype(float)
    said, gold = measurer.candidates.codes[0], measurer.columns.gold
    return stated, said, gold, stated[np.arange(len(gold)), said]


def test_figures_equal_those_of_the_room_of_numbers():
    measurer = sweep()
    found = found_in(measurer)
    stated, said, gold, sure = arrays(measurer)
    assert found.n == 240
    assert found.ece.value == pytest.approx(float(expected_calibration_error(sure, said == gold)))
    assert found.brier.value == pytest.approx(float(brier_score(stated, gold).mean()))
    assert found.aurc == pytest.approx(area_under_risk_coverage(sure, said != gold))
    parts = found.parts
    total = parts.reliability - parts.resolution + parts.uncertainty + parts.within
    assert total == pytest.approx(((stated[:, 0] - (gold == 0)) ** 2).mean())
    assert found.reliability.counts.sum() == 240
    assert found.ece.low <= found.ece.value <= found.ece.high
    assert found.ece.low >= 0
    assert found.brier.low < found.brier.value < found.brier.high
    assert (found.ece.n, found.ece.n_clusters, found.reason) == (240, 60, None)


def test_a_fair_judge_may_be_perfect_and_is_said_to_be_so():
    found = found_in(sweep())
    assert found.ece.low == 0.0
    assert found.temperature == pytest.approx(1.0, abs=0.35)
    assert "a perfectly calibrated judge would show about 0.0" in found.ece.warning
    assert "calibrated judge" not in (found_in(sweep(sharpness=3.0)).ece.warning or "")


@pytest.mark.parametrize("name", ["temperature", "isotonic"])
def test_an_overconfident_judge_is_flattened(name):
    found = found_in(sweep(2, 400, 2.8))
    assert found.temperature > 1.8
    assert found.ece_after[name].value < 0.6 * found.ece.value
    assert found.ece_after[name].low <= found.ece_after[name].value


def test_rows_without_probabilities_or_label_are_left_out_of_n():
    gold, said, stated = judged(3, 120)
    stated[:30] = np.nan
    said[30:40] = ["failure"] * 10
    found = found_in(world(gold, {"t": said}, probabilities={"t": stated}))
    kept = world(gold[40:], {"t": said[40:]}, probabilities={"t": stated[40:]})
    alone = found_in(kept)
    assert found.n == alone.n == 80
    assert found.ece.n == found.brier.n == 80
    assert found.ece.n_clusters == 80
    for name in ("ece", "brier"):
        assert getattr(found, name).value == pytest.approx(getattr(alone, name).value)
    assert found.temperature == pytest.approx(alone.temperature)
    assert found.threshold == alone.threshold
    assert found.error.risk.tolist() == pytest.approx(alone.error.risk.tolist())


def test_no_probabilities_are_a_reason_not_a_number():
    gold, said, _ = judged(3, 40)
    found = found_in(world(gold, {"t": said}))
    assert found.reason == NO_PROBABILITIES
    assert (found.n, found.temperature, found.threshold, found.aurc) == (0, None, None, None)
    assert (found.ece.value, found.ece.reason) == (None, NO_PROBABILITIES)
    assert found.reliability is None
    assert found.error.threshold.size == 0


def test_binary_gold_sets_yes_against_the_rest():
    gold, said, stated = judged(4, 200)
    binary = ["supported" if label == "yes" else "unsupported" for label in gold]
    measurer = world(binary, {"t": said}, probabilities={"t": stated})
    found = found_in(measurer)
    code = np.array([CODES[word] for word in said])
    sure = np.where(code == 0, stated[:, 0], stated[:, 1] + stated[:, 2]).astype(float)
    right = (code == 0) == (np.array(binary) == "supported")
    assert found.ece.value == pytest.approx(float(expected_calibration_error(sure, right)))
    one_sided = ((stated[:, 0].astype(float) - (np.array(binary) == "supported")) ** 2).mean()
    assert found.brier.value == pytest.approx(2 * one_sided, abs=1e-6)
    ternary = found_in(world(gold, {"t": said}, probabilities={"t": stated}))
    assert found.threshold == ternary.threshold
    assert found.at_threshold["over_credit"] == ternary.at_threshold["over_credit"]


def test_threshold_keeps_the_guardrail_and_is_shown_on_held_out_claims_too():
    measurer = sweep(5, 400, 1.5)
    found = found_in(measurer, bound=0.15)
    stated = measurer.candidates.probabilities[0].astype(float).round(6)
    gold = measurer.columns.gold
    called = stated[:, 0] >= found.threshold
    fitted = found.at_threshold["over_credit"]
    assert fitted.value == pytest.approx(called[gold != 0].mean())
    assert fitted.high <= 0.15
    idk = ~called & (stated[:, 2] >= stated[:, 1])
    kind = (gold == 0) & (measurer.columns.slices == "summary")
    assert found.at_threshold["summary_as_idk"].value == pytest.approx(idk[kind].mean())
    assert set(found.at_threshold) == {
        "over_credit", "summary_as_idk", "over_credit_cross_fitted", "summary_as_idk_cross_fitted"
    }  # fmt: skip
    held = found.at_threshold["over_credit_cross_fitted"]
    assert held.value == pytest.approx(fitted.value, abs=0.05)
    assert (held.n, held.n_clusters) == (fitted.n, fitted.n_clusters)


def test_a_strict_judge_may_be_loosened_under_the_guardrail():
    gold = ["yes", "no"] * 60
    said = ["idk"] * 120
    stated = [[0.35, 0.2, 0.45], [0.05, 0.35, 0.6]] * 60
    measurer = world(gold, {"t": said}, probabilities={"t": stated}, slices=["summary"] * 120)
    found = found_in(measurer, bound=0.10)
    assert found.threshold == pytest.approx(0.35)
    assert found.at_threshold["summary_as_idk"].value == 0.0
    assert found.at_threshold["over_credit"].value == 0.0


def test_without_a_threshold_the_reason_is_said():
    gold, said, stated = judged(6, 80)
    measurer = world(gold, {"t": said}, probabilities={"t": stated})
    found = found_in(measurer, bound=0.001)
    assert found.threshold is None
    reason = "no threshold keeps the upper limit of over-credit at or below 0.001 here"
    assert {one.reason for one in found.at_threshold.values()} == {reason}
    assert all(one.value is None for one in found.at_threshold.values())
    unbound = found_in(measurer, bound=None)
    assert (unbound.threshold, unbound.at_threshold) == (None, {})
    all_yes = found_in(world(["yes"] * 80, {"t": said}, probabilities={"t": stated}))
    assert all_yes.at_threshold["over_credit"].reason == "no claim is a gold-not-yes claim"


def test_one_context_has_no_honest_map():
    gold, said, stated = judged(7, 30)
    measurer = world(gold, {"t": said}, probabilities={"t": stated}, answers=["one"] * 30)
    found = found_in(measurer)
    assert {one.reason for one in found.ece_after.values()} == {ONE_CONTEXT}
    assert all(one.value is None for one in found.ece_after.values())
    assert found.temperature is not None


def test_abstention_trades_coverage_for_error():
    found = found_in(sweep(8, 400))
    assert found.error.coverage[0] == 1.0
    assert found.error.coverage[-1] <= 0.1
    assert (np.diff(found.error.coverage) < 0).all()
    assert found.error.risk[-1] < found.error.risk[0]
    _, said, gold, sure = arrays(sweep(8, 400))
    limit = found.error.threshold[5]
    kept = (sure >= limit) & (gold != 0)
    assert found.over_credit.risk[5] == pytest.approx((said[kept] == 0).mean())


def test_draws_of_a_claim_share_its_cluster_and_context():
    gold, said, stated = judged(9, 60)
    measurer = world(
        gold,
        {"t": [word for word in said for _ in range(2)]},
        repeats=2,
        probabilities={"t": np.repeat(stated, 2, axis=0)},
    )
    found = found_in(measurer)
    once = found_in(world(gold, {"t": said}, probabilities={"t": stated}))
    assert found.n == 120
    assert found.ece.n_clusters == 60
    assert found.ece.value == pytest.approx(once.ece.value)
    assert found.at_threshold["over_credit"].high == pytest.approx(
        once.at_threshold["over_credit"].high, abs=0.02
    )


def test_equal_input_gives_equal_figures():
    measurer = sweep()
    first, again = found_in(measurer), found_in(measurer)
    assert first.ece == again.ece
    assert dict(first.at_threshold) == dict(again.at_threshold)
