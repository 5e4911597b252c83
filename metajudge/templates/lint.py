"""Faults of a template that its types cannot show, all in one list."""

from __future__ import annotations

from collections.abc import Iterator

from metajudge.errors import Problem
from metajudge.templates.dialect import dialect_problems
from metajudge.templates.placeholders import placeholder_problems
from metajudge.templates.template import Template


def template_problems(template: Template, where: str) -> list[Problem]:
    """Every fault of a template that its types cannot show, in one list.

    Args:
        template: The template.
        where: Its file, or the name of what was being read.
    """
    offered = set(template.dialect.words)
    problems = [
        *dialect_problems(template.dialect, where),
        *_definition_faults(template, where),
        *_example_faults(template, where),
    ]
    if template.claims_per_call > 1 and not template.answer.json_:
        law = "several claims a call are answered as JSON, so that each verdict has its claim"
        problems.append(Problem(where, law, "Set answer.json to true.", field="claims_per_call"))
    for field, text in _filled_texts(template):
        problems += placeholder_problems(text, offered, where, field)
    return problems


def _definition_faults(template: Template, where: str) -> Iterator[Problem]:
    offered, defined = set(template.dialect.words), set(template.definitions)
    for label in sorted(offered - defined):
        law = "each label the dialect offers needs a definition"
        mend = f"Add definitions.{label}, or take {label!r} out of labels."
        yield Problem(where, law, mend, field=f"definitions.{label}")
    for label in sorted(defined - offered):
        law = "a definition belongs to a label that the dialect offers"
        mend = f"Give {label!r} a word under labels, or take its definition out."
        yield Problem(where, law, mend, field=f"definitions.{label}")


def _example_faults(template: Template, where: str) -> Iterator[Problem]:
    offered = set(template.dialect.words)
    for index, example in enumerate(template.examples):
        if example.label not in offered:
            law = "an example's label is one that the template offers"
            mend = f"Use one of: {', '.join(template.dialect.words)}."
            field = f"examples[{index}].label"
            yield Problem(where, law, mend, field=field, got=repr(example.label))


def _filled_texts(template: Template) -> Iterator[tuple[str, str]]:
    """Field and text of everything that may hold placeholders."""
    yield from ((f"definitions.{label}", text) for label, text in template.definitions.items())
    yield from ((f"rules[{i}]", rule) for i, rule in enumerate(template.rules))
    if template.ask is not None:
        yield "ask", template.ask
    if template.reason_hint is not None:
        yield "reason_hint", template.reason_hint
