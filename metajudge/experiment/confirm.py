"""A candidate against the baseline on the sealed test split, once, with the read on record.

The candidate is the winner, or one that the user names although selection did not choose it; the
baseline itself, where it is named, is measured alone. What is held against the labels is what can
be released: a label prior that a reading divides out is the one that the dev split gave, frozen.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from metajudge.agreement.bootstrap import cluster_weights
from metajudge.agreement.estimate import Estimate
from metajudge.errors import ExperimentError, Problem, short_repr
from metajudge.experiment.build import Prepared, gold_path
from metajudge.experiment.config import ExperimentConfig
from metajudge.experiment.confirm_words import Named, sentences
from metajudge.experiment.design import Designs
from metajudge.experiment.fingerprint import config_sha256
from metajudge.experiment.split_check import not_on_dev
from metajudge.gold.folded import base_version
from metajudge.gold.goldset import GoldSet
from metajudge.gold.ledger import read_ledger, unlabelled, unseal
from metajudge.gold.validation import suggest
from metajudge.report.figure import figure
from metajudge.report.results import Results
from metajudge.report.selection_results import Confirmation
from metajudge.runner.trial import Plan
from metajudge.selection.columns import CandidateCodes, CandidateKey, claim_columns
from metajudge.selection.measure import CandidateFigures, Measurer
from metajudge.selection.ranking import LOWER_IS_BETTER, Bounds, rank
from metajudge.selection.readings import (
    Priors,
    Read,
    claim_sources,
    measured_priors,
    read_trial,
    with_priors,
)
from metajudge.selection.replay import TrialReplay, replay
from metajudge.selection.ties import figure_sums, swap_test, told_apart
from metajudge.templates.reading_names import reading_named
from metajudge.verdicts.verdict import Reply
from metajudge.version import __version__

FIGURES = ("summary_as_idk", "over_credit", "kappa", "coverage")


class Answered(NamedTuple):
    """Calls about some claims, and what came back."""

    plan: Plan
    replies: Mapping[str, Reply]


class Confirmed(NamedTuple):
    """The candidate and the baseline on the test claims, or the baseline alone.

    Attributes:
        winner: Figures of the candidate, or of the baseline that is measured alone.
        baseline: The baseline's; None where it is alone.
        differences: Candidate minus baseline, paired, by figure; {} where nothing is compared.
        target: The figure that decides.
        p: Of the target's difference by the swap test; None where it is undefined.
        broken: Guardrails that the candidate breaks there.
    """

    winner: CandidateFigures
    baseline: CandidateFigures | None
    differences: Mapping[str, Estimate]
    target: str
    p: float | None
    broken: tuple[str, ...]

    @property
    def gap(self) -> Estimate | None:
        """The target's difference; None where nothing is compared."""
        return self.differences.get(self.target)

    @property
    def holds(self) -> bool | None:
        """Every guardrail is kept, and the target is better by more than chance.

        None where nothing is compared.
        """
        gap = self.gap
        if gap is None:
            return None
        if self.broken or gap.value is None or not told_apart(gap, self.p, 1 - gap.level):
            return False
        return (gap.value < 0) == (self.target in LOWER_IS_BETTER)


def unlabelled_test(
    config: ExperimentConfig, path: Path, prepared: Prepared, keys: Sequence[CandidateKey]
) -> Prepared:
    """Candidate and baseline with the test claims and none of their labels, to be asked.

    Args:
        config: The experiment.
        path: Its file.
        prepared: What selection was given: the dev split.
        keys: From `held_on_test`.

    Raises:
        GoldError: There is no test split.
        ExperimentError: It has no claim in the experiment's languages.
    """
    place = gold_path(config, path.parent)
    test = _on(prepared, unlabelled(place, columns=config.gold.columns or None), config, keys)
    if not test.gold.judged().claims:
        law = "the test split has no judged claim in the experiment's languages"
        got = repr(list(config.gold.languages))
        mend = "Widen gold.languages, or label more contexts."
        raise ExperimentError(Problem(place, law, mend, field="gold.languages", got=got))
    return test


def unsealed(
    config: ExperimentConfig, path: Path, prepared: Prepared, keys: Sequence[CandidateKey]
) -> Prepared:
    """The same with the labels; the read is on record when this returns.

    Raises:
        GoldError: The read cannot be recorded; then no label is given.
    """
    test = unseal(
        gold_path(config, path.parent),
        purpose="confirm",
        experiment=config.name,
        experiment_sha256=config_sha256(config),
        candidates=[f"{key.trial} ({key.reading})" for key in keys],
        columns=config.gold.columns or None,
        package_version=__version__,
    )
    return _on(prepared, test, config, keys)


