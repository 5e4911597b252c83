"""A consultation as a comment of a pull request: decision and key figures open, the rest folded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from metajudge.report.consult_block import (
    Block,
    Cell,
    Example,
    Shown,
    arrow,
    cut_to,
    right_columns,
    warning_lines,
)
from metajudge.report.consult_blocks import consult_blocks
from metajudge.report.consult_decision import (
    about,
    decision_sentence,
    decision_word,
    intervals_line,
    note_lines,
    provenance_pairs,
    unanswered_lines,
)
from metajudge.report.consult_results import ConsultReport
from metajudge.report.inert import markdown_code, markdown_text, one_line
from metajudge.report.words import Language, word

LIMIT = 60_000
"""Characters; a comment on GitHub holds 65,536."""
OPEN = ("rule", "collect", "scores")
"""Parts that are not folded."""
TOGETHER = (
    ("flips", "groups"),
    ("parts", "error"),
    ("thresholds", "answers"),
    ("on_gold", "repeats"),
)
"""Parts that share a fold; its first names it."""
ROWS: Mapping[str, int] = {"flips": 6, "on_gold": 4, "answers": 5}
MOST_ROWS = 10
"""Of a table; the HTML report has all of them."""
COLUMNS: Mapping[str, int] = {"groups": 5}
"""Most columns of a table."""
DIRECTIONS = 3
"""Directions with examples."""
EXAMPLES = 3
CLAIM = 90
"""Characters of a claim that are shown."""
CELL = 120
NOTE = 400
NOTES = 10
_NUMBERS = re.compile(r"[0-9 .,·+±≤≥%\[\]–-]*")
"""A cell of numbers alone, which is no markup in a table."""
_SIGNS = {"adopt": "✅", "nothing_changes": "✅", "hold": "⛔", "collect": "⏳"}


def render_consult_markdown(report: ConsultReport, language: Language = "en") -> str:
    """The report as GitHub markdown; nothing that others wrote is read as markdown or HTML.

    Args:
        report: A consultation.
        language: Of the texts.
    """
    blocks = consult_blocks(report, language)
    shown = [
        _head(report, language),
        *(_open(blocks[name], language) for name in OPEN if name in blocks),
        _flips_line(blocks, language),
        _notes(report, blocks.values(), language),
    ]
    folds = [
        (blocks[names[0]].title, _fold([blocks[n] for n in names if n in blocks], language))
        for names in TOGETHER
        if names[0] in blocks
    ]
    folds.append((word("consult.provenance", language), _provenance(report, language)))
    return "\n\n".join(_within(LIMIT, [part for part in shown if part], folds, language)) + "\n"


def _within(
    limit: int, shown: Sequence[str], folds: Sequence[tuple[str, str]], language: Language
) -> Iterator[str]:
    """The open parts, and as many folds as there is room for; the others are named."""
    left = limit - sum(len(part) + 2 for part in shown)
    yield from shown
    left_out = []
    for title, body in folds:
        left -= len(body) + 2
        if left < 0:
            left_out.append(title)
        else:
            yield body
    if left_out:
        names = word("list_comma", language).join(left_out)
        yield markdown_text(word("consult.left_out", language, names=names))


def _head(report: ConsultReport, language: Language) -> str:
    sign, verdict = _SIGNS[report.rule.decision], decision_word(report, language)
    pairs = about(report, language)
    sides, others = pairs[:2], pairs[2:]
    facts = [
        *(_named(f"- {name}", markdown_code(_cut(text, NOTE)), language) for name, text in sides),
        *(_named(f"- {name}", _text(text, NOTE), language) for name, text in others),
    ]
    return "\n\n".join(
        (
            f"## {_named(word('consult.title', language), verdict, language)} {sign}",
            f"> {_text(decision_sentence(report, language), 10 * NOTE)}",
            "\n".join(facts),
        )
    )


def _flips_line(blocks: dict[str, Block], language: Language) -> str:
    """The first directions in one line; the table is folded."""
    flips = blocks.get("flips")
    if flips is None:
        return ""
    ways = " · ".join(f"{line.cells[0]} {line.cells[1]}" for line in flips.lines[:6])
    told = " ".join(_text(text, NOTE) for text in flips.lead)
    return _named(f"**{flips.title}**", f"{told} {_text(ways, NOTE)}", language).rstrip()


def _open(block: Block, language: Language) -> str:
    return f"### {block.title}\n\n{_body(block, language)}"


def _fold(blocks: Sequence[Block], language: Language) -> str:
    first, *others = blocks
    parts = [_body(first, language)]
    for block in others:
        parts += [f"**{block.title}**", _body(block, language)]
    return _folded(" · ".join(block.title for block in blocks), "\n\n".join(parts))


def _folded(summary: str, body: str) -> str:
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"


def _body(block: Block, language: Language) -> str:
    """Lead, table, what stands under it, and examples."""
    shown, left = cut_to(block, ROWS.get(block.name, MOST_ROWS), COLUMNS.get(block.name))
    parts = [_text(text, NOTE) for text in shown.lead]
    if shown.lines:
        parts.append(_table(shown))
    more = [f"… {word('consult.more_rows', language, n=left)}"] if left else []
    under = (*more, *shown.under(language), *shown.fine)
    if under:
        parts.append("  \n".join(f"<sub>{_text(text, NOTE)}</sub>" for text in under))
    examples = [
        _example(example, language)
        for line in shown.lines[:DIRECTIONS]
        for example in line.examples[:EXAMPLES]
    ]
    return "\n\n".join([*parts, *(["\n".join(examples)] if examples else [])])


def _table(block: Block) -> str:
    rule = ["--:" if right else "---" for right in right_columns(block)]
    heads = [markdown_text(head) for head in block.heads]
    rows = [heads, rule, *([_cell(cell) for cell in line.cells] for line in block.lines)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cell(cell: Cell) -> str:
    if isinstance(cell, Shown):
        return cell.text
    return cell if _NUMBERS.fullmatch(cell) and len(cell) <= CELL else _text(cell, CELL)


def _example(example: Example, language: Language) -> str:
    way, shown = arrow(example.was, example.now, language), example.shown
    name = markdown_code(_cut(example.claim_id, CELL))
    said = word("consult.no_text", language) if shown is None else _text(shown.claim, CLAIM)
    return f"- {_named(f'{way} {name}', said, language)}"


def _named(name: str, text: str, language: Language) -> str:
    return word("broken_why", language, name=name, why=text)


def _text(text: str, most: int) -> str:
    return markdown_text(_cut(text, most))


def _cut(text: str, most: int) -> str:
    line = one_line(text)
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _notes(report: ConsultReport, blocks: Iterable[Block], language: Language) -> str:
    warnings = (*unanswered_lines(report, language), *warning_lines(blocks, language))
    parts = [
        f"**{word(key, language)}**\n\n" + "\n".join(f"- {_text(t, NOTE)}" for t in texts[:NOTES])
        for key, texts in (("warnings", warnings), ("consult.notes", note_lines(report, language)))
        if texts
    ]
    interval = f"<sub>{markdown_text(intervals_line(report, language))}</sub>"
    return "\n\n".join([*parts, interval])


def _provenance(report: ConsultReport, language: Language) -> str:
    pairs = provenance_pairs(report, language, templates=False)
    lines = (
        f"- {_named(_text(name, NOTE), markdown_code(_cut(text, NOTE)), language)}"
        for name, text in pairs
    )
    return _folded(word("consult.provenance", language), "\n".join(lines))
