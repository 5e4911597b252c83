"""Contexts of an import: one per id, one per text where there are no ids, groups that hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from metajudge.errors import Problem, short_repr
from metajudge.gold.claim import Claim, Context, PendingClaim
from metajudge.gold.fingerprint import context_id_of
from metajudge.gold.importing.imported import ImportedClaim
from metajudge.gold.importing.light import lightened

_LONGEST_ID = 200


@dataclass(slots=True)
class _Held:
    passages: tuple[str, ...]
    place: str
    title: str | None = None
    group: str | None = None


class ContextTable:
    """Contexts as records bring them.

    Where records of one context name two groups, both groups are one from then on: contexts of a
    group never part in a split.
    """

    def __init__(self) -> None:
        self._held: dict[str, _Held] = {}
        self._of_text: dict[tuple[str, ...], str] = {}
        self._joined: dict[str, str] = {}

    def add(self, record: ImportedClaim, passages: tuple[str, ...]) -> str | None:
        """The id of a record's context; None where the id it gives has other passages already.

        Args:
            record: Brings the id, if it has one, title and group.
            passages: Those that are not blank.
        """
        given = bounded(record.context_id)
        name = given or self._of_text.get(passages) or context_id_of(passages)
        held = self._held.get(name)
        if held is None:
            place = record.where if record.line is None else f"{record.where}:{record.line}"
            held = self._held[name] = _Held(passages, place)
            self._of_text.setdefault(passages, name)
        elif given is not None and held.passages != passages:
            return None
        held.title = held.title or record.title
        group = bounded(record.group)
        if held.group is None:
            held.group = group
        elif group is not None:
            self._join(held.group, group)
        return name

    def clash(self, record: ImportedClaim) -> Problem:
        """That the id of a record's context stands for other passages already."""
        name = record.context_id or ""
        law = f"the context id stands for two texts, first at {self._held[name].place}"
        mend = "Give each text its own id, or leave the id unread."
        return Problem(record.where, law, mend, record.line, "context_id", short_repr(name))

    def contexts(self, claims: Iterable[Claim | PendingClaim]) -> dict[str, Context]:
        """The contexts of the claims, by id, in the order in which they came.

        What the table held of them it lets go, so that they do not take memory twice.
        """
        used = {claim.context_id for claim in claims}
        self._of_text.clear()
        made: dict[str, Context] = {}
        for name in list(self._held):
            held = self._held.pop(name)
            if name in used:
                group = None if held.group is None else self._root(held.group)
                context = Context(
                    context_id=name, passages=held.passages, title=held.title, group=group
                )
                made[name] = lightened(context)
        return made

    def _join(self, first: str, second: str) -> None:
        first, second = self._root(first), self._root(second)
        if first != second:
            self._joined[second] = first

    def _root(self, group: str) -> str:
        while group in self._joined:
            group = self._joined[group]
        return group


def bounded(identifier: str | None) -> str | None:
    """An id that is short enough to be one of ours; None where there is none that can be used."""
    usable = identifier is not None and identifier.strip() and len(identifier) <= _LONGEST_ID
    return identifier if usable else None
