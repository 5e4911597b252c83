"""Verdicts of both sides on the sample and on gold, measured and put into the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Masks
from metajudge.agreement.table import YES
from metajudge.counted import counted
from metajudge.gold.appended import utc_now
from metajudge.gold.claim import Claim
from metajudge.gold.goldset import GoldSet
from metajudge.release.candidate import Candidate
from metajudge.release.consult.asked import Heard, nothing_heard
from metajudge.release.consult.bench import Bench, Said, bench, scorable
from metajudge.release.consult.case import Case
from metajudge.release.consult.error import judge_error
from metajudge.release.consult.flips import flips
from metajudge.release.consult.on_gold import GoldBench, on_gold
from metajudge.release.consult.parts import decompose
from metajudge.release.consult.repeats import repeats
from metajudge.release.consult.rule import Bounds, Findings, apply_rule
from metajudge.release.consult.sample import described_gold, shown
from metajudge.release.consult.shifts import Scored, score_shift, scored
from metajudge.release.consult.sides import Draft
from metajudge.release.consult.thresholds import matched_thresholds
from metajudge.report.consult_results import (
    ConsultReport,
    ConsultSide,
    Flips,
    OnGold,
    Repeats,
    ScoreShift,
    ShownClaim,
    Thresholds,
)
from metajudge.report.figure import figure
from metajudge.version import __version__

SEED = 20260101
RESAMPLES = 2000
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Statistics:
    """How intervals are made, and what the rule allows."""

    seed: int = SEED
    resamples: int = RESAMPLES
    level: float = LEVEL
    bounds: Bounds = field(default_factory=Bounds)


class _Measured(NamedTuple):
    """One set of claims under both sides, and the gold labels where it has them."""

    bench: Bench
    said: tuple[Said, Said]
    scores: tuple[Scored, Scored]


class _OnGold(NamedTuple):
    gold: GoldBench
    measured: _Measured
    found: OnGold


def report_of(case: Case, heard: Heard, settings: Statistics) -> ConsultReport:
    """The report: no call, no file, the same for the same verdicts.

    Answers of which a call of either side has no reply are left out of every figure, and counted.

    Raises:
        MetajudgeError: No answer of the sample is left.
    """
    kept = _kept(case, heard.sample, case.sample.claims.claims)
    if case.parts and not kept.any():
        raise nothing_heard(heard.calls)
    mine = _measured(case, heard.sample, case.sample.claims, kept, settings)
    gold = _measured_gold(case, heard, settings)
    moved = flips(mine.bench, *mine.said)
    shift = score_shift(mine.bench, *mine.scores)
    noise = repeats(mine.bench, mine.said, case.sides)
    labelled = (None, None) if gold is None else (gold.gold, gold.measured.scores)
    thresholds = matched_thresholds(mine.bench, mine.scores, *labelled)
    findings = _findings(case, heard, mine, gold, (shift, noise, thresholds))
    corners = {place: said.of(kept) for place, said in heard.corners.items()}
    error = None
    if gold is not None:
        error = judge_error(mine.bench, mine.said, gold.gold, gold.measured.said, settings.seed)
    return ConsultReport(
        created=utc_now(),
        package_version=__version__,
        metric=case.metric,
        current=_side(case.drafts[0], case.sides[0], case.sample.languages),
        proposed=_side(case.drafts[1], case.sides[1], case.sample.languages),
        differing=case.parts,
        sample=case.sample.described(),
        gold=None if case.gold is None else described_gold(case.gold),
        calls=heard.calls,
        seed=settings.seed,
        resamples=settings.resamples,
        level=settings.level,
        flips=moved,
        scores=shift,
        parts=decompose(mine.bench, case.sides, case.parts, corners, heard.not_asked),
        error=error,
        thresholds=thresholds,
        repeats=noise,
        on_gold=findings.on_gold,
        rule=apply_rule(findings, settings.bounds),
        texts=_texts(mine.bench, moved),
        gold_texts={} if gold is None else _gold_texts(gold),
        notes=(*case.notes, *_notes(case, kept, mine.said, repeated=noise.measured)),
    )


def _findings(
    case: Case,
    heard: Heard,
    mine: _Measured,
    gold: _OnGold | None,
    figures: tuple[ScoreShift, Repeats, Thresholds],
) -> Findings:
    shift, noise, thresholds = figures
    everything = np.ones(len(mine.bench.claims), np.bool_)
    covered = scorable(mine.said[1], case.sides[1].policy)
    return Findings(
        coverage=figure(mine.bench.of_claims.share(covered, everything, "asked")),
        pass_rate_shift=shift.pass_rate_shift,
        on_gold=None if gold is None else gold.found,
        repeats=noise,
        thresholds=thresholds,
        pure_policy=bool(case.parts) and case.same_verdicts,
        same=not case.parts,
        needed=heard.calls.needed,
        unanswered=heard.calls.unanswered,
        claims=len(mine.bench.claims),
        answers=mine.bench.answers.n_clusters,
        gold_claims=0 if gold is None else len(gold.gold.labels),
        gold_answers=0 if gold is None else gold.gold.bench.answers.n_clusters,
        not_yes_slices=() if gold is None else _not_yes_slices(gold.gold),
        level=mine.bench.level,
        left_out=len(case.sample.claims.claims) - len(mine.bench.claims),
    )


def _kept(case: Case, said: tuple[Said, Said], claims: Sequence[Claim]) -> Masks:
    """Claims of answers of which both sides were asked everything, shape (n,)."""
    answers = [claim.answer_id for claim in claims]
    whole = said[0].asked & said[1].asked
    partly = {name for name, asked in zip(answers, whole, strict=True) if not asked}
    return np.asarray([name not in partly for name in answers], np.bool_)


def _measured(
    case: Case, said: tuple[Said, Said], claims: GoldSet, kept: Masks, settings: Statistics
) -> _Measured:
    """Both sides on the claims that are kept."""
    chosen = [claim for claim, stays in zip(claims.claims, kept, strict=True) if stays]
    names: Sequence[object] = [claim.context_id for claim in claims.claims]
    # On the same resamples, error rates of gold and rates of the sample would move together.
    (seed,) = np.random.SeedSequence(settings.seed).spawn(1)
    if claims is case.sample.claims:
        names, seed = case.sample.clusters, np.random.SeedSequence(settings.seed)
    place = bench(
        chosen,
        [name for name, stays in zip(names, kept, strict=True) if stays],
        resamples=settings.resamples,
        seed=seed,
        level=settings.level,
        same=case.same_verdicts,
        by_name=True,
    )
    was, now = (one.of(kept) for one in said)
    current, proposed = case.sides
    return _Measured(place, (was, now), (scored(place, current, was), scored(place, proposed, now)))


def _measured_gold(case: Case, heard: Heard, settings: Statistics) -> _OnGold | None:
    """Both sides on the gold claims; None without any that both were asked."""
    if case.gold is None:
        return None
    kept = _kept(case, heard.gold, case.gold.claims)
    if not kept.any():
        return None
    mine = _measured(case, heard.gold, case.gold, kept, settings)
    gold = GoldBench(mine.bench, case.gold.manifest.label_space == "binary")
    return _OnGold(gold, mine, on_gold(gold, mine.said, mine.scores))


def _side(draft: Draft, side: Candidate, languages: Sequence[str]) -> ConsultSide:
    sources = {
        source.fingerprint: source.label
        for wording in side.variants
        for source in map(wording.source_for, languages)
    }
    return ConsultSide(
        name=side.name,
        kind=draft.kind,
        templates=tuple(sources.values()),
        fingerprints=tuple(sources),
        form=str(side.form),
        reading=side.reading,
        policy=side.policy.name,
        threshold=side.threshold,
        judge=side.judge.spec,
        temperature=side.judge.temperature,
        release_sha256=None if draft.release is None else draft.release.sha256,
    )


def _texts(place: Bench, moved: Flips) -> dict[str, ShownClaim]:
    return shown(place.claims, (name for row in moved.directions for name in row.examples))


def _gold_texts(gold: _OnGold) -> dict[str, ShownClaim]:
    wanted = (name for row in gold.found.directions for name in row.examples)
    return shown(gold.gold.bench.claims, wanted)


def _not_yes_slices(gold: GoldBench) -> tuple[str, ...]:
    """Slices most of whose claims gold does not call yes, most such claims first."""
    every = Counter(gold.bench.slices.tolist())
    wrong = Counter(gold.bench.slices[gold.labels != YES].tolist())
    return tuple(name for name, n in wrong.most_common() if name and 2 * n > every[name])


def _notes(case: Case, kept: Masks, said: tuple[Said, Said], *, repeated: bool) -> list[str]:
    notes = [*_unread(case, said)]
    claims = case.sample.claims.claims
    left_out = len({c.answer_id for c, stays in zip(claims, kept, strict=True) if not stays})
    if left_out:
        reason = "part of their calls has no reply" if case.parts else "nothing was asked"
        notes.append(f"{counted(left_out, 'answers are')} left out of every figure: {reason}.")
    if repeated and any(side.judge.temperature == 0 for side in case.sides):
        notes.append("Repeats were asked at temperature 0: live sampling would move more.")
    if {"template", "judge"} <= set(case.parts) and any(side.priors for side in case.sides):
        notes.append("A reading with frozen priors went with its template to the other judge.")
    return notes


def _unread(case: Case, said: tuple[Said, Said]) -> Iterator[str]:
    """Sides that go by label probabilities, and get none (B54)."""
    for role, side, one in zip(("current", "proposed"), case.sides, said, strict=True):
        needs = "policy" if side.policy.from_probabilities else "reading"
        if needs == "reading" and side.reading == "top":
            continue
        without = int(np.isnan(one.probabilities[:, 0, YES]).sum())
        if without:
            told = f"{without} of {counted(len(one.first), 'claims have')} none"
            yield f"{role}: its {needs} goes by label probabilities, and {told}."
