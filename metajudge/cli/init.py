"""`metajudge init`: a small experiment that works at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metajudge.cli.output import say, wrapped
from metajudge.errors import ExperimentError, Problem

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


def init(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Where to; made when absent.")
    ] = Path("."),
) -> None:
    """Write a starter experiment that runs at once.

    It has a gold set of 12 claims, two templates and an experiment. Nothing is overwritten: a file
    that is there already ends it before any is written.
    """
    from importlib.resources import files

    starter = dict(_walk(files("metajudge.cli") / "starter", Path()))
    there = [path for path in starter if (folder / path).exists()]
    if there:
        raise ExperimentError(
            Problem(str(folder / path), "nothing is overwritten", "Choose another folder.")
            for path in there
        )
    if folder.exists() and not folder.is_dir():
        law = "a folder is needed, and this is a file"
        raise ExperimentError(Problem(str(folder), law, "Choose another name."))
    for path, source in starter.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
        say(str(target))
    say()
    for line in _next_steps(folder):
        say(wrapped(line))


def _walk(place: Traversable, path: Path) -> list[tuple[Path, Traversable]]:
    """Files below a place, with their paths, in order of name."""
    found: list[tuple[Path, Traversable]] = []
    for entry in sorted(place.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir() and not entry.name.startswith("__"):
            found += _walk(entry, path / entry.name)
        elif entry.is_file():
            found.append((path / entry.name, entry))
    return found


def _next_steps(folder: Path) -> list[str]:
    go = [] if folder == Path(".") else [f"  cd {folder}"]
    return [
        "It runs now, with a judge that needs no key and no model:",
        *go,
        "  metajudge sweep",
        "Then add a template as one YAML file in templates/, add a claim as one line in "
        "gold/claims.jsonl, and name a real judge in experiment.yaml.",
    ]
