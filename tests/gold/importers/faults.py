"""Every way to break one field of a record."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

_WRONG = [None, "", " \n", 5, -1, 0.5, True, [], {}, [None], ["x"], [5], {"a": 1}, [[["x"]]], "nan"]
_STRANGE = [
    *("half \ud800 of it", ["half \ud800"], "字" * 5000, "<sep>", "-", "\x00"),
    *(10**20, [[0, 99]]),
]


def broken(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Copies of a record, each with one field, at any depth, of another value or left out."""
    for path in _places(record):
        for wrong in (*_WRONG, *_STRANGE, KeyError):
            copy = deepcopy(record)
            holder = copy
            for key in path[:-1]:
                holder = holder[key]
            if wrong is KeyError:
                del holder[path[-1]]
            else:
                holder[path[-1]] = wrong
            yield copy


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in parts:
        yield (*path, key)
        if isinstance(part, dict | list):
            yield from _places(part, (*path, key))
