"""Readings of replayed trials: the top label, or a label prior divided out first.

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
from metajudge.selection.columns import CandidateCodes, CandidateKey
from metajudge.selection.replay import Codes, Floats, TrialReplay, Variant
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
    return tuple(_read_variant(variant, reading).codes for variant in row.variants)


def read_trial(row: TrialReplay, reading: str) -> Read | None:
    """A trial under a reading; None when no reply has what the reading needs."""
    reads = [_read_variant(variant, reading) for variant in row.variants]
    if reading != "top" and not any(np.isfinite(read.probabilities).any() for read in reads):
        return None
    if len(reads) == 1:
        return reads[0]
    labels = np.stack([read.codes for read in reads])
    mean = np.mean([read.probabilities for read in reads], axis=0)
    known = np.isfinite(mean[..., 0])
    codes = _plurality(labels)
    codes[known] = np.argmax(mean[known], axis=-1)
    classes = np.full(codes.shape, -1, np.int8)
    classes[codes == FAILURE_CODE] = CLASSES.index("orders_disagree")
    for read in reversed(reads):
        classes = np.where(read.classes >= 0, read.classes, classes)
    codes[classes >= 0] = FAILURE_CODE
    return Read(codes, mean, classes)


def _read_variant(variant: Variant, reading: str) -> Read:
    if reading == "top":
        return Read(variant.codes, variant.probabilities, variant.failures)
    priors = variant.priors if reading == "prior_corrected" else variant.batch_priors
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


def _plurality(labels: Codes) -> Codes:
    """The label most orders gave; a draw between labels is a failure, never a guess."""
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
        reading: A reading; `top` rests on none.
        sources: The template of each claim, for each variant.

    Returns:
        One mapping a variant; None for `top`.
    """
    if reading == "top":
        return None
    found: list[Priors] = []
    for variant, mine in zip(row.variants, sources, strict=True):
        rows = variant.priors if reading == "prior_corrected" else variant.batch_priors
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
