"""Cases of a suite with today's answers, and how each is known again."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from metajudge.errors import InputError, Problem
from metajudge.metrics.evaluate import row_fields
from metajudge.metrics.inputs import RowsForMetrics, read_rows_for_metrics
from metajudge.metrics.row import ListName, MetricRow
from metajudge.release.answers_file import AnswersSource

_MADE = re.compile(r"a-[0-9a-f]{16}(-[0-9]+)?")
_canonical = json.JSONEncoder(ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode


@dataclass(frozen=True)
class Cases:
    """The cases, in the order of their file.

    Attributes:
        rows: Each with the answer of today.
        groups: The group of each.
        notes: What reading decided for the user.
    """

    rows: tuple[MetricRow, ...]
    groups: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids in the order of the file."""
        return tuple(row.answer_id for row in self.rows)

    @property
    def slices(self) -> tuple[str, ...]:
        """The slice of each case; "" where it has none."""
        named = (row.fields.get("slice") for row in self.rows)
        return tuple("" if name is None else str(name) for name in named)

    @property
    def mappings(self) -> list[dict[str, Any]]:
        """The rows as `evaluate` takes them."""
        return [_mapping(row) for row in self.rows]


def read_cases(
    place: Path, answers: AnswersSource | None = None, group: str | None = None
) -> Cases:
    """Cases of a file, with the answers of another one, or of rows at hand, where there are some.

    Args:
        place: Rows with an `id` (or `answer_id`) each.
        answers: A file or rows, with the ids of the cases; what a row has (answer, context, claims,
            turns, tool calls) stands in place of what the case has.
        group: Field whose cases belong together; None takes the context.

    Raises:
        InputError: A row is faulty, a case has no id or no answer, or the group is missing.
    """
    read = _read(place)
    notes = list(read.notes)
    rows, problems = read.rows, _without_id(read, str(place))
    if answers is not None:
        told = _read(answers)
        where = str(answers) if isinstance(answers, str | Path) else "answers"
        problems += _without_id(told, where)
        by_id = {row.answer_id: row for row in told.rows}
        for row in rows:
            if row.answer_id not in by_id and not problems:
                law, mend = "the case has no answer", f"Answer case {row.answer_id!r}."
                problems.append(Problem(where, law, mend, None, "answer_id"))
        strangers = len(by_id.keys() - {row.answer_id for row in rows})
        if strangers:
            notes.append(f"{where}: answers of no case ({strangers})")
        rows = tuple(_answered(row, by_id.get(row.answer_id)) for row in rows)
    if problems:
        raise InputError(problems)
    return Cases(rows, _groups(rows, group, place), tuple(notes))


def case_sha256(row: MetricRow) -> str:
    """Hash of what is asked in a case: question, reference and goal, and nothing of the answer."""
    return digest([row.question, row.reference, row.goal, row.expected_tools])


def answer_sha256(row: MetricRow) -> str:
    """Hash of what a system made of a case: answer, context, lists, turns and tool calls."""
    turns = (
        None if row.turns is None else [[t.role, t.content, list(t.tool_calls)] for t in row.turns]
    )
    lists = {name: list(texts) for name, texts in row.lists.items()}
    return digest([row.answer, row.passages, lists, turns, row.actual_tools])


def cases_sha256(hashes: Mapping[str, str]) -> str:
    """Hash of all cases, whatever their order."""
    return digest(dict(hashes))


def digest(content: Any) -> str:
    """SHA-256 of a JSON value, whatever the order of its keys."""
    return hashlib.sha256(_canonical(content).encode("ascii")).hexdigest()


def _read(source: AnswersSource) -> RowsForMetrics:
    return read_rows_for_metrics(str(source) if isinstance(source, Path) else source)


def _without_id(read: RowsForMetrics, where: str) -> list[Problem]:
    """Rows whose id was made from their content: tomorrow's answer would be another case."""
    if not any(note.startswith("answer_id made from content") for note in read.notes):
        return []
    law = "a case has an id of its own, by which it is known again"
    return [
        Problem(where, law, "Give it an id.", row.line, "id")
        for row in read.rows
        if _MADE.fullmatch(row.answer_id)
    ]


def _answered(case: MetricRow, told: MetricRow | None) -> MetricRow:
    if told is None:
        return case
    own: dict[str, Any] = {
        name: value
        for name in ("answer", "passages", "turns", "actual_tools")
        if (value := getattr(told, name)) is not None
    }
    lists: dict[ListName, tuple[str, ...]] = {
        name: texts for name, texts in case.lists.items() if name != "claims"
    }
    if told.passages is not None:
        own["context_id"] = told.context_id
    return replace(case, lists={**lists, **told.lists}, **own)


def _groups(rows: Sequence[MetricRow], group: str | None, place: Path) -> tuple[str, ...]:
    if group is None:
        return tuple(row.context_id for row in rows)
    problems = [
        Problem(str(place), "every case names its group", "Add it.", row.line, group)
        for row in rows
        if row.fields.get(group) is None
    ]
    if problems:
        raise InputError(problems)
    return tuple(str(row.fields[group]) for row in rows)


def _mapping(row: MetricRow) -> dict[str, Any]:
    held: dict[str, Any] = {"answer_id": row.answer_id, **row_fields(row)}
    if row.turns is not None:
        held["turns"] = [
            {"role": turn.role, "content": turn.content, "tool_calls": list(turn.tool_calls)}
            for turn in row.turns
        ]
    for name in ("expected_tools", "actual_tools", "reference_contexts"):
        value = getattr(row, name)
        if value is not None:
            held[name] = list(value)
    return held
