"""A template's own texts, clause by clause, with the labels that they name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from dataclasses import field as attribute
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from metajudge.templates.dialect import LabelName
from metajudge.templates.prompt_lint.words import LintWords
from metajudge.templates.template import Template

_PLACEHOLDER = re.compile(r"[\"'“”‘’「」『』]?\{\{\s*(yes|no|idk)\s*\}\}[\"'“”‘’「」『』]?")
_TOKEN = re.compile(r"⟦(yes|no|idk)⟧")
_QUOTES = "\"'“”‘’「」『』"


class Named(NamedTuple):
    """A label that a clause names: which, where, and whether it is *not* to be given."""

    label: LabelName
    start: int
    negated: bool


@dataclass(frozen=True)
class Clause:
    """One clause of a template's own text.

    Attributes:
        field: Where it stands, e.g. `rules[1]`.
        label: The label that it defines; None outside the definitions.
        text: With labels as `⟦yes⟧`.
        words: The word lists of its language.
        shown: As people read it.
    """

    field: str
    label: LabelName | None
    text: str
    words: LintWords = attribute(compare=False, repr=False)
    shown: str

    @cached_property
    def named(self) -> tuple[Named, ...]:
        """The labels that it names, in order."""
        found = []
        for token in _TOKEN.finditer(self.text):
            before = self.text[: token.start()]
            negated = self.words.assign_not.search(before) is not None
            label: LabelName = token[1]  # type: ignore[assignment]
            found.append(Named(label, token.start(), negated))
        return tuple(found)

    def label_at(self, place: int) -> Named | None:
        """The label that what stands at a place is given; None where the clause gives none.

        Where the clause begins with a label ("say yes to …") it is the last one before the place,
        else the next one after it. In a definition that names none it is the one defined.
        """
        if not self.named:
            return None if self.label is None else Named(self.label, 0, False)
        before = [named for named in self.named if named.start < place]
        after = [named for named in self.named if named.start >= place]
        if self.words.label_first.search(self.text[: self.named[0].start]):
            return before[-1] if before else after[0]
        return after[0] if after else before[-1]

    def negated_at(self, place: int) -> bool:
        """Whether a negation reaches what stands at a place."""
        return self.words.negation.search(self._reach(place)) is not None

    def conceded_at(self, place: int) -> bool:
        """Whether what stands at a place only follows an *even if*."""
        return self.words.concession.search(self.text[:place]) is not None

    def _reach(self, place: int) -> str:
        """What stands before a place in the same scope, after the last label."""
        before = self.text[:place]
        ends = [found.end() for found in self.words.scope_end.finditer(before)]
        ends += [found.end() for found in self.words.concession.finditer(before)]
        ends += [found.end() for found in _TOKEN.finditer(before)]
        return before[max(ends, default=0) :]


def own_texts(template: Template) -> Iterator[tuple[str, str]]:
    """Field and text of all that the template's author wrote, examples left out."""
    if template.ask is not None:
        yield "ask", template.ask
    yield from ((f"definitions.{label}", text) for label, text in template.definitions.items())
    yield from ((f"rules[{index}]", text) for index, text in enumerate(template.rules))
    if template.reason_hint is not None:
        yield "reason_hint", template.reason_hint


def clauses_of(template: Template, words: LintWords) -> tuple[Clause, ...]:
    """The clauses of question, definitions and rules, in this order."""
    spelled = spelled_labels(template)
    clauses = []
    for field, text in own_texts(template):
        if field == "reason_hint":
            continue
        label = field.partition(".")[2] if field.startswith("definitions.") else None
        for part in split_clauses(text, words, spelled):
            shown = _TOKEN.sub(lambda found: template.dialect.words[found[1]], part)  # type: ignore[index]
            clauses.append(Clause(field, label or None, part, words, shown))  # type: ignore[arg-type]
    return tuple(clauses)


def spelled_labels(template: Template) -> dict[str, LabelName]:
    """The label of each spelling that the template's dialect has, longest first."""
    dialect = template.dialect
    found: dict[str, LabelName] = {}
    for label, word in dialect.words.items():
        for spelling in (word, *dialect.spellings.get(label, ())):
            found[spelling] = label
    return dict(sorted(found.items(), key=lambda pair: -len(pair[0])))


def split_clauses(text: str, words: LintWords, spelled: Mapping[str, LabelName]) -> list[str]:
    """The clauses of a text with its labels as `⟦yes⟧`, written out or not."""
    tokens = _PLACEHOLDER.sub(lambda found: f"⟦{found[1]}⟧", " ".join(text.split()))
    for spelling, label in spelled.items():
        word = f"[{_QUOTES}]?{re.escape(spelling)}[{_QUOTES}]?"
        pattern = f"((?:{words.assign.pattern})){word}{words.assigned_end.pattern}"
        tokens = re.sub(pattern, rf"\g<1>⟦{label}⟧", tokens, flags=re.IGNORECASE)
    cuts = [0, *(found.end() for found in words.clause_end.finditer(tokens)), len(tokens)]
    parts = (tokens[start:end].strip() for start, end in pairwise(cuts))
    return [part for part in parts if part]