def _on(
    prepared: Prepared, test: GoldSet, config: ExperimentConfig, keys: Sequence[CandidateKey]
) -> Prepared:
    return replace(_of(prepared, keys), gold=test.subset(langs=config.gold.languages or None))


def _of(prepared: Prepared, keys: Sequence[CandidateKey]) -> Prepared:
    names = {key.trial for key in keys}
    trials = tuple(trial for trial in prepared.trials if trial.name in names)
    return replace(prepared, trials=trials, designs=Designs())


def with_dev_priors(prepared: Prepared, keys: Sequence[CandidateKey]) -> Prepared:
    """Those of the trials whose reading divides out a label prior, on the dev claims it is from.

    Args:
        prepared: What selection was given: the dev split.
        keys: From `held_on_test`.
    """
    return _of(prepared, [key for key in keys if reading_named(key.reading).divides_prior])


def find_candidate(
    config: ExperimentConfig, path: Path, prepared: Prepared, name: str
) -> CandidateKey:
    """The candidate of a name: `trial`, which is its first reading, or `trial (reading)`.

    Raises:
        ExperimentError: The experiment has none of that name; the nearest is given.
    """
    known = {trial.name: CandidateKey(trial.name, config.readings[0]) for trial in prepared.trials}
    for trial in prepared.trials:
        keys = [CandidateKey(trial.name, reading) for reading in config.readings]
        known |= {f"{key.trial} ({key.reading})": key for key in keys}
    if name in known:
        return known[name]
    law = "a candidate is named as the ranking does, `trial` or `trial (reading)`"
    mend = suggest(name, known)
    raise ExperimentError(Problem(str(path), law, mend, field="candidate", got=short_repr(name)))


def held_on_test(
    config: ExperimentConfig, path: Path, results: Results, named: CandidateKey | None = None
) -> tuple[CandidateKey, ...]:
    """Candidate and baseline; the baseline alone where it is the one that the user named.

    Args:
        config: The experiment.
        path: Its file.
        results: What selection found.
        named: The candidate that the user named; None for the winner.

    Raises:
        ExperimentError: There is no winner and none is named, no baseline or it is the winner, no
            dev split to choose on, or the reading that is named cannot be had.
    """
    decision, baseline = results.decision, None
    if config.baseline is not None:
        baseline = CandidateKey(config.baseline, config.readings[0])
    if config.gold.split != "dev":
        raise ExperimentError(not_on_dev(config, path))
    if named is None and decision.winner is None:
        law = "there is no safe winner, so nothing to confirm, and the test labels stay sealed"
        mend = "See which guardrails were broken, or name the candidate to confirm all the same."
        field, got = "decision", decision.sentence
    elif named is not None and named not in _ranked(results):
        law = f"{named.trial} has no {named.reading} reading: no label probabilities came on dev"
        mend = "Name another reading, or a judge that gives label probabilities."
        field, got = "candidate", f"{named.trial} ({named.reading})"
    elif named is not None and named == baseline:
        return (named,)
    else:
        winner = named or CandidateKey(str(decision.winner), decision.reading or "top")
        if baseline not in (None, winner):
            return winner, baseline
        law = "a winner is confirmed against a baseline other than itself"
        mend = "Name the trial that stands for today's practice."
        if baseline is not None:
            mend = f"To measure it alone, name it: --candidate {shlex.quote(baseline.trial)}."
        field, got = "baseline", repr(config.baseline)
    raise ExperimentError(Problem(str(path), law, mend, field=field, got=got))


def _ranked(results: Results) -> dict[CandidateKey, tuple[str, ...]]:
    """Every candidate of the dev split with the guardrails it breaks there."""
    return {
        CandidateKey(row.trial, row.reading): tuple(broken.guardrail for broken in row.broken)
        for row in results.ranking
    }


def read_test(keys: Sequence[CandidateKey], dev: Answered, test: Answered) -> tuple[Read, ...]:
    """Candidate and baseline on the test claims, each in its reading.

    A label prior that a reading divides out is the one that the dev replies give, as a release
    freezes it; the test replies never make their own.

    Args:
        keys: From `held_on_test`.
        dev: The trials of `with_dev_priors`.
        test: The trials on the test claims, with their labels or without.

    Raises:
        ExperimentError: There is no prior, or no label probability that it could be divided out
            of.
    """
    known = {row.trial.name: row for row in replay(dev.plan, dev.replies)}
    asked = {row.trial.name: row for row in replay(test.plan, test.replies)}
    reads = []
    for key in keys:
        row = asked[key.trial]
        if reading_named(key.reading).divides_prior:
            priors = _priors(key, known[key.trial], dev.plan)
            row = with_priors(row, priors, claim_sources(row.trial, test.plan.claims))
        read = read_trial(row, key.reading)
        if read is None:
            law = f"{key.trial} has no {key.reading} reading on the test split"
            mend = "Confirm with a judge that gives label probabilities."
            raise ExperimentError(Problem(key.trial, f"{law}: no label probabilities came", mend))
        reads.append(read)
    return tuple(reads)


