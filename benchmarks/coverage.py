"""Coverage of the 95 % intervals on simulated, clustered claims.

A world has G answers of five claims. Gold labels have shares 45/25/30 %. Each answer has its own
chance of a right verdict, one of two levels, so that errors come together: the correlation of two
errors in one answer is `icc`. Both judges find the same answers hard. Wrong verdicts fall on
the other two labels, and over-credit has the rate stated. Since the expected table is known, so is
every true value. The first judge states as its confidence its chance of being right, raised by
`boast` and blurred by `BLUR`; the true ECE is that of very many answers.

Printed for each design: the share of worlds whose interval holds the true value. Between 93 and
97 % is what theory promises for many answers; with 1,000 worlds the figure is good to +-1.4 points.

Run: python -m benchmarks.coverage [--worlds 1000] [--write]     `--write` makes coverage.md
On a busy machine set OPENBLAS_NUM_THREADS=1: threads that wait for a core cost more than they give.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from benchmarks.process import ROOT
from metajudge.agreement.arrays import Floats, Ints
from metajudge.agreement.bootstrap import (
    ClusterSums,
    cluster_shares,
    cluster_sums,
    cluster_tables,
    cluster_weights,
)
from metajudge.agreement.calibration import bin_sums, ece_of_sums
from metajudge.agreement.coefficients import COEFFICIENTS, Coefficient
from metajudge.agreement.estimate import (
    FEW_CLUSTERS,
    Estimate,
    IntervalMethod,
    estimate,
    estimate_differences,
    estimate_share,
)
from metajudge.agreement.rates import over_credit, share_coefficient

PAGE = ROOT / "benchmarks" / "coverage.md"
GOLD_SHARES = np.array([0.45, 0.25, 0.30])
CLAIMS_AN_ANSWER = 5
RESAMPLES = 1000
EDGES = np.linspace(0.0, 1.0, 11)
BLUR = 0.1
KAPPA, MCC = COEFFICIENTS["cohen_kappa"], COEFFICIENTS["mcc"]
ECE = Coefficient("ece", ece_of_sums, "no probabilities")
OVER_CREDIT = share_coefficient("over_credit", "gold not yes")
HOLDS = (93.0, 97.0)
PRODUCT = ("kappa BCa", "kappa diff.", "share Wilson", "share diff.", "ECE hull")
"""The intervals that reports show; the others stand beside them for comparison."""


@dataclass(frozen=True, slots=True)
class Design:
    """Answers in a world, correlation of errors within one, and how often two judges are right.

    `credit` is the share of wrong verdicts on gold-not-yes claims that say yes, `boast` what a
    judge adds to its chance of being right when it states its confidence.
    """

    answers: int
    icc: float
    right: tuple[float, float]
    credit: float
    boast: float = 0.1

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


DESIGNS = tuple(
    Design(answers, icc, right, credit)
    for icc, right, credit in (
        (0.0, (0.80, 0.75), 0.5),
        (0.3, (0.80, 0.75), 0.5),
        (0.3, (0.90, 0.85), 0.3),
    )
    for answers in (15, 25, 50, 100)
)


class World(NamedTuple):
    """Answers and gold (n,), verdicts of two judges (2, n), confidence of the first (n,)."""

    cluster: Ints
    gold: Ints
    verdicts: Ints
    confidence: Floats


def draw_world(design: Design, rng: np.random.Generator) -> World:
    """A world of two judges that share what is hard."""
    cluster = np.repeat(np.arange(design.answers), CLAIMS_AN_ANSWER)
    gold = rng.choice(3, len(cluster), p=GOLD_SHARES)
    chances = _chances(design, rng.random(design.answers))[:, cluster]
    verdicts = [_verdict(design, chance, gold, rng) for chance in chances]
    return World(cluster, gold, np.stack(verdicts), _stated(design, chances[0], rng))


def _stated(design: Design, chance: Floats, rng: np.random.Generator) -> Floats:
    """The confidence stated for claims with these chances of being right."""
    return np.clip(chance + design.boast + rng.uniform(-BLUR, BLUR, len(chance)), 0.0, 1.0)


def true_ece(design: Design, answers: int = 200_000) -> float:
    """The ECE of very many answers, with chances in place of what came of them."""
    rng = np.random.default_rng(20250101)
    chance = _chances(design, rng.random(answers))[0]
    stated = _stated(design, chance, rng)
    place = np.clip(np.searchsorted(EDGES, stated, side="right") - 1, 0, len(EDGES) - 2)
    sums = [np.bincount(place, part, len(EDGES) - 1) for part in (np.ones(answers), stated, chance)]
    return float(ece_of_sums(np.stack(sums, axis=-1)))


def _chances(design: Design, level: Floats) -> Floats:
    """Each judge's chance of being right in each answer, (2, G): one of two levels."""
    rows = []
    for right in design.right:
        # Two levels with this rise and drop have mean `right`, variance icc * right * (1 - right).
        spread = np.sqrt(design.icc * right * (1 - right))
        lift, drop = spread * np.sqrt((1 - right) / right), spread * np.sqrt(right / (1 - right))
        rows.append(np.where(level < right, right + lift, right - drop))
    return np.stack(rows)


def _verdict(design: Design, chance: Floats, gold: Ints, rng: np.random.Generator) -> Ints:
    falls = design.wrong_labels()[gold].cumsum(1)
    wrong = (rng.random(len(gold))[:, None] > falls).sum(1)
    return np.where(rng.random(len(gold)) < chance, gold, np.minimum(wrong, 2))


def holds(found: Estimate, truth: float) -> bool:
    """Whether the interval holds the true value; no interval holds nothing."""
    return found.low is not None and found.high is not None and found.low <= truth <= found.high


