"""From a confirmed experiment to a release: its candidate, frozen, with the replies it rests on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from pydantic import TypeAdapter, ValidationError

from metajudge.errors import GoldError, InputError, Problem, ReleaseError
from metajudge.experiment.build import Prepared, gold_path
from metajudge.experiment.fingerprint import config_sha256
from metajudge.experiment.sweep import DEFAULT_STORE, Experiment
from metajudge.gold.claim import Split
from metajudge.gold.goldset import GoldSet, load_goldset
from metajudge.gold.ledger import read_ledger, reread_test
from metajudge.judges.spec import spec_from
from metajudge.release.asking import Asking
from metajudge.release.candidate import Candidate, JudgePin
from metajudge.release.create import Created, create
from metajudge.release.draft import UNNUMBERED, Draft, Stored
from metajudge.release.evidence import How
from metajudge.release.manifest import ExperimentPin, ReleaseName
from metajudge.release.refusals import (
    borrowed,
    dirty,
    drifted,
    mapped,
    missing_replies,
    model_made,
    moved,
    peeked,
    unconfirmed,
    unworded,
)
from metajudge.release.registry import folder_of, own_registry
from metajudge.release.sums import file_sha256
from metajudge.report.results import Results
from metajudge.report.results_file import read_results
from metajudge.report.selection_results import Confirmation
from metajudge.runner.store import Store
from metajudge.runner.trial import Trial
from metajudge.scoring.policies import parse_policy
from metajudge.selection.readings import measured_priors
from metajudge.templates.source import PromptSource

RESULTS = "results.json"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked of a release.

    Attributes:
        name: Its name.
        policy: The scoring policy.
        threshold: Least score of an answer that passes; None takes the experiment's.
        version: Refused where it is not the computed one; None takes that.
        override: Why it is released although it is not shown to be safe; None for a safe one.
        notes: What is to be read with the figures.
        registry: The registry's folder; None takes `release.registry.own_registry()`.
        key: An SSH key to sign with; None leaves it unsigned.
    """

    name: str
    policy: str
    threshold: float | None = None
    version: str | None = None
    override: str | None = None
    notes: tuple[str, ...] = ()
    registry: Path | None = None
    key: Path | None = None


def create_release(
    experiment: Experiment,
    wanted: Wanted,
    *,
    results: Path | None = None,
    store: str | Path = DEFAULT_STORE,
    use_recordings: bool = True,
) -> Created:
    """Makes a release of the candidate that an experiment confirmed; no call is made.

    Args:
        experiment: The experiment.
        wanted: Name, policy and the rest.
        results: `results.json` with the confirmation; None looks for it in `runs/<name>`, then
            beside the experiment.
        store: The reply store's file.
        use_recordings: Load the experiment's recordings into the store first.

    Raises:
        ReleaseError: It is refused, with every reason that can be told.
        InputError: The experiment or the results file is faulty.
        StoreError: The store cannot be used.
    """
    place = results_of(experiment) if results is None else results
    gold = load_goldset(gold_path(experiment.config, experiment.path.parent))
    blocking = [*_unusable(experiment, wanted), *model_made(gold)]
    if blocking:
        raise ReleaseError(blocking)
    origin = _origin(experiment, gold, place)
    problems = [*unworded(wanted.override, wanted.notes), *origin.problems()]
    chosen = origin.chosen()
    if chosen is None:
        raise ReleaseError(problems)
    blocking = [*origin.unfit(chosen.trial, wanted.policy)]
    golds = _golds(origin, blocking)
    if blocking:
        raise ReleaseError([*problems, *blocking])
    registry = own_registry() if wanted.registry is None else wanted.registry
    with Store(store) as kept:
        if use_recordings:
            experiment.load_recordings(kept)
        candidate = _candidate(origin, chosen, wanted, registry)
        frozen, stored = _answered(origin, candidate, golds, kept, problems)
        draft = _draft(origin, chosen, wanted, candidate=frozen, golds=golds, registry=registry)
        return create(
            draft, stored, registry, version=wanted.version, key=wanted.key, problems=problems
        )


