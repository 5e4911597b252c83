"""How a verb ends when something goes wrong: one clear message, one exit code, no stack trace."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import ParamSpec

import typer

from metajudge.cli.exit_codes import EXIT_PIPE
from metajudge.cli.output import command_apart, tell
from metajudge.errors import EXIT_CANNOT_DECIDE, EXIT_USAGE, MetajudgeError

P = ParamSpec("P")


def guarded(verb: Callable[P, None]) -> Callable[P, None]:
    """The verb with every expected error turned into a message and an exit code.

    A programming error of metajudge itself still shows its stack trace.
    """

    @functools.wraps(verb)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            verb(*args, **kwargs)
            sys.stdout.flush()
        except MetajudgeError as error:
            explain(str(error))
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt:
            tell("interrupted. What is answered is kept; run the same command again to go on.")
            raise typer.Exit(EXIT_CANNOT_DECIDE) from None
        except BrokenPipeError:
            leave_pipe()
            raise typer.Exit(EXIT_PIPE) from None
        except OSError as error:
            explain(f"{error.filename or 'a file'}: {error.strerror or type(error).__name__}")
            raise typer.Exit(EXIT_USAGE) from None

    return run


def explain(message: str) -> None:
    """An error on standard error, without secrets, each of its lines wrapped by itself."""
    from metajudge.judges.scrub import scrub
    from metajudge.report.inert import visible

    lines = [
        f"{line[: len(line) - len(line.lstrip())]}{visible(scrub(line, len(line) + 100))}"
        for line in command_apart(message).splitlines()
    ]
    tell("\n".join(lines))


def leave_pipe() -> None:
    """Point standard output elsewhere, so that nothing is written to a reader who went away."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = open(os.devnull, "w", encoding="utf-8")
