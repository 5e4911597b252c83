"""A search as it stands in `search.json`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from metajudge.experiment.decision import rank_rows
from metajudge.experiment.measuring import run_counts
from metajudge.experiment.racing.field import unit_of
from metajudge.experiment.racing.results import (
    beside_note,
    candidate_parts,
    declared_parts,
    race_summary,
)
from metajudge.experiment.searching.figures import key_text
from metajudge.experiment.searching.final import Final, final_ranking
from metajudge.experiment.searching.loop import COUNTED, Search
from metajudge.experiment.searching.proposal import FOLDER, Origin, seen_from, write_proposal
from metajudge.experiment.searching.words import search_decision
from metajudge.experiment.sweep import Experiment
from metajudge.report.figure import figure
from metajudge.report.part import Figure
from metajudge.report.search_results import (
    AxisChange,
    Candidate,
    Proposal,
    RaceSummary,
    SearchResults,
    StudyInfo,
    StudyTrial,
    value_text,
)
from metajudge.selection.search.trials import KnownTrial, has_room
from metajudge.templates.setting import Setting

TOOL = "optuna"


def search_results(
    experiment: Experiment, search: Search, notes: Sequence[str], out: Path
) -> SearchResults:
    """Everything that a search came to; asks what the finalists lack, and writes the proposal.

    Args:
        experiment: What was searched.
        search: The search, at its end.
        notes: What the user should know.
        out: Folder that proposals go into.
    """
    config, prepared, ground = experiment.config, search.prepared, search.ground
    final = final_ranking(search)
    trials = _tried(search.study.trials(), search.limit)
    front = search.study.front()
    shares = search.study.importances()
    races = tuple(_races(search, trials))
    proposal = None if final is None else _proposal(experiment, search, final, out)
    spent, full = _spent(search, final, trials)
    counts = run_counts(len(search.asking.replies), search.asking.reports, config.budget.usd)
    tried = sum(trial.state in COUNTED for trial in trials)
    return SearchResults(
        **declared_parts(config, prepared),
        seed=config.seed,
        baseline=config.baseline,
        method=ground.racing.method,
        block=ground.racing.block,
        unit=unit_of(ground.racing, prepared.trials, ground.judges, ground.where),
        error=ground.racing.error,
        study=_study(search),
        ended=search.ended,
        calls=counts,
        spent=spent,
        spent_full=full,
        chance_otherwise=_chance(races),
        races=races,
        declared=()
        if search.declared is None
        else tuple(candidate_parts(search.declared).values()),
        trials=tuple(_trial(trial, trial.number in front) for trial in trials),
        front=front,
        importance={name: _rounded(found) for name, found in shares.shares.items()},
        no_importance=dict(shares.reasons),
        ranking=() if final is None else rank_rows(final.ranked, final.measurer.candidates),
        figures={} if final is None else _figures(final),
        decision=search_decision(final, config.target, counts, tried, search.limit),
        proposal=proposal,
        texts=_texts(search),
        plots=dict(search.study.figures()),
        notes=(*notes, *prepared.notes, *beside_note(config), *_ends(search)),
    )


def _tried(trials: Sequence[KnownTrial], most: int) -> tuple[KnownTrial, ...]:
    """Trials without those that wait until more settings are wanted."""
    return tuple(
        trial
        for trial in trials
        if trial.state != "running" or has_room(trials[: trial.number], most)
    )


def _declared(search: Search) -> tuple[Candidate, ...]:
    if search.declared is None:
        return ()
    return tuple(candidate_parts(search.declared).values())


def _races(search: Search, trials: Sequence[KnownTrial]) -> Iterator[RaceSummary]:
    """The race of the declared trials, then each race of settings once."""
    if search.declared is not None:
        first = race_summary(search.declared.raced)
        yield from () if first is None else (first,)
    seen: set[tuple[int, ...]] = set()
    for trial in trials:
        told = trial.facts.get("race")
        if told is not None and tuple(told["trials"]) not in seen:
            seen.add(tuple(told["trials"]))
            yield RaceSummary.model_validate(told)


def _spent(search: Search, final: Final | None, trials: Sequence[KnownTrial]) -> tuple[int, int]:
    """Calls of everything that raced, by trial, and calls of the full grid of it."""
    told = [
        Candidate.model_validate(t.facts["candidate"]) for t in trials if "candidate" in t.facts
    ]
    full = {one.trial: one.calls_full for one in (*_declared(search), *told)}
    spent: dict[str, int] = {}
    for one in (*_declared(search), *told):
        spent[one.trial] = max(one.calls, spent.get(one.trial, 0))
    for trial in () if final is None else final.field.trials:
        spent[trial.name] = full.get(trial.name, 0)
    return sum(spent.values()), sum(full.values())


def _chance(races: Sequence[RaceSummary]) -> float | None:
    return min(1.0, round(sum(race.chance_otherwise for race in races), 6)) if races else None


def _study(search: Search) -> StudyInfo:
    spec = search.study.spec
    return StudyInfo(
        name=spec.name,
        storage=search.study.shown,
        sampler=spec.sampler,
        tool_version=version(TOOL),
        seed=spec.seed,
        generation=spec.generation,
        wanted=search.limit,
        settings=spec.space.size(),
        objectives={aim.name: aim.direction for aim in spec.objectives},
        axes={axis.name: axis.values() or () for axis in spec.space.dimensions},
    )


def _trial(trial: KnownTrial, on_front: bool) -> StudyTrial:
    told = trial.facts.get("candidate")
    return StudyTrial(
        number=trial.number,
        state=trial.state,
        setting=dict(trial.setting),
        values=dict(trial.values),
        candidate=None if told is None else Candidate.model_validate(told),
        on_front=on_front,
        reason=trial.reason,
    )


def _rounded(shares: Mapping[str, float]) -> dict[str, float]:
    return {name: round(share, 6) for name, share in shares.items()}


def _figures(final: Final) -> dict[str, dict[str, Figure]]:
    return {
        key_text(key): {name: figure(value) for name, value in row.figures.items()}
        for key, row in zip(final.field.keys, final.figures, strict=True)
    }


def _proposal(experiment: Experiment, search: Search, final: Final, out: Path) -> Proposal | None:
    """The first safe candidate that the search made, written as files."""
    row = final.proposed
    if row is None:
        return None
    key, declared, choices = final.key(row), final.best_declared, search.choices
    found = final.made[key]
    setting, trial = found.made.setting, found.made.trial
    named = {
        experiment.config.baseline,
        *(() if declared is None else (final.key(declared).trial,)),
    }
    swept = tuple(one for one in search.prepared.trials if one.name in named)
    origin = Origin(
        "search", TOOL, version(TOOL), search.study.spec.name, found.number, dict(setting)
    )
    parents = choices.parents(setting)
    written = write_proposal(
        experiment,
        trial,
        key.reading,
        parents=parents,
        origin=origin,
        folder=out / FOLDER,
        beside=swept,
    )
    gap = None if declared is None else final.difference(row, declared, experiment.config.target)
    return Proposal(
        trial=key.trial,
        reading=key.reading,
        number=found.number,
        setting=dict(setting),
        base=parents.name,
        parents=written.parents,
        changes=tuple(_changes(search, setting)),
        first=all(final.ranked.index(row) < place for place in _declared_places(final)),
        against=None if declared is None else key_text(final.key(declared)),
        difference=None if gap is None else figure(gap[0]),
        told_apart=gap is not None and gap[1],
        experiment=seen_from(written.experiment, out),
        templates=tuple(seen_from(path, out) for path in written.templates),
    )


def _declared_places(final: Final) -> list[int]:
    return [place for place, row in enumerate(final.ranked) if final.key(row) not in final.made]


def _changes(search: Search, setting: Setting) -> Iterator[AxisChange]:
    """Axes on which a setting is not its base as it stands."""
    parts = search.choices.parts
    own: dict[str, Any] = {"base": setting["base"]} if "base" in setting else {}
    usual = parts.completed(own)
    for axis, value in setting.items():
        if axis == "base" or usual.get(axis) == value or axis not in usual:
            continue
        text = parts.text_of(axis, value)
        yield AxisChange(axis=axis, value=value, text=text, taken_out=value is False)


def _texts(search: Search) -> dict[str, dict[str, str]]:
    """The authored texts behind the choices of each axis."""
    parts = search.choices.parts
    told: dict[str, dict[str, str]] = {}
    for axis in parts.axes:
        for value in axis.choices:
            text = parts.text_of(axis.name, value)
            if text is not None:
                told.setdefault(axis.name, {})[value_text(value)] = text
    return told


def _ends(search: Search) -> Iterator[str]:
    if search.ended == "exhausted":
        yield "Every setting of the space was tried."
    if search.ended == "elsewhere":
        yield "Other processes are still at work on settings of this study: run it again later."
