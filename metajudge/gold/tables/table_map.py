"""The column map of a table: which column holds what, one label a row, by person, or by row."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from metajudge.errors import GoldError, Problem
from metajudge.gold.validation import suggest

FIELDS = (
    *("claim", "context", "question", "label", "gold", "annotator", "annotations", "time"),
    *("seconds", "note", "claim_id", "answer_id", "context_id", "group", "slice", "lang"),
    *("title", "generator", "label_source"),
)
"""What a column can hold; `gold` is the settled label where `label` is one annotator's."""
OF_PERSON = ("label", "time", "seconds", "note")
"""What can stand in a column of its own for each annotator, as `label:anna`."""
ALIASES = {"passages": "context", "id": "claim_id", "gold_label": "gold"}
"""Other names of fields."""
OPTION = "--map"


@dataclass(frozen=True, slots=True)
class TableMap:
    """Columns by what they hold.

    Attributes:
        claim: Column of the claim.
        contexts: Columns of the passages, in order.
        others: Field -> column, for `FIELDS` that are not about one annotator.
        people: Annotator -> field of `OF_PERSON` -> column.
    """

    claim: str
    contexts: tuple[str, ...]
    others: Mapping[str, str]
    people: Mapping[str, Mapping[str, str]]

    @property
    def settled(self) -> str | None:
        """Column of the label that people settled on; None where there is none."""
        if "annotator" in self.others:
            return self.others.get("gold")
        return self.others.get("gold", self.others.get("label"))

    @property
    def label_columns(self) -> tuple[str, ...]:
        """Every column that holds label words, by annotators and settled."""
        columns = [self.others.get("label"), self.others.get("gold")]
        columns += [of_person["label"] for of_person in self.people.values()]
        return tuple(dict.fromkeys(column for column in columns if column is not None))


def is_complete(columns: Mapping[str, str]) -> bool:
    """Whether a column map says where claim and context stand, so that nothing is guessed."""
    fields = {_split(key)[0] for key in columns}
    return {"claim", "context"} <= fields


def place_of(key: str) -> int:
    """Where a key of a column map stands among others, for people: claim and context first."""
    field, _ = _split(key)
    return FIELDS.index(field) if field in FIELDS else len(FIELDS)


def table_map(
    columns: Mapping[str, str], names: Collection[str] | None = None, where: str = OPTION
) -> TableMap:
    """A column map as the user writes it: `claim`, `context:1`, `label:anna` and so on.

    Args:
        columns: Field -> column.
        names: Columns that there are; None when they are not known.
        where: What messages name.

    Raises:
        GoldError: A field or column that there is not, or no claim, context or label; with every
            fault, but what is missing since a field is misspelt.
    """
    problems: list[Problem] = []
    contexts: dict[int, str] = {}
    others: dict[str, str] = {}
    people: dict[str, dict[str, str]] = {}
    for key, column in columns.items():
        field, part = _split(key)
        problems += _faults(key, column, names, where)
        if field == "context":
            contexts[int(part) if part.isdecimal() else 1] = column
        elif part and field in OF_PERSON:
            people.setdefault(part, {})[field] = column
        else:
            others[field] = column
    slips = [_split(key)[1] for key in columns if _split(key)[0] not in FIELDS]
    problems += [
        fault
        for fault in _missing(others, contexts, people, where)
        if not slips or (fault.field in people and fault.field not in slips)
    ]
    if problems:
        raise GoldError(problems)
    claim = others.pop("claim")
    return TableMap(claim, tuple(contexts[at] for at in sorted(contexts)), others, people)


def check_columns(columns: Mapping[str, str], names: Collection[str]) -> None:
    """Refuses a column map, whole or not, with a field or a column that there is not.

    Raises:
        GoldError: With every such fault.
    """
    problems = [
        fault for key, column in columns.items() for fault in _faults(key, column, names, OPTION)
    ]
    if problems:
        raise GoldError(problems)


def _split(key: str) -> tuple[str, str]:
    """Field and annotator, or number of the passage; "" without.

    >>> _split("label:anna"), _split("passages:2"), _split("id")
    (('label', 'anna'), ('context', '2'), ('claim_id', ''))
    """
    field, _, part = key.partition(":")
    field = field.strip().casefold()
    return ALIASES.get(field, field), part.strip()


def _faults(key: str, column: str, names: Collection[str] | None, where: str) -> list[Problem]:
    field, part = _split(key)
    problems = []
    if field not in FIELDS:
        problems.append(
            Problem(where, "there is no such field", suggest(field, FIELDS, 30), field=key)
        )
    elif part and field == "context" and not part.isdecimal():
        law = "passages in columns of their own are numbered"
        problems.append(Problem(where, law, "Write context:1, context:2 and so on.", field=key))
    elif part and field not in (*OF_PERSON, "context"):
        law = f"only {', '.join(OF_PERSON)} can be one annotator's"
        problems.append(Problem(where, law, f"Leave {':' + part!r} out.", field=key))
    if names is not None and column not in names:
        mend = suggest(column, list(names), 20)
        problems.append(
            Problem(where, "there is no such column", mend, field=key, got=repr(column))
        )
    return problems


def _missing(
    others: Mapping[str, str],
    contexts: Mapping[int, str],
    people: Mapping[str, Mapping[str, str]],
    where: str,
) -> list[Problem]:
    problems = []
    for field, held in (("claim", "claim" in others), ("context", bool(contexts))):
        if not held:
            law = f"it has to be said which column holds the {field}"
            problems.append(Problem(where, law, f"Add {OPTION} {field}=COLUMN.", field=field))
    for person, held_by in people.items():
        if "label" not in held_by:
            law = f"the labels of {person!r} have no column"
            problems.append(
                Problem(where, law, f"Add {OPTION} 'label:{person}=COLUMN'.", field=person)
            )
    if "annotator" in others and "label" not in others:
        law = "with a column of annotators, one has to hold their labels"
        problems.append(Problem(where, law, f"Add {OPTION} label=COLUMN.", field="annotator"))
    if "annotator" in others and people:
        law = "either each row is one annotator's, or each annotator has a column"
        problems.append(Problem(where, law, "Leave one of the two out.", field="annotator"))
    return problems
