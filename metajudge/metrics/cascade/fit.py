"""Cut-offs of a cascade from gold labels: scores asked for, lines tested, the cheapest taken."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from metajudge.errors import InputError, Problem
from metajudge.gold.goldset import GoldSet, load_goldset
from metajudge.gold.ledger import sealed
from metajudge.metrics.cascade.asked import Asked, fingerprints
from metajudge.metrics.cascade.cascade_file import Cascade, GoldPin, Guarantee, Stage
from metajudge.metrics.cascade.cost import CostOf, Expected, Prices
from metajudge.metrics.cascade.cut_offs import Line, lines, needed
from metajudge.metrics.cascade.settings import FitSettings
from metajudge.metrics.cascade.sides import (
    SUPPORTED,
    Scored,
    Sides,
    check_metric,
    check_no_loop,
    score,
    sides,
)
from metajudge.release.candidate import Candidate
from metajudge.runner.call import RunReport
from metajudge.version import __version__

TRADE = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3)
"""Miss rates of the table, beside the one asked for."""


class Note(NamedTuple):
    """Something to be told about a fit: the key of its text, `note.<key>`, and a count."""

    key: str
    n: int = 0


class TradeRow(NamedTuple):
    """What one miss rate would cost; each row is right by itself, not all at once.

    Attributes:
        miss_rate: To be kept.
        line: The cheapest cut-offs that keep it; None where everything goes to people.
        needed: Contexts with an unsupported claim that it needs at least, where nothing passes.
        expected: For 1,000 answers; None where nothing passes.
    """

    miss_rate: float
    line: Line | None
    needed: int | None
    expected: Expected | None


class Fit(NamedTuple):
    """What came of it.

    Attributes:
        cascade: The fitted cascade; None where the stated rate cannot be had.
        lines: Every cut-off of the screen at the stated rate.
        needed: Where it cannot: contexts needed without a miss, and at the misses seen (None where
            no number is enough); else None.
        contexts: Contexts with an unsupported claim (or answer) in gold.
        trade: Rates against what they cost.
        reports: Accounts of the runs.
        stopped: The account of a run that ended early; nothing is fitted then.
        notes: What is to be told.
    """

    cascade: Cascade | None
    lines: tuple[Line, ...]
    needed: tuple[int, int | None] | None
    contexts: int
    trade: tuple[TradeRow, ...]
    reports: tuple[RunReport, ...]
    stopped: RunReport | None
    notes: tuple[Note, ...]


def fit_cascade(gold: str | Path | GoldSet, settings: FitSettings) -> Fit:
    """The cheapest cut-offs that keep the stated miss rate on the dev half of a gold set.

    The sealed test half is never read; a set without a declared split is used whole.

    Args:
        gold: The gold set, or where it is.
        settings: What is fitted.

    Raises:
        InputError: The gold set, a template or a judge is faulty.
        MetajudgeError: An event loop is running in this thread.
    """
    check_no_loop("fit_cascade")
    whole = gold if isinstance(gold, GoldSet) else load_goldset(gold)
    used = (sealed(whole) if whole.manifest.split is not None else whole).judged()
    if not used.claims:
        law = "there is no labelled claim to choose cut-offs on"
        raise InputError(Problem(str(whole.path or whole.manifest.name), law, "Label some first."))
    both = sides(settings)
    check_metric(both, used)
    scored = score(both, used, settings.calls)
    stopped = next((report for report in scored.reports if report.stopped), None)
    if stopped is not None:
        return Fit(None, (), None, 0, (), scored.reports, stopped, ())
    prices = _prices(settings, scored)
    cost = CostOf(scored.claims, prices, settings.seed)
    found, best = cheapest(cost, settings, settings.miss_rate)
    lacking = needed(found, settings.miss_rate) if best is None else None
    rates = sorted({*TRADE, settings.miss_rate})
    trade = tuple(_trade(cost, settings, rate) for rate in rates)
    cascade = (
        None
        if best is None
        else _cascade(settings, both, scored, pin=_gold_pin(whole, used), cost=cost, best=best)
    )
    notes = _notes(used, scored, prices)
    contexts = max(one.n_contexts for one in found)
    return Fit(cascade, found, lacking, contexts, trade, scored.reports, None, notes)


def cheapest(
    cost: CostOf, settings: FitSettings, rate: float
) -> tuple[tuple[Line, ...], Line | None]:
    """Every line at a rate, and the cheapest that passes something.

    All lines are right at once, so that the cheapest may be taken without another correction.
    """
    delta = 1 - settings.confidence
    found = lines(cost.claims, settings.screen_cuts, settings.unit, rate, delta)
    good = [one for one in found if one.holds and one.passes_something]
    best = min(good, key=lambda one: cost.rank(one.screen, one.judge), default=None)
    return found, best


def _trade(cost: CostOf, settings: FitSettings, rate: float) -> TradeRow:
    found, best = cheapest(cost, settings, rate)
    if best is None:
        return TradeRow(rate, None, needed(found, rate)[0], None)
    return TradeRow(rate, best, None, cost.expected(best.screen, best.judge))


def _prices(settings: FitSettings, scored: Scored) -> Prices:
    """What is given, with tokens and prices as the replies tell them."""
    judged, screened = scored.judge, scored.screen
    usd = judged.usd
    if settings.usd_per_million is not None:
        tokens = judged.tokens
        usd = None if tokens is None else tokens * settings.usd_per_million / 1e6
    known = settings.prices.usd_per_verdict
    update = {
        "tokens_per_verdict": judged.tokens,
        "usd_per_verdict": usd if known is None else known,
        "usd_per_screening": 0.0 if screened.kind == "coverage" else screened.usd,
    }
    return settings.prices.model_copy(update=update)


def _notes(gold: GoldSet, scored: Scored, prices: Prices) -> tuple[Note, ...]:
    lost = int(np.isnan(scored.judge.scores).sum())
    contexts = {claim.context_id for claim in gold.claims}
    grouped = len(contexts) - len(np.unique(scored.claims.contexts))
    told = (
        (gold.manifest.split is None, Note("no_split")),
        (grouped > 0, Note("groups", grouped)),
        (lost > 0, Note("lost", lost)),
        (scored.judge.kind == "label", Note("labels")),
        (prices.usd_per_verdict is None, Note("verdict_price")),
        (prices.usd_per_screening is None, Note("screen_price")),
        (prices.usd_per_look is None, Note("person_price")),
        (prices.supported_share is None, Note("mix")),
    )
    return tuple(note for holds, note in told if holds)


def _cascade(
    settings: FitSettings, both: Sides, scored: Scored, *, pin: GoldPin, cost: CostOf, best: Line
) -> Cascade:
    return Cascade(
        name=settings.name,
        unit=settings.unit,
        screen=_stage(settings.screen, both.screen, scored.screen, best.screen, settings),
        judge=_stage(both.judge.judge.spec, both.judge, scored.judge, best.judge, settings),
        gold=pin,
        guarantee=Guarantee(
            miss_rate=settings.miss_rate,
            confidence=settings.confidence,
            test=best.test,
            contexts=best.n_contexts,
            screen_cuts=settings.screen_cuts,
            missed=best.mean,
            p=best.p,
            upper=best.upper,
        ),
        prices=cost.prices,
        expected=cost.expected(best.screen, best.judge),
        package_version=__version__,
    )


def _stage(
    spec: str, side: Candidate | None, asked: Asked, cut: float | None, settings: FitSettings
) -> Stage:
    if side is None:
        return Stage(spec=spec, scores=asked.kind, cut=cut)
    release = settings.release if side.name == getattr(settings.release, "ref", None) else None
    return Stage(
        spec=spec,
        pin=side.judge,
        release=None if release is None else release.ref,
        release_sha256=None if release is None else release.sha256,
        template=side.name if release is None else None,
        templates=fingerprints(side),
        scores=asked.kind,
        cut=cut,
    )


def _gold_pin(whole: GoldSet, used: GoldSet) -> GoldPin:
    manifest = used.manifest
    return GoldPin(
        name=manifest.name,
        version=manifest.version,
        sha256=used.sha256,
        whole_sha256=whole.sha256,
        split=None if manifest.split is None else "dev",
        metric=manifest.metric,
        label_space=manifest.label_space,
        claims=len(used.claims),
        unsupported=sum(claim.label not in SUPPORTED for claim in used.claims),
        answers=len({(claim.context_id, claim.answer_id) for claim in used.claims}),
        contexts=len({claim.context_id for claim in used.claims}),
        labelling_policy=manifest.labelling_policy,
    )
