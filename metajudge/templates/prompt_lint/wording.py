"""How a template's own texts are written: braces, length, language, numbers, labels by name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from metajudge.counted import counted
from metajudge.gold.finding import Severity
from metajudge.gold.near import NEAR, near_pairs
from metajudge.templates.dialect import DIALECTS
from metajudge.templates.prompt_lint.clauses import own_texts, spelled_labels
from metajudge.templates.prompt_lint.finding import Doubt
from metajudge.templates.prompt_lint.words import LintWords
from metajudge.templates.template import Template

_NAME = "contexts?|claims?|statements?|answers?|questions?|passages?|documents?|text|input|output"
_HAN_NAME = "材料|陈述|上下文|问题|回答|答案|文档|原文"
_BRACES = re.compile(
    r"\$?(?<!\{)\{[^{}\n]{0,40}\}(?!\})"
    rf"|</?(?:{_NAME}|{_HAN_NAME})>"
    rf"|\[(?:{_NAME.upper()}|{_HAN_NAME})\]|【(?:{_HAN_NAME})】|%\(?\w*\)?s\b|\[\[[^\]]*\]\]"
    rf"|__(?:{_NAME}|{_NAME.upper()})__"
)
_RAW = re.compile(r"\{%-?\s*raw\s*-?%\}(.*?)\{%-?\s*endraw\s*-?%\}", re.DOTALL)
_ENGINE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_LONGEST = {"en": (300, 2400), "zh": (130, 1000)}
"""Characters of one text, and of question, definitions, rules and answer form together."""
_MOST_RULES = 12
_LONGEST_LABEL = 24
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|「[^」]*」|‘[^’]*’|\{\{[^}]*\}\}")


def wording_doubts(
    template: Template, words: LintWords, *, everyday: bool = True
) -> Iterator[Doubt]:
    """Everything about how the template is written.

    Args:
        template: The template.
        words: Of its language.
        everyday: Look for label words of ordinary text by the word list.
    """
    for field, text in own_texts(template):
        yield from _braces(field, text)
        yield from _style(field, text, words)
    yield from _lengths(template)
    yield from _languages(template, words)
    yield from _label_names(template, words)
    if everyday:
        yield from _everyday(template, words)
    yield from _repeats(template)


def _braces(field: str, text: str) -> Iterator[Doubt]:
    bare = _RAW.sub(lambda raw: raw[1], text)
    found = next(filter(None, map(_ENGINE.search, _RAW.findall(text))), _BRACES.search(bare))
    if found is not None:
        text = " ".join(bare.split())
        why = f"{found.group()} looks like a placeholder and reaches the judge as it stands"
        mend = "Take it out: context and claim are placed by the layout."
        yield Doubt("warning", "placeholder-left", field, text, why, mend)


def _style(field: str, text: str, words: LintWords) -> Iterator[Doubt]:
    if words.threshold.search(text):
        why = "a judge of one claim cannot measure a share or a score"
        mend = "Say it in words, and set thresholds in the policy."
        yield Doubt("warning", "threshold-in-words", field, text, why, mend)
    if words.double_negation.search(text):
        why = "two negations in one clause are misread"
        yield Doubt("warning", "double-negation", field, text, why, "Say it without negation.")


def _lengths(template: Template) -> Iterator[Doubt]:
    one, whole = _LONGEST[template.language]
    for field, text in own_texts(template):
        if len(text) > one:
            why = f"{len(text)} characters in one text; long ones are followed in part"
            yield Doubt("note", "too-long", field, text, why, "Shorten it, or make two of it.")
    written = template.model_copy(update={"examples": ()}).question_block
    if len(written) > whole or len(template.rules) > _MOST_RULES:
        rules = counted(len(template.rules), "rules")
        why = f"{rules} and {len(written):,} characters before any claim"
        mend = "Keep what changes verdicts: a sweep tells."
        yield Doubt("note", "too-long", None, None, why, mend)


def _languages(template: Template, words: LintWords) -> Iterator[Doubt]:
    """Texts in another language than the claims that the template is for."""
    language = template.language
    for field, text in own_texts(template):
        bare = _QUOTED.sub(" ", text)
        found = words.foreign_run.search(bare)
        if found is not None:
            why = f"“{found.group()}” is not in the template's language {language}"
            mend = "Write the whole template in the language of its claims."
            yield Doubt("warning", "language-mixed", field, text, why, mend)
    for index, example in enumerate(template.examples):
        field = f"examples[{index}]"
        if _other_script(example.claim, language):
            why = f"the example's claim is not in the template's language {language}"
            mend = "Take an example of the same language."
            yield Doubt("warning", "language-mixed", field, example.claim, why, mend)
    for label, word in template.dialect.words.items():
        if len(word) > 1 and _other_script(word, language):
            why = f"the word for {label} is not in the template's language {language}"
            mend = "Use words of the language, or letters."
            yield Doubt("note", "language-mixed", f"labels.{label}", word, why, mend)


def _other_script(text: str, language: str) -> bool:
    """Whether a text is written in the other language's script."""
    han = len(_HAN.findall(text))
    letters = sum(char.isalpha() for char in text) - han
    return han > letters if language == "en" else not han and letters > 0


