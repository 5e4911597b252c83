"""Checks of lists that a user declares: without doubles, or with one entry at least."""

from __future__ import annotations

from typing import TypeVar

Entry = TypeVar("Entry")


def one_at_least(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """The entries; `min_length` would complain of an empty list wherever an entry is faulty.

    Raises:
        ValueError: There are none.
    """
    if not entries:
        raise ValueError("at least one is needed")
    return entries


def without_doubles(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """The entries.

    Raises:
        ValueError: One stands more than once.

    >>> without_doubles(("a", "b"))
    ('a', 'b')
    """
    doubled = sorted({str(entry) for entry in entries if entries.count(entry) > 1})
    if doubled:
        raise ValueError(f"{', '.join(doubled)} stands more than once")
    return entries
