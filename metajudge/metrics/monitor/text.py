"""The monitor on a terminal: how things stand first, readable at 80 columns."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.text import Text

from metajudge.metrics.monitor.blocks import (
    facts,
    monitor_blocks,
    next_steps,
    queue_command,
    sentence,
    verdict,
)
from metajudge.metrics.monitor.report import MonitorReport
from metajudge.metrics.monitor.words import said
from metajudge.report.consult_block import Block
from metajudge.report.consult_text import laid_out_block
from metajudge.report.inert import one_line
from metajudge.report.terminal_parts import fields, framed, plain, print_whole, title
from metajudge.report.words import Language

ROWS = {"trend": 8, "alarms": 5, "parts": 10, "queue": 5}
"""Most rows of a table."""


def print_monitor(report: MonitorReport, console: Console, language: Language = "en") -> None:
    """Prints the report."""
    print_whole(render_monitor(report, language, console.width), console)


def render_monitor(
    report: MonitorReport, language: Language = "en", width: int | None = None
) -> RenderableType:
    """The report as something Rich prints; `width` in columns, None for 80."""
    stands = verdict(report)
    return Group(
        plain(said("title", language), "bold"),
        fields(facts(report, language)),
        framed(sentence(report, language), said(stands, language), good=stands != "alarm"),
        *_steps(report, language),
        *(
            part
            for block in monitor_blocks(report, language, narrow=True).values()
            for part in _block(block, report, language, width or 80)
        ),
    )


def _steps(report: MonitorReport, language: Language) -> Iterator[RenderableType]:
    steps = next_steps(report, language)
    if steps:
        yield from title(said("next", language))
        for step in steps:
            yield plain(step.text)
            yield from command(step.command)


def command(text: str) -> Iterator[RenderableType]:
    """A command on a line of its own, whole however long it is, so that it can be copied."""
    if text:
        yield Text(f"  {one_line(text)}", no_wrap=True, overflow="ignore")


def _block(
    block: Block, report: MonitorReport, language: Language, columns: int
) -> Iterator[RenderableType]:
    yield from laid_out_block(block, language, columns, ROWS)
    if block.name == "queue":
        yield from command(queue_command(report))
    yield Text("")
