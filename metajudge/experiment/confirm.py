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
from metajudge.experiment.figure import figure
from metajudge.experiment.fingerprint import config_sha256
from metajudge.experiment.readings import read_candidates
from metajudge.experiment.replay import replay
from metajudge.experiment.study import Study
from metajudge.gold.ledger import read_ledger, unseal
from metajudge.report.results import Results
from metajudge.report.selection_results import Confirmation
from metajudge.selection.columns import CandidateCodes, CandidateKey, claim_columns
from metajudge.selection.measure import CandidateFigures, Measurer
from metajudge.selection.ranking import LOWER_IS_BETTER, Bounds, rank
from metajudge.verdicts.verdict import Reply

FIGURES = ("summary_as_idk", "over_credit", "kappa", "coverage")


class Confirmed(NamedTuple):
    """The two candidates on the test claims.

    Attributes:
        winner: Its figures.
        baseline: The baseline's.
        differences: Winner minus baseline, paired, by figure.
        target: The figure that decides.
        broken: Guardrails that the winner breaks there.
    """

    winner: CandidateFigures
    baseline: CandidateFigures
    differences: Mapping[str, Estimate]
    target: str
    broken: tuple[str, ...]

    @property
    def gap(self) -> Estimate:
        """The target's difference."""
        return self.differences[self.target]

    @property
    def holds(self) -> bool:
        """Every guardrail is kept, and the target is better by an interval that leaves 0 out."""
        if self.broken or self.gap.value is None or not self.gap.excludes_zero:
            return False
        return (self.gap.value < 0) == (self.target in LOWER_IS_BETTER)


def unsealed(
    config: ExperimentConfig, path: Path, prepared: Prepared, results: Results
) -> Prepared:
    """The winner and the baseline with the test claims; the read is on record when this returns.

    Args:
        config: The experiment.
        path: Its file.
        prepared: What selection was given: the dev split.
        results: What selection found there.

    Raises:
        ExperimentError: There is nothing to confirm, or selection saw more than the dev split.
        GoldError: The read cannot be recorded; then no label is read.
    """
    winner, baseline = pair(config, path, results)
    test = unseal(
        gold_path(config, path.parent),
        purpose="confirm",
        experiment=config.name,
        experiment_sha256=config_sha256(config),
        candidates=[f"{key.trial} ({key.reading})" for key in (winner, baseline)],
        columns=config.gold.columns or None,
        package_version=__version__,
    )
    names = (winner.trial, baseline.trial)
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
    winner, baseline = results.decision.winner, config.baseline
    if config.gold.split != "dev":
        law = "only a winner chosen on the dev split can be confirmed on the test split"
        mend = "Set gold.split to dev and select again."
        field, got = "gold.split", repr(config.gold.split)
    elif winner is None:
        law = "there is no safe winner, so nothing to confirm, and the test labels stay sealed"
        mend = "See which guardrails were broken."
        field, got = "decision", results.decision.sentence
    elif baseline is None or baseline == winner:
        law = "a winner is confirmed against a baseline other than itself"
        mend = "Name the trial that stands for today's practice."
        field, got = "baseline", repr(baseline)
    else:
        reading = results.decision.reading or "top"
        return CandidateKey(winner, reading), CandidateKey(baseline, config.readings[0])
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
    rows = [codes.keys.index(key) for key in keys]
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
    return Confirmed(
        figures[0],
        figures[1],
        {name: measurer.differences(name, 1)[0] for name in names},
        config.target,
        tuple(b.guardrail for row in ranked if row.index == 0 for b in row.broken),
    )


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
    looks = sum(e.purpose == "confirm" and e.experiment_sha256 == sha256 for e in ledger)
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
    winner, baseline = keys
    name, gap = found.target.replace("_", "-"), found.gap
    shown = "undefined" if gap.value is None else f"{gap.value:+.2f}"
    if gap.low is not None and gap.high is not None:
        shown += f" [{gap.low:+.2f}, {gap.high:+.2f}]"
    verdict, verdict_zh = ("Confirmed", "已确认") if found.holds else ("Not confirmed", "未获确认")
    text = f"{verdict} on the test split: {name} of {winner.trial} minus {baseline.trial} {shown}"
    text_zh = f"测试集上{verdict_zh}：{winner.trial} 与 {baseline.trial} 的 {name} 之差 {shown}"
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
