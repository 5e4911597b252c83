"""Readings of replayed trials: the top label, a label prior divided out, a threshold on P(yes).

Where a trial has several orders of the labels, their probabilities are averaged; where there are
none, the label that most orders gave counts. Whatever a reading leaves without a label is a failure
with its class, so that the failures of a candidate add up to those of its table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from metajudge.gold.claim import Claim
from metajudge.runner.trial import Trial
from metajudge.selection.calibrate import told_shares, verdicts_at
from metajudge.selection.columns import CandidateCodes, CandidateKey
from metajudge.selection.replay import Codes, Floats, TrialReplay, Variant
from metajudge.templates.reading_names import ReadingName, reading_named
from metajudge.templates.source import PromptSource
from metajudge.verdicts.probability import prior_corrected
from metajudge.verdicts.table import FAILURE_CODE
from metajudge.verdicts.verdict import FAILURES

READING_FAILURES: dict[str, str] = {
    "no_probabilities": "the reply has a label but no label probabilities",
    "no_prior": "the label prior of this template was not measured",
    "orders_disagree": "the orders of the labels give different labels, none more often",
}
"""Failures that a reading adds to those of the replies, with what they mean."""

CLASSES = (*FAILURES, *READING_FAILURES)


class Candidates(NamedTuple):
    """Trials under readings, as they are measured.

    Attributes:
        codes: Label codes and probabilities.
        failures: Per candidate: claims and draws without a label, by class.
        details: Per candidate: claim index -> class and detail, first draw.
        notes: Readings that cannot be had.
    """

    codes: CandidateCodes
    failures: tuple[Mapping[str, int], ...]
    details: tuple[Mapping[int, str], ...]
    notes: tuple[str, ...]


class Read(NamedTuple):
    """One trial or one order of its labels under one reading.

    Attributes:
        codes: Shape (n, r), label codes; 3 for a failure.
        probabilities: Shape (n, r, 3), nan where there are none.
        classes: Shape (n, r), index in `CLASSES` of each failure; -1 where there is a label.
    """

    codes: Codes
    probabilities: Floats
    classes: Codes


def read_candidates(trials: Sequence[TrialReplay], readings: Sequence[str]) -> Candidates:
    """Every trial under every reading that it allows."""
    keys: list[CandidateKey] = []
    reads: list[Read] = []
    details: list[Mapping[int, str]] = []
    notes: list[str] = []
    for row in trials:
        for reading in readings:
            read = read_trial(row, reading)
            if read is None:
                notes.append(f"{row.trial.name}: no label probabilities, so no {reading} reading.")
                continue
            keys.append(CandidateKey(row.trial.name, reading))
            reads.append(read)
            details.append(_details(row, read))
    n = trials[0].variants[0].codes.size if trials else 0
    codes = CandidateCodes(
        tuple(keys),
        np.asarray([read.codes for read in reads], np.int64).reshape(len(reads), n),
        np.asarray([read.probabilities for read in reads], np.float32).reshape(len(reads), n, 3),
    )
    return Candidates(codes, tuple(map(_counts, reads)), tuple(details), tuple(notes))


def variant_codes(row: TrialReplay, reading: str) -> tuple[Codes, ...]:
    """Label codes of each order of the labels by itself, each of shape (n, r)."""
    name = reading_named(reading)
    reads = (_read_variant(variant, name) for variant in row.variants)
    return tuple(at_threshold(read, name.threshold).codes for read in reads)


def read_trial(row: TrialReplay, reading: str) -> Read | None:
    """A trial under a reading; None when no reply has what the reading needs.

    Where a label has several orders, a threshold is held against their mean P(yes).
    """
    name = reading_named(reading)
    reads = [_read_variant(variant, name) for variant in row.variants]
    likely = any(np.isfinite(read.probabilities).any() for read in reads)
    if name.needs_probabilities and not likely:
        return None
    return at_threshold(_joined(reads), name.threshold)


def _joined(reads: Sequence[Read]) -> Read:
    """The orders of the labels together."""
    if len(reads) == 1:
        return reads[0]
    labels = np.stack([read.codes for read in reads])
    mean = np.mean([read.probabilities for read in reads], axis=0)
    known = np.isfinite(mean[..., 0])
    codes = plurality(labels)
    codes[known] = np.argmax(mean[known], axis=-1)
    classes = np.full(codes.shape, -1, np.int8)
    classes[codes == FAILURE_CODE] = CLASSES.index("orders_disagree")
    for read in reversed(reads):
        classes = np.where(read.classes >= 0, read.classes, classes)
    codes[classes >= 0] = FAILURE_CODE
    return Read(codes, mean, classes)


def at_threshold(read: Read, threshold: float | None) -> Read:
    """The same replies with yes only where P(yes) reaches a threshold.

    The rule is that of the threshold which calibration states (`calibrate.verdicts_at`). A label
    without probabilities is a failure.

    Args:
        read: A trial.
        threshold: Least P(yes), above 0 and at most 1; None changes nothing.
    """
    if threshold is None:
        return read
    told = told_shares(read.probabilities)
    draws = read.classes == CLASSES.index("orders_disagree")
    known = np.isfinite(told).all(-1) & (read.classes < 0)
    codes = np.full_like(read.codes, FAILURE_CODE)
    codes[known] = verdicts_at(told[known], threshold)
    classes = read.classes.copy()
    classes[~known & (draws | (classes < 0))] = CLASSES.index("no_probabilities")
    return Read(codes, read.probabilities, classes)


def _read_variant(variant: Variant, name: ReadingName) -> Read:
    """One order of the labels; a threshold is not looked at."""
    if not name.divides_prior:
        return Read(variant.codes, variant.probabilities, variant.failures)
    priors = variant.priors if name.asks_blank else variant.batch_priors
    corrected = np.full_like(variant.probabilities, np.nan)
    codes = np.full_like(variant.codes, FAILURE_CODE)
    labelled = variant.codes != FAILURE_CODE
    likely = np.isfinite(variant.probabilities[..., 0])
    for prior in np.unique(priors[np.isfinite(priors[:, 0])], axis=0):
        mine = (priors == prior).all(1)[:, None] & labelled & likely
        corrected[mine] = prior_corrected(variant.probabilities[mine], prior)
        codes[mine] = corrected[mine].argmax(-1)
    classes = variant.failures.copy()
    lost = labelled & (codes == FAILURE_CODE)
    classes[lost & likely] = CLASSES.index("no_prior")
    classes[lost & ~likely] = CLASSES.index("no_probabilities")
    return Read(codes, corrected, classes)


def plurality(labels: Codes) -> Codes:
    """The label most of k gave; a draw between labels is a failure, never a guess.

    Args:
        labels: Shape (k, …), label codes; failures have no vote.

    >>> plurality(np.array([[0, 0, 3], [0, 1, 3], [2, 3, 3]], np.int8)).tolist()
    [0, 3, 3]
    """
    counts = np.stack([(labels == code).sum(0) for code in range(3)], axis=-1)
    best = counts.max(-1)
    clear = (counts == best[..., None]).sum(-1) == 1
    return np.where(clear, counts.argmax(-1), FAILURE_CODE).astype(np.int8)


def _counts(read: Read) -> dict[str, int]:
    counts = np.bincount(read.classes[read.classes >= 0], minlength=len(CLASSES))
    return {name: int(n) for name, n in zip(CLASSES, counts, strict=True) if n}


def _details(row: TrialReplay, read: Read) -> dict[int, str]:
    told: dict[int, str] = {}
    for claim in np.flatnonzero(read.classes[:, 0] >= 0).tolist():
        name = CLASSES[read.classes[claim, 0]]
        stories = [v.details[claim] for v in row.variants if claim in v.details]
        told[claim] = stories[0] if stories else f"{name}: {READING_FAILURES.get(name, '')}"
    return told


Prior = tuple[float, float, float]
Priors = Mapping[str, Prior]
"""Label prior by the fingerprint of the template whose verdicts it is divided out of."""


def measured_priors(
    row: TrialReplay, reading: str, sources: Sequence[Sequence[PromptSource]]
) -> tuple[Priors, ...] | None:
    """The label priors that a reading rests on, to be kept for verdicts of other claims.

    Args:
        row: The trial on the claims that the priors come from.
        reading: A reading; `top` rests on none, with a threshold or without.
        sources: The template of each claim, for each variant.

    Returns:
        One mapping a variant; None for `top`.
    """
    name = reading_named(reading)
    if not name.divides_prior:
        return None
    found: list[Priors] = []
    for variant, mine in zip(row.variants, sources, strict=True):
        rows = variant.priors if name.asks_blank else variant.batch_priors
        found.append(
            {
                source.fingerprint: (float(prior[0]), float(prior[1]), float(prior[2]))
                for source, prior in zip(mine, rows, strict=True)
                if np.isfinite(prior).all()
            }
        )
    return tuple(found)


def claim_sources(trial: Trial, claims: Sequence[Claim]) -> tuple[tuple[PromptSource, ...], ...]:
    """The template of each claim, for each variant of a trial."""
    return tuple(
        tuple(wording.source_for(claim.lang) for claim in claims) for wording in trial.variants
    )


def with_priors(
    row: TrialReplay, priors: Sequence[Priors], sources: Sequence[Sequence[PromptSource]]
) -> TrialReplay:
    """The trial with priors that were measured elsewhere; nan where a template has none there.

    Args:
        row: The trial.
        priors: From `measured_priors`, one a variant.
        sources: The template of each claim, for each variant.
    """
    variants = []
    for variant, known, mine in zip(row.variants, priors, sources, strict=True):
        kept = np.full((len(mine), 3), np.nan)
        for index, source in enumerate(mine):
            kept[index] = known.get(source.fingerprint, (np.nan,) * 3)
        variants.append(replace(variant, priors=kept, batch_priors=kept))
    return replace(row, variants=tuple(variants))
