"""Selection and stability in a pull-request comment: a few lines and one small table."""

from __future__ import annotations

from metajudge.report.axis_text import axis_text
from metajudge.report.figure_text import compact, with_interval
from metajudge.report.inert import markdown_code, markdown_text
from metajudge.report.places import Place, Places
from metajudge.report.results import Results
from metajudge.report.selection_text import (
    confirmation_line,
    front_line,
    optimism_line,
    win_line,
)
from metajudge.report.stability_parts import control_rows, flip_rows
from metajudge.report.stability_text import REPEATS, flips_lead, worst_axis
from metajudge.report.words import Language, word, word_or_code

TRIALS_SHOWN = 12


def selection_markdown(results: Results, places: Places, language: Language) -> str:
    """Front, luck, confirmation and power as a list; "" without a selection."""
    found = results.selection
    if found is None:
        return ""
    pairs = [
        ("pareto", front_line(found, places, language)),
        ("optimism", optimism_line(results, language)),
        ("win_shares", win_line(results, places, language)),
        ("confirmation", confirmation_line(found, language)),
    ]
    if results.power is not None:
        pairs.append(("detectable", detectable_line(results, language)))
    lines = [f"- {word(key, language)}: {markdown_text(text)}" for key, text in pairs]
    return f"### {word('tab.selection', language)}\n\n" + "\n".join(lines)


def detectable_line(results: Results, language: Language) -> str:
    """The smallest difference that the gold set shows, by figure; "" without power."""
    rows = () if results.power is None else results.power.detectable
    return " · ".join(
        f"{word_or_code('figure', row.figure, language)} {compact(row.difference)}" for row in rows
    )


def stability_markdown(results: Results, places: Places, language: Language) -> str:
    """Flip rates by trial and what does not read; "" where neither was measured."""
    parts = [_flips(results, places, language), _insensitive(results, places, language)]
    shown = [part for part in parts if part]
    if not shown:
        return ""
    return "\n\n".join([f"### {word('tab.stability', language)}", *shown])


def _flips(results: Results, places: Places, language: Language) -> str:
    found = results.stability
    if found is None:
        return ""
    keys = ("trial", "axis.repeats", "worst_axis", "flip_rate")
    lines = [
        "| " + " | ".join(word(key, language) for key in keys) + " |",
        "| --- | --: | --- | --: |",
    ]
    for row in flip_rows(found, places)[:TRIALS_SHOWN]:
        repeats, worst = row.cells.get(REPEATS), worst_axis(row)
        cells = [
            _name(row.place),
            "–" if repeats is None else with_interval(repeats.flip_rate),
            "–" if worst is None else markdown_text(axis_text(worst.axis, language)),
            "–" if worst is None else with_interval(worst.flip_rate),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    note = markdown_text(flips_lead(found, language))
    return "\n".join(lines) + f"\n\n<sub>{note}</sub>"


def _insensitive(results: Results, places: Places, language: Language) -> str:
    rows = control_rows(results, places)
    if not rows:
        return ""
    blind = [
        f"- ✗ {_name(row.place)} {word('insensitive', language)}: {markdown_text(row.reason or '')}"
        for row in rows
        if row.reads is False
    ]
    read = sum(row.reads is True for row in rows)
    told = blind or [f"- {word('all_read', language, n=read, of=len(rows))}"]
    return f"**{word('controls', language)}**\n\n" + "\n".join(told[:TRIALS_SHOWN])


def _name(place: Place) -> str:
    code = markdown_code(place.head, in_table=True)
    return f"{place.row} {code}" if place.row else code
