from __future__ import annotations

import io
import json
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from metajudge.errors import GoldError, InputError
from metajudge.gold.events import LabelEvent, append_event
from metajudge.gold.goldset import load_goldset
from metajudge.metrics.monitor.blocks import (
    facts,
    monitor_blocks,
    next_steps,
    sentence,
    verdict,
)
from metajudge.metrics.monitor.charts import charts
from metajudge.metrics.monitor.export import (
    HELP,
    gauges,
    observe,
    otlp_evaluations,
    otlp_metrics,
    prometheus_text,
)
from metajudge.metrics.monitor.html import monitor_page, write_monitor_page
from metajudge.metrics.monitor.queue import low_rows, queue
from metajudge.metrics.monitor.recording import record
from metajudge.metrics.monitor.report import Wanted, acknowledge, monitor_report
from metajudge.metrics.monitor.row import MonitorRow
from metajudge.metrics.monitor.table import ScoreTable
from metajudge.metrics.monitor.text import print_monitor
from metajudge.metrics.monitor.words import WORDS
from metajudge.metrics.scored import MetricScore, ScoredRow, UnitVerdict
from metajudge.report.consult_block import Shown
from metajudge.report.part import Figure
from tests.metrics.monitor.simulated import LATER, series
from tests.report.chromium import browser_path, open_page

HOSTILE = '</script><img src=x onerror="alert(1)">&{{7*7}}\u202e'
WANTED = Wanted(today=LATER)


@pytest.fixture
def database(tmp_path):
    place = str(tmp_path / "scores.sqlite")
    with ScoreTable(place) as table:
        table.write(series(1, 16, 80, at=12, drop=0.25))
    return place


@pytest.fixture
def report(database):
    return monitor_report(database, WANTED)


def test_an_alarm_is_open_until_somebody_says_why_it_is_settled(database, report):
    assert verdict(report) == "alarm"
    assert "dropped since 2024-W13 (2024-03-25)" in sentence(report, "en")
    assert "自 2024-W13" in sentence(report, "zh")
    steps = next_steps(report, "en")
    assert "metajudge watch --release m@1.0.0" in steps[0].command
    assert "metajudge monitor queue" in steps[1].command
    assert [step.text[:2] for step in steps] == ["1.", "2.", "3."]
    assert acknowledge(database, report, "新的检索器") == 1
    settled = monitor_report(database, WANTED)
    assert verdict(settled) == "quiet"
    assert settled.alarm.alarms[0].acknowledged == "新的检索器"
    assert next_steps(settled, "en") == ()
    with pytest.raises(InputError, match="no alarm is open"):
        acknowledge(database, settled, "again")


def test_a_report_reads_back_from_its_json(report):
    assert type(report).model_validate_json(report.model_dump_json()) == report
    assert report == report.model_copy()


def test_releases_are_never_mixed(database):
    with ScoreTable(database) as table:
        table.write([replace(row, release="m@2.0.0") for row in series(9, 2, 30)])
    first = monitor_report(database, Wanted(release="m@2.0.0", today=LATER))
    assert first.answers == 60
    assert first.others == ("m@1.0.0",)
    assert monitor_report(database, WANTED).release == "m@1.0.0", "that of the latest answer"
    with pytest.raises(InputError, match=r"m@1\.0\.0, m@2\.0\.0"):
        monitor_report(database, Wanted(release="m@3.0.0"))
    with pytest.raises(InputError, match="no score of other"):
        monitor_report(database, Wanted(metric="other"))


def test_texts_have_the_same_places_in_both_languages():
    for key, (english, chinese) in WORDS.items():
        places = [sorted(re.findall(r"\{(\w+)\}", text)) for text in (english, chinese)]
        assert places[0] == places[1], key


def test_the_page_escapes_everything_and_asks_nothing_of_a_network(tmp_path):
    place = str(tmp_path / "scores.sqlite")
    rows = [
        replace(
            row,
            answer_id=f"{row.answer_id} {HOSTILE}",
            stratum=HOSTILE + row.stratum,
            release=HOSTILE,
            reason=HOSTILE if row.score is None else None,
            slices={"model": HOSTILE + str(k % 2)},
        )
        for k, row in enumerate(series(1, 14, 60, at=12, drop=0.4))
    ]
    with ScoreTable(place) as table:
        table.write(rows)
    page = monitor_page(monitor_report(place, WANTED))
    assert "<img" not in page
    assert "\u202e" not in page
    assert "{{7*7}}" in page
    assert not re.search(r"(src|href)=[\"']?https?:", page)
    assert "default-src &#39;none&#39;" in page


