"""Replies to what is asked beside the trials, as the arrays that stability is measured on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metajudge.agreement.arrays import Ints
from metajudge.experiment.build import Prepared
from metajudge.experiment.design import ControlDesign
from metajudge.experiment.study import Study
from metajudge.gold.claim import Claim
from metajudge.runner.trial import Plan
from metajudge.selection.axis_runs import AxisRuns
from metajudge.selection.columns import CandidateKey
from metajudge.selection.factors import Combination, FactorRuns
from metajudge.selection.readings import read_trial
from metajudge.selection.replay import TrialReplay, Variant, replay
from metajudge.selection.sensitivity import CONTEXT_KINDS, NO_BEFORE, ControlRuns
from metajudge.templates.message import Message
from metajudge.verdicts.verdict import Reply

Prompts = frozenset[tuple[Message, ...]]
Shown = Mapping[tuple[int, int], Prompts]
"""Claim and draw -> what the judge was shown of it."""

TRUE_IN_THE_WORLD = "world_true"
"""The one kind whose probe replaces its claim, so that there is no verdict before."""


@dataclass(frozen=True, slots=True)
class RankedTrials:
    """The ranked trials as they were read.

    Attributes:
        plan: Their calls.
        replays: One per trial.
    """

    plan: Plan
    replays: tuple[TrialReplay, ...]

    def places(self, claims: Sequence[Claim]) -> Ints:
        """Index of each claim among the ranked ones, shape (n,)."""
        index = {claim.claim_id: place for place, claim in enumerate(self.plan.claims)}
        return np.asarray([index[claim.claim_id] for claim in claims], np.int64)


def axis_runs(
    study: Study, prepared: Prepared, ranked: RankedTrials, replies: Mapping[str, Reply]
) -> tuple[AxisRuns, ...]:
    """Every trial along every axis, on the claims of the stability design."""
    plan, design = study.stability, prepared.designs.stability
    if plan is None or design is None:
        return ()
    places = ranked.places(plan.claims)
    shown, unperturbed = _shown(plan, replies), _shown(ranked.plan, replies)
    codes = [_top(row) for row in replay(plan, replies)]
    grouped: dict[tuple[int, str], list[int]] = {}
    for number, run in enumerate(design.runs):
        grouped.setdefault((run.base, run.axis), []).append(number)
    made = []
    for (base, axis), numbers in grouped.items():
        runs = [design.runs[number] for number in numbers]
        name = ranked.plan.trials[base].name
        if runs[0].compared_with == "each_other":
            made.append(_draws(name, axis, codes[numbers[0]], shown[numbers[0]]))
            continue
        own = _top(ranked.replays[base])[places, 0]
        before = [unperturbed[base].get((place, 0)) for place in places.tolist()]
        if runs[0].compared_with == "first_level":
            before = [shown[numbers[0]].get((i, 0)) for i in range(len(places))]
        changed = np.asarray(
            [[_differ(was, shown[n].get((i, 0))) for i, was in enumerate(before)] for n in numbers],
            np.bool_,
        )
        levels = tuple(run.level for run in runs)
        said = np.stack([codes[number][:, 0] for number in numbers])
        made.append(AxisRuns(name, axis, levels, own, said, changed, runs[0].compared_with))
    return tuple(made)


def _draws(name: str, axis: str, codes: Ints, shown: Shown) -> AxisRuns:
    """Draws of one prompt; the first stands for the unperturbed trial."""
    later = codes[:, 1:].T
    levels = tuple(f"draw {number}" for number in range(2, codes.shape[1] + 1))
    drawn = np.asarray(
        [
            [(i, 0) in shown and (i, draw) in shown for i in range(len(codes))]
            for draw in range(1, codes.shape[1])
        ],
        np.bool_,
    )
    return AxisRuns(name, axis, levels, codes[:, 0], later, drawn, "each_other")


def _differ(was: Prompts | None, now: Prompts | None) -> bool:
    """Whether both were asked, and of something else."""
    return was is not None and now is not None and was != now


def _top(row: TrialReplay) -> Ints:
    """Label codes of the plain reading, shape (n, r)."""
    read = read_trial(row, "top")
    return np.asarray(row.variants[0].codes if read is None else read.codes, np.int64)


def _shown(plan: Plan, replies: Mapping[str, Reply]) -> list[Shown]:
    """By trial: the prompts of each claim and draw.

    Without those that lack a reply: what was never asked, since a budget was spent or a judge
    stayed away, agrees with nothing. Prompts are compared, not keys, which hold the reply's length
    too.
    """
    found: list[dict[tuple[int, int], set[tuple[Message, ...]]]] = [{} for _ in plan.trials]
    lacking: list[set[tuple[int, int]]] = [set() for _ in plan.trials]
    for planned in (call for calls in plan.calls.values() for call in calls):
        places = [(claim, planned.repeat) for claim in planned.claims]
        if planned.call.key not in replies:
            lacking[planned.trial].update(places)
        for place in places:
            prompts = found[planned.trial].setdefault(place, set())
            prompts.add(planned.call.request.messages)
    return [
        {place: frozenset(prompts) for place, prompts in row.items() if place not in missing}
        for row, missing in zip(found, lacking, strict=True)
    ]


def control_runs(
    study: Study,
    prepared: Prepared,
    ranked: RankedTrials,
    replies: Mapping[str, Reply],
    readings: Sequence[str],
) -> dict[CandidateKey, tuple[ControlRuns, ...]]:
    """By candidate: its verdicts on the probes of each kind and on the claims they were made from.

    A reading that takes out a label prior takes the one of the ranked claims: the probes are all
    not-yes, and their own mean is no prior.
    """
    plan, design = study.controls, prepared.designs.controls
    if plan is None or design is None:
        return {}
    places = _sources(design, ranked.plan.claims)
    contexts = np.unique([probe.context_id for probe in design.probes], return_inverse=True)[1]
    kinds = np.asarray([probe.kind for probe in design.probes], np.str_)
    known = dict.fromkeys(kinds.tolist()) or dict.fromkeys(CONTEXT_KINDS)
    made: dict[CandidateKey, tuple[ControlRuns, ...]] = {}
    for base, row in zip(design.bases, replay(plan, replies), strict=True):
        main = ranked.replays[base]
        borrowed = replace(row, variants=_with_priors(row, plan.claims, main, ranked.plan.claims))
        for reading in readings:
            after, before = read_trial(borrowed, reading), read_trial(main, reading)
            if after is None or before is None:
                continue
            was = before.codes[places, 0].astype(np.int64)
            was[kinds == TRUE_IN_THE_WORLD] = NO_BEFORE
            now = after.codes[:, 0].astype(np.int64)
            key = CandidateKey(main.trial.name, reading)
            made[key] = tuple(
                ControlRuns(
                    f"{key.trial} ({key.reading})",
                    str(kind),
                    was[kinds == kind],
                    now[kinds == kind],
                    contexts[kinds == kind].astype(np.int64),
                )
                for kind in known
            )
    return made


def _sources(design: ControlDesign, claims: Sequence[Claim]) -> Ints:
    index = {claim.claim_id: place for place, claim in enumerate(claims)}
    return np.asarray([index[probe.claim_id] for probe in design.probes], np.int64)


def _with_priors(
    row: TrialReplay, probes: Sequence[Claim], main: TrialReplay, claims: Sequence[Claim]
) -> tuple[Variant, ...]:
    """The variants of the probes with the label priors of the ranked claims, by template."""
    variants = []
    for wording, mine, theirs in zip(row.trial.variants, row.variants, main.variants, strict=True):
        first: dict[str, int] = {}
        for place, claim in enumerate(claims):
            first.setdefault(wording.source_for(claim.lang).fingerprint, place)
        places = [first.get(wording.source_for(probe.lang).fingerprint, 0) for probe in probes]
        variants.append(
            replace(mine, priors=theirs.priors[places], batch_priors=theirs.batch_priors[places])
        )
    return tuple(variants)


def factor_runs(
    study: Study, prepared: Prepared, replies: Mapping[str, Reply]
) -> tuple[FactorRuns, ...]:
    """Every cell of the factorial under the plain reading."""
    plan, design = study.factors, prepared.designs.factors
    if plan is None or design is None:
        return ()
    rows = replay(plan, replies)
    return tuple(
        FactorRuns(Combination(*cell), _top(row)[:, 0])
        for cell, row in zip(design.cells, rows, strict=True)
    )
