"""The report of a gate as JUnit XML: a test case for each metric's gate and for each case.

| | gate of a metric | case that once failed | any other case |
|---|---|---|---|
| passes | passed | passed | passed |
| fails | `failure` | `failure` | passed, what it lacks in `system-out`: the mean decides |
| not decided | `error` | `error` | `skipped` |
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

from metajudge.metrics.gate.report import CaseGate, GateReport, MetricGate
from metajudge.metrics.gate.text import case_line, metric_sentences
from metajudge.metrics.gate.words import word
from metajudge.report.inert import one_line, visible
from metajudge.report.words import Language

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold, not even escaped (section 2.2)."""


def gate_junit(report: GateReport, language: Language = "en") -> str:
    """The report as an XML document.

    Args:
        report: What the gate came to.
        language: Of the messages.
    """
    suite = ElementTree.Element("testsuite", name=f"metajudge gate {report.suite}")
    for gate in report.metrics:
        _metric(suite, gate, report, language)
    for row in report.rows:
        _case(suite, row, report.suite, language)
    counts = {"tests": "testcase", "failures": ".//failure", "errors": ".//error"}
    for name, path in {**counts, "skipped": ".//skipped"}.items():
        suite.set(name, str(len(suite.findall(path))))
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _metric(
    suite: ElementTree.Element, gate: MetricGate, report: GateReport, language: Language
) -> None:
    entry = _entry(suite, f"{report.suite}.gate", gate.metric)
    told = list(metric_sentences(gate, report.rates, language))
    if gate.verdict == "pass":
        _say(entry, "system-out", "\n".join(told))
    else:
        kind = "failure" if gate.verdict == "fail" else "error"
        message = word(f"verdict.{gate.verdict}", language)
        _say(entry, kind, "\n".join(told), message, gate.verdict)


def _case(suite: ElementTree.Element, row: CaseGate, name: str, language: Language) -> None:
    entry = _entry(suite, f"{name}.{row.metric}", row.case)
    told = case_line(row, language)
    if row.once_failed and row.verdict in ("fail", "undecided"):
        kind = "failure" if row.verdict == "fail" else "error"
        _say(entry, kind, told, word(f"verdict.{row.verdict}", language), row.why or "")
    elif row.score is None:
        _say(entry, "skipped", told, word("undecided_case", language))
    else:
        _say(entry, "system-out", told)


def _entry(suite: ElementTree.Element, group: str, name: str) -> ElementTree.Element:
    return ElementTree.SubElement(
        suite, "testcase", classname=xml_text(one_line(group)), name=xml_text(one_line(name))
    )


def _say(
    entry: ElementTree.Element, kind: str, text: str, message: str = "", type_: str = ""
) -> None:
    found = ElementTree.SubElement(entry, kind)
    found.text = xml_text(visible(text))
    if message:
        found.set("message", xml_text(one_line(message)))
    if type_:
        found.set("type", type_)


def xml_text(text: str) -> str:
    r"""The text without characters that XML cannot hold; they are spelled out.

    >>> xml_text("a\x00b\ufffe")
    'a⟨00⟩b⟨FFFE⟩'
    """
    return _FORBIDDEN.sub(lambda found: f"⟨{ord(found[0]):02X}⟩", text)
