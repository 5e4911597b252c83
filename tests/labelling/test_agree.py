from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import pytest

from metajudge.agreement.bootstrap import cluster_weights
from metajudge.gold import load_goldset, write_goldset
from metajudge.gold.events import SettleEvent, append_event
from metajudge.labelling.agree import agreement_report
from metajudge.shipped import shipped_gold
from tests.labelling.panel import CLAIMS, note, panel

LABELS = ("yes", "no", "idk")


def crowd(n=120, rights=(0.95, 0.95, 0.95, 0.6), seed=1, labelled=True):
    source = np.random.default_rng(seed)
    rows = []
    for place in range(n):
        truth = int(source.integers(0, 3))
        notes = [
            note(
                f"p{who}",
                LABELS[truth if source.random() < right else (truth + 1) % 3],
                time=f"2025-03-{1 + place * 27 // n:02d}T09:{place % 60:02d}:00Z",
                seconds=float(source.gamma(4, 3)),
            )
            for who, right in enumerate(rights)
        ]
        rows.append(
            {
                "claim_id": f"c{place}",
                "context_id": f"x{place // 4}",
                "slice": ("summary", "literal")[place % 2],
                "lang": ("en", "zh")[place // 4 % 2],
                "annotations": notes,
            }
            | ({"label": LABELS[truth]} if labelled else {})
        )
    return rows


def report(goldset, **options):
    return agreement_report(goldset, **({"resamples": 300} | options))


def test_everything_of_a_set_with_four_annotators():
    found = report(panel(crowd()))
    assert (found.claims, found.shared, found.contexts, found.pending) == (120, 120, 30, 0)
    assert (found.missing, found.no_model, found.pairs_apart) == (None, None, 0)
    assert [(group.by, group.value, group.claims) for group in found.groups] == [
        ("slice", "literal", 60),
        ("slice", "summary", 60),
        ("lang", "en", 60),
        ("lang", "zh", 60),
    ]
    assert len(found.pairs) == 6
    assert found.overall.fleiss.value == pytest.approx(found.overall.alpha.value, abs=0.01)
    assert [one.standing.outcome for one in found.annotators] == ["in_line"] * 3 + ["below"]
    bad, good = found.annotators[3], found.annotators[0]
    assert bad.with_gold.high < good.with_gold.low
    assert bad.error_rates["yes"]["no"] > 0.25 > good.error_rates["yes"]["no"]
    assert sum(bad.given.values()) == bad.labels == bad.shared == 120
    assert (good.flagged, good.skipped) == (0, None)
    assert good.speed.n == 120
    assert good.drift.change.value is not None
    assert found.model.converged
    assert [(one.one, one.other) for one in found.compared] == [
        ("majority", "dawid_skene"),
        ("majority", "gold"),
        ("dawid_skene", "gold"),
    ]
    assert len(found.disputed) == sum(found.disputed_by_reason.values())


def test_the_report_is_json_and_the_same_with_the_same_seed():
    goldset = panel(crowd())
    text = json.dumps(asdict(report(goldset)), allow_nan=False, ensure_ascii=False)
    assert text == json.dumps(asdict(report(goldset)), allow_nan=False, ensure_ascii=False)
    other = report(goldset, seed=2).overall.alpha
    assert other.value == report(goldset).overall.alpha.value
    assert other.low != report(goldset).overall.alpha.low


def test_resamples_are_those_of_the_room_of_agreement():
    from metajudge.labelling.agree import _weights

    made = _weights(700, 2500, 5)
    expected = cluster_weights(700, 2500, np.random.default_rng(5))
    assert made.shape == (2500, 700)
    assert (made.sum(1) == 700).all()
    assert (made[:1] == expected[:1]).all()


def test_pending_claims_take_part_and_what_is_to_group_by_can_be_chosen():
    rows = crowd(labelled=False)
    rows[0] = rows[0] | {"slice": None}
    found = report(panel(rows), slice_by=("slice", "domain"))
    assert found.pending == found.shared == 120
    assert [(group.by, group.value) for group in found.groups] == [
        ("slice", "literal"),
        ("slice", "summary"),
        ("slice", None),
        ("domain", None),
    ]
    assert found.groups[2].claims == 1
    assert found.annotators[0].with_gold.value is None
    gold = next(one for one in found.compared if one.other == "gold")
    assert gold.claims == 0
    assert report(panel(rows), slice_by=()).groups == ()


@pytest.mark.parametrize(
    ("annotations", "missing"),
    [
        ([], "nobody has labelled a claim yet; agreement needs two annotators"),
        (["小李"], "only '小李' has labelled; agreement needs a second annotator"),
    ],
)
def test_one_annotator_or_none_is_no_error(annotations, missing):
    rows = [CLAIMS[0] | {"annotations": [note(name, "yes", seconds=3.0) for name in annotations]}]
    found = report(panel(rows))
    assert found.missing == missing
    assert found.overall.alpha.value is None
    assert found.pairs == found.disputed == ()
    assert [one.name for one in found.annotators] == annotations
    assert found.no_model.startswith("no claim has two labels")
    json.dumps(asdict(found), allow_nan=False)


def test_annotators_who_share_no_claim():
    rows = [
        CLAIMS[0] | {"annotations": [note("ana", "yes")]},
        CLAIMS[1] | {"annotations": [note("bob", "no")]},
    ]
    found = report(panel(rows))
    assert found.missing == "2 annotators, and no claim has labels of two of them"
    assert found.pairs_apart == 1
    assert found.overall.alpha.reason == "no claim has two ratings"


def test_a_set_of_excluded_claims_alone():
    found = report(panel([CLAIMS[0] | {"exclude": True}]))
    assert (found.claims, found.missing is None) == (0, False)
    json.dumps(asdict(found), allow_nan=False)


def test_two_labels_a_claim():
    rows = [
        row
        | {
            "label": "supported",
            "annotations": [
                each | {"label": "supported" if each["label"] == "yes" else "unsupported"}
                for each in row["annotations"]
            ],
        }
        for row in crowd(60)
    ]
    found = report(panel(rows, label_space="binary"))
    assert found.labels == ("supported", "unsupported")
    assert set(found.annotators[0].bias) == set(found.labels)
    assert found.overall.alpha.value > 0


def test_settled_claims_are_counted_and_left_out(tmp_path):
    write_goldset(panel(crowd(40)), tmp_path / "tea")
    before = report(load_goldset(tmp_path / "tea"))
    first = before.disputed[0].claim_id
    append_event(
        tmp_path / "tea",
        SettleEvent(
            claim_id=first,
            annotator="chair",
            time="2025-05-01T09:00:00Z",
            save_id="save-0001",
            label="yes",
            why="rule 2",
        ),
    )
    after = report(load_goldset(tmp_path / "tea"))
    assert (before.settled, after.settled) == (0, 1)
    assert first not in {claim.claim_id for claim in after.disputed}
    assert len(after.disputed) == len(before.disputed) - 1


def test_the_shipped_set_was_read_by_two_authors():
    found = report(load_goldset(shipped_gold()))
    assert [one.name for one in found.annotators] == ["author-1", "author-2"]
    assert found.no_model.startswith("two annotators")
    assert {one.standing.outcome for one in found.annotators} == {"untested"}
    assert found.pairs[0].claims == found.shared
