"""Label codes, and confusion tables of verdicts against gold.

A table has one row a gold label and one column a verdict label, and a last column for failures:
shape `(K, K + 1)`, with any number of leading batch dimensions. A failure is a verdict category
of its own. It counts in n (claims asked), it is never credited, and it is neither a no nor an idk.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, Numbers, as_floats

YES, NO, IDK, FAILURE = 0, 1, 2, 3
SUPPORTED, UNSUPPORTED = 0, 1
LABEL_POSITIONS: tuple[float, float, float] = (2.0, 0.0, 1.0)
"""Places of yes, no, idk on the order no < idk < yes, for weighted coefficients."""


class Clusters(NamedTuple):
    """Claims grouped by answer or context: `codes` of shape (n,), 0 … `n_clusters` - 1."""

    codes: Ints
    n_clusters: int


def cluster_codes(names: Sequence[Hashable]) -> Clusters:
    """Number cluster names in order of first appearance.

    >>> cluster_codes(["a", "b", "a"])
    Clusters(codes=array([0, 1, 0]), n_clusters=2)
    """
    seen: dict[Hashable, int] = {}
    codes = np.fromiter((seen.setdefault(name, len(seen)) for name in names), np.int64, len(names))
    return Clusters(codes, len(seen))


def to_binary(codes: Numbers) -> Ints:
    """Project yes to supported, no and idk to unsupported; a failure stays a failure.

    Args:
        codes: Label codes of any shape.

    >>> to_binary([YES, NO, IDK, FAILURE]).tolist()
    [0, 1, 1, 3]
    """
    return np.asarray([SUPPORTED, UNSUPPORTED, UNSUPPORTED, FAILURE], np.int64)[
        np.asarray(codes, np.int64)
    ]


def _checked(gold: Numbers, verdict: Numbers, n_labels: int) -> tuple[Ints, Ints]:
    if not 2 <= n_labels <= FAILURE:
        raise ValueError(f"n_labels must be 2 (binary gold) or 3, got {n_labels!r}")
    gold_codes, verdict_codes = np.asarray(gold, np.int64), np.asarray(verdict, np.int64)
    if gold_codes.ndim != 1 or verdict_codes.shape[-1:] != gold_codes.shape:
        raise ValueError(
            "gold must have shape (n,) and verdicts (…, n), "
            f"got {gold_codes.shape} and {verdict_codes.shape}"
        )
    bad_gold = (gold_codes < 0) | (gold_codes >= n_labels)
    if bad_gold.any():
        place = int(np.flatnonzero(bad_gold)[0])
        raise ValueError(
            f"gold codes must be 0 … {n_labels - 1}, got {int(gold_codes[place])} at {place}; "
            "drop claims without a gold label"
        )
    bad = (verdict_codes < 0) | ((verdict_codes >= n_labels) & (verdict_codes != FAILURE))
    if bad.any():
        spot = tuple(int(axis[0]) for axis in np.nonzero(bad))
        raise ValueError(
            f"verdict codes must be 0 … {n_labels - 1} or {FAILURE} (failure), "
            f"got {int(verdict_codes[spot])} at {spot}; use to_binary for binary gold"
        )
    return gold_codes, np.where(verdict_codes == FAILURE, n_labels, verdict_codes)


def table_cells(gold: Numbers, verdict: Numbers, n_labels: int = 3) -> Ints:
    """Index of each claim's cell in the flattened `(K, K + 1)` table; shape of `verdict`.

    Args:
        gold: Shape (n,), codes 0 … K - 1.
        verdict: Shape (…, n), codes 0 … K - 1 or FAILURE.
        n_labels: K, 3 for yes/no/idk and 2 for binary gold.

    Raises:
        ValueError: Shapes differ or a code is outside the label set.
    """
    gold_codes, columns = _checked(gold, verdict, n_labels)
    return gold_codes * (n_labels + 1) + columns


def confusion_table(gold: Numbers, verdict: Numbers, n_labels: int = 3) -> Ints:
    """Count verdicts by gold label; the last column counts failures.

    The label space is fixed beforehand, never taken from the labels that happen to occur.

    Args:
        gold: Shape (n,), codes 0 … K - 1.
        verdict: Shape (n,) or (S, n), codes 0 … K - 1 or FAILURE.
        n_labels: K.

    Returns:
        Shape (K, K + 1), or (S, K, K + 1).

    >>> confusion_table([YES, YES, NO, IDK], [YES, IDK, NO, FAILURE]).tolist()
    [[1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]]
    """
    cells = table_cells(gold, verdict, n_labels)
    size = n_labels * (n_labels + 1)
    batch = cells.shape[:-1]
    n_tables = math.prod(batch)
    offset = np.arange(n_tables).reshape(*batch, 1) * size
    counts = np.bincount((cells + offset).ravel(), minlength=n_tables * size)
    return counts.reshape(*batch, n_labels, n_labels + 1).astype(np.int64)


def one_hot(gold: Numbers, verdict: Numbers, n_labels: int = 3) -> Ints:
    """Each claim's own table: a single 1 in its cell. Shape (…, n, K, K + 1).

    >>> int(one_hot([YES], [NO])[0, YES, NO])
    1
    """
    cells = table_cells(gold, verdict, n_labels)
    hot = np.eye(n_labels * (n_labels + 1), dtype=np.int64)[cells]
    return hot.reshape(*cells.shape, n_labels, n_labels + 1)


def square(table: Numbers) -> Floats:
    """The table as `(…, K + 1, K + 1)`: gold never fails, so its failure row is zero.

    >>> square([[1, 0, 2], [0, 3, 0]]).tolist()
    [[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [0.0, 0.0, 0.0]]
    """
    counts = as_floats(table)
    return np.concatenate([counts, np.zeros_like(counts[..., :1, :])], axis=-2)


class Margins(NamedTuple):
    """Sums of tables: `n` (…), `agreed` (…), `gold` (…, K), `verdict` (…, K + 1)."""

    n: Floats
    agreed: Floats
    gold: Floats
    verdict: Floats


def margins(table: Numbers) -> Margins:
    """Claims asked, claims agreed on, gold counts and verdict counts (last one: failures).

    Raises:
        ValueError: The last two axes are not (K, K + 1).
    """
    counts = as_floats(table)
    if counts.ndim < 2 or counts.shape[-1] != counts.shape[-2] + 1:
        raise ValueError(f"tables must have shape (…, K, K + 1), got {counts.shape}")
    gold = counts.sum(-1)
    agreed = np.einsum("...kk->...", counts[..., :-1])
    return Margins(gold.sum(-1), agreed, gold, counts.sum(-2))


def without_failures(table: Numbers) -> Floats:
    """The `(…, K, K)` part of readable verdicts, for tests that are made for square tables."""
    return as_floats(table)[..., :-1]


def selected(mask: Masks | None, n: int) -> Masks:
    """The mask, or all n claims when there is none."""
    return np.ones(n, dtype=np.bool_) if mask is None else np.asarray(mask, dtype=np.bool_)
