"""A proposal on disk: template files with their parentage, and an experiment that sweeps them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

from metajudge.experiment.build import gold_path, trial_wordings
from metajudge.experiment.config import TemplateRef
from metajudge.experiment.fingerprint import config_sha256
from metajudge.experiment.sweep import Experiment
from metajudge.gold.strict_yaml import dump_yaml
from metajudge.judges.spec import spec_beside, spec_from
from metajudge.report.inert import one_line
from metajudge.report.written_file import write_whole
from metajudge.runner.trial import Trial
from metajudge.templates.catalogue import Wording, catalogue
from metajudge.templates.parentage import Method, Parentage
from metajudge.templates.source import PromptSource
from metajudge.templates.template import Template
from metajudge.templates.wording_files import with_parentage, write_wording

FOLDER, TEMPLATES, FILE = "proposals", "templates", "experiment.yaml"
_LEFT_OUT = ("factors", "search", "stability", "controls", "name")


class Origin(NamedTuple):
    """How a proposal came about.

    Attributes:
        method: `search` or `optimise`.
        tool: Name of the tool.
        tool_version: Its version.
        run: Name of the study or run.
        trial: Number in the study; None where there is none.
        setting: The point of the space; {} for an optimiser.
        source: Where an optimiser's words come from.
    """

    method: Method
    tool: str
    tool_version: str
    run: str
    trial: int | None = None
    setting: dict[str, Any] = {}  # noqa: RUF012
    source: str | None = None


class Written(NamedTuple):
    """What was written.

    Attributes:
        experiment: The experiment's file.
        templates: Template files of the proposal.
        parents: Labels of the templates that it was made from.
    """

    experiment: Path
    templates: tuple[Path, ...]
    parents: tuple[str, ...]


def write_proposal(
    experiment: Experiment,
    trial: Trial,
    reading: str,
    *,
    parents: Wording,
    origin: Origin,
    folder: Path,
    beside: tuple[Trial, ...] = (),
    languages: tuple[str, ...] = (),
    remarks: tuple[str, ...] = (),
) -> Written:
    """Write a proposed trial as template files, and an experiment that sweeps it on the dev claims.

    The experiment names the baseline, the proposal's base and the trials beside it, keeps target,
    guardrails, seed and budget, and can be confirmed with `metajudge select --confirm`.

    Args:
        experiment: What was searched.
        trial: The proposal.
        reading: Its reading.
        parents: The wording that it was made from.
        origin: How it came about.
        folder: Where proposals go; this one gets a folder of its own in it.
        beside: Declared trials that are swept too.
        languages: Language tags of the claims to sweep; () leaves them as declared.
        remarks: Comments above the experiment, a line each.

    Raises:
        InputError: A file cannot be written.
    """
    wording = with_parentage(trial.variants[0], _parentage(experiment, origin), parents)
    place = folder / wording.name
    files = write_wording(wording, place / TEMPLATES)
    told = _declared(experiment, trial, reading, parents=parents, beside=beside, place=place)
    if languages:
        told["gold"] |= {"languages": list(languages)}
    head = "".join(f"# {one_line(remark)}\n" for remark in remarks)
    path = write_whole(place / FILE, head + dump_yaml(told))
    Experiment.from_file(path).prepare()
    labels = [parent.label for parent in _told_parents(wording)]
    return Written(path, tuple(files), tuple(dict.fromkeys(labels)))


def seen_from(path: Path, out: Path) -> str:
    """A file of a proposal as reports name it: from the folder that they are in."""
    return path.relative_to(out).as_posix()


def _told_parents(wording: Wording) -> Iterator[Any]:
    for source in wording.by_language.values():
        if isinstance(source, Template) and source.parentage is not None:
            yield from source.parentage.parents


def _parentage(experiment: Experiment, origin: Origin) -> Parentage:
    return Parentage(
        method=origin.method,
        tool=origin.tool,
        tool_version=origin.tool_version,
        run=origin.run,
        trial=origin.trial,
        setting=dict(origin.setting),
        source=origin.source,
        experiment=experiment.config.name,
        experiment_sha256=config_sha256(experiment.config),
        created=datetime.now(timezone.utc).date().isoformat(),
    )


def _declared(
    experiment: Experiment,
    trial: Trial,
    reading: str,
    *,
    parents: Wording,
    beside: tuple[Trial, ...],
    place: Path,
) -> dict[str, Any]:
    """The fields of the experiment that sweeps a proposal."""
    config, folder = experiment.config, experiment.path.parent
    kept = (trial, *beside)
    judges = [judge for judge in config.judges if judge.key in {one.judge for one in kept}]
    forms = [form for form in config.context_forms if form in {str(one.form) for one in kept}]
    whole = config.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    told = {name: value for name, value in whole.items() if name not in _LEFT_OUT}
    told |= {
        "name": f"{config.name}-{trial.variants[0].name}",
        "gold": told["gold"] | {"path": _from(Path(gold_path(config, folder)), place)},
        "judges": [
            judge.model_dump(mode="json", exclude_defaults=True)
            | {"spec": spec_from(spec_beside(judge.spec, folder), place), "name": judge.key}
            for judge in judges
        ],
        "templates": [
            *_templates(experiment, beside, list(trial.variants[0].by_language), place),
            *_base(experiment, parents, place),
            {"path": f"{TEMPLATES}/*.yaml"},
        ],
        "context_forms": forms,
        "readings": list(dict.fromkeys((*config.readings, reading))),
        "recordings": [_from(folder / name, place) for name in config.recordings],
    }
    if config.controls is not None:
        told["controls"] = {"per_kind": config.controls.per_kind}
    if config.stability.claims and config.perturbations:
        told["stability"] = {"claims": config.stability.claims}
    baseline = next((one for one in beside if one.name == config.baseline), None)
    if baseline is not None:
        several = len(judges) > 1
        told["baseline"] = baseline.name if several else _bare(baseline)
    ordered = ("name", "question", "gold", "judges", "templates", "context_forms", "readings")
    first = {name: told[name] for name in ordered if told.get(name)}
    return first | {name: value for name, value in told.items() if value not in ((), [])}


def _wording_name(trial: Trial) -> str:
    """What a trial is called before its judge and its context form."""
    return _bare(trial).removesuffix(f" · {trial.form}")


def _bare(trial: Trial) -> str:
    """A trial's name where there is one judge."""
    return trial.name.removeprefix(f"{trial.judge} | ")


