"""The report as markdown, for a pull request: the decision first, the details folded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from metajudge.report.figure_text import compact, count, signed, with_interval
from metajudge.report.inert import markdown_code, markdown_text
from metajudge.report.markdown_blocks import selection_markdown, stability_markdown
from metajudge.report.places import Places
from metajudge.report.provenance import provenance
from metajudge.report.ranked import (
    RankedTrial,
    policy_names,
    ranked_trials,
    row_ranges,
    shown_figures,
    winner_row,
)
from metajudge.report.remarks import (
    broken_sentence,
    calls_line,
    decision_sentence,
    gold_line,
    intervals_sentence,
    judges_line,
    level_text,
    note_sentences,
    stop_sentence,
    undefined_sentences,
    warning_sentences,
)
from metajudge.report.results import PolicyFigures, Results
from metajudge.report.words import Language, reading_word, word, word_or_code

ROWS_SHOWN = 30
"""Rows of the ranking; a comment holds 65,536 characters, and the HTML report has all of them."""
POLICY_ROWS = 12


def render_markdown(results: Results, language: Language = "en") -> str:
    """The report as GitHub markdown; nothing that others wrote is read as markdown or HTML.

    Args:
        results: A finished sweep.
        language: Of the texts.
    """
    rows = ranked_trials(results)
    places = Places(rows)
    parts = [
        _head(results, language),
        _ranking(results, rows, language),
        _under_ranking(results, rows, language),
        _broken(rows, language),
        selection_markdown(results, places, language),
        stability_markdown(results, places, language),
        _remarks(results, rows, language),
        _folded(word("policies", language), _policies(results, rows, language)),
        _folded(word("slices", language), _slices(results, rows, language)),
        _folded(word("failures", language), _failures(rows, language)),
        _folded(word("provenance", language), _provenance(results, language)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _head(results: Results, language: Language) -> str:
    won = results.decision.winner is not None
    verdict = word("winner" if won else "no_safe_winner", language)
    question = [markdown_text(results.question)] if results.question else []
    facts = (
        f"- {word('gold', language)}: {markdown_text(gold_line(results, language))}\n"
        f"- {word('judge', language)}: {markdown_text(judges_line(results))}\n"
        f"- {word('calls', language)}: {markdown_text(calls_line(results, language))}"
    )
    return "\n\n".join(
        (
            f"## {markdown_text(results.name)}",
            *question,
            f"> **{verdict}** {'✅' if won else '⚠️'}  \n"
            f"> {markdown_text(decision_sentence(results, language))}",
            facts,
        )
    )


def _table(head: Sequence[str], right: int, lines: Iterable[Sequence[str]]) -> str:
    rule = ["---"] * (len(head) - right) + ["--:"] * right
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *lines))


def _ranking(results: Results, rows: Sequence[RankedTrial], language: Language) -> str:
    names = shown_figures(results)
    won = winner_row(results, rows)
    head = [
        "#",
        word("rank", language),
        word("trial", language),
        word("reading", language),
        word("guardrails", language),
        *(word_or_code("figure", name, language) for name in (*names, "coverage")),
    ]
    lines = [
        [
            str(row.row),
            row.rank_text,
            _name(row, bold=won is not None and won.row == row.row),
            reading_word(row.reading, language, short=True),
            _kept(row, language),
            *(with_interval(row.figure(name)) for name in names),
            compact(row.figure("coverage").value),
        ]
        for row in rows[:ROWS_SHOWN]
    ]
    title = f"### {word('ranking', language)}"
    left = len(rows) - ROWS_SHOWN
    more = f"\n\n{word('more_rows_n', language, n=left)}" if left > 0 else ""
    return f"{title}\n\n{_table(head, len(names) + 1, lines)}{more}"


def _name(row: RankedTrial, *, bold: bool = False) -> str:
    code = markdown_code(row.trial, in_table=True)
    return f"**{code}**" if bold else code


def _kept(row: RankedTrial, language: Language) -> str:
    if row.safe is None:
        return word("unranked", language)
    return f"✓ {word('kept', language)}" if row.safe else f"✗ {word('broken', language)}"


def _under_ranking(results: Results, rows: Sequence[RankedTrial], language: Language) -> str:
    lines = [intervals_sentence(results, language)]
    if any(row.tied for row in rows):
        lines.append(word("tie_note", language, level=level_text(results)))
    lines.extend(undefined_sentences(results, rows, language, shown=True))
    return "  \n".join(f"<sub>{markdown_text(line)}</sub>" for line in lines)


def _broken(rows: Sequence[RankedTrial], language: Language) -> str:
    title = f"### {word('guardrails_broken', language)}"
    found = [
        f"- #{row.row} {markdown_code(row.trial)}: "
        + "; ".join(markdown_text(broken_sentence(b, language)) for b in row.broken)
        for row in rows
        if row.broken
    ]
    if not found:
        return f"{title}\n\n{word('all_guardrails_kept', language)}"
    who = row_ranges([row.row for row in rows if row.broken])
    summary = f"{word('guardrails_broken', language)}: #{who}"
    return _folded(summary, "\n".join(found[:ROWS_SHOWN]))


def _remarks(results: Results, rows: Sequence[RankedTrial], language: Language) -> str:
    stop = stop_sentence(results, language)
    warnings = [*([stop] if stop else []), *warning_sentences(rows, language)]
    blocks = [
        f"**{word(title, language)}**\n\n" + "\n".join(f"- {markdown_text(t)}" for t in texts)
        for title, texts in (("warnings", warnings), ("notes", note_sentences(results, language)))
        if texts
    ]
    return "\n\n".join(blocks)


def _folded(summary: str, body: str) -> str:
    if not body:
        return ""
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"


def _policies(results: Results, rows: Sequence[RankedTrial], language: Language) -> str:
    names = policy_names(results)
    if not names:
        return ""
    head = ["#", word("trial", language), *(markdown_code(name, in_table=True) for name in names)]
    lines = []
    for row in rows[:POLICY_ROWS]:
        by_name = {policy.policy: policy for policy in row.figures.policies}
        cells = (_policy_cell(by_name.get(name)) for name in names)
        lines.append([str(row.row), _name(row), *cells])
    note = markdown_text(word("policies_cell_note", language))
    left = len(rows) - POLICY_ROWS
    more = f" {word('more_rows_n', language, n=left)}" if left > 0 else ""
    return f"{_table(head, len(names), lines)}\n\n{note}{more}"


def _policy_cell(policy: PolicyFigures | None) -> str:
    if policy is None:
        return "–"
    gold = compact(policy.gold_mean_score)
    return (
        f"{compact(policy.mean_score.value)} ({gold}), {signed(policy.bias.value)}, "
        f"{compact(policy.pass_agreement.value)}"
    )


def _slices(results: Results, rows: Sequence[RankedTrial], language: Language) -> str:
    chosen = winner_row(results, rows) or next(iter(rows), None)
    if chosen is None or not chosen.figures.slices:
        return ""
    head = [
        word("slice", language),
        "n",
        word("figure.accuracy", language),
        *(("yes", "no", "idk", word("verdict.failure", language))),
    ]
    lines = [
        [
            markdown_text(word_or_code("slice", name, language)),
            count(group.n),
            with_interval(group.accuracy),
            *(str(group.called.get(code, 0)) for code in ("yes", "no", "idk", "failure")),
        ]
        for name, group in chosen.figures.slices.items()
    ]
    return f"#{chosen.row} {markdown_code(chosen.trial)}\n\n{_table(head, 6, lines)}"


def _failures(rows: Sequence[RankedTrial], language: Language) -> str:
    lines = [
        f"- #{row.row} {markdown_code(row.trial)}: "
        + ", ".join(
            f"{markdown_text(word_or_code('failure', code, language))} {n}"
            for code, n in row.figures.failures.items()
            if n
        )
        for row in rows
        if row.failed
    ]
    return "\n".join([*lines, "", word("failures_note", language)]) if lines else ""


def _provenance(results: Results, language: Language) -> str:
    return "\n".join(
        f"- {markdown_text(name)}: {markdown_code(text)}"
        for name, text in provenance(results, language)
    )
