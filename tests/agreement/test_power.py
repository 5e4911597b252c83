from __future__ import annotations

import numpy as np
import pytest

from metajudge.agreement.bootstrap import cluster_shares, cluster_tables
from metajudge.agreement.coefficients import COEFFICIENTS
from metajudge.agreement.power import (
    Pilot,
    clusters_needed,
    detectable_change,
    mend_for,
    power_of_change,
    second_candidate,
)
from metajudge.agreement.rates import over_credit, share_coefficient

KAPPA = COEFFICIENTS["cohen_kappa"]
OVER_CREDIT = share_coefficient("over_credit", "gold not yes")


def over_credit_sums(cluster, gold, verdicts):
    return cluster_shares(cluster, over_credit(gold, verdicts))


@pytest.fixture
def pilot(labels):
    gold, verdict = labels(7, n=200)
    return Pilot(np.arange(200) // 4, gold, verdict)


def test_second_candidate_mends_and_upsets(pilot):
    source = np.random.default_rng(1)
    assert (second_candidate(Pilot(*_arrays(pilot), churn=0.0), 1.0, source) == pilot.gold).all()
    upset = second_candidate(Pilot(*_arrays(pilot), churn=1.0), 0.0, source)
    right = pilot.gold == pilot.verdict
    assert (upset[right] != pilot.gold[right]).all()
    assert (upset[~right] == pilot.verdict[~right]).all()


def _arrays(pilot):
    return pilot.cluster, pilot.gold, pilot.verdict


def test_power_rises_with_the_change_and_with_clusters(pilot):
    def power(mend, n_clusters=None):
        source = np.random.default_rng(3)
        return power_of_change(
            pilot, cluster_tables, KAPPA, mend, source, n_clusters=n_clusters, n_worlds=80
        ).power

    assert power(0.05) < power(0.3) < power(0.9)
    assert power(0.15, 20) < power(0.15, 200)


def test_false_alarms_keep_the_level(labels):
    gold, verdict = labels(8, n=200)
    wrong = float((gold != verdict).mean())
    churn = 0.1
    even = churn * (1 - wrong) / wrong
    pilot = Pilot(np.arange(200) // 4, gold, verdict, churn=churn)
    accuracy = COEFFICIENTS["accuracy"]
    found = power_of_change(
        pilot, cluster_tables, accuracy, even, np.random.default_rng(2), n_worlds=400
    )
    assert abs(found.difference) < 0.01
    assert found.power < 0.09


def test_detectable_change_is_seeded_and_reaches_its_power(pilot):
    first = detectable_change(
        pilot, over_credit_sums, OVER_CREDIT, np.random.default_rng(5), n_worlds=60
    )
    again = detectable_change(
        pilot, over_credit_sums, OVER_CREDIT, np.random.default_rng(5), n_worlds=60
    )
    assert first == again
    assert first.point.power >= 0.8
    assert first.point.difference < 0


def test_a_set_too_small_says_so(labels):
    gold, verdict = labels(9, n=12)
    pilot = Pilot(np.arange(12) // 3, gold, verdict)
    found = detectable_change(
        pilot, over_credit_sums, OVER_CREDIT, np.random.default_rng(5), n_worlds=40, power=0.99
    )
    assert found.point is None
    assert found.reason.startswith("even mending every wrong verdict")


def test_labels_needed_for_a_stated_difference(pilot):
    source = np.random.default_rng(6)
    mend = mend_for(pilot, over_credit_sums, OVER_CREDIT, -0.03, source)
    found = clusters_needed(pilot, over_credit_sums, OVER_CREDIT, mend, source, n_worlds=60).point
    assert found.power >= 0.8
    assert found.difference == pytest.approx(-0.03, abs=0.015)
    smaller = mend_for(pilot, over_credit_sums, OVER_CREDIT, -0.06, source)
    fewer = clusters_needed(pilot, over_credit_sums, OVER_CREDIT, smaller, source, n_worlds=60)
    assert fewer.point.n_clusters < found.n_clusters


def test_out_of_reach_is_said(pilot):
    source = np.random.default_rng(6)
    assert mend_for(pilot, over_credit_sums, OVER_CREDIT, -0.9, source) is None
    found = clusters_needed(pilot, over_credit_sums, OVER_CREDIT, 0.0, source, most=16, n_worlds=20)
    assert found.point is None
    assert "were not tried" in found.reason


def test_a_slice_needs_its_own_labels(pilot):
    """A slice is rarer, so it needs more contexts; the need is counted in its own claims."""
    slices = np.arange(200) % 4 == 0
    part = pilot.only(slices)
    assert (len(part.gold), part.n_clusters, part.churn) == (50, 50, pilot.churn)
    source = np.random.default_rng(6)
    mend = mend_for(part, over_credit_sums, OVER_CREDIT, -0.06, source)
    need = clusters_needed(part, over_credit_sums, OVER_CREDIT, mend, source, n_worlds=60).point
    whole = mend_for(pilot, over_credit_sums, OVER_CREDIT, -0.06, source)
    all_claims = clusters_needed(
        pilot, over_credit_sums, OVER_CREDIT, whole, source, n_worlds=60
    ).point
    assert need.n_clusters > 2 * all_claims.n_clusters
    assert need.n <= need.n_clusters


def test_a_slice_without_claims_in_two_clusters_says_so(pilot):
    source = np.random.default_rng(6)
    nobody = pilot.only(np.zeros(200, bool))
    one = pilot.only(np.arange(200) < 4)
    for part, groups in ((nobody, 0), (one, 1)):
        reason = f"needs claims in two clusters, got {groups}"
        assert detectable_change(part, cluster_tables, KAPPA, source).reason == reason
        assert clusters_needed(part, cluster_tables, KAPPA, 0.5, source).reason == reason
