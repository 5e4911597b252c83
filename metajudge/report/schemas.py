"""JSON schemas of the files that reports are written to."""

from __future__ import annotations

from typing import Any

from metajudge.report.part import Part

SCHEMA_ID = "https://json-schema.org/draft/2020-12/schema"


def schema_of(part: type[Part], title: str) -> dict[str, Any]:
    """JSON schema (2020-12) of a part as it is written, under a title.

    >>> from metajudge.report.part import Figure
    >>> schema_of(Figure, "a figure")["title"]
    'a figure'
    """
    schema = part.model_json_schema(mode="serialization")
    return {"$schema": SCHEMA_ID, **schema, "title": title}
