"""What the clauses of a template say: what counts as support, and what absence and conflict are.

Nothing is read into a clause that narrows what it is about ("a summary *that adds something* is
idk"): of such a clause no stance is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from metajudge.gold.claim import SupportKind
from metajudge.templates.dialect import LabelName
from metajudge.templates.prompt_lint.clauses import Clause, Named

_BY_LITERAL: tuple[SupportKind, ...] = ("summary", "aggregation", "inference")
"""Kinds that are shut out where only what is written counts."""


class Stance(NamedTuple):
    """Whether a clause counts a kind of claim as support; `implied` by counting what is written."""

    kind: SupportKind
    allowed: bool
    clause: Clause
    implied: bool = False


class Given(NamedTuple):
    """The label that a clause gives to absence, or to a conflict; `only` that to nothing else."""

    label: LabelName
    only: bool
    clause: Clause


def support_stances(clauses: Iterable[Clause]) -> list[Stance]:
    """What the clauses say of each kind of support, in their order."""
    return [stance for clause in clauses for stance in _stances(clause)]


def _stances(clause: Clause) -> Iterator[Stance]:
    named: list[Stance] = []
    for kind, pattern in clause.words.kinds.items():
        for found in pattern.finditer(clause.text):
            allowed = _allowed(clause, kind, found)
            if allowed is not None:
                named.append(Stance(kind, allowed, clause))
                break
    yield from named
    if (
        not clause.named
        and _context_only(clause)
        and not any(stance.kind == "common_knowledge" for stance in named)
    ):
        yield Stance("common_knowledge", False, clause, True)
    told = {stance.kind for stance in named}
    if _only_literal(clause) and not any(stance.allowed for stance in named):
        yield from (Stance(kind, False, clause, True) for kind in _BY_LITERAL if kind not in told)


def _allowed(clause: Clause, kind: SupportKind, found: re.Match[str]) -> bool | None:
    """Whether the kind counts as support by this clause; None where the clause does not say."""
    words, before, after = clause.words, clause.text[: found.start()], clause.text[found.end() :]
    if kind == "common_knowledge" and words.shut_out.search(clause.text):
        return False
    if words.no_contradiction.search(after):
        return None
    narrowed = bool(words.qualified.search(after.lstrip()) or words.unfit.search(before))
    given = clause.label_at(found.start())
    if given is None:
        return _by_words(clause, kind, found, narrowed)
    if given.label == "yes":
        negated = clause.negated_at(found.start()) or bool(words.counts_not.search(after))
        return _by_yes(negated, narrowed, given)
    if given.negated or (given.label == "no" and words.contradiction.search(clause.text)):
        return None
    return _by_other(clause, kind, found, narrowed)


def _by_yes(negated: bool, narrowed: bool, given: Named) -> bool | None:
    """What a clause that gives yes, or says not to, says of a kind."""
    if given.negated:
        return None if narrowed or negated else False
    return None if negated and narrowed else not negated


def _by_other(
    clause: Clause, kind: SupportKind, found: re.Match[str], narrowed: bool
) -> bool | None:
    """What a clause that gives no or idk says of a kind."""
    if clause.conceded_at(found.start()):
        return False if kind == "common_knowledge" else None
    said = clause.named or clause.words.merely.search(clause.text[: found.start()])
    return False if said and not narrowed and not clause.negated_at(found.start()) else None


def _by_words(
    clause: Clause, kind: SupportKind, found: re.Match[str], narrowed: bool
) -> bool | None:
    """What a clause that gives no label says of a kind."""
    words = clause.words
    if clause.conceded_at(found.start()):
        denied = words.negation.search(clause.text[: found.start()])
        return False if denied and kind == "common_knowledge" else None
    if words.counts_not.search(clause.text[found.end() :]):
        return None if narrowed else False
    if clause.negated_at(found.start()):
        return None if narrowed else False
    return True if words.counts.search(clause.text) and not narrowed else None


def _context_only(clause: Clause) -> bool:
    """Whether nothing but the context counts by this clause."""
    found = clause.words.context_only.search(clause.text)
    return found is not None and clause.label is None and not clause.negated_at(found.start())


def _only_literal(clause: Clause) -> bool:
    """Whether only what is written counts by this clause."""
    for found in clause.words.literal_only.finditer(clause.text):
        given = clause.label_at(found.start())
        if given is None or given.negated or clause.conceded_at(found.start()):
            continue
        if (given.label == "yes") != clause.negated_at(found.start()):
            return given.label != "no"
    return False


def absences(clauses: Iterable[Clause]) -> list[Given]:
    """Which label a claim gets that the context says nothing about; `no` where it *fails*."""
    return list(_given(clauses, "absence"))


def conflicts(clauses: Iterable[Clause]) -> list[Given]:
    """Which label a claim gets that the context contradicts; a context against itself is not one.

    A clause that gives `no`, or failure, to conflicts and nothing else is marked `only`.
    """
    return [
        given
        for given in _given(clauses, "contradiction")
        if not given.clause.words.of_itself.search(given.clause.text)
        and not given.clause.words.hedged.search(given.clause.text)
    ]


def _given(clauses: Iterable[Clause], what: Literal["absence", "contradiction"]) -> Iterator[Given]:
    for clause in clauses:
        words = clause.words
        if words.some_and_other.search(clause.text) and _both(clause):
            continue
        for found in getattr(words, what).finditer(clause.text):
            if clause.conceded_at(found.start()) or clause.negated_at(found.start()):
                continue
            label = _label_given(clause, found)
            if label is not None and not words.no_contradiction.search(clause.text):
                only = label == "no" and bool(words.only.search(clause.text))
                yield Given(label, only, clause)
                break


def _both(clause: Clause) -> bool:
    """Whether a clause is about absence and conflict in one."""
    found = (
        clause.words.absence.search(clause.text),
        clause.words.contradiction.search(clause.text),
    )
    return all(found)


def _label_given(clause: Clause, found: re.Match[str]) -> LabelName | None:
    given = clause.label_at(found.start())
    if given is not None:
        return None if given.negated else given.label
    fails = clause.words.fails.search(clause.text)
    if fails is None:
        return None
    start = found.end() if found.end() <= fails.start() else 0
    return None if clause.words.negation.search(clause.text[start : fails.start()]) else "no"


def without_support(clauses: Iterable[Clause]) -> list[Clause]:
    """Clauses by which a claim is yes, or passes, because nothing contradicts it."""
    found = []
    for clause in clauses:
        words = clause.words
        for match in words.contradiction.finditer(clause.text):
            given = clause.label_at(match.start())
            passes = given is None and words.passes.search(clause.text)
            to_yes = given is not None and given.label == "yes" and not given.negated
            backed = words.support.search(words.absence.sub("", clause.text))
            if (passes or to_yes) and clause.negated_at(match.start()) and not backed:
                found.append(clause)
                break
    return found


def part_stances(clauses: Iterable[Clause]) -> tuple[list[Clause], list[Clause]]:
    """Clauses by which yes needs every part of a claim, and those by which one part is enough."""
    every, one = [], []
    for clause in clauses:
        words = clause.words
        any_part = words.any_part.search(clause.text)
        if any_part is not None:
            given = clause.label_at(any_part.start())
            yes = given is None or (given.label == "yes" and not given.negated)
            if yes and not clause.negated_at(any_part.start()):
                one.append(clause)
            continue
        every_part = words.every_part.search(clause.text)
        if every_part is not None:
            given = clause.label_at(every_part.start())
            yes = given is not None and given.label == "yes" and not given.negated
            if yes and not clause.negated_at(every_part.start()):
                every.append(clause)
    return every, one
