"""One row's fields under the names that metrics use, each checked."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

from metajudge.gold.rows import SourceRow
from metajudge.gold.source_text import lone_surrogate
from metajudge.metrics.conversation import NotAMessageError, turns_of
from metajudge.metrics.row import ListName, Turn
from metajudge.release.answer_fields import FOREIGN, AnswerFields

LIST_NAMES: tuple[ListName, ...] = get_args(ListName)
NAMES = (
    "answer_id",
    "answer",
    "question",
    "passages",
    "reference",
    "reference_contexts",
    "goal",
    "turns",
    "expected_tools",
    "actual_tools",
    *LIST_NAMES,
    "lang",
    "context_id",
)
"""What a row may say of an answer; whatever else it holds is its own."""
_MORE = {
    "question": ("query", "attributes.input.value"),
    "answer": ("output", "attributes.output.value"),
    "passages": ("document_text", "attributes.retrieval.documents"),
    "reference": ("expected_output", "ground_truth", "ground_truths", "reference_answer"),
    "reference_contexts": ("ground_truth_contexts",),
    "goal": ("task", "user_goal", "expected_outcome"),
    "turns": ("messages", "trajectory", "conversation"),
    "expected_tools": ("reference_tool_calls", "expected_tool_calls"),
    "actual_tools": ("tools_called", "tool_calls"),
    "statements": ("reference_statements", "reference_claims"),
}
_FOREIGN = {**FOREIGN, **{name: ours for ours, names in _MORE.items() for name in names}}
OTHER_NAMES: dict[str, tuple[str, ...]] = {
    ours: tuple(
        name for name, means in _FOREIGN.items() if means == field and "." not in name != ours
    )
    for field in NAMES
    for ours in ("context" if field == "passages" else field,)
}
"""Column -> other names under which it is read."""
HELD_TURNS = "input_turns"
"""The conversation in a file that has the score `turns` too, as `evaluate` writes it."""
CONVERSATION = "conversation"
"""Its messages, or its id."""
KNOWN_COLUMNS = frozenset({*NAMES, *_FOREIGN, "id", HELD_TURNS})
LIST_COLUMNS = frozenset(
    {
        *LIST_NAMES,
        *_MORE["statements"],
        *_MORE["turns"],
        *_MORE["expected_tools"],
        *_MORE["actual_tools"],
        *(HELD_TURNS, "turns", "expected_tools", "actual_tools", "reference_contexts"),
        *_MORE["reference_contexts"],
        "ground_truths",
    }
)
"""Columns of a CSV file that may hold JSON lists, beside those of the context."""
_TEXT_KEYS = ("content", "page_content", "text", "document.content", "claim")


class RowFields(AnswerFields):
    """A row's fields for metrics, with every fault noted as they are read."""

    names = NAMES
    foreign = _FOREIGN
    blank_passages = 0
    """Passages without a text, which are left out."""
    context_in_brackets = False
    """Whether the context is one text that looks like a list."""

    def __init__(self, row: SourceRow) -> None:
        fields = dict(row.fields)
        count = fields.pop("turns") if _is_count(fields.get("turns")) else None
        named = fields.pop(CONVERSATION) if _is_id(fields.get(CONVERSATION)) else None
        if HELD_TURNS in fields and fields.get("turns") is None:
            fields["turns"] = fields.pop(HELD_TURNS)
        super().__init__(replace(row, fields=fields))
        if count is not None:
            self.own["turns"] = count
        if named is not None:
            self.own[CONVERSATION] = named

    def values(self) -> dict[str, Any]:
        """Fields of a `MetricRow`, but for its id and place."""
        self._split_user_input()
        texts = {
            name: text
            for name in ("question", "goal", "lang")
            if (text := self.text(name)) is not None
        }
        context_id = self.identifier("context_id")
        found: dict[str, Any] = dict(texts)
        found |= {} if context_id is None else {"context_id": context_id}
        answer = self.text("answer")
        if answer is not None or self.has_answer:
            found["answer"] = answer or ""
        found["reference"] = self._reference()
        for name in ("passages", "reference_contexts"):
            found[name] = self._texts(name, drop_blank=True)
        lists = {name: self._texts(name) for name in LIST_NAMES}
        found["lists"] = {name: texts for name, texts in lists.items() if texts is not None}
        found["turns"] = self._turns()
        for name in ("expected_tools", "actual_tools"):
            found[name] = self._listed(name)
        if found["actual_tools"] is None and found["turns"] is not None:
            made = tuple(call for turn in found["turns"] for call in turn.tool_calls)
            found["actual_tools"] = made or None
        return found

    def _split_user_input(self) -> None:
        """A list under the question's name is the conversation of a multi-turn sample.

        Its reference is the outcome wished for, as in Ragas' accuracy of goals.
        """
        if isinstance(self.known.get("question"), list | tuple) and "turns" not in self.known:
            self.known["turns"] = self.known.pop("question")
            if isinstance(self.known.get("reference"), str):
                self.known.setdefault("goal", self.known["reference"])

    def _reference(self) -> str | None:
        value = self.known.get("reference")
        if isinstance(value, list | tuple):
            if len(value) != 1:
                law = f"a reference is one text, and here are {len(value)}"
                self.fault("reference", law, "Keep one.", value)
                return None
            value = value[0]
        return self._text("reference", value)

    def _listed(self, name: str) -> tuple[Any, ...] | None:
        value = _unpacked(self.known.get(name))
        if value is None:
            return None
        if not isinstance(value, list | tuple):
            self.fault(name, "must be a list", "Write [ … ]; [] for none.", value)
            return None
        return tuple(value)

    def _texts(self, name: str, *, drop_blank: bool = False) -> tuple[str, ...] | None:
        value, shown = self.known.get(name), "context" if name == "passages" else name
        if isinstance(value, str):
            inside = value.strip()
            self.context_in_brackets |= drop_blank and inside[:1] + inside[-1:] == "[]"
            value = [value]
        if value is None:
            return None
        if not isinstance(value, list | tuple):
            self.fault(shown, "must be a text or a list of texts", 'Write ["one", …].', value)
            return None
        texts = []
        for index, entry in enumerate(value):
            place = f"{shown}[{index}]"
            text = self._text(place, _inner(entry))
            if text is None and not drop_blank and isinstance(entry, str):
                self.fault(place, "must not be empty", "Write it or remove it.", entry)
            self.blank_passages += drop_blank and text is None
            if text is not None:
                texts.append(text)
        return tuple(texts)

    def _turns(self) -> tuple[Turn, ...] | None:
        listed = self._listed("turns")
        if listed is None:
            return None
        turns: list[Turn] = []
        for index, given in enumerate(listed):
            try:
                read = tuple(turns_of(given, index))
            except NotAMessageError as error:
                law = "a turn is a text, or {role, content, tool_calls} with a text as its content"
                self.fault(f"turns[{index}]{error.inside}", law, "Mend it.", error.got)
                continue
            for half in filter(None, (lone_surrogate(turn.content) for turn in read)):
                law = f"the text holds half a character ({half})"
                self.fault(f"turns[{index}].content", law, "Export the text again as UTF-8.", given)
            turns += read
        return tuple(turns)


def _is_count(value: Any) -> bool:
    """Whether a field holds the score `turns` rather than the conversation."""
    try:
        return not isinstance(value, bool) and float(value) >= 0
    except (TypeError, ValueError):
        return False


def _is_id(value: Any) -> bool:
    """Whether a field names the conversation rather than holds it, as sampled spans do."""
    if isinstance(value, int) and not isinstance(value, bool):
        return True
    return isinstance(value, str) and re.fullmatch(r"[^\s\[{]\S{0,199}", value) is not None


def _unpacked(value: Any) -> Any:
    """A list that a table holds as its JSON text; anything else as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith("["):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _inner(entry: Any) -> Any:
    """The text of a passage or claim that stands in a mapping; anything else as it is."""
    if not isinstance(entry, Mapping):
        return entry
    return next((entry[key] for key in _TEXT_KEYS if key in entry), entry)
