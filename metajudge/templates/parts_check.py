"""Reading a search space's files, and every fault that its declaration and its choices have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

from metajudge.errors import Problem, TemplateError
from metajudge.templates.dialect import LabelName, named_dialect
from metajudge.templates.parts_axes import MOST_ORDERED, rule_places
from metajudge.templates.parts_bases import WHERE, Bases, primary_languages, read_bases
from metajudge.templates.parts_opened import OpenedParts
from metajudge.templates.placeholders import placeholder_problems
from metajudge.templates.pool import Pool, read_pool

if TYPE_CHECKING:
    from metajudge.templates.parts import Language, PartsSpace

_LABELS: tuple[str, ...] = get_args(LabelName)


def open_parts(space: PartsSpace, tags: Iterable[str], folder: Path) -> OpenedParts:
    """The space with its bases and its pool, for claims of some language tags.

    Raises:
        TemplateError: With every fault of the bases and the pool.
    """
    languages = primary_languages(tags)
    bases: Bases = {}
    pool: Pool | None = None
    problems: list[Problem] = []
    try:
        bases = read_bases(space.bases, languages, folder)
    except TemplateError as error:
        problems += error.problems
    try:
        pool = None if space.examples is None else read_pool(folder / space.examples.path)
    except TemplateError as error:
        problems += error.problems
    if problems:
        raise TemplateError(problems)
    # A base has a template in each of them, so they are languages that templates have.
    return OpenedParts(space, cast("tuple[Language, ...]", languages), bases, pool)


def space_problems(space: PartsSpace, tags: Iterable[str], folder: Path) -> list[Problem]:
    """Every fault of the texts, labels, bases and pool; without one, of each choice's templates."""
    problems = [*_text_faults(space), *_label_faults(space)]
    try:
        opened = open_parts(space, tags, folder)
    except TemplateError as error:
        return [*error.problems, *problems]
    problems += [*_order_faults(opened), *_example_faults(opened)]
    return problems or _choice_faults(opened)


def _text_faults(space: PartsSpace) -> Iterator[Problem]:
    for field, text in _texts(space):
        yield from placeholder_problems(text, _LABELS, WHERE, field)


def _texts(space: PartsSpace) -> Iterator[tuple[str, str]]:
    for language, asks in space.asks.items():
        yield from ((f"asks.{language}[{i}]", text) for i, text in enumerate(asks))
    for language, by_label in space.definitions.items():
        for label, texts in by_label.items():
            place = f"definitions.{language}.{label}"
            yield from ((f"{place}[{i}]", text) for i, text in enumerate(texts))
    for name, by_language in (("rules", space.rules), ("fixed_rules", space.fixed_rules)):
        for language, rules in by_language.items():
            yield from ((f"{name}.{language}[{i}]", text) for i, text in enumerate(rules))


def _label_faults(space: PartsSpace) -> Iterator[Problem]:
    for index, name in enumerate(space.labels):
        try:
            named_dialect(name, "en", WHERE)
        except TemplateError as error:
            yield from (replace(told, field=f"labels[{index}]") for told in error.problems)


def _order_faults(opened: OpenedParts) -> Iterator[Problem]:
    space = opened.space
    if not space.rule_order:
        return
    if not any(language in space.rules for language in opened.languages):
        law, mend = (
            "the order of rules is searched where rules are",
            "Declare rules, or [] of them.",
        )
        yield Problem(WHERE, law, mend, field="rule_order")
    for language in opened.languages:
        places = rule_places(space, opened.bases, language)
        if language in space.rules and places > MOST_ORDERED:
            law = f"at most {MOST_ORDERED} rules, the base's among them, are tried in every order"
            mend = "Take rules out, or leave rule_order out."
            yield Problem(WHERE, law, mend, field=f"rules.{language}", got=str(places))


def _example_faults(opened: OpenedParts) -> Iterator[Problem]:
    ref, pool = opened.space.examples, opened.pool
    if ref is None or pool is None:
        return
    wanted = max(ref.counts)
    for language in opened.languages:
        offered = [
            set(named_dialect(name, language).words if name else templates[language].dialect.words)
            for templates in opened.bases.values()
            for name in opened.space.labels or (None,)
        ]
        there = min(pool.count(language, labels) for labels in offered)
        if there < wanted:
            law = f"{pool.where} has fewer {language} cases than a template may show"
            mend = f"Add cases to the pool, or ask for at most {there}."
            yield Problem(WHERE, law, mend, field="examples.counts", got=str(wanted))


def _choice_faults(opened: OpenedParts) -> list[Problem]:
    """Faults of the templates that each choice makes on each base, all else as usual."""
    found: dict[Problem, None] = {}
    for name in opened.bases:
        usual = opened.completed({"base": name})
        settings = [usual]
        for axis in opened.axes:
            if axis.name in usual and axis.name != "base":
                others = axis.choices[1:]
                settings += [opened.completed({**usual, axis.name: value}) for value in others]
        for setting in settings:
            try:
                opened.build(setting)
            except TemplateError as error:
                found |= dict.fromkeys(error.problems)
    return list(found)
