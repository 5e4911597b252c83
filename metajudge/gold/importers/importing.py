"""From a place to a gold set in memory: the format recognised, a table's columns proposed, read."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from metajudge.gold.claim import LabelSpace
from metajudge.gold.importers.assemble import About, Imported, assemble
from metajudge.gold.importers.formats import TABLE, format_named, reader_named
from metajudge.gold.importers.imported import Format
from metajudge.gold.importers.proposal import Proposal, propose
from metajudge.gold.importers.recognise import Recognised, recognise
from metajudge.gold.importers.source import Source


@dataclass(frozen=True, slots=True)
class Prepared:
    """How a place would be read.

    Attributes:
        source: Not read yet; of a table with the column map and label map of the proposal.
        format: Its format; of a table with its mapping and label space.
        why: How the format was found; "" where the user named it.
        proposal: Of a table; None for any other format.
    """

    source: Source
    format: Format
    why: str = ""
    proposal: Proposal | None = None

    @property
    def certain(self) -> bool:
        """Whether no column and no label word was guessed."""
        return self.proposal is None or self.proposal.certain


def prepare(source: Source, name: str | None = None, space: LabelSpace | None = None) -> Prepared:
    """How a place would be read; of a table its column map is proposed.

    Args:
        source: With what the user said of columns and label words.
        name: Of the format; None recognises it.
        space: Label space that the user wants.

    Raises:
        GoldError: There is no such format, none or several fit, or the columns cannot be told.
    """
    found = recognise(source) if name is None else Recognised(format_named(name), "")
    if found.format.name != TABLE:
        return Prepared(source, found.format, found.why)
    proposal = propose(source, space)
    return Prepared(proposal.confirmed(source), proposal.format(), found.why, proposal)


def read_prepared(prepared: Prepared, about: About) -> Imported:
    """The gold set of a prepared place.

    Raises:
        GoldError: The source has faults, or no claim comes in; with every fault.
    """
    source = prepared.source.again()
    records = reader_named(prepared.format.name)(source)
    with _uncollected():
        return assemble(prepared.format, records, replace(about, columns=source.columns), source)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Puts off the search for cycles of objects, which costs more with each claim that is kept.

    Claims are in no cycle: without the search, 100,000 of them take a fifth less time.
    """
    searched = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searched:
            gc.enable()
