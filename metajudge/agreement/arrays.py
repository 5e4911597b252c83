"""Array types of this room and the two operations that every coefficient rests on."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Masks: TypeAlias = npt.NDArray[np.bool_]
Numbers: TypeAlias = npt.ArrayLike
AnyFloats: TypeAlias = npt.NDArray[np.floating[Any]]

TINY = 1e-12
"""Relative size under which a denominator counts as zero (rounding of expected tables)."""


def as_floats(numbers: Numbers) -> Floats:
    """Any array-like as float64."""
    return np.asarray(numbers, dtype=np.float64)


def divide(numerator: Numbers, denominator: Numbers) -> Floats:
    """Quotient with nan where the denominator is zero; shapes broadcast.

    >>> divide([1.0, 1.0], [2.0, 0.0]).tolist()
    [0.5, nan]
    """
    top, below = np.broadcast_arrays(as_floats(numerator), as_floats(denominator))
    out = np.full(top.shape, np.nan)
    np.divide(top, below, out=out, where=np.abs(below) > 0)
    return out