def _templates(
    experiment: Experiment, trials: tuple[Trial, ...], languages: list[str], place: Path
) -> Iterator[dict[str, Any]]:
    """References to the wordings of some declared trials, seen from another folder."""
    folder = experiment.path.parent
    names = {_wording_name(trial) for trial in trials}
    for ref in experiment.config.templates:
        if not names & trial_wordings([ref], folder, languages, str(experiment.path)).keys():
            continue
        told = ref.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        if ref.path is not None:
            told["path"] = _from(folder / ref.path, place)
        yield told


def _base(experiment: Experiment, parents: Wording, place: Path) -> Iterator[dict[str, Any]]:
    """The proposal's base, where it is not declared as it is."""
    folder, config = experiment.path.parent, experiment.config
    plain = [ref for ref in config.templates if _is_plain(ref)]
    declared: dict[str, tuple[Wording, ...]] = {}
    for ref in plain:
        languages = list(parents.by_language)
        declared |= trial_wordings([ref], folder, languages, str(experiment.path))
    if any(_same(variants[0], parents) for variants in declared.values()):
        return
    if parents.name in catalogue() and _same(catalogue()[parents.name], parents):
        yield {"name": parents.name}
        return
    write_wording(parents, place / TEMPLATES)


def _is_plain(ref: TemplateRef) -> bool:
    told = ref.model_dump(exclude_defaults=True)
    return not told.keys() - {"name", "path"}


def _same(wording: Wording, other: Wording) -> bool:
    return _prints(wording.by_language) <= _prints(other.by_language) or _prints(
        other.by_language
    ) <= _prints(wording.by_language)


def _prints(sources: Any) -> set[tuple[str, str]]:
    told: dict[str, PromptSource] = dict(sources)
    return {(language, source.fingerprint) for language, source in told.items()}


def _from(path: Path, place: Path) -> str:
    """A path as it is seen from a folder; with slashes on every system."""
    return Path(os.path.relpath(path, place)).as_posix()
