import re
from pathlib import Path

import pytest

from metajudge.report.consult_blocks import consult_blocks
from metajudge.report.consult_charts import histograms, part_bars
from metajudge.report.consult_html import SCRIPTS, consult_page, write_consult_html
from metajudge.report.consult_results import ConsultReport
from metajudge.report.consult_rule import Decision
from metajudge.report.words import Language
from tests.report.chromium import browser_path, open_page
from tests.report.consult_factory import make_consult
from tests.report.consult_factory_parts import FEW
from tests.report.factory_texts import HOSTILE
from tests.texts import tags

needs_browser = pytest.mark.skipif(
    browser_path() is None, reason="no Chromium on this machine: the page is not looked at"
)
DECISIONS: tuple[Decision, ...] = ("adopt", "hold", "collect", "nothing_changes")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_self_contained_and_inert(language: Language) -> None:
    page = consult_page(make_consult("collect", hostile=True, failures=True), language)
    found = tags(page)
    assert not {tag for tag, _ in found} & {"img", "link", "iframe", "object", "embed", "base"}
    assert len([tag for tag, _ in found if tag == "script"]) == 1 + len(SCRIPTS)
    assert not [a for _, attrs in found for a in attrs if a.startswith("on") or a == "src"]
    assert not [a["href"] for _, a in found if "href" in a and not str(a["href"]).startswith("#")]
    assert f'<html lang="{"zh-CN" if language == "zh" else "en"}">' in page
    assert not {"\u202e", "\u2028", "\x1b"} & set(page)
    (policy,) = [a["content"] for _, a in found if a.get("http-equiv")]
    assert policy is not None
    assert re.search(r"script-src( 'sha256-[A-Za-z0-9+/=]{44}'){2};", policy)


@pytest.mark.parametrize("decision", DECISIONS)
@pytest.mark.parametrize("variant", [{}, {"gold": False}, {"judges": True, "failures": True}])
def test_every_link_and_label_has_its_target(decision: Decision, variant: dict[str, bool]) -> None:
    found = tags(consult_page(make_consult(decision, **variant)))  # type: ignore[arg-type]
    ids = [a["id"] for _, a in found if "id" in a]
    assert len(ids) == len(set(ids))
    wanted = [str(a["href"])[1:] for _, a in found if "href" in a]
    wanted += [str(a["aria-labelledby"]) for _, a in found if "aria-labelledby" in a]
    assert wanted
    assert not [name for name in wanted if name not in ids]


@pytest.mark.parametrize("decision", DECISIONS)
@pytest.mark.parametrize(
    "variant", [{}, {"gold": False}, {"judges": True, "failures": True}, {"once": True}]
)
def test_both_languages_have_the_same_parts(decision: Decision, variant: dict[str, bool]) -> None:
    report = make_consult(decision, **variant)  # type: ignore[arg-type]
    shapes = [
        [
            (
                name,
                len(b.lead),
                len(b.heads),
                [len(row.cells) for row in b.lines],
                len(b.under(lang)),
            )
            for name, b in consult_blocks(report, lang).items()
        ]
        for lang in ("en", "zh")
    ]
    assert shapes[0] == shapes[1]
    assert all(set(widths) <= {heads} for _, _, heads, widths, _ in shapes[0])


def test_the_table_of_verdicts_has_all_cells_and_their_sums() -> None:
    report = make_consult(failures=True)
    page = consult_page(report)
    (table,) = re.findall(r'<figure class="confusion heat-flips">.*?</figure>', page, flags=re.S)
    cells = [int(n) for n in re.findall(r"<td class=\"(?:same|moved)\"[^>]*>(\d+)</td>", table)]
    assert len(cells) == 16
    assert sum(cells) == report.flips.claims


def test_histograms_share_a_scale_and_mark_the_threshold() -> None:
    was, now = histograms(make_consult())
    assert len(was.columns) == len(now.columns) == 10
    tallest = max((*was.columns, *now.columns), key=lambda column: column.n)
    for column in (*was.columns, *now.columns):
        assert column.height == pytest.approx(tallest.height * column.n / tallest.n)
    assert was.threshold < now.threshold


def test_bars_hold_part_interval_and_total_and_leave_out_what_was_not_asked() -> None:
    report = make_consult()
    charts = part_bars(report)
    assert [len(chart.bars) for chart in charts] == [4, 4, 4]
    for bar in charts[0].bars:
        assert bar.low is not None
        assert bar.high is not None
        assert min(bar.low, bar.high) >= 0
        assert bar.low <= bar.high
        assert bar.x <= charts[0].zero <= bar.x + bar.width + 0.011
    steps = tuple(step.model_copy(update={"pass_rate": None}) for step in report.parts.parts)
    missing = report.parts.model_copy(update={"parts": steps})
    bars = part_bars(report.model_copy(update={"parts": missing}))[1].bars
    assert [bar.text for bar in bars[:3]] == ["–"] * 3
    assert part_bars(make_consult("nothing_changes")) == ()


def test_few_contexts_are_marked_at_every_figure_and_told_once() -> None:
    report = make_consult("collect", failures=True)
    lone = report.scores.mean_shift.model_copy(update={"warning": FEW.replace("12 ", "1 ")})
    scores = report.scores.model_copy(update={"mean_shift": lone})
    page = consult_page(report.model_copy(update={"scores": scores}))
    marks = re.findall(r'<span class="warn" title="([^"]+)">!</span>', page)
    assert marks.count(FEW) == 1
    assert marks.count("1 cluster, under 30: intervals tend to be too narrow") == 1
    assert page.count("Few contexts stand behind some figures (1 to 12, under 30)") == 1


def test_same_report_same_bytes(tmp_path: Path) -> None:
    report = make_consult()
    path = write_consult_html(report, tmp_path / "deep" / "consult.html", "zh")
    assert path.read_text(encoding="utf-8") == consult_page(report, "zh")


async def check_screen(report: ConsultReport, path: Path, width: int, dark: bool) -> None:
    write_consult_html(report, path)
    async with open_page(path, width=width, dark=dark) as page:
        for language in ("en", "zh"):
            await page.value(f"document.querySelector('[data-language={language}]').click()")
            await page.value("document.querySelectorAll('details').forEach(d => d.open = true)")
            assert await page.value("document.documentElement.scrollWidth") <= width
            shown = await page.value("getComputedStyle(document.querySelector('h2 .zh')).display")
            assert (shown != "none") == (language == "zh")
            drawn = (
                f"[...document.querySelectorAll('svg text.{language}')]"
                ".every(e => getComputedStyle(e).display !== 'none')"
            )
            assert await page.value(drawn)
        assert await page.value("window.pwned") is None
        assert [url for url in page.requests if not url.startswith("file:")] == []
        assert page.log == []


@pytest.mark.slow
@needs_browser
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
async def test_fits_both_screens_in_both_languages(tmp_path: Path, width: int, dark: bool) -> None:
    hostile = make_consult("collect", hostile=True, failures=True, judges=True)
    for name, report in (("plain", make_consult()), ("hostile", hostile)):
        await check_screen(report, tmp_path / f"{name}.html", width, dark)


@pytest.mark.slow
@needs_browser
async def test_hostile_texts_are_shown_as_they_are(tmp_path: Path) -> None:
    path = write_consult_html(make_consult(hostile=True), tmp_path / "r.html")
    async with open_page(path) as page:
        texts = await page.value("[...document.querySelectorAll('.text')].map(e => e.textContent)")
        assert HOSTILE[0] in texts
        assert await page.value("document.querySelectorAll('img').length") == 0
