"""A search space of template parts with its files read: axes, and the templates of a setting."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from metajudge.errors import Problem, TemplateError
from metajudge.gold.validation import suggest
from metajudge.templates.catalogue import Wording, changed
from metajudge.templates.dialect import Dialect, named_dialect
from metajudge.templates.parts_axes import (
    base_rule_axis,
    form_name,
    nth_order,
    rule_places,
    structure_axes,
    text_axes,
    texts_by_choice,
)
from metajudge.templates.parts_bases import WHERE, Bases
from metajudge.templates.pool import Pool
from metajudge.templates.setting import Axis, Setting, Value, completed, searched
from metajudge.templates.source import AnswerForm
from metajudge.templates.template import Example, Template

if TYPE_CHECKING:
    from metajudge.templates.parts import Language, PartsSpace

Entry = TypeVar("Entry")
_VERSION = "1.0.0"
_PURPOSE = {"en": "Made by a search, from {}.", "zh": "由搜索生成，出自 {}。"}


@dataclass(frozen=True)
class OpenedParts:
    """What `search.template` declares, with its bases and its pool.

    Attributes:
        space: The declaration.
        languages: Languages of the claims, as templates name them.
        bases: Templates by name of the base and language.
        pool: Where examples are drawn from; None where templates keep the base's.
    """

    space: PartsSpace
    languages: tuple[Language, ...]
    bases: Bases
    pool: Pool | None

    @cached_property
    def axes(self) -> tuple[Axis, ...]:
        """Axes with at least two choices: structures, then each language's texts."""
        structures = structure_axes(self.space, self.bases)
        texts = (
            axis
            for language in self.languages
            for axis in text_axes(self.space, self.bases, language)
        )
        return searched([*structures, *texts])

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 in hex of all that decides which templates a setting makes."""
        left_out: dict[str, Any] = {"bases": True, "examples": {"path"}}
        told = {
            "axes": self.axes,
            "space": self.space.model_dump(mode="json", exclude=left_out),
            "bases": [
                (name, language, template.fingerprint)
                for name, templates in self.bases.items()
                for language, template in templates.items()
            ],
            "pool": None if self.pool is None else [c.model_dump() for c in self.pool.cases],
        }
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()

    def completed(self, partial: Setting) -> dict[str, Value]:
        """A setting of the space, with the usual choice wherever `partial` makes none.

        `completed({"base": "literal"})` is the base itself as far as the space allows.
        """
        return completed(self.axes, partial)

    def parents(self, setting: Setting) -> Wording:
        """The base of a setting, from which its templates are made."""
        name = str(setting.get("base", next(iter(self.bases))))
        return Wording(name, dict(self.bases[name]))

    def text_of(self, axis: str, value: Value) -> str | None:
        """The authored text behind a choice; None for the base's own and for structures.

        Behind a rule's axis stands the rule, whether the value takes it in or not.
        """
        return self._said.get((axis, value))

    def build(self, setting: Setting) -> Wording:
        """The templates of one setting, under a name that follows from their prompts.

        Raises:
            TemplateError: The setting is none of the space, or makes a faulty template.
        """
        problems = list(self._setting_faults(setting))
        made: dict[str, Template] = {}
        for language in () if problems else self.languages:
            try:
                made[language] = self._made(language, setting)
            except TemplateError as error:
                problems += error.problems
        if problems:
            raise TemplateError(problems)
        prompts = "\n".join(f"{lang} {made[lang].fingerprint}" for lang in sorted(made))
        name = f"search-{hashlib.sha256(prompts.encode()).hexdigest()[:8]}"
        return Wording(
            name, {lang: t.model_copy(update={"name": name}) for lang, t in made.items()}
        )

    @cached_property
    def _said(self) -> dict[tuple[str, Value], str]:
        return {
            choice: text
            for language in self.languages
            for choice, text in texts_by_choice(self.space, self.bases, language)
        }

    def _setting_faults(self, setting: Setting) -> Iterator[Problem]:
        axes = {axis.name: axis for axis in self.axes}
        for name, value in setting.items():
            if name not in axes:
                law, mend = "a setting holds axes of the space", suggest(name, axes)
                yield Problem(WHERE, law, mend, field=name)
            elif not axes[name].active(setting):
                told = " and ".join(
                    f"{on} is one of {', '.join(map(str, among))}"
                    for on, among in axes[name].only_if
                )
                law = f"this axis is active only where {told}"
                yield Problem(WHERE, law, "Leave it out.", field=name, got=repr(value))
            elif not any(value == c and type(value) is type(c) for c in axes[name].choices):
                law, mend = "a setting takes one of the axis's choices", _choices(axes[name])
                yield Problem(WHERE, law, mend, field=name, got=repr(value))
        for axis in self.axes:
            if axis.name not in setting and axis.active(setting):
                law = "a setting has a value for each active axis"
                yield Problem(WHERE, law, _choices(axis), field=axis.name)

    def _made(self, language: Language, setting: Setting) -> Template:
        space, name = self.space, self.parents(setting).name
        base = self.bases[name][language].model_copy(update={"parentage": None})
        labels = _chosen(setting, "labels", space.labels)
        dialect = base.dialect if labels is None else named_dialect(labels, language, WHERE)
        per_call = _chosen(setting, "claims_per_call", space.claims_per_call)
        return changed(
            base,
            f"{WHERE}: {base.label}",
            version=_VERSION,
            purpose=_PURPOSE[language].format(base.label),
            risk="",
            labels=dialect,
            ask=self._text(f"{language}.ask", setting),
            definitions=self._definitions(base, language, setting),
            rules=self._rules(name, language, setting),
            answer=self._answer(base, per_call or base.claims_per_call, setting),
            layout=_chosen(setting, "layout", space.layouts),
            claims_per_call=per_call,
            examples=self._examples(dialect, language, setting),
        )

    def _text(self, axis: str, setting: Setting) -> str | None:
        return self._said.get((axis, setting[axis])) if axis in setting else None

    def _definitions(self, base: Template, language: Language, setting: Setting) -> dict[str, str]:
        definitions = {str(label): text for label, text in base.definitions.items()}
        for label in self.space.definitions.get(language, {}):
            other = self._text(f"{language}.definition.{label}", setting)
            definitions |= {} if other is None else {str(label): other}
        return definitions

    def _rules(self, name: str, language: Language, setting: Setting) -> tuple[str, ...]:
        fixed = self.space.fixed_rules.get(language, ())
        further = self.space.rules.get(language)
        if further is None:
            return (*self.bases[name][language].rules, *fixed)
        places = rule_places(self.space, self.bases, language)
        rules = {
            index: rule
            for index, rule in enumerate(self.bases[name][language].rules)
            if setting.get(base_rule_axis(language, name, index), True)
        }
        first = places - len(further)
        for index, rule in enumerate(further):
            if setting[f"{language}.rule.{index}"]:
                rules[first + index] = rule
        order = nth_order(int(setting.get(f"{language}.rule_order", 0)), places)
        return (*(rules[place] for place in order if place in rules), *fixed)

    def _answer(self, base: Template, per_call: int, setting: Setting) -> AnswerForm:
        forms = {form_name(answer): answer for answer in self.space.answers}
        chosen = _chosen(setting, "answer", tuple(forms))
        answer = base.answer if chosen is None else forms[chosen]
        return answer if per_call == 1 else answer.model_copy(update={"json_": True})

    def _examples(
        self, dialect: Dialect, language: Language, setting: Setting
    ) -> tuple[Example, ...] | None:
        ref = self.space.examples
        if ref is None or self.pool is None:
            return None
        count = int(_chosen(setting, "examples.n", ref.counts) or 0)
        draw = int(setting.get("examples.draw", 0))
        return self.pool.drawn(language, count, draw, ref.seed, dialect.words)


def _chosen(setting: Setting, axis: str, choices: Sequence[Entry]) -> Entry | None:
    """The setting's choice, the only one there is, or None for the base's own."""
    if not choices:
        return None
    wanted = setting.get(axis, choices[0])
    return next(choice for choice in choices if choice == wanted)


def _choices(axis: Axis) -> str:
    return f"Give it one of: {', '.join(map(repr, axis.choices))}."
