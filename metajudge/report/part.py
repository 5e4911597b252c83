"""The base of everything in `results.json`, and the figure that all parts share."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Reading = Literal["top", "prior_corrected", "batch_corrected"]
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
