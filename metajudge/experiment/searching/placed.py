"""Faults of an experiment's fields, with the line of its file that they stand on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from metajudge.errors import ExperimentError, InputError, Problem
from metajudge.gold.strict_yaml import parse_tree
from metajudge.gold.validation import dotted
from metajudge.templates.catalogue import line_of_field
from metajudge.templates.parts_bases import WHERE as TEMPLATE


@contextmanager
def placed_faults(path: Path) -> Iterator[None]:
    """What is raised of a field of an experiment names file, whole field and line.

    A field that the file does not hold, such as one of the command line, has the line of the
    nearest thing that would hold it.

    Args:
        path: The experiment's file.
    """
    try:
        yield
    except InputError as error:
        lines = _lines(path)
        raise type(error)([_placed(one, str(path), lines) for one in error.problems]) from None


def _placed(problem: Problem, where: str, lines: Mapping[str, int]) -> Problem:
    field, law = problem.field, problem.law
    about, _, base = problem.where.partition(": ")
    if about == TEMPLATE and base:
        inside = "" if field is None else f"{field}: "
        field, law = TEMPLATE, f"each choice on {base} makes a sound template; {inside}{law}"
    elif about == TEMPLATE:
        field = TEMPLATE if field is None else f"{TEMPLATE}.{field}"
    elif problem.where != where or field is None:
        return problem
    line = problem.line or line_of_field(field, lines)
    return replace(problem, where=where, field=field, law=law, line=line)


def _lines(path: Path) -> dict[str, int]:
    """Line of each field; none where the file cannot be read any more."""
    try:
        tree = parse_tree(path.read_text(encoding="utf-8-sig"), str(path), ExperimentError)
    except (OSError, UnicodeDecodeError, ExperimentError):
        return {}
    return {dotted(place): line for place, line in tree.lines.items()}
