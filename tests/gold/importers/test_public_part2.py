"""Upstream slices of seven public sets, where they lie beside the project, and their labels.

A slice in upstream form (`original/`) and the labels made of the whole upstream set
(`normalised.jsonl`, and `ambiguous.jsonl` for what people did not settle) overlap in part: each of
`SETS` says how many claims are in both, and how many only here or only there, so that a silent
loss shows. What is in both is equal but for the differences that are named below.
"""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from metajudge.gold.importers.formats import format_named, reader_named
from metajudge.gold.importing.assemble import About, Imported, assemble
from metajudge.gold.importing.imported import ImportedClaim, LeftOut
from metajudge.gold.importing.source import Source

FOLDER = Path(__file__).parents[4] / "shared" / "public_gold"
Key = tuple[str, ...]


@dataclass(frozen=True)
class Slice:
    """A set's folder and what its import must come to.

    Attributes:
        folder: In the shared folder.
        key: What tells one claim from another, of an imported claim and of a normalised row.
        both: Claims of the slice that are normalised too, by label.
        only_here: Claims of the slice that normalisation sampled away, by label.
        only_there: Normalised rows whose upstream record is not in the slice.
        left_out: Records and votes that do not come in, by reason.
    """

    folder: str
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
    "vitaminc": Slice("vitaminc", by_id, row_id, {"yes": 52, "no": 61, "idk": 56}, {}, 0),
    "averitec": Slice(
        *("averitec", by_text, row_text),
        both={"yes": 28, "no": 58, "idk": 7, None: 6},
        only_here={"no": 11},
        only_there=75,
    ),
    "factcheck-gpt": Slice(
        *("factcheck_gpt", by_text, row_text),
        both={"yes": 66, "no": 29, "idk": 39, "unsupported": 28, None: 24},
        only_here={"idk": 31},
        only_there=93,
        left_out={"no_claim": 16, "duplicate": 36},
    ),
    "begin": Slice(
        *("begin", by_text, row_text),
        both={"yes": 27, "unsupported": 22},
        only_here={"yes": 29, "unsupported": 120},
        only_there=157,
        left_out={"no_claim": 12},
    ),
    "attributionbench": Slice(
        "attributionbench", by_id, row_id, {"yes": 71, "unsupported": 59}, {}, 108
    ),
    "ocnli": Slice(
        *("ocnli", by_id, row_id),
        both={"yes": 44, "no": 43, "idk": 53, None: 5},
        only_here={"yes": 16, "no": 21, "idk": 15, None: 3},
        only_there=81,
        left_out={"unknown_label": 1},
    ),
    "uhgeval": Slice(
        *("uhgeval", by_id, row_id),
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
pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="no public gold sets beside the project"
)
each_set = pytest.mark.parametrize("name", SETS)


@cache
def imported(name: str) -> tuple[list[ImportedClaim], list[LeftOut]]:
    source = Source(FOLDER / SETS[name].folder / "original")
    found = list(reader_named(name)(source))
    assert source.problems == []
    claims = [claim for claim in found if isinstance(claim, ImportedClaim)]
    return claims, [out for out in found if isinstance(out, LeftOut)]


@cache
def normalised(name: str) -> dict[Key, dict[str, Any]]:
    folder = FOLDER / SETS[name].folder
    paths = [folder / "normalised.jsonl", folder / "ambiguous.jsonl"]
    texts = [path.read_text(encoding="utf-8") for path in paths if path.is_file()]
    rows = [json.loads(line) for text in texts for line in text.split("\n") if line]
    keyed = {SETS[name].normalised_key(row): row for row in rows}
    assert len(keyed) == len(rows)
    return keyed


@cache
def assembled(name: str) -> Imported:
    claims, left = imported(name)
    return assemble(format_named(name), [*claims, *left], About(name))


def pairs(name: str) -> list[tuple[ImportedClaim, dict[str, Any]]]:
    rows = normalised(name)
    found = [(claim, rows.get(SETS[name].key(claim))) for claim in imported(name)[0]]
    return [(claim, row) for claim, row in found if row is not None]


@each_set
def test_how_many_claims_are_where(name: str) -> None:
    want, rows = SETS[name], normalised(name)
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
    made = assembled(name).goldset
    contexts = {context.passages: context for context in made.contexts.values()}
    groups: dict[str, set[str]] = {}
    for claim, row in pairs(name):
        context = contexts.get(claim.passages)
        if context is not None:
            groups.setdefault(row["group"], set()).add(context.group or context.context_id)
    assert [group for group, ours in groups.items() if len(ours) > 1] == []


@each_set
def test_the_set_that_is_made(name: str) -> None:
    made = assembled(name)
    not_ternary = made.left_out_counts.get("not_ternary", 0)
    assert (len(made.goldset.claims), len(made.goldset.pending), not_ternary) == MADE[name]
    assert sum(MADE[name]) == len(imported(name)[0])


@each_set
def test_a_binary_set_loses_nothing(name: str) -> None:
    claims, left = imported(name)
    made = assemble(format_named(name), [*claims, *left], About(name, label_space="binary"))
    labels = {claim.claim_id: claim.label for claim in made.goldset.claims}
    assert len(labels) == sum(claim.label is not None for claim in claims)
    rows = normalised(name)
    for claim in claims:
        row = rows.get(SETS[name].key(claim))
        if row is not None and claim.claim_id is not None and row["label_binary"]:
            assert labels[claim.claim_id] == row["label_binary"]


@each_set
def test_a_second_reading_is_the_same(name: str) -> None:
    source = Source(FOLDER / SETS[name].folder / "original")
    again = assemble(format_named(name), reader_named(name)(source), About(name))
    first = assembled(name)
    assert again.goldset == first.goldset and again.places == first.places
    assert Counter(again.left_out) == Counter(first.left_out)


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
