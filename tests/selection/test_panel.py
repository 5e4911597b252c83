from __future__ import annotations

import numpy as np

from metajudge.selection.panel import panel
from tests.selection.people import GAPS, panel_of


def test_claims_with_one_label_and_people_without_a_partner_drop_out() -> None:
    people = panel_of({"a": "yn-", "b": "y--", "c": "--i"})
    assert people.annotators == ("a", "b")
    assert people.ratings.tolist() == [[0, -1, -1], [0, -1, -1]]
    assert people.shared.tolist() == [True, False, False]
    assert people.n_annotators == 3


def test_counts_shares_and_overlap_by_hand() -> None:
    people = panel_of(GAPS)
    assert people.counts.tolist() == [[3, 0, 0], [1, 1, 0], [0, 3, 0], [0, 0, 2]]
    assert people.shares[1].tolist() == [0.5, 0.5, 0.0]
    assert people.overlap.tolist() == [[3, 3, 2], [3, 4, 3], [2, 3, 3]]
    assert people.pairs(3) == ((0, 1), (1, 2))
    # c shares the third claim with a too, but that pair shares two claims only.
    assert people.paired(3).tolist() == [
        [True, True, True, False],
        [True, True, True, True],
        [True, False, True, True],
    ]


def test_no_annotator_at_all() -> None:
    people = panel(np.zeros((3, 0), np.int8), (), [0, 1, 2], 3)
    assert people.annotators == ()
    assert not people.shared.any()
    assert people.pairs(0) == ()
    assert np.isnan(people.shares).all()


def test_counted_sums_know_their_claims_and_clusters() -> None:
    people = panel_of({"a": "yyn-", "b": "ynn-"}, clusters=[0, 0, 1, 2])
    sums = people.counted(np.zeros((3, 2, 1)))
    assert (sums.n.tolist(), sums.n_clusters.tolist()) == ([3, 3], [2, 2])
    some = people.counted(np.zeros((3, 2, 1)), np.asarray([True, True, False, False]))
    assert (some.n.tolist(), some.n_clusters.tolist()) == ([2, 2], [1, 1])
