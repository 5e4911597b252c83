"""Routed answers as JSON lines."""

from __future__ import annotations

from pathlib import Path

from metajudge.errors import InputError, Problem
from metajudge.gold.writer import json_text
from metajudge.metrics.cascade.run import Applied
from metajudge.report.written_file import write_whole


def check_rows_place(out: str | Path, answers: str) -> None:
    """Where rows can go, looked at before anything is asked.

    Raises:
        InputError: It is no JSONL file, a folder, or the answers themselves.
    """
    place = Path(out)
    if place.suffix.lower() != ".jsonl" or place.is_dir():
        law = "rows are written as .jsonl"
        raise InputError(Problem(str(place), law, "Name such a file.", field="--out"))
    if place.exists() and Path(answers).exists() and place.samefile(answers):
        law = "the answers themselves would be overwritten"
        raise InputError(Problem(str(place), law, "Name another file.", field="--out"))


def write_rows(applied: Applied, out: str | Path) -> Path:
    """Writes one row an answer, in input order; the file is whole or not there.

    Raises:
        InputError: The place cannot be written to.
    """
    return write_whole(out, "".join(f"{json_text(row)}\n" for row in applied.rows))
