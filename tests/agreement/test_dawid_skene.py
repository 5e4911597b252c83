"""Dawid-Skene against the example of its paper, another implementation and slow loops.

The ratings are those of Table 1 of Dawid and Skene (1979): 45 patients, five anaesthetists, the
first of whom rated three times. The expected estimates were made by crowd-kit 1.4.2,
`DawidSkene(n_iter=500, tol=-1e9)`, in an environment of its own. With its default tolerance that
version stops after four iterations, short of the maximum: its stopping rule adds the log of the
prior once a rating instead of once a patient.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from metajudge.agreement.dawid_skene import dawid_skene

PATIENTS = """
111 1111  333 4334  112 2122  222 3121  222 3222  222 3322  122 2111  333 3433  222 2223
232 2223  444 4444  222 3343  111 1111  222 3212  121 1111  111 2111  111 1111  111 1111
222 2221  222 1322  222 2222  222 2221  222 3222  221 2222  111 1111  111 1111  232 2222
111 1111  111 1111  112 1121  111 1111  333 3233  111 1111  222 2222  222 3232  433 4343
221 2232  232 3233  333 3432  111 1111  111 1111  121 2111  232 2222  121 1111  222 2222
"""
ROWS = [first + rest for first, rest in zip(*[iter(PATIENTS.split())] * 2, strict=True)]
RATINGS = np.array([[int(label) - 1 for label in row] for row in ROWS]).T
OWNER = [0, 0, 0, 1, 2, 3, 4]
CROWD_KIT_PRIOR = [0.399555, 0.421983, 0.111795, 0.066667]
CROWD_KIT_RATES = [
    [[0.8895, 0.1105, 0, 0], [0.0706, 0.8764, 0.0530, 0], [0, 0.3388, 0.6612, 0],
     [0, 0, 0.5556, 0.4444]],
    [[0.8342, 0.1658, 0, 0], [0.0527, 0.6329, 0.3143, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
    [[1, 0, 0, 0], [0.1064, 0.7883, 0.1053, 0], [0, 0.4037, 0.1988, 0.3976],
     [0, 0, 0.6667, 0.3333]],
    [[0.9444, 0.0556, 0, 0], [0.0537, 0.8426, 0.1037, 0], [0, 0, 0.8012, 0.1988],
     [0, 0, 0.3333, 0.6667]],
    [[1, 0, 0, 0], [0.1590, 0.7345, 0.1064, 0], [0, 0.2091, 0.7909, 0],
     [0, 0, 0.3333, 0.6667]],
]  # fmt: skip


def by_loops(ratings, owner, n_labels, iterations):
    """Equations 2.3 to 2.5 of the paper, one sum at a time; smoothing 0."""
    n, people = ratings.shape[1], max(owner) + 1
    counts = np.zeros((n, people, n_labels))
    for row, person in enumerate(owner):
        for claim in range(n):
            if ratings[row, claim] >= 0:
                counts[claim, person, ratings[row, claim]] += 1
    believed = counts.sum(1) / counts.sum((1, 2))[:, None]
    for _ in range(iterations):
        prior = believed.mean(0)
        rates = np.zeros((people, n_labels, n_labels))
        for person in range(people):
            for true in range(n_labels):
                rates[person, true] = believed[:, true] @ counts[:, person]
                rates[person, true] /= rates[person, true].sum()
        joint = np.array(
            [
                [prior[true] * np.prod(rates[:, true] ** counts[i]) for true in range(n_labels)]
                for i in range(n)
            ]
        )
        believed = joint / joint.sum(1, keepdims=True)
    return believed, prior, rates, np.log(joint.sum(1)).sum()


def test_the_anaesthetists_of_the_paper_as_crowd_kit_has_them():
    fit = dawid_skene(RATINGS, 4, owner=OWNER, smoothing=0)
    assert fit.converged
    np.testing.assert_allclose(fit.prior, CROWD_KIT_PRIOR, atol=2e-6)
    np.testing.assert_allclose(fit.confusion, CROWD_KIT_RATES, atol=6e-5)
    np.testing.assert_allclose(fit.posterior[6], [0.9810, 0.0190, 0, 0], atol=5e-5)
    assert fit.posterior[2].argmax() == 1
    assert np.abs(fit.posterior.sum(1) - 1).max() < 1e-12


def test_equal_to_the_equations_written_as_loops():
    fit = dawid_skene(RATINGS, 4, owner=OWNER, smoothing=0, most_iterations=7, tolerance=0)
    believed, prior, rates, likelihood = by_loops(RATINGS, OWNER, 4, 7)
    np.testing.assert_allclose(fit.posterior, believed, atol=1e-12)
    np.testing.assert_allclose(fit.prior, prior, atol=1e-12)
    np.testing.assert_allclose(fit.confusion, rates, atol=1e-12)
    assert fit.log_likelihood == pytest.approx(likelihood, abs=1e-9)
    assert len(fit.objective) == 7


@settings(max_examples=60, deadline=None)
@given(
    arrays(np.int64, st.tuples(st.integers(1, 5), st.integers(1, 30)), elements=st.integers(-1, 2)),
    st.sampled_from([0.0, 0.01, 0.5, 2.0]),
)
def test_the_objective_never_falls_and_shares_are_shares(ratings, smoothing):
    fit = dawid_skene(ratings, 3, smoothing=smoothing)
    rises = np.diff(fit.objective)
    assert (rises >= -1e-9 * np.maximum(1, np.abs(fit.objective[1:]))).all()
    labelled = (ratings >= 0).any(0)
    assert np.isnan(fit.posterior[~labelled]).all()
    np.testing.assert_allclose(fit.posterior[labelled].sum(1), 1, atol=1e-9)
    np.testing.assert_allclose(fit.confusion.sum(-1), 1, atol=1e-9)
    np.testing.assert_allclose(fit.prior.sum(), 1, atol=1e-9)
    assert fit.log_likelihood <= 1e-9


def test_the_order_of_claims_and_annotators_does_not_matter():
    source = np.random.default_rng(4)
    ratings = source.integers(-1, 3, (4, 40))
    ratings[0] = np.arange(40) % 3
    fit = dawid_skene(ratings)
    people, claims = source.permutation(4), source.permutation(40)
    other = dawid_skene(ratings[people][:, claims])
    np.testing.assert_allclose(other.posterior, fit.posterior[claims], atol=1e-6)
    np.testing.assert_allclose(other.confusion, fit.confusion[people], atol=1e-6)


def test_a_careful_one_outweighs_two_who_guess():
    source = np.random.default_rng(1)
    truth = source.integers(0, 3, 600)

    def person(right):
        wrong = (truth + source.integers(1, 3, 600)) % 3
        return np.where(source.random(600) < right, truth, wrong)

    ratings = np.stack([person(0.95), person(0.95), person(0.4), person(0.4), person(0.4)])
    votes = (ratings[..., None] == np.arange(3)).sum(0)
    fit = dawid_skene(ratings)
    model = (fit.posterior.argmax(1) == truth).mean()
    assert model > (votes.argmax(1) == truth).mean() + 0.05
    np.testing.assert_allclose(np.einsum("rkk->rk", fit.confusion)[:2], 0.95, atol=0.06)


def test_classes_keep_their_names():
    source = np.random.default_rng(2)
    truth = source.integers(0, 2, 300)
    ratings = np.stack([np.where(source.random(300) < 0.8, truth, 1 - truth) for _ in range(3)])
    assert (dawid_skene(ratings, 2).posterior.argmax(1) == truth).mean() > 0.8


def test_smoothing_keeps_few_claims_from_certainty():
    ratings = [[0, 1, 0, 1], [0, 1, 0, 0], [0, 1, 1, 1]]
    assert dawid_skene(ratings, 2, smoothing=0).posterior.max() > 0.999
    assert dawid_skene(ratings, 2).posterior.max() < 0.99


def test_nothing_to_fit():
    empty = dawid_skene(np.full((2, 3), -1))
    assert np.isnan(empty.posterior).all()
    assert (empty.objective, empty.converged) == ((), True)
    assert dawid_skene(np.zeros((0, 3), int)).confusion.shape == (0, 3, 3)
    one = dawid_skene([[0, 0, 0]])
    assert one.posterior.argmax(1).tolist() == [0, 0, 0]


def test_iterations_can_be_too_few():
    assert not dawid_skene(RATINGS, 4, owner=OWNER, most_iterations=2).converged


@pytest.mark.parametrize(
    ("ratings", "options", "law"),
    [
        ([[0, 3]], {}, "label codes must be 0 … 2"),
        ([[0, -2]], {}, "label codes must be 0 … 2"),
        ([0, 1], {}, "ratings must have shape"),
        ([[0, 1]], {"owner": [0, 1]}, "owner must name the annotator of each of 1 row"),
        ([[0, 1]], {"smoothing": -1.0}, "smoothing and tolerance must be 0 or more"),
        ([[0, 1]], {"most_iterations": 0}, "most_iterations 1 or more"),
    ],
)
def test_what_cannot_be_meant_is_refused(ratings, options, law):
    with pytest.raises(ValueError, match=law):
        dawid_skene(ratings, **options)
