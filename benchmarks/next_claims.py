"""Which claims to label next: `gold next` against a random order and the most uncertain claims.

Recorded verdicts of real candidates on labelled dev claims are replayed; no model is asked, and no
test label is read. In each replication labels and slices of about 60 % of the claims are hidden,
whole contexts at a time. Each order then says which of them to label, 30 at a time, and after k
labels the rule of selection is applied to what is labelled. That is right where the candidate that
comes first, and whether it is safe, are those of all labels. Of experiment 001 a replication takes
8 of the 25 candidates by lot, the baseline among them, so that the right decision is not always the
same; then all 25. The sets of experiment 002 have people's labels, 8 candidates and 60 claims.

Run: python -m benchmarks.next_claims [--replications 200] [--write]   `--write` makes the page
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.next_claims_page import AFTER, ORDERS, Outcome, Row, page
from benchmarks.process import ROOT
from metajudge.agreement.arrays import Floats, Ints
from metajudge.agreement.bootstrap import cluster_weights
from metajudge.agreement.expected_information import entropy, information, posterior_weights
from metajudge.agreement.kappa import cohen_kappa
from metajudge.agreement.rates import ratio
from metajudge.agreement.table import Clusters
from metajudge.experiment.from_results import measurer_of
from metajudge.gold.claim import Claim
from metajudge.labelling.next_claims import EVERY, Told, next_claims, told_by
from metajudge.report.results_file import read_results
from metajudge.selection.columns import CandidateCodes, CandidateKey, ClaimColumns
from metajudge.selection.guardrails import Bounds
from metajudge.selection.label_outcomes import NO_LABEL, Waiting
from metajudge.selection.label_worlds import WORLDS, LabelWorlds, label_worlds
from metajudge.selection.measure import LABEL_WORDS, Measurer
from metajudge.selection.rule import Contest

PAGE = ROOT / "benchmarks" / "next_claims.md"
FIRST = ROOT / "experiments" / "001-templates"
SETS = ("contractnli", "faithbench", "ragtruth", "uhgeval", "wice", "xsum_hallucination")
BATCH = 30
LABELLED = 0.4
SOME = 8
LEAST_OF_SLICE = 12
MOST_HIDDEN = 0.8
"""More than this share of the hidden claims is hardly a choice, and is left out."""
NEVER = 10**9
RESAMPLES = 300
LIFTED = Bounds(None, None, None, None, None)


class Setting(NamedTuple):
    """What decides; `bounds` None takes the experiment's."""

    name: str
    target: str
    bounds: Bounds
    against_baseline: bool = True


SETTINGS = (
    Setting("summary-as-idk, all guardrails", "summary_as_idk", Bounds()),
    Setting(
        "summary-as-idk, over-credit against the baseline",
        "summary_as_idk",
        Bounds(over_credit_upper=None, slice_loss=None),
    ),
    Setting("kappa, no guardrail", "kappa", LIFTED, False),
    Setting("over-credit, kappa above 0", "over_credit", replace(LIFTED, kappa_above=0.0), False),
)


@dataclass(frozen=True)
class Bench:
    """Candidates' verdicts on labelled claims."""

    name: str
    measurer: Measurer
    off: Floats
    baseline: int

    def candidates(self, rows: Sequence[int]) -> Bench:
        """Some of the candidates, the baseline among them."""
        mine = self.measurer.candidates
        few = CandidateCodes(
            tuple(mine.keys[row] for row in rows), mine.codes[rows], mine.probabilities[rows]
        )
        return replace(
            self,
            measurer=replace(self.measurer, candidates=few),
            off=self.off[rows],
            baseline=list(rows).index(self.baseline),
        )

    def claims(self, places: Ints) -> Measurer:
        """Some of the claims."""
        columns, mine = self.measurer.columns, self.measurer.candidates
        groups, codes = np.unique(columns.contexts.codes[places], return_inverse=True)
        clusters = Clusters(codes.astype(np.int64), len(groups))
        part = ClaimColumns(
            columns.gold[places],
            columns.slices[places],
            columns.langs[places],
            clusters,
            clusters,
            columns.binary,
            len(places),
        )
        some = CandidateCodes(mine.keys, mine.codes[:, places], mine.probabilities[:, places])
        return replace(self.measurer, columns=part, candidates=some)

    def contest(self, setting: Setting) -> Contest:
        """How the candidates are ranked."""
        baseline = self.baseline if setting.against_baseline else None
        return Contest(setting.target, setting.bounds, baseline, self.off)

    def decision(self, setting: Setting, places: Ints) -> tuple[int, bool]:
        """Who comes first on some claims, and whether it is safe."""
        measurer = self.claims(places)
        ones = np.ones((1, measurer.columns.contexts.n_clusters))
        found = self.contest(setting).rule(measurer).first(ones)
        return int(found.row[0]), bool(found.safe[0])


