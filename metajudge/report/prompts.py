"""The prompt of each trial with places for context and claim: what a page needs to show it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from metajudge.templates.catalogue import Wording
from metajudge.templates.template import Template

CONTEXT_PLACE = "\ue000"
CLAIM_PLACE = "\ue001"
Prompts = Mapping[str, Mapping[str, Sequence[str]]]
"""Trial -> language -> one prompt per order of the labels; places stand for context and claim."""


def prompt_shapes(
    trials: Iterable[tuple[str, Sequence[Wording]]], languages: Iterable[str]
) -> Prompts:
    """Prompts of the trials whose prompt is the same but for context and claim.

    Peers' prompts, several claims a call, and templates that show the question are left out: their
    prompts differ in more than these two places.

    >>> from metajudge.templates.catalogue import catalogue
    >>> shapes = prompt_shapes([("literal", [catalogue()["literal"]])], ["en"])
    >>> CLAIM_PLACE in shapes["literal"]["en"][0]
    True
    """
    tags = tuple(languages)
    shapes: dict[str, dict[str, list[str]]] = {}
    for name, variants in trials:
        for lang in tags:
            sources = [wording.source_for(lang) for wording in variants]
            texts = [shape for shape in map(_shape, sources) if shape is not None]
            if len(texts) == len(sources):
                shapes.setdefault(name, {})[lang] = texts
    return shapes


def _shape(source: object) -> str | None:
    if not isinstance(source, Template) or source.claims_per_call > 1 or source.show_question:
        return None
    messages = source.render((CONTEXT_PLACE,), (CLAIM_PLACE,))
    return "\n\n".join(f"[{message.role}]\n{message.content}" for message in messages)
