"""What a search chooses among: parts of the template, judge, context form and reading."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

from metajudge.errors import ExperimentError, Problem
from metajudge.experiment.build import Prepared, gold_path
from metajudge.experiment.checks import check_metric, check_prompts, check_questions
from metajudge.experiment.config import ExperimentConfig
from metajudge.experiment.racing.field import single_claims
from metajudge.experiment.searching.config import COSTS, Objective, SearchRef
from metajudge.gold.goldset import GoldSet, load_goldset
from metajudge.gold.validation import suggest
from metajudge.runner.trial import Trial
from metajudge.selection.columns import CandidateKey
from metajudge.selection.ranking import LOWER_IS_BETTER
from metajudge.selection.search.space import Dimension, SearchSpace, Setting
from metajudge.selection.search.trials import Objective as Aim
from metajudge.templates.catalogue import Wording
from metajudge.templates.context_form import RAW, parse_context_form
from metajudge.templates.parts_bases import WHERE as TEMPLATE
from metajudge.templates.parts_bases import primary_languages
from metajudge.templates.parts_opened import OpenedParts
from metajudge.templates.pool import check_pool

_DECIDING = (
    "context_forms",
    "readings",
    "repeats",
    "baseline",
    "target",
    "guardrails",
    "alpha",
    "seed",
)
"""Fields of the experiment that decide how a trial does; budgets and policies do not."""
JUDGE, FORM, READING = "judge", "context_form", "reading"
PER_CALL = "claims_per_call"


class Made(NamedTuple):
    """A setting as it races.

    Attributes:
        trial: Its prompts and its judge; settings that share them share calls.
        key: The candidate.
        setting: The point of the space.
    """

    trial: Trial
    key: CandidateKey
    setting: Setting


@dataclass(frozen=True)
class Choices:
    """The space of a search, opened.

    Attributes:
        config: The experiment.
        where: Its file, for messages.
        parts: The parts of the template with their files read.
        gold: The claims that prompts are checked against.
        judges: Judges to choose among.
        forms: Context forms.
        readings: Readings.
        notes: What the user should know of it.
    """

    config: ExperimentConfig
    where: str
    parts: OpenedParts
    gold: GoldSet
    judges: tuple[str, ...]
    forms: tuple[str, ...]
    readings: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @cached_property
    def space(self) -> SearchSpace:
        """Every axis with something to choose, those of the template first.

        Raises:
            ExperimentError: There is none.
        """
        dimensions = [
            Dimension(axis.name, "categorical", axis.choices, only_if=axis.only_if)
            for axis in self.parts.axes
        ]
        for name, choices in self.beside.items():
            if len(choices) > 1:
                dimensions.append(Dimension(name, "categorical", choices))
        return SearchSpace(tuple(dimensions))

    @property
    def beside(self) -> dict[str, tuple[str, ...]]:
        """What is chosen beside the template, by axis."""
        return {JUDGE: self.judges, FORM: self.forms, READING: self.readings}

    @property
    def aims(self) -> tuple[Aim, ...]:
        """What is made better."""
        ref = self.config.search
        named = () if ref is None else ref.objectives
        return tuple(Aim(name, _direction(name)) for name in named or self._usual_aims())

    def _usual_aims(self) -> tuple[Objective, ...]:
        batches = any(axis.name == PER_CALL for axis in self.parts.axes)
        costs: tuple[Objective, ...] = ("calls",) if batches or len(self.forms) > 1 else ()
        target: Objective = self.config.target
        return tuple(dict.fromkeys((target, "over_credit", *costs)))

    def made(self, setting: Setting) -> Made:
        """The trial of a setting.

        Raises:
            TemplateError: It makes a faulty template.
        """
        beside = {name: setting.get(name, choices[0]) for name, choices in self.beside.items()}
        chosen = {name: value for name, value in setting.items() if name not in beside}
        wording = self.parts.build(chosen)
        check_prompts(wording.by_language.values(), self.gold)
        check_questions([wording], self.gold)
        form = parse_context_form(str(beside[FORM]), self.where)
        judge, name = str(beside[JUDGE]), wording.name
        name = name if form == RAW else f"{name} · {form}"
        name = f"{judge} | {name}" if len(self.config.judges) > 1 else name
        trial = Trial(name, judge, (wording,), self.config.repeats, form)
        return Made(trial, CandidateKey(name, str(beside[READING])), setting)

    def parents(self, setting: Setting) -> Wording:
        """The base that a setting starts from."""
        return self.parts.parents(setting)

    def fingerprint(
        self, judges: Mapping[str, Mapping[str, object]], declared: Iterable[Trial]
    ) -> str:
        """SHA-256 in hex of what the figures of a trial depend on beside its setting.

        Args:
            judges: Identity of each judge by name.
            declared: The declared trials, which the first race is among.
        """
        text = json.dumps(self._told(judges, declared), ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def told_parts(
        self, judges: Mapping[str, Mapping[str, object]], declared: Iterable[Trial]
    ) -> dict[str, Any]:
        """What the fingerprint is of, under the names that people know it by."""
        told = self._told(judges, declared)
        fields = told.pop("declared")
        return {
            **fields,
            "gold": told["gold"],
            "claims": told["claims"],
            "judges": told["judges"],
            "templates": told["trials"],
            "search": {"template": told["parts"], "racing": told["racing"]},
        }

    def _told(
        self, judges: Mapping[str, Mapping[str, object]], declared: Iterable[Trial]
    ) -> dict[str, Any]:
        config, ref = self.config, self.config.search
        assert ref is not None
        return {
            "declared": config.model_dump(mode="json", include=set(_DECIDING)),
            "gold": self.gold.sha256,
            "claims": len(self.gold.judged().claims),
            "judges": judges,
            "trials": {trial.name: prompt_prints(trial) for trial in declared},
            "parts": self.parts.fingerprint,
            "racing": ref.racing.model_dump(exclude={"end_at"}),
        }


def prompt_prints(trial: Trial) -> list[dict[str, str]]:
    """Fingerprints of a trial's prompts: one mapping by language for each order of the labels."""
    return [
        {lang: source.fingerprint for lang, source in wording.by_language.items()}
        for wording in trial.variants
    ]


