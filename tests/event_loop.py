"""An event loop for libraries that open one and never close it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def own_loop() -> Iterator[None]:
    """DeepEval makes event loops that it never closes; it takes one that is there."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        yield
    finally:
        loop.close()
        asyncio.set_event_loop(None)
