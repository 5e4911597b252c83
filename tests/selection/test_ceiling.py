from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from metajudge.agreement.ceiling import judge_kappas, pairwise_kappa
from metajudge.agreement.spread import NO_SPREAD
from metajudge.selection.ceiling import human_agreement, judge_agreement
from metajudge.selection.panel import panel
from tests.selection.people import GAPS, coded, panel_of, resampling_of


def test_people_with_each_other_by_hand() -> None:
    people = panel_of(GAPS)
    found = human_agreement(people, resampling_of(people), least_shared=1)
    # Pairs of labels: 3 of 3, 0 of 1, 3 of 3, 1 of 1.
    assert found.agreement.value == 7 / 8
    # Coincidences: 8 of 10 on the diagonal, totals 4, 4, 2.
    assert found.alpha.value == pytest.approx(1 - 0.2 / (64 / 90))
    # a and b: 2 of 3 agree, 4/9 by chance; the other pairs agree throughout.
    assert found.kappa.value == pytest.approx((0.4 + 1 + 1) / 3)
    assert (found.pairs, found.pairs_left_out) == (3, 0)
    assert {e.n for e in (found.agreement, found.kappa, found.alpha)} == {4}


def test_a_judge_with_people_by_hand() -> None:
    people = panel_of(GAPS)
    resampling = resampling_of(people)
    (found,) = judge_agreement(people, coded("yynf"), resampling, least_shared=1)
    # Labels equalled: 3 of 3, 1 of 2, 3 of 3, 0 of 2: a failure is nobody's label.
    assert found.agreement.value == 7 / 10
    kappas = [e.value for e in found.by_annotator.values()]
    assert list(found.by_annotator) == ["a", "b", "c"]
    assert kappas == pytest.approx([1, 1 / 3, 4 / 7])
    assert found.kappa.judge.value == pytest.approx((1 + 1 / 3 + 4 / 7) / 3)
    assert found.kappa.difference.value == pytest.approx((1 + 1 / 3 + 4 / 7) / 3 - 0.8)
    # (T + T') / 2 has 7 of 10 on the diagonal and totals 4.5, 3.5, 1 and 1.
    alpha = 1 - 0.3 * 90 / 65.5
    assert found.alpha.judge.value == pytest.approx(alpha)
    assert found.alpha.difference.value == pytest.approx(alpha - (1 - 0.2 / (64 / 90)))


def test_a_pair_with_too_few_claims_leaves_kappa_on_both_sides() -> None:
    people = panel_of(GAPS)
    resampling = resampling_of(people)
    human = human_agreement(people, resampling, least_shared=3)
    assert (human.pairs, human.pairs_left_out) == (2, 1)
    assert human.kappa.value == pytest.approx((0.4 + 1) / 2)
    (judge,) = judge_agreement(people, coded("ynni"), resampling, least_shared=4)
    assert judge.kappa.judge.value is None
    assert judge.kappa.difference.reason == "no two annotators share 4 claims"
    assert judge.alpha.judge.value is not None
    assert list(judge.by_annotator) == ["b"]


def test_annotators_who_change_from_claim_to_claim_still_have_an_alpha() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 60)
    labels = np.full((60, 40), -1)
    for claim in range(60):
        who = rng.choice(40, 2, replace=False)
        labels[claim, who] = np.where(rng.random(2) < 0.8, truth[claim], rng.integers(0, 3, 2))
    people = panel(labels, [f"p{i}" for i in range(40)], range(60), 3)
    found = human_agreement(people, resampling_of(people))
    assert (found.pairs, found.kappa.value) == (0, None)
    assert found.kappa.reason == "no two annotators share 10 claims"
    reference = krippendorff.alpha(
        np.where(labels < 0, np.nan, labels).T, level_of_measurement="nominal"
    )
    assert found.alpha.value == pytest.approx(reference, abs=1e-12)
    assert found.alpha.low is not None
    assert found.alpha.high is not None
    assert found.alpha.low < reference < found.alpha.high


def test_b96_gaps_are_no_label() -> None:
    people = panel_of({"a": "yyy-y", "b": "y-yyy", "c": "-yyy-"})
    found = human_agreement(people, resampling_of(people), least_shared=1)
    assert found.alpha.value == 1.0
    assert found.agreement.value == 1.0
    assert found.kappa.value is None
    assert found.kappa.reason == "only one and the same label was given"


def test_b96_one_annotator_is_null_with_the_reason() -> None:
    people = panel_of({"a": "ynyiy"})
    found = human_agreement(people, resampling_of(people))
    for estimate in (found.agreement, found.kappa, found.alpha):
        assert estimate.value is None
        assert estimate.reason == "no claim has labels of two annotators (1 annotator)"
    with pytest.raises(ValueError, match="no claim has labels of two annotators"):
        judge_agreement(people, coded("ynyiy"), resampling_of(people))


def test_b97_one_disagreement_of_rare_labels_gives_alpha_0_with_its_n() -> None:
    people = panel_of({"a": "y" * 12, "b": "y" * 11 + "n"})
    found = human_agreement(people, resampling_of(people))
    assert found.alpha.value == pytest.approx(0.0, abs=1e-12)
    assert found.alpha.n == 12
    assert found.agreement.value == pytest.approx(11 / 12)
    assert found.kappa.value == pytest.approx(0.0, abs=1e-12)


