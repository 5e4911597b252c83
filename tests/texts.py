"""What reports show, as tests look at it: words in a row, tags of a page, tables of Markdown."""

from __future__ import annotations

import io
from html.parser import HTMLParser

from rich.console import Console, RenderableType

Tag = tuple[str, dict[str, str | None]]


def words(text: str) -> str:
    """The text with all white space as single blanks."""
    return " ".join(text.split())


def printed(renderable: RenderableType, width: int = 80) -> str:
    """What Rich prints on a terminal of so many columns."""
    file = io.StringIO()
    Console(file=file, width=width, legacy_windows=False).print(renderable)
    return file.getvalue()


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[Tag] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def tags(page: str) -> list[Tag]:
    """Every tag that a browser opens, with its attributes."""
    parser = _Tags()
    parser.feed(page)
    return parser.found


def check_rectangular(markdown: str) -> None:
    """Every row of a table has as many cells as the one above it."""
    width = None
    for line in markdown.splitlines():
        if not line.startswith("|"):
            width = None
            continue
        cells = line.replace("\\|", "").count("|")
        assert width in (None, cells), line
        width = cells
