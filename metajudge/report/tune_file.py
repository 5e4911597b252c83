"""`tune.json`: its schema and its text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from metajudge.report.schemas import schema_of
from metajudge.report.tune_results import TuneResults
from metajudge.report.written_file import write_whole


def tune_schema() -> dict[str, Any]:
    """JSON schema (2020-12) of `tune.json`.

    >>> tune_schema()["title"]
    'metajudge tune'
    """
    return schema_of(TuneResults, "metajudge tune")


def tune_text(results: TuneResults) -> str:
    """The text of the file; equal results give equal bytes."""
    return results.model_dump_json(indent=2) + "\n"


def write_tune(results: TuneResults, path: str | Path) -> Path:
    """Writes the file whole.

    Raises:
        InputError: The place cannot be written to.
    """
    return write_whole(path, tune_text(results))
