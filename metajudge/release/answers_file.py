"""Answers from wherever they are: files of every usual form, the hub, and tables of a program."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from metajudge.errors import InputError, Problem, short_repr
from metajudge.gold.goldset import MANIFEST, read_rows
from metajudge.gold.rows import RowsRead, SourceRow
from metajudge.release.answer_fields import KNOWN_COLUMNS, plain
from metajudge.release.answer_rows import AnswerReader, ClaimsMode
from metajudge.release.answers import Answer

AnswersSource: TypeAlias = "str | Path | Iterable[Mapping[str, Any]] | Any"
"""A path or `hf:` name; mappings; a pandas `DataFrame`; a `datasets` object."""
_FROM_PYTHON = "answers"


class AnswersRead(NamedTuple):
    """Answers of a source, in its order, and what reading decided for the user."""

    answers: tuple[Answer, ...]
    notes: tuple[str, ...]


def read_answers(source: AnswersSource, claims: ClaimsMode = "auto") -> AnswersRead:
    """Answers of a file, a hub set, or a table at hand.

    A row is an answer: `context` (or `passages`, `retrieval_context`, `retrieved_contexts`, …) with
    `answer` (`actual_output`, `response`), `claims`, or both; `question` (`input`, `user_input`),
    `answer_id` (or `id`), `lang` and `context_id` are optional. Or a row is one claim: `claim` with
    `answer_id`; rows of one answer are put together. Whatever else a row holds comes back with it.

    Rows that `metajudge evaluate` wrote give the claims that it judged.

    An empty answer, and one that states nothing (a refusal), has no claims.

    Args:
        source: A .jsonl, .json, .csv, .tsv or .parquet file, a folder saved by `datasets`,
            `hf:owner/name`, a list of mappings, a pandas `DataFrame`, or a `datasets` object. Only
            `hf:` touches the network.
        claims: Where claims come from.

    Raises:
        InputError: With every fault, by file, line and field.

    >>> row = {"context": ["Tea is a drink."], "claims": ["Tea is drunk."], "answer_id": "a"}
    >>> read_answers([row]).answers[0].claims
    (AnswerClaim(claim_id='a#1', claim='Tea is drunk.', slice=None),)
    """
    where, read = source_rows(source)
    reader = AnswerReader(claims)
    for row in read.rows:
        reader.read(row)
    answers = reader.answers()
    problems = [*read.problems, *reader.problems]
    if not answers and not problems:
        problems.append(Problem(where, "there is no answer in it", "Add at least one row."))
    if problems:
        raise InputError(problems)
    notes = tuple(f"{message} ({count})" for message, count in reader.notes.items() if count)
    return AnswersRead(answers, notes)


def source_rows(
    source: AnswersSource,
    known: Collection[str] = KNOWN_COLUMNS,
    lists: Collection[str] = ("claims",),
) -> tuple[str, RowsRead]:
    """Rows of a file, a hub set or a table at hand, as they are, and what messages call it.

    Args:
        source: As `read_answers` takes it.
        known: Column names that tell the separator of a CSV file.
        lists: Columns of a CSV file that may hold JSON lists.
    """
    if isinstance(source, str | Path):
        if (Path(source) / MANIFEST).is_file():
            law = "a gold set keeps claims and contexts apart, and answers come with their context"
            fault = Problem(str(source), law, "Name a file of answers.")
            return str(source), RowsRead((), (fault,))
        return str(source), read_rows(source, known, lists)
    if hasattr(source, "column_names"):
        from metajudge.gold.tabular import rows_of_dataset

        return _FROM_PYTHON, rows_of_dataset(source, _FROM_PYTHON)
    if hasattr(source, "to_dict") and hasattr(source, "columns"):
        return _FROM_PYTHON, _mappings(source.to_dict("records"))
    if isinstance(source, Iterable) and not isinstance(source, Mapping | bytes):
        return _FROM_PYTHON, _mappings(source)
    law = "answers are a path, a list of mappings, a DataFrame or a datasets.Dataset"
    fault = Problem(_FROM_PYTHON, law, "Put a single answer in [ ].", got=short_repr(source))
    return _FROM_PYTHON, RowsRead((), (fault,))


def _mappings(entries: Iterable[Any]) -> RowsRead:
    rows, problems = [], []
    for number, entry in enumerate(entries, 1):
        where = f"{_FROM_PYTHON} row {number}"
        if isinstance(entry, Mapping):
            fields = {str(name): plain(value) for name, value in entry.items()}
            rows.append(SourceRow(where, None, fields))
        else:
            law = "an answer is a mapping of fields"
            problems.append(Problem(where, law, "Give its fields.", got=short_repr(entry)))
    return RowsRead(tuple(rows), tuple(problems))
