"""Whether a template's texts fit the form in which it asks for the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from metajudge.templates.prompt_lint.clauses import own_texts
from metajudge.templates.prompt_lint.finding import Doubt
from metajudge.templates.prompt_lint.words import Expression, LintWords
from metajudge.templates.template import Template


def answer_doubts(template: Template, words: LintWords) -> Iterator[Doubt]:
    """Label before reason, reasons that are asked for and not read, and forms that differ."""
    form = template.answer.form
    if form == "label_first":
        why = "the label is written before the reason, so the reason cannot change it"
        mend = "Use reason_first, or label_only, which costs fewer tokens."
        yield Doubt("warning", "label-before-reason", "answer", form, why, mend)
    for field, text in own_texts(template):
        yield from _orders(form, field, text, words)
        yield from _reasons(form, field, text, words)
        if _asks(words.json_, text, words) and not _as_json(template):
            why, mend = "JSON is asked for here, and the answer form has none", "Set answer.json."
            yield Doubt("warning", "form-contradicted", field, text, why, mend)
    if form == "label_only" and template.reason_hint is not None:
        why = "this answer form has no reason, so the hint is never shown"
        mend = "Take it out, or use reason_first."
        yield Doubt("note", "reason-hint-unused", "reason_hint", template.reason_hint, why, mend)
    if form == "reason_first":
        for index, example in enumerate(template.examples):
            if not (example.reason or "").strip():
                why = "reasons are asked for, and this example answers without one"
                mend = "Give the example a reason."
                field = f"examples[{index}]"
                yield Doubt("warning", "example-without-reason", field, example.claim, why, mend)


def _as_json(template: Template) -> bool:
    return template.answer.json_ or template.claims_per_call > 1


def _orders(form: str, field: str, text: str, words: LintWords) -> Iterator[Doubt]:
    if words.label_then_reason.search(text) and form == "reason_first":
        why = "the label is asked for before the reason, and the answer form has it after"
        mend = "Take the order out: the answer form says it."
        yield Doubt("error", "label-before-reason", field, text, why, mend)
    elif words.reason_then_label.search(text) and form == "label_first":
        why = "the reason is asked for before the label, and the answer form has it after"
        mend = "Use reason_first, or take the order out."
        yield Doubt("error", "form-contradicted", field, text, why, mend)


def _reasons(form: str, field: str, text: str, words: LintWords) -> Iterator[Doubt]:
    if form == "label_only":
        if field != "reason_hint" and _asks(words.reasoning, text, words):
            why = "reasons are asked for, and the answer form holds the label alone: it is cut off"
            mend = "Use reason_first, or take this out."
            yield Doubt("error", "reason-not-in-form", field, text, why, mend)
    elif words.one_word.search(text):
        why = "nothing but the label is asked for, and the answer form has a reason"
        mend = "Use label_only, or take this out."
        yield Doubt("error", "form-contradicted", field, text, why, mend)


def _asks(pattern: Expression, text: str, words: LintWords) -> bool:
    """Whether a text asks for something: names it, and no negation stands before it."""
    return any(not _negated(text, found, words) for found in pattern.finditer(text))


def _negated(text: str, found: re.Match[str], words: LintWords) -> bool:
    before = text[: found.start()]
    ends = [end.end() for end in words.clause_end.finditer(before)]
    return words.negation.search(before[max(ends, default=0) :]) is not None
