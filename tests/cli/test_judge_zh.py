"""`metajudge judge --lang zh`: nothing of ours is left in English, and lines fit the terminal."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from metajudge.release.judged import EXTRACTION_FAILED, NOT_YET
from metajudge.report.translated import translated
from metajudge.report.words import WORDS
from metajudge.runner.absent import Absent, Obstacle
from metajudge.runner.health import Health
from metajudge.runner.limits import Limits
from metajudge.runner.setback import Setback
from metajudge.scoring.policies import UNDEFINED
from metajudge.verdicts.verdict import FAILURES
from tests.cli.test_judge import REF
from tests.release.applied import answer, told, write_judge, write_rows

LONG = "甲馆九点关闭（据说），而且收藏了二十万册图书，其中有许多孤本，另有《地方志》。"
NOT_OURS = (
    *("faithfulness-verdict@1.0.0", "strict", "extract@1.0.0/zh", "extract@1.0.0/en"),
    *("Hall A closes at 5.", "Hall A mumbles", "yes", "no", "idk", "--extraction-repeats"),
    *("--out FILE", "answer_id#claim_id", "answer_id", "claim_id", "lang", "zh", "en"),
    *("backend_version", "model", "scripted", "script", "other", "yaml", "jsonl", "away", "down"),
    *("bad_request", "connection", "by", "mood", "API", "torch 或 transformers"),
)
"""Names, paths, codes, claims, and what the judge itself said."""
ENGLISH = re.compile(r"[A-Za-z]{2,}")
CLOSING = tuple("，。；：、？！）」』》”")


@pytest.fixture
def sample(released):
    rows = [
        answer("甲", "甲馆九点开放。", LONG, lang="zh"),
        answer("b", "Hall A closes at 5.", context_id="x-b"),
        answer("c"),
        told("endless", "d", lang="en"),
        told("甲馆九点开放。", "戊", context_id="x-e"),
        answer("=e", "Hall A mumbles \x1b[31m.", "甲馆很美。", context_id="x-e"),
        answer(None, "甲馆关闭了。"),
    ]
    return write_rows(Path("回答.jsonl"), rows)


def left_in_english(shown: str) -> list[str]:
    """Words that no list allows."""
    for allowed in sorted(NOT_OURS, key=len, reverse=True):
        shown = shown.replace(allowed, " ")
    return ENGLISH.findall(re.sub(r"[0-9a-f]{13,}…?|a-[0-9a-f]+…", " ", shown))


@pytest.mark.parametrize("columns", [40, 60, 80, 100])
@pytest.mark.parametrize("more", [(), ("--extraction-repeats", 2, "--repeats", 3), ("-q",)])
def test_the_account_is_chinese_and_fits(run, sample, monkeypatch, columns, more):
    monkeypatch.setenv("COLUMNS", str(columns))
    shown = run("judge", sample, *REF, "--threshold", 0.7, "--lang", "zh", *more).stdout
    if columns > 40:  # where claims in the table stand on one line
        assert left_in_english(shown) == []
    lines = [line.rstrip() for line in shown.splitlines()]
    assert max(map(cell_len, lines)) <= columns
    assert not [line for line in lines if line.lstrip().startswith(CLOSING)]
    for text in ("计分策略 strict · 阈值 0.7", "平均分", "（与发布版本固定的相同）"):
        assert text in "".join(re.split(r"\n *", shown)) or columns < 80
    flat = re.sub(r"\s", "", shown)
    assert "没有分数：没有陈述（1）；提取失败：被截断（1）" in flat
    assert "失败：无法解析" in flat
    if "-q" not in more:
        assert "注：answer_id由内容生成（1）" in flat
        assert "注：阈值为0.7，发布版本自己的是0.5" in flat
        assert "--outFILE每个回答写一行，含全部裁决。" in flat


@pytest.mark.parametrize("columns", [40, 80])
def test_english_fits_too_where_claims_and_names_are_chinese(run, sample, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    shown = run("judge", sample, *REF, "--out", "评判/结果.jsonl").stdout
    assert max(cell_len(line.rstrip()) for line in shown.splitlines()) <= columns
    assert "7 answers written to 评判/结果.jsonl" in " ".join(shown.split())


def test_english_reads_as_it_did(run, released):
    rows = [
        answer("a", "Hall A opens at 9.", "Hall A closes at 5."),
        told("endless", "d"),
        answer("e", "Hall A mumbles.", "Hall A lends 20 books.", context_id="x-e"),
    ]
    path = write_rows(Path("a.jsonl"), rows)
    shown = run("judge", path, *REF, "--extraction-repeats", 2).stdout
    assert [line.rstrip() for line in shown.splitlines()] == [
        "faithfulness-verdict@1.0.0 · policy strict · threshold 0.5",
        "judge scripted:script.yaml (as pinned)",
        "3 answers, 2 with a score; 4 claims; 2 contexts",
        "",
        "mean score    .50 [.50 .50]   faithfulness-verdict@1.0.0, strict",
        "pass rate     .67 [.21 .94]   at 0.5; faithfulness-verdict@1.0.0, strict",
        "support rate  .50 [.09 .91]   of claims asked, as the judge has it",
        "corrected     –               the release has no evidence that could be read",
        "coverage      .75 [.26 .96]   failures: unparsable 1",
        "without a score: extraction failed: truncated (1)",
        "",
        "claims of 1 answer extracted by extract@1.0.0/en at temperature 0",
        "failed, so without a score: truncated 1",
        "score SD      –               no answer is scored in two draws",
        "range         –               no answer is scored in two draws",
        "pass and fail –               no claim is part of an answer scored in two draws",
        "claims recur  –               no answer has a claim in two draws",
        "",
        "lowest  score  claims  cost points",
        "a        0.50       2  no: Hall A closes at 5.",
        "e        0.50       2  unparsable: Hall A mumbles.",
        "",
        "note: lang guessed from the script (3)",
        "note: errors are corrected as on gold claims, which no judge extracted",
        "--out FILE writes one row an answer, with every verdict.",
    ]


def test_another_judge_is_warned_of_in_chinese(run, sample):
    other = write_judge(Path(), name="other")
    ended = run("judge", sample, *REF, "--judge", other, "--lang", "zh", "-q")
    assert ended.exit_code == 0
    assert "（不是发布版本固定的裁判）" in ended.stdout
    assert ended.stderr.startswith("警告：裁判不是 faithfulness-verdict@1.0.0 测量时所用的裁判。")
    assert "询问的是 scripted:other.yaml" in ended.stderr
    assert left_in_english(ended.stderr) == []


def test_a_judge_that_does_not_answer_is_told_of_in_chinese(run, released):
    away = write_judge(Path(), [("", {"error": "connection"})], name="away")
    path = write_rows(Path("a.jsonl"), [told("甲馆九点开放。")])
    ended = run("judge", path, *REF, "--judge", away, "--lang", "zh", "-q")
    assert ended.exit_code == 4
    assert "运行提前结束：没有一次调用得到回复（最后一次：connection" in ended.stderr
    assert "裁判恢复后再次运行即可。" in "".join(ended.stderr.split())
    assert left_in_english(ended.stderr + ended.stdout) == []


def test_a_spent_budget_is_told_of_in_chinese(run, sample):
    spent = ("--budget-calls", 2, "--budget-usd", 0.5, "--budget-minutes", 60)
    ended = run("judge", sample, *REF, *spent, "--lang", "zh", "-q")
    assert ended.exit_code == 3
    assert (
        "运行提前结束：预算（0.5 美元、2 次调用、60 分钟）已用完。再次运行即可继续。"
        in ended.stderr
    )
    assert "尚未评判：运行提前结束" in ended.stdout
    assert left_in_english(ended.stderr + ended.stdout) == []


def test_replies_that_nobody_can_read_are_told_of_in_chinese(run, released):
    path = write_rows(Path("a.jsonl"), [answer("a", "Hall A mumbles.")])
    ended = run("judge", path, *REF, "--lang", "zh", "-q")
    assert ended.exit_code == 4
    assert ended.stderr == "没有一条回复可以读取，因此没有分数。\n"
    assert left_in_english(ended.stdout) == []


def test_rows_that_cannot_be_written_leave_the_replies(run, sample, monkeypatch):
    from metajudge.errors import InputError, Problem
    from metajudge.release import judged_file

    def full(judged, out):
        raise InputError(Problem(str(out), "the place must be writable", "Choose another."))

    monkeypatch.setattr(judged_file, "write_judged", full)
    ended = run("judge", sample, *REF, "--out", "o.jsonl", "--lang", "zh", "-q")
    assert ended.exit_code == 2
    assert "所有回复都保存在 .metajudge/replies.sqlite" in "".join(ended.stderr.split("\n  "))


def test_json_and_rows_are_the_same_in_both_languages(run_json, run, sample):
    english = run_json("judge", sample, *REF)
    chinese = run_json("judge", sample, *REF, "--lang", "zh")
    del english["summary"]["calls"], chinese["summary"]["calls"]
    assert chinese == english
    run("judge", sample, *REF, "--out", "o.jsonl", "--lang", "zh")
    rows = [json.loads(line) for line in Path("o.jsonl").read_text("utf-8").splitlines()]
    assert rows == english["answers"]


def test_another_language_is_refused_as_everywhere(run, sample):
    ended = run("judge", sample, *REF, "--lang", "de")
    assert ended.exit_code == 2
    fault = ended.stderr.splitlines()[-1]
    assert "--lang" in fault and "'de' is not one of 'en', 'zh'" in fault
    assert run("evaluate", sample, "--lang", "de").stderr.splitlines()[-1] == fault


SETBACK = Setback("connection", "mood")
STOPS = [
    Health(Limits(stop_after=1)).failed(SETBACK),
    Health(Limits()).failed(Setback("access", "mood")),
    Health(Limits()).failed(Setback("access", "no key: set the environment variable mood")),
    Health(Limits(stop_after=1)).refused(SETBACK, 1),
    Health(Limits(patience_s=1)).refused(Setback("rate_limit", "mood", 9.0), 1),
]
SAID = [
    *UNDEFINED,
    NOT_YET,
    *(f"{EXTRACTION_FAILED}: {name}" for name in FAILURES),
    *(stop.message for stop in STOPS if stop is not None),
    *(
        Absent("scripted:mood", missing, 7, Obstacle(what, command)).sentence
        for missing in (1, 7)
        for what, command in (
            ("its model is not on this machine", "scripted other"),
            ("there is no file scripted", ""),
            ("script is not installed", "other"),
            ("torch or transformers is not installed", "other"),
        )
    ),
    "interrupted. What is answered is kept; run again to go on.",
    "faithfulness-verdict@1.0.0 is deprecated: mood",
]


@pytest.mark.parametrize("text", SAID)
def test_whatever_ends_a_run_or_leaves_no_score_has_its_chinese(text):
    assert left_in_english(translated(text, "zh")) == []


@pytest.mark.parametrize("key", [key for key in WORDS if key.startswith("judged.")])
def test_no_text_of_the_account_is_english_in_chinese(key):
    assert left_in_english(re.sub(r"\{[^}]*\}", "", WORDS[key].zh)) == []
