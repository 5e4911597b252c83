"""A release's template in one language as plain data, with places for whatever is judged."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from metajudge.errors import Problem, ReleaseError
from metajudge.release.bundle import Release
from metajudge.templates.frame import frame_for
from metajudge.templates.source import Form
from metajudge.templates.template import Template

# Private-use characters: no template can hold them, and judged text is placed after they are gone.
CONTEXT, CLAIM, QUESTION, UNSURE = "\ue000", "\ue001", "\ue002", "\ue003"
PLACES: dict[str, str] = {
    CONTEXT: "context",
    CLAIM: "claims",
    QUESTION: "question",
    UNSURE: "unsure",
}
_PLACE = re.compile(f"([{''.join(PLACES)}])")
_BATCH_HEAD = f"1. {CLAIM}"

Piece = str | Mapping[str, str]
"""Fixed text, or `{"place": name}` for what is filled in."""


class Sheet(NamedTuple):
    """One language of a release.

    Attributes:
        language: `en` or `zh`.
        template: The template.
        messages: Role and pieces of each chat message.
        empty_context: What stands for a context without text.
        labels: The words of each label offered, the one that the prompt shows first.
        marker: What a marked verdict line begins with.
    """

    language: str
    template: Template
    messages: tuple[tuple[str, tuple[Piece, ...]], ...]
    empty_context: str
    labels: Mapping[str, tuple[str, ...]]
    marker: str

    @property
    def form(self) -> Form:
        """What a reply holds, and in which order."""
        return self.template.answer.form

    def plain(self) -> dict[str, Any]:
        """As drop-ins carry it: lists, mappings, texts and numbers."""
        return {
            "messages": [[role, list(pieces)] for role, pieces in self.messages],
            "empty_context": self.empty_context,
            "labels": {label: list(words) for label, words in self.labels.items()},
            "marker": self.marker,
            "form": self.form,
            "json": self.template.answer.json_,
            "claims_per_call": self.template.claims_per_call,
            "max_tokens": self.template.max_tokens,
        }


def templates_of(
    release: Release, languages: Sequence[str], variant: int = 0
) -> dict[str, Template]:
    """The templates by language, in one order of their labels.

    Raises:
        ReleaseError: The release lacks a language.
    """
    spoken = release.candidate.variants[variant].by_language
    missing = [language for language in languages if language not in spoken]
    if missing:
        law = f"{release.ref} has the languages {', '.join(spoken)}"
        mend = "Choose among them, or all."
        got = repr(missing[0])
        raise ReleaseError(Problem("release emit", law, mend, field="--language", got=got))
    found = {language: spoken[language] for language in languages}
    return {language: source for language, source in found.items() if isinstance(source, Template)}


def sheets_of(release: Release, languages: Sequence[str]) -> tuple[Sheet, ...]:
    """The sheets of a release.

    Raises:
        ReleaseError: The release lacks a language.
    """
    return tuple(sheet_of(t) for t in templates_of(release, languages).values())


def sheet_of(template: Template, question: str | None = None) -> Sheet:
    """A template as plain data.

    Args:
        template: The template.
        question: Stands for its own question block, where the framework sets the answer form.

    Raises:
        ReleaseError: The template holds a character that stands for a place here.
    """
    own = template.question_block
    # A word of the framework's own stands as a place where the question is given.
    if _PLACE.search(own if question is None else own.replace(UNSURE, "")):
        law = "a template that is emitted holds no characters U+E000 to U+E003"
        raise ReleaseError(Problem(template.label, law, "Take them out.", got=repr(own)[:80]))
    frame = frame_for(template.language, template.frame)
    spellings = template.dialect.spellings
    shown = template.render((CONTEXT,), (CLAIM,), QUESTION if template.show_question else None)
    texts = [m.content.replace(_BATCH_HEAD, CLAIM).replace(own, question or own) for m in shown]
    return Sheet(
        language=template.language,
        template=template,
        messages=tuple(
            (message.role, pieces_of(text)) for message, text in zip(shown, texts, strict=True)
        ),
        empty_context=frame.empty_context,
        labels={
            str(label): (word, *spellings.get(label, ()))
            for label, word in template.dialect.words.items()
        },
        marker=frame.verdict_marker,
    )


def pieces_of(text: str) -> tuple[Piece, ...]:
    r"""Fixed texts and places of a text, in order.

    >>> pieces_of("Claim: \ue001.")
    ('Claim: ', {'place': 'claims'}, '.')
    """
    split = _PLACE.split(text)
    return tuple({"place": PLACES[part]} if part in PLACES else part for part in split if part)
