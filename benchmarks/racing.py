"""Racing on stored replies: the same choice as the full grid, for which share of its calls?

Verdicts of experiments 001 (from its recordings) and 002 (from its results files, whose texts are
not part of the project) are replayed block by block in seeded orders; no model is asked. A batch
prior is the mean of the claims that the trial was asked so far, recomputed at every block. A race
is right where it ends with the winner of the full grid or a statistical tie of it, or, where the
full grid has no safe winner, with none.

Run: python -m benchmarks.racing [--orders 200] [--write]   `--write` makes the page
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from benchmarks.process import ROOT
from metajudge.agreement.arrays import Floats, Ints, Masks
from metajudge.agreement.bootstrap import cluster_weights
from metajudge.experiment import Experiment
from metajudge.experiment.from_results import VERDICTS, measurer_of
from metajudge.report.results import Results
from metajudge.report.results_file import read_results
from metajudge.runner.store import Store
from metajudge.runner.trial import Plan
from metajudge.selection.columns import CandidateKey, ClaimColumns, claim_columns
from metajudge.selection.guardrails import Bounds
from metajudge.selection.measure import Measurer
from metajudge.selection.racing.blocks import bare_measurer, stratified_blocks
from metajudge.selection.racing.race import END_AT, Method, Race, RaceOutcome
from metajudge.selection.ranking import rank
from metajudge.selection.readings import read_candidates, read_trial
from metajudge.selection.replay import TrialReplay, replay
from metajudge.selection.rule import Contest
from metajudge.verdicts.probability import prior_corrected

PAGE = ROOT / "benchmarks" / "racing.md"
FIRST = ROOT / "experiments" / "001-templates"
SETS = ("contractnli", "faithbench", "ragtruth", "uhgeval", "wice", "xsum_hallucination")
ALONE = "bound alone"
"""Bounds without the simulated end."""
METHODS = ("bound", ALONE, "halving", "wilcoxon")
BLOCKS = 12
ASKED_AT_MOST = 0.40
RIGHT_AT_LEAST = 0.95
LIFTED = Bounds(None, None, None, None, None, None, False)


class Setting(NamedTuple):
    """What decides: a target under the declared guardrails, or under none."""

    name: str
    target: str
    guarded: bool


SETTINGS = (
    Setting("declared guardrails", "summary_as_idk", True),
    Setting("lifted, kappa", "kappa", False),
    Setting("lifted, summary-as-idk", "summary_as_idk", False),
)


class Replies(Protocol):
    """Verdicts as they stand after some of the claims."""

    def codes(self, asked: Masks) -> Ints:
        """Codes (S, N), -1 where the trial was not asked; asked (T, N)."""


@dataclass(frozen=True)
class Bench:
    """What is raced."""

    name: str
    columns: ClaimColumns
    keys: tuple[CandidateKey, ...]
    trial_of: Ints
    price: Ints
    off: Floats
    baseline: int
    replies: Replies
    results: Results

    def contest(self, setting: Setting) -> Contest:
        if not setting.guarded:
            return Contest(setting.target, LIFTED, None, np.zeros(len(self.keys)))
        return Contest(setting.target, Bounds(), self.baseline, self.off)

    def full(self) -> Ints:
        """Verdicts of the full grid."""
        return self.replies.codes(np.ones((len(self.price), len(self.columns.gold)), np.bool_))

    def right(self, setting: Setting) -> tuple[int | None, set[int | None]]:
        """The winner of the full grid, and that with its ties; None for no safe winner."""
        if setting.guarded:
            winner = self.results.decision.winner
            rows = [r for r in self.results.ranking if r.rank == 1 and r.safe]
            names = {CandidateKey(r.trial, r.reading) for r in rows}
            if winner is None:
                return None, {None}
            key = CandidateKey(rows[0].trial, rows[0].reading)
            return self.keys.index(key), {self.keys.index(name) for name in names}
        results = self.results
        weights = cluster_weights(
            self.columns.clusters(results.cluster).n_clusters,
            results.resamples,
            np.random.default_rng(results.seed),
        )
        bare = bare_measurer(
            self.columns, self.keys, self.full(), results.cluster, 1 - results.alpha
        )
        measurer: Measurer = replace(bare, weights=weights)
        ranked = rank(
            measurer, measurer.measure(), target=setting.target, bounds=LIFTED, baseline=None
        )
        return ranked[0].index, {row.index for row in ranked if row.rank == 1}


class Recorded:
    """Replies of experiment 001, read again for the claims that a trial was asked so far."""

    def __init__(self, rows: tuple[TrialReplay, ...], keys: tuple[CandidateKey, ...]) -> None:
        self._rows, self._keys = {row.trial.name: row for row in rows}, keys
        self._names = tuple(dict.fromkeys(key.trial for key in keys))
        whole = read_candidates(rows, tuple(dict.fromkeys(key.reading for key in keys)))
        places = [whole.codes.keys.index(key) for key in keys]
        self._whole = whole.codes.codes[places]

    def codes(self, asked: Masks) -> Ints:
        found = self._whole.copy()
        for row, key in enumerate(self._keys):
            mine = asked[self._names.index(key.trial)]
            if key.reading == "batch_corrected":
                read = read_trial(_of_claims(self._rows[key.trial], mine), key.reading)
                found[row] = 3 if read is None else read.codes.ravel()
            found[row, ~mine] = -1
        return found


def _of_claims(row: TrialReplay, asked: Masks) -> TrialReplay:
    """A trial with the batch prior of some claims, by template."""
    variants = []
    for variant in row.variants:
        priors = np.full(variant.batch_priors.shape, np.nan)
        groups = np.unique(variant.batch_priors, axis=0, return_inverse=True)[1].reshape(-1)
        for group in np.unique(groups).tolist():
            mine = groups == group
            seen = variant.probabilities[mine & asked].reshape(-1, 3)
            seen = seen[np.isfinite(seen[:, 0])]
            if len(seen):
                priors[mine] = seen.mean(0)
        variants.append(replace(variant, batch_priors=priors))
    return replace(row, variants=tuple(variants))


class Filed:
    """Verdicts of a results file; batch priors from the probabilities of the top reading."""

    def __init__(self, results: Results, keys: tuple[CandidateKey, ...]) -> None:
        by_key = {CandidateKey(row.trial, row.reading): row for row in results.verdicts}
        self._keys, self._names = keys, tuple(dict.fromkeys(key.trial for key in keys))
        self.whole = np.asarray([[VERDICTS.index(v) for v in by_key[key].verdicts] for key in keys])
        self._langs = np.asarray([claim.lang for claim in results.claims])
        self._likely = {
            name: np.asarray(
                [p or (np.nan,) * 3 for p in by_key[CandidateKey(name, "top")].probabilities or ()],
                np.float64,
            )
            for name in self._names
        }

    def codes(self, asked: Masks) -> Ints:
        found = self.whole.copy()
        for row, key in enumerate(self._keys):
            mine = asked[self._names.index(key.trial)]
            if key.reading == "batch_corrected":
                found[row] = self._batch(self._likely[key.trial], found[row], mine)
            found[row, ~mine] = -1
        return found

    def _batch(self, likely: Floats, codes: Ints, asked: Masks) -> Ints:
        found = codes.copy()
        for lang in np.unique(self._langs).tolist():
            mine = (self._langs == lang) & np.isfinite(likely[:, 0]) & (codes != 3)
            if (mine & asked).any():
                prior = likely[mine & asked].mean(0)
                found[mine] = prior_corrected(likely[mine], prior).argmax(-1)
        return found


def recorded_bench(folder: Path = FIRST) -> Bench:
    """Experiment 001, from its recordings."""
    experiment = Experiment.from_file(folder)
    prepared = experiment.prepare()
    results = read_results(folder / "results.json")
    with tempfile.TemporaryDirectory() as place, Store(Path(place) / "store.sqlite") as store:
        experiment.load_recordings(store)
        plan = experiment.plan(prepared).main
        keys_of = [call.call.key for calls in plan.calls.values() for call in calls]
        rows = replay(plan, store.get_many(keys_of))
    columns = claim_columns(
        plan.claims,
        experiment.config.repeats,
        binary=prepared.gold.manifest.label_space == "binary",
    )
    keys = tuple(CandidateKey(row.trial, row.reading) for row in results.verdicts)
    return _bench(results, columns, keys, _prices(plan), Recorded(rows, keys))


def filed_bench(folder: Path) -> Bench:
    """One set of experiment 002, from its results file."""
    results = read_results(folder / "results.json")
    rows = [(CandidateKey(row.trial, row.reading), row.verdicts) for row in results.verdicts]
    keys = tuple(key for key, _ in rows)
    columns = measurer_of(results, results.claims, rows).columns
    names = dict.fromkeys(key.trial for key in keys)
    return _bench(results, columns, keys, dict.fromkeys(names, 1), Filed(results, keys))


def _prices(plan: Plan) -> dict[str, int]:
    """Calls that one claim takes, by trial."""
    return {trial.name: len(trial.variants) * trial.repeats for trial in plan.trials}


def _bench(
    results: Results,
    columns: ClaimColumns,
    keys: tuple[CandidateKey, ...],
    price: dict[str, int],
    replies: Replies,
) -> Bench:
    names = tuple(dict.fromkeys(key.trial for key in keys))
    off = np.zeros(len(keys))
    for ranked in results.ranking:
        beside = [b.by for b in ranked.broken if b.guardrail in ("flip_rate", "insensitive")]
        off[keys.index(CandidateKey(ranked.trial, ranked.reading))] = sum(
            np.inf if by is None else by for by in beside
        )
    return Bench(
        results.name,
        columns,
        keys,
        np.asarray([names.index(key.trial) for key in keys]),
        np.asarray([price[name] for name in names]),
        off,
        next(i for i, key in enumerate(keys) if key.trial == results.baseline),
        replies,
        results,
    )


def raced(bench: Bench, contest: Contest, name: str, seed: int) -> RaceOutcome:
    """One race in a seeded order."""
    n = len(bench.columns.gold)
    method: Method = "bound" if name == ALONE else name  # type: ignore[assignment]
    race = Race(
        bench.columns,
        bench.keys,
        bench.trial_of,
        contest=contest,
        blocks=stratified_blocks(bench.columns, -(-n // BLOCKS), seed),
        method=method,
        cluster=bench.results.cluster,
        level=1 - bench.results.alpha,
        seed=seed,
        end_at=None if name == ALONE else END_AT,
    )
    asked = np.zeros((len(bench.price), n), np.bool_)
    while (block := race.block()) is not None:
        trials = np.unique(bench.trial_of[race.running])
        asked[trials[:, None], block] = True
        race.take(bench.replies.codes(asked))
    return race.outcome(bench.price.tolist())


class Row(NamedTuple):
    """One bench, setting and method."""

    bench: str
    setting: str
    method: str
    candidates: int
    claims: int
    answer: str
    right: float
    same: float
    calls: Floats
    chance: float
    seconds: float

    @property
    def held(self) -> bool:
        return self.right >= RIGHT_AT_LEAST and float(np.median(self.calls)) <= ASKED_AT_MOST


def rows(orders: int, benches: list[Bench], methods: Sequence[str]) -> Iterator[Row]:
    for bench in benches:
        for setting in SETTINGS:
            (best, right), contest = bench.right(setting), bench.contest(setting)
            answer = "no safe winner" if best is None else f"winner, {len(right) - 1} tied"
            for method in methods:
                start = time.perf_counter()
                found = [raced(bench, contest, method, seed) for seed in range(orders)]
                yield Row(
                    bench.name,
                    setting.name,
                    method,
                    len(bench.keys),
                    len(bench.columns.gold),
                    answer,
                    float(np.mean([outcome.first in right for outcome in found])),
                    float(np.mean([outcome.first == best for outcome in found])),
                    np.asarray([outcome.calls / outcome.calls_full for outcome in found]),
                    float(np.mean([outcome.chance_otherwise for outcome in found])),
                    (time.perf_counter() - start) / orders,
                )


COLUMNS = (
    "bench",
    "setting",
    "method",
    "candidates × claims",
    "full grid",
    "orders",
    "right",
    "same",
    "calls",
    "otherwise",
    "s a race",
    "reached",
)
HEAD = f"""# Racing against the full grid, replayed

