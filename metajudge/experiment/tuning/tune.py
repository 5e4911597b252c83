"""`metajudge tune`: settings of readings, panels and scores on stored replies; nobody is asked."""

from __future__ import annotations

from pathlib import Path

from metajudge.experiment.searching.config import SearchRef, TuningRef
from metajudge.experiment.sweep import DEFAULT_STORE, Experiment
from metajudge.experiment.tuning.final import final_ranking
from metajudge.experiment.tuning.results import tune_results
from metajudge.experiment.tuning.stored import read_stored
from metajudge.experiment.tuning.tried import try_settings
from metajudge.experiment.tuning.weights import gold_policy
from metajudge.report.tune_results import TuneResults


def tune(
    experiment: Experiment,
    *,
    store: str | Path = DEFAULT_STORE,
    ref: TuningRef | None = None,
    seed: int | None = None,
    limit: int | None = None,
    use_recordings: bool = True,
) -> TuneResults:
    """Search readings, thresholds, panels and policy weights on what the store holds.

    The same replies and the same seed come to the same end. Only dev claims are looked at, and what
    is chosen still has to win a sweep and its confirmation.

    Args:
        experiment: Whose replies are tuned on.
        store: The reply store's file.
        ref: What to try; None takes the experiment's `search.tuning`.
        seed: Of sampler and resamples; None takes the experiment's.
        limit: Only the first `limit` claims.
        use_recordings: Load the experiment's recordings into the store first.

    Raises:
        InputError: The experiment is faulty, test claims are not sealed, the store lacks replies,
            or the sampler does not suit the space.
        StoreError: The store cannot be used.
    """
    asked = declared_tuning(experiment) if ref is None else ref
    drawn = experiment.config.seed if seed is None else seed
    stored = read_stored(experiment, store, limit=limit, use_recordings=use_recordings)
    gold_policy(stored, asked)
    tried = try_settings(stored, asked, drawn)
    return tune_results(stored, tried, final_ranking(stored, tried), asked, drawn)


def declared_tuning(experiment: Experiment) -> TuningRef:
    """What the experiment declares under `search.tuning`, or what is usual."""
    return (experiment.config.search or SearchRef()).tuning
