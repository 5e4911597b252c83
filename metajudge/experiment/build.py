"""From the declared experiment to gold claims, wordings, trials and judges."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from glob import glob
from pathlib import Path

from metajudge.counted import counted
from metajudge.errors import ExperimentError, JudgeSpecError, Problem, TemplateError
from metajudge.experiment.checks import (
    check_extractors,
    check_metric,
    check_prompts,
    check_questions,
    checked_policies,
)
from metajudge.experiment.config import ExperimentConfig, JudgeRef, TemplateRef
from metajudge.experiment.design import Designs, make_designs
from metajudge.gold.goldset import GoldSet, load_goldset
from metajudge.gold.ledger import read_ledger, sealed
from metajudge.gold.policy import needs_relabelling
from metajudge.gold.validation import suggest
from metajudge.judges import open_judge
from metajudge.judges.judge import Judge
from metajudge.judges.options import JudgeOptions
from metajudge.judges.spec import spec_beside
from metajudge.runner.trial import Trial
from metajudge.scoring.policies import Policy
from metajudge.templates.catalogue import Wording, catalogue_wording, changed, read_wordings
from metajudge.templates.context_form import RAW, ContextForm, parse_context_form
from metajudge.templates.peers import PEERS, PeerTemplate, peer_template
from metajudge.templates.source import PromptSource
from metajudge.templates.template import Template


@dataclass(frozen=True, slots=True)
class Prepared:
    """Everything an experiment needs before the first call; nothing has been asked yet.

    Attributes:
        gold: The claims of the declared split and languages.
        trials: What is measured.
        judges: Opened judges by name.
        refs: What the experiment says of each judge, by the same names.
        policies: Scoring policies, checked against every label of templates and gold.
        designs: What is asked beside the trials: perturbations, negative controls, factors.
        notes: What the user should know, such as a template that judges another language.
        test_reads: How often the test labels of the gold set were read so far.
    """

    gold: GoldSet
    trials: tuple[Trial, ...]
    judges: dict[str, Judge]
    refs: dict[str, JudgeRef]
    policies: tuple[Policy, ...]
    designs: Designs
    notes: tuple[str, ...]
    test_reads: int = 0


def prepare(config: ExperimentConfig, path: Path, limit: int | None = None) -> Prepared:
    """Check everything an experiment names, all faults at once per kind, and open its judges.

    Args:
        config: The declared experiment.
        path: Its file; paths in it are relative to the file's folder.
        limit: Judge at most the first `limit` claims.

    Raises:
        InputError: A fault in the experiment, the gold set, a template, a policy or a judge spec.
    """
    folder = path.parent
    whole = _whole_gold(config, folder)
    gold = _part_of(whole, config, folder, limit)
    languages = sorted({claim.lang for claim in gold.claims})
    wordings = trial_wordings(config.templates, folder, languages, str(path))
    sources = _sources(wordings.values())
    policies = checked_policies(config.policies, sources, gold, str(path))
    check_metric(sources, whole, str(path))
    check_prompts(sources, whole)
    check_questions([variants[0] for variants in wordings.values()], gold)
    trials = _trials(config, wordings, str(path))
    _check_baseline(config.baseline, [trial.name for trial in trials], str(path))
    designs = make_designs(config, gold, trials, str(path))
    check_prompts(_sources(trial.variants for trial in designs.trials), whole)
    refs = {ref.key: ref for ref in (*config.judges, *designs.warm)}
    judges = _judges(refs, folder)
    check_extractors((*trials, *designs.trials), judges, str(path))
    notes = (
        *_notes(wordings, languages, gold),
        *_label_notes(whole, gold, config),
        *_choice_notes(config, folder),
    )
    reads = 0 if whole.path is None else len(read_ledger(whole.path))
    return Prepared(gold, trials, judges, refs, policies, designs, notes, reads)


def _check_baseline(baseline: str | None, names: Sequence[str], where: str) -> None:
    if baseline is not None and baseline not in names:
        law = f"the baseline must be one of the trials: {', '.join(names)}"
        mend = suggest(baseline, names)
        raise ExperimentError(Problem(where, law, mend, field="baseline", got=repr(baseline)))


def gold_path(config: ExperimentConfig, folder: Path) -> str:
    """Where the gold set is: beside the experiment, or as it is written."""
    place = folder / config.gold.path
    return str(place) if place.exists() else config.gold.path


def _whole_gold(config: ExperimentConfig, folder: Path) -> GoldSet:
    return load_goldset(gold_path(config, folder), columns=config.gold.columns or None)


def _part_of(whole: GoldSet, config: ExperimentConfig, folder: Path, limit: int | None) -> GoldSet:
    ref = config.gold
    if ref.split == "dev":
        sealed(whole)
    part = whole.subset(ref.split, ref.languages or None, limit)
    if not part.judged().claims:
        law = "an experiment needs at least one claim to judge"
        got = f"split {ref.split!r}, languages {list(ref.languages) or 'all'}"
        waiting = len(whole.pending)
        label = (
            f" {counted(waiting, 'claims wait')} for a label: `metajudge label`." if waiting else ""
        )
        mend = f"Widen gold.split or gold.languages.{label}"
        raise ExperimentError(Problem(gold_path(config, folder), law, mend, got=got))
    return part


def trial_wordings(
    refs: Sequence[TemplateRef], folder: Path, languages: Sequence[str], where: str
) -> dict[str, tuple[Wording, ...]]:
    """The variants of each trial by the trial's name, in the order declared.

    Raises:
        TemplateError: With every fault of every template.
        ExperimentError: Two trials of one name, or no template at all.
    """
    found: dict[str, tuple[Wording, ...]] = {}
    problems: list[Problem] = []
    doubled: list[Problem] = []
    for index, ref in enumerate(refs):
        try:
            placed = [
                (wording, _placed(wording, ref, where))
                for wording in _origin(ref, folder, languages, where)
            ]
        except TemplateError as error:
            problems += error.problems
            continue
        for wording, variants in placed:
            name = _trial_name(wording, variants[0], ref)
            if name in found:
                law = f"every trial has its own name, and {name!r} stands twice"
                mend = "Take one out, or change its axes."
                doubled.append(Problem(where, law, mend, field=f"templates[{index}]"))
            found[name] = variants
    if problems:
        raise TemplateError(problems)
    if not found:
        law, mend = "an experiment needs at least one template", "Correct the path."
        doubled.append(Problem(where, law, mend, field="templates"))
    if doubled:
        raise ExperimentError(doubled)
    return found


def _origin(ref: TemplateRef, folder: Path, languages: Sequence[str], where: str) -> list[Wording]:
    if ref.path is not None:
        paths = _matches(folder, ref.path) if "*" in ref.path else [folder / ref.path]
        return list(read_wordings(paths).values())
    name = str(ref.name)
    if name in PEERS or ":" in name:
        return [Wording(name, {lang: peer_template(name, lang) for lang in languages})]
    return [catalogue_wording(name, where)]


def _placed(wording: Wording, ref: TemplateRef, where: str) -> tuple[Wording, ...]:
    """The wording on the axes that the reference names, one per order of the labels."""
    changes = {
        "labels": ref.labels,
        "answer": ref.answer,
        "layout": ref.layout,
        "claims_per_call": ref.claims_per_call,
    }
    wanted = {key: value for key, value in changes.items() if value is not None}
    if not wanted and ref.rotations == "none":
        return (wording,)
    templates = {
        lang: source for lang, source in wording.by_language.items() if isinstance(source, Template)
    }
    if len(templates) != len(wording.by_language):
        law = "a peer's prompt is used as it is; only templates of your own have axes"
        raise TemplateError(Problem(where, law, "Take the axes out.", field=wording.name))
    base = {lang: changed(t, f"{where}: {wording.name}", **wanted) for lang, t in templates.items()}
    offered = {frozenset(t.dialect.words) for t in base.values()}
    if ref.rotations == "all" and len(offered) > 1:
        law = "labels are rotated in all languages together, so each offers the same labels"
        mend = "Give the templates of this name the same labels."
        raise TemplateError(Problem(where, law, mend, field=wording.name))
    turns = len(next(iter(offered))) if ref.rotations == "all" else 1
    return tuple(
        Wording(wording.name, {lang: _turned(t, step, where) for lang, t in base.items()})
        for step in range(turns)
    )


def _turned(template: Template, step: int, where: str) -> Template:
    if step == 0:
        return template
    dialect = template.dialect.rotated(step)
    return changed(template, where, labels=dialect.model_dump())


def _trial_name(wording: Wording, placed: Wording, ref: TemplateRef) -> str:
    """The wording's name and what of it the reference changes, e.g. `literal · letters*`."""
    base, source = (next(iter(w.by_language.values())) for w in (wording, placed))
    parts = [wording.name]
    dialect, turned = source.dialect.name, ref.rotations == "all"
    if turned or (isinstance(source, Template) and dialect not in ("words", wording.name)):
        parts.append(dialect + ("*" if turned else ""))
    if ref.answer is not None and source.answer != base.answer:
        parts.append(source.answer.form.replace("_", "-") + (" json" * source.answer.json_))
    if isinstance(base, Template) and ref.layout not in (None, base.layout):
        parts.append(str(ref.layout).replace("_", "-"))
    if source.claims_per_call != base.claims_per_call:
        parts.append(f"x{source.claims_per_call}")
    return " · ".join(parts)


