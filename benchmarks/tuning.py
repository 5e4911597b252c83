"""Search on stored replies: settings a second by plain grid, trials a minute with Optuna.

1,000 synthetic claims with stored replies of 20 trials are replayed from a store once. Then
readings, thresholds, panels and policy weights are searched at no call: settings measured many at a
time, and a study of 1,000 trials in generations, in memory and in SQLite. Last, the claims of
experiment 001: every candidate at every threshold, with what the search is worth on claims that it
did not see, and `metajudge tune` from an empty store to its report.

Run: OMP_NUM_THREADS=1 python -m benchmarks.tuning [--trials 1000]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks import synthetic
from benchmarks.goal import Row, judged
from benchmarks.meter import cpu_s
from benchmarks.process import ROOT
from metajudge.experiment import Experiment
from metajudge.experiment.searching.config import TuningRef
from metajudge.experiment.tuning.stored import read_stored
from metajudge.experiment.tuning.tune import tune
from metajudge.runner import Store
from metajudge.selection.search.study import TemplateStudy
from metajudge.selection.search.trials import Objective, StudySpec
from metajudge.selection.tuning.space import TuningSpace
from metajudge.selection.tuning.tune import Tunables
from metajudge.selection.tuning.verdicts import Tuning

CLAIMS, TRIALS = 1000, 20
A_MINUTE, A_SECOND = 1000, 1000
GENERATION = 20
OBJECTIVES = (Objective("summary_as_idk", "minimize"), Objective("over_credit", "minimize"))
READINGS = ("top", "batch_corrected")
FIRST = ROOT / "experiments" / "001-templates" / "experiment.yaml"


class Searched(NamedTuple):
    """A study that was run.

    Attributes:
        told: Trials.
        seconds: By the clock, with whatever else the machine does.
        cpu: Seconds of this process alone.
        measuring: Seconds of `cpu` spent on measuring settings.
    """

    told: int
    seconds: float
    cpu: float
    measuring: float


def stored(folder: Path) -> Tunables:
    """The synthetic claims, written, answered, stored and replayed."""
    experiment = Experiment.from_file(synthetic.write_experiment(folder, CLAIMS, TRIALS))
    prepared = experiment.prepare()
    plan = experiment.plan(prepared)
    ((spec, judge),) = prepared.judges.items()
    with Store(folder / "replies.sqlite") as store:
        synthetic.fill(store, synthetic.replies(plan, spec), judge.identity)
    experiment = experiment.changed(readings=READINGS)
    return read_stored(experiment, folder / "replies.sqlite").tunables


def measured_a_second(tunables: Tunables, space: TuningSpace, count: int) -> float:
    """Settings a second of this process, drawn evenly from a space and measured together."""
    rng = np.random.default_rng(1)
    drawn = [space.tuning(space.space.draw(rng)) for _ in range(count)]
    begun = cpu_s()
    tunables.evaluate(drawn)
    return count / (cpu_s() - begun)


def searched(tunables: Tunables, space: TuningSpace, trials: int, storage: str | None) -> Searched:
    """A study of so many trials, in generations."""
    spec = StudySpec(
        name="tuning",
        storage=storage,
        sampler="tpe",
        seed=1,
        objectives=OBJECTIVES,
        space=space.space,
        fingerprint="benchmark",
        generation=GENERATION,
    )
    begun, cpu, measuring, told = time.perf_counter(), cpu_s(), 0.0, 0
    study = TemplateStudy.open(spec)
    while told < trials:
        asked = study.ask(min(GENERATION, trials - told))
        if not asked:
            break
        before = cpu_s()
        found = tunables.evaluate([space.tuning(one.setting) for one in asked])
        measuring += cpu_s() - before
        for place, one in enumerate(asked):
            values, constraints = found.told(place)
            wanted = {objective.name: values[objective.name] for objective in OBJECTIVES}
            study.tell(one, wanted, constraints, {})
        told += len(asked)
    study.close()
    return Searched(told, time.perf_counter() - begun, cpu_s() - cpu, measuring)


def rows(trials: int) -> Iterator[Row]:
    """Goals and what was found."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        begun = time.perf_counter()
        tunables = stored(folder)
        n = len(tunables.candidates.keys)
        yield Row(
            f"{CLAIMS} claims x {TRIALS} trials, answered, stored and replayed",
            f"{time.perf_counter() - begun:.1f} s, {n} rows",
        )
        keys = tunables.candidates.keys
        plain, whole = TuningSpace(keys), TuningSpace(keys, members=3)
        for label, space in (("policies and thresholds", plain), ("panels too", whole)):
            rate = measured_a_second(tunables, space, 4096)
            goal = f"{label}: >= {A_SECOND:,} settings/s"
            yield judged(goal, f"{rate:,.0f}/s", "", rate >= A_SECOND, "slower")
        begun = time.perf_counter()
        grid = TuningSpace(keys, weight_step=None).grid()
        tunables.evaluate(grid)
        took = time.perf_counter() - begun
        yield Row(f"the whole grid of rows and thresholds, {len(grid):,}", f"{took:.1f} s")
        sqlite = f"sqlite:///{folder}/study.db"
        for label, space, storage in (
            ("policies and thresholds, in memory", plain, None),
            ("panels too, in memory", whole, None),
            ("panels too, in SQLite", whole, sqlite),
        ):
            found = searched(tunables, space, trials, storage)
            clock, alone = 60 * found.told / found.seconds, 60 * found.told / found.cpu
            share = found.measuring / found.cpu
            # Commits wait for the disk, whoever else is busy.
            counted = alone if storage is None else clock
            goal = f"Optuna (TPE), {label}: >= {A_MINUTE:,} trials/min"
            shown = f"{clock:,.0f}/min over {found.told:,} trials, {share:.0%} of it measuring"
            beside = f"{alone:,.0f} per CPU minute, which counts in memory"
            yield judged(goal, shown, beside, counted >= A_MINUTE, "commits wait for the disk")


