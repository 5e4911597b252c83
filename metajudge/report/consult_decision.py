"""The decision of a consultation, what it is about, and the rule that led to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from metajudge.report.consult_block import Block, Cell, Line, Shown, lines_of
from metajudge.report.consult_results import ConsultReport, ConsultSide
from metajudge.report.consult_rule import Collect, Criterion, Decision, State, Why
from metajudge.report.figure_text import UNDEFINED, amount, compact, count
from metajudge.report.translated import translated
from metajudge.report.words import Language, reading_word, word, word_or_code

GOOD: tuple[Decision, ...] = ("adopt", "nothing_changes")
"""Decisions after which the change may be merged."""
_PLAIN = ("coverage", "over_credit_upper")
"""Criteria that hold a share; the others hold a difference."""
_SAID = ("within_bound", "beyond_bound")
"""Reasons that the state tells already."""


def decision_word(report: ConsultReport, language: Language) -> str:
    """ADOPT, HOLD, COLLECT FIRST or NOTHING CHANGES."""
    return word(f"consult.decision.{report.rule.decision}", language)


def decision_sentence(report: ConsultReport, language: Language) -> str:
    """What to do and why, in one language."""
    return report.rule.sentence_zh if language == "zh" else report.rule.sentence


def threshold_text(value: float) -> str:
    """A threshold to every digit: rounded up it would fail answers that reach it.

    >>> threshold_text(0.6666), threshold_text(1.0)
    ('0.6666', '1')
    """
    return f"{value:g}"


def scored_by(policy: str, threshold: float, language: Language) -> str:
    """Policy and threshold, as they stand beside every score."""
    return word("consult.passes_from", language, policy=policy, threshold=threshold_text(threshold))


def side_line(side: ConsultSide, language: Language) -> str:
    """One metric: name, policy, threshold, judge."""
    return " · ".join((side.name, scored_by(side.policy, side.threshold, language), side.judge))


def about(report: ConsultReport, language: Language) -> tuple[tuple[str, str], ...]:
    """Both sides, what differs, sample and gold, as (name, text)."""
    comma = word("list_comma", language)
    parts = comma.join(word(f"consult.part.{part}", language) for part in report.differing)
    other = report.metric != "faithfulness"
    named = word(f"metric.{report.metric}", language) if other else ""
    return (
        *([(word("consult.metric", language), named)] if other else []),
        (word("consult.current", language), side_line(report.current, language)),
        (word("consult.proposed", language), side_line(report.proposed, language)),
        (word("consult.differs", language), parts or word("consult.nothing", language)),
        (word("consult.sample", language), _sample_line(report, language)),
        (word("consult.gold", language), _gold_line(report, language)),
        (word("consult.calls", language), _calls_line(report, language)),
    )


def _sample_line(report: ConsultReport, language: Language) -> str:
    sample = report.sample
    parts = [
        sample.name,
        word("answers_n", language, n=count(sample.answers)),
        word("claims_n", language, n=count(sample.claims)),
        word("contexts_n", language, n=count(sample.contexts)),
        _languages(sample.languages, language),
    ]
    if sample.without_claims:
        n = count(sample.without_claims)
        parts.append(word("consult.without_claims_n", language, n=n))
    return " · ".join(parts)


def _gold_line(report: ConsultReport, language: Language) -> str:
    gold = report.gold
    if gold is None:
        return word("consult.no_gold", language)
    who = word_or_code("label_source", gold.label_source, language)
    parts = [
        f"{gold.name} {gold.version}",
        f"{word('split', language)} {gold.split}"
        if gold.split
        else word("consult.whole_gold", language),
        word("claims_n", language, n=count(gold.claims)),
        word("contexts_n", language, n=count(gold.contexts)),
        _languages(gold.languages, language),
        word("consult.labelled_by", language, who=who),
    ]
    return " · ".join(parts)


def _languages(found: dict[str, int], language: Language) -> str:
    comma = word("list_comma", language)
    return comma.join(f"{lang} {count(n)}" for lang, n in found.items())


def _calls_line(report: ConsultReport, language: Language) -> str:
    calls = report.calls
    parts = [
        word("consult.needed_n", language, n=count(calls.needed)),
        word("consult.stored_n", language, n=count(calls.stored)),
        word("consult.sent_n", language, n=count(calls.sent)),
        word("consult.unanswered_n", language, n=count(calls.unanswered)),
    ]
    if calls.cost_usd is not None:
        parts.append(word("cost_usd", language, n=amount(calls.cost_usd)))
    if calls.budget:
        limits = word("list_comma", language).join(
            word(f"consult.budget.{name}", language, n=f"{limit:,g}")
            for name, limit in calls.budget.items()
        )
        parts.append(f"{word('consult.budget', language)} {limits}")
    return " · ".join(parts)


def unanswered_lines(report: ConsultReport, language: Language) -> tuple[str, ...]:
    """Why asking ended early, and whose claims stayed without a reply."""
    calls, lines = report.calls, []
    if calls.stopped is not None:
        why = word(f"consult.stopped.{calls.stopped}", language)
        if calls.message:
            told = translated(calls.message, language).rstrip(".。")
            why = word("consult.stopped_why", language, why=why, message=told)
        lines.append(word("consult.stopped", language, why=why))
    claims, gold = calls.unanswered_claims, calls.unanswered_gold
    if any(claims.values()) or any(gold.values()):
        lines.append(
            word(
                "consult.unanswered_claims",
                language,
                was=count(claims.get("current", 0)),
                now=count(claims.get("proposed", 0)),
                gold_was=count(gold.get("current", 0)),
                gold_now=count(gold.get("proposed", 0)),
            )
        )
    return tuple(lines)


def note_lines(report: ConsultReport, language: Language) -> tuple[str, ...]:
    """Notes on the sides, the sample and the gold set."""
    return tuple(translated(note, language) for note in report.notes)


def rule_block(report: ConsultReport, language: Language) -> Block:
    """Every criterion with its bound, what was found, and its state."""
    keys = ("criterion", "bound", "found", "state")
    return Block(
        "rule",
        word("consult.rule", language),
        lead=(word("consult.rule_lead", language),),
        heads=tuple(word(f"consult.{key}", language) for key in keys),
        lines=tuple(_criterion(report, row, language) for row in report.rule.criteria),
        notes=tuple(_why(report, language)),
    )


def criterion_name(criterion: str, language: Language) -> str:
    """A criterion in words."""
    return word_or_code("consult.criterion", criterion, language)


def _criterion(report: ConsultReport, row: Criterion, language: Language) -> Line:
    cells: tuple[Cell, ...] = (
        criterion_name(row.name, language),
        _bound(row, language),
        _found(report, row, language),
        word(f"consult.state.{row.state}", language),
    )
    return Line(cells, state=row.state)


def _bound(row: Criterion, language: Language) -> str:
    if row.kept_if == "complete" or row.bound is None:
        return word("consult.all", language)
    return f"{'≥' if row.kept_if == 'at_least' else '≤'} {compact(row.bound)}"


def _found(report: ConsultReport, row: Criterion, language: Language) -> Cell:
    if row.name == "budget_complete":
        n, of = count(report.calls.unanswered), count(report.calls.needed)
        return word("consult.unanswered_of", language, n=n, of=of)
    if row.got is None:
        return UNDEFINED
    if row.name == "pass_rate_shift_known" and row.got.low is not None:
        half = ((row.got.high or 0.0) - row.got.low) / 2
        return Shown(row.got, sign=True, before=f"±{compact(half)}: ")
    return Shown(row.got, sign=row.name not in _PLAIN)


def _why(report: ConsultReport, language: Language) -> Iterator[str]:
    """Reasons that the state does not tell, each with the criteria that have it."""
    found: dict[tuple[State, Why], list[str]] = {}
    for row in report.rule.criteria:
        told_below = row.why == "undefined" and row.got is not None and row.got.reason
        if row.why not in _SAID and not told_below:
            names = found.setdefault((row.state, row.why), [])
            names.append(criterion_name(row.name, language))
    for (state, reason), names in found.items():
        mark = word(f"consult.state.{state}", language).partition(" ")[0]
        why = word(f"consult.why.{reason}", language)
        if state != "unmoved":
            name = word("list_comma", language).join(names)
            why = word("broken_why", language, name=name, why=why)
        yield f"{mark} {why}"


def collect_block(report: ConsultReport, language: Language) -> Block | None:
    """What has to be collected; None where nothing has to be."""
    if not report.rule.collect:
        return None
    keys = ("for", "what", "of_slices", "have", "more")
    return Block(
        "collect",
        word("consult.collect", language),
        heads=tuple(word(f"consult.{key}", language) for key in keys),
        lines=lines_of(_wanted(row, language) for row in report.rule.collect),
        notes=tuple(_unknown(report.rule.collect, language)),
    )


def _unknown(collect: Sequence[Collect], language: Language) -> Iterator[str]:
    """Why it is not known how many, each reason once."""
    found: dict[str, list[str]] = {}
    for row in collect:
        if row.more is None:
            why = row.reason or word("not_computed", language)
            found.setdefault(why, []).append(criterion_name(row.criterion, language))
    for why, names in found.items():
        who = word("list_comma", language).join(names)
        yield word("consult.undefined", language, who=who, why=translated(why, language))


def _wanted(row: Collect, language: Language) -> tuple[Cell, ...]:
    named = (word_or_code("slice", name, language) for name in row.slices)
    return (
        criterion_name(row.criterion, language),
        word(f"consult.what.{row.what}", language),
        " · ".join(named) or word("consult.any_slice", language),
        count(row.have),
        count(row.more),
    )


def intervals_line(report: ConsultReport, language: Language) -> str:
    """How the intervals were made."""
    return word(
        "consult.intervals",
        language,
        level=f"{100 * report.level:g}",
        resamples=count(report.resamples),
        seed=report.seed,
    )


def provenance_pairs(
    report: ConsultReport, language: Language, *, templates: bool = True
) -> tuple[tuple[str, str], ...]:
    """Hashes and versions behind the report, those of templates too, as (name, text)."""
    pairs = [
        (word("provenance.created", language), report.created),
        (word("provenance.package", language), report.package_version),
        (word("consult.sample_sha256", language), report.sample.sha256),
    ]
    if report.gold is not None:
        pairs += [
            (word("provenance.gold", language), report.gold.sha256),
            (word("provenance.policy_version", language), report.gold.policy_version),
        ]
    for key, side in (("current", report.current), ("proposed", report.proposed)):
        who = word(f"consult.{key}", language)
        pairs.append((who, _asked(side, language)))
        if templates:
            pairs += [
                (f"{who} · {label}", fingerprint)
                for label, fingerprint in zip(side.templates, side.fingerprints, strict=True)
            ]
        if side.release_sha256:
            label = word("consult.release_sha256", language)
            pairs.append((f"{who} · {label}", side.release_sha256))
    return tuple(pairs)


def _asked(side: ConsultSide, language: Language) -> str:
    kind = word(f"consult.kind.{side.kind}", language)
    parts = [kind, side.form, reading_word(side.reading, language)]
    if side.temperature is not None:
        parts.append(f"{word('temperature', language)} {side.temperature:g}")
    return " · ".join(parts)
