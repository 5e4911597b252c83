"""Slices of public sets in upstream form, where they lie beside the project, and their labels.

A slice (`original/`) and the labels made of the whole upstream set (`normalised.jsonl`, and
`ambiguous.jsonl` for what people did not settle) overlap in part.
"""

import json
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from metajudge.gold.importers.formats import MODULES, format_named, reader_named
from metajudge.gold.importing.assemble import About, Imported, assemble
from metajudge.gold.importing.imported import ImportedClaim, LeftOut
from metajudge.gold.importing.source import Source

FOLDER = Path(__file__).parents[4] / "shared" / "public_gold"
beside = pytest.mark.skipif(not FOLDER.is_dir(), reason="no public gold sets beside the project")
Pair = tuple[ImportedClaim, dict[str, Any]]
"""An imported claim and the normalised row of it."""


@cache
def imported(name: str) -> tuple[list[ImportedClaim], list[LeftOut]]:
    source = Source(_original(name))
    found = list(reader_named(name)(source))
    assert source.problems == []
    claims = [claim for claim in found if isinstance(claim, ImportedClaim)]
    return claims, [out for out in found if isinstance(out, LeftOut)]


@cache
def normalised(name: str) -> list[dict[str, Any]]:
    """The labels made of the whole upstream set, those that people did not settle too."""
    paths = [FOLDER / MODULES[name] / f"{stem}.jsonl" for stem in ("normalised", "ambiguous")]
    texts = [path.read_text(encoding="utf-8") for path in paths if path.is_file()]
    return [json.loads(line) for text in texts for line in text.split("\n") if line]


@cache
def assembled(name: str) -> Imported:
    claims, left = imported(name)
    return assemble(format_named(name), [*claims, *left], About(name))


def parted_groups(name: str, pairs: Iterable[Pair]) -> list[str]:
    """Groups of normalised rows whose contexts are in several groups of the set that is made."""
    contexts = {context.passages: context for context in assembled(name).goldset.contexts.values()}
    groups: dict[str, set[str]] = {}
    for claim, row in pairs:
        context = contexts.get(claim.passages)
        if context is not None:
            groups.setdefault(row["group"], set()).add(context.group or context.context_id)
    return [group for group, ours in groups.items() if len(ours) > 1]


def binary_set_loses_nothing(name: str, pairs: Iterable[Pair]) -> None:
    claims, left = imported(name)
    made = assemble(format_named(name), [*claims, *left], About(name, label_space="binary"))
    labels = {claim.claim_id: claim.label for claim in made.goldset.claims}
    assert len(labels) == sum(claim.label is not None for claim in claims)
    for claim, row in pairs:
        if claim.claim_id in labels:
            assert labels[claim.claim_id] == row["label_binary"]


def second_reading_is_the_same(name: str) -> None:
    again = assemble(format_named(name), reader_named(name)(Source(_original(name))), About(name))
    first = assembled(name)
    assert again.goldset == first.goldset and again.places == first.places
    assert Counter(again.left_out) == Counter(first.left_out)


def _original(name: str) -> Path:
    return FOLDER / MODULES[name] / "original"
