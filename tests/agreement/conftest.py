"""Label arrays that the tests of this room share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

REFERENCE = Path(__file__).parent / "reference"


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20250101)


@pytest.fixture
def reference():
    def read(name: str) -> Any:
        return json.loads((REFERENCE / name).read_text(encoding="utf-8"))

    return read


@pytest.fixture
def labels():
    """Gold and verdicts of n claims with errors, without failures unless asked for."""

    def draw(seed: int, n: int = 200, k: int = 3, failures: float = 0.0):
        source = np.random.default_rng(seed)
        gold = source.integers(0, k, n)
        gold[:k] = np.arange(k)
        verdict = np.where(source.random(n) < 0.7, gold, source.integers(0, k, n))
        verdict[:k] = np.arange(k)
        if failures:
            verdict = np.where(source.random(n) < failures, 3, verdict)
        return gold, verdict

    return draw
