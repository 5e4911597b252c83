from __future__ import annotations

import numpy as np
import pytest

from metajudge.agreement.ceiling import MISSING
from metajudge.labelling.votes import leading, reading_seconds, soft_labels, votes_of
from tests.labelling.panel import CLAIMS, note, panel


def test_labels_times_seconds_and_flags_by_annotator_and_claim():
    votes = votes_of(panel())
    assert votes.annotators == ("ana", "小李", "bob")
    assert [claim.claim_id for claim in votes.claims] == ["c1", "c2", "c3", "p1"]
    assert votes.ratings.tolist() == [[0, 1, 2, 0], [0, 0, MISSING, 1], [1, 1, MISSING, MISSING]]
    assert votes.gold.tolist() == [0, 1, MISSING, MISSING]
    assert votes.cluster.tolist() == [0, 0, 1, 1]
    assert votes.times[0, 1] - votes.times[0, 0] == 60
    assert np.isnan(votes.times[1]).all()
    assert votes.seconds[0, 0] == 4.5
    assert votes.flagged.nonzero()[0].tolist() == [2]


def test_majority_and_shares():
    votes = votes_of(panel())
    assert votes.majority.tolist() == [0, 1, 2, MISSING]
    assert votes.shares[0].tolist() == pytest.approx([2 / 3, 1 / 3, 0])
    assert votes.shares[3].tolist() == [0.5, 0.5, 0]


def test_excluded_claims_and_silent_annotators_are_left_out():
    claims = [CLAIMS[0] | {"exclude": True}, CLAIMS[1]]
    votes = votes_of(panel(claims, annotators=("nobody", "bob", "ana")))
    assert votes.annotators == ("bob", "ana", "小李")
    assert [claim.claim_id for claim in votes.claims] == ["c2"]


def test_the_last_annotation_of_an_annotator_stands():
    twice = [note("ana", "yes", flagged=True), note("ana", "no", seconds=2.0)]
    votes = votes_of(panel([CLAIMS[0] | {"annotations": twice}]))
    assert votes.ratings.tolist() == [[1]]
    assert votes.seconds.tolist() == [[2.0]]
    assert not votes.flagged.any()


def test_soft_labels_hold_votes_shares_and_the_gold_label():
    rows = list(soft_labels(votes_of(panel())))
    assert rows[1] == {
        "claim_id": "c2",
        "n": 3,
        "votes": {"yes": 1, "no": 2, "idk": 0},
        "shares": {"yes": 1 / 3, "no": 2 / 3, "idk": 0.0},
        "gold": "no",
    }
    assert [row["gold"] for row in rows] == ["yes", "no", None, None]
    none = [CLAIMS[0] | {"annotations": []}]
    assert list(soft_labels(votes_of(panel(none)))) == []


def test_two_labels():
    claims = [
        CLAIMS[0] | {"label": "supported", "annotations": [note("ana", "unsupported")]},
    ]
    votes = votes_of(panel(claims, label_space="binary"))
    assert votes.labels == ("supported", "unsupported")
    assert (votes.ratings.tolist(), votes.gold.tolist()) == ([[1]], [0])


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("", 0.0),
        ("one two three four five", 1.0),
        ("红茶和绿茶都是热的饮料。", 11 / 450 * 60),
        ("Don't re-read 红茶。", 2 / 5 + 2 / 450 * 60),
    ],
)
def test_reading_takes_words_and_chinese_characters(text, seconds):
    assert reading_seconds(text) == pytest.approx(seconds)


def test_leading_columns():
    assert leading(np.zeros((0, 3))).tolist() == []
    assert leading(np.array([[0.0, 0.2, 0.2], [0.5, 0.3, 0.2]])).tolist() == [MISSING, 0]
