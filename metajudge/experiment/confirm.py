"""The winner against the baseline on the sealed test split, once, with the read on record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from metajudge import __version__
from metajudge.agreement.bootstrap import cluster_weights
from metajudge.agreement.estimate import Estimate
from metajudge.errors import ExperimentError, Problem
from metajudge.experiment.build import Prepared, gold_path
from metajudge.experiment.config import ExperimentConfig
from metajudge.experiment.design import Designs
from metajudge.experiment.fingerprint import config_sha256
from metajudge.experiment.study import Study
from metajudge.gold.goldset import GoldSet
from metajudge.gold.ledger import read_ledger, unlabelled, unseal
from metajudge.report.figure import figure
from metajudge.report.results import Results
from metajudge.report.selection_results import Confirmation
from metajudge.selection.columns import CandidateCodes, CandidateKey, claim_columns
from metajudge.selection.measure import CandidateFigures, Measurer
from metajudge.selection.ranking import LOWER_IS_BETTER, Bounds, rank
from metajudge.selection.readings import read_candidates
from metajudge.selection.replay import replay
from metajudge.selection.ties import figure_sums, swap_test, told_apart
from metajudge.verdicts.verdict import Reply

FIGURES = ("summary_as_idk", "over_credit", "kappa", "coverage")


class Confirmed(NamedTuple):
    """The two candidates on the test claims.

    Attributes:
        winner: Its figures.
        baseline: The baseline's.
        differences: Winner minus baseline, paired, by figure.
        target: The figure that decides.
        p: Of the target's difference by the swap test; None where it is undefined.
        broken: Guardrails that the winner breaks there.
    """

    winner: CandidateFigures
    baseline: CandidateFigures
    differences: Mapping[str, Estimate]
    target: str
    p: float | None
    broken: tuple[str, ...]

    @property
    def gap(self) -> Estimate:
        """The target's difference."""
        return self.differences[self.target]

    @property
    def holds(self) -> bool:
        """Every guardrail is kept, and the target is better by more than chance."""
        told = told_apart(self.gap, self.p, 1 - self.gap.level)
        if self.broken or self.gap.value is None or not told:
            return False
        return (self.gap.value < 0) == (self.target in LOWER_IS_BETTER)


