"""The Markdown notes beside a Python drop-in: how it is used, and in what it differs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping

from metajudge.report.inert import markdown_code, markdown_text


def notes(ref: str, title: str, uses: str, told: Mapping[str, Iterable[str]]) -> str:
    """A page with a title, the code that uses the drop-in, and lists under their heads.

    Args:
        ref: The release.
        title: What follows its name in the title.
        uses: Indented code, then a line of text.
        told: Head -> sentences; a head without sentences is left out.
    """
    code, _, rest = uses.rpartition("\n\n")
    blocks = [f"# {markdown_code(ref)} {markdown_text(title)}"]
    blocks += [f"```python\n{textwrap.dedent(code).strip()}\n```", markdown_text(rest)]
    for head, lines in told.items():
        blocks += listed(head.rstrip(":"), lines)
    return "\n\n".join(blocks) + "\n"


def listed(head: str, lines: Iterable[str], depth: int = 2) -> list[str]:
    """A head and a list under it; nothing where the list is empty."""
    points = "\n".join(f"- {markdown_text(line)}" for line in lines)
    return [f"{'#' * depth} {markdown_text(head)}", points] if points else []
