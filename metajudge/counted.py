"""Counts in words: of one thing a noun is no plural, and neither is its verb."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

_IRREGULAR = {"people": "person", "analyses": "analysis", "axes": "axis"}
_NOUNS = (
    "alarms|annotations|annotators|answers|aspects|assertions|attempts|axes|blocks|bytes|calls|candidates|cases|"
    "characters|claims|clusters|columns|conflicts|contexts|conversations|days|draws|entities|"
    "errors|examples|facts|failures|features|files|flips|fields|groups|judges|labels|languages|"
    "lines|looks|metrics|minutes|names|notes|pages|pairs|passages|people|places|points|probes|"
    "queries|reads|releases|repeats|replies|retries|rounds|rows|runs|scores|seconds|sentences|settings|slices|"
    "spans|statements|steps|strata|studies|templates|texts|times|trials|turns|units|values|"
    "verdicts|versions|votes|warnings|weeks|words|worlds"
)
_BETWEEN = (
    "clear|common|contradicted|dev|different|distinct|expected|failed|further|gold|labelled|"
    "more|new|open|other|paired|queued|sampled|sealed|stored|test|unsupported"
)
_VERBS = {
    "are": "is",
    "were": "was",
    "have": "has",
    "need": "needs",
    "state": "states",
    "wait": "waits",
    "count": "counts",
    "come": "comes",
    "stand": "stands",
    "differ": "differs",
    "end": "ends",
    "fall": "falls",
    "change": "changes",
    "keep": "keeps",
    "pass": "passes",
    "say": "says",
    "share": "shares",
    "lose": "loses",
    "depend": "depends",
}
_COUNT = re.compile(
    rf"\{{(?P<name>\w+)(?P<form>:[^{{}}]*)?\}}(?P<between>(?: (?:{_BETWEEN}))*) "
    rf"(?P<noun>{_NOUNS})\b(?: (?P<verb>{'|'.join(_VERBS)})\b)?"
)


def singular(noun: str) -> str:
    """One of what a plural names.

    >>> singular("claims"), singular("replies"), singular("people")
    ('claim', 'reply', 'person')
    """
    if noun in _IRREGULAR:
        return _IRREGULAR[noun]
    return f"{noun[:-3]}y" if noun.endswith("ies") else noun.removesuffix("s")


def counted(n: int, nouns: str) -> str:
    """A number of things.

    Args:
        n: How many.
        nouns: What they are, in the plural, with words before the noun and a verb after it where
            there are some.

    >>> counted(1, "claims"), counted(1200, "gold claims"), counted(1, "stored replies are")
    ('1 claim', '1,200 gold claims', '1 stored reply is')
    """
    if n != 1:
        return f"{n:,} {nouns}"
    words = nouns.split(" ")
    verbs = [_VERBS[word] for word in words[-1:] if word in _VERBS]
    *before, noun = words[: len(words) - len(verbs)]
    return " ".join(("1", *before, singular(noun), *verbs))


def filled(template: str, values: Mapping[str, Any]) -> str:
    """A text with its placeholders filled; in English a noun after a count of 1 is no plural.

    Values are put in as they are and never changed themselves.

    >>> filled("{n} gold claims are left, {m} calls open", {"n": 1, "m": 2})
    '1 gold claim is left, 2 calls open'
    """
    text = _COUNT.sub(
        lambda found: _one(found) if str(values.get(found["name"])) == "1" else found[0], template
    )
    return text.format(**values)


def variants(template: str) -> Iterator[str]:
    """Every form that `filled` gives a template, itself first.

    >>> list(variants("{n} claims of {x}"))
    ['{n} claims of {x}', '{n} claim of {x}']
    """
    counts = list(_COUNT.finditer(template))
    for choice in product((False, True), repeat=len(counts)):
        text, end = "", 0
        for found, is_one in zip(counts, choice, strict=True):
            text += template[end : found.start()] + (_one(found) if is_one else found[0])
            end = found.end()
        yield text + template[end:]


def _one(found: re.Match[str]) -> str:
    place = f"{{{found['name']}{found['form'] or ''}}}"
    verb = f" {_VERBS[found['verb']]}" if found["verb"] else ""
    return f"{place}{found['between']} {singular(found['noun'])}{verb}"
