"""The dry run of a search or a race: the most that it can ask, and what that would cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from metajudge.errors import TemplateError
from metajudge.experiment.build import Prepared
from metajudge.experiment.config import ExperimentConfig
from metajudge.experiment.dry_run import forecast
from metajudge.experiment.racing.field import make_field
from metajudge.experiment.racing.results import declared_keys
from metajudge.experiment.searching.search import Searching
from metajudge.experiment.study import Study
from metajudge.experiment.token_gauge import Span
from metajudge.runner.store import Store
from metajudge.runner.trial import Trial
from metajudge.selection.columns import CandidateKey

SAMPLE = 8
"""Settings that stand for all, drawn evenly from the space."""


@dataclass(frozen=True, slots=True)
class MostAsked:
    """What a search would ask if no candidate stopped early; a race asks less.

    Attributes:
        settings: Settings that would be tried.
        space: Settings of the space; None where it has no end.
        axes: Axes by name, with the number of their choices.
        declared: Declared trials.
        claims: Claims, draws counted.
        calls: Calls of the full grid, about; settings that share prompts share calls.
        to_ask: Of these, not answered in the store.
        cost_usd: None when no price is known.
        minutes: Wall time.
        notes: What the user should know.
    """

    settings: int
    space: int | None
    axes: dict[str, int]
    declared: int
    claims: int
    calls: int
    to_ask: int
    cost_usd: Span | None
    minutes: Span
    notes: tuple[str, ...]


def most_asked(ready: Searching, store: str | Path) -> MostAsked:
    """The dry run of a search; nothing is asked, and no study is made."""
    space, prepared = ready.choices.space, ready.prepared
    size = space.size()
    wanted = ready.ref.trials if size is None else min(ready.ref.trials, size)
    sample, notes = _sample(ready, wanted)
    config = ready.experiment.config
    declared = _asked(config, prepared, prepared.trials, declared_keys(prepared, config), store)
    made = _asked(config, prepared, *sample, store)
    share = wanted / max(len(sample[0]), 1)
    costs = None
    if declared.cost_usd is not None and made.cost_usd is not None:
        costs = declared.cost_usd.plus(made.cost_usd.times(share))
    return MostAsked(
        settings=wanted,
        space=size,
        axes={axis.name: len(axis.values() or ()) for axis in space.dimensions},
        declared=len(prepared.trials),
        claims=len(prepared.gold.judged().claims) * config.repeats,
        calls=declared.calls + round(made.calls * share),
        to_ask=declared.to_ask + round(made.to_ask * share),
        cost_usd=costs,
        minutes=declared.minutes.plus(made.minutes.times(share)),
        notes=(*ready.notes, *prepared.notes, *notes),
    )


def most_raced(config: ExperimentConfig, prepared: Prepared, store: str | Path) -> MostAsked:
    """The dry run of a race of declared trials."""
    asked = _asked(config, prepared, prepared.trials, declared_keys(prepared, config), store)
    return MostAsked(
        settings=0,
        space=None,
        axes={},
        declared=len(prepared.trials),
        claims=len(prepared.gold.judged().claims) * config.repeats,
        calls=asked.calls,
        to_ask=asked.to_ask,
        cost_usd=asked.cost_usd,
        minutes=asked.minutes,
        notes=prepared.notes,
    )


def _sample(
    ready: Searching, wanted: int
) -> tuple[tuple[list[Trial], list[CandidateKey]], tuple[str, ...]]:
    """Some settings of the space as trials, each name once; and why some make none."""
    random = np.random.default_rng(ready.spec.seed)
    trials: dict[str, Trial] = {}
    keys: list[CandidateKey] = []
    faults: list[str] = []
    for _ in range(4 * SAMPLE):
        if len(trials) >= min(SAMPLE, wanted):
            break
        try:
            made = ready.choices.made(ready.choices.space.draw(random))
        except TemplateError as error:
            faults.append(str(error).splitlines()[0])
            continue
        trials.setdefault(made.trial.name, made.trial)
        keys.append(made.key)
    return (list(trials.values()), keys), tuple(dict.fromkeys(faults))[:1]


@dataclass(frozen=True, slots=True)
class _Asked:
    calls: int
    to_ask: int
    cost_usd: Span | None
    minutes: Span


def _asked(
    config: ExperimentConfig,
    prepared: Prepared,
    trials: Sequence[Trial],
    keys: Sequence[CandidateKey],
    store: str | Path,
) -> _Asked:
    if not trials:
        return _Asked(0, 0, Span(0.0, 0.0), Span(0.0, 0.0))
    field = make_field(trials, keys, prepared.gold, prepared.judges, {})
    study = Study(field.plan, None, None, None, {}, waiting=False)
    found = {}
    if Path(store).exists():
        with Store(store) as replies:
            found = replies.get_many(study.keys)
    run = forecast(config, prepared, study, found)
    calls = sum(judge.calls for judge in run.judges)
    return _Asked(calls, run.to_ask, run.cost_usd, run.minutes)
