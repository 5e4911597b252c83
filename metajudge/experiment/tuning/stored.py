"""What a store holds of an experiment, as verdicts to tune on; nobody is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from metajudge.agreement.arrays import Masks
from metajudge.counted import counted
from metajudge.errors import ExperimentError, Problem
from metajudge.experiment.beside import RankedTrials
from metajudge.experiment.build import Prepared
from metajudge.experiment.config import ExperimentConfig
from metajudge.experiment.parts import Parts, measure_parts
from metajudge.experiment.racing.results import check_split, check_target
from metajudge.experiment.searching.config import SearchRef
from metajudge.experiment.study import Study, plan_study
from metajudge.experiment.sweep import Experiment
from metajudge.report.tune_results import StoredTrial
from metajudge.runner.absent import FAILS_EACH_TIME
from metajudge.runner.store import Store
from metajudge.runner.trial import Plan, Trial
from metajudge.selection.columns import CandidateCodes, CandidateKey, claim_columns
from metajudge.selection.guardrails import Bounds, broken_beside
from metajudge.selection.readings import read_candidates
from metajudge.selection.replay import replay
from metajudge.selection.tuning.tune import Tunables
from metajudge.templates.reading_names import reading_named
from metajudge.verdicts.verdict import Reply

FORGIVEN = 0.98
"""Share of a trial's claims that need replies where the guardrail on coverage is lifted."""


@dataclass(frozen=True)
class Replayed:
    """Stored replies, read.

    Attributes:
        experiment: Whose they are.
        prepared: Its trials and claims.
        study: Its calls.
        ranked: The trials as they were read.
        replies: Replies by key.
    """

    experiment: Experiment
    prepared: Prepared
    study: Study
    ranked: RankedTrials
    replies: Mapping[str, Reply]

    def beside(self, readings: Sequence[str]) -> Parts:
        """Flip rates, and who under some readings does not read the evidence."""
        asked = self.experiment.config.model_copy(update={"readings": tuple(readings)})
        study = replace(self.study, factors=None)
        return measure_parts(asked, self.prepared, study, self.ranked, self.replies)

    def blank_missing(self) -> set[str]:
        """Trials that lack a reply to a content-free claim."""
        plan = self.study.main
        return {
            plan.trials[call.trial].name
            for calls in plan.calls.values()
            for call in calls
            if not call.claims and call.call.key not in self.replies
        }


@dataclass(frozen=True)
class Stored:
    """Stored verdicts of an experiment's dev claims.

    Attributes:
        replayed: Where they come from.
        tunables: Candidates: first those that may be tuned, then the declared ones beside them.
        tuned: How many of them may be tuned.
        trials: How much of each trial the store holds.
        parts: Flip rates, and who does not read the evidence, as far as the store knows.
        notes: What the user should know.
    """

    replayed: Replayed
    tunables: Tunables
    tuned: int
    trials: tuple[StoredTrial, ...]
    parts: Parts
    notes: tuple[str, ...]

    @property
    def config(self) -> ExperimentConfig:
        """What the experiment declares."""
        return self.replayed.experiment.config

    @property
    def keys(self) -> tuple[CandidateKey, ...]:
        """Who may be tuned."""
        return self.tunables.candidates.keys[: self.tuned]

    @property
    def declared(self) -> tuple[int, ...]:
        """Rows of the declared candidates, in the order declared."""
        rows = {key: row for row, key in enumerate(self.tunables.candidates.keys)}
        trials, readings = self.replayed.study.trials, self.config.readings
        keys = (CandidateKey(trial.name, reading) for trial in trials for reading in readings)
        return tuple(rows[key] for key in keys if key in rows)


