"""Lines and cells of the report on annotators' agreement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from metajudge.cli.output import WIDEST, console, inert, say
from metajudge.report.figure import figure
from metajudge.report.figure_text import count, with_interval

if TYPE_CHECKING:
    from metajudge.agreement.estimate import Estimate

NAME_WIDTH = 16


def short(name: str) -> str:
    """Somebody else's text on one line, its middle left out where it is long.

    >>> short("annotator-1234567890")
    'annotat…34567890'
    >>> short("李小龙的第二位标注员")
    '李小龙…位标注员'
    """
    from rich.cells import cell_len, set_cell_size

    line = inert(name)
    if cell_len(line) <= NAME_WIDTH:
        return line
    half = (NAME_WIDTH - 1) // 2
    head, tail = set_cell_size(line, half), set_cell_size(line[::-1], NAME_WIDTH - 1 - half)
    return f"{head.rstrip()}…{tail[::-1].lstrip()}"


def title(text: str) -> None:
    """A heading with an empty line above it."""
    say()
    say(text)


def cell(estimate: Estimate, *, sign: bool = False) -> str:
    """A number with its interval, as a cell; a dash where there is none."""
    return with_interval(figure(estimate), sign=sign)


def reasons(figure_name: str, estimates: Iterable[tuple[str, Estimate]]) -> Iterable[str]:
    """Why figures or their intervals are missing, each reason once with where it holds."""
    places: dict[str, list[str]] = {}
    for place, estimate in estimates:
        if estimate.reason:
            places.setdefault(estimate.reason, []).append(place)
    for reason, where in places.items():
        yield f"{figure_name}: {reason} ({few(where)})"


def few(names: Sequence[str], most: int = 4) -> str:
    """The first of many names, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def more_of(n: int, what: str) -> list[str]:
    """A note on rows that are not shown; [] where all are."""
    return [f"and {count(n)} more {what}: --json has all"] if n > 0 else []


def say_notes(lines: Iterable[str]) -> None:
    """Notes under a table."""
    for line in lines:
        flow(f"· {inert(line)}")


def flow(text: str) -> None:
    """A paragraph as wide as the terminal, in which a Chinese character takes two columns."""
    from rich.text import Text

    paper = console()
    lines = Text(text).wrap(paper, min(paper.width, WIDEST) - 2)
    for place, line in enumerate(lines):
        say(f"{'  ' if place else ''}{line.plain.rstrip()}")
