"""Work that opens an event loop of its own, where one may be running already."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def beside_a_loop(work: Callable[[], T]) -> T:
    """What some work gives; done in a thread of its own where an event loop runs in this one.

    That loop (of a notebook or an async test) stands still meanwhile.
    """
    from metajudge.runner.door import inside_a_loop

    if not inside_a_loop():
        return work()
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as threads:
        return threads.submit(work).result()
