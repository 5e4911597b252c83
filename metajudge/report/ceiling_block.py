"""The human ceiling as a block of the page and as lines of the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import StringIO
from typing import TypeAlias

from markupsafe import Markup
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from metajudge.report.ceiling_results import CandidateCeiling, CeilingResults, SoftLabelFigures
from metajudge.report.ceiling_text import (
    Measure,
    beside,
    caution_sentences,
    ceiling_title,
    counts_sentence,
    measures,
    ordered,
    people_figures,
    people_title,
    ratio_text,
    reading_sentences,
    was_tested,
)
from metajudge.report.figure_text import UNDEFINED, brackets, compact, signed, with_interval
from metajudge.report.inert import one_line, visible
from metajudge.report.part import Figure
from metajudge.report.ranked import common_tail
from metajudge.report.words import Language, reading_word, word

Group: TypeAlias = tuple[str, Sequence[str]]
"""Columns of a table under one name, which may be empty."""
LINES_SHOWN = 12
"""Candidates on a terminal; the page has all of them."""


def ceiling_html(ceiling: CeilingResults | None, language: Language) -> str:
    """The block in one language, without a section around it; "" where there is no ceiling.

    Every text is escaped. Candidates stand in the order of their alpha with people.
    """
    if ceiling is None:
        return ""
    rows = ordered(ceiling)
    names = _Names(rows, language)
    parts = [
        Markup("<h2>{}</h2>").format(ceiling_title(ceiling, language)),
        Markup('<p class="lead">{}</p>').format(word("ceiling.lead", language)),
        _list_html("remarks warning", caution_sentences(ceiling, language)),
        Markup("<p>{}</p>").format(counts_sentence(ceiling, language)),
        _people_html(ceiling, language),
    ]
    if rows:
        parts += [
            _judges_html(ceiling, rows, names, language),
            _by_annotator_html(rows, names, language),
            _soft_html(ceiling, rows, names, language),
        ]
    parts.append(_list_html("fine", [*reading_sentences(ceiling, language), *names.note()]))
    return str(Markup("\n").join(part for part in parts if part))


def ceiling_lines(
    ceiling: CeilingResults | None, language: Language, width: int = 80
) -> tuple[str, ...]:
    """The block as plain lines of at most `width` terminal cells; () where there is no ceiling."""
    if ceiling is None:
        return ()
    sentences = (*caution_sentences(ceiling, language), counts_sentence(ceiling, language))
    who = people_title(ceiling, language)
    people = " · ".join(
        f"{name} {with_interval(figure)}"
        for name, figure in people_figures(ceiling.people, language)
    )
    return (
        *_wrapped([ceiling_title(ceiling, language)], width),
        *_wrapped(sentences, width),
        *_wrapped([word("ceiling.people_line", language, who=who, figures=people)], width),
        *_judge_lines(ceiling, language, width),
        *_wrapped(reading_sentences(ceiling, language), width),
    )


def _list_html(kind: str, sentences: Sequence[str]) -> Markup:
    if not sentences:
        return Markup("")
    lines = (Markup("<li>{}</li>").format(visible(text)) for text in sentences)
    return Markup('<ul class="{}">{}</ul>').format(kind, Markup("").join(lines))


def _figure_html(figure: Figure, sign: bool = False) -> Markup:
    if figure.value is None:
        title = visible(figure.reason or "")
        return Markup('<span class="num undefined" title="{}">{}</span>').format(title, UNDEFINED)
    shown = signed(figure.value) if sign else compact(figure.value)
    parts = [Markup('<span class="num">{}</span>').format(shown)]
    if interval := brackets(figure, sign=sign):
        parts.append(Markup('<span class="ci">{}</span>').format(interval))
    return Markup(" ").join(parts)


def _table_html(groups: Sequence[Group], rows: Iterable[Sequence[str | Markup]]) -> Markup:
    """A table; on a narrow screen every row becomes a card that names its cells."""
    labels = [f"{over} · {name}" if over else name for over, names in groups for name in names]
    body = Markup("\n").join(
        Markup("<tr>{}</tr>").format(Markup("").join(map(_cell_html, labels, row))) for row in rows
    )
    table = '<div class="scroll"><table class="cards dense"><thead>{}</thead><tbody>{}</tbody>'
    return Markup(table + "</table></div>").format(_head_html(groups), body)


def _cell_html(label: str, cell: str | Markup) -> Markup:
    if isinstance(cell, Name):
        return Markup('<td class="name left">{}</td>').format(cell)
    return Markup(
        '<td class="left"><span class="lab" style="white-space:normal">{}</span>{}</td>'
    ).format(label, cell)


def _head_html(groups: Sequence[Group]) -> Markup:
    """The names of columns, under the names of their groups where there are any."""
    below = Markup("").join(
        Markup('<th class="left">{}</th>').format(name) for _, names in groups for name in names
    )
    over = Markup("").join(
        Markup('<th class="left" colspan="{}">{}</th>').format(len(names), name)
        for name, names in groups
    )
    lines = [over, below] if any(name for name, _ in groups) else [below]
    return Markup("").join(Markup("<tr>{}</tr>").format(line) for line in lines)


class Name(Markup):
    """A candidate's name as the first cell of a row."""