def _priors(key: CandidateKey, row: TrialReplay, plan: Plan) -> tuple[Priors, ...]:
    found = measured_priors(row, key.reading, claim_sources(row.trial, plan.claims)) or ()
    if not all(found):
        law = f"the label prior of {key.trial} ({key.reading}) comes from its dev replies"
        mend = "Confirm with the store that the sweep filled; no test label was read."
        raise ExperimentError(Problem(key.trial, f"{law}, and this store has none", mend))
    return found


def measured(
    config: ExperimentConfig,
    keys: Sequence[CandidateKey],
    prepared: Prepared,
    reads: Sequence[Read],
) -> Confirmed:
    """Candidate and baseline on the test claims, by the guardrails that rest on these verdicts.

    Of the baseline alone, those that compare with a baseline are not tried.
    """
    held = CandidateCodes(
        tuple(keys),
        np.asarray([read.codes for read in reads], np.int64).reshape(len(reads), -1),
        np.asarray([read.probabilities for read in reads], np.float32).reshape(len(reads), -1, 3),
    )
    binary = prepared.gold.manifest.label_space == "binary"
    columns = claim_columns(prepared.gold.judged().claims, config.repeats, binary=binary)
    kind, rng = config.bootstrap.cluster, np.random.default_rng(config.seed)
    groups = columns.clusters(kind).n_clusters
    weights = cluster_weights(groups, config.bootstrap.resamples, rng)
    measurer = Measurer(columns, held, weights, kind, 1 - config.alpha)
    figures, baseline = measurer.measure(), len(keys) - 1
    bounds = config.guardrails.model_dump() | {"flip_rate": None, "insensitive": False}
    ranked = rank(
        measurer, figures, target=config.target, bounds=Bounds(**bounds), baseline=baseline
    )
    broken = tuple(b.guardrail for row in ranked if row.index == 0 for b in row.broken)
    if not baseline:
        return Confirmed(figures[0], None, {}, config.target, None, broken)
    names = dict.fromkeys((*FIGURES, config.target))
    chance = swap_test(figure_sums(measurer, config.target), 1, 0)
    return Confirmed(
        figures[0],
        figures[1],
        {name: measurer.differences(name, 1)[0] for name in names},
        config.target,
        None if np.isnan(chance) else chance,
        broken,
    )


def confirmation(
    config: ExperimentConfig,
    path: Path,
    keys: Sequence[CandidateKey],
    prepared: Prepared,
    results: Results,
    *,
    found: Confirmed,
) -> Confirmation:
    """How the candidate fares on the test claims, in figures and in a sentence.

    Args:
        config: The experiment.
        path: Its file.
        keys: From `held_on_test`.
        prepared: The test split with its labels.
        results: What selection found on dev.
        found: What `measured` found.
    """
    ledger = read_ledger(gold_path(config, path.parent))
    sha256, version = config_sha256(config), base_version(prepared.gold.manifest.version)
    looks = sum(
        base_version(entry.gold_version) == version
        and (sha256 == entry.experiment_sha256 or config.name == entry.experiment)
        for entry in ledger
    )
    chosen = (results.decision.winner, results.decision.reading)
    named = None if chosen == keys[0] else Named(_ranked(results)[keys[0]])
    told = sentences(keys, found, looks, named)
    claims = prepared.gold.judged().claims
    names = dict.fromkeys((*FIGURES, config.target))
    return Confirmation(
        trial=keys[0].trial,
        reading=keys[0].reading,
        named=named is not None,
        broken_on_dev=() if named is None else named.broken,
        baseline=keys[-1].trial,
        claims=len(claims),
        contexts=len({claim.context_id for claim in claims}),
        winner={name: figure(found.winner.figures[name]) for name in names},
        baseline_figures={}
        if found.baseline is None
        else {name: figure(found.baseline.figures[name]) for name in names},
        differences={name: figure(gap) for name, gap in found.differences.items()},
        broken=found.broken,
        holds=found.holds,
        reads=len(ledger),
        sentence=told[0],
        sentence_zh=told[1],
    )