def read_bench(folder: Path) -> Bench:
    """The verdicts of a run, as its results hold them."""
    results = read_results(folder / "results.json")
    rows = [(CandidateKey(row.trial, row.reading), row.verdicts) for row in results.verdicts]
    keys = [key for key, _ in rows]
    off = np.zeros(len(keys))
    for ranked in results.ranking:
        beside = [b.by for b in ranked.broken if b.guardrail in ("flip_rate", "insensitive")]
        off[keys.index(CandidateKey(ranked.trial, ranked.reading))] = sum(
            np.inf if by is None else by for by in beside
        )
    baseline = next(i for i, key in enumerate(keys) if key.trial == results.baseline)
    return Bench(folder.name, measurer_of(results, results.claims, rows), off, baseline)


@dataclass
class Replication:
    """One way to hide labels: what is labelled, what is hidden, and worlds made so far."""

    bench: Bench
    setting: Setting
    labelled: Ints
    hidden: Ints
    seed: Sequence[int]
    worlds: dict[int, LabelWorlds] = field(default_factory=dict)

    def known(self, chosen: Sequence[int]) -> tuple[Ints, Ints]:
        """Labelled and hidden claims once some were labelled."""
        rest = self.hidden[~np.isin(self.hidden, chosen)]
        return np.concatenate([self.labelled, np.asarray(chosen, np.int64)]), rest

    def order(self, name: str, chosen: Sequence[int], n: int) -> list[int]:
        """Claims to label next, by an order."""
        rng = np.random.default_rng([*self.seed, ORDERS.index(name), len(chosen)])
        labelled, rest = self.known(chosen)
        if name == "random":
            return rng.permutation(rest)[:n].tolist()
        if name == "uncertain":
            codes = self.bench.measurer.candidates.codes[:, rest]
            votes = np.stack([(codes == code).mean(0) for code in range(4)])
            return rest[np.lexsort((rng.random(len(rest)), -entropy(votes, 0)))][:n].tolist()
        worlds = self.first_worlds() if not chosen else self._worlds(labelled, rest)
        told = told_by(worlds, np.arange(len(rest)), len(rest))
        if name == "labelled-only":
            told = told._replace(information=self._of_labelled_only(worlds, labelled, rest, rng))
        every = EVERY if name == "next" else NEVER
        return rest[self._by_rule(rest, labelled, told, n, every)].tolist()

    def first_worlds(self) -> LabelWorlds:
        """The worlds before anything hidden is labelled."""
        if 0 not in self.worlds:
            self.worlds[0] = self._worlds(self.labelled, self.hidden)
        return self.worlds[0]

    def _worlds(self, labelled: Ints, rest: Ints) -> LabelWorlds:
        measurer, contest = self.bench.claims(labelled), self.bench.contest(self.setting)
        rng = np.random.default_rng([*self.seed, 9, len(labelled)])
        return label_worlds(measurer, self._waiting(rest), contest, rng)

    def _waiting(self, rest: Ints) -> Waiting:
        codes, n = self.bench.measurer.candidates.codes[:, rest], len(rest)
        nothing = np.full(n, "", np.str_), np.zeros(n, np.bool_), np.full(n, NO_LABEL)
        return Waiting(codes, *nothing)

    def _of_labelled_only(
        self, worlds: LabelWorlds, labelled: Ints, rest: Ints, rng: np.random.Generator
    ) -> Floats:
        """Information about who comes first where labelled claims alone make the worlds."""
        measurer, waiting = self.bench.claims(labelled), self._waiting(rest)
        weights = posterior_weights(len(worlds.outcomes.counts), WORLDS, rng)
        first = self.bench.contest(self.setting).rule(measurer).first(weights)
        some = waiting.of(worlds.contenders).at(worlds.kinds.one)
        shares = worlds.outcomes.shares(weights, some)
        chosen = np.eye(2 * len(self.bench.off))[first.row * 2 + first.safe]
        joint = np.einsum("bc,bog->cgo", chosen, shares) / WORLDS
        return information(joint, shares.var(0).T, WORLDS)[worlds.kinds.of]

    def _by_rule(self, rest: Ints, labelled: Ints, told: Told, n: int, every: int) -> list[int]:
        columns = self.bench.measurer.columns
        words = LABEL_WORDS[columns.binary]

        def claim(place: int, name: str | None) -> Claim:
            fields = {"context_id": str(columns.contexts.codes[place]), "slice": name}
            lang, label = str(columns.langs[place]), words[columns.gold[place]]
            return Claim(
                claim_id=str(place), answer_id="-", claim="-", lang=lang, label=label, **fields
            )  # type: ignore[arg-type]

        picks = next_claims(
            [claim(place, None) for place in rest.tolist()],
            [claim(place, str(columns.slices[place]) or None) for place in labelled.tolist()],
            n=n,
            min_slice_n=LEAST_OF_SLICE,
            told=told,
            every=every,
        )
        return [pick.place for pick in picks]


