"""Rows for metrics, from files and programs, under plain, DeepEval, Ragas and Phoenix names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

from metajudge.errors import InputError, Problem
from metajudge.gold.fingerprint import answer_id_of, context_id_of
from metajudge.gold.rows import SourceRow
from metajudge.metrics.row import MetricRow
from metajudge.metrics.row_fields import KNOWN_COLUMNS, LIST_COLUMNS, RowFields
from metajudge.release.answer_fields import IDEAL_APART
from metajudge.release.answer_rows import spoken_language
from metajudge.release.answers_file import AnswersSource, source_rows

_IN_BRACKETS = "context is one text in [ ], read as one passage: write a list of texts"


class RowsForMetrics(NamedTuple):
    """Rows of a source, in its order, and what reading decided for the user."""

    rows: tuple[MetricRow, ...]
    notes: tuple[str, ...]


def read_rows_for_metrics(source: AnswersSource) -> RowsForMetrics:
    """Rows of a file, a hub set, or a table at hand: one an answer.

    | ours | also read |
    |---|---|
    | `question` | `user_input`, `input`, `query`, `attributes.input.value` |
    | `answer` | `actual_output`, `response`, `output`, `attributes.output.value` |
    | `context` | `passages`, `contexts`, `retrieval_context`, `retrieved_contexts`, `doc`, … |
    | `reference` | `expected_output`, `ground_truth`, `ground_truths`, `reference_answer` |
    | `reference_contexts` | `ground_truth_contexts`; `context` beside `retrieval_context` |
    | `goal` | `task`, `user_goal`, `expected_outcome`; `reference` of a Ragas multi-turn sample |
    | `turns` | `messages`, `trajectory`, `conversation`; `user_input` where it is a list |
    | `expected_tools` | `reference_tool_calls`, `expected_tool_calls` |
    | `actual_tools` | `tools_called`, `tool_calls` |

    `claims`, `statements`, `entities`, `aspects` and `steps` are lists that need not be extracted.
    Whatever else a row holds comes back with it. Which fields are needed is the metrics' business.

    Args:
        source: A .jsonl, .json, .csv, .tsv or .parquet file, a folder saved by `datasets`,
            `hf:owner/name`, a list of mappings or of test cases of a framework, DeepEval's or
            Ragas' `EvaluationDataset`, a pandas `DataFrame`, or a `datasets` object. Only `hf:`
            touches the network.

    Raises:
        InputError: With every fault, by file, line and field.

    >>> row = {"user_input": "When?", "response": "At 9.", "retrieved_contexts": ["Opens at 9."]}
    >>> read_rows_for_metrics([row]).rows[0].passages
    ('Opens at 9.',)
    """
    where, read = source_rows(_mappings(source), KNOWN_COLUMNS, LIST_COLUMNS)
    reader = _Reader()
    for row in read.rows:
        reader.take(row)
    problems = [*read.problems, *reader.problems]
    if not reader.rows and not problems:
        problems.append(Problem(where, "there is no answer in it", "Add at least one row."))
    if problems:
        raise InputError(problems)
    notes = tuple(f"{message} ({count})" for message, count in reader.notes.items() if count)
    return RowsForMetrics(tuple(reader.rows.values()), notes)


class _Reader:
    def __init__(self) -> None:
        self.rows: dict[str, MetricRow] = {}
        self.problems: list[Problem] = []
        self.notes: Counter[str] = Counter()

    def take(self, row: SourceRow) -> None:
        fields = RowFields(row)
        answer_id = fields.identifier("answer_id")
        values = fields.values()
        self.problems += fields.problems
        self.notes["blank passages left out"] += fields.blank_passages
        self.notes[IDEAL_APART] += fields.ideal_apart
        self.notes[_IN_BRACKETS] += fields.context_in_brackets
        if answer_id is None:
            self.notes["answer_id made from content"] += 1
            answer_id = self._made_id(values)
        elif answer_id in self.rows:
            law = "the answer_id stands twice"
            got = repr(answer_id)
            mend = "Give each answer its own; one row is one answer."
            self.problems.append(Problem(row.where, law, mend, row.line, "answer_id", got))
            return
        lang = values.pop("lang", None)
        if lang is None:
            self.notes["lang guessed from the script"] += 1
            lang = spoken_language(_spoken(values))
        context_id = values.pop("context_id", None)
        if context_id is None:
            passages = values.get("passages")
            context_id = answer_id if not passages else context_id_of(passages)
        self.rows[answer_id] = MetricRow(
            answer_id=answer_id,
            lang=lang.replace("_", "-"),
            context_id=context_id,
            where=row.where,
            line=row.line,
            fields=fields.own,
            **values,
        )

    def _made_id(self, values: Mapping[str, Any]) -> str:
        """The id that `metajudge judge` makes of the same row; copies are numbered."""
        texts = [*(values.get("passages") or ())]
        texts += [text for text in (values.get("answer"),) if text is not None]
        texts += values["lists"].get("claims", ())
        texts += [_said(values)] if values.get("answer") is None else []
        made = answer_id_of(texts, values.get("question"))
        copies = 1
        while (name := made if copies == 1 else f"{made}-{copies}") in self.rows:
            copies += 1
        return name


def _spoken(values: Mapping[str, Any]) -> list[str | None]:
    """The texts that tell a row's language, the answer's first."""
    listed = [" ".join(texts) for texts in values["lists"].values()]
    others = [values.get(name) for name in ("reference", "question", "goal")]
    return [values.get("answer"), *listed, *others, _said(values)]


def _said(values: Mapping[str, Any]) -> str:
    turns = values.get("turns") or ()
    return "\n".join(turn.content for turn in turns)


def _mappings(source: AnswersSource) -> AnswersSource:
    """Test cases of frameworks as mappings; any other source as it is."""
    if not isinstance(source, Iterable):
        source = getattr(source, "test_cases", None) or getattr(source, "goldens", None) or source
    if isinstance(source, str | Path | Mapping | bytes) or not isinstance(source, Iterable):
        return source
    if hasattr(source, "column_names") or hasattr(source, "columns"):
        return source
    return [_mapping(entry) for entry in source]


def _mapping(entry: Any) -> Any:
    """An object of a framework as a mapping, also in the lists of a row; the rest as it is."""
    if isinstance(entry, Mapping):
        return {
            name: [_mapping(each) for each in value] if isinstance(value, list | tuple) else value
            for name, value in entry.items()
        }
    if hasattr(entry, "model_dump"):
        return entry.model_dump(exclude_none=True)
    return asdict(entry) if is_dataclass(entry) and not isinstance(entry, type) else entry
