"""A template beside the claims and contexts of a gold set: leaks, and label words in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from metajudge.gold.finding import Severity
from metajudge.gold.goldset import GoldSet
from metajudge.gold.near import near_pairs
from metajudge.templates.prompt_lint.clauses import own_texts
from metajudge.templates.prompt_lint.finding import Doubt
from metajudge.templates.shared_text import KnownTexts, Shared
from metajudge.templates.template import Template

_OFTEN = 0.01
"""Share of claims from which a label word that stands in them is told."""


@dataclass(frozen=True)
class GoldTexts:
    """The texts of a gold set, listed once for many templates."""

    gold: GoldSet

    @cached_property
    def named(self) -> list[tuple[str, str]]:
        """What each text is, for people, and the text: claims, pending ones too, then passages."""
        claims = [(f"claim {claim.claim_id}", claim.claim) for claim in self.gold.every_claim]
        passages = [
            (f"context {name}", text)
            for name, context in self.gold.contexts.items()
            for text in dict.fromkeys((*context.passages, "\n".join(context.passages)))
        ]
        return claims + passages


def leak_doubts(template: Template, texts: GoldTexts) -> Iterator[Doubt]:
    """Examples, definitions and rules that hold text of the gold set, word for word or nearly.

    Texts are compared as a pool of examples is: without case, white space, punctuation and width;
    the same text, one inside the other, a run of 12 words in common, and near copies of examples.
    """
    shown = {
        f"examples[{index}].{part}": text
        for index, example in enumerate(template.examples)
        for part in ("context", "claim", "reason")
        if (text := getattr(example, part))
    }
    own = dict(own_texts(template))
    known = KnownTexts({**own, **shown})
    found: dict[str, str] = {}
    for name, text in texts.named:
        for shared in known.shared_with(text):
            found.setdefault(shared.name, _told(shared, name))
    for field, told in _near(shown, texts) if shown else ():
        found.setdefault(field, told)
    for field, told in found.items():
        if field in shown:
            mend = "Take another example, about something that no split asks about."
            yield Doubt("error", "example-leaks-gold", field, shown[field], told, mend)
        else:
            mend = "Say it without the words of the claims that it is measured on."
            yield Doubt("error", "text-leaks-gold", field, own[field], told, mend)


def _told(shared: Shared[str], name: str) -> str:
    if shared.whole:
        return f"it is the same as {name} of the gold set"
    return f"{name} of the gold set has {len(shared.words)} words of it in a row"


def _near(shown: Mapping[str, str], texts: GoldTexts) -> Iterator[tuple[str, str]]:
    fields = list(shown)
    pairs = near_pairs([*shown.values(), *(text for _, text in texts.named)])
    for pair in pairs:
        if pair.first < len(fields) <= pair.second:
            name = texts.named[pair.second - len(fields)][0]
            yield fields[pair.first], f"it is nearly the same as {name} of the gold set"


def label_word_doubts(template: Template, texts: GoldTexts) -> Iterator[Doubt]:
    """Label words that occur in the claims of the template's language."""
    claims = [
        claim.claim
        for claim in texts.gold.claims
        if claim.lang.partition("-")[0].casefold() == template.language
    ]
    counted = {}
    for word in template.dialect.words.values():
        pattern = _as_word(word, template.dialect.kind == "letters")
        found = sum(pattern.search(claim) is not None for claim in claims)
        if found > _OFTEN * len(claims):
            counted[word] = found
    if counted:
        told = ", ".join(f"“{word}” in {found}" for word, found in counted.items())
        prose = template.answer.form != "label_only" and not template.answer.json_
        why = f"label words stand in claims of {texts.gold.manifest.name}: {told} of {len(claims)}"
        why += "; a reason that quotes them may be read as a verdict" if prose else ""
        mend = "Compare with other labels: relation, or letters."
        severity: Severity = "warning" if prose else "note"
        yield Doubt(severity, "label-word-in-claims", "labels", None, why, mend)


def _as_word(word: str, exact: bool) -> re.Pattern[str]:
    """A pattern for a label word; Latin ones stand between blanks or marks."""
    latin = r"[A-Za-z0-9]"
    before = rf"(?<!{latin})" if re.match(latin, word) else ""
    after = rf"(?!{latin})" if re.search(rf"{latin}$", word) else ""
    return re.compile(before + re.escape(word) + after, 0 if exact else re.IGNORECASE)
