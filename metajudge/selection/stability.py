"""How much verdicts, figures, scores and ranks move when nothing that should matter changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, divide
from metajudge.agreement.bootstrap import ClusterSums, cluster_sums
from metajudge.agreement.coefficients import COEFFICIENTS, Coefficient
from metajudge.agreement.estimate import Estimate, estimate_share
from metajudge.agreement.fleiss import fleiss_of_sums
from metajudge.agreement.rates import ratio
from metajudge.agreement.stability import intraclass_correlation, kendall_tau, score_spread
from metajudge.counted import counted
from metajudge.scoring.answers import score_answers
from metajudge.scoring.policies import Policy
from metajudge.selection.axis_runs import (
    REPEATS,
    UNPERTURBED,
    AxisRuns,
    Compared,
    Flipping,
    most_flipping,
    variance_shares,
)
from metajudge.selection.columns import CandidateCodes, CandidateKey, ClaimColumns
from metajudge.selection.measure import Measurer

__all__ = [
    "REPEATS",
    "UNPERTURBED",
    "AxisRuns",
    "AxisStability",
    "Compared",
    "Flipping",
    "LevelStability",
    "Resampling",
    "ScoreStability",
    "axis_stability",
    "flip_rate",
    "flip_rates",
    "most_flipping",
    "template_taus",
    "variance_shares",
]

LEVEL_FIGURES = ("summary_as_idk", "over_credit", "kappa")
CODE_WORDS = ("yes", "no", "idk", "failure")
UNCHANGED = "no claim was put to the judge in another way along this axis"
FLIP_RATE = Coefficient("flip_rate", ratio, UNCHANGED)
FLEISS = Coefficient(
    "fleiss_kappa", fleiss_of_sums, "no claim was changed, or every run gave one and the same label"
)
FEWEST_RANKED = 3


class Resampling(NamedTuple):
    """How intervals are made.

    Attributes:
        weights: Shape (B, G), resamples of `cluster`.
        cluster: `answer` or `context`.
        level: Coverage of intervals.
    """

    weights: np.ndarray[tuple[int, int], np.dtype[np.float32]]
    cluster: str
    level: float = 0.95


@dataclass(frozen=True, slots=True)
class LevelStability:
    """One run of an axis, on all claims that take part.

    Attributes:
        level: Its name.
        figures: `summary_as_idk`, `over_credit` and `kappa`.
        differences: The same minus the reference's, paired; {} for the reference itself.
        compared: Claims that this run put in another way.
        flips: Verdict change, such as `yes->idk`, and how many claims made it.
    """

    level: str
    figures: Mapping[str, Estimate]
    differences: Mapping[str, Estimate]
    compared: int
    flips: Mapping[str, int]


class ScoreStability(NamedTuple):
    """Answer scores of one policy over runs; None where undefined.

    Attributes:
        sd: Mean over answers of the standard deviation over runs.
        icc: ICC(2,1), agreement of single scores.
        tau: Mean over levels of Kendall's tau-b between the reference's scores and theirs.
    """

    sd: float | None
    icc: float | None
    tau: float | None


@dataclass(frozen=True, slots=True)
class AxisStability:
    """One trial along one axis.

    Attributes:
        trial: The trial.
        axis: The axis.
        n: Claims with at least one cell that counts.
        runs: The reference and the levels.
        flip_rate: Pairs of runs that disagree among those compared.
        fleiss: Fleiss' kappa between the runs.
        reference: What the levels are held against.
        levels: The other runs.
        scores: By policy.
    """

    trial: str
    axis: str
    n: int
    runs: int
    flip_rate: Estimate
    fleiss: Estimate
    reference: LevelStability
    levels: tuple[LevelStability, ...]
    scores: Mapping[str, ScoreStability]


def axis_stability(
    axis: AxisRuns, columns: ClaimColumns, resampling: Resampling, policies: Sequence[Policy]
) -> AxisStability:
    """Every figure of one trial along one axis.

    Args:
        axis: The runs, on the n claims of `columns`.
        columns: The claims, one entry each.
        resampling: How intervals are made.
        policies: For answer scores. `expected` has none here: runs are labels, not probabilities.

    Raises:
        ValueError: `axis` and `columns` are not about the same claims.
    """
    if len(axis.base) != len(columns.gold):
        raise ValueError(
            f"{counted(len(columns.gold), 'claims')} and "
            f"{counted(len(axis.base), 'verdicts')} of {axis.trial}"
        )
    rows = axis.rows
    names = (axis.reference_name, *axis.compared_levels)
    measurer = Measurer(
        columns,
        CandidateCodes(
            tuple(CandidateKey(axis.trial, name) for name in names),
            rows,
            np.full((*rows.shape, 3), np.nan, np.float32),
        ),
        *resampling,
    )
    reference, *levels = _levels(axis, measurer, names)
    return AxisStability(
        trial=axis.trial,
        axis=axis.axis,
        n=int(axis.counted.any(0).sum()),
        runs=len(rows),
        flip_rate=flip_rate(axis, columns, resampling),
        fleiss=measurer.coefficients(_fleiss_sums(axis, columns, resampling.cluster), FLEISS)[0],
        reference=reference,
        levels=tuple(levels),
        scores={policy.name: _scores(axis, columns, policy) for policy in policies},
    )


def flip_rate(axis: AxisRuns, columns: ClaimColumns, resampling: Resampling) -> Estimate:
    """Pairs of runs that disagree among the pairs compared, 0 to 1.

    Wilson's interval at the effective number of pairs, clusters as units, so that the many pairs
    of one claim count as what they are. n is the number of claims.
    """
    pairs = axis.pairs()
    parts = np.stack([pairs.differ, pairs.of], axis=-1)[None]
    sums = cluster_sums(columns.clusters(resampling.cluster).codes, parts, pairs.of > 0)
    return estimate_share(sums, FLIP_RATE, resampling.level)[0]


def flip_rates(
    axes: Sequence[AxisRuns], columns: ClaimColumns, resampling: Resampling
) -> dict[str, Estimate]:
    """By trial: the flip rate over draws at the judge's own temperature, which a guardrail bounds.

    Trials that were not repeated are not in it.
    """
    return {
        axis.trial: flip_rate(axis, columns, resampling) for axis in axes if axis.axis == REPEATS
    }


def template_taus(measured: Sequence[AxisStability]) -> dict[str, float | None]:
    """By axis: do trials keep their order by kappa? Mean Kendall tau-b over levels, -1 to 1.

    Each level's kappas are ranked against the references' of the same trials. None where no level
    has three trials with a kappa, or all kappas of a level are equal.
    """
    taus: dict[str, float | None] = {}
    for name in dict.fromkeys(row.axis for row in measured):
        kappas: dict[str, list[tuple[float, float]]] = {}
        for row in measured:
            before = row.reference.figures["kappa"].value
            for level in row.levels if row.axis == name else ():
                after = level.figures["kappa"].value
                if before is not None and after is not None:
                    kappas.setdefault(level.level, []).append((before, after))
        found = [
            float(kendall_tau(*zip(*pairs, strict=True)))
            for pairs in kappas.values()
            if len(pairs) >= FEWEST_RANKED
        ]
        taus[name] = _mean(found)
    return taus


def _levels(axis: AxisRuns, measurer: Measurer, names: Sequence[str]) -> tuple[LevelStability, ...]:
    figures = {name: measurer.shares(name) for name in LEVEL_FIGURES[:2]}
    figures["kappa"] = measurer.coefficients(measurer.table_sums(), COEFFICIENTS["cohen_kappa"])
    gaps = {name: measurer.differences(name, 0) for name in LEVEL_FIGURES}
    rows = axis.rows
    return tuple(
        LevelStability(
            level=name,
            figures={key: found[i] for key, found in figures.items()},
            differences={key: found[i] for key, found in gaps.items()} if i else {},
            compared=int(axis.counted[i - 1].sum()) if i else 0,
            flips=_changes(rows[0], rows[i]),
        )
        for i, name in enumerate(names)
    )


def _changes(was: Ints, now: Ints) -> dict[str, int]:
    cells = np.bincount(was * 4 + now, minlength=16).reshape(4, 4)
    return {
        f"{CODE_WORDS[a]}->{CODE_WORDS[b]}": int(cells[a, b])
        for a in range(4)
        for b in range(4)
        if a != b and cells[a, b]
    }


def _fleiss_sums(axis: AxisRuns, columns: ClaimColumns, cluster: str) -> ClusterSums:
    """What each cluster adds to Fleiss' kappa between the runs.

    Claims with fewer runs that count enter with the pairs and label shares that they have; with
    equal numbers this is Fleiss' own.

    Source: Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed., ch. 2 (missing ratings).
    """
    counts = axis.counts
    counted: Masks = np.asarray(counts.sum(1) >= 2, np.bool_)
    runs = counts.sum(1)
    agreement = divide((counts * (counts - 1)).sum(1), runs * (runs - 1))
    parts = np.column_stack([np.ones(len(counts)), agreement, counts / runs[:, None]])
    parts[~counted] = 0.0
    return cluster_sums(columns.clusters(cluster).codes, parts[None], counted)


def _scores(axis: AxisRuns, columns: ClaimColumns, policy: Policy) -> ScoreStability:
    """Scores of the answers of which at least one claim was put in another way."""
    answers, n_answers = columns.answers
    touched = np.zeros(n_answers, np.bool_)
    touched[answers[axis.counted.any(0)]] = True
    rows: Floats = np.stack(
        [score_answers(policy, codes, answers, n_answers).values[touched] for codes in axis.rows]
    )
    if not np.isfinite(rows).any():
        return ScoreStability(None, None, None)
    taus = [float(kendall_tau(rows[0], row)) for row in rows[1:]]
    icc = intraclass_correlation(rows.T).agreement
    return ScoreStability(_mean(score_spread(rows.T).tolist()), _mean([icc]), _mean(taus))


def _mean(values: Sequence[float]) -> float | None:
    """The mean of the defined values; None when there is none."""
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else None
