"""The page of a tuning: what it holds, in both languages, and how it looks."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from metajudge.report.search_html import search_page, write_search_html
from metajudge.report.tune_plots import tune_plots
from metajudge.report.tune_results import Declare
from tests.report.chromium import browser_path, open_page
from tests.report.test_tune_report import EVIL, results, shown

DECLARED = Declare(trial="plain", reading="batch_corrected@0.34", policy="partial(0.35)")


def told(page: str) -> str:
    """The page's texts in a row, white space folded."""
    return " ".join(re.sub(r"<script.*?</script>|<style.*?</style>", "", page, flags=re.S).split())


def test_the_page_has_the_decision_tables_charts_and_what_to_declare() -> None:
    page = search_page(results(declare=DECLARED, told_apart=True))
    for said in (
        "CHOSEN ON DEV",
        "开发集上选出",
        ">Tuning<",
        ">调优<",
        "How much of it is luck",
        "Answer scores against gold, by the credit of idk",
        "未被其他安全设置全面超过的设置，按目标",
        "<bdi>readings: - batch_corrected@0.34 policies: - partial(0.35)</bdi>",
        'id="chart-front"',
        'id="chart-weights"',
    ):
        assert said in told(page), said


@pytest.mark.parametrize(
    ("note", "wanted"),
    [
        ("Not tuned: a (top): breaks insensitive.", "未调优：a (top)：突破 insensitive。"),
        ("Nothing is held to flip_rate: repeats were not asked.", "没有询问重复"),
        ("a: no label probabilities, so no batch_corrected reading.", "没有标签概率"),
        ("b: the store lacks replies to 3 of 4 claims, so it is left out.", "缺少 4 条陈述中 3 条"),
    ],
)
def test_notes_are_told_in_chinese_too(note: str, wanted: str) -> None:
    found = results(notes=(note,))
    assert wanted in told(search_page(found)) and note in told(search_page(found))
    assert wanted in "".join(shown(found, "zh").split("\n"))


def test_without_charts_and_declarations_their_parts_are_left_out() -> None:
    bare = results(front=(), weights=None, luck=None)
    assert tune_plots(bare, "en") == {}
    page = search_page(bare)
    assert 'id="plotly"' not in page and 'id="charts"' not in page and "readings:" not in page


def test_charts_hold_the_figures_of_the_tables() -> None:
    drawn = tune_plots(results(), "zh")
    (points,) = drawn["front"]["data"]
    assert (points["x"], points["y"]) == ([0.25, 0.2], [1.0, 2.0])
    assert drawn["front"]["layout"]["yaxis"]["title"]["text"] == "每条陈述的试验数"
    error, bias = drawn["weights"]["data"]
    assert (error["name"], bias["name"]) == ("平均误差", "偏差")
    assert error["x"] == [0.0, 0.35, 0.5, 0.7, 1.0] and error["y"] == [0.25] * 5


def test_what_files_say_stays_text() -> None:
    evil = results(name=EVIL, question=EVIL, notes=(EVIL,))
    page = search_page(evil)
    assert "<img" not in page and "\\x1b" not in page and "\u202e" not in page


@pytest.mark.skipif(browser_path() is None, reason="no Chromium on this machine")
def test_it_opens_from_disk_and_draws_both_charts(tmp_path: Path) -> None:
    path = write_search_html(results(declare=DECLARED), tmp_path / "tune.html", "zh")
    found = asyncio.run(_looked_at(path))
    assert found == {"lang": "zh-CN", "charts": 2, "wide": False}


async def _looked_at(path: Path) -> dict[str, Any]:
    script = """JSON.stringify({
      lang: document.documentElement.lang,
      charts: document.querySelectorAll(".js-plotly-plot .main-svg").length > 0
        ? document.querySelectorAll(".js-plotly-plot").length : 0,
      wide: document.documentElement.scrollWidth > innerWidth,
    })"""
    async with open_page(path, width=390) as page:
        found = json.loads(await page.value(script))
        assert page.log == [] and page.requests == [path.as_uri()]
        return dict(found)
