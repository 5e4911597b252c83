"""The column map and the label map of `gold import`, from the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from metajudge.errors import InputError, Problem

if TYPE_CHECKING:
    from metajudge.gold.claim import GoldLabel
    from metajudge.gold.importing.imported import Format


def named_maps(
    columns: Sequence[str] | None, labels: Sequence[str] | None
) -> tuple[dict[str, str], dict[str, GoldLabel]]:
    """Column map and label map, with the faults of both told at once."""
    faults: list[Problem] = []
    found: list[dict[str, str]] = []
    for read, given in ((_columns, columns), (_labels, labels)):
        try:
            found.append(dict(read(given)))
        except InputError as error:
            faults += error.problems
    if faults:
        raise InputError(faults)
    return found[0], cast("dict[str, GoldLabel]", found[1])


def check_maps(form: Format, columns: Mapping[str, str], labels: Mapping[str, GoldLabel]) -> None:
    """Refuses maps that the format does not read."""
    from metajudge.gold.importers.formats import TABLE

    if form.name == TABLE or form.kind in ("tool", "framework"):
        return
    mend = "Leave it out: the format says where everything stands."
    problems = [
        Problem(option, f"{form.name} reads no {option}", mend)
        for option, given in (("--map", columns), ("--labels", labels))
        if given
    ]
    if problems:
        raise InputError(problems)


def _columns(given: Sequence[str] | None) -> dict[str, str]:
    """The column map of `--map`; a field has no `=`, a column may."""
    from metajudge.gold.columns import OUR_FIELDS
    from metajudge.gold.tables.table_map import ALIASES, FIELDS
    from metajudge.gold.validation import suggest

    pairs = [(text, *text.partition("=")) for text in given or ()]
    found = _unique("--map", "FIELD=COLUMN", [(text, key, value) for text, key, _, value in pairs])
    known = (*FIELDS, *OUR_FIELDS, *ALIASES)
    unknown = [key for key in found if key.partition(":")[0].strip().casefold() not in known]
    if unknown:
        law = "there is no such field"
        raise InputError(
            [Problem("--map", law, suggest(key, FIELDS, 30), field=key) for key in unknown]
        )
    return found


def _labels(given: Sequence[str] | None) -> dict[str, GoldLabel]:
    """The label map of `--labels`; a word may have a `=`, a label has none."""
    from metajudge.gold.claim import SPACE_LABELS
    from metajudge.gold.validation import suggest

    pairs = [(text, *text.rpartition("=")) for text in given or ()]
    found = _unique("--labels", "WORD=LABEL", [(text, key, value) for text, key, _, value in pairs])
    known = [label for labels in SPACE_LABELS.values() for label in labels]
    problems = [
        Problem("--labels", f"must be one of {', '.join(known)}", suggest(label, known), None, word)
        for word, label in found.items()
        if label not in known
    ]
    if problems:
        raise InputError(problems)
    return cast("dict[str, GoldLabel]", found)


def _unique(option: str, form: str, pairs: Sequence[tuple[str, str, str]]) -> dict[str, str]:
    """Pairs by their key, each key once."""
    problems = []
    found: dict[str, str] = {}
    for text, key, value in pairs:
        if not key.strip() or not value.strip():
            mend = f"Write {option} '{form}'."
            problems.append(Problem(option, "a pair is needed", mend, got=repr(text)))
        elif found.setdefault(key.strip(), value.strip()) != value.strip():
            law = f"it stands for {found[key.strip()]!r} and for {value.strip()!r}"
            problems.append(Problem(option, law, "Leave one out.", field=key.strip()))
    if problems:
        raise InputError(problems)
    return found
