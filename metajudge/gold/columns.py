"""Foreign field names to ours: those of the common frameworks, and a user's column map."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from metajudge.errors import Problem
from metajudge.gold.claim import Claim, Context, GoldLabel, PendingClaim
from metajudge.gold.rows import SourceRow
from metajudge.gold.validation import suggest

FRAMEWORK_NAMES: dict[str, tuple[str, ...]] = {
    "passages": (
        "context",
        "contexts",
        "retrieval_context",
        "retrieved_contexts",
        "doc",
        "document",
    ),
    "claim": ("actual_output", "response"),
    "question": ("user_input", "input"),
    "claim_id": ("id",),
}
"""Our field: names under which evaluation frameworks and public sets hold it."""
CONTEXT_LANG = "context_lang"
"""Holds `lang` of the context in rows that hold a claim and its context."""
OUR_FIELDS = (
    *{**Claim.model_fields, **PendingClaim.model_fields, **Context.model_fields},
    CONTEXT_LANG,
)
_OURS = {name: ours for ours, names in FRAMEWORK_NAMES.items() for name in names}
_BINARY_CODES: dict[str, GoldLabel] = {"1": "supported", "0": "unsupported"}
LABEL_HINTS: dict[str, GoldLabel] = {
    "entailment": "yes",
    "entailed": "yes",
    "supports": "yes",
    "true": "yes",
    "contradiction": "no",
    "contradicted": "no",
    "refutes": "no",
    "refuted": "no",
    "false": "no",
    "neutral": "idk",
    "not enough info": "idk",
    "not mentioned": "idk",
    "notmentioned": "idk",
    "unknown": "idk",
    "borderline": "idk",
    "attributable": "supported",
    "faithful": "supported",
    "1": "supported",
    "hallucinated": "unsupported",
    "0": "unsupported",
}
"""Foreign label words and what they most likely mean: hints in errors, never applied unasked."""


class OurRow(NamedTuple):
    """A row under our field names, the fields of it that are not read, and its faults."""

    fields: dict[str, Any]
    unread: tuple[str, ...]
    problems: tuple[Problem, ...]


def known_columns(columns: Mapping[str, str] | None) -> frozenset[str]:
    """Every column name that is understood: ours, the frameworks', and those of the map."""
    return frozenset({*OUR_FIELDS, *_OURS, *(columns or {}).values()})


def map_problems(
    columns: Mapping[str, str] | None, rows: Iterable[SourceRow], where: str
) -> list[Problem]:
    """Faults of a column map: fields that are not ours, columns that no row has."""
    problems = []
    present = {name for row in rows for name in flat_fields(row.fields)}
    for ours, theirs in (columns or {}).items():
        if ours not in OUR_FIELDS:
            law = "the column map names a field that a claim does not have"
            problems.append(Problem(where, law, suggest(ours, OUR_FIELDS), field=ours))
        if present and theirs not in present:
            law = f"the column map takes {ours!r} from a column that is not there"
            mend = suggest(theirs, sorted(present))
            problems.append(Problem(where, law, mend, field=theirs))
    return problems


def to_our_fields(row: SourceRow, columns: Mapping[str, str] | None) -> OurRow:
    """A row under our names. With a map, columns that are neither mapped nor ours are not read.

    >>> row = SourceRow("a.jsonl", 1, {"retrieval_context": ["Tea."], "verdict": "yes", "n": 1})
    >>> to_our_fields(row, {"label": "verdict"}).fields
    {'label': 'yes', 'passages': ['Tea.']}
    """
    flat = flat_fields(row.fields)
    mapped = dict(columns or {})
    fields = {ours: flat[theirs] for ours, theirs in mapped.items() if theirs in flat}
    sources = dict(mapped)
    unread, problems = [], []
    for name, value in flat.items():
        ours = _OURS.get(name, name)
        if ours in mapped or name in mapped.values():
            continue
        if columns is not None and ours not in OUR_FIELDS:
            unread.append(name)
        elif fields.get(ours) is None:
            fields[ours] = value
            sources[ours] = name
        elif value is not None:
            problems.append(_twice(row, ours, sources[ours], name))
    if sources.get("passages") == "doc":
        fields["label"] = _from_binary_code(fields.get("label"))
    return OurRow(fields, tuple(unread), tuple(problems))


def _from_binary_code(label: object) -> object:
    """The label of a `doc, claim, label` set, in which 1 is supported and 0 is not."""
    return label if isinstance(label, bool) else _BINARY_CODES.get(str(label), label)


def flat_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields with a nested `vars` mapping (promptfoo test cases) lifted to the row."""
    nested = fields.get("vars")
    if not isinstance(nested, Mapping):
        return dict(fields)
    return {name: value for name, value in fields.items() if name != "vars"} | dict(nested)


def _twice(row: SourceRow, ours: str, first: str, second: str) -> Problem:
    law = f"two columns, {first!r} and {second!r}, both stand for {ours!r}"
    mend = f"Say which one in the column map: {{{ours!r}: {first!r}}}."
    return Problem(row.where, law, mend, line=row.line, field=second)
