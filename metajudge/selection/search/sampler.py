"""Optuna, loaded when a study needs it and kept quiet: samplers, and a space as it has it."""

from __future__ import annotations

import logging
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from metajudge.selection.search.space import Dimension, SearchSpace, Setting, Value, holds
from metajudge.selection.search.trials import StudySpec

TPE_STARTUP = 10
"""Trials told before the Parzen estimator takes over from chance."""
TPE_CANDIDATES = 96
"""Settings drawn for each proposal, of which the most promising is taken."""
POPULATION = (10, 50)
"""Least and greatest population of NSGA-II; a generation in between is the population."""
CONSTRAINTS = "constraints"
"""Attribute by which Optuna's samplers know a list of constraints."""
_CHATTY = ("optuna", "alembic")
_ONE_AT_A_TIME = threading.RLock()


@contextmanager
def optuna_quiet() -> Iterator[Any]:
    """The library, silent below errors while the block runs; the caller's levels come back.

    Its warnings of experimental features are passed over too: what is used of them is tested.
    """
    import optuna

    with _ONE_AT_A_TIME, warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        loggers = [logging.getLogger(name) for name in _CHATTY]
        levels = [logger.level for logger in loggers]
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(max(level, logging.ERROR))
        try:
            yield optuna
        finally:
            for logger, level in zip(loggers, levels, strict=True):
                logger.setLevel(level)


def sampler(optuna: Any, spec: StudySpec, seed: int) -> Any:
    """A fresh sampler, so that what it proposes follows from the study's trials and the seed alone.

    Source: Bergstra et al. (2011), NIPS 24, and Watanabe (2023), arXiv 2304.11127 (TPE); Deb et
    al. (2002), IEEE Trans. Evol. Comput. 6 (NSGA-II); as Optuna has them.
    """
    if spec.sampler == "random":
        return optuna.samplers.RandomSampler(seed=seed)
    if spec.sampler == "nsga2":
        least, most = POPULATION
        size = min(most, max(least, spec.generation))
        return optuna.samplers.NSGAIISampler(population_size=size, seed=seed)
    return optuna.samplers.TPESampler(
        seed=seed,
        n_startup_trials=TPE_STARTUP,
        n_ei_candidates=TPE_CANDIDATES,
        multivariate=True,
        group=True,
        constant_liar=True,
    )


class SpaceForm:
    """A space as Optuna has it: made once for a study."""

    def __init__(self, optuna: Any, space: SearchSpace) -> None:
        self._space = space
        self._values = {d.name: d.values() for d in space.dimensions}
        self._shapes = {d.name: _shape(optuna, d) for d in space.dimensions}

    def distributions(self, setting: Setting) -> dict[str, Any]:
        """Of the active dimensions of a setting."""
        return {name: self._shapes[name] for name in setting}

    def suggested(self, trial: Any) -> dict[str, Value]:
        """What a sampler proposes, asked for active dimensions alone."""
        setting: dict[str, Value] = {}
        for dimension in self._space.ordered:
            if holds(dimension, setting):
                value = _suggest(trial, dimension, self._shapes[dimension.name])
                setting[dimension.name] = self._exact(dimension, value)
        return setting

    def restored(self, stored: Mapping[str, Value]) -> dict[str, Value]:
        """A stored setting in the order of the space, numbers as the space has them."""
        return {
            dimension.name: self._exact(dimension, stored[dimension.name])
            for dimension in self._space.ordered
            if dimension.name in stored
        }

    def _exact(self, dimension: Dimension, value: Value) -> Value:
        values = self._values[dimension.name]
        if dimension.kind != "float" or values is None:
            return value
        return min(values, key=lambda known: abs(float(known) - float(value)))


def _shape(optuna: Any, dimension: Dimension) -> Any:
    values = dimension.values()
    if dimension.kind == "categorical":
        return optuna.distributions.CategoricalDistribution(dimension.choices)
    if values is None:
        return optuna.distributions.FloatDistribution(dimension.low, dimension.high)
    if dimension.kind == "int":
        step = int(dimension.step or 1)
        return optuna.distributions.IntDistribution(int(values[0]), int(values[-1]), step=step)
    between = dimension.step if len(values) > 1 else None
    return optuna.distributions.FloatDistribution(values[0], values[-1], step=between)


def _suggest(trial: Any, dimension: Dimension, shape: Any) -> Value:
    value: Value
    if dimension.kind == "categorical":
        value = trial.suggest_categorical(dimension.name, dimension.choices)
    elif dimension.kind == "int":
        value = trial.suggest_int(dimension.name, shape.low, shape.high, step=shape.step)
    else:
        value = trial.suggest_float(dimension.name, shape.low, shape.high, step=shape.step)
    return value
