"""Limits for claims drawn without replacement: exact by brute force, held at every look, useful."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest

from metajudge.agreement.confidence_sequence import hits_sequence, least_sum, sum_sequence
from metajudge.agreement.table import cluster_codes
from metajudge.selection.columns import ClaimColumns
from metajudge.selection.racing.blocks import stratified_blocks

ERROR = 0.05


def margin(worlds: int) -> float:
    """Three standard errors of a miss rate of `ERROR`."""
    return 3 * float(np.sqrt(ERROR * (1 - ERROR) / worlds))


@pytest.mark.parametrize("total", [1, 4, 7])
@pytest.mark.parametrize("error", [0.05, 0.3])
def test_hits_are_those_of_prior_over_posterior_by_brute_force(total: int, error: float) -> None:
    """Every M whose chance given the hits is more than `error` times its prior chance."""
    for seen, hits in product(range(total + 1), range(total + 1)):
        if hits > seen:
            continue
        likely = [
            Fraction(comb(m, hits) * comb(total - m, seen - hits), comb(total, seen))
            for m in range(total + 1)
        ]
        kept = [m for m, p in enumerate(likely) if p / sum(likely) * (total + 1) > error]
        found = hits_sequence([hits], [seen], total, error)
        assert (found.low[0], found.high[0]) == (min(kept), max(kept))


@pytest.mark.parametrize("total", [5, 8])
def test_the_chance_that_hits_ever_miss_is_bounded_by_counting_out_all_orders(total: int) -> None:
    """All orders of M hits among N, none drawn: the exact chance that any look misses."""
    for error in (0.1, 0.3, 0.6):
        for true in range(total + 1):
            missed = Fraction(0)
            alive = {0: Fraction(1)}
            for n in range(1, total + 1):
                after: dict[int, Fraction] = {}
                for k, p in alive.items():
                    left, hits = total - n + 1, true - k
                    for more, ways in ((1, hits), (0, left - hits)):
                        if ways > 0:
                            after[k + more] = after.get(k + more, Fraction(0)) + p * ways / left
                alive = {}
                for k, p in after.items():
                    found = hits_sequence([k], [n], total, error)
                    if found.low[0] <= true <= found.high[0]:
                        alive[k] = p
                    else:
                        missed += p
            assert missed <= error


@pytest.mark.parametrize(("total", "true"), [(60, 0), (60, 3), (90, 9), (158, 60)])
def test_hits_hold_at_every_look(total: int, true: int) -> None:
    worlds, rng = 600, np.random.default_rng([total, true])
    hits = rng.permuted(np.tile(np.arange(total) < true, (worlds, 1)), axis=1).cumsum(1)
    looks = np.append(np.arange(1, total, 3), total)
    hits, seen = hits[:, looks - 1], np.broadcast_to(looks, (worlds, len(looks)))
    found = hits_sequence(hits, seen, total, ERROR)
    missed = ((found.low > true) | (found.high < true)).any(1)
    assert missed.mean() <= ERROR + margin(worlds)
    assert (found.low[:, -1] == true).all() and (found.high[:, -1] == true).all()


@pytest.mark.parametrize(("total", "won", "lost"), [(40, 6, 3), (90, 20, 20), (158, 30, 5)])
def test_sums_hold_at_every_look(total: int, won: int, lost: int) -> None:
    worlds, rng = 250, np.random.default_rng([total, won, lost])
    values = np.repeat([1.0, -1.0, 0.0], [won, lost, total - won - lost])
    drawn = rng.permuted(np.tile(values, (worlds, 1)), axis=1)
    missed = np.zeros(worlds, np.bool_)
    for n in range(4, total, 10):
        found = sum_sequence(drawn[:, :n], total, ERROR)
        missed |= (found.low > won - lost + 1e-6) | (found.high < won - lost - 1e-6)
    assert missed.mean() <= ERROR + margin(worlds)
    whole = sum_sequence(drawn, total, ERROR)
    assert whole.low == pytest.approx(won - lost) and whole.high == pytest.approx(won - lost)


def test_uneven_values_hold_at_every_look() -> None:
    """What a kappa's first-order parts look like: many small ones, a few large."""
    worlds, total, rng = 300, 120, np.random.default_rng(3)
    values = rng.choice([-1.0, -0.1, 0.0, 0.1, 0.6], total, p=[0.05, 0.3, 0.3, 0.25, 0.1])
    drawn = rng.permuted(np.tile(values, (worlds, 1)), axis=1)
    missed = np.zeros(worlds, np.bool_)
    for n in range(5, total, 10):
        missed |= least_sum(drawn[:, :n], total, ERROR) > values.sum() + 1e-6
    assert missed.mean() <= ERROR + margin(worlds)


@pytest.mark.parametrize("unit", ["claim", "context"])
def test_blocks_that_are_stratified_miss_no_more(unit: str) -> None:
    """Hits that differ by slice, in the order of a race; looked at after every block."""
    total, worlds = 96, 200
    rng = np.random.default_rng(8)
    slices = np.asarray(["literal", "summary", "hedged"])[np.arange(total) % 3]
    gold = rng.integers(0, 3, total)
    hits = rng.random(total) < np.select([slices == "summary", slices == "hedged"], [0.4, 0.1], 0.0)
    contexts = cluster_codes([str(place) for place in np.arange(total) // 4])
    columns = ClaimColumns(gold, slices, np.full(total, "en"), contexts, contexts, False, total)
    missed = []
    for seed in range(worlds):
        blocks = stratified_blocks(columns, 8, seed, unit)  # type: ignore[arg-type]
        bad = False
        for k in range(1, len(blocks)):
            seen = np.concatenate(blocks[:k])
            if unit == "claim":
                found = hits_sequence(hits[seen].sum(), len(seen), total, ERROR)
            else:
                parts = hits[seen].reshape(-1, 4).sum(1) / 4
                inner = sum_sequence(2 * parts - 1, total // 4, ERROR)
                found = type(inner)(*((limit + total // 4) * 2 for limit in inner))
            bad |= bool(found.low > hits.sum() + 1e-6 or found.high < hits.sum() - 1e-6)
        missed.append(bad)
    assert np.mean(missed) <= ERROR + margin(worlds)


def test_limits_are_of_use() -> None:
    """What 60 of 158 claims show at an error rate shared among 30 comparisons."""
    each = ERROR / 30
    assert hits_sequence([24], [36], 90, each).low[0] > 30
    wins = np.zeros((2, 60))
    wins[0, ::4], wins[1, ::6] = 1.0, 1.0
    wins[1, 3::6] = -1.0
    low = least_sum(wins, 158, each)
    assert low[0] > 0 > low[1]


def test_more_claims_never_widen_what_the_money_has_shown() -> None:
    """The money's greatest value counts, so that what was sure once stays so."""
    rng = np.random.default_rng(2)
    values = rng.choice([1.0, 0.0, -1.0], (20, 80), p=[0.3, 0.6, 0.1])
    lows = np.stack([least_sum(values[:, :n], 80, 0.01) for n in range(5, 81, 5)])
    assert (np.diff(lows, axis=0) >= -1e-4).all()


def test_nothing_seen_is_what_counting_allows() -> None:
    assert hits_sequence(0, 0, 9, 0.05).high == 9
    assert least_sum(np.zeros((2, 0)), 9, 0.05).tolist() == [-9, -9]
