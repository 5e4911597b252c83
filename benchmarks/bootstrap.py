"""Goals G12 and G13: cluster bootstrap times, beside the loop over scikit-learn that they replace.

Best of several repeats in one process, n = 1,000 claims, 2,000 resamples, three labels.

Run: python -m benchmarks.bootstrap
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import cohen_kappa_score

from benchmarks.goal import Row, judged
from benchmarks.meter import peak_mb
from benchmarks.process import cores, fresh
from metajudge.agreement import (
    COEFFICIENTS,
    ORDERED,
    Coefficient,
    alpha_of_coincidences,
    bca_interval,
    cell_jackknife,
    cluster_sums,
    cluster_tables,
    cluster_weights,
    coincidences,
    confusion_table,
    estimate,
    estimate_differences,
    multinomial_tables,
    percentile_interval,
    rating_counts,
)

CLAIMS, RESAMPLES, CANDIDATES = 1000, 2000, 200
KAPPA = COEFFICIENTS["cohen_kappa"]
ALPHA = Coefficient("alpha", alpha_of_coincidences, "no claim has two ratings", -1.0)
RNG = np.random.default_rng(20250101)
GOLD = RNG.choice(3, CLAIMS, p=[0.45, 0.25, 0.3])
RIGHT = RNG.random((CANDIDATES, CLAIMS)) < 0.75
VERDICTS = np.where(RIGHT, GOLD, RNG.integers(0, 4, (CANDIDATES, CLAIMS)))
ANSWERS, SINGLE = np.arange(CLAIMS) // 5, np.arange(CLAIMS)


def best_ms(job: Callable[[], object], repeats: int) -> float:
    """Shortest wall time of a job in ms."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        job()
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def sklearn_loop(resamples: int = 50) -> float:
    """Milliseconds of 2,000 resamples by the loop, from fewer."""

    def loop() -> None:
        for _ in range(resamples):
            drawn = RNG.integers(0, CLAIMS, CLAIMS)
            cohen_kappa_score(GOLD[drawn], VERDICTS[0, drawn])

    return best_ms(loop, 3) * RESAMPLES / resamples


def single_claims() -> object:
    tables = multinomial_tables(confusion_table(GOLD, VERDICTS[0]), RESAMPLES, RNG)
    return percentile_interval(KAPPA(tables)[:, None])


def single_claims_bca() -> object:
    table = confusion_table(GOLD, VERDICTS[0])
    values = KAPPA(multinomial_tables(table, RESAMPLES, RNG))[:, None]
    left_out = cell_jackknife(table)
    return bca_interval(
        values,
        KAPPA(table[None]),
        KAPPA(left_out.tables)[:, None],
        multiplicity=left_out.multiplicity,
    )