def test_full_agreement_is_no_certainty() -> None:
    people = panel_of({"a": "yniyniyniyni", "b": "yniyniyniyni"})
    found = human_agreement(people, resampling_of(people))
    assert (found.kappa.value, found.kappa.low, found.kappa.reason) == (1.0, None, NO_SPREAD)
    assert (found.alpha.value, found.alpha.low, found.alpha.reason) == (1.0, None, NO_SPREAD)
    assert found.agreement.low is not None
    assert found.agreement.low < 0.8
    (judge,) = judge_agreement(people, coded("y" * 12), resampling_of(people))
    assert judge.kappa.judge.value == 0.0
    assert judge.kappa.difference.low is None


def test_a_judge_drawn_from_the_people_has_a_ratio_of_about_1() -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 2000)
    everyone = np.where(rng.random((4, 2000)) < 0.7, truth, rng.integers(0, 3, (4, 2000)))
    people = panel(everyone[:3].T, "abc", np.arange(2000) // 4, 3)
    resampling = resampling_of(people)
    human = human_agreement(people, resampling)
    verdicts = np.stack([everyone[3], truth, rng.integers(0, 4, 2000)])
    person, oracle, chance = judge_agreement(people, verdicts, resampling)
    assert human.kappa.value is not None
    for found, ceiling in ((person.kappa, human.kappa), (person.alpha, human.alpha)):
        assert found.judge.value == pytest.approx(ceiling.value, rel=0.06)
        assert found.difference.low is not None
        assert found.difference.high is not None
        assert found.difference.low < 0 < found.difference.high
    assert oracle.kappa.difference.excludes_zero
    assert oracle.kappa.judge.value is not None
    assert oracle.kappa.judge.value > human.kappa.value
    assert chance.kappa.judge.value == pytest.approx(0, abs=0.03)


def test_differences_are_paired() -> None:
    # Hard and easy answers: both sides move together, so their difference varies less than either.
    rng = np.random.default_rng(8)
    hard = np.repeat(rng.random(60) < 0.5, 10)
    truth = rng.integers(0, 3, 600)
    right = rng.random((4, 600)) < np.where(hard, 0.4, 0.98)
    said = np.where(right, truth, rng.integers(0, 3, (4, 600)))
    people = panel(said[:3].T, "abc", np.arange(600) // 10, 3)
    resampling = resampling_of(people, 600)
    human = human_agreement(people, resampling).kappa
    (judge,) = judge_agreement(people, said[3:], resampling)
    own, gap = judge.kappa
    assert gap.high is not None
    assert gap.low is not None
    widths = [e.high - e.low for e in (human, own) if e.high is not None and e.low is not None]
    assert len(widths) == 2
    assert gap.high - gap.low < min(widths)


ratings = st.integers(2, 4).flatmap(
    lambda people: st.lists(
        st.lists(st.integers(-1, 2), min_size=people, max_size=people), min_size=4, max_size=30
    )
)


@settings(max_examples=30, deadline=None)
@given(labels=ratings, seed=st.integers(0, 99))
def test_equal_to_the_plain_functions_whatever_the_order(
    labels: list[list[int]], seed: int
) -> None:
    codes = np.asarray(labels)
    rng = np.random.default_rng(seed)
    people = panel(codes, range(codes.shape[1]), range(len(codes)), 3)
    resampling = resampling_of(people, 20)
    found = human_agreement(people, resampling, least_shared=1)
    kappas = pairwise_kappa(people.ratings)[np.triu_indices(len(people.ratings), 1)]
    expected = None if np.isnan(kappas).all() else float(np.nanmean(kappas))
    assert found.kappa.value == (expected if expected is None else pytest.approx(expected))
    if people.annotators:
        verdict = rng.integers(0, 4, len(codes))
        (judge,) = judge_agreement(people, verdict[None], resampling, least_shared=1)
        plain = judge_kappas(people.ratings, verdict)
        single = [np.nan if e.value is None else e.value for e in judge.by_annotator.values()]
        np.testing.assert_allclose(single, plain, atol=1e-12)
        mean = None if np.isnan(plain).all() else pytest.approx(float(np.nanmean(plain)))
        assert judge.kappa.judge.value == mean
    claims, order = rng.permutation(len(codes)), rng.permutation(codes.shape[1])
    shuffled = panel(codes[claims][:, order], range(codes.shape[1]), range(len(codes)), 3)
    again = human_agreement(shuffled, resampling, least_shared=1)
    for one, other in zip(found[:3], again[:3], strict=True):
        assert one.n == other.n
        assert one.value == (None if other.value is None else pytest.approx(other.value))


def test_judge_kappa_equals_scikit_learn_for_each_annotator() -> None:
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 3, (50, 3))
    verdict = np.where(rng.random(50) < 0.6, labels[:, 0], rng.integers(0, 3, 50))
    people = panel(labels, "abc", range(50), 3)
    (judge,) = judge_agreement(people, verdict[None], resampling_of(people))
    for column, estimate in enumerate(judge.by_annotator.values()):
        assert estimate.value == pytest.approx(cohen_kappa_score(labels[:, column], verdict))
