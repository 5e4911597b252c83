from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metajudge.agreement.estimate import Estimate
from metajudge.agreement.intervals import wilson_interval
from metajudge.scoring.policies import parse_policy
from metajudge.selection import CandidateFigures, policy_figures
from tests.selection.worlds import numbers, world

GOLD = ["yes", "yes", "yes", "yes", "no", "no", "idk", "idk", "idk", "idk"]
SLICES = ["summary", "aggregation", "literal", "paraphrase", "contradiction", "outside_false",
          "outside_true", "outside_true", "off_context", None]  # fmt: skip
SAID = ["idk", "yes", "yes", "no", "no", "yes", "yes", "idk", "failure", "idk"]


def test_every_figure_equals_its_hand_value() -> None:
    found = world(GOLD, {"a": SAID}, slices=SLICES).measure()[0]
    # gold yes: idk yes yes no; gold no: no yes; gold idk: yes idk failure idk
    assert found.table.tolist() == [[2, 1, 1, 0], [1, 1, 0, 0], [1, 0, 2, 1]]
    agreed, n = 5, 10
    said = [4, 2, 3, 1]
    truth = [4, 2, 4, 0]
    chance = sum(s * t for s, t in zip(said, truth, strict=True)) / n**2
    assert numbers(found) == pytest.approx(
        {
            "accuracy": agreed / n,
            "balanced_accuracy": (2 / 4 + 1 / 2 + 2 / 4) / 3,
            "kappa": (agreed / n - chance) / (1 - chance),
            "summary_as_idk": 1 / 2,
            "summary_yes": 1 / 2,
            "over_credit": 2 / 6,
            "over_credit_outside_true": 1 / 2,
            "under_credit": 2 / 4,
            "missed_contradictions": 1 / 2,
            "coverage": 9 / 10,
            "constant_answer": 4 / 10,
            "macro_f1": (4 / 8 + 2 / 4 + 4 / 7) / 3,
            "mcc": numbers(found)["mcc"],
            "ac1": numbers(found)["ac1"],
            "alpha": numbers(found)["alpha"],
        }
    )


def test_labels_slices_and_languages_by_hand() -> None:
    langs = ["en"] * 5 + ["zh"] * 5
    found = world(GOLD, {"a": SAID}, slices=SLICES, langs=langs).measure()[0]
    scores = {w: {k: e.value for k, e in kinds.items()} for w, kinds in found.labels.items()}
    assert scores["yes"] == pytest.approx({"precision": 2 / 4, "recall": 2 / 4, "f1": 1 / 2})
    assert scores["no"] == pytest.approx({"precision": 1 / 2, "recall": 1 / 2, "f1": 1 / 2})
    assert scores["idk"] == pytest.approx({"precision": 2 / 3, "recall": 2 / 4, "f1": 4 / 7})
    assert set(found.slices) == set(filter(None, SLICES))
    outside = found.slices["outside_true"]
    assert (outside.n, outside.accuracy.value) == (2, 0.5)
    assert (outside.called.tolist(), outside.gold.tolist()) == ([1, 0, 1, 0], [0, 0, 2])
    zh = found.languages["zh"]
    assert (zh.n, zh.accuracy.value) == (5, 2 / 5)
    assert zh.figures["over_credit"].value == pytest.approx(2 / 5)
    assert zh.figures["summary_as_idk"].value is None
    assert zh.figures["summary_as_idk"].reason == (
        "no claim is a gold-yes claim of slice summary or aggregation"
    )


def test_failures_stay_in_every_denominator() -> None:
    gold = ["yes"] * 4 + ["no"] * 4
    said = ["failure"] * 4 + ["failure"] * 2 + ["yes", "no"]
    found = numbers(world(gold, {"a": said}, slices=["summary"] * 8).measure()[0])
    assert found["coverage"] == 2 / 8
    assert found["accuracy"] == 1 / 8
    assert found["over_credit"] == 1 / 4
    assert found["summary_as_idk"] == found["under_credit"] == found["summary_yes"] == 0
    assert found["missed_contradictions"] == 1 / 4


def test_b98_binary_gold_projects_verdicts() -> None:
    gold = ["supported", "supported", "supported", "unsupported", "unsupported"]
    said = ["yes", "idk", "no", "idk", "yes"]
    found = world(gold, {"a": said}, slices=["summary"] * 5).measure()[0]
    assert found.table.tolist() == [[1, 1, 1, 0], [1, 0, 1, 0]]
    values = numbers(found)
    assert values["accuracy"] == 2 / 5
    assert values["summary_as_idk"] == 1 / 3
    assert values["over_credit"] == 1 / 2
    assert values["missed_contradictions"] is None
    chance = (2 * 3 + 3 * 2) / 25
    assert values["kappa"] == pytest.approx((2 / 5 - chance) / (1 - chance))
    assert set(found.labels) == {"supported", "unsupported"}
    assert found.labels["unsupported"]["recall"].value == 1 / 2


