"""Properties that every coefficient of two or more raters shares, all of them at once."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import fleiss_kappa as fleiss_oracle

from metajudge.agreement import (
    COEFFICIENTS,
    LABEL_POSITIONS,
    ORDERED,
    RATER_COEFFICIENTS,
    cluster_tables,
    cluster_weights,
    confusion_table,
    estimate,
    judge_kappas,
    pairwise_kappa,
    rater_agreement,
    rating_counts,
)

TABLES = {**COEFFICIENTS, **{each.name: each for each in ORDERED}}
GAPS = [name for name in RATER_COEFFICIENTS if name != "fleiss_kappa"]
NOMINAL = ["fleiss_kappa", "krippendorff_alpha", "gwet_ac1"]
SMALL_SAMPLE = [name for name in RATER_COEFFICIENTS if name.startswith("krippendorff")]
"""Alpha corrects for the number of ratings, so that duplicated claims move it a little."""

quick = settings(max_examples=40, deadline=None)


@st.composite
def ratings(draw, gaps: bool = True, raters: tuple[int, int] = (2, 5)):
    """Label codes (R, N), -1 for a gap."""
    n_raters = draw(st.integers(*raters))
    n_units = draw(st.integers(1, 25))
    label = st.integers(-1 if gaps else 0, 2)
    flat = draw(st.lists(label, min_size=n_raters * n_units, max_size=n_raters * n_units))
    return np.array(flat).reshape(n_raters, n_units)


def values_of(codes, names=tuple(RATER_COEFFICIENTS)):
    """Every coefficient by name."""
    counts = rating_counts(codes, 3)
    kinds = {name: RATER_COEFFICIENTS[name] for name in names}
    return {
        name: float(kind.coefficient(kind.units(counts).sum(0))) for name, kind in kinds.items()
    }


def same(left, right, atol=1e-12):
    assert left.keys() == right.keys()
    for name, value in left.items():
        np.testing.assert_allclose(value, right[name], rtol=0, atol=atol, equal_nan=True,
                                   err_msg=name)  # fmt: skip


@quick
@given(codes=ratings(), shuffle=st.randoms())
def test_order_of_raters_and_of_claims_does_not_matter(codes, shuffle):
    raters, units = list(range(len(codes))), list(range(codes.shape[1]))
    shuffle.shuffle(raters)
    shuffle.shuffle(units)
    same(values_of(codes, GAPS), values_of(codes[raters][:, units], GAPS))


@quick
@given(codes=ratings(gaps=False), shuffle=st.randoms())
def test_fleiss_too_where_nothing_is_missing(codes, shuffle):
    raters, units = list(range(len(codes))), list(range(codes.shape[1]))
    shuffle.shuffle(raters)
    shuffle.shuffle(units)
    same(values_of(codes), values_of(codes[raters][:, units]))


@quick
@given(codes=ratings(gaps=False), order=st.permutations([0, 1, 2]))
def test_nominal_coefficients_do_not_depend_on_the_names_of_labels(codes, order):
    same(values_of(codes, NOMINAL), values_of(np.array(order)[codes], NOMINAL))


@quick
@given(codes=ratings(gaps=False))
def test_ordered_coefficients_do_not_depend_on_the_direction_of_the_order(codes):
    ordered = [name for name in RATER_COEFFICIENTS if name not in NOMINAL]
    turned = np.array([1, 0, 2])[codes]
    same(values_of(codes, ordered), values_of(turned, ordered))


@quick
@given(codes=ratings(gaps=False), times=st.integers(2, 4))
def test_duplicated_claims_change_nothing(codes, times):
    names = [name for name in RATER_COEFFICIENTS if name not in SMALL_SAMPLE]
    same(values_of(codes, names), values_of(np.tile(codes, times), names))


@quick
@given(codes=ratings(gaps=False))
def test_alpha_nears_its_limit_as_claims_are_duplicated(codes):
    once, often, limit = (
        values_of(np.tile(codes, times), SMALL_SAMPLE) for times in (1, 50, 20000 // codes.size)
    )
    for name in SMALL_SAMPLE:
        assert abs(often[name] - limit[name]) <= abs(once[name] - limit[name]) + 1e-9


@quick
@given(codes=ratings())
def test_a_claim_with_one_rating_adds_no_agreement(codes):
    alone = np.full((len(codes), 1), -1)
    alone[0] = 1
    names = [name for name in GAPS if name not in ("gwet_ac1", "gwet_ac2")]
    same(values_of(codes, names), values_of(np.hstack([codes, alone]), names))


@quick
@given(codes=ratings())
def test_within_bounds_or_undefined_for_a_reason(codes):
    overlap = bool(((codes >= 0).sum(0) >= 2).any())
    for name, value in values_of(codes, GAPS).items():
        coefficient = RATER_COEFFICIENTS[name].coefficient
        assert np.isnan(value) != overlap, name
        if overlap:
            assert coefficient.low - 1e-12 <= value <= coefficient.high + 1e-12, name


@quick
@given(label=st.integers(0, 2), shape=st.tuples(st.integers(2, 4), st.integers(1, 10)))
def test_b96_one_label_only(label, shape):
    found = values_of(np.full(shape, label))
    assert np.isnan(found.pop("fleiss_kappa"))
    same(found, dict.fromkeys(found, 1.0))


@quick
@given(codes=ratings(gaps=False, raters=(2, 5)))
def test_equal_to_krippendorff_and_statsmodels(codes):
    found = values_of(codes)
    if len(np.unique(codes)) < 2:
        return
    places = np.array(LABEL_POSITIONS)[codes]
    for name, scale in (("", "nominal"), ("_ordinal", "ordinal"), ("_interval", "interval")):
        oracle = krippendorff.alpha(places, level_of_measurement=scale)
        assert found[f"krippendorff_alpha{name}"] == pytest.approx(oracle, abs=1e-12)
    oracle = fleiss_oracle(rating_counts(codes, 3))
    assert found["fleiss_kappa"] == pytest.approx(oracle, abs=1e-12)


@quick
@given(codes=ratings(gaps=False, raters=(2, 2)))
def test_two_raters_as_a_table_or_as_counts(codes):
    table = confusion_table(*codes)
    pairs = {
        "krippendorff_alpha": "krippendorff_alpha",
        "gwet_ac1": "gwet_ac1",
        "gwet_ac2": "gwet_ac2",
    }
    found = values_of(codes)
    for counts, name in pairs.items():
        np.testing.assert_allclose(found[counts], TABLES[name](table), atol=1e-12, err_msg=name)


ONE_LABEL = {"mcc", "cohen_kappa", "kappa_linear", "kappa_quadratic"}


@pytest.mark.parametrize("name", list(TABLES))
def test_one_label_only_is_null_with_a_reason_or_perfect(name):
    gold = np.ones(40, int)
    sums = cluster_tables(np.arange(40), gold, gold)
    found = estimate(sums, TABLES[name], cluster_weights(40, 50, np.random.default_rng(1)))[0]
    if name in ONE_LABEL:
        assert (found.value, found.low, found.high) == (None, None, None)
        assert "one" in found.reason
        assert "label" in found.reason
    else:
        assert found.value == 1.0
        assert found.reason is None


@pytest.mark.parametrize("name", GAPS)
def test_no_overlap_is_null_with_a_reason(name):
    apart = np.full((2, 40), -1)
    apart[0, :20], apart[1, 20:] = 0, 1
    weights = cluster_weights(40, 50, np.random.default_rng(1))
    found = rater_agreement(apart, np.arange(40), weights, name)
    assert (found.value, found.low, found.high, found.n) == (None, None, None, 0)
    assert found.reason == "no claim has two ratings"
    assert np.isnan(pairwise_kappa(apart)).all()
    assert np.isnan(judge_kappas(apart[[0]][:, 20:], apart[1, 20:])).all()


def test_fleiss_of_one_label_is_null_with_a_reason_and_gaps_are_refused():
    weights = cluster_weights(40, 50, np.random.default_rng(1))
    same_label = np.ones((3, 40), int)
    found = rater_agreement(same_label, np.arange(40), weights, "fleiss_kappa")
    assert (found.value, found.reason) == (None, "every rating is one label")
    same_label[0, 0] = -1
    with pytest.raises(ValueError, match="use Krippendorff's alpha"):
        rater_agreement(same_label, np.arange(40), weights, "fleiss_kappa")


@pytest.mark.parametrize("name", list(RATER_COEFFICIENTS))
def test_agreement_of_raters_has_an_interval_by_cluster(name, rng):
    truth = rng.integers(0, 3, 200)
    codes = np.where(rng.random((3, 200)) < 0.8, truth, rng.integers(0, 3, (3, 200)))
    weights = cluster_weights(50, 300, rng)
    found = rater_agreement(codes, np.arange(200) // 4, weights, name)
    assert found.value == pytest.approx(values_of(codes)[name], abs=1e-12)
    assert found.low < found.value < found.high
    assert (found.n, found.n_clusters, found.warning) == (200, 50, None)
