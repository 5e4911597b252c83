"""Measured figures as parts of a file: confusion tables, groups, labels and policies."""

from __future__ import annotations

from collections.abc import Mapping

from metajudge.agreement.arrays import Ints
from metajudge.agreement.estimate import Estimate
from metajudge.report.figure import figure, number
from metajudge.report.part import Figure, VerdictCode
from metajudge.report.results import GroupFigures, LabelFigures, PolicyFigures
from metajudge.selection.measure import CandidateFigures, GroupEstimates
from metajudge.selection.policies import PolicyEstimates

VERDICT_CODES: tuple[VerdictCode, ...] = ("yes", "no", "idk", "failure")
GOLD_WORDS = {False: ("yes", "no", "idk"), True: ("supported", "unsupported")}
LANGUAGE_FIGURES = ("summary_as_idk", "over_credit", "kappa")


def table_part(table: Ints, binary: bool) -> dict[str, dict[VerdictCode, int]]:
    """Gold label -> verdict -> n, from a table of shape (K, 4)."""
    return {
        word: {code: int(n) for code, n in zip(VERDICT_CODES, row, strict=True)}
        for word, row in zip(GOLD_WORDS[binary], table, strict=True)
    }


def figure_parts(figures: Mapping[str, Estimate]) -> dict[str, Figure]:
    """Figures by name."""
    return {name: figure(estimate) for name, estimate in figures.items()}


def label_parts(labels: Mapping[str, Mapping[str, Estimate]]) -> dict[str, LabelFigures]:
    """Precision, recall and F1 by gold label."""
    return {word: LabelFigures(**figure_parts(kinds)) for word, kinds in labels.items()}


def group_parts(groups: Mapping[str, GroupEstimates], binary: bool) -> dict[str, GroupFigures]:
    """Slices or languages by name."""
    return {
        name: GroupFigures(
            n=group.n,
            accuracy=figure(group.accuracy),
            called={code: int(n) for code, n in zip(VERDICT_CODES, group.called, strict=True)},
            gold={w: int(n) for w, n in zip(GOLD_WORDS[binary], group.gold, strict=True) if n},
        )
        for name, group in groups.items()
    }


def language_parts(measured: CandidateFigures) -> dict[str, dict[str, Figure]]:
    """Language -> `LANGUAGE_FIGURES`."""
    return {
        lang: {name: figure(group.figures[name]) for name in LANGUAGE_FIGURES}
        for lang, group in measured.languages.items()
    }


def policy_part(row: PolicyEstimates) -> PolicyFigures:
    """One policy."""
    return PolicyFigures(
        policy=row.policy,
        mean_score=figure(row.mean_score),
        gold_mean_score=number(row.gold_mean_score),
        bias=figure(row.bias),
        mae=figure(row.mae),
        pass_agreement=figure(row.pass_agreement),
        threshold=row.threshold,
        undefined_answers=row.undefined_answers,
    )
