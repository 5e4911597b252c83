"""The report of a gate as GitHub markdown, for a comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from metajudge.metrics.gate.report import CaseGate, GateReport, MetricGate
from metajudge.metrics.gate.text import facts, headline, metric_sentences, once_failed_line
from metajudge.metrics.gate.words import points, word
from metajudge.report.inert import markdown_code, markdown_text
from metajudge.report.words import Language

SHOWN = 30
"""Cases that are listed; a comment holds 65,536 characters."""
LONGEST = 300
_MARKS = {"pass": "✅", "fail": "❌", "undecided": "⚠️"}


def gate_markdown(report: GateReport, language: Language = "en") -> str:
    """The report; nothing that others wrote is read as markdown or HTML.

    Args:
        report: What the gate came to.
        language: Of the texts.
    """
    once = [row for row in report.once_failed if row.verdict != "pass"]
    under = [row for row in report.under_bar if not row.once_failed]
    parts = [
        f"## {markdown_text(headline(report, language))} {_MARKS[report.verdict]}",
        _metrics(report.metrics, language),
        "\n\n".join(
            f"**{gate.metric}**\n\n" + _bullets(metric_sentences(gate, report.rates, language))
            for gate in report.metrics
        ),
        f"**{markdown_text(once_failed_line(report, language))}**" if report.once_failed else "",
        _cases(once, language),
        _folded(word("under", language, n=len(under)), _cases(under, language)) if under else "",
        _bullets([*facts(report, language), *report.notes]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _metrics(gates: Iterable[MetricGate], language: Language) -> str:
    head = [word(name, language) for name in ("metric", "was", "now", "change", "verdict")]
    rows = [
        [
            gate.metric,
            points(gate.baseline_mean),
            points(gate.mean),
            points(None if gate.change is None else gate.change.value, sign=True),
            f"{_MARKS[gate.verdict]} {word(f'verdict.{gate.verdict}', language)}",
        ]
        for gate in gates
    ]
    return _table(head, rows)


def _cases(rows: Sequence[CaseGate], language: Language) -> str:
    if not rows:
        return ""
    head = [word(name, language) for name in ("case", "metric", "was", "score", "bar", "verdict")]
    lines = [
        [
            markdown_code(row.case, in_table=True),
            row.metric,
            points(row.was),
            points(row.score),
            points(row.bar),
            _why(row, language),
        ]
        for row in rows[:SHOWN]
    ]
    left = len(rows) - SHOWN
    more = f"\n\n{word('more_rows', language, n=left)}" if left > 0 else ""
    return f"{_table(head, lines)}{more}"


def _why(row: CaseGate, language: Language) -> str:
    told = [] if row.why is None else [word(f"why.{row.why}", language)]
    if row.draws > 1:
        told.append(word("draws", language, passing=row.passing, draws=row.draws))
    if row.reason is not None:
        told.append(row.reason if len(row.reason) <= LONGEST else f"{row.reason[: LONGEST - 1]}…")
    return markdown_text(" · ".join(told))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _bullets(texts: Iterable[str]) -> str:
    return "\n".join(f"- {markdown_text(text)}" for text in texts)


def _folded(summary: str, body: str) -> str:
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"
