"""Making many objects that all stay, without the cyclic collector looking through them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Automatic collection of cycles is off inside the block, and on again after it if it was on.

    Calls and replies of a sweep are made by the ten thousand, hold no cycles and live to its end.
    The collector would look through all of them time and again and free none.

    >>> with collector_at_rest():
    ...     gc.isenabled()
    False
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
