"""`metajudge optimise`: DSPy rewrites a template of an experiment, on the dev claims alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from metajudge.errors import ExperimentError, Problem
from metajudge.experiment.build import Prepared
from metajudge.experiment.config import ExperimentConfig, JudgeRef
from metajudge.experiment.optimising.results import Begun, optimised_results
from metajudge.experiment.racing.results import check_split
from metajudge.experiment.searching.proposal import FOLDER, Origin, Written, write_proposal
from metajudge.experiment.sweep import DEFAULT_STORE, Experiment
from metajudge.gold.validation import suggest
from metajudge.judges import open_judge
from metajudge.judges.judge import Judge
from metajudge.judges.options import JudgeOptions
from metajudge.judges.spec import spec_beside
from metajudge.report.search_optimised import OptimisedResults
from metajudge.runner.leases import LEASE_S
from metajudge.runner.limits import Budget, Limits
from metajudge.runner.store import Store
from metajudge.runner.trial import Trial
from metajudge.selection.guardrails import Bounds
from metajudge.selection.optimise.optimiser import Optimised, optimise
from metajudge.selection.optimise.spec import Aim, Optimiser
from metajudge.templates.catalogue import Wording
from metajudge.templates.pool import Pool, read_pool
from metajudge.templates.template import Template


class Proposing(NamedTuple):
    """Who writes instructions.

    Attributes:
        spec: A judge's spec, or the name of one of the experiment's judges; None for nobody.
        api_base: Its server; None takes the provider's own.
        temperature: Its sampling temperature.
    """

    spec: str | None = None
    api_base: str | None = None
    temperature: float | None = 0.7


NOBODY = Proposing()


def run_optimiser(
    experiment: Experiment,
    optimiser: Optimiser,
    *,
    language: str,
    proposing: Proposing = NOBODY,
    template: str | None = None,
    judge: str | None = None,
    pool: str | Path | None = None,
    store: str | Path = DEFAULT_STORE,
    out: str | Path = Path("runs"),
    limit: int | None = None,
    use_recordings: bool = True,
    told: Callable[[str, int], None] | None = None,
) -> OptimisedResults:
    """Have an optimiser rewrite a declared template, and write what it chose as a proposal.

    Run again it takes the replies that it had from the store.

    Args:
        experiment: Its target, guardrails, readings and budget hold.
        optimiser: Which one, and how far it goes.
        language: `en` or `zh`; claims and template of that language.
        proposing: Who writes instructions.
        template: Name of a declared trial to start from; None takes the baseline, or the first.
        judge: Name of one of the experiment's judges; None takes the trial's.
        pool: Worked cases to learn from instead of a part of the claims.
        store: The reply store's file.
        out: Folder of the proposals.
        limit: Judge at most the first `limit` claims.
        use_recordings: Load the experiment's recordings into the store first.
        told: Is told a role and its attempts now and then, from another thread.

    Raises:
        InputError: Something that is named is faulty or not there, or test claims are unsealed.
        MetajudgeError: A judge or the store needs something that the user has to mend.
    """
    prepared = experiment.prepare(limit)
    notes = check_split(experiment.config, experiment.path, prepared)
    begun = _begun(experiment, prepared, language, template, judge)
    begun = begun._replace(proposer=proposing.spec)
    with Store(store) as replies:
        if use_recordings:
            experiment.load_recordings(replies)
        made = optimise(
            begun.start,
            prepared.gold,
            prepared.judges[begun.trial.judge],
            optimiser=optimiser,
            store=replies,
            aim=_aim(experiment.config),
            proposer=_proposer(experiment, prepared, proposing),
            pool=_pool(pool, experiment.path),
            limits=_limits(experiment, prepared.refs[begun.trial.judge]),
            told=told,
        )
    written = _written(experiment, prepared, begun, made, Path(out))
    return optimised_results(
        experiment, prepared, begun, made, written=written, out=Path(out), notes=notes
    )


def _aim(config: ExperimentConfig) -> Aim:
    return Aim(
        target=config.target,
        bounds=Bounds(**config.guardrails.model_dump()),
        readings=config.readings,
        cluster=config.bootstrap.cluster,
        resamples=config.bootstrap.resamples,
        level=1 - config.alpha,
    )


def _begun(
    experiment: Experiment,
    prepared: Prepared,
    language: str,
    named: str | None,
    judge: str | None,
) -> Begun:
    """The trial that is rewritten, and its template in the language."""
    where, config = str(experiment.path), experiment.config
    names = [trial.name for trial in prepared.trials]
    wanted = named or config.baseline or names[0]
    trial = next((one for one in prepared.trials if one.name == wanted), None)
    if trial is None:
        law = f"--template names one of the declared trials: {', '.join(names)}"
        raise ExperimentError(Problem(where, law, suggest(wanted, names), got=repr(wanted)))
    if judge is not None:
        if judge not in prepared.judges:
            law = f"--judge names one of the experiment's judges: {', '.join(prepared.judges)}"
            mend = suggest(judge, list(prepared.judges))
            raise ExperimentError(Problem(where, law, mend, got=repr(judge)))
        trial = Trial(trial.name, judge, trial.variants, trial.repeats, trial.form)
    source = trial.variants[0].by_language.get(language)
    if not isinstance(source, Template) or len(trial.variants) > 1:
        law = f"an optimiser starts from one template of your own or the catalogue's in {language}"
        mend = "Name another trial with --template: no peer's prompt, and none that is rotated."
        raise ExperimentError(Problem(where, law, mend, got=repr(wanted)))
    return Begun(trial, language, source)


def _proposer(experiment: Experiment, prepared: Prepared, wanted: Proposing) -> Judge | None:
    if wanted.spec is None:
        return None
    ref: JudgeRef | None = prepared.refs.get(wanted.spec)
    spec = wanted.spec if ref is None else ref.spec
    options = JudgeOptions(
        api_base=wanted.api_base or (None if ref is None else ref.api_base),
        temperature=wanted.temperature,
    )
    return open_judge(spec_beside(spec, experiment.path.parent), options)


def _pool(place: str | Path | None, path: Path) -> Pool | None:
    if place is None:
        return None
    beside = path.parent / place
    return read_pool(beside if beside.exists() else place)


def _limits(experiment: Experiment, ref: JudgeRef) -> Limits:
    budget = experiment.config.budget
    whole = Budget(usd=budget.usd, calls=budget.calls, minutes=budget.minutes)
    return Limits(
        deadline_s=ref.timeout_s, max_in_flight=ref.max_in_flight, budget=whole, lease_s=LEASE_S
    )


def _written(
    experiment: Experiment, prepared: Prepared, begun: Begun, made: Optimised, out: Path
) -> Written | None:
    """The chosen proposal as files; None where there is none."""
    if made.chosen is None:
        return None
    chosen = made.candidates[made.chosen]
    ranked = made.ranked(chosen)
    reading = experiment.config.readings[0]
    if ranked is not None:
        reading = made.measured.keys[ranked.index].reading
    name, old = chosen.template.name, begun.trial
    trial = Trial(
        name,
        old.judge,
        (Wording(name, {begun.language: chosen.template}),),
        old.repeats,
        old.form,
    )
    origin = Origin(
        "optimise",
        made.optimiser.tool,
        made.tool_version,
        f"{experiment.config.name}-{made.optimiser.method}-{begun.language}",
        trial=chosen.number,
        source=begun.proposer if made.proposer else None,
    )
    named = {experiment.config.baseline, old.name}
    return write_proposal(
        experiment,
        trial,
        reading,
        parents=Wording(old.variants[0].name, {begun.language: begun.start}),
        origin=origin,
        folder=out / FOLDER,
        beside=tuple(one for one in prepared.trials if one.name in named),
        languages=tuple(
            sorted(
                {
                    claim.lang
                    for claim in prepared.gold.claims
                    if claim.lang.partition("-")[0] == begun.language
                }
            )
        ),
    )
