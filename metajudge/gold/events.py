"""What annotators do, one line each: labels, skips, undos, settled labels and reviews.

A gold folder keeps them in `annotations/<name>.jsonl`, one file per annotator, which only grows.
Two annotators never write one file, and a line is on disk before the next claim is shown. A line
that a killed program tore is marked as torn before the next one is written, and is not read.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError, model_validator

from metajudge.errors import GoldError, Problem
from metajudge.gold.appended import UtcTime, append_line, ends_inside_a_line
from metajudge.gold.claim import GoldLabel, Identifier, Slice, Strict
from metajudge.gold.rows import read_jsonl
from metajudge.gold.source_text import lone_surrogate
from metajudge.gold.validation import validation_problems

FOLDER = "annotations"
TORN = b" <torn>"
"""What a line ends with that was never written whole."""
SaveId = Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[\w-]+$")]
_DEVICES = re.compile(r"(?:con|prn|aux|nul|(?:com|lpt)[\d¹²³])")
_LIKE_HASHED = re.compile(r"(?:.*-)?[0-9a-f]{10}")


class _Event(Strict):
    claim_id: Identifier
    annotator: Identifier
    time: UtcTime
    save_id: SaveId
    """Unique to one act of one person: sent twice, it counts once."""

    @model_validator(mode="after")
    def _must_be_writable(self) -> _Event:
        parts = (part if isinstance(part, tuple) else (part,) for part in vars(self).values())
        texts = (text for group in parts for text in group if isinstance(text, str))
        half = lone_surrogate("".join(texts))
        if half is not None:
            raise ValueError(f"a text holds half a character ({half}), which no file can hold")
        return self


class LabelEvent(_Event):
    """An annotator labels a claim; the last one of a claim that was not undone stands."""

    event: Literal["label"] = "label"
    label: GoldLabel
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    slice: Slice | None = None
    spans: tuple[str, ...] = ()
    note: str | None = None
    flagged: bool = False
    policy: str | None = None


class SkipEvent(_Event):
    """An annotator leaves a claim for later or for somebody else."""

    event: Literal["skip"] = "skip"
    note: str | None = None
    flagged: bool = False


class UndoEvent(_Event):
    """An annotator takes an earlier act of their own back; what stood before it stands again.

    An undo is an act too: taken back, what it undid stands again.
    """

    event: Literal["undo"] = "undo"
    undoes: SaveId


class SettleEvent(_Event):
    """Somebody settles the gold label of a claim: adjudication, or a correction after a review."""

    event: Literal["settle"] = "settle"
    label: GoldLabel
    was: GoldLabel | None = None
    """The gold label that stood; None where there was none."""
    why: Annotated[str, Field(min_length=1)]
    because: Literal["adjudication", "review", "policy"] = "adjudication"
    slice: Slice | None = None
    policy: str | None = None


class ReviewEvent(_Event):
    """Somebody looks at a verdict that differs from the gold label."""

    event: Literal["review"] = "review"
    outcome: Literal["judge_wrong", "gold_wrong", "policy_gap"]
    verdict: str
    gold: GoldLabel
    trial: str
    """Which judge and template gave the verdict."""
    source: str
    """The sweep: experiment name and hash of its results."""
    why: str | None = None


Event = LabelEvent | SkipEvent | UndoEvent | SettleEvent | ReviewEvent
_ADAPTER: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="event")])
_MODELS = {
    kind.model_fields["event"].default: kind
    for kind in (LabelEvent, SkipEvent, UndoEvent, SettleEvent, ReviewEvent)
}


def events_file(folder: Path, annotator: str) -> Path:
    """The file that holds an annotator's acts.

    The name is kept where every system can hold it as a file name and none takes it for another
    one; otherwise a hash tells apart.

    >>> events_file(Path("tea"), "bo").as_posix()
    'tea/annotations/bo.jsonl'
    """
    plain = re.sub(r"[^\w-]+", "-", annotator).strip("-")[:40]
    if plain != annotator or not _is_file_name(plain):
        digest = hashlib.sha256(annotator.encode("utf-8", "surrogatepass")).hexdigest()[:10]
        plain = f"{plain}-{digest}".lstrip("-")
    return folder / FOLDER / f"{plain}.jsonl"


def _is_file_name(name: str) -> bool:
    """Whether every system holds the name as it is, and apart from all others.

    Not so with capitals and composed characters, which some systems fold; with names of devices;
    and with names that end as those with a hash do.
    """
    folded = unicodedata.normalize("NFC", name.casefold())
    return name == folded and not (_DEVICES.fullmatch(name) or _LIKE_HASHED.fullmatch(name))


def append_event(folder: Path, event: Event) -> None:
    """Writes an act at the end of its annotator's file; it is on disk when this returns.

    Raises:
        OSError: The file cannot be written.
    """
    from metajudge.gold.writer import json_text  # it imports GoldSet, which reads events

    path = events_file(folder, event.annotator)
    path.parent.mkdir(exist_ok=True)
    _mark_torn_line(path)
    fields = event.model_dump(mode="json", exclude_defaults=True) | {"event": event.event}
    append_line(path, json_text(fields))


def _mark_torn_line(path: Path) -> None:
    """Says of a last line without an end, which is no whole row, that it is torn.

    Nothing is taken away: another program may be about to complete the line.
    """
    if not path.exists() or not ends_inside_a_line(path):
        return
    try:
        json.loads(path.read_bytes().rpartition(b"\n")[2])
    except ValueError:
        with path.open("ab", buffering=0) as file:
            file.write(TORN + b"\n")


def read_events(folder: Path) -> tuple[Event, ...]:
    """Every act in a gold folder, each save once: by file name, then in the order written.

    A line that a killed program tore is left out, also where it was gone on after it: its act was
    never confirmed to anybody. Files whose name begins with a dot are not annotators'.

    Raises:
        GoldError: Another line cannot be read; with every fault.
    """
    events: list[Event] = []
    problems: list[Problem] = []
    for path in events_files(folder):
        read = read_jsonl(path)
        problems += _without_torn(path, read.problems)
        for row in read.rows:
            event = _event(row.fields, row.where, row.line)
            if isinstance(event, list):
                problems += event
            else:
                events.append(event)
    if problems:
        raise GoldError(problems)
    once: dict[tuple[str, str], Event] = {}
    for event in events:
        once.setdefault((event.annotator, event.save_id), event)
    return tuple(once.values())


def events_files(folder: Path) -> tuple[Path, ...]:
    """The files of annotators' acts in a gold folder, by name."""
    found = (folder / FOLDER).glob("*.jsonl")
    return tuple(sorted(path for path in found if not path.name.startswith(".")))


