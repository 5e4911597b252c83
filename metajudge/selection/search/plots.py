"""What a study shows: Optuna's plots and the importance of each dimension."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import Any

from metajudge.counted import counted
from metajudge.selection.search.sampler import CONSTRAINTS, optuna_quiet
from metajudge.selection.search.space import Dimension, Value, setting_key
from metajudge.selection.search.storage import told_constraints
from metajudge.selection.search.trials import Importances, KnownTrial, Objective, StudySpec

INACTIVE = "—"
"""Choice of a dimension that a setting does not use."""
TREES = 64
LEAST_TRIALS = 4
_SHOWN = 60
_FRONT_AXES = (2, 3)


def importances(spec: StudySpec, trials: Sequence[KnownTrial]) -> Importances:
    """How much of each objective's variation each dimension explains, over the trials told.

    Every dimension counts with all its values and one more for settings that do not use it, so
    that conditional dimensions are compared with the others. Guardrails play no part.

    Source: Hutter, Hoos and Leyton-Brown (2014), ICML 31 (fANOVA), as Optuna has it.
    """
    shares: dict[str, dict[str, float]] = {}
    reasons: dict[str, str] = {}
    told = [trial for trial in trials if trial.state == "told"]
    with optuna_quiet() as optuna:
        for objective in spec.objectives:
            reason = _no_importance(told, objective.name)
            if reason is None:
                study = _copied(optuna, spec, (objective,), told)
                found = optuna.importance.get_param_importances(
                    study, evaluator=_forest(optuna, spec)
                )
                shares[objective.name] = {name: float(share) for name, share in found.items()}
            else:
                shares[objective.name], reasons[objective.name] = {}, reason
    return Importances(shares, reasons, len(told), spec.seed)


def study_figures(
    spec: StudySpec, trials: Sequence[KnownTrial]
) -> dict[str, dict[str, Any] | None]:
    """Plots of the trials told, as plain Plotly JSON without a theme; texts are escaped.

    `front` needs two or three objectives, and leaves those out that never vary where it can;
    `importance` needs one that has importances; `history` shows the first objective. None where
    there is nothing to draw.
    """
    shown: dict[str, dict[str, Any] | None] = {"front": None, "importance": None, "history": None}
    told = [trial for trial in trials if trial.state == "told"]
    if not told:
        return shown
    varied = tuple(o for o in spec.objectives if _no_importance(told, o.name) is None)
    first = spec.objectives[0]
    with optuna_quiet() as optuna:
        views = optuna.visualization
        axes = varied if len(varied) in _FRONT_AXES else spec.objectives
        if len(axes) in _FRONT_AXES:
            study = _copied(optuna, spec, axes, trials)
            names = [escape(objective.name) for objective in axes]
            shown["front"] = _plain(views.plot_pareto_front(study, target_names=names))
        study = _copied(optuna, spec, (first,), trials)
        history = views.plot_optimization_history(study, target_name=escape(first.name))
        shown["history"] = _plain(history)
        if varied:
            study = _copied(optuna, spec, varied, trials)
            study.set_metric_names([escape(objective.name) for objective in varied])
            forest = _forest(optuna, spec)
            shown["importance"] = _plain(views.plot_param_importances(study, evaluator=forest))
    return shown


def _forest(optuna: Any, spec: StudySpec) -> Any:
    return optuna.importance.FanovaImportanceEvaluator(n_trees=TREES, seed=spec.seed)


def _no_importance(told: Sequence[KnownTrial], objective: str) -> str | None:
    """Why importances cannot be had; None where they can."""
    if len(told) < LEAST_TRIALS:
        return f"{counted(len(told), 'trials were')} told, fewer than {LEAST_TRIALS}"
    if len({trial.values[objective] for trial in told}) == 1:
        return "it is the same in every trial"
    if len({setting_key(trial.setting) for trial in told}) == 1:
        return "every trial has the same setting"
    return None


def _copied(
    optuna: Any,
    spec: StudySpec,
    objectives: Sequence[Objective],
    trials: Sequence[KnownTrial],
) -> Any:
    """A study in memory with the trials told under their numbers, settings as escaped text."""
    study = optuna.create_study(directions=[objective.direction for objective in objectives])
    shapes = {d.name: _shape(optuna, d) for d in spec.space.ordered}
    failed = optuna.trial.create_trial(state=optuna.trial.TrialState.FAIL)
    for trial in trials:
        if trial.state != "told":
            study.add_trial(failed)
            continue
        texts = {d.name: _text(d, trial.setting.get(d.name)) for d in spec.space.ordered}
        constraints = told_constraints(trial.constraints)
        study.add_trial(
            optuna.trial.create_trial(
                values=[trial.values[objective.name] for objective in objectives],
                params={escape(name): text for name, text in texts.items()},
                distributions={escape(name): shapes[name] for name in texts},
                system_attrs={CONSTRAINTS: constraints} if constraints else {},
            )
        )
    return study


def _shape(optuna: Any, dimension: Dimension) -> Any:
    values = dimension.values()
    if values is None:
        return optuna.distributions.FloatDistribution(dimension.low, dimension.high)
    texts = [INACTIVE, *(_text(dimension, value) for value in values)]
    return optuna.distributions.CategoricalDistribution(texts)


def _text(dimension: Dimension, value: Value | None) -> str | float:
    """A value as it is shown; a number without a step that is not used is in the middle."""
    values = dimension.values()
    if values is None:
        assert dimension.low is not None and dimension.high is not None
        return (dimension.low + dimension.high) / 2 if value is None else float(value)
    if value is None:
        return INACTIVE
    text = escape(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({values.index(value)})"


def _plain(figure: Any) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(figure.to_json())
    plain["layout"].pop("template", None)
    return plain
