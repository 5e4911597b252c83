"""Upstream slices of seven public sets, where they lie beside the project, and their labels.

As in part 1, each of `SETS` says how many claims are in both, only here, or only there.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest

from metajudge.gold.importers.formats import reader_named
from metajudge.gold.importing.imported import ImportedClaim
from metajudge.gold.importing.source import Source
from tests.gold.importers.slices import (
    FOLDER,
    Pair,
    assembled,
    beside,
    binary_set_loses_nothing,
    imported,
    normalised,
    parted_groups,
    second_reading_is_the_same,
)

Key = tuple[str, ...]


@dataclass(frozen=True)
class Slice:
    """What the import of a set must come to.

    Attributes:
        key: What tells one imported claim from another.
        normalised_key: The same of a normalised row.
        both: Claims of the slice that are normalised too, by label.
        only_here: Claims of the slice that normalisation sampled away, by label.
        only_there: Normalised rows whose upstream record is not in the slice.
        left_out: Records and votes that do not come in, by reason.
    """

    key: Callable[[ImportedClaim], Key]
    normalised_key: Callable[[dict[str, Any]], Key]
    both: dict[str | None, int]
    only_here: dict[str | None, int]
    only_there: int
    left_out: dict[str, int] = field(default_factory=dict)


def by_id(claim: ImportedClaim) -> Key:
    return (claim.claim_id or "",)


def row_id(row: dict[str, Any]) -> Key:
    return (row["id"],)


def by_text(claim: ImportedClaim) -> Key:
    return (claim.question or "", claim.claim, *claim.passages)


def row_text(row: dict[str, Any]) -> Key:
    return (row["question"] or "", row["claim"], *row["context"])


SETS: dict[str, Slice] = {
    "vitaminc": Slice(by_id, row_id, {"yes": 52, "no": 61, "idk": 56}, {}, 0),
    "averitec": Slice(
        *(by_text, row_text),
        both={"yes": 28, "no": 58, "idk": 7, None: 6},
        only_here={"no": 11},
        only_there=75,
    ),
    "factcheck-gpt": Slice(
        *(by_text, row_text),
        both={"yes": 66, "no": 29, "idk": 39, "unsupported": 28, None: 24},
        only_here={"idk": 31},
        only_there=93,
        left_out={"no_claim": 16, "duplicate": 36},
    ),
    "begin": Slice(
        *(by_text, row_text),
        both={"yes": 27, "unsupported": 22},
        only_here={"yes": 29, "unsupported": 120},
        only_there=157,
        left_out={"no_claim": 12},
    ),
    "attributionbench": Slice(by_id, row_id, {"yes": 71, "unsupported": 59}, {}, 108),
    "ocnli": Slice(
        *(by_id, row_id),
        both={"yes": 44, "no": 43, "idk": 53, None: 5},
        only_here={"yes": 16, "no": 21, "idk": 15, None: 3},
        only_there=81,
        left_out={"unknown_label": 1},
    ),
    "uhgeval": Slice(
        *(by_id, row_id),
        both={"yes": 52, "no": 64, "idk": 33, "unsupported": 13},
        only_here={"yes": 58},
        only_there=88,
    ),
}
MADE = {
    "vitaminc": (169, 0, 0),
    "averitec": (104, 6, 0),
    "factcheck-gpt": (165, 24, 28),
    "begin": (198, 0, 0),
    "attributionbench": (130, 0, 0),
    "ocnli": (192, 8, 0),
    "uhgeval": (207, 0, 13),
}
"""Labelled claims, waiting ones, and those that are left out of a ternary set as not ternary."""
pytestmark = beside
each_set = pytest.mark.parametrize("name", SETS)


@cache
def keyed(name: str) -> dict[Key, dict[str, Any]]:
    rows = {SETS[name].normalised_key(row): row for row in normalised(name)}
    assert len(rows) == len(normalised(name))
    return rows


def pairs(name: str) -> list[Pair]:
    rows = keyed(name)
    found = [(claim, rows.get(SETS[name].key(claim))) for claim in imported(name)[0]]
    return [(claim, row) for claim, row in found if row is not None]


@each_set
def test_how_many_claims_are_where(name: str) -> None:
    want, rows = SETS[name], keyed(name)
    claims, left = imported(name)
    keys = [want.key(claim) for claim in claims]
    assert len(set(keys)) == len(keys)
    here = Counter(claim.label for claim in claims if want.key(claim) not in rows)
    both = Counter(claim.label for claim in claims if want.key(claim) in rows)
    assert (both, here) == (want.both, want.only_here)
    assert len(set(rows) - set(keys)) == want.only_there
    assert Counter(out.reason for out in left) == want.left_out


@each_set
def test_labels_are_those_of_people(name: str) -> None:
    differ = [
        (row["id"], claim.label, row["label"])
        for claim, row in pairs(name)
        if claim.label != (row["label"] or row["label_binary"])
    ]
    assert differ == []


@each_set
def test_texts_and_questions_are_equal(name: str) -> None:
    for claim, row in pairs(name):
        assert claim.claim == row["claim"]
        assert claim.passages == tuple(row["context"])
        assert claim.question == row["question"]
        assert claim.lang == row["lang"]


@each_set
def test_rows_of_one_group_never_part(name: str) -> None:
    assert parted_groups(name, pairs(name)) == []


@each_set
def test_the_set_that_is_made(name: str) -> None:
    made = assembled(name)
    not_ternary = made.left_out_counts.get("not_ternary", 0)
    assert (len(made.goldset.claims), len(made.goldset.pending), not_ternary) == MADE[name]
    assert sum(MADE[name]) == len(imported(name)[0])


@each_set
def test_a_binary_set_loses_nothing(name: str) -> None:
    binary_set_loses_nothing(name, pairs(name))


@each_set
def test_a_second_reading_is_the_same(name: str) -> None:
    second_reading_is_the_same(name)


def test_ocnli_keeps_every_rater_but_one_word() -> None:
    strange = [out.what for out in imported("ocnli")[1]]
    assert len(strange) == 1
    for claim, row in pairs("ocnli"):
        votes = [{"id": note.annotator, "label": note.label} for note in claim.annotations]
        assert votes == [vote for vote in row["annotators"] if vote["label"] != "unrelated"]


def test_uhgeval_headlines_are_no_human_verdicts() -> None:
    for claim in imported("uhgeval")[0]:
        of_author = claim.label_source == "author"
        assert of_author == (claim.claim_id or "").startswith("uhgeval-head-")
        assert of_author == (claim.label == "yes") == (claim.slice == "summary")
    constructed = [row for _, row in pairs("uhgeval") if row.get("label_basis") == "construction"]
    assert len(constructed) == SETS["uhgeval"].both["yes"]


def test_slices_come_from_the_task_alone() -> None:
    found = {name: {claim.slice for claim in imported(name)[0]} for name in SETS}
    assert found.pop("ocnli") == {"inference"}
    assert found.pop("uhgeval") == {None, "summary"}
    assert set().union(*found.values()) == {None}


def test_factcheck_pairs_alone_have_no_flag() -> None:
    """All 36 claims of the pairs stand in the answers; three of them differ.

    There the flag that the evidence is enough speaks against five irrelevant snippets, so that the
    claim is not settled; the file of pairs has no such flag and gives idk.
    """
    path = FOLDER / "factcheck_gpt" / "original" / "subtask3_claim_evidence_stance.jsonl"
    rows = list(reader_named("factcheck-gpt")(Source(path)))
    claims = [claim for claim in rows if isinstance(claim, ImportedClaim)]
    assert len(claims) == len(rows) == 36
    answers = {(claim.claim, claim.passages): claim for claim in imported("factcheck-gpt")[0]}
    matched = [(claim, answers[claim.claim, claim.passages]) for claim in claims]
    differ = [(pair, answer) for pair, answer in matched if pair.label != answer.label]
    assert [(pair.label, answer.label) for pair, answer in differ] == [("idk", None)] * 3
    for _, answer in differ:
        assert answer.detail == f"stances: {', '.join(['irrelevant'] * 5)}" + (
            "; evidence enough to verify: yes"
        )