def results_of(experiment: Experiment) -> Path:
    """Where an experiment's results lie: `runs/<name>`, where a confirmation writes, or beside it.

    The first with a confirmation counts: a sweep of what was changed since writes one without.

    Raises:
        ReleaseError: There are none.
        InputError: A results file is faulty.
    """
    places = (Path("runs") / experiment.config.name / RESULTS, experiment.path.parent / RESULTS)
    there = [place for place in places if place.is_file()]
    if there:
        return next((place for place in there if _has_confirmation(place)), there[0])
    law = f"a release is made from the results of a confirmation: {' or '.join(map(str, places))}"
    mend = "Run `metajudge select EXPERIMENT --confirm`, or name the file with --results."
    raise ReleaseError(Problem(str(experiment.path), law, mend, field="--results"))


def _has_confirmation(place: Path) -> bool:
    selection = read_results(place).selection
    return selection is not None and selection.confirmation is not None


class _Chosen(NamedTuple):
    """The confirmed candidate.

    Attributes:
        confirmation: What was confirmed.
        trial: Its trial.
    """

    confirmation: Confirmation
    trial: Trial


@dataclass(frozen=True, slots=True)
class _Origin:
    """An experiment with its results, as they are on disk now.

    Attributes:
        experiment: The experiment.
        prepared: What it asks, on the dev split.
        gold: The whole gold set.
        place: The results file.
        results: What it holds.
        pin: The experiment as a release names it; without a trial until there is one.
    """

    experiment: Experiment
    prepared: Prepared
    gold: GoldSet
    place: Path
    results: Results
    pin: ExperimentPin

    def chosen(self) -> _Chosen | None:
        """The confirmed candidate; None where there is none, or the experiment has no such one."""
        selection = self.results.selection
        found = None if selection is None else selection.confirmation
        trials = (t for t in self.prepared.trials if found is not None and t.name == found.trial)
        trial = next(trials, None)
        return None if found is None or trial is None else _Chosen(found, trial)

    def problems(self) -> Iterator[Problem]:
        """Reasons against a release that do not keep its figures from being computed."""
        yield from unconfirmed(self.results, str(self.place))
        where = str(self.experiment.path)
        yield from dirty(self.results, where, self.pin.config_sha256, self.prepared.gold)
        bounds = self.experiment.config.guardrails.model_dump()
        yield from moved(self.results, bounds, where)
        yield from peeked(read_ledger(self.gold.path or ""), self.gold)

    def unfit(self, trial: Trial, policy: str) -> Iterator[Problem]:
        """Reasons that do."""
        sources = _sources(trial)
        yield from borrowed(sources)
        yield from drifted(parse_policy(policy, "--policy"), sources)
        yield from mapped(self.experiment.config.gold.columns, str(self.experiment.path))


def _origin(experiment: Experiment, gold: GoldSet, place: Path) -> _Origin:
    results = read_results(place)
    selection = results.selection
    confirmation = None if selection is None else selection.confirmation
    pin = ExperimentPin(
        name=experiment.config.name,
        config_sha256=config_sha256(experiment.config),
        results_sha256=file_sha256(place),
        trial="" if confirmation is None else confirmation.trial,
        baseline=results.baseline,
        target=results.target,
        package_version=results.package_version,
    )
    return _Origin(experiment, experiment.prepare(), gold, place, results, pin)


def _unusable(experiment: Experiment, wanted: Wanted) -> Iterator[Problem]:
    """What of the command line nothing can be made of."""
    try:
        TypeAdapter(ReleaseName).validate_python(wanted.name)
    except ValidationError:
        law = "the name of a release is small letters, digits, dots, underscores and hyphens"
        yield Problem("command line", law, "Correct it.", field="--name", got=repr(wanted.name))
    try:
        parse_policy(wanted.policy, "--policy")
    except InputError as error:
        yield from error.problems
    if wanted.threshold is not None and not 0 <= wanted.threshold <= 1:
        law, got = "a threshold is a score from 0 to 1", repr(wanted.threshold)
        yield Problem("command line", law, "Correct it.", field="--threshold", got=got)


