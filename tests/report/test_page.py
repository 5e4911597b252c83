"""The page as Chromium shows it; passed over where there is none."""

import asyncio
from pathlib import Path

import pytest

from metajudge.report.html import write_html
from metajudge.report.ranked import ranked_trials
from metajudge.report.results import Results
from tests.report.chromium import Page, browser_path, open_page
from tests.report.factory import make_sweep
from tests.report.factory_texts import HOSTILE

needs_browser = pytest.mark.skipif(
    browser_path() is None, reason="no Chromium on this machine: the page is not looked at"
)
TABS = (
    *("overview", "selection", "stability", "calibration"),
    *("people", "changes", "claims", "details"),
)


async def show(page: Page, tab: str) -> None:
    await page.value(f"document.getElementById('tab-{tab}').click()")
    await page.until(f"!document.getElementById('panel-{tab}').hidden")


@pytest.mark.slow
@needs_browser
async def test_hostile_texts_are_shown_and_run_nothing(tmp_path: Path) -> None:
    hostile = make_sweep(60, 6, hostile=True)
    path = write_html(hostile.results, hostile.gold, tmp_path / "r.html")
    async with open_page(path) as page:
        for tab in TABS:
            await show(page, tab)
            await page.value("document.querySelectorAll('details').forEach(d => d.open = true)")
        await show(page, "claims")
        await page.value("document.querySelector('[name=only]').click()")
        await page.value("document.querySelectorAll('#claims details').forEach(d => d.open = true)")
        await page.until("document.querySelectorAll('#claims .context li').length > 0")
        assert await page.value("window.pwned") is None
        assert await page.value("document.querySelectorAll('img').length") == 0
        texts = await page.value(
            "[...document.querySelectorAll('#claims .text')].map(e => e.textContent)"
        )
        assert HOSTILE[0] in texts
        assert HOSTILE[2] in texts
        assert [url for url in page.requests if not url.startswith(("file:", "data:"))] == []
        assert page.log == []


async def check_screen(page: Page, width: int, language: str) -> None:
    await page.value(f"document.querySelector('[data-language={language}]').click()")
    for tab in TABS:
        await show(page, tab)
        for _ in range(150):  # the charts follow a new width in their own time
            if await page.value("document.documentElement.scrollWidth") <= width:
                break
            await asyncio.sleep(0.1)
        assert await page.value("document.documentElement.scrollWidth") <= width, tab
        panel = f"document.getElementById('panel-{tab}')"
        assert await page.value(f"{panel}.querySelector('.loading')") is None, tab
        drawn = await page.value(f"{panel}.querySelectorAll('.js-plotly-plot').length")
        charts = await page.value(f"{panel}.querySelectorAll('.chart').length")
        assert drawn == charts, tab
        wide = (
            f"[...{panel}.querySelectorAll('.main-svg')]"
            ".every(e => e.getBoundingClientRect().width <= innerWidth)"
        )
        assert await page.value(wide), tab
    shown = await page.value("getComputedStyle(document.querySelector('h2 .zh')).display")
    assert (shown != "none") == (language == "zh")


async def check_browsing(page: Page, wrong: int) -> None:
    await show(page, "claims")
    count = "Number(document.querySelector('#browser [data-shown]').textContent.match(/\\d+/)[0])"
    assert await page.value(count) == wrong
    await page.value("document.querySelector('[name=only]').click()")
    assert await page.value(count) == 120
    await page.value(
        "{const s = document.querySelector('[name=search]'); s.value = '随餐服用';"
        "s.dispatchEvent(new Event('input'))}"
    )
    await page.until(f"{count} === 12")
    await page.call("Input.dispatchKeyEvent", type="keyDown", key="j", text="j")
    assert await page.value("document.activeElement.classList.contains('claim')")
    await page.call("Input.dispatchKeyEvent", type="keyDown", key="o", text="o")
    assert await page.value("document.querySelector('#claims details').open")
    await page.value("document.querySelector('#filters button[type=reset]').click()")
    await page.until(f"{count} === {wrong}")


async def check_tabs(page: Page) -> None:
    """Arrow keys walk the tabs, and a link to a section opens its tab."""
    await show(page, "overview")
    await page.value("document.getElementById('tab-overview').focus()")
    await page.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight")
    await page.until("!document.getElementById('panel-selection').hidden")
    assert await page.value("document.activeElement.id") == "tab-selection"
    assert await page.value("document.querySelectorAll('[role=tab][tabindex=\\'0\\']').length") == 1
    await page.call("Input.dispatchKeyEvent", type="keyDown", key="End")
    await page.until("!document.getElementById('panel-details').hidden")
    await page.value("location.hash = '#controls'")
    await page.until("!document.getElementById('panel-stability').hidden")
    top = "document.getElementById('controls').getBoundingClientRect().top"
    await page.until(f"Math.abs({top} - 92) < 40")


