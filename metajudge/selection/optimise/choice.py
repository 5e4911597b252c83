"""Which proposal: measured, held to the guardrails and ranked as in a sweep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metajudge.agreement.bootstrap import cluster_weights
from metajudge.gold.goldset import GoldSet
from metajudge.judges.judge import Judge
from metajudge.runner.trial import Plan, Trial, plan_calls
from metajudge.selection.columns import CandidateKey, claim_columns
from metajudge.selection.measure import CandidateFigures, Measurer
from metajudge.selection.optimise.spec import Aim
from metajudge.selection.ranking import Ranked, rank
from metajudge.selection.readings import read_candidates
from metajudge.selection.replay import replay
from metajudge.templates.catalogue import Wording
from metajudge.templates.reading_names import reading_named
from metajudge.templates.template import Template
from metajudge.verdicts.verdict import Reply


@dataclass(frozen=True, slots=True)
class Measured:
    """Templates on the claims that choose.

    Attributes:
        keys: Template name and reading, as ranked.
        figures: Of each key.
        ranked: All that were asked about every claim, in order; the start among them.
        incomplete: Names of templates with claims that were not asked, and how many.
    """

    keys: tuple[CandidateKey, ...]
    figures: tuple[CandidateFigures, ...]
    ranked: tuple[Ranked, ...]
    incomplete: Mapping[str, int]

    def best(self, start: str) -> Ranked | None:
        """The first that is not the start; None where there is none."""
        return next((row for row in self.ranked if self.keys[row.index].trial != start), None)


def plan_templates(
    templates: Sequence[Template], gold: GoldSet, judge: Judge, readings: Sequence[str]
) -> Plan:
    """The calls of a sweep over the templates, each a trial of its own name."""
    trials = [_trial(template, judge) for template in templates]
    blank = any(reading_named(reading).asks_blank for reading in readings)
    return plan_calls(trials, gold, {judge.spec: judge}, with_priors=blank)


def measure_templates(
    plan: Plan, replies: Mapping[str, Reply], gold: GoldSet, aim: Aim, *, start: str, seed: int
) -> Measured:
    """Figures and ranking of planned templates.

    A template with claims that were never asked, for the run ended early, is not ranked: it is
    neither good nor bad. Failed rows of the others stay in every denominator.

    Args:
        plan: From `plan_templates`.
        replies: By key.
        gold: What the plan was made for.
        aim: What decides.
        start: Name of the template that stands for today's practice.
        seed: Of the resamples.
    """
    rows = replay(plan, replies)
    incomplete = _incomplete(plan, replies)
    whole = [row for row in rows if row.trial.name not in incomplete]
    if not whole:
        return Measured((), (), (), incomplete)
    candidates = read_candidates(whole, aim.readings)
    binary = gold.manifest.label_space == "binary"
    columns = claim_columns(plan.claims, binary=binary)
    groups = columns.clusters(aim.cluster).n_clusters
    weights = cluster_weights(groups, aim.resamples, np.random.default_rng(seed))
    measurer = Measurer(columns, candidates.codes, weights, aim.cluster, aim.level)
    figures = measurer.measure()
    ranked = rank(
        measurer,
        figures,
        target=aim.target,
        bounds=aim.bounds,
        baseline=candidates.codes.first_of(start),
    )
    return Measured(candidates.codes.keys, figures, ranked, incomplete)


def _trial(template: Template, judge: Judge) -> Trial:
    wording = Wording(template.name, {template.language: template})
    return Trial(template.name, judge.spec, (wording,))


def _incomplete(plan: Plan, replies: Mapping[str, Reply]) -> dict[str, int]:
    missing: dict[str, int] = {}
    for calls in plan.calls.values():
        for planned in calls:
            if planned.call.key not in replies:
                name = plan.trials[planned.trial].name
                missing[name] = missing.get(name, 0) + max(len(planned.claims), 1)
    return missing
