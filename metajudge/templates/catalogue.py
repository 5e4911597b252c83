"""The shipped templates, and templates from a user's files.

A *wording* is one name in one or several languages: `literal` is `literal.en.yaml` and
`literal.zh.yaml`. A claim is judged by the wording's template in its own language.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from metajudge.errors import Problem, TemplateError
from metajudge.gold.claim import METRIC_NAMES, MetricName
from metajudge.gold.strict_yaml import parse_tree, read_yaml
from metajudge.gold.validation import dotted, validation_problems
from metajudge.templates.lint import template_problems
from metajudge.templates.source import PromptSource
from metajudge.templates.template import Template

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_ORDER: dict[MetricName, tuple[str, ...]] = {
    "faithfulness": (
        "literal",
        "summary-tolerant",
        "strict-no-external",
        "contradiction-only",
        "evidence-first",
    ),
    "groundedness": ("traceable", "traceable-strict", "traceable-summary"),
    "context_relevance": ("helpful-passage", "direct-passage", "useful-passage"),
    "context_recall": ("recalled", "recalled-strict", "recalled-tolerant"),
    "context_entity_recall": ("entity-named", "entity-exact", "entity-meant"),
    "answer_relevance": ("aspect-covered", "aspect-complete", "aspect-touched"),
    "answer_redundancy": ("serves-question", "serves-directly", "serves-broadly"),
    "answer_correctness": ("same-statement", "same-exactly", "same-in-substance"),
    "goal_achievement": ("goal-reached", "goal-shown", "goal-in-substance"),
}
"""Wordings of each metric; the first one is its default."""


@dataclass(frozen=True, slots=True)
class Wording:
    """One name's templates by language; `by_language` is never empty."""

    name: str
    by_language: Mapping[str, PromptSource]

    def source_for(self, language: str) -> PromptSource:
        """The template in a claim's language, or the first one there is."""
        found = self._spoken(language)
        return next(iter(self.by_language.values())) if found is None else found

    def misses(self, languages: Iterable[str]) -> tuple[str, ...]:
        """Languages that this wording judges in another language's words."""
        return tuple(lang for lang in languages if self._spoken(lang) is None)

    def _spoken(self, language: str) -> PromptSource | None:
        """The template of a language tag; `zh-CN` is served by `zh`."""
        primary = language.partition("-")[0].casefold()
        return self.by_language.get(language) or self.by_language.get(primary)


def read_template(path: str | Path) -> Template:
    """A template from its YAML file.

    Raises:
        TemplateError: With every fault of the file.
    """
    template = read_yaml(path, Template, TemplateError)
    problems = template_problems(template, str(path))
    if problems:
        tree = parse_tree(Path(path).read_text(encoding="utf-8-sig"), str(path), TemplateError)
        lines = {dotted(place): line for place, line in tree.lines.items()}
        raise TemplateError(
            [replace(p, line=line_of_field(p.field or "", lines)) for p in problems]
        )
    return template


def line_of_field(field: str, lines: Mapping[str, int]) -> int | None:
    """Line of a field, or of the nearest thing that holds it."""
    while field and field not in lines:
        field = field[: max(field.rfind("."), field.rfind("["), 0)]
    return lines.get(field)


def catalogue(metric: MetricName = "faithfulness") -> dict[str, Wording]:
    """The shipped wordings of a metric by name, in a fixed order.

    >>> list(catalogue())
    ['literal', 'summary-tolerant', 'strict-no-external', 'contradiction-only', 'evidence-first']
    >>> list(catalogue("context_relevance"))
    ['helpful-passage', 'direct-passage', 'useful-passage']
    """
    return dict(_shipped(metric))


def shipped_wordings() -> dict[str, Wording]:
    """The shipped wordings of every metric by name; a name is used once in all of them."""
    return {name: wording for metric in METRIC_NAMES for name, wording in _shipped(metric).items()}


def metric_of(name: str) -> MetricName | None:
    """The metric that a shipped wording is made for; None where there is no such wording."""
    return next((metric for metric in METRIC_NAMES if name in _shipped(metric)), None)


def shipped_place(name: str) -> Traversable:
    """The folder that a shipped wording's files stand in."""
    folder = resources.files("metajudge.templates") / "catalogue"
    metric = metric_of(name)
    return folder if metric in (None, "faithfulness") else folder / str(metric)


@cache
def _shipped(metric: MetricName) -> dict[str, Wording]:
    folder = resources.files("metajudge.templates") / "catalogue"
    with resources.as_file(folder if metric == "faithfulness" else folder / metric) as path:
        found = read_wordings(sorted(path.glob("*.yaml")))
    order = _ORDER[metric]
    return {name: found[name] for name in [*order, *sorted(set(found) - set(order))]}


def catalogue_wording(name: str, where: str = "templates") -> Wording:
    """A shipped wording by name.

    Raises:
        TemplateError: There is none of that name; the nearest names are given.
    """
    known = shipped_wordings()
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=1)
    mend = f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(known)}."
    raise TemplateError(
        Problem(where, "no shipped template has this name", mend, field="name", got=repr(name))
    )


def read_wordings(paths: Iterable[Path]) -> dict[str, Wording]:
    """Wordings from template files; files of one name and several languages make one wording.

    Raises:
        TemplateError: With every fault of every file, two files of one name and language included.
    """
    problems: list[Problem] = []
    templates: list[Template] = []
    seen: dict[tuple[str, str], Path] = {}
    for path in paths:
        try:
            template = read_template(path)
        except TemplateError as error:
            problems += error.problems
            continue
        first = seen.setdefault((template.name, template.language), path)
        if first != path:
            law = f"a template's name and language are its own, but {first.name} has them too"
            problems.append(
                Problem(str(path), law, "Rename one of them.", field="name", got=template.name)
            )
        templates.append(template)
    if problems:
        raise TemplateError(problems)
    return _by_name(templates)


def changed(template: Template, where: str, **changes: Any) -> Template:
    """A copy of a template on other axes: `labels`, `answer`, `layout`, `claims_per_call`.

    Raises:
        TemplateError: The copy would be faulty.
    """
    wanted = {key: value for key, value in changes.items() if value is not None}
    raw = template.model_dump(by_alias=True) | wanted
    try:
        copy = Template.model_validate(raw)
    except ValidationError as error:
        complaints = validation_problems(error, Template, where, lambda _: None)
        raise TemplateError(complaints) from None
    problems = template_problems(copy, where)
    if problems:
        raise TemplateError(problems)
    return copy


def _by_name(templates: Iterable[Template]) -> dict[str, Wording]:
    grouped: dict[str, dict[str, PromptSource]] = {}
    for template in templates:
        grouped.setdefault(template.name, {})[template.language] = template
    return {name: Wording(name, languages) for name, languages in grouped.items()}
