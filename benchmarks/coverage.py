"""Coverage of the 95 % intervals on simulated, clustered claims.

A world has G answers of five claims. Gold labels have shares 45/25/30 %. Each answer has its own
chance of a right verdict, one of two levels, so that errors come together: the correlation of two
errors in one answer is `icc`. Both judges find the same answers hard. Wrong verdicts fall on
the other two labels, and over-credit has the rate stated. Since the expected table is known, so is
every true value.

Printed for each design: the share of worlds whose interval holds the true value. Between 93 and
97 % is what theory promises for many answers; with 1,000 worlds the figure is good to +-1.4 points.

Run: python benchmarks/coverage.py [worlds]
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

import numpy as np

from metajudge.agreement.arrays import Floats, Ints
from metajudge.agreement.bootstrap import (
    ClusterSums,
    cluster_shares,
    cluster_tables,
    cluster_weights,
)
from metajudge.agreement.coefficients import COEFFICIENTS, Coefficient
from metajudge.agreement.estimate import (
    Estimate,
    IntervalMethod,
    estimate,
    estimate_differences,
    estimate_share,
)
from metajudge.agreement.rates import over_credit, share_coefficient

GOLD_SHARES = np.array([0.45, 0.25, 0.30])
CLAIMS_AN_ANSWER = 5
RESAMPLES = 1000
KAPPA = COEFFICIENTS["cohen_kappa"]
OVER_CREDIT = share_coefficient("over_credit", "gold not yes")
COLUMNS = ("kappa perc.", "kappa BCa", "kappa diff.", "MCC perc.", "share Wilson", "share perc.")


@dataclass(frozen=True, slots=True)
class Design:
    """Answers in a world, correlation of errors within one, and how often two judges are right."""

    answers: int
    icc: float
    right: tuple[float, float]
    credit: float

    def expected_tables(self) -> Floats:
        """The tables behind the true values, shape (2, 3, 4)."""
        tables = np.zeros((2, 3, 4))
        for judge, right in enumerate(self.right):
            wrong = (1 - right) * self.wrong_labels()
            tables[judge, :, :3] = GOLD_SHARES[:, None] * (right * np.eye(3) + wrong)
        return tables

    def wrong_labels(self) -> Floats:
        """Where a wrong verdict falls, by gold label; rows sum to 1."""
        credit = self.credit
        return np.array([[0, 0.5, 0.5], [credit, 0, 1 - credit], [credit, 1 - credit, 0]])


DESIGNS = (
    Design(20, 0.3, (0.80, 0.75), 0.5),
    Design(30, 0.3, (0.80, 0.75), 0.5),
    Design(60, 0.0, (0.80, 0.75), 0.5),
    Design(60, 0.3, (0.80, 0.75), 0.5),
    Design(200, 0.3, (0.80, 0.75), 0.5),
    Design(60, 0.3, (0.90, 0.85), 0.3),
    Design(200, 0.3, (0.90, 0.85), 0.3),
)


def draw_world(design: Design, rng: np.random.Generator) -> tuple[Ints, Ints, Ints]:
    """Answers, gold and the verdicts of two judges that share what is hard."""
    cluster = np.repeat(np.arange(design.answers), CLAIMS_AN_ANSWER)
    gold = rng.choice(3, len(cluster), p=GOLD_SHARES)
    level = rng.random(design.answers)
    verdicts = [_verdict(design, judge, level, gold, rng) for judge in range(2)]
    return cluster, gold, np.stack(verdicts)


def _verdict(
    design: Design, judge: int, level: Floats, gold: Ints, rng: np.random.Generator
) -> Ints:
    right = design.right[judge]
    # Two levels with this rise and drop have mean `right` and variance icc * right * (1 - right).
    spread = np.sqrt(design.icc * right * (1 - right))
    lift = spread * np.sqrt((1 - right) / right) if right < 1 else 0.0
    drop = spread * np.sqrt(right / (1 - right)) if right < 1 else 0.0
    chance = np.where(level < right, right + lift, right - drop)[
        np.repeat(np.arange(design.answers), CLAIMS_AN_ANSWER)
    ]
    falls = design.wrong_labels()[gold].cumsum(1)
    wrong = (rng.random(len(gold))[:, None] > falls).sum(1)
    return np.where(rng.random(len(gold)) < chance, gold, np.minimum(wrong, 2))


def holds(found: Estimate, truth: float) -> bool:
    """Whether the interval holds the true value; no interval holds nothing."""
    return found.low is not None and found.high is not None and found.low <= truth <= found.high


def true_values(design: Design) -> dict[str, float]:
    tables = design.expected_tables()
    kappas, mcc = KAPPA(tables), COEFFICIENTS["mcc"](tables)
    over = tables[0, 1:, 0].sum() / tables[0, 1:].sum()
    return {
        "kappa": float(kappas[0]),
        "difference": float(kappas[1] - kappas[0]),
        "mcc": float(mcc[0]),
        "over_credit": float(over),
    }


def covered(design: Design, truth: dict[str, float], rng: np.random.Generator) -> list[bool]:
    """One world: which of the six intervals hold the truth."""
    cluster, gold, verdicts = draw_world(design, rng)
    tables = cluster_tables(cluster, gold, verdicts)
    first = ClusterSums(tables.sums[:, :1], tables.n[:1], tables.n_clusters[:1])
    shares = cluster_shares(cluster, over_credit(gold, verdicts[:1]))
    weights = cluster_weights(design.answers, RESAMPLES, rng)

    def one(
        sums: ClusterSums, coefficient: Coefficient, method: IntervalMethod = "percentile"
    ) -> Estimate:
        return estimate(sums, coefficient, weights, method)[0]

    return [
        holds(one(first, KAPPA), truth["kappa"]),
        holds(one(first, KAPPA, "bca"), truth["kappa"]),
        holds(estimate_differences(tables, KAPPA, weights)[1], truth["difference"]),
        holds(one(first, COEFFICIENTS["mcc"]), truth["mcc"]),
        holds(estimate_share(shares, OVER_CREDIT)[0], truth["over_credit"]),
        holds(one(shares, OVER_CREDIT), truth["over_credit"]),
    ]


def main(worlds: int) -> None:
    start = time.perf_counter()
    print(f"{worlds} worlds, {RESAMPLES} resamples, 5 claims an answer; coverage in %")
    print("answers  icc  right  credit " + " ".join(f"{name:>12}" for name in COLUMNS))
    for number, design in enumerate(DESIGNS):
        rng = np.random.default_rng([20250101, number])
        truth = true_values(design)
        hits = np.mean([covered(design, truth, rng) for _ in range(worlds)], axis=0)
        cells = " ".join(f"{100 * hit:12.1f}" for hit in hits)
        note = "  <- under 30: warned" if design.answers < 30 else ""
        setting = f"{design.answers:7d} {design.icc:4.1f} {design.right[0]:6.2f}"
        print(f"{setting} {truth['over_credit']:7.3f} {cells}{note}", flush=True)
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
