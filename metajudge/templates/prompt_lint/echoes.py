"""Rules that give another label to what is said elsewhere in the same words, whatever it is.

This needs no word list of what support can be, so that it also reaches phrasings that none has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from metajudge.templates.dialect import LabelName
from metajudge.templates.prompt_lint.clauses import Clause
from metajudge.templates.prompt_lint.finding import Doubt
from metajudge.templates.prompt_lint.words import LintWords

LEAST_SHARED = 2
"""Words (pairs of characters in Chinese) that both share at least, where it is not all of them."""
LEAST_SHARE = 0.6
"""Of what a rule says, the least share that a definition says too."""
LEAST_ALIKE = 0.7
"""Of what two rules say together, the least share that both say."""
_TOKEN = re.compile(r"⟦\w+⟧")
_WORD = re.compile(r"[a-z]+")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]+")
_STEM = 5
"""Letters by which two forms of a word are taken for one."""
_MEND = "Keep the one that the labelling policy asks for, and change the other."


@dataclass(frozen=True)
class _Said:
    """A clause, the label that it gives, whether it is negated, and its words."""

    clause: Clause
    label: LabelName
    negated: bool
    grams: frozenset[str]


def echoes(clauses: Sequence[Clause], words: LintWords) -> Iterator[Doubt]:
    """Rules whose words are mostly those of another label's definition alone, or of another rule.

    Args:
        clauses: Of one template.
        words: Of its language.
    """
    defined = [_said(one, one.label) for one in clauses if one.label is not None]
    rules = [_said(one, one.named[0].label) for one in clauses if _is_plain(one, words)]
    for rule in rules:
        first = _echoed(rule, defined)
        if first is not None:
            why = (
                f"this is {rule.label} here, and the same words define {first.label} in "
                f"{first.clause.field}: “{first.clause.shown}”"
            )
            code = "rule-contradicts-definition"
            yield Doubt("warning", code, rule.clause.field, rule.clause.shown, why, _MEND)
    for one, other in combinations(rules, 2):
        if one.label != other.label and one.negated == other.negated and _alike(one, other):
            why = (
                f"this is {other.label} here, and much the same is {one.label} in "
                f"{one.clause.field}: “{one.clause.shown}”"
            )
            field, shown = other.clause.field, other.clause.shown
            yield Doubt("warning", "rules-contradict", field, shown, why, _MEND)


def _is_plain(clause: Clause, words: LintWords) -> bool:
    """Whether a clause of a rule gives one label, in every case that it names."""
    limits = (words.hedged, words.concession, words.some_and_other)
    return (
        clause.label is None
        and len({named.label for named in clause.named}) == 1
        and not clause.named[0].negated
        and not any(limit.search(clause.text) for limit in limits)
    )


def _said(clause: Clause, label: LabelName) -> _Said:
    negated = clause.words.negation.search(_TOKEN.sub(" ", clause.text)) is not None
    return _Said(clause, label, negated, frozenset(_grams(clause)))


def _echoed(rule: _Said, defined: Sequence[_Said]) -> _Said | None:
    """The definition of another label that a rule repeats; words of several say nothing."""
    same = [one for one in defined if one.negated == rule.negated]
    several = {
        gram
        for one, two in combinations(same, 2)
        if one.label != two.label
        for gram in one.grams & two.grams
    }
    grams = rule.grams - several
    for one in same:
        shared = grams & one.grams
        enough = len(shared) >= LEAST_SHARED or shared == grams
        if one.label != rule.label and shared and enough:
            if len(shared) >= LEAST_SHARE * len(grams):
                return one
    return None


def _alike(one: _Said, other: _Said) -> bool:
    shared = one.grams & other.grams
    return len(shared) >= max(LEAST_SHARED, LEAST_ALIKE * len(one.grams | other.grams))


def _grams(clause: Clause) -> set[str]:
    """What a clause says: words by their beginning, pairs of characters in Chinese."""
    text = clause.words.said_anyway.sub(_gap, clause.text.casefold())
    stems = {word[:_STEM] for word in _WORD.findall(text)}
    runs = _HAN.findall(text)
    return stems | {run[at : at + 2] for run in runs for at in range(len(run) - 1)}


def _gap(found: re.Match[str]) -> str:
    """What stands for a word that says nothing: Chinese characters close up."""
    return "" if _HAN.search(found.group()) else " "
