from __future__ import annotations

import numpy as np
import pytest

from metajudge.agreement.coefficients import COEFFICIENTS
from metajudge.selection.guardrails import Bounds
from metajudge.selection.limits import kappa_gradient
from metajudge.selection.racing.blocks import bare_measurer, stratified_blocks
from metajudge.selection.racing.chance import (
    chance_otherwise,
    full_grids,
    gradient,
    influences,
    ties,
)
from metajudge.selection.rule import Contest
from metajudge.selection.ties import figure_sums
from tests.selection.racing_worlds import LIFTED, keys_of, planted

CONTEST = Contest("kappa", LIFTED, None, np.zeros(5))


def test_slopes_are_the_derivative_of_kappa() -> None:
    columns, codes = planted(1, 3, 80)
    figure = figure_sums(bare_measurer(columns, keys_of(3), codes, "context", 0.95), "kappa")
    totals = figure.sums.totals
    assert gradient(figure, totals) == pytest.approx(kappa_gradient(totals), abs=1e-7)
    pulls = influences(figure, np.ones(len(figure.sums.sums)))
    assert pulls.sum(0) == pytest.approx(0, abs=1e-7)


@pytest.mark.parametrize("name", ["kappa", "summary_as_idk", "balanced_accuracy", "accuracy"])
def test_slopes_foretell_a_small_change(name: str) -> None:
    columns, codes = planted(2, 3, 200)
    figure = figure_sums(bare_measurer(columns, keys_of(3), codes, "context", 0.95), name)
    weights = np.ones(len(figure.sums.sums))
    moved = weights.copy()
    moved[3] += 0.01
    change = figure.coefficient(np.tensordot(moved, figure.sums.sums, 1)) - figure.coefficient(
        figure.sums.totals
    )
    assert influences(figure, weights)[3] * 0.01 == pytest.approx(change, rel=0.05, abs=1e-6)


def test_the_whole_grid_leaves_nothing_to_chance() -> None:
    columns, codes = planted(3, 5, 120)
    found = full_grids(columns, keys_of(5), codes, CONTEST, np.random.default_rng(1))
    rule = CONTEST.rule(bare_measurer(columns, keys_of(5), codes, "context", 0.95))
    first = rule.first(np.ones((1, columns.contexts.n_clusters)))
    assert set(found.first.row.tolist()) == {int(first.row[0])}
    assert found.best() == (int(first.row[0]), 1.0)
    assert found.wrong(int(first.row[0])) == 0


def test_an_equal_candidate_is_tied_and_a_bad_one_is_not() -> None:
    columns, codes = planted(4, 3, 240)
    codes[1], codes[2] = codes[0], 2
    figure = figure_sums(bare_measurer(columns, keys_of(3), codes, "context", 0.95), "kappa")
    weights = np.ones((2, columns.contexts.n_clusters))
    assert ties(figure, weights, np.zeros(2, np.int64), 0.95).tolist() == [[True, True, False]] * 2


def test_claims_asked_make_it_surer() -> None:
    columns, codes = planted(5, 5, 240)
    order = np.concatenate(stratified_blocks(columns, 24, 1))
    whole = full_grids(columns, keys_of(5), codes, CONTEST, np.random.default_rng(1))
    chosen, _ = whole.best()
    chances = []
    for n in (24, 120, 240):
        some = np.full(codes.shape, -1)
        some[:, order[:n]] = codes[:, order[:n]]
        chances.append(
            chance_otherwise(
                columns, keys_of(5), some, CONTEST, np.random.default_rng(1), chosen=chosen
            )
        )
    assert chances[0] > chances[2] == 0 and chances[1] <= chances[0]


def test_no_error_among_few_claims_does_not_make_a_candidate_safe() -> None:
    """Ten claims without an error do not say that the limit of the whole set keeps its bound."""
    columns, codes = planted(6, 1, 240)
    codes[0] = columns.gold
    some = np.full(codes.shape, -1)
    unsupported = np.flatnonzero(columns.gold != 0)[:8]
    supported = np.flatnonzero(columns.gold == 0)[:4]
    some[:, unsupported], some[:, supported] = columns.gold[unsupported], 0
    contest = Contest("kappa", Bounds(), None, np.zeros(1))
    found = full_grids(columns, keys_of(1), some, contest, np.random.default_rng(1))
    assert found.none() > 0.5
    whole = full_grids(columns, keys_of(1), codes, contest, np.random.default_rng(1))
    assert whole.none() == 0


def test_lacking_verdicts_are_filled_in_for_the_candidate_that_lacks_them() -> None:
    columns, codes = planted(7, 5, 120)
    order = np.concatenate(stratified_blocks(columns, 20, 1))
    some = np.full(codes.shape, -1)
    some[:, order[:80]] = codes[:, order[:80]]
    some[3, order[20:80]] = -1
    some[4] = -1
    found = full_grids(columns, keys_of(5), some, CONTEST, np.random.default_rng(1))
    assert found.right[:, 4].sum() == 0
    assert found.right.shape[1] == 5 and len(found.first.row) == len(found.right)


def test_ties_agree_with_every_target_that_an_experiment_may_have() -> None:
    columns, codes = planted(8, 4, 120)
    for name in ("kappa", "mcc", "ac1", "alpha", "macro_f1", "over_credit", "coverage"):
        figure = figure_sums(bare_measurer(columns, keys_of(4), codes, "context", 0.95), name)
        tied = ties(figure, np.ones((1, columns.contexts.n_clusters)), np.array([2]), 0.95)
        assert tied[0, 2]
    assert "cohen_kappa" in COEFFICIENTS
