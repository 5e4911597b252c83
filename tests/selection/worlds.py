"""Small worlds of claims and verdicts, written as words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from metajudge.agreement.bootstrap import cluster_weights
from metajudge.gold.claim import Claim
from metajudge.selection import (
    Bounds,
    CandidateCodes,
    CandidateFigures,
    CandidateKey,
    Measurer,
    Ranked,
    claim_columns,
    rank,
)

CODES = {"yes": 0, "no": 1, "idk": 2, "failure": 3}


def claims(
    gold: Sequence[str],
    slices: Sequence[str | None] | None = None,
    answers: Sequence[str] | None = None,
    langs: Sequence[str] | None = None,
) -> list[Claim]:
    """Claims with these gold labels; each is an answer and a context of its own unless said."""
    n = len(gold)
    kinds = slices or [None] * n
    names = answers or [f"a{i}" for i in range(n)]
    tags = langs or ["en"] * n
    return [
        Claim(
            claim_id=f"c{i}",
            answer_id=names[i],
            context_id=f"x-{names[i]}",
            claim=f"claim {i}",
            label=gold[i],  # type: ignore[arg-type]
            slice=kinds[i],  # type: ignore[arg-type]
            lang=tags[i],
        )
        for i in range(n)
    ]


def world(
    gold: Sequence[str],
    verdicts: Mapping[str, Sequence[str]],
    *,
    repeats: int = 1,
    cluster: str = "answer",
    resamples: int = 400,
    seed: int = 7,
    probabilities: Mapping[str, Sequence[Sequence[float]]] | None = None,
    **columns: Any,
) -> Measurer:
    """A sweep in which each candidate gave these verdicts; `name/reading` names a reading."""
    binary = any(label in ("supported", "unsupported") for label in gold)
    made = claim_columns(claims(gold, **columns), repeats, binary=binary)
    keys = [CandidateKey(*f"{name}/top".split("/")[:2]) for name in verdicts]
    n = len(made.gold)
    shares = np.full((len(keys), n, 3), np.nan, np.float32)
    for i, name in enumerate(verdicts):
        if probabilities and name in probabilities:
            shares[i] = np.asarray(probabilities[name], np.float32)
    codes = np.asarray([[CODES[word] for word in row] for row in verdicts.values()], np.int64)
    assert codes.shape == (len(keys), n)
    weights = cluster_weights(
        made.clusters(cluster).n_clusters, resamples, np.random.default_rng(seed)
    )
    return Measurer(made, CandidateCodes(tuple(keys), codes, shares), weights, cluster, 0.95)


def ranking(
    measurer: Measurer,
    *,
    target: str = "summary_as_idk",
    bounds: Bounds | None = None,
    baseline: str | None = None,
    **stability: Any,
) -> tuple[Ranked, ...]:
    """The world's candidates in order."""
    row = None if baseline is None else measurer.candidates.first_of(baseline)
    return rank(
        measurer,
        measurer.measure(),
        target=target,
        bounds=bounds or Bounds(),
        baseline=row,
        **stability,
    )


def names(ranked: Sequence[Ranked], measurer: Measurer) -> list[str]:
    """Candidates' names in order."""
    return [measurer.candidates.keys[row.index].trial for row in ranked]


def numbers(figures: CandidateFigures) -> dict[str, float | None]:
    """Plain values of the figures."""
    return {name: estimate.value for name, estimate in figures.figures.items()}