def open_choices(config: ExperimentConfig, path: Path, prepared: Prepared) -> Choices:
    """The space that `search:` declares, every fault of it found.

    Args:
        config: The experiment.
        path: Its file.
        prepared: Its claims.

    Raises:
        ExperimentError: There is no `search.template`, or it names what the experiment lacks.
        TemplateError: A base asks another question than the gold set's, a part makes a faulty
            template, or the pool holds what is judged.
    """
    ref, where = declared(config, path)
    assert ref.template is not None
    languages = sorted({claim.lang for claim in prepared.gold.claims})
    fields = ref.template.text_fields()
    unused = [name for name in fields if name not in primary_languages(languages)]
    problems = [
        *_no_text_used(fields, unused, languages, where),
        *_unknown(ref.judges, [judge.key for judge in config.judges], "judges", where),
        *_unknown(ref.context_forms, config.context_forms, "context_forms", where),
    ]
    if ref.objectives and ref.objectives[0] != config.target:
        law = f"the first objective must be the experiment's target, {config.target}"
        mend = "Put it first, or change target."
        got = repr(ref.objectives[0])
        problems.append(Problem(where, law, mend, field="search.objectives", got=got))
    if problems:
        raise ExperimentError(problems)
    ref.template.check(path.parent, languages)
    parts = ref.template.opened(languages, path.parent)
    bases = [source for spoken in parts.bases.values() for source in spoken.values()]
    check_metric(bases, prepared.gold, where)
    if parts.pool is not None:
        whole = gold_path(config, path.parent)
        check_pool(parts.pool, load_goldset(whole, columns=config.gold.columns or None))
    choices = Choices(
        config,
        where,
        parts,
        prepared.gold,
        ref.judges or tuple(judge.key for judge in config.judges),
        ref.context_forms or config.context_forms,
        ref.readings or config.readings,
        _unused_note(unused, languages),
    )
    _check_space(choices, ref)
    return choices


def _no_text_used(
    fields: Mapping[str, str], unused: Sequence[str], languages: Iterable[str], where: str
) -> Iterable[Problem]:
    """Where there are texts, that some of them are in a language that is judged."""
    spoken = ", ".join(languages)
    for language in unused if len(unused) == len(fields) else ():
        law = f"some of the texts are in a language of the claims ({spoken})"
        mend = f"Write them for {spoken}, or judge claims in {language}."
        yield Problem(where, law, mend, field=f"{TEMPLATE}.{fields[language]}", got=repr(language))


def _unused_note(unused: Sequence[str], languages: Iterable[str]) -> tuple[str, ...]:
    told, spoken = ", ".join(unused), ", ".join(languages)
    note = f"Texts of the search in {told} are not used: the claims are in {spoken}."
    return (note,) if unused else ()


def _check_space(choices: Choices, ref: SearchRef) -> None:
    """That there is something to choose, and that blocks hold what a call holds.

    Raises:
        ExperimentError: With what is wrong.
    """
    where, problems = choices.where, []
    if not choices.parts.axes and all(len(found) < 2 for found in choices.beside.values()):
        law = "a search has something to choose, and every part has one choice only"
        mend = "Declare other texts, rules or structures, a second base, judge, form or reading."
        problems.append(Problem(where, law, mend, field=TEMPLATE))
    if ref.racing.unit == "claim" and _most_per_call(choices.parts) > 1:
        problems.append(single_claims(where, TEMPLATE))
    if problems:
        raise ExperimentError(problems)


def _most_per_call(parts: OpenedParts) -> int:
    own = [one.claims_per_call for base in parts.bases.values() for one in base.values()]
    return max(parts.space.claims_per_call or own)


def declared(config: ExperimentConfig, path: Path) -> tuple[SearchRef, str]:
    """What `search:` declares, and the file's name.

    Raises:
        ExperimentError: There is no `search.template`.
    """
    ref, where = config.search, str(path)
    if ref is None or ref.template is None:
        law = "a search needs the parts that it may choose among"
        mend = "Declare search.template with bases and other texts; see docs/recipes/search.md."
        raise ExperimentError(Problem(where, law, mend, field=TEMPLATE))
    return ref, where


def _unknown(
    wanted: Iterable[str], known: Iterable[str], name: str, where: str
) -> Iterable[Problem]:
    have = list(known)
    for text in wanted:
        if text not in have:
            law = f"search.{name} names some of the experiment's {name}"
            yield Problem(where, law, suggest(text, have), field=f"search.{name}", got=repr(text))


def _direction(name: str) -> Literal["minimize", "maximize"]:
    return "minimize" if name in LOWER_IS_BETTER or name in COSTS else "maximize"
