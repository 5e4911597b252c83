"""What importers share: records of a source, their texts and ids, and what cannot be used."""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from metajudge.errors import short_repr
from metajudge.gold.claim import Annotation, GoldLabel
from metajudge.gold.claim_rows import MISSING_WORDS
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut, Reason
from metajudge.gold.importing.source import Source
from metajudge.gold.rows import SourceRow
from metajudge.gold.source_text import lone_surrogate

_LONGEST_ID = 200
_ID_DIGITS = 16


class UnusableError(ValueError):
    """A record, or a part of one, that cannot come in; `left_out` says why."""

    def __init__(self, left_out: LeftOut) -> None:
        super().__init__(left_out.reason)
        self.left_out = left_out


def records(source: Source, format: Format, *patterns: str) -> Iterator[SourceRow]:
    """Records of a file, of a folder's files by name, of a saved folder, or of a hub set.

    Args:
        source: Where from.
        format: Its `files` are read in a folder when there are no patterns.
        patterns: Glob patterns of the files that are read in a folder.

    Raises:
        GoldError: There is no such file, or it cannot be read at all.
    """
    if source.is_dataset:
        yield from source.rows()
        return
    for file in source.find(*(patterns or format.files)):
        yield from source.rows(file)


def claims_of_each(
    rows: Iterable[SourceRow], claims_of: Callable[[SourceRow], Iterator[ImportedClaim | LeftOut]]
) -> Iterator[ImportedClaim | LeftOut]:
    """What a format makes of each record.

    Where upstream gives one id to two claims (ids often begin anew in each split), the later one
    comes without, so that it gets an id from its content.

    Args:
        rows: The records.
        claims_of: The claims of one record; an `UnusableError` leaves out what is left of it.
    """
    first: dict[str, int] = {}
    for row in rows:
        for found in _usable(row, claims_of):
            if isinstance(found, ImportedClaim) and found.claim_id is not None:
                content = hash((found.claim, found.passages, found.question))
                if first.setdefault(found.claim_id, content) != content:
                    yield found._replace(claim_id=None)
                    continue
            yield found


def _usable(
    row: SourceRow, claims_of: Callable[[SourceRow], Iterator[ImportedClaim | LeftOut]]
) -> Iterator[ImportedClaim | LeftOut]:
    try:
        yield from claims_of(row)
    except UnusableError as unusable:
        yield unusable.left_out


def left_out(row: SourceRow, reason: Reason, what: str, detail: str = "") -> LeftOut:
    """A record or part of one that does not come in, with the record's place."""
    return LeftOut(reason, row.where, row.line, what, detail)


def text_in(row: SourceRow, name: str, reason: Reason = "missing_text") -> str:
    """The text of a field, as it stands.

    Raises:
        UnusableError: It is missing, blank or the trace of a missing value (`reason`), or no
            text that can be saved (`malformed`).
    """
    value = row.fields.get(name)
    missing = isinstance(value, str) and value in MISSING_WORDS
    return as_text(row, name, None if missing else value, reason)


def as_text(row: SourceRow, name: str, value: Any, reason: Reason = "missing_text") -> str:
    """The same of a value from within a record; `name` is what it is called in the message."""
    if value is None or (isinstance(value, str) and not value.strip()):
        raise UnusableError(left_out(row, reason, _what(row, name), f"no {name}"))
    if not isinstance(value, str):
        raise UnusableError(malformed(row, name, value))
    half = lone_surrogate(value)
    if half is not None:
        detail = f"{name} holds half a character, {half}"
        raise UnusableError(left_out(row, "malformed", _what(row, name), detail))
    return value


def texts_in(row: SourceRow, name: str) -> tuple[str, ...]:
    """The passages of a field that holds one text or a list of texts; blank ones do not count.

    Raises:
        UnusableError: There is none (`missing_context`), or it holds something else.
    """
    value = row.fields.get(name)
    parts = [value] if isinstance(value, str) else value
    if parts is not None and not isinstance(parts, list):
        raise UnusableError(malformed(row, name, value))
    texts = tuple(
        as_text(row, name, part)
        for part in parts or []
        if not (part is None or (isinstance(part, str) and not part.strip()))
    )
    if not texts:
        raise UnusableError(left_out(row, "missing_context", _what(row, name), f"no {name}"))
    return texts