`python -m benchmarks.racing --write`: verdicts of experiments 001 and 002 in seeded orders,
{BLOCKS} blocks stratified by slice and language.

- *right*: the race ends with the full grid's winner or a statistical tie of it, or with no safe
  winner where the full grid has none; *same*: with the very winner
- *calls*: share of the full grid's calls, median [10 %, 90 %]
- *otherwise*: mean of the simulated chance that the full grid decides otherwise
- *reached*: right in 95 % of the orders or more, with a median of 40 % of the calls or fewer

| {" | ".join(COLUMNS)} |
|{"---|" * len(COLUMNS)}
"""
NOTE = """
Most of these sets cannot tell their candidates apart, so that a tie is easily hit;
`docs/methods.md`, *Racing*, has what simulated worlds show.
"""


def line(row: Row) -> str:
    """One row of the table."""
    low, middle, high = np.quantile(row.calls, [0.1, 0.5, 0.9])
    cells = (
        row.bench,
        row.setting,
        row.method,
        f"{row.candidates} × {row.claims}",
        row.answer,
        str(len(row.calls)),
        f"{row.right:.3f}",
        f"{row.same:.3f}",
        f"{middle:.2f} [{low:.2f}, {high:.2f}]",
        f"{row.chance:.3f}",
        f"{row.seconds:.2f}",
        "yes" if row.held else "no",
    )
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="racing against the full grid, replayed")
    parser.add_argument("--orders", type=int, default=200)
    parser.add_argument("--only", default="", help="benches whose name holds this")
    parser.add_argument("--methods", nargs="+", default=METHODS, choices=METHODS)
    parser.add_argument("--write", action="store_true", help="write benchmarks/racing.md")
    options = parser.parse_args()
    benches = [recorded_bench()]
    benches += [filed_bench(FIRST.parent / "002-people" / name) for name in SETS]
    benches = [bench for bench in benches if options.only in bench.name]
    lines = []
    for row in rows(options.orders, benches, options.methods):
        lines.append(line(row))
        print(lines[-1], flush=True)
    if options.write:
        PAGE.write_text(HEAD + "\n".join(lines) + "\n" + NOTE, encoding="utf-8")


if __name__ == "__main__":
    main()
