"""The report on a terminal: fits 80 columns, and shows what others wrote without obeying it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from metajudge.report.ceiling_block import ceiling_lines
from metajudge.report.figure_text import UNDEFINED, compact, signed
from metajudge.report.places import Places
from metajudge.report.ranked import RankedTrial, common_tail, policy_names, ranked_trials
from metajudge.report.remarks import note_sentences, stop_sentence, warning_sentences
from metajudge.report.results import PolicyFigures, Results
from metajudge.report.selection_text import selection_summary
from metajudge.report.stability_text import stability_summary
from metajudge.report.terminal_parts import (
    columns_of,
    decision_panel,
    fields,
    headline,
    plain,
    print_whole,
    ranking,
    ranking_notes,
    table,
    title,
)
from metajudge.report.words import Language, word, word_or_code

POLICIES_A_TABLE = 3
POLICY_ROWS = 12
"""Rows of the policy tables; the HTML report has all of them."""


def print_terminal(results: Results, console: Console, language: Language = "en") -> None:
    """Prints the report; on a terminal that lacks a character a `?` stands for it (B118)."""
    print_whole(render_terminal(results, language, console.width), console)


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
    columns = columns_of(width)
    tail = common_tail([row.trial for row in rows])
    places = Places(rows)
    return Group(
        *headline(results, language),
        decision_panel(results, language),
        *title(word("ranking", language)),
        ranking(results, rows, language, columns, tail),
        Text(""),
        *ranking_notes(results, rows, language, tail),
        *_failures(rows, language),
        *_broken(rows, language),
        *selection_summary(results, places, language),
        *stability_summary(results, places, language, columns),
        *_ceiling(results, language, columns),
        *_policies(results, rows, language, columns, tail),
        *_notes(results, rows, language),
    )


def _ceiling(results: Results, language: Language, columns: int) -> list[RenderableType]:
    lines = ceiling_lines(results.ceiling, language, columns)
    if not lines:
        return []
    return [*title(lines[0]), *(Text(line) for line in lines[1:])]


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
    return [*title(word("failures", language)), fields(pairs)]


def _broken(rows: Sequence[RankedTrial], language: Language) -> list[RenderableType]:
    found: dict[tuple[str, float], list[str]] = {}
    for row in rows:
        for broken in row.broken:
            got = f"#{row.row}" + ("" if broken.got is None else f":{compact(broken.got, 3)}")
            found.setdefault((broken.guardrail, broken.bound), []).append(got)
    if not found:
        return [Text(""), plain(word("all_guardrails_kept", language))]
    lines: list[RenderableType] = []
    for (name, bound), rows_off in found.items():
        head = f"✗ {word_or_code('guardrail', name, language)}"
        if name != "insensitive":
            head += f" ({word('bound', language)} {compact(bound)})"
        lines.append(plain(head).append_text(Text("  " + " ".join(rows_off), style="dim")))
    return [*title(word("guardrails_broken", language)), *lines]


def _policies(
    results: Results, rows: Sequence[RankedTrial], language: Language, columns: int, tail: str
) -> list[RenderableType]:
    names = policy_names(results)
    if not names:
        return []
    shown: list[RenderableType] = title(word("policies", language))
    tables = -(-len(names) // POLICIES_A_TABLE)
    wide = -(-len(names) // tables)
    for start in range(0, len(names), wide):
        part = names[start : start + wide]
        shown.append(_policy_table(rows[:POLICY_ROWS], part, language, columns, tail))
        shown.append(Text(""))
    shown.append(plain(word("policies_cell_note", language), "dim"))
    if len(rows) > POLICY_ROWS:
        left = len(rows) - POLICY_ROWS
        shown.append(plain(f"… {word('more_rows_n', language, n=left)}", "dim"))
    return shown


def _policy_table(
    rows: Sequence[RankedTrial],
    names: Sequence[str],
    language: Language,
    columns: int,
    tail: str,
) -> Table:
    made = table(columns)
    made.add_column("#", justify="right", style="dim", no_wrap=True)
    made.add_column(word("trial", language), overflow="ellipsis", no_wrap=True, ratio=1)
    for name in names:
        gold = {p.gold_mean_score for row in rows for p in row.figures.policies if p.policy == name}
        header = plain(name)
        if len(gold) == 1:
            header.append(f"\n{word('gold_label', language)} {compact(gold.pop())}", style="dim")
        made.add_column(header, no_wrap=True)
    for row in rows:
        by_name = {policy.policy: policy for policy in row.figures.policies}
        cells = (_policy_cell(by_name.get(name)) for name in names)
        made.add_row(str(row.row), plain(row.trial.removesuffix(tail)), *cells)
    return made


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
    for key, texts in (("warnings", warnings), ("notes", note_sentences(results, language))):
        if texts:
            shown.extend(title(word(key, language)))
            shown.append(fields([("·", text) for text in texts]))
    return shown
