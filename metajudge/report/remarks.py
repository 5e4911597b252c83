"""Sentences that every report has: what is undefined, which guardrails broke, how to read it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from metajudge.report.figure_text import compact, count
from metajudge.report.ranked import (
    RankedTrial,
    figure_warnings,
    row_ranges,
    shown_figures,
    undefined_figures,
)
from metajudge.report.results import BrokenGuardrail, Results
from metajudge.report.translated import translated
from metajudge.report.words import Language, word, word_or_code

_FEW_CLUSTERS = re.compile(r"(\d+) clusters, under (\d+): intervals tend to be too narrow")


def decision_sentence(results: Results, language: Language) -> str:
    """What the sweep comes to, in one language."""
    decision = results.decision
    return decision.sentence_zh if language == "zh" else decision.sentence


def level_text(results: Results) -> str:
    """Coverage of the intervals in percent.

    >>> f"{100 * (1 - 0.05):g}"
    '95'
    """
    return f"{100 * (1 - results.alpha):g}"


def broken_sentence(broken: BrokenGuardrail, language: Language) -> str:
    """One broken guardrail: what was found, and the bound; or why, where there is no number."""
    name = word_or_code("guardrail", broken.guardrail, language)
    if broken.got is None and broken.reason:
        return word("broken_why", language, name=name, why=broken.reason)
    return word(
        "broken_by",
        language,
        name=name,
        got=compact(broken.got, 3),
        bound=compact(broken.bound),
    )


def must_exceed(guardrail: str, by: float | None) -> bool:
    """Whether a bound that has to be exceeded is met to three decimals: then "off by" says nothing.

    >>> must_exceed("kappa_above", 0.0), must_exceed("kappa_above", 0.2), must_exceed("coverage", 0)
    (True, False, False)
    """
    return guardrail == "kappa_above" and by is not None and not round(by, 3)


def off_by(broken: BrokenGuardrail, language: Language) -> str:
    """By how much a guardrail is broken, or what it must exceed; ✗ where there is no number."""
    if must_exceed(broken.guardrail, broken.by):
        return word("must_exceed", language, bound=compact(broken.bound))
    return "✗" if broken.by is None else f"+{compact(broken.by, 3)}"


def undefined_sentences(
    results: Results, rows: Sequence[RankedTrial], language: Language, *, shown: bool = False
) -> tuple[str, ...]:
    """Why figures are undefined, one sentence a figure and reason.

    Args:
        results: The sweep.
        rows: Its rows.
        language: The language.
        shown: Only the figures of the ranking table.
    """
    names = shown_figures(results) if shown else None
    return tuple(
        word(
            "undefined_note",
            language,
            name=word_or_code("figure", name, language),
            reason=word("not_computed", language) if reason == "not computed" else reason,
            who=word("undefined_rows", language, rows=row_ranges(who)),
        )
        for name, reason, who in undefined_figures(rows, names)
    )


def warning_sentences(rows: Sequence[RankedTrial], language: Language) -> tuple[str, ...]:
    """Warnings that figures carry; figures with the same warning share one sentence."""
    grouped: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for name, text, who in figure_warnings(rows):
        figure = word_or_code("figure", name, language)
        grouped.setdefault((text, tuple(who)), []).append(figure)
    return tuple(
        word(
            "warning_note",
            language,
            name=word("list_comma", language).join(names),
            warning=warning_text(text, language),
            who=word("undefined_rows", language, rows=row_ranges(who)),
        )
        for (text, who), names in grouped.items()
    )


def warning_text(text: str, language: Language) -> str:
    """A warning in the report's language; one without a translation stands as it is."""
    few = few_clusters(text)
    if few is None:
        return text
    n, least = few
    return word("one_cluster" if n == 1 else "few_clusters", language, n=n, least=least)


def few_clusters(text: str) -> tuple[int, int] | None:
    """How many clusters a warning counts, and how many there should be; None for another warning.

    >>> few_clusters("12 clusters, under 30: intervals tend to be too narrow")
    (12, 30)
    """
    found = _FEW_CLUSTERS.fullmatch(text)
    return None if found is None else (int(found[1]), int(found[2]))


def intervals_sentence(results: Results, language: Language) -> str:
    """How the intervals were made."""
    return word(
        "intervals_note",
        language,
        level=level_text(results),
        cluster=word(f"cluster.{results.cluster}", language),
        resamples=count(results.resamples),
        seed=results.seed,
    )


def gold_line(results: Results, language: Language) -> str:
    """The gold set in one line."""
    gold = results.gold
    parts = [
        f"{gold.name} {gold.version}",
        *([f"{word('split', language)} {gold.split}"] if gold.split else []),
        word("claims_n", language, n=count(gold.claims)),
        word("answers_n", language, n=count(gold.answers)),
        word("contexts_n", language, n=count(gold.contexts)),
        *([word("left_out_n", language, n=count(gold.left_out))] if gold.left_out else []),
    ]
    return " · ".join(parts)


def calls_line(results: Results, language: Language) -> str:
    """What was asked, in one line."""
    calls = results.calls
    parts = [
        word("planned_n", language, n=count(calls.planned)),
        word("from_store_n", language, n=count(calls.from_store)),
        word("asked_n", language, n=count(calls.asked)),
        word("failed_n", language, n=count(calls.failed)),
        *([word("retries_n", language, n=count(calls.retries))] if calls.retries else []),
        *(
            []
            if calls.cost_usd is None
            else [word("cost_usd", language, n=f"{calls.cost_usd:.2f}")]
        ),
    ]
    return " · ".join(parts)


def judges_line(results: Results) -> str:
    """Judge specs in one line."""
    return " · ".join(judge.spec for judge in results.judges)


def note_sentences(results: Results, language: Language) -> list[str]:
    """Notes of a run; one without a translation stands in English."""
    return [translated(note, language) for note in results.notes]


def stop_sentence(results: Results, language: Language) -> str | None:
    """Why a run stopped early, or what else it has to say; None for nothing."""
    calls = results.calls
    if calls.stopped is None:
        return None if calls.message is None else translated(calls.message, language)
    return word("stopped", language, why=translated(calls.message or calls.stopped, language))
