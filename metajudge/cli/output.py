"""What verbs write: text and JSON on standard output, messages on standard error."""

from __future__ import annotations

import json
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from metajudge.report.words import Language

NARROWEST, WIDEST = 40, 100
_FURTHER = "  "
_COMMAND = " Get it with: "
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


class ReportLanguage(Enum):
    """Language of a report."""

    en = "en"
    zh = "zh"

    @property
    def code(self) -> Language:
        """As the reports take it."""
        return "zh" if self is ReportLanguage.zh else "en"


JsonOption = Annotated[bool, typer.Option("--json", help="As JSON.")]
LangOption = Annotated[ReportLanguage, typer.Option("--lang", help="Language of the report.")]


def say(text: str = "") -> None:
    """A line on standard output, as it is."""
    sys.stdout.write(f"{text}\n")


def tell(text: str) -> None:
    """A message on standard error, wrapped to the terminal; lines that begin with a blank stay."""
    sys.stdout.flush()
    sys.stderr.write(f"{wrapped(text)}\n")
    sys.stderr.flush()


def wrapped(text: str, width: int | None = None) -> str:
    """Each line of a text wrapped at blanks, Chinese between characters, further lines indented.

    Args:
        text: Lines; one that begins with a blank is left as it is, so that a command can be copied.
        width: Columns; None takes the terminal's, 80 where there is none.

    >>> print(wrapped("claims.jsonl:3: label: a label is yes, no or idk", 40))
    claims.jsonl:3: label: a label is yes,
      no or idk
    """
    columns = line_width(width)
    lines = []
    for line in text.splitlines():
        lines += [line] if line.startswith(" ") else _broken(line, columns)
    return "\n".join(lines)


def line_width(width: int | None = None) -> int:
    """Columns of a line of text: those of the terminal, neither very few nor very many."""
    columns = shutil.get_terminal_size().columns if width is None else width
    return max(NARROWEST, min(columns, WIDEST))


def _broken(line: str, columns: int) -> list[str]:
    if _is_narrow(line):
        return textwrap.wrap(
            line,
            columns,
            subsequent_indent=_FURTHER,
            break_long_words=False,
            break_on_hyphens=False,
        ) or [""]
    from metajudge.report.guideline_text import wrapped_cells

    return wrapped_cells(line, columns, further=_FURTHER)


def _is_narrow(text: str) -> bool:
    """Whether every character takes one column, as those of Chinese do not."""
    if text.isascii():
        return True
    from rich.cells import cell_len

    return cell_len(text) == len(text)


def inert(text: str) -> str:
    """What somebody else may have written, on one line that cannot steer a terminal."""
    from metajudge.report.inert import one_line

    return one_line(text)


def command_apart(text: str) -> str:
    """A message with the command that it ends in on a line of its own, to be copied whole.

    >>> print(command_apart("There is no model. Get it with: make model"))
    There is no model. Get it with:
      make model
    """
    lines = []
    for line in text.splitlines():
        told, found, command = line.partition(_COMMAND)
        lines += [f"{told}{_COMMAND.rstrip()}", f"  {command}"] if found else [line]
    return "\n".join(lines)


def say_json(payload: Any) -> None:
    """One JSON value on standard output, and nothing else; nan and infinity are refused."""
    say_json_text(json.dumps(payload, ensure_ascii=False, allow_nan=False, indent=2))


def say_json_text(text: str) -> None:
    """JSON text on standard output; characters that the terminal lacks become escapes."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    if not encoding.startswith("utf"):
        text = _NOT_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], text)
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")


def console() -> Console:
    """A Rich console on standard output that takes no text for markup.

    Where the reader went away (`| head`), Rich would end the program with 1, which says something
    else here; this console raises `BrokenPipeError`, as a plain write does.
    """
    from rich.console import Console

    class Piped(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Piped(file=sys.stdout, markup=False, highlight=False, emoji=False)


def say_table(
    headers: Sequence[str], rows: Iterable[Sequence[object]], right: str = "", whole: str = ""
) -> None:
    """A plain table on standard output, as wide as the terminal, 80 columns where there is none.

    Args:
        headers: Column names.
        rows: Cells; None is shown as a dash.
        right: Names, separated by blanks, of columns that are set flush right.
        whole: Names, separated by blanks, of columns whose cells are not broken into lines.
    """
    from rich.table import Table
    from rich.text import Text

    from metajudge.cli.cell import Cell
    from metajudge.report.inert import one_line

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_edge=False)
    for name in headers:
        table.add_column(
            Text(name, style="bold"),
            justify="right" if name in right.split() else "left",
            overflow="fold",
            no_wrap=name in whole.split(),
        )
    for row in rows:
        table.add_row(*(Cell("–" if cell is None else one_line(str(cell))) for cell in row))
    console().print(table)
