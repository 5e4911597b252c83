"""The report on a terminal: fits 80 columns, and shows what others wrote without obeying it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from metajudge.report.figure_text import UNDEFINED, compact, signed, with_interval
from metajudge.report.inert import one_line
from metajudge.report.ranked import (
    RankedTrial,
    common_tail,
    policy_names,
    ranked_trials,
    shown_figures,
)
from metajudge.report.remarks import (
    calls_line,
    decision_sentence,
    gold_line,
    intervals_sentence,
    judges_line,
    level_text,
    stop_sentence,
    undefined_sentences,
    warning_sentences,
)
from metajudge.report.results import PolicyFigures, Results
from metajudge.report.words import Language, word, word_or_code

NARROWEST = 72
FIGURES_SHOWN = 3
POLICIES_A_TABLE = 3
POLICY_ROWS = 12
"""Rows of the policy tables; the HTML report has all of them."""


def print_terminal(results: Results, console: Console, language: Language = "en") -> None:
    """Prints the report; on a terminal that lacks a character a `?` stands for it (B118)."""
    report = render_terminal(results, language, console.width)
    encoding = console.encoding
    if encoding.lower().startswith("utf"):
        console.print(report)
        return
    with console.capture() as captured:
        console.print(report)
    text = captured.get().encode(encoding, errors="replace").decode(encoding)
    console.file.write(text)


def render_terminal(
    results: Results, language: Language = "en", width: int | None = None
) -> RenderableType:
    """The report as something Rich prints.

    Args:
        results: A finished sweep.
        language: Of the texts.
        width: Columns that there are; None for 80. Wide terminals show more of long names.
    """
    rows = ranked_trials(results)
    columns = max(NARROWEST, width or 80)
    tail = common_tail([row.trial for row in rows])
    return Group(
        *_headline(results, language),
        _decision(results, language),
        *_title(word("ranking", language)),
        _ranking(results, rows, language, columns, tail),
        Text(""),
        *_under_ranking(results, rows, language, tail),
        *_policies(results, rows, language, columns, tail),
        *_notes(results, rows, language),
    )


def _plain(text: str, style: str = "") -> Text:
    return Text(one_line(text), style=style)


def _fields(pairs: Sequence[tuple[str, str]]) -> Table:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, text in pairs:
        grid.add_row(name, _plain(text))
    return grid


def _headline(results: Results, language: Language) -> list[RenderableType]:
    title = _plain(results.name, "bold")
    if results.question:
        title.append_text(Text(" · ", style="dim")).append_text(_plain(results.question))
    pairs = [
        (word("gold", language), gold_line(results, language)),
        (word("judge", language), judges_line(results)),
        (word("calls", language), calls_line(results, language)),
    ]
    return [title, _fields(pairs)]


def _decision(results: Results, language: Language) -> Panel:
    won = results.decision.winner is not None
    return Panel(
        _plain(decision_sentence(results, language)),
        title=word("winner" if won else "no_safe_winner", language),
        title_align="left",
        border_style="green" if won else "yellow",
        padding=(0, 1),
    )


def _table(columns: int) -> Table:
    return Table(
        box=SIMPLE_HEAD,
        show_edge=False,
        padding=(0, 1, 0, 0),
        pad_edge=False,
        collapse_padding=True,
        width=columns,
    )


def _title(text: str) -> list[RenderableType]:
    return [Text(""), Text(text, style="bold")]


def _name(row: RankedTrial, tail: str) -> Text:
    return _plain(row.trial.removesuffix(tail))


def _ranking(
    results: Results, rows: Sequence[RankedTrial], language: Language, columns: int, tail: str
) -> Table:
    names = shown_figures(results)[:FIGURES_SHOWN]
    several = len({row.reading for row in rows}) > 1
    table = _table(columns)
    table.add_column("#", justify="right", style="dim", no_wrap=True)
    table.add_column(word("rank", language), no_wrap=True)
    reading = f" · {word('reading', language)}" if several else ""
    table.add_column(word("trial", language) + reading, overflow="fold", ratio=1)
    for name in names:
        table.add_column(word_or_code("figure", name, language), no_wrap=True)
    for row in rows:
        trial = _name(row, tail)
        if several:
            trial.append(f" · {word(f'reading_short.{row.reading}', language)}", style="italic")
        table.add_row(
            str(row.row),
            f"{row.rank_text}{'✗' if row.broken else ''}",
            trial,
            *(with_interval(row.figure(name)) for name in names),
            style=_row_style(results, row),
        )
    return table


def _row_style(results: Results, row: RankedTrial) -> str:
    decision = results.decision
    if row.trial == decision.winner and decision.reading in (None, row.reading):
        return "bold green"
    return "" if row.safe else "dim"


def _under_ranking(
    results: Results, rows: Sequence[RankedTrial], language: Language, tail: str
) -> list[RenderableType]:
    lines = [intervals_sentence(results, language)]
    if any(row.tied for row in rows):
        lines.append(word("tie_note", language, level=level_text(results)))
    if tail:
        lines.append(word("names_end", language, tail=tail.strip()))
    lines.extend(undefined_sentences(results, rows, language, shown=True))
    shown = [_plain(line, "dim") for line in lines]
    return [*shown, *_failures(rows, language), *_broken(rows, language)]


def _failures(rows: Sequence[RankedTrial], language: Language) -> list[RenderableType]:
    pairs = [
        (
            f"#{row.row}",
            " · ".join(
                f"{word_or_code('failure', code, language)} {n}"
                for code, n in row.figures.failures.items()
                if n
            )
            + f" · {word('figure.coverage', language)} {compact(row.figure('coverage').value, 3)}",
        )
        for row in rows
        if row.failed
    ]
    if not pairs:
        return []
    return [*_title(word("failures", language)), _fields(pairs)]


def _broken(rows: Sequence[RankedTrial], language: Language) -> list[RenderableType]:
    found: dict[tuple[str, float], list[str]] = {}
    for row in rows:
        for broken in row.broken:
            got = f"#{row.row}:{compact(broken.got, 3)}"
            found.setdefault((broken.guardrail, broken.bound), []).append(got)
    if not found:
        return [Text(""), _plain(word("all_guardrails_kept", language))]
    lines: list[RenderableType] = []
    for (name, bound), rows_off in found.items():
        guardrail = word_or_code("guardrail", name, language)
        head = f"✗ {guardrail} ({word('bound', language)} {compact(bound)})"
        lines.append(_plain(head).append_text(Text("  " + " ".join(rows_off), style="dim")))
    return [*_title(word("guardrails_broken", language)), *lines]


def _policies(
    results: Results, rows: Sequence[RankedTrial], language: Language, columns: int, tail: str
) -> list[RenderableType]:
    names = policy_names(results)
    if not names:
        return []
    shown: list[RenderableType] = _title(word("policies", language))
    tables = -(-len(names) // POLICIES_A_TABLE)
    wide = -(-len(names) // tables)
    for start in range(0, len(names), wide):
        part = names[start : start + wide]
        shown.append(_policy_table(rows[:POLICY_ROWS], part, language, columns, tail))
        shown.append(Text(""))
    shown.append(_plain(word("policies_cell_note", language), "dim"))
    if len(rows) > POLICY_ROWS:
        left = len(rows) - POLICY_ROWS
        shown.append(_plain(f"… {word('more_rows_n', language, n=left)}", "dim"))
    return shown


def _policy_table(
    rows: Sequence[RankedTrial],
    names: Sequence[str],
    language: Language,
    columns: int,
    tail: str,
) -> Table:
    table = _table(columns)
    table.add_column("#", justify="right", style="dim", no_wrap=True)
    table.add_column(word("trial", language), overflow="ellipsis", no_wrap=True, ratio=1)
    for name in names:
        gold = {p.gold_mean_score for row in rows for p in row.figures.policies if p.policy == name}
        header = _plain(name)
        if len(gold) == 1:
            header.append(f"\n{word('gold_label', language)} {compact(gold.pop())}", style="dim")
        table.add_column(header, no_wrap=True)
    for row in rows:
        by_name = {policy.policy: policy for policy in row.figures.policies}
        cells = (_policy_cell(by_name.get(name)) for name in names)
        table.add_row(str(row.row), _name(row, tail), *cells)
    return table


def _policy_cell(policy: PolicyFigures | None) -> str:
    if policy is None:
        return UNDEFINED
    return " ".join(
        (
            f"{compact(policy.mean_score.value):>4}",
            f"{signed(policy.bias.value):>4}",
            f"{compact(policy.pass_agreement.value):>4}",
        )
    )


def _notes(
    results: Results, rows: Sequence[RankedTrial], language: Language
) -> list[RenderableType]:
    stop = stop_sentence(results, language)
    warnings = [*([stop] if stop else []), *warning_sentences(rows, language)]
    shown: list[RenderableType] = []
    for title, texts in (("warnings", warnings), ("notes", results.notes)):
        if texts:
            shown.extend(_title(word(title, language)))
            shown.append(_fields([("·", text) for text in texts]))
    return shown
