"""The base of everything in `results.json`, and the figure that all parts share."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticKnownError

from metajudge.templates.reading_names import READING_ORDER, reading_named


def _reading(name: str) -> str:
    if name.partition("@")[0] not in READING_ORDER:
        expected = ", ".join(map(repr, READING_ORDER))
        raise PydanticKnownError("literal_error", {"expected": expected})
    return str(reading_named(name))


Reading = Annotated[
    str,
    AfterValidator(_reading),
    WithJsonSchema(
        {
            "type": "string",
            "anyOf": [
                {"enum": list(READING_ORDER)},
                {"pattern": rf"^({'|'.join(READING_ORDER)})@(0?\.[0-9]{{1,6}}|1(\.0{{1,6}})?)$"},
            ],
        }
    ),
]
"""How replies become labels: `top`, or with a threshold on P(yes), `top@0.60`."""
VerdictCode = Literal["yes", "no", "idk", "failure"]


class Part(BaseModel):
    """A part of the results; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Figure(Part):
    """A number with its interval; `value` is null, with the reason, where it is undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = Field(description="Claims (or answers) the figure rests on.")
    clusters: int | None = Field(default=None, description="Independent groups resampled.")
    method: str | None = Field(default=None, description="How the interval was made.")
    reason: str | None = Field(default=None, description="Why value is null.")
    warning: str | None = None
