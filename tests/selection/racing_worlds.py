"""Worlds with known candidates for races."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from metajudge.agreement.arrays import Ints
from metajudge.agreement.table import cluster_codes
from metajudge.selection.columns import CandidateKey, ClaimColumns
from metajudge.selection.guardrails import Bounds
from metajudge.selection.racing.blocks import Unit, stratified_blocks
from metajudge.selection.racing.race import END_AT, Method, Race
from metajudge.selection.rule import Contest

LIFTED = Bounds(None, None, None, None, None, None, False)
SLICES = ("literal", "paraphrase", "summary", "aggregation", "contradiction", "outside_true")


def keys_of(n: int) -> tuple[CandidateKey, ...]:
    return tuple(CandidateKey(f"c{place:02}", "top") for place in range(n))


def planted(
    seed: int,
    n_candidates: int,
    n: int,
    *,
    over: list[float] | None = None,
    idk: list[float] | None = None,
    per_context: int = 4,
) -> tuple[ClaimColumns, Ints]:
    """Claims and verdicts whose errors go together; rates by candidate, drawn unless given."""
    rng = np.random.default_rng([seed, 5])
    slices = np.asarray(SLICES)[rng.permutation(np.arange(n) % len(SLICES))]
    mixed = rng.choice(3, n, p=[0.7, 0.15, 0.15])
    gold = np.select([slices == "contradiction", slices == "outside_true"], [1, 2], mixed)
    context = np.arange(n) // per_context
    clusters = cluster_codes([str(place) for place in context])
    langs = np.where(context % 2, "en", "zh")
    columns = ClaimColumns(gold, slices, langs, clusters, clusters, False, n)
    overs = rng.uniform(0.02, 0.3, n_candidates) if over is None else np.asarray(over)
    idks = rng.uniform(0.02, 0.4, n_candidates) if idk is None else np.asarray(idk)
    place = 0.6 * rng.normal(size=n) + 0.8 * rng.normal(size=(n_candidates, n))
    chance = np.vectorize(NormalDist().cdf)(place)
    summary = np.isin(slices, ["summary", "aggregation"])
    codes = np.tile(gold, (n_candidates, 1))
    codes[(gold != 0) & (chance < overs[:, None])] = 0
    rate = np.where(summary, idks[:, None], 0.05)
    codes[(gold == 0) & (chance < rate)] = 2
    return columns, codes


def run(
    columns: ClaimColumns,
    codes: Ints,
    contest: Contest,
    *,
    method: Method = "bound",
    seed: int = 1,
    trial_of: Ints | None = None,
    unit: Unit = "claim",
    error: float = 0.05,
    blocks: int = 12,
    end_at: float | None = END_AT,
) -> Race:
    """A race from beginning to end."""
    n = codes.shape[1]
    race = Race(
        columns,
        keys_of(len(codes)),
        np.arange(len(codes)) if trial_of is None else trial_of,
        contest=contest,
        blocks=stratified_blocks(columns, -(-n // blocks), seed, unit),
        method=method,
        seed=seed,
        unit=unit,
        error=error,
        end_at=end_at,
    )
    said = np.full(codes.shape, -1)
    while (block := race.block()) is not None:
        cells = np.ix_(race.running, block)
        said[cells] = codes[cells]
        race.take(said)
    return race