def list_in(row: SourceRow, name: str) -> list[Any]:
    """The list of a field; empty where the field is missing.

    Raises:
        UnusableError: It holds something else.
    """
    value = row.fields.get(name)
    if value is not None and not isinstance(value, list):
        raise UnusableError(malformed(row, name, value))
    return value or []


def optional_text(row: SourceRow, name: str) -> str | None:
    """The text of a field that may be missing; None for anything that is not a text with letters.

    A number is a text: ids are often numbers.
    """
    value = row.fields.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip() or value in MISSING_WORDS:
        return None
    return value if lone_surrogate(value) is None else None


def label_in(row: SourceRow, name: str, labels: Mapping[str, GoldLabel]) -> GoldLabel | None:
    """The label of a field by the folded word; None where nobody has given one.

    Args:
        row: The record.
        name: The field.
        labels: Our label of each word, folded as `folded_word` does.

    Raises:
        UnusableError: The word is none of them.
    """
    value = row.fields.get(name)
    if value is None or str(value).strip() in ("", *MISSING_WORDS):
        return None
    label = labels.get(folded_word(value))
    if label is None:
        detail = f"{name} is {short_repr(value, 40)}"
        raise UnusableError(left_out(row, "unknown_label", _what(row, name), detail))
    return label


def known_words(source: Source, labels: Mapping[str, GoldLabel]) -> dict[str, GoldLabel]:
    """The label words of a format and those that the user mapped, which win; all folded."""
    return {
        folded_word(word): label for word, label in (dict(labels) | dict(source.labels)).items()
    }


def folded_word(value: object) -> str:
    """A label word without case, outer space, full-width letters and the kind of gap.

    A whole number is the same word as a fraction, which data frames make of it.

    >>> folded_word(" NOT_ENOUGH  ｉnfo"), folded_word(1.0)
    ('not enough info', '1')
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    plain = unicodedata.normalize("NFKC", str(value))
    return " ".join(plain.replace("_", " ").casefold().split())


def malformed(row: SourceRow, name: str, value: object) -> LeftOut:
    """A record whose field holds something else than the format has there."""
    return left_out(row, "malformed", _what(row, name), f"{name} is {short_repr(value, 40)}")


def identifier_of(prefix: str, *parts: str) -> str:
    """An id made from texts: the same in any order, file and run.

    >>> identifier_of("tea", "black", "green")
    'tea-8149b4f8f7f6f03a'
    """
    joined = "\0".join(f"{len(part)}:{part}" for part in parts)
    return f"{prefix}-{hashlib.sha256(joined.encode()).hexdigest()[:_ID_DIGITS]}"


def bounded(name: str) -> str:
    """A name that is short enough for an id: a long one is cut, and its hash stands after it."""
    if len(name) <= _LONGEST_ID:
        return name
    return identifier_of(name[: _LONGEST_ID - _ID_DIGITS - 1], name)


@lru_cache(maxsize=1024)
def vote_of(annotator: str, label: GoldLabel) -> Annotation:
    """A vote with nothing beside its label; equal ones are one object, so that many cost little."""
    return Annotation(annotator=annotator, label=label)


def votes_in_words(annotations: Sequence[Annotation]) -> str:
    """How often each label was given, most first.

    >>> votes_in_words([Annotation(annotator=name, label="idk") for name in "ab"])
    '2 idk'
    """
    votes = Counter(annotation.label for annotation in annotations)
    return ", ".join(f"{count} {label}" for label, count in votes.most_common())


def _what(row: SourceRow, name: str) -> str:
    """Upstream's id of the record where it has one, and the field."""
    for key in ("id", "unique_id", "claim_id"):
        value = row.fields.get(key)
        if isinstance(value, str | int) and value != "":
            return f"{short_repr(value, 40)} {name}"
    return name
