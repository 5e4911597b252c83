"""What is asked beside the trials: perturbations, negative controls and the factorial."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from metajudge.counted import counted
from metajudge.errors import ExperimentError, Problem
from metajudge.experiment.config import (
    REPEATS,
    ControlsRef,
    ExperimentConfig,
    FactorsRef,
    JudgeRef,
    PerturbationRef,
)
from metajudge.gold.controls import (
    KINDS,
    ControlKind,
    Probe,
    control_set,
    make_probes,
)
from metajudge.gold.goldset import GoldSet
from metajudge.gold.validation import suggest
from metajudge.runner.trial import Trial
from metajudge.templates.catalogue import Wording, changed
from metajudge.templates.context_form import RAW, parse_context_form
from metajudge.templates.perturb import AXES, Perturbation, parse_perturbation
from metajudge.templates.source import PromptSource
from metajudge.templates.template import Template

Compared = Literal["trial", "first_level", "each_other"]


@dataclass(frozen=True, slots=True)
class Run:
    """One perturbed trial and where it belongs.

    Attributes:
        base: Index of the unperturbed trial among the experiment's trials.
        axis: The axis; `repeats` and `repeats at T` for draws.
        level: The level on it.
        compared_with: What its verdicts are compared with.
    """

    base: int
    axis: str
    level: str
    compared_with: Compared


@dataclass(frozen=True, slots=True)
class StabilityDesign:
    """Perturbed trials on a part of the claims.

    Attributes:
        gold: The claims that take part.
        trials: The perturbed trials.
        runs: What each of them is, in the same order.
        not_had: (base, axis) -> levels that this trial cannot have, with the reason.
    """

    gold: GoldSet
    trials: tuple[Trial, ...]
    runs: tuple[Run, ...]
    not_had: Mapping[tuple[int, str], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class ControlDesign:
    """Probes under trials.

    Attributes:
        gold: The probes as a gold set; its labels say nothing.
        trials: The trials that answer them, one draw each.
        bases: Index of each among the experiment's trials.
        probes: The probes in the order of `gold.claims`.
        left_out: Why claims have no probe of a kind -> how many.
    """

    gold: GoldSet
    trials: tuple[Trial, ...]
    bases: tuple[int, ...]
    probes: tuple[Probe, ...]
    left_out: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class FactorDesign:
    """A factorial of wording x context form x claims per call.

    Attributes:
        gold: The claims that take part.
        trials: One per combination.
        cells: Wording, context form and claims per call of each, in the same order.
    """

    gold: GoldSet
    trials: tuple[Trial, ...]
    cells: tuple[tuple[str, str, int], ...]


@dataclass(frozen=True, slots=True)
class Designs:
    """Everything that is asked beside the trials; None where the experiment asks for none.

    Attributes:
        warm: Judges at other temperatures that only repeats need.
    """

    stability: StabilityDesign | None = None
    controls: ControlDesign | None = None
    factors: FactorDesign | None = None
    warm: tuple[JudgeRef, ...] = field(default=())

    @property
    def trials(self) -> tuple[Trial, ...]:
        """The trials of all designs."""
        parts = (self.stability, self.controls, self.factors)
        return tuple(trial for part in parts if part is not None for trial in part.trials)


def make_designs(
    config: ExperimentConfig, gold: GoldSet, trials: Sequence[Trial], where: str
) -> Designs:
    """The designs that an experiment declares, checked before anything is asked.

    Raises:
        InputError: An axis, level, kind, form or trial that does not exist.
    """
    part = gold
    if config.perturbations or config.factors:
        part = some_contexts(gold, config.stability.claims, config.seed)
    bases = _chosen(config.stability.trials, trials, "stability.trials", where)
    stability: StabilityDesign | None = None
    warm: tuple[JudgeRef, ...] = ()
    if config.perturbations:
        stability, warm = _stability(config, part, trials, bases, where)
    controls = factors = None
    if config.controls is not None:
        controls = _controls(config.controls, config.seed, gold, trials, where)
    if config.factors is not None:
        factors = _factors(config.factors, part, trials, where)
    return Designs(stability, controls, factors, warm)


def some_contexts(gold: GoldSet, claims: int, seed: int) -> GoldSet:
    """The claims of whole contexts, drawn by seed in turn from each language.

    Args:
        gold: The claims to draw from.
        claims: Contexts are added until there are this many claims.
        seed: Makes the draw.
    """
    judged = gold.judged()
    size: dict[str, int] = {}
    by_language: dict[str, dict[str, None]] = {}
    for claim in judged.claims:
        size[claim.context_id] = size.get(claim.context_id, 0) + 1
        by_language.setdefault(claim.lang, {})[claim.context_id] = None
    orders = []
    for lang in sorted(by_language):
        names = sorted(by_language[lang])
        random.Random(f"{seed}/{lang}").shuffle(names)
        orders.append(names)
    chosen: set[str] = set()
    for turn in range(max(map(len, orders), default=0)):
        for names in orders:
            if turn < len(names) and sum(size[name] for name in chosen) < claims:
                chosen.add(names[turn])
    return judged.of_contexts(chosen)


def _chosen(
    names: Collection[str], trials: Sequence[Trial], field_name: str, where: str
) -> list[int]:
    """Indices of trials by name; without names, those whose templates are the user's own."""
    known = [trial.name for trial in trials]
    unknown = [name for name in names if name not in known]
    if unknown:
        law = f"{field_name} names trials of this experiment"
        raise ExperimentError(
            Problem(where, law, suggest(name, known), field=field_name, got=repr(name))
            for name in unknown
        )
    if names:
        return [index for index, name in enumerate(known) if name in names]
    return [
        index
        for index, trial in enumerate(trials)
        if all(
            isinstance(source, Template)
            for wording in trial.variants
            for source in wording.by_language.values()
        )
    ]


