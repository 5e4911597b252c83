from __future__ import annotations

import krippendorff
import numpy as np
import pytest

from metajudge.agreement.alpha import (
    alpha_of_coincidences,
    alpha_of_table,
    coincidences,
    krippendorff_alpha,
)
from metajudge.agreement.fleiss import rating_counts
from metajudge.agreement.table import confusion_table

SCALES = ["nominal", "ordinal", "interval"]


def test_worked_examples_of_the_paper(reference):
    for case in reference("alpha.json"):
        counts = rating_counts(case["ratings"], case["categories"])
        for scale, expected in case["expected"].items():
            assert round(float(krippendorff_alpha(counts, scale)), 3) == expected, case["source"]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", range(3))
def test_equal_to_krippendorff_with_gaps(scale, seed):
    source = np.random.default_rng(seed)
    ratings = source.integers(-1, 4, (4, 50))
    known = np.where(ratings < 0, np.nan, ratings)
    expected = krippendorff.alpha(known, level_of_measurement=scale)
    got = krippendorff_alpha(rating_counts(ratings, 4), scale)
    assert got == pytest.approx(expected, abs=1e-12)


def test_positions_place_labels_on_the_scale():
    ratings = np.array([[0, 1, 2, 2, 0, 1], [0, 2, 2, 1, 1, 1]])
    counts = rating_counts(ratings, 3)
    places = np.array([2.0, 0.0, 1.0])
    expected = krippendorff.alpha(places[ratings], level_of_measurement="interval")
    assert krippendorff_alpha(counts, "interval", places) == pytest.approx(expected, abs=1e-12)
    expected = krippendorff.alpha(places[ratings], level_of_measurement="ordinal")
    assert krippendorff_alpha(counts, "ordinal", places) == pytest.approx(expected, abs=1e-12)
    with pytest.raises(ValueError, match="3 numbers"):
        krippendorff_alpha(counts, "interval", [0, 1])


def test_b96_gaps_are_not_a_label_and_one_rater_is_undefined():
    three = np.array([[0, 0, -1, 0], [0, -1, 0, 0], [-1, 0, 0, 0]])
    assert krippendorff_alpha(rating_counts(three, 3)) == 1.0
    mixed = np.array([[0, 1, -1, 2], [0, -1, 2, 2], [-1, 1, 2, 2]])
    assert krippendorff_alpha(rating_counts(mixed, 3)) == 1.0
    assert np.isnan(krippendorff_alpha(rating_counts([[0, 1, 2]], 3)))


def test_b97_zero_from_one_disagreement_is_the_formula():
    ratings = np.zeros((2, 12), int)
    ratings[1, 0] = 1
    got = float(krippendorff_alpha(rating_counts(ratings, 2)))
    assert got == pytest.approx(0.0, abs=1e-12)
    expected = krippendorff.alpha(ratings, level_of_measurement="nominal")
    assert got == pytest.approx(expected, abs=1e-12)


def test_table_form_equals_two_raters(labels):
    gold, verdict = labels(4, failures=0.1)
    expected = krippendorff.alpha(np.array([gold, verdict]), level_of_measurement="nominal")
    assert alpha_of_table(confusion_table(gold, verdict)) == pytest.approx(expected, abs=1e-12)


def test_added_units_equal_the_whole(rng):
    counts = rating_counts(rng.integers(0, 3, (3, 40)), 3)
    halves = coincidences(counts[:20]).sum(0) + coincidences(counts[20:]).sum(0)
    assert alpha_of_coincidences(halves) == pytest.approx(
        float(krippendorff_alpha(counts)), abs=1e-12
    )
