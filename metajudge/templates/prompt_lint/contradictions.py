"""Where a template contradicts itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from metajudge.gold.near import folded
from metajudge.templates.prompt_lint.clauses import Clause
from metajudge.templates.prompt_lint.finding import Doubt
from metajudge.templates.prompt_lint.stances import (
    Given,
    Stance,
    absences,
    conflicts,
    part_stances,
    support_stances,
    without_support,
)
from metajudge.templates.template import Template

_TOKEN = re.compile(r"⟦(?:yes|no|idk)⟧")
_CHOOSE = "Keep the one that the labelling policy asks for, and change the other."


def contradictions(template: Template, clauses: Sequence[Clause]) -> Iterator[Doubt]:
    """Clauses of one template that cannot both be followed."""
    yield from _kinds(support_stances(clauses))
    yield from _parts(clauses)
    yield from _absence(template, clauses)
    yield from _conflicts(clauses)
    yield from _twins(clauses)
    yield from _same_definitions(template)


def _kinds(stances: Iterable[Stance]) -> Iterator[Doubt]:
    told: set[tuple[str, frozenset[str]]] = set()
    for first, second in combinations(stances, 2):
        fields = frozenset({first.clause.field, second.clause.field})
        if first.kind != second.kind or first.allowed == second.allowed:
            continue
        if (first.kind, fields) in told or (len(fields) == 1 and _belong(first, second)):
            continue
        told.add((first.kind, fields))
        name = first.kind.replace("_", " ")
        ways = {True: "counts", False: "does not count"}
        why = (
            f"{name} {ways[second.allowed]} as support here, and {ways[first.allowed]} in "
            f"{first.clause.field}: “{first.clause.shown}”"
        )
        yield _against(first.clause, second.clause, why)


def _belong(first: Stance, second: Stance) -> bool:
    """Whether two clauses of one text may be meant together, as in a definition of two ways."""
    return first.clause.label is not None or first.implied or second.implied


def _against(first: Clause, second: Clause, why: str) -> Doubt:
    """A doubt about the second of two clauses, named after what the two are."""
    defined = [clause.label is not None for clause in (first, second)]
    if all(defined):
        code = "definitions-overlap"
    else:
        code = "rule-contradicts-definition" if any(defined) else "rules-contradict"
    return Doubt("error", code, second.field, second.shown, why, _CHOOSE)


def _parts(clauses: Sequence[Clause]) -> Iterator[Doubt]:
    every, one = part_stances(clauses)
    for second in one:
        for first in every:
            if first.field != second.field:
                why = (
                    f"one part of a claim is enough here, and every part is needed in "
                    f"{first.field}: “{first.shown}”"
                )
                yield _against(first, second, why)
                break


def _absence(template: Template, clauses: Sequence[Clause]) -> Iterator[Doubt]:
    """Only contradictions fail, beside unsupported claims fail; absence under two labels."""
    gone = absences(clauses)
    failing = [given for given in gone if given.label == "no"]
    lenient = without_support(clauses)
    only = [given.clause for given in conflicts(clauses) if given.only] + lenient
    both = next(((a, b) for a in only for b in failing if a != b.clause), None)
    if both is not None:
        why = (
            "a claim that the context does not mention fails here, and only contradictions fail "
            f"in {both[0].field}: “{both[0].shown}”"
        )
        mend = (
            "Decide what an unsupported claim is: no, or idk, or fine; say it once and take the "
            "other out."
        )
        code = "only-contradictions-and-unsupported"
        yield Doubt("error", code, both[1].clause.field, both[1].clause.shown, why, mend)
        failing = []
    yield from _lenient(template, lenient, gone)
    others = [given for given in gone if given.label != "no"]
    yield from _two_labels("a claim that the context says nothing about", [*others, *failing])


def _lenient(
    template: Template, lenient: Sequence[Clause], gone: Sequence[Given]
) -> Iterator[Doubt]:
    mend = "Say what the context has to say for yes, not only what it must not say."
    idk = next((given.clause for given in gone if given.label == "idk"), None)
    for clause in lenient:
        if idk is not None:
            why = (
                "what nothing contradicts is yes here, and what the context does not say is "
                f"{template.dialect.words['idk']} in {idk.field}: “{idk.shown}”"
            )
            code = "definitions-overlap" if clause.label else "rule-contradicts-definition"
            yield Doubt("error", code, clause.field, clause.shown, why, mend)
        else:
            why = "this asks whether anything is contradicted, not whether it is supported"
            yield Doubt("warning", "yes-without-support", clause.field, clause.shown, why, mend)


def _conflicts(clauses: Sequence[Clause]) -> Iterator[Doubt]:
    yield from _two_labels("a claim that the context contradicts", conflicts(clauses))


def _two_labels(what: str, given: Sequence[Given]) -> Iterator[Doubt]:
    """One doubt for each clause that gives another label than the definition, or the first one."""
    if not given:
        return
    first = next((one for one in given if one.clause.label is not None), given[0])
    for other in given:
        if other.label == first.label or other.clause.field == first.clause.field:
            continue
        why = f"{what} is {other.label} here, and {first.label} in {first.clause.field}"
        yield _against(first.clause, other.clause, f"{why}: “{first.clause.shown}”")


def _twins(clauses: Sequence[Clause]) -> Iterator[Doubt]:
    """Rules that differ in the label alone."""
    seen: dict[str, Clause] = {}
    for clause in clauses:
        if not clause.named or clause.label is not None:
            continue
        first = seen.setdefault(folded(_TOKEN.sub("⟦⟧", clause.text)), clause)
        labels = [[(named.label) for named in one.named] for one in (first, clause)]
        if labels[0] != labels[1]:
            why = f"{first.field} says the same with another label: “{first.shown}”"
            yield _against(first, clause, why)


def _same_definitions(template: Template) -> Iterator[Doubt]:
    seen: dict[str, str] = {}
    for label, text in template.definitions.items():
        first = seen.setdefault(folded(text), label)
        if first != label:
            why = f"definitions.{first} says the same, so that both labels fit"
            mend = "Say what sets the labels apart."
            yield Doubt("error", "definitions-overlap", f"definitions.{label}", text, why, mend)
