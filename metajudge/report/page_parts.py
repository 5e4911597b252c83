"""What the page template shows, beside the results themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from markupsafe import Markup

from metajudge.gold.goldset import GoldSet
from metajudge.report.browser import VERDICT_LETTERS
from metajudge.report.ceiling_block import ceiling_html
from metajudge.report.figure_text import compact, count
from metajudge.report.page_tabs import has_stability, tabs
from metajudge.report.part import Reading, VerdictCode
from metajudge.report.places import Places
from metajudge.report.provenance import provenance
from metajudge.report.ranked import (
    RankedTrial,
    common_tail,
    gold_labels,
    policy_names,
    shown_figures,
    winner_row,
)
from metajudge.report.remarks import (
    broken_sentence,
    calls_line,
    decision_sentence,
    gold_line,
    intervals_sentence,
    judges_line,
    level_text,
    note_sentences,
    stop_sentence,
    undefined_sentences,
    warning_sentences,
)
from metajudge.report.results import BrokenGuardrail, PolicyFigures, Results, TemplateInfo
from metajudge.report.scatter_chart import OVER_CREDIT_GUARDRAIL, unplotted_rows
from metajudge.report.selection_parts import selection_parts
from metajudge.report.selection_results import Confirmation
from metajudge.report.stability_parts import stability_parts
from metajudge.report.words import LANGUAGES, Language, Words, both, word, words_with

POLICY_MEASURES = ("mean_score", "bias", "mae", "pass_agreement")
_VERDICTS: tuple[VerdictCode, ...] = ("yes", "no", "idk")
LETTERS = VERDICT_LETTERS | {"supported": "y", "unsupported": "n"}
"""Label or verdict -> the letter that its colours go by."""


class Cell(NamedTuple):
    """One field of a confusion table: colour class, count, share of its row."""

    kind: str
    n: int
    share: float
    percent: str


class PolicyColumn(NamedTuple):
    """A policy with what holds for all trials: its score on gold labels and its threshold."""

    name: str
    gold: str
    threshold: str


@dataclass(frozen=True, slots=True)
class PageRow:
    """A ranked trial as the page shows it; `tail` is the part of the name that all share."""

    ranked: RankedTrial
    head: str
    tail: str
    won: bool
    broken: tuple[Words, ...]
    confusion: tuple[tuple[str, tuple[Cell, ...]], ...]
    policies: dict[str, PolicyFigures]

    @property
    def row(self) -> int:
        """Line in every table."""
        return self.ranked.row

    @property
    def reading(self) -> Reading:
        """How replies were read."""
        return self.ranked.reading


def _each(texts_of: Callable[[Language], Iterable[str]]) -> list[Words]:
    return [Words(*pair) for pair in zip(texts_of("en"), texts_of("zh"), strict=True)]


def page_parts(
    results: Results, rows: Sequence[RankedTrial], gold: GoldSet | None
) -> dict[str, Any]:
    """Names of the template and what they stand for."""
    page_rows = _page_rows(results, rows)
    verdicts = [*_VERDICTS, *(["failure"] if any(row.failed for row in rows) else [])]
    return {
        "results": results,
        "rows": page_rows,
        "won": next((row for row in page_rows if row.won), None),
        "words": words_with(row.reading for row in rows),
        "bounds": {"over_credit": results.guardrails.get(OVER_CREDIT_GUARDRAIL)},
        "verdict_codes": verdicts,
        "policy_measures": POLICY_MEASURES,
        "undefined_answers": lambda n: both(lambda lang: word("undefined_answers_n", lang, n=n)),
        "has_texts": gold is not None,
        "gold_differs": gold is not None and gold.sha256 != results.gold.sha256,
        **_sentences(results, rows),
        **_axes(results, rows),
        **_parts(results, rows, gold),
        "tabs": tabs(results, rows),
        "templates": _templates(results),
    }


def _parts(results: Results, rows: Sequence[RankedTrial], gold: GoldSet | None) -> dict[str, Any]:
    """What the tabs beside the overview show."""
    places = Places(rows)
    draws = max((row.figures.repeats for row in rows), default=1)
    confirmed = _confirmed(results)
    return {
        **stability_parts(results, places, gold),
        **selection_parts(results, rows, places),
        "ceiling_blocks": Words(
            *(Markup(ceiling_html(results.ceiling, lang)) for lang in LANGUAGES)
        ),
        "stability_wanted": has_stability(results),
        "letters": LETTERS,
        "draws": draws,
        "first_draws": both(lambda lang: word("first_draws", lang, n=draws)),
        "confirmed": confirmed,
        "confirmation": confirmed and Words(confirmed.sentence, confirmed.sentence_zh),
    }


def _confirmed(results: Results) -> Confirmation | None:
    return None if results.selection is None else results.selection.confirmation


def _sentences(results: Results, rows: Sequence[RankedTrial]) -> dict[str, Any]:
    drawn_not = unplotted_rows(rows)
    tail = common_tail([row.trial for row in rows])

    def remarks(lang: Language) -> list[str]:
        stop = stop_sentence(results, lang)
        return [*([stop] if stop else []), *warning_sentences(rows, lang)]

    return {
        "decision": both(lambda lang: decision_sentence(results, lang)),
        "gold_line": both(lambda lang: gold_line(results, lang)),
        "calls_line": both(lambda lang: calls_line(results, lang)),
        "judges_line": judges_line(results),
        "intervals": both(lambda lang: intervals_sentence(results, lang)),
        "names_end": both(lambda lang: word("names_end", lang, tail=tail.strip()))
        if tail
        else None,
        "any_tied": any(row.tied for row in rows),
        "tie_note": both(lambda lang: word("tie_note", lang, level=level_text(results))),
        "warnings": _each(remarks),
        "run_notes": _each(lambda lang: note_sentences(results, lang)),
        "undefined_shown": _each(lambda lang: undefined_sentences(results, rows, lang, shown=True)),
        "undefined_all": _each(lambda lang: undefined_sentences(results, rows, lang)),
        "unplotted": drawn_not
        and both(lambda lang: word("scatter_unplotted", lang, rows=drawn_not)),
        "more_confusions": both(lambda lang: word("more_n", lang, n=count(len(rows) - 8))),
        "provenance": [
            (Words(en[0], zh[0]), en[1])
            for en, zh in zip(provenance(results, "en"), provenance(results, "zh"), strict=True)
        ],
    }


def _axes(results: Results, rows: Sequence[RankedTrial]) -> dict[str, Any]:
    trials = [row.figures for row in rows]
    return {
        "figure_names": shown_figures(results),
        "all_figures": tuple(dict.fromkeys(name for trial in trials for name in trial.figures)),
        "slice_names": tuple(dict.fromkeys(name for trial in trials for name in trial.slices)),
        "language_names": tuple(
            dict.fromkeys(name for trial in trials for name in trial.language_figures)
        ),
        "failure_names": tuple(
            dict.fromkeys(name for trial in trials for name, n in trial.failures.items() if n)
        ),
        "gold_labels": gold_labels(results),
        "policies": _policy_columns(results),
        "any_rotations": any(trial.rotations for trial in trials),
        "any_priors": any(trial.prior for trial in trials),
        "priors": {
            label: shares for trial in trials for label, shares in (trial.prior or {}).items()
        },
    }


def _page_rows(results: Results, rows: Sequence[RankedTrial]) -> list[PageRow]:
    tail = common_tail([row.trial for row in rows])
    won = winner_row(results, rows)
    any_failed = any(row.failed for row in rows)
    return [
        PageRow(
            ranked=row,
            head=row.trial.removesuffix(tail),
            tail=tail,
            won=won is not None and won.row == row.row,
            broken=tuple(_broken(found) for found in row.broken),
            confusion=_confusion(row, any_failed),
            policies={policy.policy: policy for policy in row.figures.policies},
        )
        for row in rows
    ]


def _broken(found: BrokenGuardrail) -> Words:
    return both(lambda lang: broken_sentence(found, lang))


def _confusion(row: RankedTrial, with_failures: bool) -> tuple[tuple[str, tuple[Cell, ...]], ...]:
    return tuple(
        (label, tuple(_cells(label, counts, with_failures)))
        for label, counts in row.figures.table.items()
    )


def _cells(label: str, counts: dict[VerdictCode, int], with_failures: bool) -> Iterable[Cell]:
    total = sum(counts.values())
    right = {"supported": ("yes",), "unsupported": ("no", "idk")}.get(label, (label,))
    codes: tuple[VerdictCode, ...] = (*_VERDICTS, "failure") if with_failures else _VERDICTS
    for code in codes:
        n = counts.get(code, 0)
        share = n / total if total else 0.0
        kind = "fail" if code == "failure" else "right" if code in right else "wrong"
        yield Cell(kind, n, round(share, 3), f"{share:.0%}")


def _policy_columns(results: Results) -> list[PolicyColumn]:
    columns = []
    for name in policy_names(results):
        found = [p for t in results.trials for p in t.policies if p.policy == name]
        gold = {compact(policy.gold_mean_score) for policy in found}
        thresholds = {compact(policy.threshold) for policy in found}
        columns.append(PolicyColumn(name, " / ".join(sorted(gold)), " / ".join(sorted(thresholds))))
    return columns


def _templates(results: Results) -> list[TemplateInfo]:
    by_label = {t.label: t for trial in results.trials for t in trial.templates}
    return list(by_label.values())
