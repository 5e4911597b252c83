"""Figures of the monitor for other tools: Prometheus text, OTLP JSON, and OpenTelemetry's SDK.

Gauges are those of the last week that is over. Nothing is sent anywhere: texts are written, and
`observe` hands the same numbers to a meter that the caller made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, time, timezone
from typing import Any, NamedTuple

from metajudge.metrics.monitor.otlp_values import typed_value
from metajudge.metrics.monitor.report import MonitorReport
from metajudge.metrics.monitor.row import MonitorRow
from metajudge.metrics.monitor.times import first_day, moment
from metajudge.version import __version__

PREFIX = "metajudge.monitor."
SCOPE = "metajudge.monitor"
HELP = {
    "week.start": "Unix time of the first second of the week that the figures are of",
    "score.mean": "Mean score of the traffic, 0 to 1",
    "score.mean.low": "Lower 95 % limit of the mean score",
    "score.mean.high": "Upper 95 % limit of the mean score",
    "pass_rate": "Share of scored answers that pass, 0 to 1",
    "support_rate": "Share of claims with verdict yes, 0 to 1",
    "support_rate.corrected": "The same with the judge's errors on gold claims taken out",
    "answers": "Sampled answers of the week",
    "answers.unscored": "Of these, answers without a score",
    "traffic": "Answers that the sample stands for",
    "claims.failures": "Claims without a verdict",
    "alarm": "1 while an alarm is not acknowledged, else 0",
    "alarm.evidence": "Evidence after the last look; the alarm is at alarm.bar",
    "alarm.bar": "1 / alpha",
    "queue.low": "Answers with a score under the threshold of the queue",
}
"""Gauges by name, with what they are."""
EVALUATION = "gen_ai.evaluation.result"


class Gauge(NamedTuple):
    """One number.

    Attributes:
        name: One of `HELP`.
        value: The number.
        labels: What it is of.
    """

    name: str
    value: float
    labels: dict[str, str]


def gauges(report: MonitorReport) -> Iterator[Gauge]:
    """Every number of a report that is defined; an undefined one is left out, never 0."""
    week = report.latest
    labels = {"metric": report.metric, "release": report.release}
    told: dict[str, float | None] = {
        "alarm": float(bool(report.open_alarms)),
        "alarm.bar": report.alarm.bar,
        "alarm.evidence": report.alarm.looks[-1].evidence if report.alarm.looks else None,
        "queue.low": float(report.low),
    }
    if week is not None:
        monday = datetime.combine(first_day(week.week), time(), timezone.utc)
        told |= {
            "week.start": monday.timestamp(),
            "score.mean": week.mean_score.value,
            "score.mean.low": week.mean_score.low,
            "score.mean.high": week.mean_score.high,
            "pass_rate": week.pass_rate.value,
            "support_rate": None if week.support is None else week.support.raw.value,
            "support_rate.corrected": None
            if week.support is None
            else week.support.corrected.value,
            "answers": float(week.answers),
            "answers.unscored": float(sum(week.unscored.values())),
            "traffic": week.traffic,
            "claims.failures": float(week.failures),
        }
    for name in HELP:
        value = told.get(name)
        if value is not None:
            yield Gauge(name, value, labels)


def prometheus_text(reports: Iterable[MonitorReport]) -> str:
    """Gauges in Prometheus' text format 0.0.4, for a file that its node exporter reads.

    >>> prometheus_text([])
    ''
    """
    by_name: dict[str, list[Gauge]] = {}
    for report in reports:
        for gauge in gauges(report):
            by_name.setdefault(gauge.name, []).append(gauge)
    lines = []
    for name, told in HELP.items():
        if name in by_name:
            shown = (PREFIX + name).replace(".", "_")
            lines += [f"# HELP {shown} {told}", f"# TYPE {shown} gauge"]
            lines += [_sample(shown, gauge) for gauge in by_name[name]]
    return "".join(f"{line}\n" for line in lines)


def _sample(name: str, gauge: Gauge) -> str:
    labels = ",".join(f'{label}="{_escaped(text)}"' for label, text in gauge.labels.items())
    return f"{name}{{{labels}}} {gauge.value:.10g}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def otlp_metrics(reports: Sequence[MonitorReport]) -> dict[str, Any]:
    """Gauges as an OTLP/JSON metrics request, which a collector takes at `/v1/metrics`."""
    by_name: dict[str, list[dict[str, Any]]] = {}
    for report in reports:
        when = _nanoseconds(report.created)
        for gauge in gauges(report):
            point = {
                "attributes": _attributes(gauge.labels),
                "timeUnixNano": when,
                "asDouble": gauge.value,
            }
            by_name.setdefault(gauge.name, []).append(point)
    metrics = [
        {
            "name": PREFIX + name,
            "description": HELP[name],
            "unit": "1",
            "gauge": {"dataPoints": points},
        }
        for name, points in by_name.items()
    ]
    return {"resourceMetrics": [_of_resource("scopeMetrics", {"metrics": metrics})]}


def otlp_evaluations(rows: Iterable[MonitorRow]) -> dict[str, Any]:
    """Scores as OTLP/JSON log records: events `gen_ai.evaluation.result`, at their spans.

    Source: OpenTelemetry semantic conventions for generative AI, events (status development).
    """
    records = [_evaluation(row) for row in rows]
    return {"resourceLogs": [_of_resource("scopeLogs", {"logRecords": records})]}


def _evaluation(row: MonitorRow) -> dict[str, Any]:
    told: dict[str, str | float | bool] = {
        "gen_ai.evaluation.name": row.metric,
        "metajudge.answer_id": row.answer_id,
        "metajudge.release": row.release,
        "metajudge.stratum": row.stratum,
    }
    if row.score is None:
        told["gen_ai.evaluation.explanation"] = row.reason or "no score"
    else:
        told["gen_ai.evaluation.score.value"] = float(row.score)
    if row.passed is not None:
        told["gen_ai.evaluation.score.label"] = "pass" if row.passed else "fail"
    record = {
        "timeUnixNano": _nanoseconds(row.time),
        "eventName": EVALUATION,
        "attributes": _attributes(told),
    }
    trace_id, _, span_id = (row.ref or "").partition("/")
    if len(trace_id) == 32 and len(span_id) == 16:
        record |= {"traceId": trace_id, "spanId": span_id}
    return record


def _of_resource(scope: str, told: dict[str, Any]) -> dict[str, Any]:
    resource = {"attributes": _attributes({"service.name": "metajudge"})}
    return {
        "resource": resource,
        scope: [{"scope": {"name": SCOPE, "version": __version__}, **told}],
    }


def _attributes(told: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": typed_value(value)} for key, value in told.items()]


def _nanoseconds(when: str) -> str:
    return str(int(moment(when).timestamp()) * 1_000_000_000)


def observe(meter: Any, read: Callable[[], Sequence[MonitorReport]]) -> list[Any]:
    """Observable gauges on a meter of OpenTelemetry's SDK, read at every collection.

    Args:
        meter: From `opentelemetry.metrics.get_meter`; where its numbers go is the caller's choice.
        read: Gives the reports, such as one of `monitor_report`.

    Returns:
        The instruments.

    Raises:
        ImportError: `opentelemetry-api` is not installed.
    """
    from opentelemetry.metrics import CallbackOptions, Observation

    def called(name: str) -> Callable[[CallbackOptions], list[Observation]]:
        def call(_options: CallbackOptions) -> list[Observation]:
            return [
                Observation(gauge.value, gauge.labels)
                for report in read()
                for gauge in gauges(report)
                if gauge.name == name
            ]

        return call

    return [
        meter.create_observable_gauge(PREFIX + name, [called(name)], "1", told)
        for name, told in HELP.items()
    ]
