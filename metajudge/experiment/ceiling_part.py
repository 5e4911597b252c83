"""The human ceiling and every candidate beside it, as they stand in `results.json`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from metajudge.agreement.annotators import RARE_LABELS, RARE_SHARE
from metajudge.agreement.arrays import AnyFloats, Floats, as_floats
from metajudge.agreement.ceiling import AlternativeAnnotator
from metajudge.gold.annotators import annotation_matrix
from metajudge.gold.claim import SPACE_LABELS
from metajudge.gold.goldset import GoldSet
from metajudge.report.ceiling_results import (
    BesidePeople,
    CandidateCeiling,
    CeilingResults,
    PeopleFigures,
    SoftLabelFigures,
    StandIn,
)
from metajudge.report.figure import figure, number, rounded
from metajudge.selection.ceiling import (
    LEAST_SHARED,
    Beside,
    HumanAgreement,
    JudgeAgreement,
    human_agreement,
    judge_agreement,
)
from metajudge.selection.columns import GOLD_CODES, CandidateCodes, CandidateKey, ClaimColumns
from metajudge.selection.panel import Panel, panel
from metajudge.selection.stability import Resampling
from metajudge.selection.stand_in import (
    EPSILON,
    FALSE_DISCOVERY_RATE,
    LEAST_CLAIMS,
    SMALLEST_PROBABILITY,
    SoftAgreement,
    participants,
    soft_agreement,
    stand_in_tests,
)


def ceiling_results(
    goldset: GoldSet,
    columns: ClaimColumns,
    candidates: CandidateCodes,
    *,
    cluster: Literal["answer", "context"],
    weights: AnyFloats,
    level: float = 0.95,
    epsilon: float = EPSILON,
) -> CeilingResults | None:
    """The human ceiling; None where no claim has labels of two annotators.

    Of several draws the first counts.

    Args:
        goldset: Whose judged claims were asked, in the order of `columns`.
        columns: Those claims.
        candidates: The verdicts on them.
        cluster: What is resampled.
        weights: Shape (B, G), resamples of `cluster`.
        level: Coverage of intervals.
        epsilon: Bonus of the judge in the alternative annotator test.

    Raises:
        ValueError: The gold set and the columns hold different claims.
    """
    people = _panel(goldset, columns, cluster)
    if not people.annotators:
        return None
    resampling = Resampling(np.asarray(weights, np.float32), cluster, level)
    labels = SPACE_LABELS[goldset.manifest.label_space]
    given = dict(zip(labels, map(int, people.counts.sum(0)), strict=True))
    human = human_agreement(people, resampling)
    names = [people.annotators[row] for row in participants(people)]
    return CeilingResults(
        labels_from=_labels_from(goldset),
        cluster=cluster,
        claims=int(people.shared.sum()),
        claims_asked=columns.n_claims,
        annotators=dict(zip(people.annotators, people.known.sum(1).tolist(), strict=True)),
        labels=given,
        rare_labels=tuple(
            label
            for label, n in given.items()
            if 0 < n < max(RARE_LABELS, RARE_SHARE * sum(given.values()))
        ),
        least_shared=LEAST_SHARED,
        people=_people(human),
        candidates=tuple(
            _candidate(key, agreement, human, _stand_in(test, names), soft)
            for key, agreement, test, soft in _measured(
                people, columns, candidates, resampling, epsilon
            )
        ),
        epsilon=epsilon,
        false_discovery_rate=FALSE_DISCOVERY_RATE,
        participants=tuple(names),
        least_claims=LEAST_CLAIMS,
        probability_floor=SMALLEST_PROBABILITY,
    )


def no_ceiling_note(goldset: GoldSet) -> str | None:
    """Why a gold set has no human ceiling, for the notes of a report; None where it has one."""
    found = annotation_matrix(goldset.judged())
    known = found.labels >= 0
    if (known.sum(1) >= 2).any():
        return None
    people = int(known.any(0).sum())
    held = {0: "no annotations", 1: "annotations of one person only"}.get(
        people, f"annotations of {people} people, but no claim has two"
    )
    return f"No human ceiling: the gold set holds {held}."


def _panel(goldset: GoldSet, columns: ClaimColumns, cluster: str) -> Panel:
    judged = goldset.judged()
    first = slice(None, None, columns.repeats)
    gold = [GOLD_CODES[claim.label] for claim in judged.claims]
    if gold != columns.gold[first].tolist():
        raise ValueError(
            f"the gold set's {len(gold)} judged claims are not the {columns.n_claims} that were "
            "asked; give the part of the gold set that took part"
        )
    found = annotation_matrix(judged)
    codes = columns.clusters(cluster).codes[first]
    return panel(found.labels, found.annotators, codes, columns.n_labels)


def _labels_from(goldset: GoldSet) -> Literal["people", "authors"]:
    if goldset.manifest.label_source == "author":
        return "authors"
    sources = {claim.label_source for claim in goldset.judged().claims if claim.annotations}
    return "authors" if sources == {"author"} else "people"


def _measured(
    people: Panel,
    columns: ClaimColumns,
    candidates: CandidateCodes,
    resampling: Resampling,
    epsilon: float,
) -> Iterable[tuple[CandidateKey, JudgeAgreement, AlternativeAnnotator, SoftAgreement | None]]:
    """Every candidate with all that was measured about it."""
    if not candidates.keys:
        return ()
    verdicts = columns.as_labels(candidates.codes[:, :: columns.repeats])
    chances = _in_label_space(candidates.probabilities[:, :: columns.repeats], columns.binary)
    return zip(
        candidates.keys,
        judge_agreement(people, verdicts, resampling),
        stand_in_tests(people, verdicts, epsilon=epsilon),
        soft_agreement(people, chances, resampling),
        strict=True,
    )


def _in_label_space(probabilities: AnyFloats, binary: bool) -> Floats:
    chances = as_floats(probabilities)
    if not binary:
        return chances
    return np.stack([chances[..., 0], chances[..., 1:].sum(-1)], axis=-1)


def _people(human: HumanAgreement) -> PeopleFigures:
    return PeopleFigures(
        agreement=figure(human.agreement),
        kappa=figure(human.kappa),
        alpha=figure(human.alpha),
        pairs=human.pairs,
        pairs_left_out=human.pairs_left_out,
    )


def _candidate(
    key: CandidateKey,
    agreement: JudgeAgreement,
    human: HumanAgreement,
    stand_in: StandIn,
    soft: SoftAgreement | None,
) -> CandidateCeiling:
    return CandidateCeiling(
        trial=key.trial,
        reading=key.reading,
        agreement=figure(agreement.agreement),
        kappa=_beside(agreement.kappa, human.kappa.value),
        alpha=_beside(agreement.alpha, human.alpha.value),
        by_annotator={name: figure(e) for name, e in agreement.by_annotator.items()},
        stand_in=stand_in,
        soft=None if soft is None else _soft(soft),
    )


def _beside(found: Beside, people: float | None) -> BesidePeople:
    judge = found.judge.value
    ratio = None
    if judge is not None and people is not None and judge >= 0 and people > 0:
        ratio = judge / people
    return BesidePeople(
        judge=figure(found.judge),
        people=number(people),
        difference=figure(found.difference),
        ratio=number(ratio),
    )


def _stand_in(test: AlternativeAnnotator, names: Sequence[str]) -> StandIn:
    who = names if test.reason is None else ()
    return StandIn(
        winning_rate=number(test.winning_rate),
        advantage=number(test.advantage),
        passed=test.passed,
        advantages=dict(zip(who, map(rounded, test.advantages), strict=True)),
        p_values=dict(zip(who, map(rounded, test.p_values), strict=True)),
        reason=test.reason,
    )


def _soft(soft: SoftAgreement) -> SoftLabelFigures:
    return SoftLabelFigures(
        cross_entropy=figure(soft.cross_entropy),
        jensen_shannon=figure(soft.jensen_shannon),
        least=number(soft.least),
        constant=number(soft.constant),
        floored=soft.floored,
    )
