"""A consultation as one HTML file: no network, two languages, light and dark, phone and desk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup

from metajudge.report.browser import VERDICT_LETTERS
from metajudge.report.consult_block import (
    Block,
    Cell,
    Example,
    Shown,
    cell_text,
    right_columns,
    warning_lines,
)
from metajudge.report.consult_blocks import consult_blocks
from metajudge.report.consult_charts import WIDTH, histograms, part_bars
from metajudge.report.consult_decision import (
    about,
    decision_sentence,
    intervals_line,
    note_lines,
    provenance_pairs,
    scored_by,
    unanswered_lines,
)
from metajudge.report.consult_results import ConsultReport, SideScores
from metajudge.report.html import content_policy, environment, static
from metajudge.report.inert import script_json
from metajudge.report.part import Figure, VerdictCode
from metajudge.report.plots import csp_hash
from metajudge.report.remarks import warning_text
from metajudge.report.words import WORDS, Language, Words, both
from metajudge.report.written_file import write_whole

SCRIPTS = ("page.js", "consult.js")
STYLES = ("page.css", "consult.css")
INSIDE = ("languages", "paths", "gold_flips")
"""Parts that stand in the section of another one."""
VERDICTS: tuple[VerdictCode, ...] = ("yes", "no", "idk", "failure")
_SCRIPT_WORDS = ("show_all", "show_fewer")


class PageCell(NamedTuple):
    """A cell in both languages; a figure is drawn by the page."""

    text: Words
    figure: Figure | None
    sign: bool
    before: str


class PageLine(NamedTuple):
    """A row in both languages."""

    cells: tuple[PageCell, ...]
    examples: tuple[Example, ...]
    state: str


class PageBlock(NamedTuple):
    """A part of the report in both languages."""

    name: str
    title: Words
    lead: tuple[Words, ...]
    heads: tuple[Words, ...]
    right: tuple[bool, ...]
    lines: tuple[PageLine, ...]
    under: tuple[Words, ...]


def write_consult_html(report: ConsultReport, path: str | Path, language: Language = "en") -> Path:
    """Writes the report; it opens from disk and asks nothing of a network.

    Args:
        report: A consultation.
        path: The file; its folder is made.
        language: Shown first; the page holds both.

    Raises:
        InputError: When the place cannot be written to.
    """
    return write_whole(path, consult_page(report, language))


def consult_page(report: ConsultReport, language: Language = "en") -> str:
    """The report as HTML text; only the page's own scripts can run."""
    scripts = [static(name) for name in SCRIPTS]
    words = {key: WORDS[key] for key in _SCRIPT_WORDS}
    return (
        environment()
        .get_template("consult.html.j2")
        .render(
            **_parts(report),
            language=language,
            csp=content_policy([csp_hash(code.encode()) for code in scripts]),
            css=Markup("\n".join(map(static, STYLES))),
            scripts=[Markup(code) for code in scripts],
            data=Markup(script_json({"language": language, "words": words})),
        )
    )


def _parts(report: ConsultReport) -> dict[str, Any]:
    """Names of the template and what they stand for."""
    english, chinese = (consult_blocks(report, lang) for lang in ("en", "zh"))
    blocks = {name: page_block(block, chinese[name]) for name, block in english.items()}
    scores = report.scores
    return {
        "report": report,
        "words": WORDS,
        "blocks": blocks,
        "sections": [block for name, block in blocks.items() if name not in INSIDE],
        "sentence": both(lambda lang: decision_sentence(report, lang)),
        "about": _pairs(about(report, "en"), about(report, "zh")),
        "provenance": _pairs(provenance_pairs(report, "en"), provenance_pairs(report, "zh")),
        "warnings": [
            *_words(unanswered_lines(report, "en"), unanswered_lines(report, "zh")),
            *_words(warning_lines(english.values(), "en"), warning_lines(chinese.values(), "zh")),
        ],
        "notes": _words(note_lines(report, "en"), note_lines(report, "zh")),
        "intervals": both(lambda lang: intervals_line(report, lang)),
        "scored": [_scored_by(scores.current), _scored_by(scores.proposed)],
        "histograms": histograms(report),
        "bars": part_bars(report),
        "chart_width": WIDTH,
        "verdicts": [v for v in VERDICTS if v != "failure" or _any_failure(report)],
        "letters": VERDICT_LETTERS,
    }


def _scored_by(side: SideScores) -> Words:
    return both(lambda lang: scored_by(side.policy, side.threshold, lang))


def _any_failure(report: ConsultReport) -> bool:
    table = report.flips.table
    return any(table["failure"].values()) or any(row["failure"] for row in table.values())


def _words(english: Iterable[str], chinese: Iterable[str]) -> tuple[Words, ...]:
    return tuple(Words(*pair) for pair in zip(english, chinese, strict=True))


def _pairs(
    english: Sequence[tuple[str, str]], chinese: Sequence[tuple[str, str]]
) -> list[tuple[Words, Words]]:
    return [(Words(a[0], b[0]), Words(a[1], b[1])) for a, b in zip(english, chinese, strict=True)]


def page_block(english: Block, chinese: Block) -> PageBlock:
    """A part in both languages."""
    return PageBlock(
        english.name,
        Words(english.title, chinese.title),
        _words(english.lead, chinese.lead),
        _words(english.heads, chinese.heads),
        right_columns(english),
        tuple(
            PageLine(tuple(map(_cell, a.cells, b.cells)), a.examples, a.state)
            for a, b in zip(english.lines, chinese.lines, strict=True)
        ),
        _words((*english.under("en"), *english.fine), (*chinese.under("zh"), *chinese.fine)),
    )


def _cell(english: Cell, chinese: Cell) -> PageCell:
    text = Words(cell_text(english), cell_text(chinese))
    if isinstance(english, Shown):
        return PageCell(text, _marked(english.figure), english.sign, english.before)
    return PageCell(text, None, False, "")


def _marked(figure: Figure) -> Figure:
    """The figure with its warning as its mark tells it."""
    if figure.warning is None:
        return figure
    return figure.model_copy(update={"warning": warning_text(figure.warning, "en")})
