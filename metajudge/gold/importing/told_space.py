"""The label space that the labels of an import have, where nobody asked for one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from metajudge.gold.claim import SPACE_LABELS, GoldLabel, LabelSpace
from metajudge.gold.importing.imported import ImportedClaim, LeftOut


class Told(NamedTuple):
    """A label space, and all records in their order, each to be taken once.

    Attributes:
        space: Of the set.
        records: Those that were read ahead, then the others.
    """

    space: LabelSpace
    records: Iterator[ImportedClaim | LeftOut]


def told_space(records: Iterable[ImportedClaim | LeftOut], declared: LabelSpace) -> Told:
    """The declared label space, but binary where all labels are supported or unsupported.

    Records are read ahead as far as the first label that only a ternary set has.

    Args:
        records: As an importer gives them.
        declared: By the format.
    """
    following = iter(records)
    if declared == "binary":
        return Told(declared, following)
    held: deque[ImportedClaim | LeftOut] = deque()
    has_label = False
    for record in following:
        held.append(record)
        labels = _labels(record)
        if labels & set(SPACE_LABELS["ternary"]):
            return Told("ternary", chain(_released(held), following))
        has_label = has_label or bool(labels)
    return Told("binary" if has_label else "ternary", _released(held))


def _labels(record: ImportedClaim | LeftOut) -> set[GoldLabel]:
    """Every label that people gave for a record."""
    if isinstance(record, LeftOut):
        return set()
    labels = {note.label for note in record.annotations}
    if record.label is not None and record.label_source != "model":
        labels.add(record.label)
    return labels


def _released(held: deque[ImportedClaim | LeftOut]) -> Iterator[ImportedClaim | LeftOut]:
    while held:
        yield held.popleft()
