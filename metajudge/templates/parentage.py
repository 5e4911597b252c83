"""Where a proposed template comes from: what made it, of which templates, for which experiment."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from metajudge.templates.setting import Value
from metajudge.templates.source import PromptSource

Method = Literal["search", "optimise"]
_Text = Annotated[str, Field(min_length=1)]
_Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


def _is_day(text: str) -> str:
    # Python 3.11 reads other forms of a date too.
    if date.fromisoformat(text).isoformat() != text:
        raise ValueError("a day is written 2026-01-31")
    return text


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Parent(_Part):
    """A template that a proposal was made from, by label and fingerprint."""

    label: _Text
    fingerprint: _Sha256


class Parentage(_Part):
    """How a template came about; it shapes no prompt and is no part of the fingerprint.

    Attributes:
        method: `search` over declared parts, or `optimise`: an optimiser wrote the words.
        tool: Name of the tool that proposed it, such as `optuna` or `dspy.GEPA`.
        tool_version: Version of that tool.
        run: Name of the study or run.
        trial: Its number in the study; None where trials have no numbers.
        setting: The point of the search space, by axis; {} for an optimiser.
        source: Where an optimiser's instruction comes from, such as the proposing judge; None for
            a search.
        parents: The templates it was made from.
        experiment: Name of the experiment.
        experiment_sha256: SHA-256 in hex of what the experiment declares.
        created: The day it was proposed, as `2026-01-31`.
    """

    method: Method
    tool: _Text
    tool_version: _Text
    run: _Text
    trial: Annotated[int, Field(ge=0, strict=True)] | None = None
    setting: dict[str, Value] = Field(default_factory=dict)
    source: _Text | None = None
    parents: tuple[Parent, ...] = ()
    experiment: _Text
    experiment_sha256: _Sha256
    created: Annotated[str, AfterValidator(_is_day)]


def parent_of(source: PromptSource) -> Parent:
    """A template as the parent of another."""
    return Parent(label=source.label, fingerprint=source.fingerprint)
