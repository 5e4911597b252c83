"""Settings that come to the same verdicts."""

from __future__ import annotations

import numpy as np

from metajudge.selection.columns import CandidateCodes, CandidateKey, claim_columns
from metajudge.selection.tuning.distinct import distinct
from metajudge.selection.tuning.tune import Tunables
from metajudge.selection.tuning.verdicts import Tuning
from tests.selection.tuning.test_tune import columns, stored
from tests.selection.worlds import claims

YES_AT = (0.9, 0.5, 0.2)


def three() -> Tunables:
    """Two equal rows of three claims with P(yes) 0.9, 0.5 and 0.2, of which the first is yes."""
    shares = np.asarray([[(p, (1 - p) / 3, 2 * (1 - p) / 3) for p in YES_AT]] * 2, np.float32)
    keys = (CandidateKey("a", "top"), CandidateKey("b", "top"))
    codes = np.asarray([[0, 2, 2]] * 2)
    place = claim_columns(claims(["yes", "no", "idk"]), binary=False)
    return Tunables(place, CandidateCodes(keys, codes, shares))


def test_the_middle_of_the_thresholds_that_part_the_claims_alike_stands_for_them() -> None:
    thresholds = [round(0.05 * step, 2) for step in range(1, 21)]
    found = distinct(three(), [Tuning((0,), threshold=t) for t in thresholds])
    assert [setting.threshold for setting in found] == [0.1, 0.35, 0.7, 0.95]


def test_no_threshold_and_fewer_members_go_first() -> None:
    settings = [
        Tuning((0, 1), "unanimous_yes"),
        Tuning((1,), threshold=0.6),
        Tuning((1,)),
        Tuning((0,), threshold=0.3),
    ]
    assert distinct(three(), settings) == (Tuning((1,)), Tuning((0,), threshold=0.3))


def test_each_set_of_verdicts_stands_once() -> None:
    place = columns(200)
    tunables = Tunables(place, stored(place))
    settings = [Tuning((row,), threshold=t / 300) for row in range(6) for t in range(1, 300)]
    found = distinct(tunables, settings)
    codes = tunables.codes(settings)
    assert len(found) == len(np.unique(codes, axis=0)) < len(settings)
    assert len(np.unique(tunables.codes(found), axis=0)) == len(found)
    assert distinct(tunables, []) == ()
