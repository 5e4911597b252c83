"""Which settings are measured: the whole grid, or those that a sampler draws."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Literal

import numpy as np

from metajudge.errors import ExperimentError, Problem
from metajudge.experiment.searching.config import SearchRef, TuningRef, TuningSampler
from metajudge.experiment.tuning.stored import Stored
from metajudge.selection.ranking import LOWER_IS_BETTER
from metajudge.selection.search.study import TemplateStudy
from metajudge.selection.search.trials import Direction, Objective, SamplerName, StudySpec
from metajudge.selection.tuning.distinct import distinct
from metajudge.selection.tuning.space import TuningSpace
from metajudge.selection.tuning.tune import FIGURES, Evaluated
from metajudge.selection.tuning.verdicts import Tuning

MOST_GRID = 250_000
"""Points of a space that is measured whole."""
TRIALS = 1000
GENERATION = 20
COST = "trials"
"""Objective beside the figures where panels are tried: how many trials answer each claim."""
TOOL = "optuna"


@dataclass(frozen=True)
class Tried:
    """What was measured.

    Attributes:
        space: What could be.
        sampler: How it was drawn.
        objectives: What was made better, with its direction.
        settings: Each different setting once.
        different: One setting for each different set of verdicts.
        found: Their figures.
        seconds: That it took.
    """

    space: TuningSpace
    sampler: TuningSampler
    objectives: Mapping[str, Direction]
    settings: tuple[Tuning, ...]
    different: tuple[Tuning, ...]
    found: Evaluated
    seconds: float

    @property
    def adaptive(self) -> bool:
        """Whether settings were drawn by what earlier ones came to."""
        return self.sampler in ("tpe", "nsga2")

    @property
    def tool_version(self) -> str | None:
        """Of Optuna; None where it took no part."""
        return version(TOOL) if self.adaptive else None


def try_settings(stored: Stored, ref: TuningRef, seed: int) -> Tried:
    """Measure settings on stored verdicts; a pure function of its arguments but for the time.

    Where panels are drawn, every single candidate at every threshold is measured beside them, so
    that a panel has to be better than all of these.

    Args:
        stored: The verdicts.
        ref: What to try, and how.
        seed: Of the sampler.

    Raises:
        ExperimentError: The grid is too large, or trials are given for it.
    """
    begun = time.perf_counter()
    space = _space(stored, ref, ref.members)
    sampler = _sampler(space, ref, str(stored.replayed.experiment.path))
    objectives = _objectives(stored, ref)
    trials = ref.trials or TRIALS
    if sampler == "grid":
        drawn = space.grid()
    elif sampler == "random":
        drawn = _drawn(space, trials, seed)
    else:
        drawn = _proposed(stored, space, objectives, sampler=sampler, trials=trials, seed=seed)
    beside = () if sampler == "grid" or ref.members < 2 else _space(stored, ref, 1).grid()
    settings = tuple(dict.fromkeys((*beside, *drawn)))
    different = distinct(stored.tunables, settings)
    found = stored.tunables.evaluate(different)
    seconds = time.perf_counter() - begun
    return Tried(space, sampler, objectives, settings, different, found, seconds)


def _space(stored: Stored, ref: TuningRef, members: int) -> TuningSpace:
    """The verdicts that can be tried; no weight of a policy changes a verdict."""
    return TuningSpace(
        stored.keys,
        members=min(members, len({key.trial for key in stored.keys})),
        votes=ref.votes,
        threshold_step=ref.threshold_step,
        weight_step=None,
    )


def _sampler(space: TuningSpace, ref: TuningRef, where: str) -> TuningSampler:
    """The sampler as declared, or the one that suits the space.

    Raises:
        ExperimentError: It does not suit.
    """
    size = space.space.size() or 0
    if ref.sampler is None:
        return "grid" if ref.trials is None and size <= MOST_GRID else "tpe"
    if ref.sampler == "grid" and ref.trials is not None:
        law = "a grid is measured whole, and trials say how many settings to draw"
        mend = "Leave trials out, or take the sampler tpe, nsga2 or random."
        raise ExperimentError(Problem(where, law, mend, field="trials", got=str(ref.trials)))
    if ref.sampler == "grid" and size > MOST_GRID:
        law = f"a grid has at most {MOST_GRID:,} settings, and this one has {size:,}"
        mend = "Take fewer members, another sampler, or a wider search.tuning.threshold_step."
        raise ExperimentError(Problem(where, law, mend, field="sampler", got="'grid'"))
    return ref.sampler


def _objectives(stored: Stored, ref: TuningRef) -> dict[str, Direction]:
    """The target first, then the figures declared for a search or over-credit, as far as defined.

    With panels, also the number of trials that they ask.
    """
    config = stored.config
    declared = (config.search or SearchRef()).objectives or (config.target, "over_credit")
    names = dict.fromkeys((config.target, *(name for name in declared if name in FIGURES)))
    values = stored.tunables.evaluate([Tuning((row,)) for row in range(stored.tuned)]).values
    told = [name for name in names if np.isfinite(values[name]).any() or name == config.target]
    return {name: _direction(name) for name in (*told, *([COST] if ref.members > 1 else ()))}


def _direction(name: str) -> Literal["minimize", "maximize"]:
    return "minimize" if name in LOWER_IS_BETTER or name == COST else "maximize"


def _drawn(space: TuningSpace, trials: int, seed: int) -> tuple[Tuning, ...]:
    random = np.random.default_rng(seed)
    return tuple(space.tuning(space.space.draw(random)) for _ in range(trials))


def _proposed(
    stored: Stored,
    space: TuningSpace,
    objectives: Mapping[str, Direction],
    *,
    sampler: SamplerName,
    trials: int,
    seed: int,
) -> tuple[Tuning, ...]:
    """Settings that a study proposes, kept in memory; fewer where the space has no more."""
    spec = StudySpec(
        name=stored.config.name,
        storage=None,
        sampler=sampler,
        seed=seed,
        objectives=tuple(Objective(name, way) for name, way in objectives.items()),
        space=space.space,
        fingerprint="",
        generation=GENERATION,
    )
    study = TemplateStudy.open(spec)
    settings: list[Tuning] = []
    try:
        while len(settings) < trials:
            asked = study.ask(min(GENERATION, trials - len(settings)))
            if not asked:
                break
            tunings = [space.tuning(one.setting) for one in asked]
            found = stored.tunables.evaluate(tunings)
            for place, one in enumerate(asked):
                values, constraints = found.told(place)
                study.tell(one, {name: values[name] for name in objectives}, constraints, {})
            settings += tunings
    finally:
        study.close()
    return tuple(settings)