def read_stored(
    experiment: Experiment,
    store: str | Path,
    *,
    limit: int | None = None,
    use_recordings: bool = True,
) -> Stored:
    """Everything that can be tuned on, from the store alone.

    A trial that lacks more replies than the guardrail on coverage forgives is left out.

    Args:
        experiment: Whose replies.
        store: The reply store's file.
        limit: Only the first `limit` claims.
        use_recordings: Load the experiment's recordings into the store first.

    Raises:
        InputError: The experiment is faulty, test claims are not sealed, or the store lacks what
            there is to tune on.
        StoreError: The store cannot be used.
    """
    config, path = experiment.config, experiment.path
    prepared = experiment.prepare(limit)
    notes = check_split(config, path, prepared)
    check_target(config, path, prepared)
    bases = _bases(config)
    study, replies = _read(experiment, prepared, Path(store), bases, use_recordings)
    trials = tuple(_stored_trials(config, study, replies))
    _refuse_nothing(experiment, trials, store)
    ranked = RankedTrials(study.main, replay(study.main, replies))
    replayed = Replayed(experiment, prepared, study, ranked, replies)
    union = tuple(dict.fromkeys((*config.readings, *bases)))
    parts = replayed.beside(union)
    whole = {told.trial for told in trials if not told.left_out}
    found = read_candidates(ranked.replays, union)
    started = [key for key in found.codes.keys if key.trial in whole and key.reading in bases]
    keys, left = _tunable(replayed, started, parts)
    declared = {CandidateKey(name, reading) for name in whole for reading in config.readings}
    beside = [key for key in found.codes.keys if key in declared and key not in keys]
    if not keys:
        raise ExperimentError(_nobody(path))
    codes = _rows(found.codes, (*keys, *beside))
    binary = prepared.gold.manifest.label_space == "binary"
    tunables = Tunables(
        claim_columns(study.claims, config.repeats, binary=binary),
        codes,
        config.bootstrap.cluster,
        1 - config.alpha,
        Bounds(**config.guardrails.model_dump()),
        _baseline(config, codes),
        config.threshold,
    )
    told = (*notes, *prepared.notes, *found.notes, *left)
    return Stored(replayed, tunables, len(keys), trials, parts, told)


def _bases(config: ExperimentConfig) -> tuple[str, ...]:
    """The readings whose thresholds are tried."""
    ref = config.search or SearchRef()
    names = (reading_named(name).base for name in ref.readings or config.readings)
    return tuple(dict.fromkeys(names))


def _read(
    experiment: Experiment,
    prepared: Prepared,
    store: Path,
    bases: Sequence[str],
    use_recordings: bool,
) -> tuple[Study, dict[str, Reply]]:
    """The plan and the stored replies to it.

    Raises:
        ExperimentError: There is no store, and no recording to fill one.
    """
    recordings = experiment.config.recordings if use_recordings else ()
    if not (store.exists() or recordings):
        raise ExperimentError(_no_replies(experiment, store, 0))
    readings = (*bases, *experiment.config.readings)
    priors = any(reading_named(name).asks_blank for name in readings)
    with Store(store) as opened:
        if use_recordings:
            experiment.load_recordings(opened)
        first = plan_study(prepared, with_priors=priors)
        extracted = [c.key for name in first.truths for c in first.extractions(name)]
        replies = opened.get_many(extracted)
        study = plan_study(prepared, replies, with_priors=priors) if extracted else first
        return study, replies | opened.get_many(study.keys)


def _stored_trials(
    config: ExperimentConfig, study: Study, replies: Mapping[str, Reply]
) -> Iterator[StoredTrial]:
    bound = config.guardrails.coverage
    least = FORGIVEN if bound is None else bound
    answered = _answered(study.main, len(study.claims) * config.repeats, replies)
    for trial, known in zip(study.trials, answered, strict=True):
        entries, found = len(known), int(known.sum())
        whole = found > 0 and found >= least * entries
        yield StoredTrial(
            trial=trial.name, entries=entries, missing=entries - found, left_out=not whole
        )


def _chosen(trial: Trial, ref: SearchRef) -> bool:
    judges = not ref.judges or trial.judge in ref.judges
    return judges and (not ref.context_forms or str(trial.form) in ref.context_forms)


def _answered(plan: Plan, entries: int, replies: Mapping[str, Reply]) -> list[Masks]:
    """By trial: claims and draws with every reply there is to them, shape (entries,)."""
    planned = [np.zeros((len(trial.variants), entries), np.bool_) for trial in plan.trials]
    lacking = np.zeros((len(plan.trials), entries), np.bool_)
    for call in (call for calls in plan.calls.values() for call in calls):
        repeats, known = plan.trials[call.trial].repeats, call.call.key in replies
        for claim in call.claims:
            place = claim * repeats + call.repeat
            planned[call.trial][call.variant, place] = True
            lacking[call.trial, place] |= not known
    return [asked.all(0) & ~lost for asked, lost in zip(planned, lacking, strict=True)]