def replications(bench: Bench, setting: Setting, some: int, n: int) -> Iterator[Replication]:
    """Candidates by lot and hidden contexts, n times."""
    every = np.arange(len(bench.measurer.candidates.keys))
    for number in range(n):
        seed = [20260101, number]
        rng = np.random.default_rng(seed)
        few = bench
        if some < len(every):
            others = rng.permutation(every[every != bench.baseline])[: some - 1]
            few = bench.candidates(sorted([bench.baseline, *others.tolist()]))
        contexts = bench.measurer.columns.contexts
        sizes = np.bincount(contexts.codes)
        order = rng.permutation(contexts.n_clusters)
        enough = int(np.searchsorted(sizes[order].cumsum(), LABELLED * sizes.sum())) + 1
        known = np.isin(contexts.codes, order[:enough])
        yield Replication(few, setting, np.flatnonzero(known), np.flatnonzero(~known), seed)


def tried(case: Replication) -> Outcome:
    """Every order in one replication."""
    bench, setting = case.bench, case.setting
    every = np.arange(len(bench.measurer.columns.gold))
    truth = bench.decision(setting, every)
    pair = truth[0], _runner_up(bench, setting, truth[0], every)
    whole = _figures(bench, every, truth[0])
    right, width, lean, first = {}, {}, {}, {}
    for name in ORDERS:
        chosen: list[int] = []
        while len(chosen) < min(AFTER[-1], len(case.hidden)):
            chosen += case.order(name, chosen, BATCH)
        first[name] = chosen[:BATCH]
        for k in AFTER:
            if k <= MOST_HIDDEN * len(case.hidden):
                places, _ = case.known(chosen[:k])
                right[name, k] = bench.decision(setting, places) == truth
        places, _ = case.known(first[name])
        width[name] = _width(bench, setting.target, pair, places)
        found = _figures(bench, places, truth[0])
        lean[name] = found[0] - whole[0], found[1] - whole[1]
    worlds, rng = case.first_worlds(), np.random.default_rng(case.seed)
    expected = (
        worlds.unchanged(),
        *(
            worlds.right_after(np.flatnonzero(np.isin(case.hidden, first[name])), rng)
            for name in ("next", "random")
        ),
    )
    before = bench.decision(setting, case.labelled) == truth
    return Outcome(right, before, width, lean, expected, _log_loss(case, worlds))


def _runner_up(bench: Bench, setting: Setting, leader: int, places: Ints) -> int:
    off = bench.off.copy()
    off[leader] = np.inf
    return replace(bench, off=off).decision(setting, places)[0]


def _figures(bench: Bench, places: Ints, row: int) -> tuple[float, float]:
    """Over-credit and kappa of a candidate."""
    measurer = bench.claims(places)
    over = ratio(measurer.share_sums("over_credit").totals)
    return float(over[row]), float(cohen_kappa(measurer.table_sums().totals)[row])


def _width(bench: Bench, target: str, pair: tuple[int, int], places: Ints) -> float:
    measurer = bench.claims(places)
    rng = np.random.default_rng(1)
    weights = cluster_weights(measurer.columns.contexts.n_clusters, RESAMPLES, rng)
    gap = replace(measurer, weights=weights).differences(target, pair[1])[pair[0]]
    return np.nan if gap.low is None or gap.high is None else gap.high - gap.low


def _log_loss(case: Replication, worlds: LabelWorlds) -> tuple[float, float]:
    gold, outcomes = case.bench.measurer.columns.gold, worlds.outcomes
    truth = gold[case.hidden]
    same = outcomes.label_of[None] == truth[:, None]
    told = (worlds.shares[worlds.kinds.of] * same).sum(1)
    n_labels = case.bench.measurer.columns.n_labels
    shares = np.bincount(gold[case.labelled], minlength=n_labels) + 0.5
    alone = (shares / shares.sum())[truth]
    return -float(np.log2(np.maximum(told, 1e-6)).mean()), -float(np.log2(alone).mean())


def rows(n: int) -> Iterator[Row]:
    """Every bench under every setting."""
    first = read_bench(FIRST)
    n_all = len(first.measurer.candidates.keys)
    plans = [(first, setting, some) for some in (SOME, n_all) for setting in SETTINGS]
    for name in SETS:
        bench = read_bench(FIRST.parent / "002-people" / name)
        plans += [(bench, setting, SOME) for setting in (SETTINGS[0], SETTINGS[2])]
    for bench, setting, some in plans:
        count = n if bench is first else max(n // 2, 1)
        found = [tried(case) for case in replications(bench, setting, some, count)]
        claims = len(bench.measurer.columns.gold)
        yield Row(bench.name, setting.name, some, claims, found)


def main() -> None:
    parser = argparse.ArgumentParser(description="orders of labelling, replayed")
    parser.add_argument("--replications", type=int, default=200)
    parser.add_argument("--write", action="store_true", help="write benchmarks/next_claims.md")
    options = parser.parse_args()
    found = []
    for row in rows(options.replications):
        found.append(row)
        told = ", ".join(
            f"{name} {100 * np.mean([o.right[name, 10] for o in row.found]):.0f}" for name in ORDERS
        )
        print(f"{row.bench}, {row.candidates}, {row.setting}: after 10: {told}", flush=True)
    text = page(found, 1 - LABELLED, time.process_time())
    if options.write:
        PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
