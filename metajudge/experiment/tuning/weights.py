"""Which credit of idk brings answer scores nearest to gold's."""

from __future__ import annotations

import math

import numpy as np

from metajudge.experiment.checks import checked_policies
from metajudge.experiment.searching.config import TuningRef
from metajudge.experiment.tuning.final import Finalist, measurer_of
from metajudge.experiment.tuning.stored import Stored
from metajudge.report.figure import figure
from metajudge.report.tune_results import TunedWeights, WeightFigures
from metajudge.scoring.policies import Policy, parse_policy
from metajudge.selection.policies import policy_figures

FIELD = "search.tuning.gold_policy"


def gold_policy(stored: Stored, ref: TuningRef) -> Policy:
    """The policy that scores gold labels.

    Raises:
        ExperimentError: There is no such policy, or it has no value for a label.
    """
    replayed = stored.replayed
    sources = [
        source
        for trial in replayed.study.trials
        for wording in trial.variants
        for source in wording.by_language.values()
    ]
    where = f"{replayed.experiment.path}: {FIELD}"
    (policy,) = checked_policies([ref.gold_policy], sources, replayed.prepared.gold, where)
    return policy


def tuned_weights(stored: Stored, ref: TuningRef, who: Finalist) -> TunedWeights | None:
    """Answer scores of one setting under partial(w), against gold's under one fixed policy.

    The weight changes no verdict, and gold is scored by one policy throughout: with the weight on
    both sides a greater one would look better merely for giving idk away.

    Args:
        stored: The verdicts.
        ref: Which weights, and the policy of gold.
        who: Whose verdicts are scored.

    Raises:
        ExperimentError: There is no such policy.
    """
    truth = gold_policy(stored, ref)
    if ref.weight_step is None:
        return None
    weights = np.round(np.arange(0, 1 + ref.weight_step / 2, ref.weight_step), 6).tolist()
    policies = [parse_policy(f"partial({weight:g})") for weight in weights if weight <= 1]
    measurer = measurer_of(stored, [who.key], stored.tunables.codes([who.tuning]))
    (found,) = policy_figures(measurer, policies, stored.config.threshold, truth)
    rows = tuple(
        WeightFigures(
            weight=float(policy.credit[2] or 0.0),
            bias=figure(row.bias),
            mae=figure(row.mae),
            pass_agreement=figure(row.pass_agreement),
        )
        for policy, row in zip(policies, found, strict=True)
    )
    return TunedWeights(
        name=who.setting.name,
        gold_policy=truth.name,
        threshold=stored.config.threshold,
        best=_best(rows),
        rows=rows,
    )


def _best(rows: tuple[WeightFigures, ...]) -> float | None:
    """The weight with the least mean error; of equals the least biased, then the least."""

    def place(row: WeightFigures) -> tuple[float, float, float]:
        error, bias = row.mae.value, row.bias.value
        return (
            math.inf if error is None else error,
            math.inf if bias is None else abs(bias),
            row.weight,
        )

    best = min(rows, key=place)
    return None if best.mae.value is None else best.weight
