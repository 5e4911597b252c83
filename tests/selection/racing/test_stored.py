"""Races over the recorded replies of experiment 001: the same choice for a part of the calls."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.racing import (
    ASKED_AT_MOST,
    FIRST,
    RIGHT_AT_LEAST,
    SETS,
    SETTINGS,
    Bench,
    Filed,
    filed_bench,
    raced,
    recorded_bench,
)

ORDERS = 40


@pytest.fixture(scope="module")
def bench() -> Bench:
    return recorded_bench()


def test_replayed_verdicts_are_those_of_the_results(bench: Bench) -> None:
    """Batch priors recomputed from all claims give the verdicts that the sweep had."""
    filed = Filed(bench.results, bench.keys)
    assert (bench.full() == filed.whole).all()


def test_a_batch_prior_is_of_the_claims_asked_so_far(bench: Bench) -> None:
    rng = np.random.default_rng(1)
    asked = np.broadcast_to(rng.random(len(bench.columns.gold)) < 0.2, (len(bench.price), 158))
    codes, full = bench.replies.codes(asked), bench.full()
    assert ((codes == -1) == ~asked[bench.trial_of]).all()
    seen = codes != -1
    for row, key in enumerate(bench.keys):
        same = (codes[row] == full[row])[seen[row]]
        assert same.all() or key.reading == "batch_corrected"


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS, ids=[setting.name for setting in SETTINGS])
def test_the_choice_of_the_full_grid_for_two_fifths_of_its_calls(bench: Bench, setting) -> None:
    (_, right), contest = bench.right(setting), bench.contest(setting)
    found = [raced(bench, contest, "bound", seed) for seed in range(ORDERS)]
    assert np.mean([outcome.first in right for outcome in found]) >= RIGHT_AT_LEAST
    calls = [outcome.calls / outcome.calls_full for outcome in found]
    assert np.median(calls) <= ASKED_AT_MOST


@pytest.mark.parametrize("name", SETS)
def test_no_safe_winner_on_peoples_labels_comes_out_as_such(name: str) -> None:
    bench = filed_bench(FIRST.parent / "002-people" / name)
    setting = SETTINGS[0]
    assert bench.right(setting) == (None, {None})
    found = [raced(bench, bench.contest(setting), "bound", seed) for seed in range(5)]
    assert [outcome.first for outcome in found] == [None] * 5
