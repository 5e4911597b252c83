"""Which gold set a verb is about: the one named, the user's own, or else the shipped one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

SetArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="PATH",
        help="Folder, table file or hf:owner/name; without it, ./gold, or else the shipped set.",
        show_default=False,
    ),
]
OWN = Path("gold")


def gold_place(path: str | None) -> str:
    """The gold set that is meant, as `load_goldset` takes it."""
    from metajudge.shipped import shipped_gold

    return path or str(OWN if OWN.is_dir() else shipped_gold())
