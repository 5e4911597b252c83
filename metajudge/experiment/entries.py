"""Lists of a declaration: without doubles, or with one entry at least."""

from __future__ import annotations

from typing import Annotated, TypeVar

from pydantic import AfterValidator, Field

from metajudge.templates.listed import one_at_least, without_doubles

Entry = TypeVar("Entry")

Some = Annotated[
    tuple[Entry, ...], AfterValidator(one_at_least), Field(json_schema_extra={"minItems": 1})
]
Each = Annotated[tuple[Entry, ...], AfterValidator(without_doubles)]
SomeEach = Annotated[Some[Entry], AfterValidator(without_doubles)]
