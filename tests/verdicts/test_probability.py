"""Label probabilities from the first token, and the prior divided out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metajudge.templates.dialect import LETTERS, RELATION, WORDS, Dialect
from metajudge.verdicts.probability import label_probabilities, prior_corrected, top_label
from metajudge.verdicts.verdict import LabelProbabilities, TokenLogprob


def tokens(*pairs: tuple[str, float]) -> list[TokenLogprob]:
    return [TokenLogprob(token, math.log(p)) for token, p in pairs]


def test_b55_all_spellings_of_a_label_are_summed() -> None:
    first = tokens((" no", 0.3), ("No", 0.2), ("NO", 0.1), (" yes", 0.3), ("I", 0.05), ("x", 0.05))
    measured = label_probabilities(first, WORDS["en"])
    assert measured is not None
    probabilities, mass = measured
    assert mass == pytest.approx(0.95)
    assert probabilities.no == pytest.approx(0.6 / 0.95)
    assert probabilities.idk == pytest.approx(0.05 / 0.95)
    assert sum(probabilities) == pytest.approx(1.0)


@pytest.mark.parametrize("first", [(), tokens(("The", 0.9), ("{", 0.1)), tokens((" ", 1.0))])
def test_b54_no_label_among_the_candidates_gives_none(first: list[TokenLogprob]) -> None:
    assert label_probabilities(first, WORDS["en"]) is None


def test_a_shared_prefix_counts_for_no_label() -> None:
    dialect = Dialect(name="zh", words={"yes": "是", "no": "不是", "idk": "不知道"})
    measured = label_probabilities(tokens(("不", 0.5), ("不知", 0.2), ("是", 0.2)), dialect)
    assert measured is not None
    assert measured[1] == pytest.approx(0.4)
    assert measured[0].idk == pytest.approx(0.5)


def test_a_whole_spelling_goes_before_being_a_prefix() -> None:
    dialect = Dialect(name="d", words={"yes": "no", "idk": "no answer"})
    measured = label_probabilities(tokens(("no", 0.5), ("no a", 0.5)), dialect)
    assert measured is not None
    assert measured[0] == LabelProbabilities(0.5, 0.0, 0.5)


def test_proper_prefixes_count() -> None:
    measured = label_probabilities(
        tokens(("supp", 0.4), ("contr", 0.3), ("not", 0.2), ("no", 0.1)), RELATION["en"]
    )
    assert measured is not None
    assert measured[0] == pytest.approx((0.4, 0.3, 0.3))


def test_letters_are_equal_or_nothing() -> None:
    measured = label_probabilities(tokens(("A", 0.5), (" b", 0.2), ("D", 0.3)), LETTERS["en"])
    assert measured is not None
    assert measured[1] == pytest.approx(0.7)


def test_other_dialects_words_carry_no_mass() -> None:
    assert label_probabilities(tokens(("yes", 0.9)), LETTERS["en"]) is None


@given(
    st.lists(
        st.tuples(st.sampled_from([" yes", "no", "No", "idk", "I", "x"]), st.floats(-30, 0)),
        max_size=20,
    )
)
def test_mass_and_sum_stay_in_range(pairs: list[tuple[str, float]]) -> None:
    measured = label_probabilities([TokenLogprob(*pair) for pair in pairs], WORDS["en"])
    if measured is not None:
        assert 0.0 < measured[1] <= 1.0
        assert sum(measured[0]) == pytest.approx(1.0)


def test_nan_and_infinite_logprobs_are_harmless() -> None:
    first = [TokenLogprob("yes", float("nan")), TokenLogprob("no", float("-inf"))]
    assert label_probabilities(first, WORDS["en"]) is None


def test_top_label_of_equals_is_the_one_offered_first() -> None:
    even = LabelProbabilities(0.5, 0.5, 0.0)
    assert top_label(even, ("no", "yes")) == "no"


def test_prior_corrected_by_hand() -> None:
    corrected = prior_corrected([[0.6, 0.2, 0.2], [np.nan] * 3], [0.8, 0.1, 0.1])
    expected = np.array([0.75, 2.0, 2.0]) / 4.75
    np.testing.assert_allclose(corrected[0], expected, atol=1e-12)
    assert np.isnan(corrected[1]).all()


def test_a_flat_prior_changes_nothing() -> None:
    rows = np.random.default_rng(7).dirichlet([1, 1, 1], size=50)
    np.testing.assert_allclose(prior_corrected(rows, [1, 1, 1]), rows, atol=1e-12)


def test_content_free_input_becomes_uniform() -> None:
    np.testing.assert_allclose(prior_corrected([[0.7, 0.2, 0.1]], [0.7, 0.2, 0.1]), 1 / 3)


def test_a_label_not_offered_stays_at_zero() -> None:
    corrected = prior_corrected([[0.9, 0.1, 0.0]], [0.9, 0.1, 0.0])
    np.testing.assert_allclose(corrected, [[0.5, 0.5, 0.0]])


@pytest.mark.parametrize(
    ("rows", "prior"),
    [
        ([[0.5, 0.5]], [1, 1, 1]),
        ([[1, 0, 0]], [1, 1]),
        ([[1, 0, 0]], [0, 0, 0]),
        ([[1, 0, 0]], [-1, 1, 1]),
        ([[1, 0, 0]], [np.nan, 1, 1]),
    ],
)
def test_bad_shapes_and_priors_are_refused(rows: list[list[float]], prior: list[float]) -> None:
    with pytest.raises(ValueError, match="prior_corrected"):
        prior_corrected(rows, prior)
