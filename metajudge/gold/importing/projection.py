"""Labels of either label space in the words of one, and the one annotation of each person."""

from __future__ import annotations

from collections.abc import Sequence

from metajudge.errors import short_repr
from metajudge.gold.annotators import moment_of
from metajudge.gold.claim import Annotation, GoldLabel, LabelSpace
from metajudge.gold.importing.imported import ImportedClaim, LeftOut, Reason

_PROJECTED: dict[LabelSpace, dict[GoldLabel, GoldLabel]] = {
    "ternary": {"yes": "yes", "no": "no", "idk": "idk", "supported": "yes"},
    "binary": {
        "yes": "supported",
        "no": "unsupported",
        "idk": "unsupported",
        "supported": "supported",
        "unsupported": "unsupported",
    },
}


def projected(label: GoldLabel, space: LabelSpace) -> GoldLabel | None:
    """A label in the words of a label space; None for `unsupported` in a ternary one.

    >>> projected("supported", "ternary"), projected("idk", "binary")
    ('yes', 'unsupported')
    >>> projected("unsupported", "ternary") is None
    True
    """
    return _PROJECTED[space].get(label)


def standing(
    record: ImportedClaim, space: LabelSpace
) -> tuple[tuple[Annotation, ...], list[LeftOut]]:
    """The annotations of a claim in one label space, one a person, and those that do not stand.

    Of several by one person the last stands: by time where each has one, else as they are listed.
    """
    notes = record.annotations
    left: list[LeftOut] = []
    if len({note.annotator for note in notes}) < len(notes):
        notes, left = _last_of_each(record, notes)
    kept = []
    for note in notes:
        label = projected(note.label, space)
        if label is None:
            left.append(_out(record, note, "not_ternary"))
        else:
            kept.append(note if label == note.label else note.model_copy(update={"label": label}))
    return tuple(kept), left


def _last_of_each(
    record: ImportedClaim, notes: Sequence[Annotation]
) -> tuple[tuple[Annotation, ...], list[LeftOut]]:
    of_person: dict[str, list[Annotation]] = {}
    for note in notes:
        of_person.setdefault(note.annotator, []).append(note)
    last = {name: _last(given) for name, given in of_person.items()}
    left = [_out(record, note, "superseded") for note in notes if note is not last[note.annotator]]
    return tuple(last.values()), left


def _last(notes: Sequence[Annotation]) -> Annotation:
    times = [moment_of(note.time) for note in notes]
    if None in times:
        return notes[-1]
    return max(zip(times, range(len(notes)), notes, strict=True), key=lambda dated: dated[:2])[2]


def _out(record: ImportedClaim, note: Annotation, reason: Reason) -> LeftOut:
    what = record.claim_id or short_repr(record.claim, 60)
    return LeftOut(reason, record.where, record.line, what, f"{note.annotator}: {note.label}")
