"""The axes of a search space of template parts, and the texts behind their choices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import factorial
from typing import TYPE_CHECKING

from metajudge.templates.parts_bases import Bases
from metajudge.templates.setting import Axis, Value
from metajudge.templates.source import AnswerForm

if TYPE_CHECKING:
    from metajudge.templates.parts import Language, PartsSpace

BASE = "base"
"""The choice that keeps the base's own text."""
MOST_ORDERED = 6
"""Most rules whose order can be searched: 720 orders."""


def form_name(answer: AnswerForm) -> str:
    """An answer form as a choice names it.

    >>> form_name(AnswerForm(form="reason_first", json_=True))
    'reason_first json'
    """
    return answer.form + " json" * answer.json_


def structure_axes(space: PartsSpace, bases: Bases) -> Iterator[Axis]:
    """Base, labels, answer form, layout, claims a call and examples, for all languages at once."""
    yield Axis("base", tuple(bases))
    yield Axis("labels", space.labels)
    yield Axis("answer", tuple(map(form_name, space.answers)))
    yield Axis("layout", space.layouts)
    yield Axis("claims_per_call", space.claims_per_call)
    if space.examples is not None:
        yield Axis("examples.n", space.examples.counts)
        some = tuple(count for count in space.examples.counts if count)
        if some:
            draws = tuple(range(space.examples.draws))
            yield Axis("examples.draw", draws, (("examples.n", some),))


def text_axes(space: PartsSpace, bases: Bases, language: Language) -> Iterator[Axis]:
    """Question, definitions and rules of one language."""
    calls = space.claims_per_call
    single = (("claims_per_call", (1,)),) if 1 in calls and max(calls) > 1 else ()
    yield Axis(f"{language}.ask", _alternatives(space.asks.get(language, ())), single)
    for label, texts in space.definitions.get(language, {}).items():
        yield Axis(f"{language}.definition.{label}", _alternatives(texts))
    if language not in space.rules:
        return
    for name, templates in bases.items():
        for index in range(len(templates[language].rules)):
            axis = base_rule_axis(language, name, index)
            yield Axis(axis, (True, False), (("base", (name,)),))
    for index in range(len(space.rules[language])):
        yield Axis(f"{language}.rule.{index}", (False, True))
    if space.rule_order:
        places = min(rule_places(space, bases, language), MOST_ORDERED)
        yield Axis(f"{language}.rule_order", tuple(range(factorial(places))))


def base_rule_axis(language: str, base: str, index: int) -> str:
    """Name of the axis on which a rule of a base is in or out."""
    return f"{language}.rule.{base}.{index}"


def rule_places(space: PartsSpace, bases: Bases, language: Language) -> int:
    """Places among which rules are ordered: the most rules of a base, then the further ones."""
    most = max(len(templates[language].rules) for templates in bases.values())
    return most + len(space.rules.get(language, ()))


def texts_by_choice(
    space: PartsSpace, bases: Bases, language: Language
) -> Iterator[tuple[tuple[str, Value], str]]:
    """Axis and value, with the text that they stand for; a rule stands behind in and out."""
    for index, ask in enumerate(space.asks.get(language, ())):
        yield (f"{language}.ask", str(index)), ask
    for label, texts in space.definitions.get(language, {}).items():
        for index, text in enumerate(texts):
            yield (f"{language}.definition.{label}", str(index)), text
    rules = {
        base_rule_axis(language, name, index): rule
        for name, templates in bases.items()
        for index, rule in enumerate(templates[language].rules)
    }
    rules |= {f"{language}.rule.{i}": rule for i, rule in enumerate(space.rules.get(language, ()))}
    for axis, rule in rules.items():
        yield (axis, True), rule
        yield (axis, False), rule


def nth_order(number: int, places: int) -> tuple[int, ...]:
    """Places in the order with this number, 0 to `places`! - 1; 0 leaves them as they are.

    The number is read in the factorial number system (Lehmer 1960, Teaching combinatorial tricks
    to a computer).

    >>> nth_order(3, 3)
    (1, 2, 0)
    """
    left, order = list(range(places)), []
    for size in range(places, 0, -1):
        step, number = divmod(number, factorial(size - 1))
        order.append(left.pop(step))
    return tuple(order)


def _alternatives(texts: Sequence[str]) -> tuple[Value, ...]:
    return (BASE, *map(str, range(len(texts))))