def _without_torn(path: Path, problems: Iterable[Problem]) -> Iterator[Problem]:
    """The problems but for those of lines that are known to be torn."""
    lines: list[bytes] | None = None
    for fault in problems:
        if "the last line is torn" in fault.law:
            continue
        if fault.line is not None:
            lines = path.read_bytes().split(b"\n") if lines is None else lines
            if lines[fault.line - 1].rstrip(b"\r").endswith(TORN):
                continue
        yield fault


def _event(fields: dict[str, object], where: str, line: int | None) -> Event | list[Problem]:
    try:
        return _ADAPTER.validate_python(fields)
    except ValidationError as error:
        model = _MODELS.get(str(fields.get("event")), LabelEvent)
        return validation_problems(error, model, where, lambda _: line)


def standing(events: Iterable[Event]) -> tuple[Event, ...]:
    """The acts that nobody took back, undos left out, in order.

    An undo takes back what the same annotator did before it in the order given, undos too.
    """
    undone: set[tuple[str, str]] = set()
    stand: list[Event] = []
    for event in reversed(tuple(events)):
        if (event.annotator, event.save_id) in undone:
            continue
        if isinstance(event, UndoEvent):
            undone.add((event.annotator, event.undoes))
        else:
            stand.append(event)
    return tuple(reversed(stand))
