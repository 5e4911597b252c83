"""Claims that wait for a label, and what an experiment's candidates say of them.

Verdicts come from stored replies; the judge is asked only for what is missing, and only when that
is allowed. Waiting claims are put to the judge as they will be once they are labelled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Ints, Masks
from metajudge.experiment.build import Prepared, gold_path
from metajudge.experiment.design import Designs
from metajudge.experiment.study import Study
from metajudge.experiment.sweep import Experiment, Run
from metajudge.gold.claim import SPACE_LABELS, Claim, PendingClaim
from metajudge.gold.goldset import GoldSet, load_goldset
from metajudge.runner.call import RunReport
from metajudge.runner.progress import Observer
from metajudge.runner.store import Store
from metajudge.runner.trial import Plan
from metajudge.selection.columns import CandidateKey
from metajudge.selection.readings import claim_sources, measured_priors, read_trial, with_priors
from metajudge.selection.replay import TrialReplay, replay
from metajudge.verdicts.table import FAILURE_CODE
from metajudge.verdicts.verdict import Reply

Before = Callable[[Study, Store, Prepared], None]
"""Called with a plan before anything is asked; may raise to stop there."""


class ClaimsAtHand(NamedTuple):
    """The claims that labels are counted and wanted for.

    Attributes:
        gold: The whole gold set.
        labelled: Those with a gold label, in file order.
        waiting: Those that wait for one, or for a second one, in file order.
        second: Whether they have a label of one annotator and wait for a second one.
        elsewhere: Waiting claims of another split or language, which are left out.
    """

    gold: GoldSet
    labelled: tuple[Claim, ...]
    waiting: tuple[Claim | PendingClaim, ...]
    second: bool = False
    elsewhere: int = 0


class Heard(NamedTuple):
    """Replies about some claims.

    Attributes:
        study: The calls.
        replies: Replies by key.
        answered: Shape (T, n), claims of which no reply of the trial is missing.
        calls: Distinct calls.
        missing: Of these, those without a reply; more where facts have yet to be extracted.
        reports: Accounts of what was asked now.
    """

    study: Study
    replies: Mapping[str, Reply]
    answered: Masks
    calls: int
    missing: int
    reports: tuple[RunReport, ...] = ()

    @property
    def plan(self) -> Plan:
        """The calls of the trials that are ranked."""
        return self.study.main

    def trials(self) -> tuple[TrialReplay, ...]:
        """The trials, read."""
        return replay(self.plan, self.replies)


def claims_of_gold(place: str, *, second: bool = False) -> ClaimsAtHand:
    """All claims of a gold set, of whichever split: somebody has to label each of them.

    Args:
        place: As `load_goldset` takes it.
        second: Take labelled claims of one annotator for those that wait.

    Raises:
        GoldError: The gold set is faulty.
    """
    whole = load_goldset(place)
    return _at_hand(whole, whole.judged().claims, _pending(whole), second)


def claims_of_experiment(experiment: Experiment, *, second: bool = False) -> ClaimsAtHand:
    """The claims of the experiment's split and languages, and no other.

    Args:
        experiment: The experiment.
        second: Take labelled claims of one annotator for those that wait.

    Raises:
        GoldError: The gold set is faulty, or has no such split.
    """
    config = experiment.config
    ref, place = config.gold, gold_path(config, experiment.path.parent)
    whole = load_goldset(place, columns=ref.columns or None)
    labelled = whole.subset(ref.split, ref.languages or None).judged().claims
    mine = tuple(
        claim
        for claim in _pending(whole)
        if ref.split in (None, whole.split_of(claim))
        and claim.lang in (ref.languages or (claim.lang,))
    )
    return _at_hand(whole, labelled, mine, second)


def hear(
    experiment: Experiment,
    prepared: Prepared,
    store: Store,
    *,
    live: bool = False,
    observer: Observer | None = None,
    before: Before | None = None,
) -> Heard:
    """Replies about the claims that are prepared, by the trials that are ranked.

    Args:
        experiment: The experiment.
        prepared: Its trials on some claims.
        store: Holds replies, and takes new ones.
        live: Ask the judges for what is missing.
        observer: Is told how the run goes.
        before: Called before anything is asked.

    Raises:
        ModelFileError: The judge is to be asked and cannot be.
        StoreError: The store cannot be used.
    """
    run = Run(experiment, prepared, store)
    if live:
        if before is not None:
            before(run.study, store, prepared)
        run.ask(observer)
    keys = run.study.keys
    replies = {**store.get_many(keys), **run.replies}
    missing = sum(key not in replies for key in keys)
    answered = _answered(run.study, replies)
    return Heard(run.study, replies, answered, len(keys), missing, tuple(run.reports))


def put_to_judges(
    prepared: Prepared, claims: Sequence[Claim | PendingClaim], whole: GoldSet
) -> Prepared:
    """The trials on claims that wait, which are shown without anything that people said of them."""
    label = SPACE_LABELS[whole.manifest.label_space][0]
    names = ("claim_id", "answer_id", "context_id", "claim", "lang", "question")
    bare = tuple(
        Claim(**{name: getattr(claim, name) for name in names}, label=label) for claim in claims
    )
    used = {claim.context_id for claim in bare}
    contexts = {name: context for name, context in whole.contexts.items() if name in used}
    gold = replace(whole, claims=bare, contexts=contexts, pending=())
    return replace(prepared, gold=gold, designs=Designs())


def read_waiting(
    keys: Sequence[CandidateKey], before: Sequence[TrialReplay], labelled: Heard, waiting: Heard
) -> Ints:
    """Verdicts of candidates on waiting claims, first draws, shape (S, M).

    A label prior that a reading divides out is the one of the labelled claims.

    Args:
        keys: The candidates.
        before: The trials on the labelled claims, read.
        labelled: Replies about these.
        waiting: Replies about the waiting claims.
    """
    known = {row.trial.name: row for row in before}
    asked = {row.trial.name: row for row in waiting.trials()}
    codes = np.full((len(keys), len(waiting.plan.claims)), FAILURE_CODE, np.int64)
    for place, key in enumerate(keys):
        row, trial = asked[key.trial], known[key.trial].trial
        sources = claim_sources(trial, labelled.plan.claims)
        priors = measured_priors(known[key.trial], key.reading, sources)
        if priors is not None:
            row = with_priors(row, priors, claim_sources(trial, waiting.plan.claims))
        read = read_trial(row, key.reading)
        if read is not None:
            codes[place] = read.codes[:, 0]
    return codes


def _at_hand(
    whole: GoldSet,
    labelled: tuple[Claim, ...],
    waiting: tuple[PendingClaim, ...],
    second: bool,
) -> ClaimsAtHand:
    if not second:
        elsewhere = len(_pending(whole)) - len(waiting)
        return ClaimsAtHand(whole, labelled, waiting, elsewhere=elsewhere)
    settled = {correction.claim_id for correction in whole.corrections}
    once = tuple(
        claim
        for claim in labelled
        if len({note.annotator for note in claim.annotations}) <= 1
        and claim.claim_id not in settled
    )
    return ClaimsAtHand(whole, labelled, once, second=True)


def _pending(whole: GoldSet) -> tuple[PendingClaim, ...]:
    return tuple(claim for claim in whole.pending if not claim.exclude)


def _answered(study: Study, replies: Mapping[str, Reply]) -> Masks:
    """Claims of each ranked trial of which no call lacks its reply, shape (T, n).

    While facts have yet to be extracted, a claim without any call lacks one.
    """
    plan = study.main
    answered = np.full((len(plan.trials), len(plan.claims)), not study.waiting, np.bool_)
    lacking = np.zeros_like(answered)
    for planned in (call for calls in plan.calls.values() for call in calls):
        mask = answered if planned.call.key in replies else lacking
        mask[planned.trial, list(planned.claims)] = True
    return np.asarray(answered & ~lacking, np.bool_)
