"""Upstream slices of nine public sets, where they lie beside the project, and their labels.

Each of `SETS` says how many claims are in both, and how many only here or only there, so that a
silent loss shows. What is in both is equal but for the differences that are named below.
"""

from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest

from metajudge.gold.importing.imported import ImportedClaim
from tests.gold.importers.slices import (
    Pair,
    assembled,
    beside,
    binary_set_loses_nothing,
    imported,
    normalised,
    parted_groups,
    second_reading_is_the_same,
)

INITIALS = ("144", "145", "146", "333", "334")
"""RAGTruth responses that name B.B. King, or Batman v. Superman.

The normalised rows break a sentence after `B.B.` and `v.`; the importer keeps it whole. So two rows
hold the second half of a sentence of ours, and the later sentences count one less.
"""
NUMBERED = ("3-32-1", "3-32-4", "3-44-1", "5-32-6", "9-2-2")
"""FaithBench sentences of a numbered list: the normalised claim begins with the number."""


@dataclass(frozen=True)
class Slice:
    """What the import of a set must come to.

    Attributes:
        both: Claims of the slice that are normalised too, by label.
        only_here: Claims of the slice that normalisation sampled away, by label.
        only_there: Normalised rows whose upstream record is not in the slice.
        left_out: Records and annotations that do not come in, by reason.
        made: Labelled claims, waiting ones, and those with a label that a set of the format's own
            label space cannot hold.
    """

    both: dict[str | None, int]
    only_here: dict[str | None, int]
    only_there: int
    left_out: dict[str, int] = field(default_factory=dict)
    made: tuple[int, int, int] = (0, 0, 0)


SETS: dict[str, Slice] = {
    "ragtruth": Slice(
        both={"yes": 231, "no": 27, "idk": 51, None: 8},
        only_here={"yes": 284, "no": 1, "idk": 2},
        only_there=116,
        left_out={"no_claim": 80},
        made=(596, 8, 0),
    ),
    "faithbench": Slice(
        both={"yes": 53, "no": 55, "idk": 13, "unsupported": 13, None: 32},
        only_here={"yes": 192, "no": 1, None: 50},
        only_there=439,
        left_out={"no_claim": 32, "unknown_label": 1},
        made=(314, 82, 13),
    ),
    "xsum-hallucination": Slice(
        both={"yes": 20, "no": 31, "idk": 28, "unsupported": 2},
        only_here={"no": 20, "idk": 69},
        only_there=165,
        made=(168, 0, 2),
    ),
    "frank": Slice(
        both={"yes": 30, "no": 14, "idk": 11, "unsupported": 3},
        only_here={"yes": 46, "no": 35, "idk": 17, "unsupported": 15, None: 8},
        only_there=220,
        made=(153, 8, 18),
    ),
    "wice": Slice(
        both={"supported": 46, "unsupported": 44},
        only_here={"unsupported": 43},
        only_there=106,
        made=(133, 0, 0),
    ),
    "storysumm": Slice(
        both={"supported": 152, "unsupported": 48},
        only_here={"supported": 67},
        only_there=89,
        made=(267, 0, 0),
    ),
    "summedits": Slice(
        both={"supported": 12, "unsupported": 21},
        only_here={"supported": 35, "unsupported": 112},
        only_there=183,
        made=(180, 0, 0),
    ),
    "contractnli": Slice(
        both={"yes": 32, "no": 17, "idk": 33},
        only_here={"yes": 58, "no": 3, "idk": 95},
        only_there=158,
        made=(238, 0, 0),
    ),
    "control": Slice(
        both={"yes": 5, "no": 12, "idk": 4},
        only_here={"yes": 35, "no": 38, "idk": 26},
        only_there=137,
        made=(120, 0, 0),
    ),
}
pytestmark = beside
each_set = pytest.mark.parametrize("name", SETS)


def _row_of(name: str, claim: ImportedClaim) -> dict[str, Any] | None:
    """The normalised row of a claim: of the same id, or of the same text where ids are shifted."""
    rows = {row["id"]: row for row in normalised(name)}
    assert claim.claim_id is not None
    if not _is_shifted(claim.claim_id):
        return rows.get(claim.claim_id)
    answer = f"{claim.answer_id}-"
    own = (row for key, row in rows.items() if key.startswith(answer))
    return next((row for row in own if claim.claim.endswith(row["claim"])), None)


def _is_shifted(claim_id: str) -> bool:
    return claim_id.startswith(tuple(f"ragtruth-{answer}-" for answer in INITIALS))


@cache
def pairs(name: str) -> list[Pair]:
    found = [(claim, _row_of(name, claim)) for claim in imported(name)[0]]
    return [(claim, row) for claim, row in found if row is not None]


def _in_ternary_words(label: str | None) -> str | None:
    return "yes" if label == "supported" else label


@each_set
def test_how_many_claims_are_where(name: str) -> None:
    want, (claims, left) = SETS[name], imported(name)
    ids = [claim.claim_id for claim in claims]
    assert len(set(ids)) == len(ids)
    matched = pairs(name)
    found = {row["id"] for _, row in matched}
    assert len(found) == len(matched)
    both = Counter(claim.label for claim, _ in matched)
    here = Counter(claim.label for claim in claims) - both
    assert (both, here) == (want.both, want.only_here)
    assert len(normalised(name)) - len(found) == want.only_there
    assert Counter(out.reason for out in left) == want.left_out


