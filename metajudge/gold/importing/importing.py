"""From a place to a gold set in memory: the format recognised, a table's columns proposed, read."""

from __future__ import annotations

from dataclasses import dataclass, replace

from metajudge.gold.claim import LabelSpace
from metajudge.gold.importers.formats import TABLE, format_named, reader_named
from metajudge.gold.importing.assemble import About, Imported, assemble
from metajudge.gold.importing.collecting import uncollected
from metajudge.gold.importing.imported import Format
from metajudge.gold.importing.recognise import (
    Recognised,
    check_rows,
    first_records,
    has_any_mark,
    recognise,
)
from metajudge.gold.importing.source import Source
from metajudge.gold.tables.proposal import Proposal, propose


@dataclass(frozen=True, slots=True)
class Prepared:
    """How a place would be read.

    Attributes:
        source: Not read yet; of a table with the column map and label map of the proposal.
        format: Its format; of a table with its mapping and label space.
        why: How the format was found; "" where the user named it.
        proposal: Of a table; None for any other format.
        notes: What people should know of it, in sentences.
    """

    source: Source
    format: Format
    why: str = ""
    proposal: Proposal | None = None
    notes: tuple[str, ...] = ()

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
        notes = () if name is None else _doubts(source, found.format)
        return Prepared(source, found.format, found.why, notes=notes)
    if name is not None:
        check_rows(source)
    proposal = propose(source, space)
    return Prepared(proposal.confirmed(source), proposal.format(), found.why, proposal)


def _doubts(source: Source, format: Format) -> tuple[str, ...]:
    """That a place has none of the fields of the tool that the user named."""
    if format.kind not in ("tool", "framework") or source.columns:
        return ()
    records = first_records(source)
    if not records or has_any_mark(format, records):
        return ()
    fields = ", ".join(format.marks)
    return (f"no record has the fields of {format.title} ({fields}): is --from right?",)


def read_prepared(prepared: Prepared, about: About) -> Imported:
    """The gold set of a prepared place.

    Raises:
        GoldError: The source has faults, or no claim comes in; with every fault.
    """
    source = prepared.source.again()
    records = reader_named(prepared.format.name)(source)
    about = replace(about, columns=source.columns)
    with uncollected():
        imported = assemble(prepared.format, records, about, source)
    return replace(imported, notes=(*prepared.notes, *imported.notes))
