"""The human ceiling in sentences, the same on a page and on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from metajudge.agreement.estimate import FEW_CLUSTERS
from metajudge.agreement.spread import NO_SPREAD
from metajudge.report.ceiling_results import (
    BesidePeople,
    CandidateCeiling,
    CeilingResults,
    PeopleFigures,
)
from metajudge.report.figure_text import compact
from metajudge.report.part import Figure
from metajudge.report.words import Language, word

Measure = Literal["kappa", "alpha"]
LEAST_PARTICIPANTS = 3


def ceiling_title(ceiling: CeilingResults, language: Language) -> str:
    """The heading, which does not call authors' agreement a ceiling."""
    return word("ceiling.title_authors" if _authors(ceiling) else "ceiling", language)


def people_title(ceiling: CeilingResults, language: Language) -> str:
    """Who is held against whom."""
    return word("ceiling.authors_only" if _authors(ceiling) else "ceiling.people", language)


def measures(ceiling: CeilingResults) -> tuple[Measure, ...]:
    """The coefficients that are shown: the one that everyone's labels are in comes first."""
    if ceiling.people.pairs == 0:
        return ("alpha",)
    return ("alpha", "kappa") if ceiling.people.pairs_left_out else ("kappa", "alpha")


def people_figures(people: PeopleFigures, language: Language) -> tuple[tuple[str, Figure], ...]:
    """People's figures with their names."""
    return (
        (word("ceiling.agreement", language), people.agreement),
        (word("ceiling.kappa", language), people.kappa),
        (word("ceiling.alpha", language), people.alpha),
    )


def beside(candidate: CandidateCeiling, measure: Measure) -> BesidePeople:
    """A candidate's coefficient beside people's."""
    return candidate.kappa if measure == "kappa" else candidate.alpha


def ratio_text(found: BesidePeople) -> str:
    """People's figure and the ratio, to stand right of the judge's figure.

    >>> half = BesidePeople(
    ...     judge=Figure(value=0.4, n=9), people=0.8, difference=Figure(value=-0.4, n=9), ratio=0.5
    ... )
    >>> ratio_text(half)
    '/ .80 = .50'
    """
    return f"/ {compact(found.people)} = {compact(found.ratio)}"


def counts_sentence(ceiling: CeilingResults, language: Language) -> str:
    """Who labelled how much."""
    return word(
        "ceiling.counts",
        language,
        annotators=len(ceiling.annotators),
        claims=ceiling.claims,
        asked=ceiling.claims_asked,
        labels=sum(ceiling.labels.values()),
        each=_each(ceiling, list(ceiling.labels), language),
    )


def caution_sentences(ceiling: CeilingResults, language: Language) -> tuple[str, ...]:
    """What a reader must know before reading any number."""
    given = [label for label, n in ceiling.labels.items() if n]
    found = []
    if _authors(ceiling):
        found.append(word("ceiling.authors", language))
    if len(given) == 1:
        found.append(word("ceiling.one_label", language, label=given[0]))
    elif ceiling.rare_labels:
        labels = _each(ceiling, ceiling.rare_labels, language)
        found.append(word("ceiling.rare", language, labels=labels))
    if ceiling.people.alpha.warning:
        clusters = ceiling.people.alpha.clusters
        found.append(word("few_clusters", language, n=clusters, least=FEW_CLUSTERS))
    return tuple(found)


def reading_sentences(ceiling: CeilingResults, language: Language) -> tuple[str, ...]:
    """How to read the numbers, and which of them are missing."""
    return (
        *_kappa_sentences(ceiling, language),
        *_undefined_sentences(ceiling, language),
        *([] if _authors(ceiling) else [word("ceiling.against_gold", language)]),
        *(_test_sentences(ceiling, language) if ceiling.candidates else []),
    )


def was_tested(ceiling: CeilingResults) -> bool:
    """Whether there is an alternative annotator test."""
    return any(row.stand_in.reason is None for row in ceiling.candidates)


def ordered(ceiling: CeilingResults) -> tuple[CandidateCeiling, ...]:
    """Candidates by alpha with people, the nearest first; undefined ones last."""

    def place(row: CandidateCeiling) -> tuple[bool, float]:
        value = row.alpha.judge.value
        return value is None, -(value or 0.0)

    return tuple(sorted(ceiling.candidates, key=place))


def _authors(ceiling: CeilingResults) -> bool:
    return ceiling.labels_from == "authors"


def _each(ceiling: CeilingResults, labels: Sequence[str], language: Language) -> str:
    return word("list_comma", language).join(f"{label} {ceiling.labels[label]}" for label in labels)


def _kappa_sentences(ceiling: CeilingResults, language: Language) -> list[str]:
    people, least = ceiling.people, ceiling.least_shared
    if people.pairs == 0:
        return [word("ceiling.no_pair", language, least=least)]
    if people.pairs_left_out == 0:
        return []
    every = people.pairs + people.pairs_left_out
    return [
        word(
            "ceiling.pairs", language, pairs=people.pairs, all=every, least=least, n=people.kappa.n
        )
    ]


def _undefined_sentences(ceiling: CeilingResults, language: Language) -> list[str]:
    """What people's figures lack; a kappa without any pair has its own sentence."""
    people = ceiling.people
    told = [
        (name, figure.reason)
        for name, figure in people_figures(people, language)
        if figure.reason and (people.pairs or figure is not people.kappa)
    ]
    lines = [
        word("ceiling.undefined", language, name=name, reason=reason)
        for name, reason in told
        if reason != NO_SPREAD
    ]
    same = [name for name, reason in told if reason == NO_SPREAD]
    if same:
        names = word("list_comma", language).join(same)
        lines.append(word("ceiling.no_interval", language, names=names))
    return lines


def _test_sentences(ceiling: CeilingResults, language: Language) -> list[str]:
    taking_part, least = len(ceiling.participants), ceiling.least_claims
    if taking_part < LEAST_PARTICIPANTS:
        return [word("ceiling.no_test", language, n=taking_part, least=least)]
    lines = [
        word(
            "ceiling.test_note",
            language,
            epsilon=compact(ceiling.epsilon),
            fdr=compact(ceiling.false_discovery_rate),
        )
    ]
    if taking_part < len(ceiling.annotators):
        every = len(ceiling.annotators)
        lines.append(word("ceiling.test_some", language, n=taking_part, all=every, least=least))
    return lines
