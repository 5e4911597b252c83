"""What annotators do, one line each: labels, skips, undos, settled labels and reviews.

A gold folder keeps them in `annotations/<name>.jsonl`, one file per annotator, which only grows.
Two annotators never write one file, and a line is on disk before the next claim is shown.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from metajudge.errors import GoldError, Problem
from metajudge.gold.appended import UtcTime, append_line
from metajudge.gold.claim import GoldLabel, Identifier, Slice, Strict
from metajudge.gold.rows import read_jsonl
from metajudge.gold.validation import validation_problems

FOLDER = "annotations"
SaveId = Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[\w-]+$")]


class _Event(Strict):
    claim_id: Identifier
    annotator: Identifier
    time: UtcTime
    save_id: SaveId
    """Unique to one act of one person: sent twice, it counts once."""


class LabelEvent(_Event):
    """An annotator labels a claim; the last one of a claim that was not undone stands."""

    event: Literal["label"] = "label"
    label: GoldLabel
    seconds: Annotated[float, Field(ge=0)] | None = None
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
    """An annotator takes an act back; what stood before it stands again."""

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

    The name is kept where every system can hold it as a file name; otherwise a hash tells apart.

    >>> events_file(Path("tea"), "bo").as_posix()
    'tea/annotations/bo.jsonl'
    """
    plain = re.sub(r"[^\w-]+", "-", annotator).strip("-")[:40]
    if plain != annotator or plain != plain.casefold():
        digest = hashlib.sha256(annotator.encode("utf-8", "surrogatepass")).hexdigest()[:10]
        plain = f"{plain}-{digest}".lstrip("-")
    return folder / FOLDER / f"{plain}.jsonl"


def append_event(folder: Path, event: Event) -> None:
    """Writes an act at the end of its annotator's file; it is on disk when this returns.

    Raises:
        OSError: The file cannot be written.
    """
    path = events_file(folder, event.annotator)
    path.parent.mkdir(exist_ok=True)
    fields = event.model_dump(mode="json", exclude_defaults=True) | {"event": event.event}
    append_line(path, json.dumps(fields, ensure_ascii=True))


def read_events(folder: Path) -> tuple[Event, ...]:
    """Every act in a gold folder, each save once: by file name, then in the order written.

    A last line that a killed program tore is left out: its act was never confirmed to anybody.

    Raises:
        GoldError: Another line cannot be read; with every fault.
    """
    events: list[Event] = []
    problems: list[Problem] = []
    for path in sorted((folder / FOLDER).glob("*.jsonl")):
        read = read_jsonl(path)
        problems += [fault for fault in read.problems if "the last line is torn" not in fault.law]
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


def _event(fields: dict[str, object], where: str, line: int | None) -> Event | list[Problem]:
    try:
        return _ADAPTER.validate_python(fields)
    except ValidationError as error:
        model = _MODELS.get(str(fields.get("event")), LabelEvent)
        return validation_problems(error, model, where, lambda _: line)


def standing(events: Iterable[Event]) -> tuple[Event, ...]:
    """The acts that nobody took back, undos left out, in order."""
    acts = tuple(events)
    undone = {(event.annotator, event.undoes) for event in acts if isinstance(event, UndoEvent)}
    return tuple(
        event
        for event in acts
        if not isinstance(event, UndoEvent) and (event.annotator, event.save_id) not in undone
    )