class _Names:
    """Candidates' names, without the words that all trials' names end with."""

    def __init__(self, rows: Sequence[CandidateCeiling], language: Language) -> None:
        self.tail = common_tail([row.trial for row in rows])
        self._language = language

    def html(self, row: CandidateCeiling) -> Name:
        reading = reading_word(row.reading, self._language)
        form = Name('<bdi class="trial">{}</bdi> <span class="reading">{}</span>')
        return form.format(visible(row.trial.removesuffix(self.tail)), reading)

    def text(self, row: CandidateCeiling) -> str:
        reading = reading_word(row.reading, self._language, short=True)
        return one_line(f"{row.trial.removesuffix(self.tail)} · {reading}")

    def note(self) -> list[str]:
        tail = self.tail.strip()
        return [word("names_end", self._language, tail=tail)] if tail else []


def _people_html(ceiling: CeilingResults, language: Language) -> Markup:
    facts = [
        Markup("<div><dt>{}</dt><dd>{}</dd></div>").format(name, _figure_html(figure))
        for name, figure in people_figures(ceiling.people, language)
    ]
    title = people_title(ceiling, language)
    return Markup('<h3>{}</h3><dl class="key">{}</dl>').format(title, Markup("").join(facts))


def _judges_html(
    ceiling: CeilingResults, rows: Sequence[CandidateCeiling], names: _Names, language: Language
) -> Markup:
    shown, with_test = measures(ceiling), was_tested(ceiling)
    groups: list[Group] = [("", [word("trial", language)])]
    for measure in shown:
        keys = ["ceiling.judge", "ceiling.over_people", "ceiling.difference"]
        columns = keys if measure == shown[0] else keys[:2]
        title = word(f"ceiling.{measure}", language)
        groups.append((title, [word(key, language) for key in columns]))
    groups.append(("", [word("ceiling.equalled", language)]))
    if with_test:
        keys = ["ceiling.winning_rate", "ceiling.advantage"]
        groups.append((word("ceiling.test", language), [word(key, language) for key in keys]))
    cells = [_judge_cells(row, shown, with_test, names, language) for row in rows]
    title = Markup("<h3>{}</h3>").format(word("ceiling.judges", language))
    return title + _table_html(groups, cells)


def _judge_cells(
    row: CandidateCeiling,
    shown: Sequence[Measure],
    with_test: bool,
    names: _Names,
    language: Language,
) -> list[str | Markup]:
    cells: list[str | Markup] = [names.html(row)]
    for measure in shown:
        found = beside(row, measure)
        cells += [
            _figure_html(found.judge),
            Markup('<span class="num">{}</span>').format(ratio_text(found)),
        ]
        if measure == shown[0]:
            cells.append(_figure_html(found.difference, sign=True))
    cells.append(_figure_html(row.agreement))
    if with_test:
        cells += [_test_html(row, language), compact(row.stand_in.advantage)]
    return cells


