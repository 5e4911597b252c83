"""What a template does not say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from metajudge.templates.prompt_lint.clauses import Clause
from metajudge.templates.prompt_lint.finding import Doubt
from metajudge.templates.prompt_lint.words import LintWords
from metajudge.templates.template import Template

_OF_STATEMENTS = frozenset({"claim", "sentence", "reference"})
"""Frames whose units are statements."""
_MENDS = {
    "en": (
        "Say it in the definitions, e.g. “every part of the claim”, or add a rule.",
        "Add a rule, e.g. “Use no knowledge of your own.”",
        "Say what the context lacks, e.g. “the context does not say”.",
    ),
    "zh": (
        "在定义中写明，例如“陈述的每一部分”，或增加一条规则。",
        "增加一条规则，例如“不得使用你自己的知识。”",
        "写明材料缺什么，例如“材料没有提到”。",
    ),
}


def gaps(template: Template, clauses: Sequence[Clause], words: LintWords) -> Iterator[Doubt]:
    """Compound claims, knowledge from outside, and what idk means, where nothing settles them.

    Only units that state something can be compound, be known from elsewhere, or be left open.
    """
    if template.frame not in _OF_STATEMENTS:
        return
    compound, knowledge, unsure = _MENDS[template.language]
    if not any(words.parts.search(clause.text) for clause in clauses):
        why = "nothing says what a claim of several parts is when one of them is not supported"
        yield Doubt("note", "no-compound-rule", None, None, why, compound)
    known = (words.kinds["common_knowledge"], words.context_only, words.knowledge_told)
    if not any(pattern.search(clause.text) for clause in clauses for pattern in known):
        why = "nothing says whether the judge may use knowledge of its own"
        yield Doubt("note", "no-knowledge-rule", None, None, why, knowledge)
    if "idk" not in template.dialect.words:
        why = "there is no label for a claim that the context says nothing about"
        mend = "Offer idk, or say in definitions.no that such a claim belongs there."
        told = any(words.absence.search(text) for text in template.definitions.values())
        if not told and not words.negation.search(template.definitions["no"]):
            yield Doubt("warning", "forced-choice", "labels", None, why, mend)
        return
    yield from _unsure(template, clauses, words, unsure)


def _unsure(
    template: Template, clauses: Sequence[Clause], words: LintWords, mend: str
) -> Iterator[Doubt]:
    """A definition, or a rule, by which idk is the judge's own doubt."""
    why = "idk is for what the context does not say, not for a judge that is unsure"
    text = template.definitions["idk"]
    if words.unsure.search(text) and not words.absence.search(text):
        yield Doubt("warning", "idk-means-unsure", "definitions.idk", text, why, mend)
    for clause in clauses:
        found = None if clause.label else words.unsure.search(clause.text)
        given = None if found is None else clause.label_at(found.start())
        if given is None or given.label != "idk" or given.negated:
            continue
        if not words.absence.search(clause.text):
            yield Doubt("warning", "idk-means-unsure", clause.field, clause.shown, why, mend)
