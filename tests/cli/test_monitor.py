from __future__ import annotations

import json
import re
import shlex
import shutil
import sqlite3
import textwrap
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

import metajudge
from metajudge.gold.goldset import load_goldset
from metajudge.metrics.scored import MetricScore, ScoredRow
from tests.experiment.folder import write_script
from tests.metrics.monitor.test_spans import RETRIEVAL, chat, otlp
from tests.release.applied import answer, made, told, write_judge, write_rows

RECIPE = Path(__file__).parents[2] / "docs" / "recipes" / "monitor.md"
SCORE = ("--release", "faithfulness-verdict@1", "--registry", "registry", "-q")
AS_OF = ("--as-of", "2026-12-07", "--registry", "registry")


def traffic(weeks: int = 12, at: int = 9, n: int = 30):
    """Good answers, and from one week on answers that are wrong in one of two claims."""
    return [
        answer(
            f"w{week}-{k}",
            "Hall A opens at 9.",
            "Hall A closes at 5." if week >= at and k % 2 else "Hall A lends 20 books.",
            time=f"{date(2026, 9, 14) + timedelta(days=7 * week + k % 7)}T09:30:00Z",
            lang="zh" if k % 4 == 0 else "en",
            model=f"m{k % 2}",
        )
        for week in range(weeks)
        for k in range(n)
    ]


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Where the scored traffic is kept for the other tests."""
    return tmp_path_factory.mktemp("kept") / "folder"


@pytest.fixture
def scored(run, kept):
    """A folder with scored traffic, made once."""
    if kept.exists():
        shutil.copytree(kept, Path(), dirs_exist_ok=True)
        return
    made(Path())
    write_rows(Path("traffic.jsonl"), traffic())
    sampled = run("monitor", "sample", "traffic.jsonl", "--out", "s.jsonl", "--rate", 0.9,
                  "--by", "lang", "--slices", "model")  # fmt: skip
    assert sampled.exit_code == 0
    assert "lang=zh" in sampled.stdout
    ended = run("monitor", "score", "s.jsonl", *SCORE, "--texts")
    assert ended.exit_code == 0, ended.stderr
    shutil.copytree(Path(), kept)


def test_another_judge_scores_and_is_told(run, released):
    write_rows(Path("one.jsonl"), traffic(weeks=1, n=2))
    other = write_judge(Path(), name="other")
    ended = run("monitor", "score", "one.jsonl", *SCORE, "--judge", other)
    assert ended.exit_code == 0
    assert "WARNING: the judge is not the one" in ended.stderr
    alone = run("monitor", "score", "one.jsonl", *SCORE, "--api-base", "http://127.0.0.1:1/v1")
    assert alone.exit_code == 2 and "api_base is given with judge" in alone.stderr


def test_a_judge_that_cannot_be_read_is_no_success(run, released):
    write_rows(Path("one.jsonl"), traffic(weeks=1, n=2))
    other = write_script(Path(), [], "Hmm.")
    ended = run("monitor", "score", "one.jsonl", *SCORE, "--judge", other)
    assert ended.exit_code == 4
    assert "claims without a verdict: unparsable" in ended.stderr
    assert "no reply could be read" in ended.stderr
    assert "0 scored, 2 without a score" in ended.stdout
    again = run("monitor", "score", "one.jsonl", *SCORE)
    assert again.exit_code == 0
    assert "2 scored" in again.stdout


def test_from_traffic_to_an_alarm_a_queue_and_a_page(run, run_json, scored):
    shown = run("monitor", "trend", *AS_OF)
    assert shown.exit_code == 1
    assert "ALARM" in shown.stdout
    assert "since 2026-W47" in " ".join(shown.stdout.split())
    assert "model=m1" in shown.stdout
    lines = [line for line in shown.stdout.splitlines() if not line.startswith("  metajudge ")]
    assert max(map(len, lines)) <= 80
    chinese = run("monitor", "trend", *AS_OF, "--lang", "zh")
    assert "警报" in chinese.stdout
    report = run_json("monitor", "trend", *AS_OF)
    assert report["alarm"]["alarms"][0]["side"] == "drop"

    added = run("monitor", "queue", "queue", "--under", 0.9)
    assert "claims wait for a label: metajudge label queue" in added.stdout
    waiting = len(load_goldset(Path("queue")).pending)
    again = run_json("monitor", "queue", "queue", "--under", 0.9)
    assert again["answers"] == 0
    assert again["waiting"] == waiting > 40

    assert run("monitor", "page", "out/m.html", *AS_OF).exit_code == 0
    assert "<svg" in Path("out/m.html").read_text("utf-8")
    assert run("monitor", "trend", *AS_OF, "--acknowledge", "new retriever").exit_code == 0
    assert run("monitor", "trend", *AS_OF).exit_code == 0
    assert run("monitor", "trend", *AS_OF, "--acknowledge", " ").exit_code == 2


def test_b71_what_is_scored_is_not_scored_again(run_json, scored):
    before = Path(".metajudge/monitor.sqlite").stat().st_size
    again = run_json("monitor", "score", "s.jsonl", *SCORE)
    assert again["known"] == again["sampled"]
    assert "scored" not in again
    assert Path(".metajudge/monitor.sqlite").stat().st_size == before


def test_a_run_that_ends_early_records_what_was_judged_and_goes_on(run, run_json, released):
    rows = [answer(f"a{k}", f"Hall {k} opens at 9.", time="2026-11-30") for k in range(10)]
    write_rows(Path("t.jsonl"), rows)
    short = run("monitor", "score", "t.jsonl", *SCORE, "--budget-calls", 5)
    assert short.exit_code == 3
    with closing(sqlite3.connect(".metajudge/monitor.sqlite")) as table:
        (kept,) = table.execute("SELECT count(*) FROM monitor_scores").fetchone()
    assert kept < 10
    rest = run_json("monitor", "score", "t.jsonl", *SCORE)
    assert rest["known"] == kept
    assert rest["open"] == 0
    with closing(sqlite3.connect(".metajudge/monitor.sqlite")) as table:
        assert table.execute("SELECT count(*) FROM monitor_scores").fetchone() == (10,)


def test_texts_are_kept_only_where_they_are_asked_for(run, released):
    write_rows(
        Path("t.jsonl"), [*traffic(weeks=1, n=3), told("nothing here", "x", time="2026-11-30")]
    )
    assert run("monitor", "score", "t.jsonl", *SCORE).exit_code == 0
    with closing(sqlite3.connect(".metajudge/monitor.sqlite")) as table:
        rows = table.execute("SELECT * FROM monitor_scores").fetchall()
        reasons = table.execute("SELECT reason FROM monitor_scores WHERE score IS NULL").fetchall()
    assert "Hall A" not in str(rows)
    assert reasons == [("no claims",)]
    without = run("monitor", "queue", "q", "--under", 1.0)
    assert "answers added" in without.stdout or "0 answers" in without.stdout


def test_exports_go_to_standard_output_or_a_file(run, scored):
    for form in ("prometheus", "otlp", "evaluations"):
        shown = run("monitor", "export", "--to", form, *AS_OF)
        assert shown.exit_code == 0
        assert run("monitor", "export", "--to", form, *AS_OF, "--out", form).exit_code == 0
        text = Path(form).read_text("utf-8")
        assert text.strip() == shown.stdout.strip()
        assert "faithfulness" in text
        if form == "prometheus":
            assert "metajudge_monitor_alarm{" in text
        else:
            assert json.loads(text).keys() <= {"resourceMetrics", "resourceLogs"}


def test_spans_are_sampled_and_what_they_lack_is_told(run, run_json, released):
    other = "6b8efff798038103d269b633813fc60c"
    lone = chat() | {"traceId": other}
    Path("spans.jsonl").write_text(
        "\n".join(map(json.dumps, (otlp(RETRIEVAL, chat()), otlp(lone), {"resourceLogs": []})))
    )
    shown = run("monitor", "sample", "spans.jsonl", "--out", "s.jsonl", "--rate", 1,
                "--unit", "conversation", "--slices", "model")  # fmt: skip
    assert shown.exit_code == 0, shown.stderr
    assert "left out: answers without retrieved documents or answers of tools: 1" in shown.stdout
    assert "lines without spans: 1" in shown.stdout
    (row,) = map(json.loads, Path("s.jsonl").read_text("utf-8").splitlines())
    assert row["sample_unit"] == "c1"
    found = run_json("monitor", "sample", "spans.jsonl", "--out", "s.jsonl", "--rate", 1)
    assert found["spans"]["left_out"] == {"no_spans": 1, "no_context": 1}
    Path("none.jsonl").write_text(json.dumps(otlp(lone)))
    assert run("monitor", "sample", "none.jsonl", "--out", "n.jsonl").exit_code == 4


def test_slips_are_refused_before_anything_is_asked(run, released):
    write_rows(
        Path("t.jsonl"), [answer("a", "Hall A opens at 9."), answer("b", "It is.", time="x")]
    )
    ended = run("monitor", "score", "t.jsonl", *SCORE)
    assert ended.exit_code == 2
    assert ended.stderr.count("needs the time when it was given") == 2
    assert not Path(".metajudge").exists()
    for words in (
        ("trend",),
        ("queue", "q"),
        ("page", "x.html"),
        ("export", "--to", "prometheus"),
        ("sample", "t.jsonl", "--out", "t.jsonl"),
        ("sample", "t.jsonl", "--out", "s.jsonl", "--rate", "2"),
    ):
        ended = run("monitor", *words)
        assert ended.exit_code == 2, words
        assert "Traceback" not in ended.stderr
    assert run("monitor", "trend", "--db", "mysql://me:geheim@h/b").exit_code == 2
    assert "geheim" not in run("monitor", "trend", "--db", "mysql://me:geheim@h/b").stderr


def test_b126_an_export_opens_no_connection(run, scored, monkeypatch):
    import socket

    def refused(*_args, **_kwargs):
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket.socket, "connect", refused)
    for words in (("trend", *AS_OF), ("page", "x.html", *AS_OF),
                  ("export", "--to", "otlp", *AS_OF)):  # fmt: skip
        assert run("monitor", *words).exit_code in (0, 1)


def test_another_threshold_of_alpha_or_date_is_checked(run, scored):
    assert "alpha is" in run("monitor", "trend", "--alpha", 0).stderr
    assert "ISO 8601" in run("monitor", "trend", "--as-of", "tomorrow").stderr
    assert "no score of other" in run("monitor", "trend", "--metric", "other").stderr
    assert "no score of other" in run("monitor", "queue", "q", "--metric", "other").stderr
    assert not Path("q").exists()


def test_the_recipe_runs_as_it_stands(run, monkeypatch):
    """Every `metajudge monitor` of the page, in its order, on a scripted judge."""
    made(Path())
    Path("experiments").mkdir()
    shutil.copytree("registry", "experiments/releases")
    rows = [row | {"product": "shop"} for row in traffic(weeks=10, at=7, n=60)]
    write_rows(Path("traffic.jsonl"), rows)
    Path("spans.jsonl").write_text(json.dumps(otlp(RETRIEVAL, chat())))
    told = {"context_relevance": 0.5, "context_recall": 0.25}
    write_rows(Path("evaluated.jsonl"), [row | told for row in rows])
    page = RECIPE.read_text(encoding="utf-8")
    code = re.search(r"^    (import metajudge.*?)\n\n(?=\S|```)", page, re.M | re.S)
    assert code is not None
    told = MetricScore("context_relevance", 0.5, None)
    scored = [ScoredRow("a", {told.metric: told}, {"time": "2026-11-30"})]
    monkeypatch.setattr(metajudge, "evaluate", lambda *_, **__: SimpleNamespace(rows=scored))
    exec(textwrap.dedent(f"    {code[1]}"), {})
    codes = []
    for block in re.findall(r"^```\n(.*?)^```", page, re.M | re.S):
        for line in block.splitlines():
            _, verb, *words = shlex.split(line)
            if verb == "monitor":
                ended = run(verb, *words, *(["-q"] if words[0] == "score" else []))
                codes.append((words[0], ended.exit_code))
                assert ended.exit_code in (0, 1), (line, ended.stderr)
    assert codes.count(("trend", 1)) == 1, "the alarm is open, and then acknowledged"
    assert {name for name, _ in codes} == {
        "sample", "score", "record", "trend", "queue", "page", "export",
    }  # fmt: skip


def test_from_spans_to_a_trend_and_a_queue_of_another_metric(run, run_json):
    """Sampled, evaluated, recorded, shown and queued, each by its own command."""
    write_script(Path(), [], "no")
    spans = [{**one, "traceId": f"{k:032x}"} for k in range(1, 31) for one in (RETRIEVAL, chat())]
    Path("spans.jsonl").write_text(json.dumps(otlp(*spans)))
    sampled = run("monitor", "sample", "spans.jsonl", "--out", "s.jsonl", "--rate", 1,
                  "--unit", "conversation")  # fmt: skip
    assert sampled.exit_code == 0, sampled.stderr
    evaluated = run("evaluate", "s.jsonl", "--metrics", "groundedness,answer_redundancy",
                    "--judge", "scripted:judge.yaml", "--out", "e.jsonl", "-q")  # fmt: skip
    assert evaluated.exit_code == 0, evaluated.stderr
    words = ("monitor", "record", "e.jsonl", "--release", "my judge", "--metrics", "groundedness")
    told = run_json(*words, "--texts")
    assert (told["answers"], told["new"], told["metrics"]) == (30, 30, ["groundedness"])
    assert run_json(*words)["new"] == 0
    report = run_json("monitor", "trend", "--metric", "groundedness", "--as-of", "2027-01-04")
    assert (report["answers"], report["weeks"][0]["units"]) == (30, 1), "one conversation"
    assert report["low"] == 30
    added = run_json("monitor", "queue", "q", "--metric", "groundedness")
    assert (added["answers"], added["without_texts"]) == (30, 0)
    assert load_goldset(Path("q")).manifest.metric == "groundedness"


def test_rows_without_a_score_or_with_a_faulty_one_are_not_recorded(run):
    write_rows(Path("e.jsonl"), [{"answer_id": "a", "groundedness": "good", "time": "2026-11-30"}])
    words = ("monitor", "record", "e.jsonl", "--release", "x")
    lacking = run(*words, "--metrics", "context_recall")
    assert (lacking.exit_code, "no row has a score of context_recall" in lacking.stderr) == (
        2,
        True,
    )
    refused = run(*words)
    assert (refused.exit_code, "from 0 to 1" in refused.stderr) == (2, True)
    assert not Path(".metajudge/monitor.sqlite").exists()