@each_set
def test_labels_are_those_of_people(name: str) -> None:
    differ = [
        (row["id"], claim.label, row["label"])
        for claim, row in pairs(name)
        if _in_ternary_words(claim.label) != (row["label"] or row["label_binary"])
    ]
    assert differ == []


@each_set
def test_no_record_of_the_slice_is_lost(name: str) -> None:
    """Rows whose upstream record is in the slice are all found; the others name other records."""
    answers = {claim.answer_id for claim in imported(name)[0]}
    found = {row["id"] for _, row in pairs(name)}
    contexts = {claim.passages for claim in imported(name)[0]}
    for row in normalised(name):
        key = row["id"]
        if key in found:
            continue
        assert key.rpartition("-")[0] not in answers and key not in answers
        known = tuple(text for text in row["context"] if text.strip()) in contexts
        assert not known or name in ("xsum-hallucination", "frank", "summedits", "control")


@each_set
def test_texts_and_questions_are_equal(name: str) -> None:
    for claim, row in pairs(name):
        numbered = row["id"].partition("-")[2] in NUMBERED and name == "faithbench"
        whole = claim.claim == row["claim"]
        assert whole or numbered or _is_shifted(row["id"])
        assert not numbered or row["claim"].partition(" ")[2] == claim.claim
        assert claim.passages == tuple(text for text in row["context"] if text.strip())
        assert claim.question == row["question"]


@each_set
def test_slices_are_those_of_task_and_people(name: str) -> None:
    task = {
        **dict.fromkeys(["xsum-hallucination", "frank", "storysumm", "summedits"], "summary"),
        "control": "inference",
    }
    for claim, row in pairs(name):
        if name in task:
            assert claim.slice == task[name]
        elif name in ("wice", "contractnli"):
            assert (claim.slice == "summary") == (row["kind"] == "summary")
        else:
            assert (claim.slice == "outside_true") == (claim.unlabelled == "policy_gap")
            assert claim.slice in (None, "outside_true")


@each_set
def test_rows_of_one_group_never_part(name: str) -> None:
    assert parted_groups(name, pairs(name)) == []


@each_set
def test_the_set_that_is_made(name: str) -> None:
    made = assembled(name)
    lost = [out for out in made.left_out if out.reason == "not_ternary"]
    of_claims = sum(out.detail == "" for out in lost)
    assert (len(made.goldset.claims), len(made.goldset.pending), of_claims) == SETS[name].made
    assert sum(SETS[name].made) == len(imported(name)[0])
    assert len(lost) - of_claims == (15 if name == "faithbench" else 0)


@each_set
def test_a_binary_set_loses_nothing(name: str) -> None:
    binary_set_loses_nothing(name, pairs(name))


@each_set
def test_a_second_reading_is_the_same(name: str) -> None:
    second_reading_is_the_same(name)


def test_ragtruth_keeps_more_than_the_normalised_rows() -> None:
    """They keep at most 3 sentences of a response without spans, and 2 clean ones of the others."""
    marked = {claim.answer_id for claim in imported("ragtruth")[0] if claim.note}
    clean = [claim for claim in imported("ragtruth")[0] if not claim.note]
    ours = Counter(claim.answer_id in marked for claim in clean)
    assert ours == {True: 261, False: 254}
    kept = Counter(
        row["id"].rpartition("-")[0] for claim, row in pairs("ragtruth") if not claim.note
    )
    assert max(kept[answer] for answer in kept if answer not in marked) == 3


def test_ragtruth_models_of_one_source_share_a_group() -> None:
    writers: dict[str | None, set[str | None]] = {}
    for claim in imported("ragtruth")[0]:
        writers.setdefault(claim.group, set()).add(claim.generator)
    assert len(writers) == 44 and max(map(len, writers.values())) == 5


@pytest.mark.parametrize("name", ["xsum-hallucination", "faithbench"])
def test_votes_of_annotators_are_those_of_the_rows(name: str) -> None:
    words = {"yes", "no", "idk", "unsupported"}
    for claim, row in pairs(name):
        if claim.label is None:
            continue
        votes = {note.annotator[:8]: note.label for note in claim.annotations}
        wanted = {vote["id"]: vote["label"] for vote in row["annotators"]}
        assert votes == {who: label for who, label in wanted.items() if label in words}


def test_faithbench_says_what_was_open() -> None:
    for claim, row in pairs("faithbench"):
        if claim.label is None:
            counts = Counter(vote["label"] for vote in row["annotators"])
            told = dict(part.split(" ")[::-1] for part in claim.detail.split(", "))
            assert {vote: int(count) for vote, count in told.items()} == counts
            assert claim.unlabelled == "unsettled" and claim.note


@pytest.mark.parametrize("name", ["wice", "contractnli"])
def test_evidence_stands_in_the_passages(name: str) -> None:
    for claim, row in pairs(name):
        numbers = {number for each in row["evidence_idx"] for number in each}
        marked = {row["context"][number] for number in numbers if row["context"][number].strip()}
        assert set(claim.spans) == marked
        assert all(any(span in passage for passage in claim.passages) for span in claim.spans)