def test_b98_a_label_the_judge_never_uses_keeps_its_row_and_column() -> None:
    found = world(["yes", "no", "idk", "idk"], {"a": ["yes", "no", "no", "yes"]}).measure()[0]
    assert found.table.shape == (3, 4)
    chance = (2 * 1 + 2 * 1 + 0 * 2) / 16
    assert numbers(found)["kappa"] == pytest.approx((2 / 4 - chance) / (1 - chance))
    assert found.labels["idk"]["precision"].value is None
    assert found.labels["idk"]["precision"].reason == "no claim is called idk"
    swapped = world(["yes", "no", "no", "yes"], {"a": ["yes", "no", "idk", "idk"]}).measure()[0]
    assert numbers(swapped)["kappa"] == pytest.approx(numbers(found)["kappa"])


def test_shares_get_wilson_and_coefficients_bca() -> None:
    measurer = world(GOLD, {"a": SAID}, slices=SLICES)
    found = measurer.measure()[0]
    for name in ("accuracy", "summary_as_idk", "over_credit", "coverage", "under_credit"):
        assert found.figures[name].method == "Wilson, effective n"
    for name in ("kappa", "balanced_accuracy", "macro_f1", "mcc", "ac1", "alpha"):
        assert "bca" in found.figures[name].method
    assert "percentile" in measurer.differences("over_credit", 0)[0].method
    # Each claim an answer of its own: the effective size is that of claims, up to G/(G-1).
    low, high = wilson_interval(0, 6)
    none = world(GOLD, {"a": ["no"] * 10}).measure()[0].figures["over_credit"]
    assert (none.value, none.low) == (0, 0)
    assert (none.low, none.high) == pytest.approx((float(low), float(high)))


def test_b100_intervals_are_wider_when_claims_come_in_documents() -> None:
    rng = np.random.default_rng(3)
    gold = ["no"] * 200
    by_document = np.repeat(rng.random(20) < 0.3, 10)
    said = ["yes" if hit else "no" for hit in by_document]
    documents = [f"d{i // 10}" for i in range(200)]
    alone = world(gold, {"a": said}).measure()[0].figures["over_credit"]
    grouped = world(gold, {"a": said}, answers=documents).measure()[0].figures["over_credit"]
    assert alone.value == grouped.value
    assert (alone.n_clusters, grouped.n_clusters) == (200, 20)
    assert width(grouped) > 2 * width(alone)


def width(estimate: Estimate) -> float:
    assert estimate.low is not None and estimate.high is not None
    return estimate.high - estimate.low


def test_draws_of_a_claim_share_its_cluster() -> None:
    once = world(GOLD, {"a": SAID}, slices=SLICES)
    thrice = world(GOLD, {"a": [word for word in SAID for _ in range(3)]}, slices=SLICES, repeats=3)
    assert thrice.columns.n_claims == 10
    assert thrice.columns.answers.n_clusters == once.columns.answers.n_clusters
    found = thrice.measure()[0].figures
    for name, single in once.measure()[0].figures.items():
        same = found[name]
        if name != "alpha":  # Krippendorff's small-sample correction counts every draw.
            assert same.value == pytest.approx(single.value)
        assert same.n == 3 * single.n
        assert same.n_clusters == single.n_clusters
        if name not in ("coverage", "constant_answer"):
            assert width(same) > 0.8 * width(single)


def test_a_fixed_seed_gives_equal_figures() -> None:
    assert plain(world(GOLD, {"a": SAID}).measure()) == plain(world(GOLD, {"a": SAID}).measure())


def plain(found: tuple[CandidateFigures, ...]) -> list[object]:
    return [[dataclasses.asdict(estimate) for estimate in row.figures.values()] for row in found]


words = st.sampled_from(["yes", "no", "idk", "failure"])


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_no_nan_leaves_the_room(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 6))
    labels = data.draw(st.sampled_from([["yes", "no", "idk"], ["supported", "unsupported"]]))
    gold = data.draw(st.lists(st.sampled_from(labels), min_size=n, max_size=n))
    said = [data.draw(st.lists(words, min_size=n, max_size=n)) for _ in range(2)]
    kinds = st.sampled_from(["summary", "literal", "outside_true", None])
    slices = data.draw(st.lists(kinds, min_size=n, max_size=n))
    answers = data.draw(st.lists(st.sampled_from(["a", "b", "c"]), min_size=n, max_size=n))
    measurer = world(
        gold, {"a": said[0], "b": said[1]}, slices=slices, answers=answers, resamples=40
    )
    policies = [parse_policy(p) for p in ("lenient", "strict", "drop_idk", "expected")]
    rows = policy_figures(measurer, policies, 0.5)
    estimates = list(measurer.differences("kappa", 0))
    for found, scored in zip(measurer.measure(), rows, strict=True):
        groups = [*found.slices.values(), *found.languages.values()]
        estimates += [*found.figures.values(), *(g.accuracy for g in groups)]
        estimates += [e for g in groups for e in g.figures.values()]
        estimates += [e for kinds_ in found.labels.values() for e in kinds_.values()]
        for policy in scored:
            estimates += [policy.mean_score, policy.bias, policy.mae, policy.pass_agreement]
            assert policy.gold_mean_score is None or np.isfinite(policy.gold_mean_score)
    for estimate in estimates:
        for number in (estimate.value, estimate.low, estimate.high):
            assert number is None or np.isfinite(number)
        assert estimate.value is not None or estimate.reason
