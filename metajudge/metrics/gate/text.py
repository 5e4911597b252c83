"""The report of a gate as text, for a terminal or a log of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len, set_cell_size

from metajudge.metrics.gate.report import CaseGate, GateReport, MetricGate, Rates, Tested
from metajudge.metrics.gate.words import percent, points, word
from metajudge.report.inert import one_line
from metajudge.report.words import Language

SHOWN = 10
"""Cases and slices that are listed; `--json`, `--junit` and `--markdown` have more."""
WIDTH = 79


def headline(report: GateReport, language: Language) -> str:
    """Suite and verdict.

    Args:
        report: What the gate came to.
        language: Of the text.
    """
    verdict = word(f"verdict.{report.verdict}", language)
    return word("headline", language, suite=report.suite, verdict=verdict)


def facts(report: GateReport, language: Language) -> Iterator[str]:
    """Cases, baseline, error rates and calls: a line each."""
    yield word("cases", language, cases=report.cases, groups=report.groups)
    seen = report.baseline
    if seen is None:
        yield word("no_baseline", language)
    else:
        told = seen.model_dump(include={"created", "unchanged", "added", "removed"})
        yield word("against", language, **told)
    if report.rates.tests:
        yield rates_sentence(report.rates, language)
    yield calls_line(report, language)


def rates_sentence(rates: Rates, language: Language) -> str:
    """The error rates that the gate keeps."""
    told = {"alpha": percent(rates.alpha), "miss": percent(rates.miss), "tests": rates.tests}
    return word("rates", language, **told)


def calls_line(report: GateReport, language: Language) -> str:
    """What was asked, and what it cost."""
    calls = report.calls
    cost = "" if calls.cost_usd is None else word("cost", language, usd=f"{calls.cost_usd:g}")
    return word(
        "calls", language, needed=calls.needed, stored=calls.stored, sent=calls.sent,
        failed=calls.failed, cost=cost,
    )  # fmt: skip


def metric_sentences(gate: MetricGate, rates: Rates, language: Language) -> Iterator[str]:
    """A metric's tests, with power, cases still needed, and cases without a score."""
    for kind, test in (("change", gate.change), ("bar", gate.bar)):
        if test is not None:
            yield from _test_sentences(kind, test, gate, rates, language)
    yield from _slice_sentences(gate, language)
    if gate.lost:
        yield word("lost", language, n=gate.lost)
    if gate.undefined:
        yield word("undefined", language, n=gate.undefined, new=gate.newly_undefined)


def _slice_sentences(gate: MetricGate, language: Language) -> Iterator[str]:
    if not gate.slices:
        return
    yield word("slices", language)
    for one in gate.slices[:SHOWN]:
        yield word(
            "slice", language, slice=one_line(one.slice), mean=points(one.mean),
            change=points(one.change, sign=True), cases=one.cases,
        )  # fmt: skip
    if len(gate.slices) > SHOWN:
        yield word("more_rows", language, n=len(gate.slices) - SHOWN)


def _test_sentences(
    kind: str, test: Tested, gate: MetricGate, rates: Rates, language: Language
) -> Iterator[str]:
    coverage = "–" if gate.coverage is None else percent(gate.coverage)
    why = word(f"why.{test.why}", language)
    why = why.format(coverage=coverage, floor=percent(rates.floor))
    if test.method is None:
        yield word("test.none", language, kind=word(kind, language), why=why)
        return
    sign = kind == "change"
    yield word(
        "test.same" if test.why == "same_answers" else f"test.{kind}",
        language,
        value=points(test.value, sign=sign),
        low=points(test.low, sign=sign),
        high=points(test.high, sign=sign),
        limit=points(test.limit, sign=sign),
        why=why,
        method=word(f"method.{test.method}", language),
        cases=test.cases,
        groups=test.groups,
        p_worse=points(test.p_worse_holm),
        p_held=points(test.p_held),
    )
    if test.why == "same_answers":
        return
    if test.power_fail is not None and test.power_pass is not None:
        told = {"fails": f"{test.power_fail:.2f}", "passes": f"{test.power_pass:.2f}"}
        yield word("power", language, **told)
    if test.verdict == "undecided" and test.why == "between":
        good, seen = (
            word("unknown", language) if n is None else f"{n:,}"
            for n in (test.more_if_good, test.more_as_seen)
        )
        yield word("more", language, good=good, seen=seen)


def case_line(row: CaseGate, language: Language) -> str:
    """A case under its bar, or not decided, and why."""
    told = f"{one_line(row.case)} · {row.metric} {points(row.score)}"
    if row.bar is not None:
        told += f" / {points(row.bar)}"
    if row.draws > 1:
        told += f" · {word('draws', language, passing=row.passing, draws=row.draws)}"
    if row.why is not None and row.why != "under_bar":
        told += f" · {word(f'why.{row.why}', language)}"
    return told if row.reason is None else f"{told} · {one_line(row.reason)}"


def once_failed_line(report: GateReport, language: Language) -> str:
    """How many of the cases that once failed pass."""
    rows = report.once_failed
    passed = sum(row.verdict == "pass" for row in rows)
    return word("once_failed", language, passed=passed, n=len(rows))


def gate_lines(report: GateReport, language: Language = "en") -> Iterator[str]:
    """The report, a paragraph a line; one that begins with blanks is to stay on one line.

    Args:
        report: What the gate came to.
        language: Of the texts.
    """
    yield headline(report, language)
    yield ""
    yield from facts(report, language)
    for gate in report.metrics:
        yield ""
        colon = "：" if language == "zh" else ": "
        yield f"{gate.metric}{colon}{word(f'verdict.{gate.verdict}', language)}"
        yield from (f"- {text}" for text in metric_sentences(gate, report.rates, language))
    once = report.once_failed
    if once:
        yield ""
        yield once_failed_line(report, language)
        yield from _listed([row for row in once if row.verdict != "pass"], language)
    under = [row for row in report.under_bar if not row.once_failed]
    if under:
        yield ""
        yield word("under", language, n=len(under))
        yield from _listed(under, language)
    if report.notes:
        yield ""
        yield from (f"- {one_line(note)}" for note in report.notes)


def _listed(rows: list[CaseGate], language: Language) -> Iterator[str]:
    for row in rows[:SHOWN]:
        line = f"  {case_line(row, language)}"
        yield line if cell_len(line) <= WIDTH else f"{set_cell_size(line, WIDTH - 1).rstrip()}…"
    if len(rows) > SHOWN:
        yield f"  {word('more_rows', language, n=len(rows) - SHOWN)}"
