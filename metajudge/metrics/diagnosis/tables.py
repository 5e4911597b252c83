"""The published tables and the tree of causes, as data: thresholds, rows, questions, texts."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Annotated, Literal

from pydantic import Field, model_validator

from metajudge.errors import InputError
from metajudge.gold.strict_yaml import parse_yaml
from metajudge.report.part import Part
from metajudge.report.words import Language

Level = Literal["low", "medium", "high"]
LEVELS: tuple[Level, ...] = ("low", "medium", "high")
Pair = Annotated[tuple[str, ...], Field(min_length=2, max_length=2)]
"""A text in English and Chinese."""
ExperimentName = Literal["shorter-context", "key-passage-last", "hard-rule"]
FactName = Literal["context_recall", "passages", "hard_rule", "temperature"]


def of(pair: tuple[str, ...], language: Language) -> str:
    """The text in one language."""
    return pair[language == "zh"]


class Threshold(Part):
    """Where a metric's score counts as low and as high, 0 to 1."""

    low_below: Annotated[float, Field(ge=0, le=1)]
    high_from: Annotated[float, Field(ge=0, le=1)]
    source: Pair

    @model_validator(mode="after")
    def _in_order(self) -> Threshold:
        if self.low_below > self.high_from:
            raise ValueError("low ends where high begins, or before")
        return self

    def level(self, score: float) -> Level:
        """The level of one number.

        >>> Threshold(low_below=0.5, high_from=0.8, source=("", "")).level(0.8)
        'high'
        """
        if score < self.low_below:
            return "low"
        return "high" if score >= self.high_from else "medium"

    def levels(self, low: float, high: float) -> tuple[Level, ...]:
        """Every level that an interval reaches, low first."""
        first, last = self.level(low), self.level(high)
        found = LEVELS[LEVELS.index(first) : LEVELS.index(last) + 1]
        has_medium = self.low_below < self.high_from
        return tuple(level for level in found if level != "medium" or has_medium)


class MatrixRow(Part):
    """One combination of levels with what it means."""

    name: str
    levels: tuple[Level, ...]
    diagnosis: Pair
    action: Pair


class Matrix(Part):
    """A published table."""

    title: Pair
    source: Pair
    metrics: tuple[str, ...]
    rows: tuple[MatrixRow, ...]


class Matrices(Part):
    """All tables, with the thresholds that they are read by."""

    thresholds: dict[str, Threshold]
    matrices: dict[str, Matrix]


class Question(Part):
    """One question of the tree; `yes` ends it with a cause."""

    name: str
    fact: FactName
    when: Literal["low", "above", "absent"]
    limit: float | None = None
    question: Pair
    cause: Pair
    action: Pair
    ask_for: Pair
    experiments: tuple[ExperimentName, ...] = ()

    def text(self, language: Language) -> str:
        """The question with its limit."""
        return of(self.question, language).format(limit=f"{self.limit or 0:g}")


class Otherwise(Part):
    """What is left where every answer is no."""

    name: str
    cause: Pair
    action: Pair


class Tree(Part):
    """Why a score is low: questions in order, the first yes is the cause."""

    title: Pair
    source: Pair
    questions: tuple[Question, ...]
    otherwise: Otherwise


@cache
def matrices() -> Matrices:
    """The shipped tables.

    >>> {name: len(table.rows) for name, table in matrices().matrices.items()}
    {'support': 3, 'triad': 5, 'recall': 6}
    """
    return parse_yaml(_text("matrices.yaml"), "matrices.yaml", Matrices, InputError)


@cache
def tree() -> Tree:
    """The shipped tree.

    >>> [question.name for question in tree().questions]
    ['recall', 'long_context', 'hard_rule', 'temperature']
    """
    return parse_yaml(_text("tree.yaml"), "tree.yaml", Tree, InputError)


def _text(name: str) -> str:
    place = files("metajudge.metrics.diagnosis").joinpath("tables", name)
    return place.read_text(encoding="utf-8")
