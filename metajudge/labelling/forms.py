"""What a form sent, read with bounds: a fault names the part that is wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import get_args
from urllib.parse import parse_qsl

from metajudge.gold.claim import SLICES, GoldLabel, Slice
from metajudge.labelling.desk import ReviewOutcome, Sent

LONGEST_NOTE = 4000
MOST_SPANS = 60
_MOST_FIELDS = 40
_SAVE_ID = re.compile(r"[\w-]{8,50}", re.ASCII)
_SPAN = re.compile(r"(\d{1,6}):(\d{1,9}):(\d{1,9})", re.ASCII)


class FormError(ValueError):
    """A part of a form is missing or not as it should be; the message names it."""


def read_form(body: bytes) -> dict[str, str]:
    """The fields of a form; of one that stands twice the last.

    Raises:
        FormError: It is not UTF-8, or has too many fields.
    """
    try:
        pairs = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=_MOST_FIELDS,
        )
    except ValueError as error:
        raise FormError("form") from error
    return dict(pairs)


def sent_of(form: Mapping[str, str], passages: Sequence[str]) -> Sent:
    """What a page sent along with a decision.

    Args:
        form: Its fields.
        passages: Those of the claim, that spans are places in.

    Raises:
        FormError: A field is missing, too long or out of range.
    """
    return Sent(
        claim_id=_needed(form, "claim_id", 200),
        save_id=save_id_of(form, "save_id"),
        state=form.get("state", "")[:80],
        seen=form.get("seen", "")[:80],
        slice=_slice(form.get("slice", "")),
        note=text_of(form, "note") or None,
        flagged=form.get("flagged") == "1",
        seconds=_seconds(form.get("seconds", "")),
        spans=spans_of(form.get("spans", ""), passages),
    )


def as_sent(text: str) -> str:
    r"""A text as a browser sends it that was in a hidden field.

    >>> as_sent("a\rb\n") == as_sent("a\r\nb\r\n")
    True
    """
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")


def save_id_of(form: Mapping[str, str], name: str) -> str:
    """The id of an act.

    Raises:
        FormError: It is none.
    """
    save_id = form.get(name, "")
    if not _SAVE_ID.fullmatch(save_id):
        raise FormError(name)
    return save_id


def label_of(form: Mapping[str, str], labels: Sequence[GoldLabel]) -> GoldLabel:
    """The label that was chosen.

    Raises:
        FormError: It is none of the set's labels.
    """
    for label in labels:
        if form.get("label") == label:
            return label
    raise FormError("label")


def outcome_of(form: Mapping[str, str]) -> ReviewOutcome:
    """Who is wrong.

    Raises:
        FormError: None of the three.
    """
    outcomes: tuple[ReviewOutcome, ...] = get_args(ReviewOutcome)
    for outcome in outcomes:
        if form.get("outcome") == outcome:
            return outcome
    raise FormError("outcome")


def text_of(form: Mapping[str, str], name: str) -> str:
    """A text that somebody typed, with line feeds at line ends and no blanks around it.

    Raises:
        FormError: It is too long.
    """
    text = form.get(name, "").replace("\r\n", "\n").strip()
    if len(text) > LONGEST_NOTE:
        raise FormError(name)
    return text


def spans_of(places: str, passages: Sequence[str]) -> tuple[str, ...]:
    """Texts at places in the passages, each once.

    Args:
        places: `passage:start:end`, separated by commas; counted from 0, in characters.
        passages: The passages.

    Raises:
        FormError: A place is not in them.

    >>> spans_of("0:4:7", ["The tea is hot."])
    ('tea',)
    """
    parts = [part for part in places.split(",") if part]
    if len(parts) > MOST_SPANS:
        raise FormError("spans")
    return tuple(dict.fromkeys(_span(part, passages) for part in parts))


def places_of(spans: Sequence[str], passages: Sequence[str]) -> str:
    """Where marked texts stand first, as `spans_of` reads it; a text that is not there is left out.

    >>> places_of(["tea", "milk"], ["The tea is hot."])
    '0:4:7'
    """
    places = []
    for span in spans:
        for index, passage in enumerate(passages):
            start = passage.find(span)
            if start >= 0:
                places.append(f"{index}:{start}:{start + len(span)}")
                break
    return ",".join(places)


def _span(part: str, passages: Sequence[str]) -> str:
    found = _SPAN.fullmatch(part)
    if found is None:
        raise FormError("spans")
    index, start, end = map(int, found.groups())
    if index >= len(passages) or not start < end <= len(passages[index]):
        raise FormError("spans")
    return passages[index][start:end]


def _needed(form: Mapping[str, str], name: str, longest: int) -> str:
    text = form.get(name, "")
    if not 0 < len(text) <= longest:
        raise FormError(name)
    return text


def _slice(chosen: str) -> Slice | None:
    if not chosen:
        return None
    for name in SLICES:
        if name == chosen:
            return name
    raise FormError("slice")


def _seconds(text: str) -> float | None:
    try:
        return float(text) if text else None
    except ValueError as error:
        raise FormError("seconds") from error