def _trials(
    config: ExperimentConfig, wordings: dict[str, tuple[Wording, ...]], where: str
) -> tuple[Trial, ...]:
    several = len(config.judges) > 1
    forms = [parse_context_form(text, where) for text in config.context_forms]
    return tuple(
        Trial(
            f"{judge.key} | {_formed(name, form)}" if several else _formed(name, form),
            judge.key,
            variants,
            config.repeats,
            form,
        )
        for judge in config.judges
        for name, variants in wordings.items()
        for form in forms
    )


def _formed(name: str, form: ContextForm) -> str:
    return name if form == RAW else f"{name} · {form}"


def _judges(refs: Mapping[str, JudgeRef], folder: Path) -> dict[str, Judge]:
    """The judges by name; files in a spec are looked for beside the experiment.

    Raises:
        JudgeSpecError: With every spec that names no judge.
    """
    judges: dict[str, Judge] = {}
    problems: list[Problem] = []
    for name, ref in refs.items():
        try:
            judges[name] = open_judge(spec_beside(ref.spec, folder), _options(ref))
        except JudgeSpecError as error:
            problems += error.problems
    if problems:
        raise JudgeSpecError(problems)
    return judges


def _options(ref: JudgeRef) -> JudgeOptions:
    return JudgeOptions(
        api_base=ref.api_base,
        temperature=ref.temperature,
        seed=ref.seed,
        timeout_s=ref.timeout_s,
    )


