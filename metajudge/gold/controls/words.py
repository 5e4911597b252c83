"""Word lists and authored texts of the negative controls, one YAML file per language."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict, Field

from metajudge.errors import GoldError
from metajudge.gold.strict_yaml import parse_yaml


class AuthoredText(BaseModel):
    """A text and the pieces of words that must not stand in the context it is asked against."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str
    keys: tuple[str, ...] = Field(min_length=1)


class ControlWords(BaseModel):
    """What one language needs; lists that a language has no use for are empty."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    number_words: tuple[str, ...]
    """Words of 2, 3, 4 and so on, without a gap."""
    numeral_units: tuple[str, ...] = ()
    at_least: tuple[str, ...]
    at_most: tuple[str, ...]
    beyond: tuple[str, ...]
    """Words next to which a shifted number could leave the claim true."""
    comparisons: tuple[str, ...]
    """Words that anywhere in a claim make its numbers bounds."""
    hedges: tuple[str, ...]
    negations: tuple[str, ...]
    neutral: tuple[str, ...] = ()
    """Words that hold a negation and deny nothing."""
    absences: tuple[str, ...]
    """Words of a claim that the context says nothing, which a poorer context leaves true."""
    indefinite: tuple[str, ...]
    """Words of a claim that can be true together with its denial."""
    quantifiers: tuple[str, ...]
    subordinators: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    clause_ends: tuple[str, ...] = ()
    auxiliaries: dict[str, str] = Field(default_factory=dict)
    perfect: tuple[str, ...] = ()
    participles: tuple[str, ...] = ()
    have_to: dict[str, str] = Field(default_factory=dict)
    verbs: dict[str, str] = Field(default_factory=dict)
    determiners: tuple[str, ...] = ()
    negated: dict[str, str] = Field(default_factory=dict)
    negated_after: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    negated_before: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    names_kept: tuple[str, ...]
    agents_after: tuple[str, ...] = ()
    function_words: tuple[str, ...] = ()
    frequency: tuple[str, ...]
    strengthened: dict[str, str]
    additions: tuple[AuthoredText, ...]
    world: tuple[AuthoredText, ...]


@cache
def control_words(lang: str) -> ControlWords | None:
    """The words of a language by its first subtag (`zh-Hans` reads zh); None where there are none.

    >>> len(control_words("zh").world), control_words("fi")
    (12, None)
    """
    name = f"{lang.casefold().split('-')[0]}.yaml"
    file = files("metajudge.gold.controls").joinpath(name)
    if not file.is_file():
        return None
    return parse_yaml(file.read_text(encoding="utf-8"), name, ControlWords, GoldError)


def is_chinese(lang: str) -> bool:
    """Whether words of the language stand without spaces between them.

    >>> is_chinese("zh-Hant"), is_chinese("en")
    (True, False)
    """
    return lang.casefold().split("-")[0] == "zh"