def _tunable(
    replayed: Replayed, keys: Sequence[CandidateKey], parts: Parts
) -> tuple[tuple[CandidateKey, ...], tuple[str, ...]]:
    """Who may be tuned, and a line for each who may not although it has replies.

    Guardrails that rest on other calls than the verdicts are held against the candidate as it is:
    one that breaks them is no start for others.
    """
    blank = replayed.blank_missing()
    config = replayed.experiment.config
    chosen = {t.name for t in replayed.study.trials if _chosen(t, config.search or SearchRef())}
    bounds = Bounds(**config.guardrails.model_dump())
    broken = broken_beside(keys, bounds, parts.flip_rates, parts.insensitive)
    kept, left = [], []
    for key, faults in zip(keys, broken, strict=True):
        why = [f"breaks {fault.guardrail}" for fault in faults]
        if reading_named(key.reading).asks_blank and key.trial in blank:
            why.append("replies to content-free claims are missing")
        if key.trial not in chosen:
            why.append("left out by search.judges or search.context_forms")
        if why:
            left.append(f"Not tuned: {key.trial} ({key.reading}): {', '.join(why)}.")
        else:
            kept.append(key)
    return tuple(kept), tuple(left)


def _rows(codes: CandidateCodes, keys: Sequence[CandidateKey]) -> CandidateCodes:
    places = {key: row for row, key in enumerate(codes.keys)}
    rows = [places[key] for key in keys]
    return CandidateCodes(tuple(keys), codes.codes[rows], codes.probabilities[rows])


def _baseline(config: ExperimentConfig, codes: CandidateCodes) -> int | None:
    """Row of the baseline under the first declared reading that it has."""
    if config.baseline is None:
        return None
    keys = (CandidateKey(config.baseline, reading) for reading in config.readings)
    rows = {key: row for row, key in enumerate(codes.keys)}
    return next((rows[key] for key in keys if key in rows), None)


def _refuse_nothing(
    experiment: Experiment, trials: Sequence[StoredTrial], store: str | Path
) -> None:
    """That there is a trial to tune, and the baseline that guardrails compare with.

    Raises:
        ExperimentError: There is not.
    """
    baseline, path = experiment.config.baseline, experiment.path
    if all(told.missing == told.entries for told in trials):
        raise ExperimentError(_no_replies(experiment, store, len(trials)))
    if all(told.left_out for told in trials):
        lacking = ", ".join(f"{told.trial} {told.missing} of {told.entries}" for told in trials)
        law = f"tuning needs the replies of a whole trial, and every trial lacks some: {lacking}"
        mend = f"{_sweep(experiment)} asks for them. {FAILS_EACH_TIME}"
        raise ExperimentError(Problem(str(store), law, mend))
    for told in trials:
        if told.trial == baseline and told.left_out:
            law = (
                f"guardrails compare with the baseline, and {store} lacks replies to {told.missing}"
                f" of its {counted(told.entries, 'claims')}"
            )
            mend = (
                f"{_sweep(experiment)} asks what is missing; or name another baseline. "
                f"{FAILS_EACH_TIME}"
            )
            raise ExperimentError(Problem(str(path), law, mend, field="baseline", got=baseline))


def _no_replies(experiment: Experiment, store: str | Path, trials: int) -> Problem:
    found = "holds none of this experiment's" if trials else "is not there"
    law = f"tuning reads stored replies and asks nobody, and this store {found}"
    mend = f"{_sweep(experiment)} asks for them; --store names another store."
    return Problem(str(store), law, mend)


def _nobody(path: Path) -> Problem:
    law = "no candidate is left to tune: every one is left out"
    mend = "Look at search.judges and search.context_forms, or sweep first: it says what is broken."
    return Problem(str(path), law, mend, field="search")


def _sweep(experiment: Experiment) -> str:
    return f"`metajudge sweep {experiment.path}`"
