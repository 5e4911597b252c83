"""Verdicts of one trial along an axis, and what was asked on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from metajudge.agreement.bootstrap import cluster_weights
from metajudge.scoring.policies import parse_policy
from metajudge.selection import ClaimColumns, claim_columns
from metajudge.selection.axis_runs import Compared
from metajudge.selection.stability import (
    AxisRuns,
    Resampling,
)
from tests.selection.worlds import claims

STRICT = (parse_policy("strict"),)
LETTERS = {"y": 0, "n": 1, "i": 2, "f": 3}


def coded(word: str) -> Any:
    return np.asarray([LETTERS[letter] for letter in word], np.int64)


def axis_of(
    base: str,
    *runs: str,
    name: str = "passage_order",
    trial: str = "t",
    compared_with: Compared = "trial",
    changed: Sequence[str] | None = None,
    levels: tuple[str, ...] | None = None,
) -> AxisRuns:
    """Runs as words of y, n, i, f; `changed` has a 1 where a cell counts."""
    marks = changed or ["1" * len(base)] * len(runs)
    cells = [[mark == "1" for mark in row] for row in marks]
    return AxisRuns(
        trial,
        name,
        levels or tuple(f"level {i}" for i in range(len(runs))),
        coded(base),
        np.stack([coded(run) for run in runs]) if runs else np.zeros((0, len(base)), np.int64),
        np.asarray(cells, np.bool_).reshape(len(runs), len(marks[0]) if runs else len(base)),
        compared_with,
    )


def asked(gold: Sequence[str], **more: Any) -> tuple[ClaimColumns, Resampling]:
    columns = claim_columns(claims(gold, **more), 1, binary=False)
    weights = cluster_weights(columns.answers.n_clusters, 300, np.random.default_rng(1))
    return columns, Resampling(weights, "answer")
