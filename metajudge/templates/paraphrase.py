"""Authored rewordings of the shipped templates: the same question in other words.

`paraphrases/<name>.<language>.yaml` holds two for each catalogue template. A verdict that changes
with them rests on the wording rather than on what the wording means.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from metajudge.errors import Problem, TemplateError
from metajudge.gold.strict_yaml import parse_tree
from metajudge.gold.validation import validation_problems
from metajudge.templates.catalogue import catalogue, changed
from metajudge.templates.dialect import LabelName
from metajudge.templates.template import Template

PARAPHRASES = 2
_Text = Annotated[str, Field(min_length=1)]


class Paraphrase(BaseModel):
    """One rewording of a template's own texts.

    `ask_batch` is the question to several claims in one call, where `ask` speaks of one claim.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    ask: _Text | None = None
    ask_batch: _Text | None = None
    definitions: dict[LabelName, _Text]
    rules: tuple[_Text, ...]
    reason_hint: _Text | None = None


_TWO: TypeAdapter[tuple[Paraphrase, ...]] = TypeAdapter(
    Annotated[tuple[Paraphrase, ...], Field(min_length=PARAPHRASES, max_length=PARAPHRASES)]
)


def paraphrased(template: Template, number: int, where: str) -> Template | None:
    """The template in the words of its shipped paraphrase.

    Args:
        template: A shipped template on any axes.
        number: 1 or 2.
        where: The name of what is being read, for messages.

    Returns:
        None where there is no paraphrase: another name than a shipped one, or a template of a
        shipped name that says something else in its question, definitions, rules or reason hint.

    Raises:
        TemplateError: No such number.

    >>> paraphrased(catalogue()["literal"].by_language["en"], 2, "doc").rules[1]
    'Leave your own knowledge aside.'
    """
    if not 1 <= number <= PARAPHRASES:
        law = f"the paraphrases of a template are 1 to {PARAPHRASES}"
        raise TemplateError(Problem(where, law, "Choose one.", field="paraphrase", got=str(number)))
    wording = catalogue().get(template.name)
    shipped = None if wording is None else wording.by_language.get(template.language)
    if not isinstance(shipped, Template) or _own_texts(shipped) != _own_texts(template):
        return None
    paraphrase = shipped_paraphrases(template.name, template.language)[number - 1]
    return changed(
        template,
        f"{where}: paraphrase {number} of {template.label}",
        ask=paraphrase.ask_batch if template.claims_per_call > 1 else paraphrase.ask,
        definitions=dict(paraphrase.definitions),
        rules=paraphrase.rules,
        reason_hint=paraphrase.reason_hint,
    )


@cache
def shipped_paraphrases(name: str, language: str) -> tuple[Paraphrase, ...]:
    """The two paraphrases of a catalogue template.

    Raises:
        TemplateError: With every fault of the file.

    >>> len(shipped_paraphrases("literal", "zh"))
    2
    """
    file = resources.files("metajudge.templates") / "paraphrases" / f"{name}.{language}.yaml"
    return read_paraphrases(file.read_text(encoding="utf-8"), file.name)


def read_paraphrases(text: str, where: str) -> tuple[Paraphrase, ...]:
    """Two paraphrases from a YAML text; `where` is the file's name in messages.

    Raises:
        TemplateError: With every fault of the text.
    """
    tree = parse_tree(text, where, TemplateError)
    problems = list(tree.problems)
    found: tuple[Paraphrase, ...] = ()
    try:
        found = _TWO.validate_python(tree.content)
    except ValidationError as error:
        problems += validation_problems(error, Paraphrase, where, tree.line_of)
    if problems:
        raise TemplateError(problems)
    return found


def _own_texts(template: Template) -> tuple[object, ...]:
    return template.ask, template.definitions, template.rules, template.reason_hint