def true_values(design: Design) -> dict[str, float]:
    tables = design.expected_tables()
    over = tables[:, 1:, 0].sum(1) / tables[:, 1:].sum((1, 2))
    kappas = KAPPA(tables)
    return {
        "kappa": float(kappas[0]),
        "kappa difference": float(kappas[1] - kappas[0]),
        "mcc": float(MCC(tables)[0]),
        "share": float(over[0]),
        "share difference": float(over[1] - over[0]),
        "ece": true_ece(design),
    }


def covered(design: Design, truth: dict[str, float], rng: np.random.Generator) -> dict[str, bool]:
    """One world: which intervals hold the truth."""
    world = draw_world(design, rng)
    tables = cluster_tables(world.cluster, world.gold, world.verdicts)
    first = ClusterSums(tables.sums[:, :1], tables.n[:1], tables.n_clusters[:1])
    shares = cluster_shares(world.cluster, over_credit(world.gold, world.verdicts))
    right = world.verdicts[0] == world.gold
    bins = cluster_sums(
        world.cluster, bin_sums(world.confidence, right, EDGES)[None], np.ones_like(right)
    )
    weights = cluster_weights(design.answers, RESAMPLES, rng)

    def one(
        sums: ClusterSums, coefficient: Coefficient, method: IntervalMethod = "percentile"
    ) -> Estimate:
        return estimate(sums, coefficient, weights, method)[0]

    found = {
        "kappa perc.": (one(first, KAPPA), "kappa"),
        "kappa BCa": (one(first, KAPPA, "bca"), "kappa"),
        "kappa diff.": (estimate_differences(tables, KAPPA, weights)[1], "kappa difference"),
        "MCC BCa": (one(first, MCC, "bca"), "mcc"),
        "share perc.": (one(shares, OVER_CREDIT), "share"),
        "share Wilson": (estimate_share(shares, OVER_CREDIT)[0], "share"),
        "share diff.": (estimate_differences(shares, OVER_CREDIT, weights)[1], "share difference"),
        "ECE perc.": (one(bins, ECE), "ece"),
        "ECE hull": (one(bins, ECE, "hull"), "ece"),
    }
    return {name: holds(interval, truth[key]) for name, (interval, key) in found.items()}


def measured(design: Design, number: int, worlds: int) -> dict[str, float]:
    """Coverage in % of each interval."""
    rng = np.random.default_rng([20250101, number])
    truth = true_values(design)
    rows = [covered(design, truth, rng) for _ in range(worlds)]
    return {name: 100 * float(np.mean([row[name] for row in rows])) for name in rows[0]}


def setting(design: Design) -> str:
    table = design.expected_tables()[0, 1:]
    over = table[:, 0].sum() / table.sum()
    return f"{design.answers} / {design.icc:g} / {design.right[0]:.2f} / {over:.2f}"


def page(rows: list[tuple[Design, dict[str, float]]], worlds: int, took_s: float) -> str:
    """`coverage.md`: the table, and in words which intervals keep their promise."""
    names = list(rows[0][1])
    error = 196 * (0.0475 / worlds) ** 0.5
    lines = [
        "# Coverage of the intervals",
        "",
        "Written by `python -m benchmarks.coverage --write`; do not edit. "
        f"{worlds:,} worlds a row, {RESAMPLES:,} resamples, five claims an answer; share of 95 % "
        f"intervals that hold the true value, in %, good to +-{error:.1f}. "
        "Reports show "
        + ", ".join(f"*{name}*" for name in PRODUCT)
        + "; the others stand beside them for comparison.",
        "",
        "| answers / icc / right / over-credit | " + " | ".join(names) + " | |",
        "|---" * (len(names) + 2) + "|",
    ]
    for design, found in rows:
        cells = " | ".join(_cell(found[name]) for name in names)
        warned = "warned" if design.answers < FEW_CLUSTERS else ""
        lines.append(f"| {setting(design)} | {cells} | {warned} |")
    lines += ["", "Bold: outside 93 to 97 %.", "", *_words(rows), "", f"{took_s:.0f} s of CPU."]
    return "\n".join(lines) + "\n"


def _cell(share: float) -> str:
    return f"{share:.1f}" if HOLDS[0] <= share <= HOLDS[1] else f"**{share:.1f}**"


def _words(rows: list[tuple[Design, dict[str, float]]]) -> list[str]:
    told = []
    for name in PRODUCT:
        for label, kept in (
            (f"from {FEW_CLUSTERS} answers up", lambda d: d.answers >= FEW_CLUSTERS),
            (
                f"under {FEW_CLUSTERS} answers, where a warning stands",
                lambda d: d.answers < FEW_CLUSTERS,
            ),
        ):
            shares = [found[name] for design, found in rows if kept(design)]
            inside = sum(HOLDS[0] <= share <= HOLDS[1] for share in shares)
            told.append(
                f"- {name}, {label}: {min(shares):.1f} to {max(shares):.1f} %, "
                f"within 93 to 97 % in {inside} of {len(shares)} designs."
            )
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description="coverage of the intervals by simulation")
    parser.add_argument("--worlds", type=int, default=1000)
    parser.add_argument("--write", action="store_true", help="write benchmarks/coverage.md")
    options = parser.parse_args()
    rows: list[tuple[Design, dict[str, float]]] = []
    for number, design in enumerate(DESIGNS):
        rows.append((design, measured(design, number, options.worlds)))
        cells = "  ".join(f"{name} {share:.1f}" for name, share in rows[-1][1].items())
        print(f"{setting(design)}: {cells}", flush=True)
    text = page(rows, options.worlds, time.process_time())
    if options.write:
        PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