def clustered() -> object:
    weights = cluster_weights(CLAIMS // 5, RESAMPLES, RNG)
    return estimate(cluster_tables(ANSWERS, GOLD, VERDICTS[0]), KAPPA, weights)


def clustered_bca() -> object:
    weights = cluster_weights(CLAIMS // 5, RESAMPLES, RNG)
    return estimate(cluster_tables(ANSWERS, GOLD, VERDICTS[0]), KAPPA, weights, "bca")


def paired() -> object:
    weights = cluster_weights(CLAIMS // 5, RESAMPLES, RNG)
    return estimate_differences(cluster_tables(ANSWERS, GOLD, VERDICTS[:2]), KAPPA, weights)


def alpha() -> object:
    three = np.stack([GOLD, VERDICTS[0] % 3, VERDICTS[1] % 3])
    units = coincidences(rating_counts(three, 3))
    sums = cluster_sums(ANSWERS, units[None], np.ones(CLAIMS, np.bool_))
    return estimate(sums, ALPHA, cluster_weights(CLAIMS // 5, RESAMPLES, RNG))


def many(cluster: np.ndarray) -> object:
    weights = cluster_weights(int(cluster.max()) + 1, RESAMPLES, RNG)
    return estimate_differences(cluster_tables(cluster, GOLD, VERDICTS), KAPPA, weights)


def every_coefficient() -> None:
    """50 trials of 2,000 claims in 500 answers, all coefficients."""
    gold, verdicts = RNG.integers(0, 3, 2000), RNG.integers(0, 4, (50, 2000))
    sums = cluster_tables(np.arange(2000) // 4, gold, verdicts)
    weights = cluster_weights(500, RESAMPLES, RNG)
    for coefficient in (*COEFFICIENTS.values(), *ORDERED):
        estimate(sums, coefficient, weights)


class Job(NamedTuple):
    """One thing that is timed.

    Attributes:
        name: What it is.
        work: Does it once.
        repeats: Runs of which the best counts.
        most_ms: Goal in ms; None for none.
        looped: How many loops over scikit-learn it replaces; 0 where the loop does something else.
        goal: Number of the goal.
    """

    name: str
    work: Callable[[], object]
    repeats: int
    most_ms: float | None
    looped: int
    goal: str


JOBS = (
    Job("kappa, claims independent", single_claims, 20, 4, 1, "G12"),
    Job("kappa BCa, claims independent", single_claims_bca, 20, 5, 1, "G12"),
    Job("kappa, 200 answers", clustered, 20, 30, 1, "G12"),
    Job("kappa BCa, 200 answers", clustered_bca, 20, None, 1, "G12"),
    Job("paired difference, 200 answers", paired, 20, 10, 2, "G12"),
    Job("alpha, 3 raters, 200 answers", alpha, 10, 120, 0, "G12"),
    Job("200 candidates, 200 answers", lambda: many(ANSWERS), 5, 500, CANDIDATES, "G13"),
    Job("200 candidates, 1,000 clusters", lambda: many(SINGLE), 5, 500, CANDIDATES, "G13"),
    Job("all coefficients, 50 x 2,000", every_coefficient, 2, 5000, 0, "G13"),
)


def timed() -> dict[str, Any]:
    """Milliseconds of every job and of the loop, and the highest memory in MB."""
    loop = sklearn_loop()
    took = {job.name: best_ms(job.work, job.repeats) for job in JOBS}
    return {"loop_ms": loop, "took_ms": took, "peak_mb": peak_mb()}


def measure(scale: float = 1.0, repeats: int = 1) -> list[Row]:
    """Rows of G12 and G13."""
    found = fresh("bootstrap:timed", on=cores().both)
    rows = [_row(job, found["took_ms"][job.name], found["loop_ms"]) for job in JOBS]
    peak = found["peak_mb"]
    goal = "G13: memory with 200 candidates <= 300 MB"
    reason = "measured with scikit-learn loaded, which the project does not need here"
    return [*rows, judged(goal, f"{peak:.0f} MB", "", peak <= 300, reason)]


def _row(job: Job, took: float, loop: float) -> Row:
    beside = f"loop over scikit-learn {job.looped * loop / 1000:.1f} s" if job.looped else ""
    times = f", {job.looped * loop / took:,.0f} x faster" if job.looped else ""
    measured = f"{took:.1f} ms{times}"
    if job.most_ms is None:
        return Row(f"{job.goal}: {job.name}", measured, beside)
    goal = f"{job.goal}: {job.name} <= {job.most_ms:g} ms"
    kept = took <= job.most_ms
    if job.work is single_claims:
        goal, kept = f"{goal}, >= 500 x the loop", kept and loop / took >= 500
    return judged(goal, measured, beside, kept, f"{took:.1f} ms on this machine")


def main() -> None:
    found = timed()
    loop = found["loop_ms"]
    print(f"loop over scikit-learn: {loop:.0f} ms")
    print(f"{'':32s} {'ms':>9} {'goal':>8}  times faster than the loop")
    for job in JOBS:
        took = found["took_ms"][job.name]
        goal = "" if job.most_ms is None else f"<= {job.most_ms:g}"
        ratio = f"{loop * job.looped / took:10.0f}" if job.looped else ""
        print(f"{job.name:32s} {took:9.1f} {goal:>8} {ratio}")
    print(f"peak memory {found['peak_mb']:.0f} MB")


if __name__ == "__main__":
    main()
