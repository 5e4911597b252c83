"""`metajudge search`: from a declared space to a proposal, on the dev claims alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from metajudge.experiment.build import Prepared
from metajudge.experiment.racing.asking import Asking
from metajudge.experiment.racing.race import Ground
from metajudge.experiment.racing.results import check_split, check_target
from metajudge.experiment.searching.config import SearchRef
from metajudge.experiment.searching.loop import Search
from metajudge.experiment.searching.placed import placed_faults
from metajudge.experiment.searching.results import search_results
from metajudge.experiment.searching.space import Choices, declared, open_choices
from metajudge.experiment.sweep import DEFAULT_STORE, Experiment
from metajudge.report.search_results import SearchResults
from metajudge.runner.leases import LEASE_S
from metajudge.runner.progress import Observer
from metajudge.runner.store import Store
from metajudge.selection.search.storage import check_storage
from metajudge.selection.search.study import TemplateStudy
from metajudge.selection.search.trials import StudySpec

STUDIES = "searches.sqlite"
UNRACED = "-unraced"
TOOL = "optuna"


@dataclass(frozen=True)
class Searching:
    """A search that is ready to begin; nothing has been asked.

    Attributes:
        experiment: What is searched.
        ref: How, the changes of the command line in it.
        prepared: Declared trials and dev claims.
        choices: The space.
        spec: The study.
        notes: What the user should know beforehand.
    """

    experiment: Experiment
    ref: SearchRef
    prepared: Prepared
    choices: Choices
    spec: StudySpec
    notes: tuple[str, ...]


def open_search(
    experiment: Experiment, *, store: str | Path = DEFAULT_STORE, limit: int | None = None
) -> Searching:
    """Check everything that a search names, its storage too; nothing is made and nothing asked.

    Args:
        experiment: With `search.template`.
        store: The reply store's file; the study is kept beside it unless it has a place of its own.
        limit: Judge at most the first `limit` claims.

    Raises:
        InputError: The experiment, its space or its gold set is faulty, or test claims are not
            sealed.
        StoreError: The storage of the study cannot be reached.
    """
    config, path = experiment.config, experiment.path
    with placed_faults(path):
        ref, _ = declared(config, path)
        if ref.storage is not None:
            check_storage(ref.storage)
        prepared = experiment.prepare(limit)
        notes = check_split(config, path, prepared)
        check_target(config, path, prepared)
        choices = open_choices(config, path, prepared)
    place = Path(store).parent / STUDIES
    unraced = UNRACED if ref.racing.method == "none" else ""
    identities = {name: dict(judge.identity) for name, judge in prepared.judges.items()}
    spec = StudySpec(
        name=ref.study or f"{config.name}{unraced}",
        storage=ref.storage or f"sqlite:///{place.as_posix()}",
        sampler=ref.sampler,
        seed=config.seed,
        objectives=choices.aims,
        space=choices.space,
        fingerprint=choices.fingerprint(identities, prepared.trials),
        generation=ref.generation,
        parts=choices.told_parts(identities, prepared.trials),
    )
    return Searching(experiment, ref, prepared, choices, spec, (*notes, *choices.notes))


def search(
    experiment: Experiment,
    *,
    store: str | Path = DEFAULT_STORE,
    out: str | Path = Path("runs"),
    limit: int | None = None,
    use_recordings: bool = True,
    observer: Observer | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> SearchResults:
    """Search for a better template, and write the first safe one that is found as a proposal.

    Stopped or killed anywhere, the same call goes on where it was and ends with the same trials.

    Args:
        experiment: With `search.template`.
        store: The reply store's file.
        out: Folder of the proposals.
        limit: Judge at most the first `limit` claims.
        use_recordings: Load the experiment's recordings into the store first.
        observer: Is told how the calls go.
        say: Is told in a line what each race came to.

    Raises:
        InputError: As `open_search`.
        ExperimentError: The study of this name was declared otherwise.
        StoreError: The store, or the study's storage, cannot be used.
        ModelFileError: A judge cannot be asked on this machine.
    """
    ready = open_search(experiment, store=store, limit=limit)
    ground = Ground(
        experiment.config, ready.prepared.judges, ready.ref.racing, str(experiment.path), say
    )
    with Store(store) as replies:
        if use_recordings:
            experiment.load_recordings(replies)
        study = TemplateStudy.open(ready.spec)
        asking = Asking(
            experiment.config,
            ready.prepared.judges,
            ready.prepared.refs,
            replies,
            observer=observer,
            lease_s=LEASE_S,
        )
        run = Search(ground, ready.prepared, ready.choices, study, asking, ready.ref.trials, say)
        try:
            run.run()
            return search_results(experiment, run, ready.notes, Path(out))
        finally:
            study.close()
            asking.close()


def changed_search(
    experiment: Experiment,
    *,
    trials: int | None = None,
    storage: str | None = None,
    sampler: str | None = None,
    race: bool = True,
) -> Experiment:
    """The experiment with other settings of its search.

    Raises:
        ExperimentError: There is no search, or a setting is out of range.
    """
    ref, _ = declared(experiment.config, experiment.path)
    told = ref.model_dump(mode="json", by_alias=True)
    given = {"trials": trials, "storage": storage, "sampler": sampler}
    told |= {name: value for name, value in given.items() if value is not None}
    if not race:
        told["racing"] = told["racing"] | {"method": "none"}
    return experiment.changed(search=told)
