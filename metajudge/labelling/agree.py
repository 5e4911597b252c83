"""How far the annotators of a gold set agree: with each other, with the gold label, over time."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Literal, get_args

import numpy as np

from metajudge.agreement.annotators import group_agreement, pair_agreements
from metajudge.agreement.arrays import AnyFloats, Masks
from metajudge.agreement.bootstrap import weight_blocks
from metajudge.agreement.ceiling import MISSING
from metajudge.agreement.dawid_skene import SMOOTHING, DawidSkene, dawid_skene
from metajudge.agreement.drift import drifts
from metajudge.agreement.rest import (
    agreement_with_gold,
    agreement_with_majority,
    agreement_with_rest,
    label_bias,
    rest_of_panel,
)
from metajudge.agreement.speed import speeds
from metajudge.agreement.standing import standings
from metajudge.gold.claim import Claim, PendingClaim
from metajudge.gold.goldset import GoldSet
from metajudge.gold.near import folded
from metajudge.labelling.agreement_parts import AgreementReport, Annotator, Group, Model, Pair
from metajudge.labelling.disputed import compared, count_whys, disputed
from metajudge.labelling.log_counts import LogCounts, log_counts
from metajudge.labelling.votes import Votes, reading_seconds, votes_of

SliceBy = Literal["slice", "lang", "domain"]
SLICE_BY: tuple[SliceBy, ...] = get_args(SliceBy)
RESAMPLES = 2000
LEAST_FOR_MODEL = 3


def agreement_report(
    goldset: GoldSet,
    *,
    slice_by: Collection[SliceBy] = ("slice", "lang"),
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 1,
) -> AgreementReport:
    """Agreement of the annotators of a gold set, pending claims included, excluded ones not.

    Intervals resample contexts, the same resamples for all figures. Nothing here asks for two
    annotators: what cannot be measured is None with its reason, and `missing` says what it takes.

    Args:
        goldset: As `load_goldset` gives it, with the annotators' acts in it.
        slice_by: What to group claims by.
        level: Coverage of intervals, 0 to 1.
        resamples: Of contexts.
        seed: Of the resamples.
    """
    votes = votes_of(goldset)
    log = log_counts(goldset)
    weights = _weights(int(votes.cluster.max(initial=0)) + 1, resamples, seed)
    shared = votes.counts.sum(-1) >= 2
    model, no_model = _model(votes, shared)
    posterior = None if model is None else model.posterior
    found = disputed(votes, posterior, log.settled, {claim for _, claim in log.asked})
    pairs = _pairs(votes, weights, level)
    n_people = len(votes.annotators)
    return AgreementReport(
        name=goldset.manifest.name,
        version=goldset.manifest.version,
        labels=tuple(votes.labels),
        claims=len(votes.claims),
        labelled=int((votes.counts.sum(-1) > 0).sum()),
        shared=int(shared.sum()),
        contexts=len(np.unique(votes.cluster[shared])),
        pending=sum(isinstance(claim, PendingClaim) for claim in votes.claims),
        settled=len(log.settled),
        set_aside=votes.set_aside,
        alike_names=_alike(votes.annotators),
        level=level,
        resamples=resamples,
        seed=seed,
        missing=_missing(votes, shared),
        overall=_group(votes, weights, level),
        groups=_groups(goldset, votes, weights, level, slice_by),
        pairs=pairs,
        pairs_apart=n_people * (n_people - 1) // 2 - len(pairs),
        annotators=_annotators(votes, weights, level, model, log),
        disputed=found,
        disputed_by_reason=count_whys(found),
        model=None if model is None else _model_fields(votes, model),
        no_model=no_model,
        compared=compared(votes, posterior),
    )


def _weights(n_clusters: int, resamples: int, seed: int) -> AnyFloats:
    """Resamples of contexts, made in blocks: those of a large set take no more than they hold."""
    weights = np.empty((resamples, n_clusters), np.float32)
    start = 0
    for block in weight_blocks(n_clusters, resamples, np.random.default_rng(seed)):
        weights[start : start + len(block)] = block
        start += len(block)
    return weights


def _alike(names: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Names that people would take for one, in the order given."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        seen = "".join(sign for sign in name if unicodedata.category(sign) not in ("Cc", "Cf"))
        found[folded(seen)].append(name)
    return tuple(tuple(group) for group in found.values() if len(group) > 1)


def _missing(votes: Votes, shared: Masks) -> str | None:
    names = votes.annotators
    if shared.any():
        return None
    if not names:
        return "nobody has labelled a claim yet; agreement needs two annotators"
    if len(names) == 1:
        return f"only {names[0]!r} has labelled; agreement needs a second annotator"
    return f"{len(names)} annotators, and no claim has labels of two of them"


def _model(votes: Votes, shared: Masks) -> tuple[DawidSkene | None, str | None]:
    n_people = int((votes.ratings[:, shared] != MISSING).any(1).sum())
    if n_people < LEAST_FOR_MODEL:
        told = {0: "no claim has two labels", 2: "two annotators"}[n_people]
        return None, f"{told}: who errs cannot be told with fewer than three annotators"
    return dawid_skene(votes.ratings, len(votes.labels), smoothing=SMOOTHING), None


def _model_fields(votes: Votes, model: DawidSkene) -> Model:
    return Model(
        prior=_by_label(votes, model.prior),
        smoothing=SMOOTHING,
        iterations=len(model.objective),
        converged=model.converged,
        log_likelihood=model.log_likelihood,
    )


def _by_label(votes: Votes, shares: Iterable[float]) -> dict[str, float]:
    return {str(k): float(share) for k, share in zip(votes.labels, shares, strict=True)}


def _counted(votes: Votes, counts: Iterable[int]) -> dict[str, int]:
    return {str(k): int(n) for k, n in zip(votes.labels, counts, strict=True)}


def _group(
    votes: Votes,
    weights: AnyFloats,
    level: float,
    by: str = "all",
    *,
    value: str | None = None,
    within: Masks | None = None,
) -> Group:
    found = group_agreement(
        votes.ratings, votes.cluster, weights, len(votes.labels), level=level, within=within
    )
    return Group(
        by=by,
        value=value,
        claims=found.pairs.n,
        pairs=found.pairs,
        alpha=found.alpha,
        ac1=found.ac1,
        fleiss=found.fleiss,
        given=_counted(votes, found.given),
        rare=tuple(str(votes.labels[code]) for code in found.rare),
    )


def _groups(
    goldset: GoldSet,
    votes: Votes,
    weights: AnyFloats,
    level: float,
    slice_by: Collection[SliceBy],
) -> tuple[Group, ...]:
    """Groups in the order of `SLICE_BY`, their values by name, claims without one last."""
    found = []
    for by in SLICE_BY:
        if by not in slice_by:
            continue
        values = [_value(goldset, claim, by) for claim in votes.claims]
        for value in sorted(set(values), key=lambda name: (name is None, name or "")):
            within = np.array([each == value for each in values], np.bool_)
            found.append(_group(votes, weights, level, by, value=value, within=within))
    return tuple(found)


def _value(goldset: GoldSet, claim: Claim | PendingClaim, by: SliceBy) -> str | None:
    if by == "domain":
        return goldset.contexts[claim.context_id].domain
    return claim.slice if by == "slice" else claim.lang


def _pairs(votes: Votes, weights: AnyFloats, level: float) -> tuple[Pair, ...]:
    found = pair_agreements(votes.ratings, votes.cluster, weights, len(votes.labels), level)
    names = votes.annotators
    return tuple(
        Pair(names[pair.one], names[pair.other], pair.agreement.n, pair.agreement, pair.kappa)
        for pair in found
    )


def _annotators(
    votes: Votes,
    weights: AnyFloats,
    level: float,
    model: DawidSkene | None,
    log: LogCounts,
) -> tuple[Annotator, ...]:
    found = rest_of_panel(votes.ratings, votes.cluster, len(votes.labels))
    floor = [reading_seconds(claim.claim) for claim in votes.claims]
    columns = zip(
        votes.annotators,
        agreement_with_rest(found, level),
        agreement_with_majority(found, level),
        agreement_with_gold(votes.ratings, votes.gold, votes.cluster, level),
        label_bias(found, weights, level),
        standings(found, weights, level),
        drifts(found, votes.times, weights, level),
        speeds(votes.seconds, floor),
        strict=True,
    )
    return tuple(
        Annotator(
            name=name,
            labels=int((votes.ratings[row] != MISSING).sum()),
            shared=with_rest.n,
            given=_counted(
                votes, np.bincount(votes.ratings[row] + 1, minlength=len(votes.labels) + 1)[1:]
            ),
            with_rest=with_rest,
            with_majority=with_majority,
            with_gold=with_gold,
            bias={str(k): each for k, each in zip(votes.labels, bias, strict=True)},
            standing=stands,
            drift=drift,
            speed=speed,
            flagged=_flagged(votes, row, log),
            skipped=None if log.skipped is None else log.skipped.get(name, 0),
            error_rates=None if model is None else _rates(votes, model, row),
        )
        for row, (name, with_rest, with_majority, with_gold, bias, stands, drift, speed) in (
            enumerate(columns)
        )
    )


def _flagged(votes: Votes, row: int, log: LogCounts) -> int:
    name = votes.annotators[row]
    labelled = {votes.claims[column].claim_id for column in np.flatnonzero(votes.flagged[row])}
    return len(labelled | {claim for who, claim in log.asked if who == name})


def _rates(votes: Votes, model: DawidSkene, row: int) -> dict[str, dict[str, float]]:
    tables = zip(votes.labels, model.confusion[row], strict=True)
    return {str(true): _by_label(votes, rates) for true, rates in tables}