def _test_html(row: CandidateCeiling, language: Language) -> Markup:
    passed = row.stand_in.passed
    if passed is None:
        title = visible(row.stand_in.reason or "")
        return Markup('<span class="undefined" title="{}">{}</span>').format(title, UNDEFINED)
    return Markup('<span class="num">{}</span> <span title="{}">{}</span>').format(
        compact(row.stand_in.winning_rate),
        word("ceiling.passed" if passed else "ceiling.not_passed", language),
        "✓" if passed else "✗",
    )


def _by_annotator_html(
    rows: Sequence[CandidateCeiling], names: _Names, language: Language
) -> Markup:
    annotators = list(rows[0].by_annotator)
    if not annotators:
        return Markup("")
    cells = [
        [names.html(row), *(_figure_html(row.by_annotator[name]) for name in annotators)]
        for row in rows
    ]
    return Markup("<details><summary>{}</summary>{}</details>").format(
        word("ceiling.by_annotator", language),
        _table_html([("", [word("trial", language), *map(visible, annotators)])], cells),
    )


def _soft_html(
    ceiling: CeilingResults, rows: Sequence[CandidateCeiling], names: _Names, language: Language
) -> Markup:
    found = [(row, row.soft) for row in rows if row.soft is not None]
    if not found:
        return Markup("")
    keys = ("cross_entropy", "least", "constant", "jensen_shannon", "scored")
    head = [word("trial", language), *(word(f"ceiling.{key}", language) for key in keys)]
    cells = [[names.html(row), *_soft_cells(soft)] for row, soft in found]
    note = word("ceiling.soft_note", language, floor=compact(ceiling.probability_floor, 3))
    return Markup('<h3>{}</h3><p class="lead">{}</p>{}').format(
        word("ceiling.soft", language), note, _table_html([("", head)], cells)
    )


def _soft_cells(soft: SoftLabelFigures) -> list[str | Markup]:
    return [
        _figure_html(soft.cross_entropy),
        compact(soft.least),
        compact(soft.constant),
        _figure_html(soft.jensen_shannon),
        str(soft.cross_entropy.n),
    ]


def _wrapped(sentences: Iterable[str], width: int) -> list[str]:
    console = Console(width=width)
    return [
        line.plain.rstrip()
        for sentence in sentences
        for line in Text(one_line(sentence)).wrap(console, width)
    ]


def _judge_lines(ceiling: CeilingResults, language: Language, width: int) -> list[str]:
    if not ceiling.candidates:
        return []
    measure, with_test = measures(ceiling)[0], was_tested(ceiling)
    rows = ordered(ceiling)
    names = _Names(rows, language)
    table = Table(
        box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), pad_edge=False, width=width
    )
    table.add_column(word("trial", language), overflow="fold", ratio=1)
    heads = [f"ceiling.{measure}", "ceiling.over_people", "ceiling.difference"]
    for key in [*heads, *(["ceiling.test_short"] if with_test else [])]:
        table.add_column(word(key, language), no_wrap=True)
    for row in rows[:LINES_SHOWN]:
        table.add_row(Text(names.text(row)), *_judge_cells_text(row, measure, with_test))
    lines = _printed(table, width)
    if len(rows) > LINES_SHOWN:
        lines.append(f"… {word('more_rows_n', language, n=len(rows) - LINES_SHOWN)}")
    return [*lines, *_wrapped(names.note(), width)]


def _judge_cells_text(row: CandidateCeiling, measure: Measure, with_test: bool) -> list[Text]:
    found = beside(row, measure)
    mark = {True: "✓", False: "✗", None: ""}[row.stand_in.passed]
    cells = [
        with_interval(found.judge),
        ratio_text(found),
        with_interval(found.difference, sign=True),
        *([f"{compact(row.stand_in.winning_rate)}{mark}"] if with_test else []),
    ]
    return list(map(Text, cells))


def _printed(table: Table, width: int) -> list[str]:
    paper = StringIO()
    Console(file=paper, width=width, color_system=None, legacy_windows=False).print(table)
    return [line.rstrip() for line in paper.getvalue().splitlines()]
