"""The command line: one file a verb; parses, calls and prints, and decides nothing else."""

from metajudge.cli.app import app, main

__all__ = ["app", "main"]