def first_experiment() -> Iterator[str]:
    """Every candidate of experiment 001 at every threshold, on dev."""
    with tempfile.TemporaryDirectory() as name:
        experiment = Experiment.from_file(FIRST)
        tunables = read_stored(experiment, Path(name) / "replies.sqlite").tunables
    keys, target = tunables.candidates.keys, experiment.config.target
    grid = TuningSpace(keys, weight_step=None).grid()
    own = [Tuning((row,)) for row in range(len(keys))]
    for label, settings in (("labels as given", own), ("and thresholds", grid)):
        found = tunables.evaluate(settings)
        best = int(found.best_first(target)[0])
        honest = tunables.cross_fitted(settings, target)
        key = tunables.as_candidate(settings[best])
        safe = all(row[0, best] == 0 for row in found.constraints.values())
        told = ", ".join(
            f"{figure} {found.values[figure][0, best]:.2f}"
            + ("" if honest is None else f" (not seen: {honest.values[figure][0, 0]:.2f})")
            for figure in dict.fromkeys((target, "over_credit", "kappa"))
        )
        off = "safe" if safe else "breaks " + ", ".join(
            f"{guardrail} by {row[0, best]:.2f}"
            for guardrail, row in found.constraints.items()
            if row[0, best] > 0
        )  # fmt: skip
        yield f"{len(settings):,} settings, {label}: {' '.join(key or ())}: {told}; {off}"


def whole_verb() -> Iterator[str]:
    """Experiment 001 from its recordings to the report of `metajudge tune`, by the clock."""
    experiment = Experiment.from_file(FIRST)
    panels = {"members": 3, "trials": 1000}
    samplers = ("tpe", "nsga2", "random")
    for ref in (
        TuningRef(),
        TuningRef(members=2),
        *(TuningRef(**panels, sampler=name) for name in samplers),
    ):
        with tempfile.TemporaryDirectory() as name:
            begun = time.perf_counter()
            results = tune(experiment, store=Path(name) / "replies.sqlite", ref=ref)
            took = time.perf_counter() - begun
        space = results.space
        yield (
            f"metajudge tune, {space.sampler}, members {ref.members}: {space.tried:,} settings, "
            f"{space.different:,} different, {results.speed.per_minute:,} a minute; "
            f"{took:.1f} s from an empty store to the report"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="search on stored replies")
    parser.add_argument("--trials", type=int, default=1000)
    options = parser.parse_args()
    for row in rows(options.trials):
        beside = f" ({row.beside})" if row.beside else ""
        print(f"{row.goal}: {row.measured}{beside} [{row.state}]", flush=True)
    for line in (*first_experiment(), *whole_verb()):
        print(line, flush=True)


if __name__ == "__main__":
    main()
