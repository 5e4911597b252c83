"""One row's fields under our names, each text checked: what answers are made of."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from metajudge.errors import Problem, short_repr
from metajudge.gold.claim import SLICES, Slice
from metajudge.gold.claim_rows import MISSING_WORDS
from metajudge.gold.columns import FRAMEWORK_NAMES, flat_fields
from metajudge.gold.rows import SourceRow
from metajudge.gold.source_text import lone_surrogate
from metajudge.gold.validation import suggest

FIELDS = (
    "answer_id",
    "passages",
    "answer",
    "question",
    "claims",
    "claim",
    "claim_id",
    "slice",
    "lang",
    "context_id",
)
"""What a row may say of an answer; whatever else it holds is its own."""
CLAIM_ONLY = ("claim_id", "slice")
FOREIGN = {
    name: ours
    for ours, names in {
        "passages": FRAMEWORK_NAMES["passages"],
        "answer": FRAMEWORK_NAMES["claim"],
        "question": FRAMEWORK_NAMES["question"],
    }.items()
    for name in names
}
KNOWN_COLUMNS = frozenset({*FIELDS, *FOREIGN, "id"})
EVALUATED = "faithfulness_verdicts"
"""Column that `metajudge evaluate` writes: the claims that it judged, each as `unit`."""
IDEAL = "reference_contexts"
"""Passages that should have been retrieved."""
IDEAL_APART = "context beside retrieval_context taken as the ideal one: reference_contexts"
LONGEST_ID = 200
_CLAIM_KEYS = ("claim", "claim_id", "slice")
_WRITE_LIST = 'Write ["first claim", …]; [] where the answer states nothing.'


class GivenClaim(NamedTuple):
    """A claim as its row gives it."""

    text: str
    claim_id: str | None
    slice: Slice | None


class AnswerFields:
    """A row's fields, with every fault noted as they are read.

    Attributes:
        row: Where it stands.
        known: Our fields that have a value.
        own: Whatever else the row holds.
        has_answer: Whether the row has a place for the answer, be it empty.
        ideal_apart: Whether `context` is the ideal context of a DeepEval case and not the retrieved
            one.
        problems: Faults found so far.
    """

    names: Sequence[str] = FIELDS
    """Our fields that such a row can have."""
    foreign: Mapping[str, str] = FOREIGN
    """Names of frameworks -> ours."""

    def __init__(self, row: SourceRow) -> None:
        self.row = row
        self.problems: list[Problem] = []
        self.known: dict[str, Any] = {}
        self.own: dict[str, Any] = {}
        self.has_answer = False
        sources: dict[str, str] = {}
        given = flat_fields(row.fields)
        self.ideal_apart = _has_ideal_context(given)
        for column, value in given.items():
            name = IDEAL if self.ideal_apart and column == "context" else column
            ours = self.foreign.get(name, name)
            self.has_answer |= ours == "answer"
            if ours not in self.names:
                self.own[name] = plain(value)
            elif value is not None and ours in self.known:
                law = f"two columns, {sources[ours]!r} and {name!r}, both stand for {ours!r}"
                self.fault(name, law, "Rename or remove one of the two.")
            elif value is not None:
                self.known[ours], sources[ours] = value, name
        self._take_over_id()

    @property
    def is_claim(self) -> bool:
        """Whether the row is one claim of an answer rather than a whole answer."""
        return "claim" in self.known

    def fault(self, field: str, law: str, mend: str, got: Any = ...) -> None:
        """Note a fault of this row."""
        shown = None if got is ... else short_repr(got)
        self.problems.append(Problem(self.row.where, law, mend, self.row.line, field, shown))

    def text(self, name: str) -> str | None:
        """A field's text; None where it is missing or blank, or no text."""
        value = self.known.get(name)
        return None if value is None else self._text(name, value)

    def identifier(self, name: str) -> str | None:
        """A field's id; whole numbers are taken as their digits."""
        return self._identifier(name, self.known.get(name))

    def passages(self) -> tuple[str, ...] | None:
        """The passages, blank ones left out; None where the field is missing or faulty."""
        value = self.known.get("passages")
        if value is None:
            mend = "Add context; write [] where nothing was retrieved."
            self.fault("context", "an answer needs the context that it is judged against", mend)
            return None
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, list | tuple):
            law = "a context must be a text or a list of texts"
            self.fault("context", law, 'Write ["first passage", …].', value)
            return None
        texts = [self._text(f"context[{i}]", text) for i, text in enumerate(listed)]
        return tuple(text for text in texts if text is not None)

    def claims(self) -> tuple[GivenClaim, ...] | None:
        """The claims of `claims`, or the one of `claim`; None where the row gives none."""
        if self.is_claim:
            if "claims" in self.known:
                law = "a row has either claim, or claims with all of an answer"
                self.fault("claims", law, "Keep one of the two.", self.known["claims"])
                return None
            return tuple(filter(None, [self._claim("claim", self.known, self.known["claim"])]))
        listed = self.known.get("claims", self._evaluated())
        if listed is None:
            return None
        if not isinstance(listed, list | tuple):
            law = "claims must be a list of texts, or of {claim, claim_id, slice}"
            self.fault("claims", law, _WRITE_LIST, listed)
            return None
        found = []
        for index, entry in enumerate(listed):
            place = f"claims[{index}]"
            if isinstance(entry, Mapping):
                found.append(self._claim(place, entry, entry.get("claim")))
            else:
                found.append(self._claim(place, {}, entry))
        return tuple(filter(None, found))

    @property
    def are_evaluated(self) -> bool:
        """Whether the row's claims are those that an evaluation judged."""
        return not {"claim", "claims"} & self.known.keys() and self._evaluated() is not None

    def _evaluated(self) -> list[str] | None:
        """Claims that an evaluation judged; None where there are none."""
        verdicts = self.own.get(EVALUATED)
        if isinstance(verdicts, str):
            try:
                verdicts = json.loads(verdicts)
            except ValueError:
                return None
        if not isinstance(verdicts, list):
            return None
        units = [verdict.get("unit") for verdict in verdicts if isinstance(verdict, Mapping)]
        return [unit for unit in units if isinstance(unit, str)] or None

    def _claim(self, place: str, entry: Mapping[str, Any], text: Any) -> GivenClaim | None:
        if place != "claim":
            for name in entry.keys() - _CLAIM_KEYS:
                mend = suggest(name, _CLAIM_KEYS)
                self.fault(f"{place}.{name}", "a claim has no such field", mend, entry[name])
        read = self._text(place, text)
        if read is None and not isinstance(text, str) and text is not None:
            return None
        if read is None:
            self.fault(place, "a claim must not be empty", "Write it or remove it.", text)
            return None
        name = "claim_id" if place == "claim" else f"{place}.claim_id"
        kind = entry.get("slice")
        if kind is not None and kind not in SLICES:
            law = f"a slice is one of {', '.join(SLICES)}"
            mend = f"{suggest(kind, SLICES)} Or leave it out."
            self.fault(name.replace("claim_id", "slice"), law, mend, kind)
            kind = None
        return GivenClaim(read, self._identifier(name, entry.get("claim_id")), kind)

    def _text(self, name: str, value: Any) -> str | None:
        if not isinstance(value, str):
            if value is not None:
                mend = "Put the value in quotes." if isinstance(value, int | float) else "Mend it."
                self.fault(name, "must be a text", mend, value)
            return None
        half = lone_surrogate(value)
        if half is not None:
            law = f"the text holds half a character ({half})"
            self.fault(name, law, "Export the text again as UTF-8.", value)
        if value in MISSING_WORDS:
            law = "the text is only the trace of a missing value"
            self.fault(name, law, "Write null, or leave the field out.", value)
        return value if value.strip() else None

    def _identifier(self, name: str, value: Any) -> str | None:
        if value is None or (isinstance(value, str) and not value.strip()):
            return None
        if isinstance(value, bool) or not isinstance(value, str | int):
            self.fault(name, "an id must be a text", "Put the value in quotes.", value)
            return None
        read = self._text(name, str(value))
        if read is not None and len(read) > LONGEST_ID:
            law = f"an id has at most {LONGEST_ID} characters, this one has {len(read)}"
            self.fault(name, law, "Shorten it.", read)
        return read

    def _take_over_id(self) -> None:
        """`id`, and of a whole answer what only claims have."""
        for name in () if self.is_claim else CLAIM_ONLY:
            if name in self.known:
                self.own[name] = self.known.pop(name)
        role = "claim_id" if self.is_claim else "answer_id"
        if role not in self.known and self.own.get("id") is not None:
            self.known[role] = self.own.pop("id")


def _has_ideal_context(fields: Mapping[str, Any]) -> bool:
    """Whether a row is a DeepEval case with both of its contexts."""
    both = ("context", "retrieval_context")
    return all(fields.get(name) is not None for name in both) and fields.get(IDEAL) is None


def plain(value: Any) -> Any:
    """A value as JSON has it: arrays as lists, missing numbers as None, all else as text."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, set | frozenset):
        return [plain(part) for part in sorted(value, key=repr)]
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    text = str(value)
    return None if text in ("NaT", "<NA>") else text
