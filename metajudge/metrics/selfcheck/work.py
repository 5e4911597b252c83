"""One check on its way: the units, what was said of them so far, and the deadline."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from metajudge.errors import InputError, MetajudgeError
from metajudge.metrics.selfcheck.checked import CheckedUnit, Said
from metajudge.metrics.selfcheck.desk import NotAskedError, Tally
from metajudge.metrics.selfcheck.pieces import Pieces
from metajudge.metrics.selfcheck.questions import Matter
from metajudge.runner.setback import unexpected

LATE = Said(None, "deadline", "no verdict before the deadline")


@dataclass(slots=True)
class Work:
    """One check on its way; verdicts are filled in as they come.

    Attributes:
        matter: What the units are held against.
        pieces: The answer, taken apart.
        started: When it began, in s of `time.perf_counter`.
        texts: What is asked about.
        places: For each unit, the sentences that it stands for.
        said: For each unit, what was said of it; None while nothing was.
        whole: Why no unit is known at all (claims that could not be listed); None otherwise.
        tally: What was sent and spent.
        drawn: Whether the units are claims that the judge drew.
        on_unit: Is told of every verdict, in the order in which they come.
    """

    matter: Matter
    pieces: Pieces
    started: float
    texts: tuple[str, ...] = ()
    places: tuple[tuple[int, ...], ...] = ()
    said: list[Said | None] = field(default_factory=list)
    whole: Said | None = None
    tally: Tally = field(default_factory=Tally)
    drawn: bool = False
    on_unit: Callable[[CheckedUnit], None] | None = None

    @property
    def is_open(self) -> bool:
        """Whether something is left to ask."""
        return None in self.said

    def take_units(self, texts: Sequence[str], places: Sequence[tuple[int, ...]]) -> None:
        """The units, once they are known."""
        self.texts, self.places = tuple(texts), tuple(places)
        self.said = [None] * len(self.texts)

    def tell(self, index: int, said: Said) -> None:
        """What was said of a unit; only the first word counts."""
        if self.said[index] is None:
            self.said[index] = said
            if self.on_unit is not None:
                self.on_unit(self.unit(index))

    def unit(self, index: int) -> CheckedUnit:
        """A unit as people see it."""
        said = self.said[index] or LATE
        return CheckedUnit(
            index,
            self.texts[index],
            said.label,
            said.failure,
            said.detail,
            said.reason,
            self.places[index],
            said.cached,
        )

    def end(self) -> None:
        """The deadline has come: units without a word stay without one."""
        if not self.is_open:
            return
        for index, said in enumerate(self.said):
            if said is None:
                self.tell(index, LATE)


def lost(task: asyncio.Task[None]) -> Said | None:
    """Why a task brought no verdict; None where it ended well."""
    if not task.done() or task.cancelled():
        return LATE
    error = task.exception()
    return None if error is None else said_of(error)


def said_of(error: BaseException) -> Said:
    """An error as a failure: its text where it was written for people, else type and place."""
    if isinstance(error, NotAskedError):
        return Said(None, error.failure, error.detail)
    if isinstance(error, InputError):
        return Said(None, "bad_input", str(error))
    if isinstance(error, MetajudgeError):
        return Said(None, "unusable", str(error))
    if isinstance(error, Exception):
        return Said(None, "unexpected", unexpected(error).detail)
    return Said(None, "unexpected", type(error).__name__)
