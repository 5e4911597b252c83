from __future__ import annotations

import numpy as np
import pytest

from metajudge.agreement import bootstrap as room
from metajudge.agreement.accuracy import accuracy
from metajudge.agreement.intervals import acceleration
from metajudge.agreement.kappa import cohen_kappa
from metajudge.agreement.rates import over_credit, ratio, share_value
from metajudge.agreement.table import confusion_table


@pytest.fixture
def world(labels):
    gold, first = labels(1, failures=0.05)
    second = labels(2, failures=0.05)[1]
    cluster = np.arange(len(gold)) // 4
    return cluster, gold, np.stack([first, second])


def test_cluster_tables_add_up_to_the_whole(world):
    cluster, gold, verdicts = world
    sums = room.cluster_tables(cluster, gold, verdicts)
    np.testing.assert_array_equal(sums.totals, confusion_table(gold, verdicts))
    assert sums.n.tolist() == [200, 200]
    assert sums.n_clusters.tolist() == [50, 50]


def test_a_slice_keeps_cluster_numbers(world):
    cluster, gold, verdicts = world
    within = np.arange(len(gold)) < 10
    sums = room.cluster_tables(cluster, gold, verdicts, within=within)
    assert sums.sums.shape[0] == 50
    assert sums.n.tolist() == [10, 10]
    assert sums.n_clusters.tolist() == [3, 3]


def test_weighted_tables_equal_tables_of_the_repeated_claims(world, rng):
    cluster, gold, verdicts = world
    weights = room.cluster_weights(50, 5, rng)
    tables = room.weighted_sums(weights, room.cluster_tables(cluster, gold, verdicts).sums)
    for draw, table in zip(weights, tables, strict=True):
        times = draw[cluster].astype(int)
        expected = confusion_table(np.repeat(gold, times), np.repeat(verdicts, times, axis=1))
        np.testing.assert_array_equal(table, expected)


def test_bootstrap_tables_is_the_same_resampling(world):
    cluster, gold, verdicts = world
    tables = room.bootstrap_tables(
        cluster, gold, verdicts, n_resamples=7, rng=np.random.default_rng(3)
    )
    assert tables.shape == (7, 2, 3, 4)
    weights = room.cluster_weights(50, 7, np.random.default_rng(3))
    sums = room.cluster_tables(cluster, gold, verdicts).sums
    np.testing.assert_array_equal(tables, room.weighted_sums(weights, sums))


def test_shares_and_other_sums_agree(world):
    cluster, gold, verdicts = world
    part = over_credit(gold, verdicts)
    shares = room.cluster_shares(cluster, part)
    np.testing.assert_allclose(ratio(shares.totals), share_value(part))
    kinds = np.broadcast_to(part.denominator, part.numerator.shape)
    general = room.cluster_sums(cluster, np.stack([part.numerator, kinds], -1), part.denominator)
    np.testing.assert_array_equal(general.sums, shares.sums)
    np.testing.assert_array_equal(general.n, shares.n)
    np.testing.assert_array_equal(general.n_clusters, shares.n_clusters)


def test_small_blocks_give_the_same_numbers(world, monkeypatch):
    cluster, gold, verdicts = world
    sums = room.cluster_tables(cluster, gold, verdicts).sums
    weights = room.cluster_weights(50, 40, np.random.default_rng(5))
    whole = room.bootstrap_values(sums, cohen_kappa, weights)
    left_out = room.jackknife_values(sums, cohen_kappa)
    monkeypatch.setattr(room, "CHUNK_BYTES", 1000)
    np.testing.assert_array_equal(room.bootstrap_values(sums, cohen_kappa, weights), whole)
    np.testing.assert_array_equal(room.jackknife_values(sums, cohen_kappa), left_out)
    blocks = list(room.weight_blocks(50, 40, np.random.default_rng(5)))
    assert len(blocks) > 1
    np.testing.assert_array_equal(np.concatenate(blocks), weights)


def test_fractional_sums_keep_double_precision():
    sums = np.full((3, 1, 1), 1 / 3)
    total = room.weighted_sums(np.ones((1, 3), np.float32), sums)
    assert total[0, 0, 0] == pytest.approx(1.0, abs=1e-15)


def test_jackknife_leaves_out_one_cluster(world):
    cluster, gold, verdicts = world
    sums = room.cluster_tables(cluster, gold, verdicts).sums
    rest = cluster != 7
    expected = accuracy(confusion_table(gold[rest], verdicts[:, rest]))
    np.testing.assert_allclose(room.jackknife_values(sums, accuracy)[7], expected, atol=1e-12)


def test_multinomial_tables_have_the_moments_of_the_table(rng):
    table = np.array([[30, 10, 0], [5, 50, 5]])
    drawn = room.multinomial_tables(table, 4000, rng)
    np.testing.assert_allclose(drawn.mean(0), table, atol=0.6)
    assert (drawn[:, 0, 2] == 0).all()
    with pytest.raises(ValueError, match="empty table"):
        room.multinomial_tables(np.zeros((2, 3)), 5, rng)


def test_cell_jackknife_gives_the_acceleration_of_single_claims(labels):
    gold, verdict = labels(3)
    short = room.cell_jackknife(confusion_table(gold, verdict))
    sums = room.cluster_tables(np.arange(200), gold, verdict).sums
    expected = acceleration(room.jackknife_values(sums, cohen_kappa))
    got = acceleration(cohen_kappa(short.tables)[:, None], short.multiplicity)
    np.testing.assert_allclose(got, expected, rtol=1e-9)


def test_impossible_requests_are_refused(rng):
    with pytest.raises(ValueError, match="got 0 and 5"):
        room.cluster_weights(0, 5, rng)
    with pytest.raises(ValueError, match="0 or more, got -1"):
        room.cluster_tables([-1], [0], [0])
