"""What verbs tell on standard error where a run ends early: in the language of the report."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from metajudge.report.words import WORDS
from tests.cli.folders import two_wordings
from tests.cli.test_judge_zh import left_in_english
from tests.cli.test_race import racing
from tests.experiment.folder import write_script
from tests.release.applied import answer, write_judge, write_rows

SPENT = ("--budget-calls", 20, "-q")


def joined(stderr: str) -> str:
    """Chinese lines put together again."""
    return "".join(line.strip() for line in stderr.splitlines())


@pytest.mark.parametrize("verb", ["sweep", "select", "stability", "power"])
def test_a_spent_budget_is_told_in_chinese(run, verb):
    two_wordings()
    ended = run(verb, *SPENT, "--lang", "zh")
    assert ended.exit_code == 3
    told = joined(ended.stderr)
    assert "test 提前停止：预算（20 次调用）已用完。再次运行即可继续。" in told
    assert "届时只问缺少的部分。--budget-… 可改上限。" in told


def test_a_spent_budget_of_a_comparison_is_told_in_chinese(run):
    two_wordings()
    ended = run("compare", "mine", "literal", "--in", ".", *SPENT, "--lang", "zh")
    assert "test 提前停止：预算（20 次调用）已用完。" in joined(ended.stderr)


def test_a_spent_budget_of_a_race_is_told_in_chinese(run):
    racing()
    ended = run("race", "-y", *SPENT, "--lang", "zh")
    assert ended.exit_code == 3
    assert "预算（20 次调用）已用完。" in joined(ended.stderr)


def test_replies_that_are_no_verdicts_are_told_in_chinese(run):
    two_wordings()
    write_script(Path(), [("", "hm, well")])
    ended = run("sweep", "-q", "--lang", "zh")
    assert ended.exit_code == 4
    told = joined(ended.stderr)
    assert "没有一条回复可读作裁决（无法解析" in told and "请换一个裁判" in told


def test_a_lost_confirmation_is_told_in_chinese(run):
    two_wordings()
    assert run("select", "--confirm", "--quiet").exit_code == 0
    two_wordings(policies=["lenient"])
    ended = run("sweep", "-q", "--lang", "zh")
    assert "的确认不再保留：实验、标签或模板已经不同。" in joined(ended.stderr)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--budget-calls", 1), "运行提前结束：预算（1 次调用）已用完。再次运行即可继续。"),
        ((), "没有一条回复可以读取，因此没有分数。"),
    ],
)
def test_evaluate_tells_in_chinese_why_there_is_no_score(run, more, told):
    judge = write_judge(Path(), [("", "hm, well")], name="mumbling")
    rows = write_rows(Path("a.jsonl"), [answer("a", "Hall A opens.", "Hall A closes.")])
    given = ("--metrics", "faithfulness", "--judge", judge, "--lang", "zh", "-q")
    ended = run("evaluate", rows, *given, *more)
    assert told in joined(ended.stderr)
    assert ("无法解析 2" in ended.stdout) is not bool(more)


@pytest.mark.parametrize("key", [key for key in WORDS if key.startswith("message.")])
def test_no_message_is_english_in_chinese(key):
    plain = re.sub(r"\{[^}]*\}|--budget", "", WORDS[key].zh)
    assert left_in_english(plain) == []
