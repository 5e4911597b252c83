"""`search.json`, `race.json` and `optimise.json`: their schemas and their text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from metajudge.report.schemas import schema_of
from metajudge.report.search_optimised import OptimisedResults
from metajudge.report.search_results import RaceResults, SearchResults
from metajudge.report.written_file import write_whole


def search_schema() -> dict[str, Any]:
    """JSON schema (2020-12) of `search.json`.

    >>> search_schema()["title"]
    'metajudge search'
    """
    return schema_of(SearchResults, "metajudge search")


def race_schema() -> dict[str, Any]:
    """JSON schema (2020-12) of `race.json`.

    >>> race_schema()["title"]
    'metajudge race'
    """
    return schema_of(RaceResults, "metajudge race")


def optimise_schema() -> dict[str, Any]:
    """JSON schema (2020-12) of `optimise.json`.

    >>> optimise_schema()["title"]
    'metajudge optimise'
    """
    return schema_of(OptimisedResults, "metajudge optimise")


def search_text(results: SearchResults | RaceResults | OptimisedResults) -> str:
    """The text of the file; equal results give equal bytes."""
    return results.model_dump_json(indent=2) + "\n"


def write_search(results: SearchResults | RaceResults | OptimisedResults, path: str | Path) -> Path:
    """Writes the file whole.

    Raises:
        InputError: The place cannot be written to.
    """
    return write_whole(path, search_text(results))
