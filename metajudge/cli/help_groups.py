"""The verbs as `metajudge --help` lists them: by what they are for, their sentences whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from typer.core import TyperGroup

GROUPS: dict[str, tuple[str, ...]] = {
    "Measure and choose": ("sweep", "plan", "select", "compare", "power", "stability"),
    "Let the machine propose": ("tune", "race", "search", "optimise"),
    "Labels from people": ("gold", "label"),
    "Freeze and change": ("release", "consult", "watch"),
    "Score answers": ("judge", "evaluate", "diagnose", "score"),
    "In use": ("cascade", "monitor", "gate"),
    "Tools": ("init", "doctor", "templates", "models", "report"),
}
"""Every verb in one group; a test holds it."""
_WHOLE = 1_000
"""Longer than any sentence, so that none is cut: the formatter wraps them."""


class WholeHelp(TyperGroup):
    """Verbs with their sentences whole, in the order in which they were added."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section a group; the classes of both are Typer's own and not public."""
        for title, rows in self._sections():
            with formatter.section(title):
                formatter.write_dl(rows)

    def _sections(self) -> Iterator[tuple[str, list[tuple[str, str]]]]:
        longest = max(len(name) for name in self.commands)
        for title, names in self._titles():
            told = [(name, self.commands[name].get_short_help_str(_WHOLE)) for name in names]
            yield title, [(name.ljust(longest), sentence) for name, sentence in told]

    def _titles(self) -> Iterable[tuple[str, Iterable[str]]]:
        return (("Commands", self.commands),)


class GroupedHelp(WholeHelp):
    """The program's verbs, listed in groups."""

    def _titles(self) -> Iterable[tuple[str, Iterable[str]]]:
        return GROUPS.items()
