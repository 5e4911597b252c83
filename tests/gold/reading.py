"""Rows that are read as gold, the faults that reading them names, and what writes small sets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import GoldError
from metajudge.gold import GoldSet, load_goldset

Tea = Callable[..., Path]
Make = Callable[..., GoldSet]
"""The fixtures `tea` and `make_gold`: a small gold set on disk, or at hand."""
ROW = {"claim": "Tea is hot.", "context": ["Tea is a hot drink."], "label": "yes", "lang": "en"}


def faults(path: Path | str, **options: Any) -> list[str]:
    with pytest.raises(GoldError) as caught:
        load_goldset(path, **options)
    return [str(problem).replace(f"{path}", "F") for problem in caught.value.problems]
