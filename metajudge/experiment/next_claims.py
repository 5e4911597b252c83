"""What the label of each waiting claim would tell about the choice between candidates."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from metajudge.agreement.arrays import Ints, Masks, as_floats
from metajudge.experiment.beside import RankedTrials
from metajudge.experiment.build import Prepared
from metajudge.experiment.parts import measure_parts
from metajudge.experiment.sweep import DEFAULT_STORE, Experiment
from metajudge.experiment.waiting_claims import (
    Before,
    ClaimsAtHand,
    Heard,
    hear,
    put_to_judges,
    read_waiting,
)
from metajudge.gold.metric_checks import metric_labels
from metajudge.runner.call import RunReport
from metajudge.runner.progress import Observer
from metajudge.runner.store import Store
from metajudge.selection.columns import CandidateCodes, CandidateKey, claim_columns
from metajudge.selection.guardrails import Bounds, broken_beside
from metajudge.selection.label_outcomes import NO_LABEL, Waiting
from metajudge.selection.label_worlds import LabelWorlds, label_worlds
from metajudge.selection.measure import Measurer
from metajudge.selection.readings import read_candidates
from metajudge.selection.rule import Contest

LEAST_ANSWERED = 0.9
"""Share of the labelled claims that a trial must have replies on to take part."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """What the candidates' verdicts tell of waiting claims.

    Attributes:
        worlds: Made of the claims that were judged; None where `why_not` says why.
        keys: The candidates that took part.
        judged: Places, among the waiting claims, of those that all candidates judged.
        codes: Shape (S, m), verdicts of the candidates on these.
        why_not: Why nothing could be weighed.
        calls: Calls about the waiting claims.
        missing: Of these, those without a reply.
        notes: What to know beside it, one sentence each.
        reports: Accounts of what was asked now.
    """

    worlds: LabelWorlds | None = None
    keys: tuple[CandidateKey, ...] = ()
    judged: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    codes: Ints = field(default_factory=lambda: np.zeros((0, 0), np.int64))
    why_not: str | None = None
    calls: int = 0
    missing: int = 0
    notes: tuple[str, ...] = ()
    reports: tuple[RunReport, ...] = ()

    def sides(self, place: int) -> tuple[tuple[CandidateKey, ...], ...]:
        """The contenders in groups that gave a waiting claim the same verdict, largest first.

        Which verdict it was is left out, so that whoever labels the claim may see this.

        Args:
            place: Of the claim among the waiting ones; () where it was not judged.
        """
        column = np.flatnonzero(self.judged == place)
        if self.worlds is None or not len(column):
            return ()
        groups: dict[int, list[CandidateKey]] = {}
        for row in self.worlds.contenders.tolist():
            groups.setdefault(int(self.codes[row, column[0]]), []).append(self.keys[row])
        return tuple(map(tuple, sorted(groups.values(), key=lambda group: (-len(group), group))))


def weigh(
    experiment: Experiment,
    at_hand: ClaimsAtHand,
    *,
    store: str | Path = DEFAULT_STORE,
    use_recordings: bool = True,
    live: bool = False,
    observer: Observer | None = None,
    before: Before | None = None,
    seed: int = 1,
) -> Weighed:
    """What the label of each waiting claim would tell; nothing is asked unless `live`.

    Args:
        experiment: Whose candidates are chosen between.
        at_hand: From `claims_of_experiment`.
        store: The reply store's file.
        use_recordings: Load the experiment's recordings into the store first.
        live: Ask the judges about waiting claims where replies are missing.
        observer: Is told how that goes.
        before: Called with the plan before anything is asked.
        seed: Makes the worlds.

    Raises:
        InputError: Something the experiment names is faulty.
        ModelFileError: The judge is to be asked and cannot be.
        StoreError: The store cannot be used.
    """
    if not at_hand.labelled:
        return Weighed(why_not="no claim has a gold label yet, so no candidate can be compared")
    if not at_hand.waiting:
        return Weighed(why_not="no claim waits")
    prepared = experiment.prepare()
    with Store(store) as replies:
        if use_recordings:
            experiment.load_recordings(replies)
        labelled = hear(experiment, prepared, replies)
        waiting = None
        if not at_hand.second:
            bare = put_to_judges(prepared, at_hand.waiting, at_hand.gold)
            waiting = hear(experiment, bare, replies, live=live, observer=observer, before=before)
    return _Weighing(experiment, prepared, at_hand, labelled, waiting).weighed(seed)


@dataclass(frozen=True, slots=True)
class _Weighing:
    """Replies about labelled and waiting claims; None where these are labelled ones too."""

    experiment: Experiment
    prepared: Prepared
    at_hand: ClaimsAtHand
    labelled: Heard
    waiting: Heard | None

    def weighed(self, seed: int) -> Weighed:
        """What the labels would tell."""
        places = self._doubted if self.waiting is None else None
        heard = self.labelled.answered[:, places] if self.waiting is None else self.waiting.answered
        taking = (self.labelled.answered.mean(1) >= LEAST_ANSWERED) & heard.any(1)
        judged = np.flatnonzero(heard[taking].all(0)) if taking.any() else np.zeros(0, np.int64)
        found = Weighed(notes=self._notes(taking))
        if self.waiting is not None:
            calls, missing = self.waiting.calls, self.waiting.missing
            found = replace(found, calls=calls, missing=missing, reports=self.waiting.reports)
        if not len(judged):
            return replace(found, why_not=self._why_not())
        measurer, waiting = self._verdicts(taking, judged)
        doubtful = None
        if self.waiting is None:
            doubtful = np.isin(np.arange(len(self.at_hand.labelled)), self._doubted[judged])
        worlds = label_worlds(
            measurer,
            waiting,
            self._contest(measurer),
            np.random.default_rng(seed),
            doubtful=doubtful,
        )
        return replace(
            found,
            worlds=worlds,
            keys=measurer.candidates.keys,
            judged=judged,
            codes=waiting.codes,
        )

    @property
    def _doubted(self) -> Ints:
        """Places of the waiting claims among the labelled ones."""
        names = {claim.claim_id for claim in self.at_hand.waiting}
        mine = [claim.claim_id in names for claim in self.at_hand.labelled]
        return np.flatnonzero(mine).astype(np.int64)

    def _verdicts(self, taking: Masks, judged: Ints) -> tuple[Measurer, Waiting]:
        """First draws on labelled claims, and on the waiting ones that were judged."""
        config, labelled = self.experiment.config, self.at_hand.labelled
        rows = [row for row, part in zip(self.labelled.trials(), taking, strict=True) if part]
        read = read_candidates(rows, config.readings).codes
        codes = read.codes.reshape(len(read.keys), len(labelled), -1)[:, :, 0]
        manifest = self.at_hand.gold.manifest
        binary = manifest.label_space == "binary"
        labels = len(metric_labels(manifest.metric, manifest.label_space))
        columns = claim_columns(labelled, binary=binary)
        groups = columns.clusters(config.bootstrap.cluster).n_clusters
        candidates = CandidateCodes(read.keys, codes, np.full((*codes.shape, 3), np.nan, "f4"))
        measurer = Measurer(
            columns,
            candidates,
            np.ones((1, groups), np.float32),
            config.bootstrap.cluster,
            1 - config.alpha,
        )
        if self.waiting is None:
            mine = self._doubted[judged]
            known = np.ones(len(mine), np.bool_)
            slices_ = columns.slices[mine]
            return measurer, Waiting(codes[:, mine], slices_, known, columns.gold[mine], labels)
        slices = [self.at_hand.waiting[place].slice for place in judged.tolist()]
        heard = read_waiting(read.keys, rows, self.labelled, self.waiting)[:, judged]
        return measurer, Waiting(
            heard,
            np.asarray([name or "" for name in slices], np.str_),
            np.asarray([name is not None for name in slices], np.bool_),
            np.full(len(judged), NO_LABEL, np.int64),
            labels,
        )

    def _contest(self, measurer: Measurer) -> Contest:
        """How candidates are ranked, by what was measured beside the verdicts too."""
        config, labelled = self.experiment.config, self.labelled
        bounds = Bounds(**config.guardrails.model_dump())
        ranked = RankedTrials(labelled.plan, labelled.trials())
        parts = measure_parts(config, self.prepared, labelled.study, ranked, labelled.replies)
        keys = measurer.candidates.keys
        broken = broken_beside(keys, bounds, parts.flip_rates, parts.insensitive)
        off = [sum(np.inf if b.by is None else b.by for b in row) for row in broken]
        first = None if config.baseline is None else measurer.candidates.first_of(config.baseline)
        return Contest(config.target, bounds, first, as_floats(off))

    def _notes(self, taking: Masks) -> tuple[str, ...]:
        """Who takes no part, and what that means."""
        names = [trial.name for trial in self.labelled.plan.trials]
        out = [name for name, part in zip(names, taking, strict=True) if not part]
        if not out or not taking.any():
            return ()
        notes = [f"No part, for want of replies: {', '.join(out)}."]
        if self.experiment.config.baseline in out:
            notes.append("Without the baseline nothing is held against it.")
        return tuple(notes)

    def _why_not(self) -> str:
        whole = self.labelled.answered.mean(1) >= LEAST_ANSWERED
        if not whole.any():
            return "no candidate has been asked about the labelled claims: sweep first"
        return "no candidate has been asked about the claims that wait"
