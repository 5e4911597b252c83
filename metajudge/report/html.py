"""The report as one HTML file: no network, two languages, light and dark, phone and desk."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from metajudge.gold.goldset import GoldSet
from metajudge.report.browser import browser_data
from metajudge.report.charts import charts
from metajudge.report.figure_text import (
    UNDEFINED,
    brackets,
    compact,
    count,
    p_text,
    signed,
    with_interval,
)
from metajudge.report.inert import script_json, visible
from metajudge.report.page_parts import page_parts
from metajudge.report.part import Figure
from metajudge.report.plots import csp_hash, plotly_script
from metajudge.report.prompts import Prompts
from metajudge.report.ranked import RankedTrial, calibrated_rows, ranked_trials, winner_row
from metajudge.report.results import Results
from metajudge.report.words import Language, words_with
from metajudge.report.written_file import write_whole

SCRIPTS = ("page.js", "tabs.js", "browser.js", "changes.js", "plotly.js", "charts.js")


def write_html(
    results: Results,
    gold: GoldSet | None,
    path: str | Path,
    language: Language = "en",
    prompts: Prompts | None = None,
) -> Path:
    """Writes the report, about 2 MB plus texts; it opens from disk and asks nothing of a network.

    Args:
        results: A finished sweep.
        gold: Where the texts of claims and contexts come from; None shows ids alone.
        path: The file; its folder is made.
        language: Shown first; the page holds both.
        prompts: What was sent, from `prompt_shapes`; None leaves the prompts out.

    Raises:
        InputError: When the place cannot be written to.
    """
    return write_whole(path, html_page(results, gold, language, prompts))


def html_page(
    results: Results,
    gold: GoldSet | None = None,
    language: Language = "en",
    prompts: Prompts | None = None,
) -> str:
    """The report as HTML text.

    Only scripts whose hashes stand in the page's content security policy can run, so that a
    judged text stays text even where escaping should fail.
    """
    rows = ranked_trials(results)
    scripts = [static(name) for name in SCRIPTS]
    plotly = plotly_script()
    hashes = [*(csp_hash(code.encode()) for code in scripts), plotly.csp_hash]
    template = environment().get_template("page.html.j2")
    return template.render(
        **page_parts(results, rows, gold),
        language=language,
        csp=content_policy(hashes),
        css=Markup(static("page.css")),
        scripts=[Markup(code) for code in scripts],
        plotly=Markup(plotly.gzip_base64),
        data=Markup(script_json(_data(results, rows, gold, language, prompts or {}))),
    )


def _data(
    results: Results,
    rows: Sequence[RankedTrial],
    gold: GoldSet | None,
    language: Language,
    prompts: Prompts,
) -> dict[str, object]:
    won = winner_row(results, rows)
    first = 0 if won is None else won.row - 1
    baseline = next((r.row - 1 for r in rows if r.trial == results.baseline), None)
    other = next((index for index in range(len(rows)) if index != first), first)
    return {
        "language": language,
        "words": words_with(row.reading for row in rows),
        "first": first,
        "second": other if baseline in (None, first) else baseline,
        "browser": browser_data(results, rows, gold, prompts),
        "charts": charts(results, rows),
        "calibrated": [row.row - 1 for row, _ in calibrated_rows(results, rows)],
    }


def content_policy(script_hashes: Sequence[str]) -> str:
    """A content security policy that runs these scripts and asks nothing of a network."""
    return (
        f"default-src 'none'; script-src {' '.join(script_hashes)}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def static(name: str) -> str:
    """A file of the folder `page`."""
    return files("metajudge.report").joinpath("page", name).read_text(encoding="utf-8")


def environment() -> Environment:
    """The page templates, with the filters that show figures; every text is escaped."""
    folder = files("metajudge.report").joinpath("page")
    names = sorted(file.name for file in folder.iterdir() if file.name.endswith(".j2"))
    made = Environment(
        loader=DictLoader({name: static(name) for name in names}),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "brackets": _brackets,
        "compact": compact,
        "count": count,
        "dot": _dot,
        "interval": with_interval,
        "p": p_text,
        "percent": _percent,
        "shown": lambda text: visible(str(text)),
        "signed": signed,
        "span": _span,
        "whole": lambda value: UNDEFINED if value is None else count(round(value)),
    }
    return made


def _brackets(figure: Figure, sign: bool = False) -> str:
    return brackets(figure, sign=sign)


def _percent(value: float) -> str:
    return f"{100 * min(1.0, max(0.0, value)):.1f}%"


def _place(value: float, sign: bool, top: float) -> float:
    return min(1.0, max(0.0, (value / top + 1) / 2 if sign else value / top))


def _span(figure: Figure, sign: bool = False, top: float = 1.0) -> str:
    low, high = (_place(v or 0.0, sign, top) for v in (figure.low, figure.high))
    return f"left:{_percent(low)};width:{_percent(high - low)}"


def _dot(figure: Figure, sign: bool = False, top: float = 1.0) -> str:
    return f"left:{_percent(_place(figure.value or 0.0, sign, top))}"
