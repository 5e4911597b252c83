from __future__ import annotations

import numpy as np
import pytest

from metajudge.labelling.disputed import compared, count_whys, disputed
from metajudge.labelling.votes import votes_of
from tests.labelling.panel import note, panel


def voted(claim_id, votes, **more):
    notes = [note(f"p{place}", label) for place, label in enumerate(votes.split())]
    return {"claim_id": claim_id, "context_id": "x", "annotations": notes} | more


SET = [
    voted("agreed", "yes yes yes", label="yes"),
    voted("split", "yes yes no", label="yes"),
    voted("even", "yes no idk", label="yes"),
    voted("against", "no no yes", label="idk"),
    voted("model", "idk idk yes", label="idk"),
    voted("tied", "yes no"),
    voted("unseen", ""),
]


def posterior(votes):
    shares = votes.shares.copy()
    shares[4] = [0.6, 0.0, 0.4]
    return shares


def test_claims_come_with_every_reason_the_most_pressing_first():
    votes = votes_of(panel(SET))
    found = disputed(votes, posterior(votes))
    assert [(claim.claim_id, claim.whys) for claim in found] == [
        ("tied", ("tie", "split")),
        ("against", ("gold_against_votes", "dawid_skene", "split")),
        ("model", ("dawid_skene", "split")),
        ("even", ("split",)),
        ("split", ("split",)),
    ]
    assert count_whys(found) == {
        "tie": 1,
        "flagged": 0,
        "gold_against_votes": 1,
        "dawid_skene": 1,
        "split": 2,
    }
    tied, model = found[0], found[2]
    assert tied.votes == {"yes": 1, "no": 1, "idk": 0}
    assert tied.entropy == pytest.approx(np.log(2))
    assert (tied.gold, tied.majority, tied.dawid_skene) == (None, None, None)
    assert tied.probability is None
    assert (model.gold, model.dawid_skene, model.probability) == ("idk", "yes", 0.6)


def test_flags_are_reasons_also_of_claims_nobody_labelled():
    claims = [*SET[:1], voted("asked", "", label="no")]
    claims[0] = claims[0] | {"annotations": [note("ana", "yes", flagged=True)]}
    found = disputed(votes_of(panel(claims)), asked={"asked"})
    assert [(claim.claim_id, claim.whys) for claim in found] == [
        ("agreed", ("flagged",)),
        ("asked", ("flagged",)),
    ]
    assert {claim.probability for claim in found} == {None}


def test_settled_claims_are_left_out():
    votes = votes_of(panel(SET))
    names = {claim.claim_id for claim in disputed(votes, settled={"tied", "split"})}
    assert names == {"against", "model", "even"}


def test_three_ways_to_a_label_side_by_side():
    votes = votes_of(panel(SET))
    found = compared(votes, posterior(votes))
    assert [(one.one, one.other, one.claims, one.claim_ids) for one in found] == [
        ("majority", "dawid_skene", 4, ("model",)),
        ("majority", "gold", 4, ("against",)),
        ("dawid_skene", "gold", 4, ("against", "model")),
    ]
    assert [(one.one, one.other) for one in compared(votes)] == [("majority", "gold")]


def test_of_equally_likely_labels_none_is_held_against_the_gold_label():
    votes = votes_of(panel([voted("even", "yes no idk", label="no")]))
    found = disputed(votes, np.array([[1 / 3 + 1e-12, 1 / 3, 1 / 3]]))
    assert [claim.whys for claim in found] == [("split",)]