@pytest.mark.skipif(browser_path() is None, reason="no Chromium on this machine")
@pytest.mark.parametrize("width", [1280, 390])
async def test_the_page_in_a_browser(report, tmp_path, width):
    path = write_monitor_page(report, tmp_path / "page" / "monitor.html")
    async with open_page(path, width=width) as page:
        assert page.log == []
        assert len(page.requests) == 1
        assert await page.value("document.documentElement.scrollWidth") <= width
        assert await page.value("document.querySelectorAll('svg circle').length") > 40
        assert "ALARM" in await page.value("document.querySelector('main').innerText")
        await page.value("document.querySelector('[data-language=zh]').click()")
        shown = await page.value("document.querySelector('main').innerText")
        assert "警报" in shown
        assert "Weekly trend" not in shown


def test_charts_break_where_a_week_has_no_figures(database):
    with ScoreTable(database) as table:
        table.write([replace(series(3, 1, 5)[0], time="2024-06-01T00:00:00Z", answer_id="late")])
    drawn = {chart.name: chart for chart in charts(monitor_report(database, WANTED))}
    assert drawn["score"].series[0].path.count("M") == 1
    assert len(drawn["score"].series[0].points) == 16
    assert all(
        0 <= point.y <= 160 for chart in drawn.values() for s in chart.series for point in s.points
    )
    assert len(drawn["evidence"].alarms) == 1


def test_blocks_tell_the_same_in_both_languages(report):
    english, chinese = (monitor_blocks(report, language) for language in ("en", "zh"))
    assert list(english) == list(chinese) == ["trend", "alarms", "parts", "queue"]
    for name, block in english.items():
        assert len(block.lines) == len(chinese[name].lines)
    narrow = monitor_blocks(report, "en", narrow=True)["trend"]
    assert len(narrow.heads) == len(narrow.lines[0].cells) == 5