async def check_flipping_claim(page: Page) -> None:
    """A claim that flips is one press away from its text."""
    await show(page, "stability")
    link = "[...document.querySelectorAll('#most-flipping a[data-claim]')][0]"
    claim = await page.value(f"{link}.dataset.claim")
    await page.value(f"{link}.click()")
    await page.until("!document.getElementById('panel-claims').hidden")
    heads = "[...document.querySelectorAll('#claims .claim-head bdi:first-child')]"
    await page.until(f"{heads}.length === 1")
    assert await page.value(f"{heads}.map(e => e.textContent)") == [claim]
    row = int(await page.value(f"{link}.dataset.choose")) + 1
    assert row > 1
    chosen = "document.querySelector('#claims .claim-head bdi:last-child').textContent"
    await page.value("new Promise(done => setTimeout(() => setTimeout(done)))")
    assert await page.value(chosen) == f"#{row}"


async def check_changes(page: Page, results: Results) -> None:
    """The change browser counts what Python counts, and lists what it counts."""
    rows = ranked_trials(results)
    was, now = (rows[row].verdicts for row in (3, 0))
    assert was is not None
    assert now is not None
    golds = [claim.gold for claim in results.claims]
    triples = list(zip(golds, was.verdicts, now.verdicts, strict=True))
    changed = [(g, a, b) for g, a, b in triples if a != b]
    better = sum(g == b for g, _, b in changed)
    worse = sum(g == a for g, a, _ in changed)
    await show(page, "selection")
    link = "document.querySelector('#comparisons a[data-is=\\'0\\']')"
    await page.value(f"{{const a = {link}; a.dataset.was = '3'; a.click()}}")
    await page.until("!document.getElementById('panel-changes').hidden")
    told = await page.value("document.querySelector('[data-told]').textContent")
    assert told.startswith(f"{len(changed)} of {len(golds)} verdicts change")
    assert f"{better} from wrong to right" in told
    assert f"{worse} from right to wrong" in told
    cell = "[...document.querySelectorAll('[data-tables] td button')][0]"
    n = int(await page.value(f"{cell}.textContent"))
    await page.value(f"{cell}.click()")
    listed = "Number(document.querySelector('#changes [data-shown]').textContent.match(/\\d+/)[0])"
    assert await page.value(listed) == n
    await page.value("document.querySelector('#change-rows [name=swap]').click()")
    told = await page.value("document.querySelector('[data-told]').textContent")
    assert f"{worse} from wrong to right" in told


@pytest.mark.slow
@needs_browser
async def test_fits_both_screens_in_both_languages_and_themes_and_can_be_browsed(
    tmp_path: Path,
) -> None:
    made = make_sweep(120, 12)
    path = write_html(made.results, made.gold, tmp_path / "r.html")
    first = made.results.ranking[0]
    verdicts = next(
        v for v in made.results.verdicts if (v.trial, v.reading) == (first.trial, first.reading)
    )
    wrong = sum(c.gold != v for c, v in zip(made.results.claims, verdicts.verdicts, strict=True))
    async with open_page(path) as page:
        await check_browsing(page, wrong)
        await check_tabs(page)
        await check_flipping_claim(page)
        await check_changes(page, made.results)
        await show(page, "overview")
        await page.value("document.querySelectorAll('.ranking th')[7].click()")
        assert await page.value("document.querySelector('.ranking th[aria-sort]') !== null")
        await page.value("document.querySelector('button[data-measure=bias]').click()")
        assert await page.value("document.querySelector('.policies [data-m=mean_score]').hidden")
        assert not await page.value("document.querySelector('.policies [data-m=bias]').hidden")
        await check_screen(page, 1280, "en")
        await check_screen(page, 1280, "zh")
        pager = "document.querySelector('#browser [data-page]').textContent"
        assert "第 1" in await page.value(pager)
        await page.screen(390, dark=True)
        await check_screen(page, 390, "en")
        await check_screen(page, 390, "zh")
        assert page.log == []


@pytest.mark.slow
@needs_browser
async def test_results_of_schema_1_0_open_without_an_error(tmp_path: Path) -> None:
    made = make_sweep(40, 3, whole=False)
    path = write_html(made.results, None, tmp_path / "r.html")
    async with open_page(path, width=390) as page:
        for tab in ("changes", "claims", "details", "overview"):
            await show(page, tab)
        assert await page.value("document.querySelector('#panel-overview .loading')") is None
        assert page.log == []
