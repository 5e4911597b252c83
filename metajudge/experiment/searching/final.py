"""The end of a search: an ordinary ranking of the candidates that answered every claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metajudge.agreement.bootstrap import cluster_weights
from metajudge.agreement.estimate import Estimate
from metajudge.experiment.config import ExperimentConfig
from metajudge.experiment.racing.field import Field, distinct_calls, make_field
from metajudge.experiment.searching.loop import Search
from metajudge.experiment.searching.space import Made, prompt_prints
from metajudge.runner.trial import Trial
from metajudge.selection.columns import CandidateKey
from metajudge.selection.guardrails import Bounds
from metajudge.selection.measure import CandidateFigures, Measurer
from metajudge.selection.ranking import LOWER_IS_BETTER, Ranked, rank
from metajudge.selection.ties import adjusted_p, told_apart

MOST_WHOLE = 12
"""Settings that answered every claim in their race and are ranked beside the best one."""


class MadeTrial(NamedTuple):
    """A candidate that the search made, and its number in the study."""

    made: Made
    number: int


@dataclass(frozen=True)
class Final:
    """The last ranking.

    Attributes:
        field: Who is ranked.
        measurer: Their verdicts on every claim.
        figures: Their figures, in the order of the field's keys.
        ranked: The ranking.
        made: Those that the search made; the others are declared.
    """

    field: Field
    measurer: Measurer
    figures: tuple[CandidateFigures, ...]
    ranked: tuple[Ranked, ...]
    made: Mapping[CandidateKey, MadeTrial]

    def key(self, row: Ranked) -> CandidateKey:
        """Who stands in a row of the ranking."""
        return self.field.keys[row.index]

    @property
    def proposed(self) -> Ranked | None:
        """The first safe candidate that the search made and nobody had declared."""
        return next((r for r in self.ranked if r.safe and self._is_new(r)), None)

    @property
    def best_declared(self) -> Ranked | None:
        """The first declared candidate."""
        return next((r for r in self.ranked if self.key(r) not in self.made), None)

    def difference(self, row: Ranked, other: Ranked, target: str) -> tuple[Estimate, bool]:
        """The target of one minus that of another, paired, and whether it is told from nothing."""
        gap = self.measurer.differences(target, other.index)[row.index]
        chance = adjusted_p(self.measurer, target, other.index, [row.index]).get(row.index)
        apart = gap.value is not None and told_apart(gap, chance, 1 - self.measurer.level)
        return gap, apart

    def _is_new(self, row: Ranked) -> bool:
        key = self.key(row)
        if key not in self.made:
            return False
        mine = self.made[key].made.trial
        return not any(
            same_prompts(mine, self._trial(other)) and other.reading == key.reading
            for other in self.field.keys
            if other not in self.made
        )

    def _trial(self, key: CandidateKey) -> Trial:
        return next(trial for trial in self.field.trials if trial.name == key.trial)


def same_prompts(trial: Trial, other: Trial) -> bool:
    """Whether two trials ask one judge the same."""
    same_place = (trial.judge, trial.form) == (other.judge, other.form)
    return same_place and prompt_prints(trial) == prompt_prints(other)


def final_ranking(search: Search) -> Final | None:
    """Ask the finalists about every claim they lack, and rank them.

    Finalists are the baseline, the first of the declared trials, the best so far, and whoever
    answered every claim in its race. One whose answers cannot be had any more is left out.

    Returns:
        None where nobody has answered every claim, or the baseline has not.
    """
    made = made_trials(search)
    keys = _finalists(search, made)
    known = {trial.name: trial for trial in search.prepared.trials}
    known |= {one.made.trial.name: one.made.trial for one in made.values()}
    whole = _whole(search, [known[name] for name in dict.fromkeys(key.trial for key in keys)])
    keys = [key for key in keys if key.trial in whole]
    baseline = search.ground.config.baseline
    if not keys or (baseline is not None and baseline not in whole):
        return None
    trials = [known[name] for name in dict.fromkeys(key.trial for key in keys)]
    prepared = search.prepared
    field = make_field(trials, keys, prepared.gold, prepared.judges, search.asking.replies)
    return _ranked(search.ground.config, field, search, made)


def made_trials(search: Search) -> dict[CandidateKey, MadeTrial]:
    """What the search made and measured, by candidate; of equal ones the lowest number."""
    found: dict[CandidateKey, MadeTrial] = {}
    for trial in search.study.trials():
        told = trial.facts.get("candidate")
        if told is None:
            continue
        key = CandidateKey(told["trial"], told["reading"])
        if key not in found:
            found[key] = MadeTrial(search.choices.made(trial.setting), trial.number)
    return found


def _finalists(search: Search, made: Mapping[CandidateKey, MadeTrial]) -> list[CandidateKey]:
    config, declared = search.ground.config, search.declared
    keys: list[CandidateKey] = []
    if config.baseline is not None:
        keys.append(CandidateKey(config.baseline, config.readings[0]))
    if declared is not None:
        first = search.first_declared
        keys += [] if first is None else [first.key]
        raced = declared.raced
        keys += [key for row, key in enumerate(raced.field.keys) if raced.asked_all(row)]
    keys += [best.key for best in search.bests]
    keys += _answered_all(search, made)
    return list(dict.fromkeys(keys))


def _answered_all(search: Search, made: Mapping[CandidateKey, MadeTrial]) -> list[CandidateKey]:
    """Settings that kept the guardrails on every claim, the best target first."""
    target = search.ground.config.target
    sign = 1.0 if target in LOWER_IS_BETTER else -1.0
    entries = search.entries
    whole: list[tuple[float, CandidateKey]] = []
    for trial in search.study.trials():
        told = trial.facts.get("candidate")
        if told is None or told["claims"] < entries or told["off"] != 0:
            continue
        value = told["figures"][target]["value"]
        key = CandidateKey(told["trial"], told["reading"])
        if value is not None and key in made:
            whole.append((sign * value, key))
    return [key for _, key in sorted(whole)[:MOST_WHOLE]]


def _whole(search: Search, trials: Sequence[Trial]) -> set[str]:
    """Names of the trials that have a reply to every call, after asking for what is missing."""
    complete: set[str] = set()
    prepared = search.prepared
    readings = dict.fromkeys((*search.ground.config.readings, *search.choices.readings))
    for trial in trials:
        keys = [CandidateKey(trial.name, reading) for reading in readings]
        field = make_field([trial], keys, prepared.gold, prepared.judges, search.asking.replies)
        if search.asking.ask(distinct_calls(field.plan.calls)):
            complete.add(trial.name)
    return complete


def _ranked(
    config: ExperimentConfig, field: Field, search: Search, made: Mapping[CandidateKey, MadeTrial]
) -> Final:
    codes = field.read(search.asking.replies).codes
    kind = config.bootstrap.cluster
    weights = cluster_weights(
        field.columns.clusters(kind).n_clusters,
        config.bootstrap.resamples,
        np.random.default_rng(config.seed),
    )
    measurer = Measurer(field.columns, codes, weights, kind, 1 - config.alpha)
    figures = measurer.measure()
    ranked = rank(
        measurer,
        figures,
        target=config.target,
        bounds=Bounds(**config.guardrails.model_dump()),
        baseline=None if config.baseline is None else codes.first_of(config.baseline),
    )
    return Final(field, measurer, figures, ranked, made)
