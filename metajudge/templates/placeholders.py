"""`{{ yes }}`, `{{ no }}`, `{{ idk }}` in a template's own texts, filled by sandboxed Jinja2."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from metajudge.errors import Problem, short_repr

if TYPE_CHECKING:
    from jinja2 import Template as JinjaTemplate
    from jinja2.sandbox import SandboxedEnvironment


@lru_cache(maxsize=1)
def _environment() -> SandboxedEnvironment:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    return SandboxedEnvironment(undefined=StrictUndefined, autoescape=False)


def fill(text: str, words: Mapping[str, str]) -> str:
    """The text with its placeholders replaced by the dialect's words.

    >>> fill("Answer {{ idk }} if unsure.", {"idk": "未提及"})
    'Answer 未提及 if unsure.'
    """
    return _compiled(text).render(words)


@lru_cache(maxsize=1024)
def _compiled(text: str) -> JinjaTemplate:
    return _environment().from_string(text)


def placeholder_problems(
    text: str, known: Collection[str], where: str, field: str
) -> list[Problem]:
    """Faults of one text: broken syntax, anything but a placeholder, and unknown placeholders.

    >>> [p.got for p in placeholder_problems("{{ 7 * 7 }}", ["yes"], "t.yaml", "ask")]
    ["'{{ 7 * 7 }}'"]
    """
    from jinja2 import TemplateSyntaxError, nodes

    environment = _environment()
    try:
        tree = environment.parse(text)
        comment = any(kind == "comment_begin" for _, kind, _ in environment.lex(text))
    except (TemplateSyntaxError, RecursionError) as error:
        why = getattr(error, "message", "too many braces")
        law = f"placeholders are written {{{{ yes }}}}: {why}"
        return [Problem(where, law, "Mend the braces.", field=field, got=short_repr(text))]
    parts = [part for out in tree.body for part in getattr(out, "nodes", (out,))]
    names = {part.name for part in parts if isinstance(part, nodes.Name)}
    if comment or not all(isinstance(part, nodes.Name | nodes.TemplateData) for part in parts):
        law = "a text holds words and placeholders such as {{ yes }}, and nothing to be computed"
        mend = "Write the words out."
        return [Problem(where, law, mend, field=field, got=short_repr(text))]
    allowed = ", ".join(sorted(known))
    return [
        Problem(
            where,
            f"a placeholder is a label the dialect offers ({allowed})",
            "Correct the name; contexts and claims are placed by the layout, not by placeholders.",
            field=field,
            got=f"{{{{ {name} }}}}",
        )
        for name in sorted(names - set(known))
    ]
