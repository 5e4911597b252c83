from dataclasses import replace
from typing import get_args

import pytest

from metajudge.gold import LabellingPolicy
from metajudge.gold.claim import SLICES, SUPPORT_KINDS, Annotation, PolicyChange, Slice
from metajudge.gold.policy import (
    KIND_SLICES,
    changed_since,
    given_under_now,
    needs_relabelling,
    oldest_version,
    policy_versions,
)
from tests.gold.reading import Make

TWICE = LabellingPolicy(
    version="3.0.0",
    support={"inference": True, "arithmetic": False},
    changes=(
        PolicyChange(version="2.0.0", support={"inference": False}),
        PolicyChange(version="3.0.0", support={"inference": True, "arithmetic": False}),
    ),
)
NEVER = LabellingPolicy(version="1.0.0", support={"inference": True})


def test_every_kind_has_slices_that_exist() -> None:
    assert tuple(KIND_SLICES) == SUPPORT_KINDS
    assert all(set(slices) <= set(get_args(Slice)) and slices for slices in KIND_SLICES.values())


def test_versions_first_to_last() -> None:
    assert policy_versions(NEVER) == ("1.0.0",)
    assert policy_versions(TWICE) == (None, "2.0.0", "3.0.0")


@pytest.mark.parametrize(
    ("slice_", "version", "kinds"),
    [
        ("inference", None, ("inference",)),
        ("inference", "1.0.0", ("inference",)),
        ("inference", "never was", ("inference",)),
        ("inference", "2.0.0", ("inference",)),
        ("inference", "3.0.0", ()),
        ("aggregation", "2.0.0", ("arithmetic",)),
        ("literal", None, ()),
        (None, None, ("inference", "arithmetic")),
        (None, "3.0.0", ()),
    ],
)
def test_what_changed_for_a_slice_after_a_version(
    slice_: Slice | None, version: str | None, kinds: tuple[str, ...]
) -> None:
    assert changed_since(TWICE, slice_, version) == kinds
    assert changed_since(NEVER, slice_, version) == ()


def test_annotations_that_no_change_concerns() -> None:
    notes = [
        Annotation(annotator=f"{n}", label="yes", policy=version)
        for n, version in enumerate((None, "2.0.0", "3.0.0"))
    ]
    assert given_under_now(TWICE, "inference", notes) == (notes[2],)
    assert given_under_now(TWICE, "literal", notes) == tuple(notes)
    assert oldest_version(TWICE, notes[1:]) == "2.0.0"
    assert oldest_version(TWICE, notes[::-1]) is None
    assert oldest_version(TWICE, ()) is None


def test_labels_that_wait_for_relabelling(make_gold: Make) -> None:
    rows = [
        *({"slice": kind} for kind in SLICES),
        {},
        {"slice": "inference", "label_policy": "3.0.0"},
        {"slice": "inference", "exclude": True},
        {"slice": "inference", "label_source": "model"},
    ]
    gold = make_gold(rows, labelling_policy=TWICE)
    named = {claim.claim_id: claim.slice for claim in gold.claims}
    found = {named[name]: kinds for name, kinds in needs_relabelling(gold).items()}
    assert found == {
        "inference": ("inference",),
        "aggregation": ("arithmetic",),
        None: ("inference", "arithmetic"),
    }
    assert list(needs_relabelling(gold)) == ["c3", "c4", "c11"]
    assert needs_relabelling(make_gold(rows)) == {}


def test_relabelling_is_over_where_every_label_is_of_the_policy(make_gold: Make) -> None:
    gold = make_gold([{"slice": "inference"}, {}], labelling_policy=TWICE)
    done = [claim.model_copy(update={"label_policy": "3.0.0"}) for claim in gold.claims]
    assert needs_relabelling(replace(gold, claims=tuple(done))) == {}