def _stability(
    config: ExperimentConfig,
    gold: GoldSet,
    trials: Sequence[Trial],
    bases: Sequence[int],
    where: str,
) -> tuple[StabilityDesign, tuple[JudgeRef, ...]]:
    made: list[Trial] = []
    runs: list[Run] = []
    not_had: dict[tuple[int, str], tuple[str, ...]] = {}
    warm: dict[str, JudgeRef] = {}
    refs = {ref.key: ref for ref in config.judges}
    for ref in config.perturbations:
        if ref.axis == REPEATS:
            for base in bases:
                for run, trial, judge in _repeats(ref, base, trials[base], refs):
                    made.append(trial)
                    runs.append(run)
                    if judge is not None:
                        warm[judge.key] = judge
            continue
        changes = _changes(ref, where)
        for base in bases:
            for change in changes:
                variants, reason = _perturbed(trials[base], change, where)
                if variants is None:
                    place = (base, change.axis)
                    not_had[place] = (*not_had.get(place, ()), f"{change.level}: {reason}")
                    continue
                name = f"{trials[base].name} ~ {change.name}"
                made.append(
                    replace(
                        trials[base], name=name, variants=variants, repeats=1, perturbation=change
                    )
                )
                runs.append(Run(base, change.axis, change.level, change.compared_with))
    return StabilityDesign(gold, tuple(made), tuple(runs), not_had), tuple(warm.values())


def _changes(ref: PerturbationRef, where: str) -> list[Perturbation]:
    """The levels of an axis.

    Raises:
        ExperimentError: No such axis or level, or one level where two are compared.
    """
    if ref.axis not in AXES:
        known = (REPEATS, *AXES)
        law = f"a perturbation is along one of {', '.join(known)}"
        mend = suggest(ref.axis, known)
        raise ExperimentError(Problem(where, law, mend, field="perturbations", got=repr(ref.axis)))
    levels = ref.levels or (None,)
    found = [c for level in levels for c in parse_perturbation(ref.axis, level, where)]
    if len(found) < 2 and found[0].compared_with == "first_level":
        law = f"the levels of {ref.axis} are compared with each other, so there are two"
        field_name = f"perturbations.{ref.axis}"
        got = repr(list(ref.levels))
        raise ExperimentError(
            Problem(where, law, "Take levels out for both.", field=field_name, got=got)
        )
    return found


