"""How much of a shift of the support rate is the judges' error.

Both sides judge the same claims, so the share that is truly supported is one number. What the
support rate moves by beyond what correction leaves of it is error of one side or the other.
"""

from __future__ import annotations

import numpy as np

from metajudge.agreement.arrays import Floats, as_floats
from metajudge.agreement.correction import corrected_shares
from metajudge.agreement.estimate import (
    UNDEFINED_LIMIT,
    Estimate,
    few_clusters_warning,
    told_apart,
)
from metajudge.agreement.intervals import percentile_interval
from metajudge.agreement.table import YES, to_binary
from metajudge.release.consult.bench import Bench, Said
from metajudge.release.consult.on_gold import GoldBench
from metajudge.release.correction import CorrectedSupport, corrected_support
from metajudge.report.consult_results import JudgeError, SideSupport
from metajudge.report.figure import figure

METHOD = "Rogan-Gladen, paired cluster bootstrap of labelled and unlabelled claims"


def judge_error(
    bench: Bench,
    said: tuple[Said, Said],
    gold: GoldBench,
    on_gold: tuple[Said, Said],
    seed: int,
) -> JudgeError:
    """Support rates as called and corrected, and the shift of each.

    Args:
        bench: The sample.
        said: Both sides on it, current first.
        gold: The labelled claims.
        on_gold: Both sides on these.
        seed: Of the resamples of each side by itself.
    """
    sides = [
        _alone(bench, mine, gold, theirs, seed) for mine, theirs in zip(said, on_gold, strict=True)
    ]
    called = [one.first == YES for one in said]
    everything = np.ones(len(called[0]), np.bool_)
    raw = bench.of_claims.share_shift(called[0], called[1], everything, "asked")
    reason = next((side.corrected.reason for side in sides if side.corrected.value is None), None)
    corrected, wrong = (
        _shifts(bench, said, gold, on_gold)
        if reason is None
        else (_refused(raw, reason), _refused(raw, reason))
    )
    return JudgeError(
        current=_support(sides[0]),
        proposed=_support(sides[1]),
        raw_shift=figure(raw),
        corrected_shift=figure(corrected),
        error_shift=figure(wrong),
        reason=reason,
    )


def _alone(bench: Bench, said: Said, gold: GoldBench, on_gold: Said, seed: int) -> CorrectedSupport:
    tables = gold.bench.of_claims.by_cluster(_cells(gold, on_gold.first, binary=False))
    counts = bench.of_claims.by_cluster(np.eye(4)[said.first])
    return corrected_support(
        tables, counts, resamples=len(bench.weights), seed=seed, level=bench.level
    )


def _support(side: CorrectedSupport) -> SideSupport:
    return SideSupport(raw=side.raw, corrected=side.corrected, singular_value=side.singular_value)


def _refused(raw: Estimate, reason: str) -> Estimate:
    return Estimate(None, None, None, raw.n, raw.n_clusters, METHOD, reason, level=raw.level)


def _cells(gold: GoldBench, codes: np.ndarray, *, binary: bool) -> Floats:
    """Each gold claim's own table, shape (n, K, 4); failures last, or (n, 2, 3) in binary form."""
    said = np.eye(4)[codes] if not binary else _binary_verdicts(codes)
    truth = np.eye(2 if gold.binary else 3)[gold.labels]
    return as_floats(truth[:, :, None] * said[:, None, :])


def _binary_verdicts(codes: np.ndarray) -> Floats:
    """Verdicts as supported, unsupported, failure: shape (n, 3)."""
    return as_floats(np.eye(4)[to_binary(codes)][:, [0, 1, 3]])


def _shifts(
    bench: Bench, said: tuple[Said, Said], gold: GoldBench, on_gold: tuple[Said, Said]
) -> tuple[Estimate, Estimate]:
    """The corrected shift, and raw minus corrected, on the same resamples of both samples."""
    values, resampled = [], []
    for mine, theirs in zip(said, on_gold, strict=True):
        verdicts = _binary_verdicts(mine.first) if gold.binary else np.eye(4)[mine.first]
        cells = _cells(gold, theirs.first, binary=gold.binary)
        raw = (mine.first == YES).mean()
        fixed = corrected_shares(cells.sum(0), verdicts.sum(0))[YES]
        values.append((float(fixed), float(raw)))
        counts = bench.of_claims.resampled(verdicts)
        drawn = corrected_shares(gold.bench.of_claims.resampled(cells), counts)[:, YES]
        resampled.append((drawn, counts[:, YES] / counts.sum(1)))
    (was, was_raw), (now, now_raw) = values
    (drawn_was, drawn_was_raw), (drawn_now, drawn_now_raw) = resampled
    corrected, drawn = now - was, drawn_now - drawn_was
    raw_shift, drawn_raw = now_raw - was_raw, drawn_now_raw - drawn_was_raw
    return (
        _estimate(bench, corrected, drawn),
        _estimate(bench, raw_shift - corrected, drawn_raw - drawn),
    )


def _estimate(bench: Bench, value: float, drawn: Floats) -> Estimate:
    lost = float(np.isnan(drawn).mean())
    reason = None
    if lost > UNDEFINED_LIMIT:
        reason = f"no interval: {lost:.0%} of resamples lack a gold label"
    low, high = (float(limit[0]) for limit in percentile_interval(drawn[:, None], bench.level))
    groups = bench.contexts.n_clusters
    found = Estimate(
        value=value,
        low=None if reason else low,
        high=None if reason else high,
        n=len(bench.claims),
        n_clusters=groups,
        method=METHOD,
        reason=reason,
        warning=few_clusters_warning(groups),
        level=bench.level,
    )
    return told_apart(found)