def test_prometheus_text_is_of_its_format(report):
    hostile = report.model_copy(update={"release": 'a"b\\c\nd'})
    text = prometheus_text([report, hostile])
    assert r'release="a\"b\\c\nd"' in text
    for line in text.splitlines():
        assert line.startswith("# ") or re.fullmatch(
            r'[a-z_]+\{metric="[^"]*",release="(?:[^"\\]|\\.)*"\} -?[0-9.e+]+', line
        )
    names = [line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")]
    assert len(names) == len(set(names))
    assert "metajudge_monitor_alarm{" in text
    assert "support_rate_corrected" not in text, "undefined is left out, never 0"


def test_otlp_metrics_are_of_the_protocols_form(report):
    told = otlp_metrics([report])
    (scope,) = told["resourceMetrics"][0]["scopeMetrics"]
    assert {
        metric["name"].removeprefix("metajudge.monitor.") for metric in scope["metrics"]
    } <= set(HELP)
    (point,) = scope["metrics"][0]["gauge"]["dataPoints"]
    assert isinstance(point["asDouble"], float)
    assert point["timeUnixNano"].isdigit()
    json.dumps(told, allow_nan=False)


def test_evaluations_are_events_at_their_spans():
    ref = f"{'5b' * 16}/{'ee' * 8}"
    rows = [
        MonitorRow("a", "m@1", "faithfulness", "2026-11-30T01:30:00Z", 0.5, passed=False, ref=ref),
        MonitorRow("b", "m@1", "faithfulness", "2026-11-30T01:30:00Z", None, reason="no claims"),
    ]
    first, second = otlp_evaluations(rows)["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
    assert (first["traceId"], first["spanId"]) == tuple(ref.split("/"))
    assert first["eventName"] == "gen_ai.evaluation.result"
    told = {entry["key"]: entry["value"] for entry in first["attributes"]}
    assert told["gen_ai.evaluation.name"] == {"stringValue": "faithfulness"}
    assert told["gen_ai.evaluation.score.value"] == {"doubleValue": 0.5}
    assert told["gen_ai.evaluation.score.label"] == {"stringValue": "fail"}
    lost = {entry["key"]: entry["value"] for entry in second["attributes"]}
    assert lost["metajudge.answer_id"] == {"stringValue": "b"}
    assert "gen_ai.evaluation.score.value" not in lost
    assert "traceId" not in second


def test_the_sdk_reads_the_same_gauges(report):
    metrics = pytest.importorskip("opentelemetry.sdk.metrics")
    export = pytest.importorskip("opentelemetry.sdk.metrics.export")
    reader = export.InMemoryMetricReader()
    provider = metrics.MeterProvider(metric_readers=[reader])
    observe(provider.get_meter("test"), lambda: [report])
    told = json.loads(reader.get_metrics_data().to_json())
    provider.shutdown()
    scope = told["resource_metrics"][0]["scope_metrics"][0]
    seen = {
        metric["name"].removeprefix("metajudge.monitor."): metric["data"]["data_points"][0]["value"]
        for metric in scope["metrics"]
        if metric["data"]["data_points"]
    }
    assert seen == {gauge.name: gauge.value for gauge in gauges(report)}


def low(answer_id: str, score: float | None = 0.2, **more) -> MonitorRow:
    texts = {
        "question": "几点开放？",
        "answer": "Hall A opens at 9. 甲馆很美。",
        "context": ["Hall A opens at 9."],
        "lang": "zh",
        "claims": [{"claim": "甲馆九点开放。"}, {"claim": "甲馆很美。"}],
    }
    return MonitorRow(
        answer_id, "m@1.0.0", "faithfulness", "2026-11-30T01:30:00Z", score, texts=texts, **more
    )


def test_low_answers_wait_in_a_gold_folder_once(tmp_path):
    folder = tmp_path / "queue"
    rows = [low("a"), low("b", 0.49), low("c", 0.5), low("d", None)]
    assert queue(rows, folder)[:2] == (2, 4)
    gold = load_goldset(folder)
    assert {claim.answer_id for claim in gold.pending} == {"a", "b"}
    assert gold.claims == ()
    assert gold.manifest.languages == ("zh",)
    assert "no random sample" in gold.manifest.provenance
    assert queue(rows, folder)[:3] == (0, 0, 2)
    assert queue([*rows, low("e")], folder)[:3] == (1, 2, 2)


def test_b92_a_queue_holds_no_verdict_of_a_judge_and_keeps_peoples_labels(tmp_path):
    folder = tmp_path / "queue"
    queue([low("a", yes=1, no=1, idk=0)], folder)
    text = (folder / "claims.jsonl").read_text("utf-8")
    assert "label" not in json.loads(text.splitlines()[0])
    assert "0.2" not in text
    claim = load_goldset(folder).pending[0]
    act = {"save_id": "12345678", "claim_id": claim.claim_id, "annotator": "wei", "label": "yes"}
    append_event(folder, LabelEvent(time="2026-12-01T00:00:00Z", **act))
    assert queue([low("a"), low("b")], folder)[:3] == (1, 2, 1)
    (labelled,) = load_goldset(folder).claims
    assert (labelled.claim_id, labelled.label) == (claim.claim_id, "yes")


def test_a_queue_refuses_another_folder_another_metric_and_a_threshold_out_of_range(tmp_path):
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "notes.txt").write_text("mine")
    with pytest.raises(GoldError, match="the queue must be a gold folder"):
        queue([low("a")], tmp_path / "x")
    with pytest.raises(InputError, match="computed"):
        queue([replace(low("a"), metric="ngram_coverage")], tmp_path / "y")
    with pytest.raises(InputError, match="of one metric"):
        queue([low("a"), replace(low("a"), metric="groundedness")], tmp_path / "y")
    with pytest.raises(InputError, match="threshold"):
        queue([low("a")], tmp_path / "y", threshold=1.5)
    assert not (tmp_path / "y").exists()


def test_rows_without_texts_take_them_from_a_file_of_answers_or_are_counted(tmp_path):
    row = replace(low("a"), texts=None)
    assert queue([row], tmp_path / "q").without_texts == 1
    found = queue([row], tmp_path / "q", texts={"a": low("a").texts})
    assert (found.answers, found.without_texts) == (1, 0)


def test_the_lowest_comes_first_and_each_answer_once():
    rows = [low("a", 0.4), low("b", 0.1), replace(low("a", 0.3), release="m@2.0.0")]
    assert [(row.answer_id, row.score) for row in low_rows(rows)] == [("b", 0.1), ("a", 0.3)]


def scored(answer_id: str, score: float | None, **fields) -> ScoredRow:
    units = (UnitVerdict("p1", "yes"), UnitVerdict("p2", None, "timeout"))
    told = MetricScore("context_relevance", score, "no passages", units=units)
    return ScoredRow(answer_id, {"context_relevance": told}, fields)


def test_other_metrics_are_recorded_by_a_plain_function(tmp_path):
    place = str(tmp_path / "scores.sqlite")
    rows = [
        scored("a", 0.5, time="2026-11-30T09:30:00+08:00", sample_weight=10.0),
        scored("b", None, time="2026-11-30"),
    ]
    assert record(place, rows, release="judge x, template y") == 2
    assert record(place, rows, release="judge x, template y") == 0
    with ScoreTable(place) as table:
        second, first = table.rows(metric="context_relevance")
    assert (first.time, first.weight, first.passed) == ("2026-11-30T01:30:00Z", 10.0, True)
    assert (first.yes, first.failures, first.reason) == (1, 1, None)
    assert (second.score, second.passed, second.reason) == (None, None, "no passages")


def test_every_faulty_row_is_named_and_nothing_is_written(tmp_path):
    place = tmp_path / "scores.sqlite"
    bad = [
        scored("a", 0.5),
        scored("b", 7.0, time="2026-11-30"),
        scored("c", 0.5, time="2026-11-30", sample_weight=0.2),
        scored("d", 0.5, time="yesterday"),
    ]
    with pytest.raises(InputError) as caught:
        record(str(place), bad, release="x")
    assert len(caught.value.problems) == 4
    assert not Path(place).exists()


def test_offered_commands_name_the_series_that_is_shown(report):
    other = report.model_copy(
        update={
            "others": ("newer@1",),
            "metric": "context_relevance",
            "alarm": report.alarm.model_copy(update={"slack": 0.0}),
        }
    )
    *_, queued, settled = next_steps(other, "en")
    series = f"--metric context_relevance --release {other.release}"
    assert "queue gold/queue-context_relevance " in queued.command
    assert series in queued.command
    assert f"{series} --slack 0.0 --acknowledge" in settled.command
    own = other.model_copy(update={"release": "judge x, my template"})
    assert next_steps(own, "en")[0].command == "", "no release that could be watched"
    computed = next_steps(other.model_copy(update={"metric": "ngram_coverage"}), "zh")
    assert [bool(step.command) for step in computed] == [True, False, True]


def test_a_command_stands_on_a_line_of_its_own_and_runs_as_it_is_copied(report):
    long = report.model_copy(update={"database": f"a folder/{'x' * 90}.sqlite"})
    console = Console(width=80, file=io.StringIO())
    print_monitor(long, console, "zh")
    lines = [line.strip() for line in console.file.getvalue().splitlines()]
    queued = [line for line in lines if line.startswith("metajudge monitor queue")]
    assert len(queued) == 2
    words = shlex.split(queued[0])
    assert words[words.index("--db") + 1] == long.database
    assert words[-2:] == ["--under", "0.5"]


def test_a_week_without_answers_says_that_and_nothing_of_what_the_metric_counts(report):
    empty = report.weeks[0].model_copy(
        update={
            "answers": 0,
            "support": None,
            "mean_score": Figure(value=None, n=0, reason="0 answers with a score, 20 are needed"),
        }
    )
    line = monitor_blocks(report.model_copy(update={"weeks": (empty,)}), "en")["trend"].lines[0]
    reasons = {cell.figure.reason for cell in line.cells if isinstance(cell, Shown)}
    assert "the metric counts no claims" not in reasons
    assert None not in {cell.figure.reason for cell in line.cells[-3:-1]}


def test_a_drop_that_no_week_finds_is_told_in_a_whole_sentence(report):
    late = {"weeks_to_find": None, "weeks_to_find_whole": None, "answers_a_week": 38}
    never = report.model_copy(update={"alarm": report.alarm.model_copy(update=late)})
    english, chinese = ("\n".join(text for _, text in facts(never, at)) for at in ("en", "zh"))
    assert "of 0.1 are found in over two years at best where low scores" in english
    assert "十有九次两年内未必发现" in chinese
