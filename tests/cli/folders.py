"""Experiments in the current folder whose selection has a winner, and one that has none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.experiment import sealed

HERE = Path()


def two_wordings(n: int = 24, **fields: Any) -> None:
    """The experiment of `sealed` in the current folder."""
    sealed.two_wordings(HERE, n, **fields)
