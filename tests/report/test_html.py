import asyncio
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from metajudge.report.html import html_page, write_html
from metajudge.report.words import Language
from tests.report.chromium import Page, browser_path, open_page
from tests.report.factory import HOSTILE, MadeSweep, make_sweep

needs_browser = pytest.mark.skipif(
    browser_path() is None, reason="no Chromium on this machine: the page is not looked at"
)


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def tags(page: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Tags()
    parser.feed(page)
    return parser.found


@pytest.fixture(scope="module")
def hostile() -> MadeSweep:
    return make_sweep(60, 6, hostile=True)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_self_contained_and_inert(hostile: MadeSweep, language: Language) -> None:
    page = html_page(hostile.results, hostile.gold, language)
    found = tags(page)
    kinds = {tag for tag, _ in found}
    assert not kinds & {"img", "link", "iframe", "object", "embed", "base", "audio", "video"}
    assert len([tag for tag, _ in found if tag == "script"]) == 5
    assert not [a for _, attrs in found for a in attrs if a.startswith("on") or a == "src"]
    assert not [a["href"] for _, a in found if "href" in a and not str(a["href"]).startswith("#")]
    assert f'<html lang="{"zh-CN" if language == "zh" else "en"}">' in page


def test_policy_allows_only_the_page_s_own_scripts(hostile: MadeSweep) -> None:
    page = html_page(hostile.results, hostile.gold)
    (policy,) = [a["content"] for _, a in tags(page) if a.get("http-equiv")]
    assert policy is not None
    scripts = next(p for p in policy.split("; ") if p.startswith("script-src"))
    assert "default-src 'none'" in policy
    assert re.fullmatch(r"script-src( 'sha256-[A-Za-z0-9+/=]{44}'){4}", scripts)


def test_texts_that_look_like_templates_stay(hostile: MadeSweep) -> None:
    page = html_page(hostile.results, hostile.gold)
    assert "{{ 7*7 }}" in page
    assert "\u202e" not in page
    assert "\u2028" not in page
    assert "\x1b" not in page


@pytest.mark.parametrize("language", ["en", "zh"])
def test_both_languages_are_in_the_page(language: Language) -> None:
    made = make_sweep(30, 2)
    page = html_page(made.results, made.gold, language)
    assert made.results.decision.sentence in page
    assert made.results.decision.sentence_zh in page
    for key in ("lenient", "strict", "partial(0.5)", "drop_idk", made.results.gold.sha256):
        assert key in page


def test_without_gold_without_trials_and_binary(tmp_path: Path) -> None:
    for made in (make_sweep(5, 0), make_sweep(20, 2, ("top",), binary=True), make_sweep(1, 1)):
        path = write_html(made.results, None, tmp_path / "deep" / "report.html")
        assert "not part of this report" in path.read_text(encoding="utf-8")


def test_a_gold_set_that_was_not_judged_is_named() -> None:
    made, other = make_sweep(20, 1), make_sweep(21, 1)
    said = "is not the one that was judged"
    assert said not in re.sub(
        r"<script.*?</script>", "", html_page(made.results, made.gold), flags=re.S
    )
    assert said in re.sub(
        r"<script.*?</script>", "", html_page(made.results, other.gold), flags=re.S
    )


def test_same_results_same_bytes() -> None:
    made = make_sweep(20, 2)
    assert html_page(made.results, made.gold) == html_page(made.results, made.gold)


def test_b34_nothing_defined_still_shows() -> None:
    made = make_sweep(30, 2)
    blank = made.results.ranking[0].target.model_copy(
        update={"value": None, "low": None, "high": None, "reason": "nothing to count"}
    )
    trials = tuple(
        t.model_copy(update={"figures": dict.fromkeys(t.figures, blank)})
        for t in made.results.trials
    )
    page = html_page(made.results.model_copy(update={"trials": trials}), made.gold)
    assert "nothing to count" in page


@pytest.mark.slow
@needs_browser
async def test_hostile_texts_are_shown_and_run_nothing(tmp_path: Path, hostile: MadeSweep) -> None:
    path = write_html(hostile.results, hostile.gold, tmp_path / "r.html")
    async with open_page(path) as page:
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
    for _ in range(150):  # the charts follow a new width in their own time
        if await page.value("document.documentElement.scrollWidth") <= width:
            break
        await asyncio.sleep(0.1)
    assert await page.value("document.documentElement.scrollWidth") <= width
    assert await page.value("document.querySelectorAll('.js-plotly-plot .main-svg').length") >= 2
    assert await page.value("document.querySelector('.loading')") is None
    shown = await page.value("getComputedStyle(document.querySelector('h2 .zh')).display")
    assert (shown != "none") == (language == "zh")


async def check_browsing(page: Page, wrong: int) -> None:
    count = "Number(document.querySelector('[data-shown]').textContent.match(/\\d+/)[0])"
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
    await page.value("document.querySelector('button[type=reset]').click()")
    await page.until(f"{count} === {wrong}")


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
        await page.value("document.querySelectorAll('.ranking th')[7].click()")
        assert await page.value("document.querySelector('.ranking th[aria-sort]') !== null")
        await page.value("document.querySelector('button[data-measure=bias]').click()")
        bias = "getComputedStyle(document.querySelector('.m-bias')).display"
        assert await page.value(bias) != "none"
        await check_screen(page, 1280, "en")
        await check_screen(page, 1280, "zh")
        assert "第 1" in await page.value("document.querySelector('[data-page]').textContent")
        await page.screen(390, dark=True)
        await check_screen(page, 390, "en")
        await check_screen(page, 390, "zh")
        assert page.log == []
