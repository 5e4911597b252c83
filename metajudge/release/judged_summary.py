"""The account of all answers that a release was applied to: every figure with its interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from metajudge.agreement.arrays import Floats
from metajudge.agreement.bootstrap import cluster_weights
from metajudge.agreement.table import FAILURE
from metajudge.counted import singular
from metajudge.errors import ReleaseError
from metajudge.release.asking import Asking
from metajudge.release.consult.units import Units, codes_by_name
from metajudge.release.correction import CorrectedSupport, corrected_support
from metajudge.release.evidence import read_evidence
from metajudge.release.extraction_spread import extraction_spread
from metajudge.release.judged import (
    CallAccount,
    ExtractionAccount,
    JudgedSummary,
    JudgeNow,
)
from metajudge.release.resampling import LEVEL, RESAMPLES, SEED
from metajudge.release.scored import Scored
from metajudge.report.figure import figure
from metajudge.report.measured_parts import VERDICT_CODES
from metajudge.report.part import Figure
from metajudge.runner.account import budget_not_kept
from metajudge.runner.call import RunReport
from metajudge.runner.limits import Budget
from metajudge.scoring.answers import PASS, passes
from metajudge.selection.readings import CLASSES
from metajudge.templates.extract import extract_prompt
from metajudge.version import __version__

_JUDGED = "part of an answer that was judged"
_NO_EVIDENCE = "the release has no evidence that could be read"
_OTHER_JUDGE = "the judge is not the one that the release was measured with"


def summarise(
    scored: Scored,
    asking: Asking,
    judge: JudgeNow,
    rows: Sequence[Mapping[str, Any]],
    notes: Sequence[str],
) -> JudgedSummary:
    """The account of what was asked, said and scored.

    Args:
        scored: Verdicts and scores.
        asking: The asking that gave them.
        judge: Who was asked.
        rows: From `judged_rows`.
        notes: What reading the answers decided for the user.
    """
    application = scored.application
    candidate, settings = application.candidate, application.settings
    units = _units(scored)
    codes = scored.said.read.codes[scored.counted]
    classes = scored.said.read.classes[scored.counted]
    known = np.isfinite(scored.scores)
    passed = passes(scored.scores, candidate.threshold) == PASS
    lost = Counter(classes[classes >= 0].tolist())
    return JudgedSummary(
        release=application.release.ref,
        release_sha256=application.release.sha256,
        package_version=__version__,
        templates={pin.label: pin.fingerprint for pin in application.release.manifest.templates},
        policy=candidate.policy.name,
        policy_version=candidate.policy.version,
        threshold=candidate.threshold,
        judge=judge,
        claims_mode=settings.claims,
        repeats=settings.repeats,
        answers=len(rows),
        scored=int(known.sum()),
        unscored=dict(Counter(str(row["reason"]) for row in rows if row["score"] is None)),
        contexts=units.weights.shape[1],
        languages=dict(Counter(answer.lang for answer in application.answers)),
        claims=len(codes),
        verdicts={word: int((codes == code).sum()) for code, word in enumerate(VERDICT_CODES)},
        failures={name: lost[code] for code, name in enumerate(CLASSES) if lost[code]},
        mean_score=figure(units.mean(scored.scores, known, "scored")),
        pass_rate=figure(units.share(passed, scored.judged, _JUDGED)),
        coverage=_coverage(scored),
        support=_support(scored, judge),
        repeat_sd=_repeat_sd(scored, units),
        extraction=_extraction(scored),
        calls=call_account((application.report, *asking.reports), settings.budget),
        notes=(*notes, *_notes(scored)),
    )


def _units(scored: Scored, among: Sequence[int] | None = None) -> Units:
    """Answers, resampled by their contexts."""
    answers = scored.application.answers
    chosen = range(len(answers)) if among is None else among
    groups = codes_by_name([answers[index].context_id for index in chosen])
    weights = cluster_weights(groups.n_clusters, RESAMPLES, np.random.default_rng(SEED))
    return Units(groups.codes, weights, LEVEL)


def _contexts_of_claims(scored: Scored) -> list[str]:
    application = scored.application
    names = [application.answers[unit.answer].context_id for unit in application.units]
    return [names[unit] for unit in scored.unit_of[scored.counted].tolist()]


def _coverage(scored: Scored) -> Figure:
    first = scored.said.read.codes[scored.counted][:, 0]
    groups = codes_by_name(_contexts_of_claims(scored))
    weights = np.ones((1, max(groups.n_clusters, 1)), np.float32)
    units = Units(groups.codes, weights, LEVEL)
    return figure(units.share(first != FAILURE, np.ones(len(first), np.bool_), "asked"))


def _support(scored: Scored, judge: JudgeNow) -> CorrectedSupport:
    """By the error rates of the gold claims, where they are those of the judge that was asked."""
    codes = scored.said.read.codes[scored.counted]
    groups = codes_by_name(_contexts_of_claims(scored))
    counts = np.zeros((groups.n_clusters, len(VERDICT_CODES)))
    for draw in codes.T:
        np.add.at(counts, (groups.codes, draw), 1.0 / codes.shape[1])
    tables, reason = _gold_tables(scored)
    if not judge.is_pinned:
        reason = _OTHER_JUDGE
    found = corrected_support(tables, counts, seed=SEED, level=LEVEL)
    if reason is None:
        return found
    refused = Figure(value=None, n=found.raw.n, clusters=found.raw.clusters, reason=reason)
    return CorrectedSupport(raw=found.raw, corrected=refused)


def _gold_tables(scored: Scored) -> tuple[Floats, str | None]:
    """Tables of the gold contexts of both splits, shape (G, K, 4), or why there are none."""
    try:
        parts = read_evidence(scored.application.release.folder).recomputed
    except ReleaseError:
        return np.zeros((0, 3, 4)), _NO_EVIDENCE
    tables = (*parts.dev.cluster_tables, *parts.test.cluster_tables)
    return np.asarray(tables, np.float64), None


def _repeat_sd(scored: Scored, units: Units) -> Figure | None:
    if scored.application.settings.repeats == 1:
        return None
    sd = np.full(len(scored.scores), np.nan)
    own = scored.settled
    sd[own] = scored.over_repeats.sd[scored.first_units[own]]
    return figure(units.mean(sd, np.isfinite(sd), "scored in two draws"))


def _extraction(scored: Scored) -> ExtractionAccount | None:
    application = scored.application
    drawn, scores = scored.extraction_scores()
    if not drawn:
        return None
    draws = [application.extracted[index] for index in drawn]
    prompts = [extract_prompt(application.answers[index].lang) for index in drawn]
    lost = Counter(own[0].failure for own in draws if own[0].failure is not None)
    units = _units(scored, drawn)
    return ExtractionAccount(
        templates={prompt.label: prompt.fingerprint for prompt in prompts},
        temperature=application.extraction_pin.temperature,
        answers=len(drawn),
        failures={str(name): n for name, n in lost.items()},
        failed_draws=sum(draw.failure is not None for own in draws for draw in own),
        spread=(
            extraction_spread(scores, draws, units, application.candidate.threshold)
            if application.settings.extraction_repeats > 1
            else None
        ),
    )


def call_account(reports: Sequence[RunReport], budget: Budget) -> CallAccount:
    """The account of some runs together."""
    costs = [report.cost_usd for report in reports if report.cost_usd is not None]
    stop = next((report for report in reports if report.stopped), None)
    return CallAccount(
        needed=sum(report.asked for report in reports),
        stored=sum(report.cache_hits for report in reports),
        sent=sum(report.sent for report in reports),
        failed=sum(report.failed for report in reports),
        open=sum(report.not_asked for report in reports),
        cost_usd=round(sum(costs), 6) if costs else None,
        stopped=None if stop is None else stop.stopped,
        message=_not_kept(reports, budget) if stop is None else _why(stop, budget),
    )


def _not_kept(reports: Sequence[RunReport], budget: Budget) -> str:
    unpriced = sum(report.unpriced for report in reports)
    return budget_not_kept(budget.usd, unpriced) if budget.usd is not None and unpriced else ""


def _why(stop: RunReport, budget: Budget) -> str:
    """Why the run ended; of a budget the whole, since a later part was given what was left."""
    if stop.stopped != "budget":
        return stop.message
    limits = {"USD": budget.usd, "calls": budget.calls, "minutes": budget.minutes}
    told = ", ".join(
        f"{limit:g} {singular(name) if limit == 1 else name}"
        for name, limit in limits.items()
        if limit is not None
    )
    return f"the budget ({told}) is spent. Run again to go on."


def _notes(scored: Scored) -> list[str]:
    """What a reader of the figures has to know beside them."""
    application = scored.application
    notes = []
    own = application.release.manifest.policy.threshold
    if application.candidate.threshold != own:
        notes.append(f"the threshold is {application.candidate.threshold:g}, the release's {own:g}")
    tags = dict.fromkeys(answer.lang for answer in application.answers)
    missed = application.candidate.variants[0].misses(tags)
    if missed:
        notes.append(f"the release has no template in {', '.join(missed)}: another language's")
    if application.extracted:
        notes.append("errors are corrected as on gold claims, which no judge extracted")
    if not application.release.manifest.judge.identity:
        notes.append("the release pins no identity of its judge, so none could be compared")
    return notes
