"""Long work of many checks, a piece in each turn of the event loop."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable


class Turns:
    """Does one piece a turn, in the order in which they came, so that nobody waits for all.

    Pieces must not raise.
    """

    def __init__(self) -> None:
        self._pieces: deque[Callable[[], None]] = deque()

    def add(self, piece: Callable[[], None]) -> None:
        """Have a piece done when it is its turn, never before this returns."""
        if not self._pieces:
            asyncio.get_running_loop().call_soon(self._next)
        self._pieces.append(piece)

    def _next(self) -> None:
        piece = self._pieces[0]
        try:
            piece()
        finally:
            self._pieces.popleft()
            if self._pieces:
                asyncio.get_running_loop().call_soon(self._next)