def _repeats(
    ref: PerturbationRef, base: int, trial: Trial, refs: Mapping[str, JudgeRef]
) -> Iterator[tuple[Run, Trial, JudgeRef | None]]:
    """Draws at the judge's own temperature, then at each other one."""
    own = refs[trial.judge]
    temperatures = [own.temperature, *(t for t in ref.temperatures if t != own.temperature)]
    for temperature in temperatures:
        axis, judge = REPEATS, None
        if temperature != own.temperature:
            axis = f"{REPEATS} at {temperature:g}"
            name = f"{own.key} at temperature {temperature:g}"
            judge = own.model_copy(update={"name": name, "temperature": temperature})
        drawn = replace(
            trial,
            name=f"{trial.name} ~ {axis}",
            judge=own.key if judge is None else judge.key,
            repeats=ref.draws,
        )
        level = "server's temperature" if temperature is None else f"temperature {temperature:g}"
        yield Run(base, axis, level, "each_other"), drawn, judge


def _perturbed(
    trial: Trial, change: Perturbation, where: str
) -> tuple[tuple[Wording, ...] | None, str | None]:
    if change.axis == "label_order" and len(trial.variants) > 1:
        return None, f"{trial.name} is asked in every order of the labels already"
    variants = []
    for wording in trial.variants:
        found = change.wording(wording, where)
        if found.wording is None:
            return None, found.reason
        variants.append(found.wording)
    return tuple(variants), None


def _controls(
    ref: ControlsRef, seed: int, gold: GoldSet, trials: Sequence[Trial], where: str
) -> ControlDesign:
    unknown = [kind for kind in ref.kinds if kind not in KINDS]
    if unknown:
        law = f"a negative control is one of {', '.join(KINDS)}"
        raise ExperimentError(
            Problem(where, law, suggest(kind, KINDS), field="controls.kinds", got=repr(kind))
            for kind in unknown
        )
    kinds: tuple[ControlKind, ...] = tuple(k for k in KINDS if not ref.kinds or k in ref.kinds)
    found = make_probes(gold, kinds, ref.per_kind, seed)
    chosen = ref.trials or [trial.name for trial in trials]
    bases = _chosen(chosen, trials, "controls.trials", where)
    return ControlDesign(
        control_set(gold, found.probes),
        tuple(replace(trials[base], repeats=1) for base in bases),
        tuple(bases),
        found.probes,
        dict(found.left_out),
    )


def _factors(ref: FactorsRef, gold: GoldSet, trials: Sequence[Trial], where: str) -> FactorDesign:
    bases = _chosen(ref.trials, trials, "factors.trials", where)
    forms = [parse_context_form(text, where) for text in ref.context_forms]
    made, cells = [], []
    for base in bases:
        for form in forms:
            for size in ref.claims_per_call:
                variants = tuple(_batched(w, size, where) for w in trials[base].variants)
                suffix = "" if form == RAW else f" · {form}"
                name = f"{trials[base].name}{suffix} · x{size}"
                made.append(
                    replace(trials[base], name=name, variants=variants, repeats=1, form=form)
                )
                cells.append((trials[base].name, str(form), size))
    return FactorDesign(gold, tuple(made), tuple(cells))


def _batched(wording: Wording, size: int, where: str) -> Wording:
    """The wording with `size` claims a call; more than one are answered as JSON."""
    copies: dict[str, PromptSource] = {}
    for lang, source in wording.by_language.items():
        copies[lang] = source
        if source.claims_per_call != size:
            if not isinstance(source, Template):
                raise _peer_size(source, size, where)
            as_json = source.answer.json_ or size > 1
            answer = {"form": source.answer.form, "json": as_json}
            copies[lang] = changed(source, where, claims_per_call=size, answer=answer)
    return Wording(wording.name, copies)


def _peer_size(source: PromptSource, size: int, where: str) -> ExperimentError:
    own = source.claims_per_call
    asked = f"asked with its own {counted(own, 'claims')} a call"
    law = f"{source.label} is a peer's prompt and is {asked}"
    mend = f"Give claims_per_call: [{own}], or take it out of factors.trials."
    problem = Problem(where, law, mend, field="factors.claims_per_call", got=repr(size))
    return ExperimentError([problem])
