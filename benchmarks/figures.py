"""Goals G14 and G15: every coefficient of a large sweep, and the whole selection repeated.

50 trials on the same 2,000 claims of 500 answers, 2,000 resamples of answers, three labels and
failures; each job once in a process of its own.

Run: python -m benchmarks.figures
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks.goal import Row, judged
from benchmarks.meter import cpu_s, peak_mb
from benchmarks.process import cores, fresh
from metajudge.agreement import (
    COEFFICIENTS,
    ORDERED,
    RATER_COEFFICIENTS,
    Clusters,
    cluster_sums,
    cluster_tables,
    cluster_weights,
    estimate,
    rating_counts,
)

TRIALS, CLAIMS, RESAMPLES, OUTER = 50, 2000, 2000, 500
ANSWERS = np.arange(CLAIMS) // 4
SLICES = ("literal", "paraphrase", "summary", "aggregation", "contradiction", "outside_true")
JOBS = ("coefficients", "raters", "measured", "luck")


def sweep() -> tuple[np.ndarray, np.ndarray]:
    """Gold (n,) and verdicts (S, n): judges right in 70 to 85 %, 1 % failures."""
    rng = np.random.default_rng(20250101)
    gold = rng.choice(3, CLAIMS, p=[0.45, 0.25, 0.3])
    right = rng.random((TRIALS, CLAIMS)) < np.linspace(0.70, 0.85, TRIALS)[:, None]
    verdicts = np.where(right, gold, rng.integers(0, 3, (TRIALS, CLAIMS)))
    return gold, np.where(rng.random((TRIALS, CLAIMS)) < 0.01, 3, verdicts)


def measurer() -> Any:
    """The sweep as selection sees it."""
    from metajudge.selection import CandidateCodes, CandidateKey, ClaimColumns, Measurer

    gold, verdicts = sweep()
    rng = np.random.default_rng(20250102)
    clusters = Clusters(ANSWERS, CLAIMS // 4)
    columns = ClaimColumns(
        gold=gold,
        slices=rng.choice(np.array(SLICES), CLAIMS),
        langs=rng.choice(np.array(("en", "zh")), CLAIMS),
        answers=clusters,
        contexts=clusters,
        binary=False,
        n_claims=CLAIMS,
    )
    keys = tuple(CandidateKey(f"trial {number:02d}", "top") for number in range(TRIALS))
    shares = np.full((TRIALS, CLAIMS, 3), np.nan, np.float32)
    weights = cluster_weights(CLAIMS // 4, RESAMPLES, rng)
    return Measurer(columns, CandidateCodes(keys, verdicts, shares), weights, "answer", 0.95)


def coefficients(method: str = "bca") -> None:
    """All coefficients of tables, with intervals."""
    gold, verdicts = sweep()
    sums = cluster_tables(ANSWERS, gold, verdicts)
    weights = cluster_weights(CLAIMS // 4, RESAMPLES, np.random.default_rng(1))
    for coefficient in (*COEFFICIENTS.values(), *ORDERED):
        estimate(sums, coefficient, weights, method)  # type: ignore[arg-type]


def raters() -> None:
    """All coefficients of raters: three draws of each trial."""
    verdicts = sweep()[1]
    rng = np.random.default_rng(1)
    draws = np.where(
        rng.random((3, TRIALS, CLAIMS)) < 0.9, verdicts % 3, rng.integers(0, 3, (TRIALS, CLAIMS))
    )
    counts = rating_counts(draws.reshape(3, -1), 3).reshape(TRIALS, CLAIMS, 3)
    weights = cluster_weights(CLAIMS // 4, RESAMPLES, rng)
    for kind in RATER_COEFFICIENTS.values():
        units = np.stack([kind.units(rows) for rows in counts])
        sums = cluster_sums(ANSWERS, units, np.ones(CLAIMS, np.bool_))
        estimate(sums, kind.coefficient, weights, "bca")


def measured() -> None:
    """Everything that a sweep measures: coefficients, shares, labels, slices, languages."""
    measurer().measure()


def luck() -> float:
    """The selection on 500 resamples; the time of that alone, in s."""
    from metajudge.selection.choice import selection_luck
    from metajudge.selection.ranking import Bounds, rank

    found = measurer()
    bounds = Bounds(over_credit_upper=0.30)
    settings: dict[str, Any] = {"target": "summary_as_idk", "bounds": bounds, "baseline": 0}
    ranked = rank(found, found.measure(), **settings)
    start = time.perf_counter()
    selection_luck(found, ranked, rng=np.random.default_rng(3), outer=OUTER, **settings)
    return time.perf_counter() - start


def timed(job: str) -> dict[str, float]:
    """Seconds and the highest memory in MB of one job."""
    start, cpu = time.perf_counter(), cpu_s()
    own = globals()[job]()
    wall = time.perf_counter() - start
    return {"s": wall if own is None else own, "cpu_s": cpu_s() - cpu, "peak_mb": peak_mb()}


def measure(scale: float = 1.0, repeats: int = 1) -> list[Row]:
    """Rows of G14 and G15; they are single runs of fixed size, whatever the scale."""
    found = {job: fresh("figures:timed", on=cores().both, job=job) for job in JOBS}
    every = found["coefficients"]["s"] + found["raters"]["s"]
    peak = max(figures["peak_mb"] for figures in found.values())
    size = f"{TRIALS} x {CLAIMS:,}, {RESAMPLES:,} resamples"
    parts = f"tables {found['coefficients']['s']:.1f} s, raters {found['raters']['s']:.1f} s"
    return [
        judged(
            f"G14: all coefficients, BCa, {size} <= 5 s", f"{every:.1f} s", parts, every <= 5,
            f"{every:.1f} s on this machine",
        ),
        Row(f"G14: all figures of a sweep, {size}", f"{found['measured']['s']:.1f} s"),
        judged(
            f"G15: selection repeated, K = {TRIALS}, {OUTER} resamples <= 10 s",
            f"{found['luck']['s']:.1f} s", "", found["luck"]["s"] <= 10,
            f"{found['luck']['s']:.1f} s on this machine",
        ),
        judged("G14, G15: memory <= 500 MB", f"{peak:.0f} MB", "", peak <= 500, f"{peak:.0f} MB"),
    ]  # fmt: skip


def main() -> None:
    for job in JOBS:
        found = fresh("figures:timed", on=cores().both, job=job)
        print(
            f"{job:14s} {found['s']:6.2f} s  CPU {found['cpu_s']:6.2f} s  {found['peak_mb']:.0f} MB"
        )


if __name__ == "__main__":
    main()
