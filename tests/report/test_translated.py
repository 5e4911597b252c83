"""Reasons and notes in Chinese: whatever a file of results says is found by its English text."""

from __future__ import annotations

from io import StringIO
from string import Formatter

import pytest
from rich.console import Console

from metajudge.agreement.correction import rogan_gladen
from metajudge.release.consult.thresholds import NO_CHOICE, NO_GOLD
from metajudge.report.html import html_page
from metajudge.report.markdown import render_markdown
from metajudge.report.remarks import stop_sentence
from metajudge.report.terminal import print_terminal
from metajudge.report.translated import SAID, translated
from metajudge.report.words import WORDS
from tests.report.consult_factory import make_consult
from tests.report.factory import make_sweep
from tests.report.test_consult_text import shown


def test_a_near_singular_matrix_is_told_in_chinese_as_it_is_worded() -> None:
    alike = [[5, 5, 0], [5, 5, 0]]
    reason = rogan_gladen(alike, [5, 5, 0], [alike], [[5, 5, 0]]).reason
    assert reason is not None
    assert translated(reason, "en") == reason
    assert translated(reason, "zh").startswith("误差矩阵接近奇异（最小奇异值 0.000，低于 0.15）")


@pytest.mark.parametrize("text", [NO_CHOICE, NO_GOLD])
def test_thresholds_that_are_none_say_so_in_chinese(text: str) -> None:
    assert translated(text, "zh").isascii() is False


@pytest.mark.parametrize("key", [key for key in WORDS if SAID in key])
def test_every_translation_is_found_by_its_english_text(key: str) -> None:
    english, chinese = WORDS[key]
    values = {name: f"{{x}} {name}" for _, name, _, _ in Formatter().parse(english) if name}
    assert translated(english.format(**values), "zh") == chinese.format(**values)


def test_a_side_that_names_no_judge_is_noted_in_each_language() -> None:
    note = "literal+strict names no judge and is asked of the other side's."
    report = make_consult().model_copy(update={"notes": (note,)})
    assert note in " ".join(shown(report).split())
    assert "literal+strict没有指定裁判" in "".join(shown(report, "zh").split())


def test_why_asking_stopped_is_told_in_each_language() -> None:
    report = make_consult()
    stopped = {
        "stopped": "budget",
        "message": "the budget of 500 calls is spent. Run again to go on.",
    }
    calls = report.calls.model_copy(update=stopped)
    report = report.model_copy(update={"calls": calls})
    english = "Asking ended early: the budget is spent (the budget of 500 calls is spent. Run again"
    assert english in " ".join(shown(report).split())
    chinese = "提问提前结束：预算用完（预算（500次调用）已用完。再次运行即可继续）。"
    assert chinese in "".join(shown(report, "zh").split())


def test_why_a_sweep_stopped_is_told_in_each_language() -> None:
    results = make_sweep(60, 3).results
    stopped = {
        "stopped": "budget",
        "message": "the budget of 24 calls is spent. Run again to go on.",
    }
    calls = results.calls.model_copy(update=stopped)
    results = results.model_copy(update={"calls": calls})
    english = "The run stopped early: the budget of 24 calls is spent. Run again to go on."
    assert stop_sentence(results, "en") == english
    chinese = "运行提前停止：预算（24 次调用）已用完。再次运行即可继续。"
    assert stop_sentence(results, "zh") == chinese


@pytest.mark.parametrize(
    ("budget", "chinese"),
    [
        ("2 USD", "2 美元"),
        ("2 USD or 24 calls", "2 美元或 24 次调用"),
        ("1 call or 3 minutes", "1 次调用或 3 分钟"),
        ("1 USD or 2 calls or 3 minutes", "1 美元、2 次调用或 3 分钟"),
        ("24 calls and 2 USD", "24 次调用和 2 美元"),
        ("24 calls and 2 USD and 1 minute", "24 次调用、2 美元和 1 分钟"),
    ],
)
def test_budgets_of_several_limits_are_told_in_chinese(budget: str, chinese: str) -> None:
    text = f"the budget of {budget} is spent. Run again to go on."
    assert translated(text, "zh") == f"预算（{chinese}）已用完。再次运行即可继续。"


def test_notes_of_a_sweep_are_told_in_each_language() -> None:
    note = "m: 3 of 4 replies came without seed, which the server refuses"
    chinese = "m：4 次答复中有 3 次未带 seed（服务器拒绝该设置）"
    results = make_sweep(60, 3).results.model_copy(update={"notes": (note, "of my own")})
    for language, told in (("en", note), ("zh", chinese)):
        notes = render_markdown(results, language)
        assert told in notes and "of my own" in notes
    terminal = Console(file=StringIO(), width=200)
    with terminal.capture() as shown_there:
        print_terminal(results, terminal, "zh")
    assert chinese in shown_there.get()
    page = html_page(results)
    assert note in page and chinese in page