def _sources(trials: Iterable[Collection[Wording]]) -> list[PromptSource]:
    return [
        source
        for variants in trials
        for wording in variants
        for source in wording.by_language.values()
    ]


def _notes(
    wordings: dict[str, tuple[Wording, ...]], languages: Sequence[str], gold: GoldSet
) -> list[str]:
    notes = list(gold.notes)
    for name, variants in wordings.items():
        for lang in variants[0].misses(languages):
            spoken = variants[0].source_for(lang).language
            notes.append(f"{name} has no {lang} template: {lang} claims are judged in {spoken}.")
        if any(isinstance(s, PeerTemplate) for s in variants[0].by_language.values()):
            others = [lang for lang in languages if lang.partition("-")[0] != "en"]
            if others:
                notes.append(f"{name} asks in English, about {', '.join(others)} claims too.")
    left_out = len(gold.claims) - len(gold.judged().claims)
    if left_out:
        notes.append(
            f"{counted(left_out, 'claims are')} marked exclude or labelled by a model: not judged."
        )
    return notes


def _label_notes(whole: GoldSet, part: GoldSet, config: ExperimentConfig) -> list[str]:
    """What a reader of the figures should know of labels that are missing, stale or corrected."""
    ref = config.gold
    waiting = sum(
        ref.split in (None, whole.split_of(claim))
        and claim.lang in (ref.languages or (claim.lang,))
        for claim in whole.pending
    )
    stale, corrected = len(needs_relabelling(part)), len(whole.corrections)
    notes = []
    if waiting:
        notes.append(f"{counted(waiting, 'claims have')} no gold label yet and take no part.")
    if stale:
        version = whole.manifest.labelling_policy.version
        notes.append(
            f"{counted(stale, 'labels are')} of before the labelling policy {version}; they count."
        )
    if corrected:
        notes.append(
            f"gold {whole.manifest.version}: {counted(corrected, 'labels were')} "
            "corrected since the claims "
            "file was written."
        )
    return notes


def _matches(folder: Path, pattern: str) -> list[Path]:
    """Files that a pattern means, from the experiment's folder or absolute, in order."""
    found = map(Path, glob(str(folder / pattern), recursive=True))
    return sorted(path for path in found if path.is_file())


def _choice_notes(config: ExperimentConfig, folder: Path) -> list[str]:
    return [
        f"{ref.path}: no such folder, so no template of your own takes part."
        for ref in config.templates
        if ref.path is not None
        and "*" in ref.path
        and not (folder / ref.path).parent.is_dir()
        and not _matches(folder, ref.path)
    ]
