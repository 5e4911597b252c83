"""The words a template uses for the three labels, and the order it offers them in."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from metajudge.errors import Problem, TemplateError

LabelName = Literal["yes", "no", "idk"]
DialectKind = Literal["words", "letters"]
_TURNED = re.compile(r"(?P<base>.+?)(?:\+(?P<steps>[0-9]{1,4}))?")


class Dialect(BaseModel):
    """Words for the labels in the order in which they are offered.

    A set with fewer than three labels offers only those: a binary template has `yes` and `no`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    kind: DialectKind = "words"
    words: dict[LabelName, str]
    spellings: dict[LabelName, tuple[str, ...]] = Field(default_factory=dict)
    """Further spellings of a word that count as the whole label."""

    def rotated(self, steps: int) -> Dialect:
        """The same labels in rotated order; letters stay A, B, C by position.

        As many steps as there are labels give back the dialect, name and all.

        >>> LETTERS["en"].rotated(1).words
        {'no': 'A', 'idk': 'B', 'yes': 'C'}
        >>> WORDS["en"].rotated(1).words
        {'no': 'no', 'idk': 'idk', 'yes': 'yes'}
        >>> LETTERS["en"].rotated(1).rotated(2) == LETTERS["en"]
        True
        """
        labels = list(self.words)
        steps %= len(labels)
        if steps == 0:
            return self
        order = labels[steps:] + labels[:steps]
        words = (
            dict(zip(order, self.words.values(), strict=True))
            if self.kind == "letters"
            else {label: self.words[label] for label in order}
        )
        base, turned = _base_and_steps(self.name)
        total = (turned + steps) % len(labels)
        name = f"{base}+{total}" if total else base
        return self.model_copy(update={"words": words, "name": name})


def _base_and_steps(name: str) -> tuple[str, int]:
    found = _TURNED.fullmatch(name)
    return (found["base"], int(found["steps"] or 0)) if found else (name, 0)


def dialect_problems(dialect: Dialect, where: str) -> list[Problem]:
    """Every fault of a dialect: a word that stands for two labels, an empty word, under two labels.

    >>> both = Dialect(name="odd", words={"yes": "ok", "no": "OK"})
    >>> [p.field for p in dialect_problems(both, "t.yaml")]
    ['labels.no']
    """
    problems = [
        Problem(where, law, mend, field=f"labels.{label}", got=repr(spelling))
        for label, spelling, law, mend in _word_faults(dialect)
    ]
    for label in dialect.spellings:
        if label not in dialect.words:
            law = "further spellings belong to a label that the dialect offers"
            mend = f"Give {label!r} a word, or take its spellings out."
            problems.append(Problem(where, law, mend, field=f"labels.spellings.{label}"))
    if len(dialect.words) < 2:
        law, mend = "a judge needs at least two labels to choose from", "Name yes and no."
        problems.append(Problem(where, law, mend, field="labels"))
    return problems


def _word_faults(dialect: Dialect) -> Iterator[tuple[LabelName, str, str, str]]:
    """Label, spelling, law and mend of each word that cannot stand."""
    seen: dict[str, LabelName] = {}
    for label, word in dialect.words.items():
        for spelling in (word, *dialect.spellings.get(label, ())):
            # As replies are folded: width and case make no other word.
            folded = unicodedata.normalize("NFKC", spelling).strip().casefold()
            if not folded:
                mend = "Give the label a word the judge can answer."
                yield label, spelling, "a label needs a word", mend
            elif len(spelling.splitlines()) > 1:
                yield label, spelling, "a label's word stands on one line", "Choose a shorter word."
            elif seen.setdefault(folded, label) != label:
                law = f"one word stands for one label, but {seen[folded]!r} has it too"
                yield label, spelling, law, "Choose different words."


def _dialect(
    name: str,
    kind: DialectKind,
    words: tuple[str, str, str],
    spellings: Mapping[LabelName, tuple[str, ...]] | None = None,
) -> Dialect:
    labels: tuple[LabelName, LabelName, LabelName] = ("yes", "no", "idk")
    return Dialect(
        name=name,
        kind=kind,
        words=dict(zip(labels, words, strict=True)),
        spellings=dict(spellings or {}),
    )


WORDS: dict[str, Dialect] = {
    "en": _dialect("words", "words", ("yes", "no", "idk"), {"idk": ("I don't know",)}),
    "zh": _dialect("words", "words", ("是", "否", "不知道")),
}
RELATION: dict[str, Dialect] = {
    "en": _dialect(
        "relation",
        "words",
        ("supported", "contradicted", "not mentioned"),
        {"idk": ("not_mentioned", "not-mentioned")},
    ),
    "zh": _dialect("relation", "words", ("支持", "矛盾", "未提及")),
}
LETTERS: dict[str, Dialect] = {
    lang: _dialect("letters", "letters", ("A", "B", "C")) for lang in ("en", "zh")
}
DIALECTS: dict[str, dict[str, Dialect]] = {
    "words": WORDS,
    "relation": RELATION,
    "letters": LETTERS,
}


def named_dialect(name: str, language: str, where: str = "labels") -> Dialect:
    """A built-in dialect by name: `words`, `relation` or `letters`, with `+1`, `+2` for rotations.

    Raises:
        TemplateError: No dialect of that name, or none in that language.
    """
    base, steps = _base_and_steps(name)
    by_language = DIALECTS.get(base)
    if by_language is None:
        law = f"a dialect is one of {', '.join(DIALECTS)}, with +1 or +2 for a rotation"
        mend = "Choose one, or write the words out."
        raise TemplateError(Problem(where, law, mend, field="labels", got=repr(name)))
    dialect = by_language.get(language)
    if dialect is None:
        law = f"dialect {base!r} exists in {', '.join(by_language)}"
        mend = "Write the words of this language out under labels."
        raise TemplateError(Problem(where, law, mend, field="labels", got=repr(language)))
    return dialect.rotated(steps)
