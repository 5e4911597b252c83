"""Oracles, and properties that whole sets of coefficients share."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from metajudge.agreement.arrays import as_floats
from metajudge.agreement.coefficients import COEFFICIENTS, ORDERED, label_score
from metajudge.agreement.table import confusion_table

ALL = {**COEFFICIENTS, **{each.name: each for each in ORDERED}}
SYMMETRIC = [name for name in ALL if name not in ("balanced_accuracy", "coverage")]
RELABELLING_INVARIANT = list(COEFFICIENTS)
SIZE_INVARIANT = [name for name in ALL if name != "krippendorff_alpha"]
PERFECT_IS_ONE = list(ALL)
ZERO_BY_CHANCE = ["mcc", "cohen_kappa", "kappa_linear", "kappa_quadratic"]
HURT_BY_FAILURE = [name for name in ALL if name not in ("mcc", "macro_f1")]

codes = st.integers(0, 2)
pairs = st.lists(st.tuples(codes, codes), min_size=1, max_size=40)
with_failures = st.lists(st.tuples(codes, st.integers(0, 3)), min_size=1, max_size=40)
quick = settings(max_examples=25, deadline=None)


def same(left, right) -> None:
    np.testing.assert_allclose(left, right, rtol=0, atol=1e-12, equal_nan=True)


def table_of(rows):
    gold, verdict = np.array(rows).T
    return confusion_table(gold, verdict)


@pytest.mark.parametrize("seed", range(4))
def test_equal_to_scikit_learn(labels, seed):
    gold, verdict = labels(seed)
    table = confusion_table(gold, verdict)
    expected = {
        "accuracy": metrics.accuracy_score(gold, verdict),
        "balanced_accuracy": metrics.balanced_accuracy_score(gold, verdict),
        "macro_f1": metrics.f1_score(gold, verdict, average="macro"),
        "mcc": metrics.matthews_corrcoef(gold, verdict),
        "cohen_kappa": metrics.cohen_kappa_score(gold, verdict),
    }
    for name, value in expected.items():
        same(ALL[name](table), value)


@pytest.mark.parametrize("seed", range(3))
def test_failures_equal_a_further_label_in_scikit_learn(labels, seed):
    gold, verdict = labels(seed, failures=0.2)
    table = confusion_table(gold, verdict)
    same(ALL["mcc"](table), metrics.matthews_corrcoef(gold, verdict))
    same(ALL["cohen_kappa"](table), metrics.cohen_kappa_score(gold, verdict))
    same(ALL["accuracy"](table), metrics.accuracy_score(gold, verdict))
    recall = metrics.recall_score(gold, verdict, labels=[0, 1, 2], average=None)
    precision = metrics.precision_score(gold, verdict, labels=[0, 1, 2], average=None)
    f1 = metrics.f1_score(gold, verdict, labels=[0, 1, 2], average=None)
    for label in range(3):
        same(label_score("recall", label, "x")(table), recall[label])
        same(label_score("precision", label, "x")(table), precision[label])
        same(label_score("f1", label, "x")(table), f1[label])


def test_worked_examples_of_the_papers(reference):
    for case in reference("tables.json"):
        for name, value in case["expected"].items():
            got = float(ALL[name](case["table"]))
            assert round(got, case["decimals"]) == pytest.approx(value), (case["source"], name)


@pytest.mark.parametrize("name", SYMMETRIC)
@quick
@given(rows=pairs)
def test_symmetric_in_raters(name, rows):
    same(ALL[name](table_of(rows)), ALL[name](table_of([(b, a) for a, b in rows])))


@pytest.mark.parametrize("name", RELABELLING_INVARIANT)
@quick
@given(rows=with_failures, order=st.permutations([0, 1, 2]))
def test_invariant_to_relabelling(name, rows, order):
    renamed = [(order[a], b if b == 3 else order[b]) for a, b in rows]
    same(ALL[name](table_of(rows)), ALL[name](table_of(renamed)))


@pytest.mark.parametrize("name", list(ALL))
@quick
@given(rows=with_failures, shuffle=st.randoms())
def test_invariant_to_order_of_claims(name, rows, shuffle):
    mixed = list(rows)
    shuffle.shuffle(mixed)
    same(ALL[name](table_of(rows)), ALL[name](table_of(mixed)))


@pytest.mark.parametrize("name", SIZE_INVARIANT)
@quick
@given(rows=with_failures)
def test_invariant_to_duplicated_claims(name, rows):
    same(ALL[name](table_of(rows)), ALL[name](table_of(rows * 3)))


@pytest.mark.parametrize("name", list(ALL))
@quick
@given(rows=with_failures)
def test_within_bounds_and_the_same_in_a_batch(name, rows):
    coefficient, table = ALL[name], table_of(rows)
    value = coefficient(table)
    if not np.isnan(value):
        assert coefficient.low - 1e-12 <= value <= coefficient.high + 1e-12
    batch = coefficient(np.stack([table, table * 2, np.zeros_like(table)])[None])
    assert batch.shape == (1, 3)
    same(batch[0, 0], value)
    assert np.isnan(batch[0, 2])


@pytest.mark.parametrize("name", PERFECT_IS_ONE)
@quick
@given(gold=st.lists(codes, min_size=2, max_size=30).filter(lambda x: len(set(x)) > 1))
def test_one_when_perfect(name, gold):
    same(ALL[name](confusion_table(gold, gold)), 1.0)


@pytest.mark.parametrize("name", ZERO_BY_CHANCE)
@quick
@given(
    gold=st.lists(st.integers(1, 20), min_size=3, max_size=3),
    said=st.lists(st.integers(0, 20), min_size=4, max_size=4).filter(lambda x: sum(x[:3]) > 0),
)
def test_zero_when_independent(name, gold, said):
    table = np.outer(gold, said)
    value = ALL[name](table)
    if not (name == "mcc" and np.count_nonzero(said) == 1):
        assert value == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("name", HURT_BY_FAILURE)
def test_a_right_verdict_lost_to_failure_never_helps(name, labels):
    gold, verdict = labels(3)
    lost = verdict.copy()
    hits = np.flatnonzero(gold == verdict)
    lost[hits[::4]] = 3
    before, after = (
        ALL[name](confusion_table(gold, verdict)),
        ALL[name](confusion_table(gold, lost)),
    )
    assert after < before


@pytest.mark.parametrize("name", list(ALL))
def test_a_judge_that_only_fails_is_never_credited(name):
    gold = np.array([0, 1, 2, 0, 1])
    value = ALL[name](confusion_table(gold, np.full(5, 3)))
    assert np.isnan(value) or value <= 0.0


@pytest.mark.parametrize("constant", [0, 1, 2])
def test_constant_judges_earn_nothing_beyond_chance(constant):
    gold = np.repeat([0, 1, 2], [45, 25, 30])
    table = confusion_table(gold, np.full(100, constant))
    assert np.isnan(ALL["mcc"](table))
    same(ALL["cohen_kappa"](table), 0.0)
    same(ALL["balanced_accuracy"](table), 1 / 3)


def test_input_may_be_a_plain_list():
    assert float(ALL["accuracy"]([[1, 0, 0], [0, 1, 0]])) == 1.0
    assert as_floats([1]).dtype == np.float64
