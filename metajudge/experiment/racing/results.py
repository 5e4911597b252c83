"""A race as it stands in `race.json` and `search.json`, and the race of declared trials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from metajudge.counted import counted
from metajudge.errors import ExperimentError, Problem
from metajudge.experiment import summarise
from metajudge.experiment.build import Prepared, gold_path
from metajudge.experiment.config import ExperimentConfig
from metajudge.experiment.fingerprint import config_sha256
from metajudge.experiment.measuring import COMPARED, run_counts
from metajudge.experiment.racing.asking import Asking
from metajudge.experiment.racing.field import distinct_calls, extractions, make_field, unit_of
from metajudge.experiment.racing.race import Ground, Raced, race
from metajudge.experiment.racing.words import race_decision
from metajudge.experiment.searching.config import RacingRef
from metajudge.experiment.searching.figures import Row, calls_of, key_text, race_rows
from metajudge.experiment.split_check import no_split, not_on_dev
from metajudge.experiment.sweep import DEFAULT_STORE, Experiment
from metajudge.report.figure import figure, number
from metajudge.report.search_results import Candidate, RaceResults, RaceSummary, StoppedEarly
from metajudge.runner.progress import Observer
from metajudge.runner.store import Store
from metajudge.selection.columns import CandidateKey, claim_columns
from metajudge.selection.shares import SHARES
from metajudge.version import __version__

BESIDE = ("flip_rate", "insensitive")
"""Guardrails that rest on other calls than a race makes."""


class Measured(NamedTuple):
    """A race with its candidates in numbers, in the order of its keys."""

    raced: Raced
    rows: tuple[Row, ...]


def measured_race(raced: Raced, config: ExperimentConfig, names: Sequence[str] = ()) -> Measured:
    """The candidates of a race in numbers.

    Args:
        raced: The race.
        config: The experiment.
        names: Figures wanted beside the usual ones and the target.
    """
    return Measured(raced, race_rows(raced, config, (config.target, *names)))


def candidate_parts(found: Measured) -> dict[CandidateKey, Candidate]:
    """Every candidate of a race as it stands in the file."""
    keys, outcome = found.raced.field.keys, found.raced.outcome
    stops = {} if outcome is None else {stop.row: stop for stop in outcome.stopped}
    spent = calls_of(found.raced)
    told: dict[CandidateKey, Candidate] = {}
    for row, key in enumerate(keys):
        stop, measured = stops.get(row), found.rows[row]
        told[key] = Candidate(
            trial=key.trial,
            reading=key.reading,
            claims=measured.claims,
            calls=spent[key.trial].calls,
            calls_full=spent[key.trial].full,
            figures={name: figure(value) for name, value in measured.figures.items()},
            off=number(measured.off),
            broken=measured.broken,
            stopped=None
            if stop is None
            else StoppedEarly(
                why=stop.why,
                by=None if stop.by is None else key_text(keys[stop.by]),
                limit=number(stop.limit),
                bound=number(stop.bound),
            ),
        )
    return told


def race_summary(raced: Raced, numbers: Sequence[int] = ()) -> RaceSummary | None:
    """What a race came to; None where it did not come to its end."""
    outcome, keys = raced.outcome, raced.field.keys
    if outcome is None:
        return None
    return RaceSummary(
        trials=tuple(numbers),
        candidates=len(keys),
        first=None if outcome.first is None else key_text(keys[outcome.first]),
        ties=tuple(key_text(keys[row]) for row in outcome.ties),
        calls=raced.spent,
        calls_full=raced.full,
        chance_otherwise=round(outcome.chance_otherwise, 6),
    )


def check_split(config: ExperimentConfig, path: Path, prepared: Prepared) -> tuple[str, ...]:
    """That only dev claims are looked at; notes on a set without a split.

    Raises:
        ExperimentError: The gold set has a test split, and the experiment does not keep it sealed.
    """
    if prepared.gold.manifest.split is None:
        problem = no_split(gold_path(config, path.parent))
        return (f"{problem.law[0].upper()}{problem.law[1:]}. {problem.mend}",)
    if config.gold.split != "dev":
        raise ExperimentError(not_on_dev(config, path))
    return ()


def check_target(config: ExperimentConfig, path: Path, prepared: Prepared) -> None:
    """That there are claims which the target is a share of, before calls are spent on it.

    Raises:
        ExperimentError: There is none.
    """
    share = SHARES.get(config.target)
    claims = prepared.gold.judged().claims
    binary = prepared.gold.manifest.label_space == "binary"
    nothing, every = np.full((1, len(claims)), 3), np.ones(len(claims), np.bool_)
    if (
        share is None
        or share.of(claim_columns(claims, binary=binary), nothing, every).denominator.any()
    ):
        return
    these = counted(len(claims), "claims")
    law = f"the target has a number, and none of these {these} is {share.kind}"
    mend = "Choose another target, or claims that have it."
    raise ExperimentError(Problem(str(path), law, mend, field="target", got=repr(config.target)))


def declared_keys(prepared: Prepared, config: ExperimentConfig) -> tuple[CandidateKey, ...]:
    """Every declared trial under every declared reading, those of one trial together."""
    return tuple(
        CandidateKey(trial.name, reading)
        for trial in prepared.trials
        for reading in config.readings
    )


def race_declared(
    experiment: Experiment,
    *,
    store: str | Path = DEFAULT_STORE,
    racing: RacingRef | None = None,
    limit: int | None = None,
    use_recordings: bool = True,
    observer: Observer | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> RaceResults:
    """Race the declared trials of an experiment on its dev claims.

    Run again it asks only what is missing, and comes to the same end.

    Args:
        experiment: Whose trials race.
        store: The reply store's file.
        racing: How claims are spent; None takes the experiment's.
        limit: Judge at most the first `limit` claims.
        use_recordings: Load the experiment's recordings into the store first.
        observer: Is told how the calls go.
        say: Is told in a line how the race goes.

    Raises:
        InputError: Something the experiment names is faulty, or test claims are not sealed.
        StoreError: The store cannot be used.
        ModelFileError: A judge cannot be asked on this machine.
    """
    config, path = experiment.config, experiment.path
    prepared = experiment.prepare(limit)
    notes = check_split(config, path, prepared)
    check_target(config, path, prepared)
    ref = racing or (RacingRef() if config.search is None else config.search.racing)
    ground = Ground(config, prepared.judges, ref, str(path), say)
    with Store(store) as replies:
        if use_recordings:
            experiment.load_recordings(replies)
        asking = Asking(config, prepared.judges, prepared.refs, replies, observer=observer)
        try:
            raced = _raced(ground, prepared, asking)
        finally:
            asking.close()
    found = measured_race(raced, config)
    return _results(ground, prepared, found, asking, (*notes, *_notes(config, prepared)))


def _raced(ground: Ground, prepared: Prepared, asking: Asking) -> Raced:
    before = extractions(prepared.trials, prepared.gold, prepared.judges)
    asking.ask(distinct_calls(before))
    keys = declared_keys(prepared, ground.config)
    field = make_field(prepared.trials, keys, prepared.gold, prepared.judges, asking.replies)
    return race(ground, field, asking, ground.config.seed)


def _notes(config: ExperimentConfig, prepared: Prepared) -> tuple[str, ...]:
    return (*prepared.notes, *beside_note(config))


def beside_note(config: ExperimentConfig) -> tuple[str, ...]:
    """Which guardrails a race does not hold anybody to."""
    told = "A race holds nobody to flip_rate and insensitive: a sweep of what it chooses does."
    return (told,) if config.perturbations or config.controls is not None else ()


def declared_parts(config: ExperimentConfig, prepared: Prepared) -> dict[str, Any]:
    """What every file of results says of the experiment that it is of."""
    return {
        "name": config.name,
        "question": config.question,
        "created": now(),
        "package_version": __version__,
        "config_sha256": config_sha256(config),
        "alpha": config.alpha,
        "gold": summarise.gold_info(prepared, config),
        "judges": summarise.judge_infos(prepared),
        "target": config.target,
        "guardrails": guardrails_of(config),
    }


def guardrails_of(config: ExperimentConfig) -> dict[str, float]:
    """The bounds that hold in a race."""
    idle = {"flip_rate", *(() if config.baseline is not None else COMPARED)}
    bounds = config.guardrails.model_dump().items()
    return {name: bound for name, bound in bounds if bound is not None and name not in idle}


def _results(
    ground: Ground,
    prepared: Prepared,
    found: Measured,
    asking: Asking,
    notes: tuple[str, ...],
) -> RaceResults:
    config, raced = ground.config, found.raced
    candidates = candidate_parts(found)
    counts = run_counts(raced.full, asking.reports, config.budget.usd)
    return RaceResults(
        **declared_parts(config, prepared),
        seed=config.seed,
        baseline=config.baseline,
        method=ground.racing.method,
        block=ground.racing.block,
        unit=unit_of(ground.racing, raced.field.trials, ground.judges, ground.where),
        error=ground.racing.error,
        claims=len(raced.field.columns.gold),
        calls=counts,
        race=race_summary(raced),
        candidates=tuple(candidates.values()),
        decision=race_decision(found, config, counts),
        notes=(*notes, *raced.candidates.notes),
    )


def now() -> str:
    """The time, as files have it."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")
