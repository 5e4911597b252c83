"""A tuning as it stands in `tune.json`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from metajudge.counted import counted
from metajudge.experiment.decision import rank_rows
from metajudge.experiment.racing.results import declared_parts, guardrails_of
from metajudge.experiment.searching.config import TuningRef
from metajudge.experiment.searching.figures import SHOWN
from metajudge.experiment.tuning.final import Final, measurer_of, setting_of
from metajudge.experiment.tuning.stored import Stored
from metajudge.experiment.tuning.tried import Tried
from metajudge.experiment.tuning.weights import tuned_weights
from metajudge.experiment.tuning.words import tune_decision
from metajudge.report.figure import figure, number, rounded
from metajudge.report.part import Figure
from metajudge.report.selection_results import OptimismFigures
from metajudge.report.tune_results import (
    Declare,
    TunedLuck,
    TunedPoint,
    TunedRow,
    TunedSpace,
    TunedWeights,
    TuneResults,
    TuneSpeed,
)
from metajudge.selection.calibrate import folds_by_context
from metajudge.selection.columns import CandidateKey
from metajudge.selection.front import pareto_front
from metajudge.selection.guardrails import idle_guardrails
from metajudge.selection.tuning.luck import tuning_luck
from metajudge.selection.tuning.verdicts import Tuning

MOST_CHOSEN = 4000
"""Settings, the best first, among which the choice is repeated on resamples."""
RESAMPLES = 200
SHARES_TOLD = 10
PLAIN = {0.0: "strict", 1.0: "lenient"}
"""Policies that give idk this credit, by their usual names."""


def tune_results(
    stored: Stored, tried: Tried, final: Final, ref: TuningRef, seed: int
) -> TuneResults:
    """Everything that a tuning came to.

    Args:
        stored: The verdicts.
        tried: What was measured.
        final: The last ranking.
        ref: What was declared.
        seed: Of sampler and resamples of the choice.
    """
    config, target = stored.config, stored.config.target
    rows = tuple(_rows(final))
    weights = tuned_weights(stored, ref, final.who(final.first))
    other = final.best_declared
    gap = None if other in (None, final.first) else final.difference(final.first, other, target)
    safe = _safe(tried)
    return TuneResults(
        **declared_parts(config, stored.replayed.prepared) | {"guardrails": _guardrails(stored)},
        seed=seed,
        resamples=config.bootstrap.resamples,
        cluster=config.bootstrap.cluster,
        baseline=config.baseline,
        stored=stored.trials,
        space=_space(tried),
        speed=TuneSpeed(
            seconds=round(tried.seconds, 3),
            per_minute=round(60 * len(tried.settings) / tried.seconds),
        ),
        ranking=rows,
        safe_settings=int(safe.sum()),
        front=tuple(_front(stored, tried, safe)),
        weights=weights,
        luck=_luck(stored, tried, final, seed),
        decision=tune_decision(final, rows, target, len(tried.different)),
        against=None if other is None else final.who(other).setting.name,
        difference=None if gap is None else figure(gap[0]),
        told_apart=gap is not None and gap[1],
        declare=_declare(final, weights),
        notes=tuple(_notes(stored, tried, final)),
    )


def _rows(final: Final) -> Iterator[TunedRow]:
    told = rank_rows(final.ranked, final.measurer.candidates)
    for row, part in zip(final.ranked, told, strict=True):
        who = final.who(row)
        figures = final.figures[row.index].figures
        yield TunedRow(
            name=who.setting.name,
            kind=who.kind,
            setting=who.setting,
            rank=row.rank,
            tied_with_first=row.tied_with_first,
            safe=row.safe,
            broken=part.broken,
            figures={name: figure(value) for name, value in figures.items()},
            difference_to_first=part.difference_to_first,
            adjusted_p=part.adjusted_p,
        )


def _guardrails(stored: Stored) -> dict[str, float]:
    """The bounds that hold here."""
    bound = stored.config.guardrails.flip_rate
    flips = {} if stored.parts.flip_rates is None or bound is None else {"flip_rate": bound}
    return guardrails_of(stored.config) | flips


def _space(tried: Tried) -> TunedSpace:
    space = tried.space
    return TunedSpace(
        candidates=len(space.keys),
        members=space.members,
        votes=space.votes if space.members > 1 else (),
        threshold_step=space.threshold_step,
        settings=space.space.size() or 0,
        sampler=tried.sampler,
        tool_version=tried.tool_version,
        objectives=dict(tried.objectives),
        tried=len(tried.settings),
        different=len(tried.different),
    )


def _safe(tried: Tried) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    broken = np.zeros(len(tried.different), np.bool_)
    for found in tried.found.constraints.values():
        broken |= found[0] > 0
    return ~broken


def _front(
    stored: Stored, tried: Tried, safe: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
) -> Iterator[TunedPoint]:
    """Safe settings that no other one beats, the best target first; one of equals."""
    names = list(tried.objectives)
    signs = np.asarray([1 if tried.objectives[name] == "minimize" else -1 for name in names])
    order = [place for place in tried.found.best_first(names[0]).tolist() if safe[place]]
    if not order:
        return
    values = np.stack([tried.found.values[name][0, order] for name in names], axis=-1)
    places = np.sort(np.unique(values, axis=0, return_index=True)[1])
    on_front = places[pareto_front(values[places] * signs)]
    for place in on_front.tolist():
        setting = setting_of(stored, tried.different[order[place]])
        told = {
            name: None if np.isnan(value) else number(float(value))
            for name, value in zip(names, values[place], strict=True)
        }
        yield TunedPoint(name=setting.name, setting=setting, values=told)


def _luck(stored: Stored, tried: Tried, final: Final, seed: int) -> TunedLuck | None:
    """The choice repeated on resamples, and on folds of contexts; None where nothing is chosen."""
    first, target = final.first, stored.config.target
    if not first.safe or first.target.value is None:
        return None
    order = tried.found.best_first(target)[:MOST_CHOSEN].tolist()
    chosen = final.who(first).tuning
    declared = (Tuning((row,)) for row in stored.declared)
    settings = list(dict.fromkeys((chosen, *declared, *(tried.different[p] for p in order))))
    found = tuning_luck(
        stored.tunables,
        settings,
        target,
        winner=0,
        rng=np.random.default_rng([seed, 1]),
        resamples=RESAMPLES,
    )
    often = np.argsort(-found.win_shares, kind="stable")[:SHARES_TOLD].tolist()
    shares = {
        setting_of(stored, settings[place]).name: rounded(float(found.win_shares[place]))
        for place in often
        if found.win_shares[place] > 0
    }
    return TunedLuck(
        optimism=OptimismFigures(
            apparent=number(found.apparent),
            corrected=number(found.corrected),
            optimism=number(found.optimism),
            win_shares=shares,
            no_winner_share=rounded(found.no_winner_share),
            resamples=RESAMPLES,
            reason=found.reason,
        ),
        looked_at=len(settings),
        folds=len(folds_by_context(stored.tunables.columns.contexts.codes, 5)),
        unseen=_unseen(stored, tried),
        adaptive=tried.adaptive,
    )


def _unseen(stored: Stored, tried: Tried) -> dict[str, Figure]:
    """What the search is worth on claims that it did not see, as if it were one candidate."""
    target = stored.config.target
    codes = stored.tunables.cross_fitted_codes(tried.different, target)
    if codes is None:
        return {}
    (found,) = measurer_of(stored, [CandidateKey("unseen", "top")], codes[None]).measure()
    return {name: figure(found.figures[name]) for name in dict.fromkeys((target, *SHOWN))}


def _declare(final: Final, weights: TunedWeights | None) -> Declare | None:
    row = final.to_declare
    if row is None or row.target.value is None:
        return None
    key, policy = final.who(row).key, None
    if weights is not None and row is final.first and weights.best is not None:
        policy = PLAIN.get(weights.best, f"partial({weights.best:g})")
    return Declare(trial=key.trial, reading=key.reading, policy=policy)


def _notes(stored: Stored, tried: Tried, final: Final) -> Iterator[str]:
    yield from stored.notes
    for told in stored.trials:
        if told.missing:
            how = "it is left out" if told.left_out else "these count as failures"
            lacking = f"{told.missing} of {counted(told.entries, 'claims')}"
            yield f"{told.trial}: the store lacks replies to {lacking}, so {how}."
    keys = [who.key for who in final.finalists if who.kind != "panel"]
    flips = stored.parts.flip_rates
    yield from idle_guardrails(stored.tunables.bounds, keys, flips, final.insensitive)
    if tried.space.members > 1:
        yield "Panels are held to neither flip_rate nor insensitive: no call was made for them."
    if tried.adaptive and tried.space.space.size() != len(tried.settings):
        yield "Settings were drawn, not all measured: another seed may find another one."