def _label_names(template: Template, words: LintWords) -> Iterator[Doubt]:
    """Labels by another word than the template's, and by its word where a placeholder belongs."""
    own = {word.casefold(): label for word, label in spelled_labels(template).items()}
    known = {
        word for dialect in DIALECTS.values() for d in dialect.values() for word in d.words.values()
    }
    listed = sorted({*known, *spelled_labels(template)}, key=lambda word: (-len(word), word))
    pattern = re.compile(
        f"(?:{words.names_label.pattern})[\"'“‘「]?(?P<word>{'|'.join(map(re.escape, listed))})"
        f"(?:[\"'”’」]|{words.assigned_end.pattern})"
        f"|(?:{words.gives_label.pattern})[\"“‘「'](?P<other>[^\"”’」'{{}}]{{1,{_LONGEST_LABEL}}})[\"”’」']",
        re.IGNORECASE,
    )
    for field, text in own_texts(template):
        for found in pattern.finditer(text):
            word = found["word"] or found["other"]
            label = own.get(word.casefold())
            if label is None:
                offered = ", ".join(template.dialect.words.values())
                why = f"“{word}” is no label of this template, which offers {offered}"
                mend = "Write {{ yes }}, {{ no }} or {{ idk }}: the word is filled in."
                yield Doubt("error", "label-word-not-offered", field, text, why, mend)
            else:
                why = f"“{word}” is written out; other labels, or another order, leave it behind"
                mend = f"Write {{{{ {label} }}}}."
                yield Doubt("note", "label-word-written-out", field, text, why, mend)
            break


def _everyday(template: Template, words: LintWords) -> Iterator[Doubt]:
    """Label words of ordinary text, where a reason may hold them."""
    if template.answer.form == "label_only" or template.answer.json_:
        return
    usual = template.dialect.name.partition("+")[0] in DIALECTS
    for label, word in template.dialect.words.items():
        if word.strip().casefold() in words.everyday:
            why = f"“{word}” occurs in ordinary text, so that a reason may be read as a verdict"
            mend = "Use other words (relation), letters, or JSON answers."
            severity: Severity = "note" if usual else "warning"
            yield Doubt(severity, "label-word-everyday", f"labels.{label}", word, why, mend)


def _repeats(template: Template) -> Iterator[Doubt]:
    for first, second, _ in near_pairs(template.rules, threshold=(1 + NEAR) / 2):
        why = f"rules[{first}] says nearly the same: “{template.rules[first]}”"
        field = f"rules[{second}]"
        yield Doubt("note", "rule-repeated", field, template.rules[second], why, "Keep one.")
    labels = {example.label for example in template.examples}
    if len(template.examples) > 1 and len(labels) == 1:
        why = f"all {len(template.examples)} examples have one label, which judges then prefer"
        mend = "Show each label, or no examples."
        yield Doubt("warning", "examples-of-one-label", "examples", next(iter(labels)), why, mend)