def unlabelled_test(
    config: ExperimentConfig, path: Path, prepared: Prepared, keys: Sequence[CandidateKey]
) -> Prepared:
    """The winner and the baseline with the test claims and none of their labels, to be asked.

    Args:
        config: The experiment.
        path: Its file.
        prepared: What selection was given: the dev split.
        keys: Winner and baseline.

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
    names = {key.trial for key in keys}
    return replace(
        prepared,
        gold=test.subset(langs=config.gold.languages or None),
        trials=tuple(trial for trial in prepared.trials if trial.name in names),
        designs=Designs(),
    )


def pair(
    config: ExperimentConfig, path: Path, results: Results
) -> tuple[CandidateKey, CandidateKey]:
    """Winner and baseline.

    Raises:
        ExperimentError: There is no winner, no other baseline, or no dev split it was chosen on.
    """
    decision = results.decision
    if config.gold.split != "dev":
        law = "only a winner chosen on the dev split can be confirmed on the test split"
        mend = "Set gold.split to dev and select again."
        field, got = "gold.split", repr(config.gold.split)
    elif decision.winner is None:
        law = "there is no safe winner, so nothing to confirm, and the test labels stay sealed"
        mend = "See which guardrails were broken."
        field, got = "decision", decision.sentence
    else:
        winner = CandidateKey(decision.winner, decision.reading or "top")
        if config.baseline is not None:
            baseline = CandidateKey(config.baseline, config.readings[0])
            if baseline != winner:
                return winner, baseline
        law = "a winner is confirmed against a baseline other than itself"
        mend = "Name the trial that stands for today's practice."
        field, got = "baseline", repr(config.baseline)
    raise ExperimentError(Problem(str(path), law, mend, field=field, got=got))


def measured(
    config: ExperimentConfig,
    keys: Sequence[CandidateKey],
    prepared: Prepared,
    study: Study,
    replies: Mapping[str, Reply],
) -> Confirmed:
    """Winner and baseline on the test claims, by the guardrails that rest on these verdicts."""
    codes = read_candidates(replay(study.main, replies), config.readings).codes
    rows = [_row(key, codes.keys) for key in keys]
    two = CandidateCodes(tuple(keys), codes.codes[rows], codes.probabilities[rows])
    binary = prepared.gold.manifest.label_space == "binary"
    columns = claim_columns(study.claims, config.repeats, binary=binary)
    kind, rng = config.bootstrap.cluster, np.random.default_rng(config.seed)
    groups = columns.clusters(kind).n_clusters
    weights = cluster_weights(groups, config.bootstrap.resamples, rng)
    measurer = Measurer(columns, two, weights, kind, 1 - config.alpha)
    figures = measurer.measure()
    bounds = config.guardrails.model_dump() | {"flip_rate": None, "insensitive": False}
    ranked = rank(measurer, figures, target=config.target, bounds=Bounds(**bounds), baseline=1)
    names = dict.fromkeys((*FIGURES, config.target))
    chance = swap_test(figure_sums(measurer, config.target), 1, 0)
    return Confirmed(
        figures[0],
        figures[1],
        {name: measurer.differences(name, 1)[0] for name in names},
        config.target,
        None if np.isnan(chance) else chance,
        tuple(b.guardrail for row in ranked if row.index == 0 for b in row.broken),
    )


def _row(key: CandidateKey, known: Sequence[CandidateKey]) -> int:
    if key in known:
        return known.index(key)
    law = f"{key.trial} has no {key.reading} reading on the test split: no label probabilities came"
    raise ExperimentError(Problem(key.trial, law, "Confirm with a judge that gives them."))


def confirmation(
    config: ExperimentConfig,
    path: Path,
    keys: Sequence[CandidateKey],
    prepared: Prepared,
    found: Confirmed,
) -> Confirmation:
    """How the winner fares on the test claims, in figures and in a sentence."""
    ledger = read_ledger(gold_path(config, path.parent))
    sha256 = config_sha256(config)
    looks = sum(sha256 == e.experiment_sha256 or config.name == e.experiment for e in ledger)
    told = _sentences(keys, found, looks)
    claims = prepared.gold.judged().claims
    names = dict.fromkeys((*FIGURES, config.target))
    return Confirmation(
        trial=keys[0].trial,
        reading=keys[0].reading,
        baseline=keys[1].trial,
        claims=len(claims),
        contexts=len({claim.context_id for claim in claims}),
        winner={name: figure(found.winner.figures[name]) for name in names},
        baseline_figures={name: figure(found.baseline.figures[name]) for name in names},
        differences={name: figure(gap) for name, gap in found.differences.items()},
        broken=found.broken,
        holds=found.holds,
        reads=len(ledger),
        sentence=told[0],
        sentence_zh=told[1],
    )


def _sentences(keys: Sequence[CandidateKey], found: Confirmed, looks: int) -> tuple[str, str]:
    """What came of it, in English and Chinese."""
    winner, baseline = (k.trial if k.reading == "top" else f"{k.trial} ({k.reading})" for k in keys)
    name, gap = found.target.replace("_", "-"), found.gap
    shown = "undefined" if gap.value is None else f"{gap.value:+.2f}"
    if gap.low is not None and gap.high is not None:
        shown += f" [{gap.low:+.2f}, {gap.high:+.2f}]"
    verdict, verdict_zh = ("Confirmed", "已确认") if found.holds else ("Not confirmed", "未获确认")
    text = f"{verdict} on the test split: {name} of {winner} minus {baseline} {shown}"
    text_zh = f"测试集上{verdict_zh}：{winner} 与 {baseline} 的 {name} 之差 {shown}"
    if found.broken:
        text += f"; it breaks {', '.join(found.broken)} there"
        text_zh += f"；在测试集上突破 {'、'.join(found.broken)}"
    elif not found.holds:
        text += "; every guardrail is kept, but the difference is not told from nothing"
        text_zh += "；护栏全部守住，但差异无法与零区分"
    if looks > 1:
        text += (
            f". This experiment read the test labels {looks} times, so the last look is no proof"
        )
        text_zh += f"。本实验已读取测试标签 {looks} 次，最后一次不能作为证据"
    return f"{text}.", f"{text_zh}。"