def _golds(origin: _Origin, blocking: list[Problem]) -> dict[Split, GoldSet]:
    """The claims of both splits; what keeps the test labels sealed is added to `blocking`."""
    config = origin.experiment.config
    languages = config.gold.languages or None
    try:
        test = reread_test(
            gold_path(config, origin.experiment.path.parent),
            experiment_sha256=origin.pin.config_sha256,
            gold_sha256=origin.gold.sha256,
        )
    except GoldError as error:
        blocking += error.problems
        return {}
    return {"dev": origin.prepared.gold, "test": test.subset(langs=languages)}


def _candidate(origin: _Origin, chosen: _Chosen, wanted: Wanted, registry: Path) -> Candidate:
    """The candidate as the experiment asked it, its judge pinned; no prior is frozen yet."""
    trial = chosen.trial
    ref, judge = origin.prepared.refs[trial.judge], origin.prepared.judges[trial.judge]
    place = folder_of(registry, wanted.name, UNNUMBERED)
    config = origin.experiment.config
    return Candidate(
        name=trial.name,
        variants=trial.variants,
        policy=parse_policy(wanted.policy, "--policy"),
        threshold=config.threshold if wanted.threshold is None else wanted.threshold,
        judge=JudgePin(
            spec=spec_from(judge.spec, place),
            api_base=ref.api_base,
            temperature=ref.temperature,
            seed=ref.seed,
            timeout_s=ref.timeout_s,
            max_in_flight=ref.max_in_flight,
            identity=dict(judge.identity),
            gives_logprobs=judge.gives_logprobs,
            label_in_one_token=judge.label_in_one_token,
        ),
        form=trial.form,
        reading=chosen.confirmation.reading,
    )


def _answered(
    origin: _Origin,
    candidate: Candidate,
    golds: dict[Split, GoldSet],
    store: Store,
    problems: list[Problem],
) -> tuple[Candidate, Stored]:
    """The candidate with the priors of the dev split, and every reply that its figures need.

    Raises:
        ReleaseError: Replies are missing, with the problems found before.
    """
    repeats = origin.experiment.config.repeats
    judges = {candidate.judge.name: candidate.judge.stand_in()}
    unread = Asking([candidate], golds["dev"], store, judges, repeats=repeats).stored()
    (said,) = unread.verdicts()
    priors = measured_priors(said.row, candidate.reading, candidate.sources(unread.claims))
    frozen = replace(candidate, priors=priors)
    asked: dict[Split, Asking] = {
        "dev": unread,
        "test": Asking([frozen], golds["test"], store, judges, repeats=repeats).stored(),
    }
    where = str(origin.experiment.path)
    missing: list[Problem] = []
    for split, asking in asked.items():
        wanted = asking.keys()
        lost = sum(key not in asking.replies for key in wanted)
        missing += missing_replies(split, lost, len(wanted), where)
    if missing:
        raise ReleaseError([*problems, *missing])
    keys = tuple(dict.fromkeys(key for asking in asked.values() for key in asking.keys()))
    replies = {key: reply for asking in asked.values() for key, reply in asking.replies.items()}
    return frozen, Stored(store, replies, keys)


def _draft(
    origin: _Origin,
    chosen: _Chosen,
    wanted: Wanted,
    *,
    candidate: Candidate,
    golds: dict[Split, GoldSet],
    registry: Path,
) -> Draft:
    config = origin.experiment.config
    folder = folder_of(registry, wanted.name, UNNUMBERED)
    gold = gold_path(config, origin.experiment.path.parent)
    return Draft(
        name=wanted.name,
        candidate=candidate,
        gold=origin.gold,
        golds=golds,
        gold_path=Path(os.path.relpath(gold, folder)).as_posix(),
        experiment=origin.pin,
        results=origin.results,
        confirmation=chosen.confirmation,
        how=How(
            seed=config.seed,
            resamples=config.bootstrap.resamples,
            cluster=config.bootstrap.cluster,
            alpha=config.alpha,
            repeats=config.repeats,
        ),
        override=None if wanted.override is None else wanted.override.strip(),
        notes=tuple(note.strip() for note in wanted.notes),
    )


def _sources(trial: Trial) -> list[PromptSource]:
    return [source for wording in trial.variants for source in wording.by_language.values()]
