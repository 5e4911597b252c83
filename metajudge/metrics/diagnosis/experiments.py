"""What the tree of causes asks to be tried, as files and commands that run."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from metajudge.errors import InputError
from metajudge.gold.goldset import load_goldset
from metajudge.gold.strict_yaml import dump_yaml, parse_yaml
from metajudge.gold.writer import json_text
from metajudge.judges.baseline import BASELINE
from metajudge.metrics.diagnosis.diagnose import Diagnosis
from metajudge.metrics.diagnosis.evaluated import EvaluatedRow
from metajudge.metrics.diagnosis.tables import ExperimentName, Pair
from metajudge.metrics.diagnosis.units import LENIENT, verdicts_of
from metajudge.report.part import Part
from metajudge.report.written_file import write_whole

KEEP = 5
"""Passages that a shortened context keeps, best first."""
_TRACED = ("groundedness_verdicts", "faithfulness_verdicts", "context_relevance_verdicts")


class Template(Part):
    """What an experiment tries, and its texts."""

    title: Pair
    sweep_asks: Pair
    answering: Pair
    sweep: dict[str, Any]
    rule: Pair | None = None


class Experiments(Part):
    """All experiments by name."""

    experiments: dict[ExperimentName, Template]


class Offer(NamedTuple):
    """One experiment that is ready to run.

    Attributes:
        name: Its name, and its folder.
        template: What it tries.
        sweep: Commands about the judge: a dry run, and the sweep.
        answered: Commands for when `answers.jsonl` is written.
    """

    name: ExperimentName
    template: Template
    sweep: tuple[str, ...]
    answered: tuple[str, ...]


@cache
def experiments() -> Mapping[ExperimentName, Template]:
    """The shipped experiments.

    >>> list(experiments())
    ['shorter-context', 'key-passage-last', 'hard-rule']
    """
    place = files("metajudge.metrics.diagnosis").joinpath("tables", "experiments.yaml")
    text = "experiments:\n" + "".join(
        f"  {line}\n" for line in place.read_text(encoding="utf-8").splitlines()
    )
    return parse_yaml(text, "experiments.yaml", Experiments, InputError).experiments


def worth_trying(diagnosis: Diagnosis) -> tuple[ExperimentName, ...]:
    """Experiments for the causes of the set and of single answers, the set's first."""
    walks = (one.causes for one in (diagnosis.whole, *diagnosis.answers))
    found = (name for walk in walks if walk is not None for name in walk.experiments)
    return tuple(dict.fromkeys(found))


def write_experiments(
    diagnosis: Diagnosis,
    names: Sequence[ExperimentName],
    folder: str | Path,
    *,
    gold: str | Path,
    judge: str,
    before: str | Path,
    api_base: str | None = None,
    releases: Sequence[str] = (),
) -> tuple[Offer, ...]:
    """Writes each experiment into a folder of its own.

    Args:
        diagnosis: Whose rows are to be answered again.
        names: Which experiments.
        folder: Where to.
        gold: The gold set that the judge is swept on.
        judge: Spec of the judge; the one that evaluated the rows.
        before: The evaluated rows, which later ones are compared with.
        api_base: Server of that judge.
        releases: Releases that served the rows' metrics, as `evaluate --release` takes them.

    Raises:
        InputError: The gold set is faulty, or a place cannot be written to.
    """
    split = "dev" if load_goldset(gold).manifest.split is not None else None
    offers = []
    for name in names:
        place = Path(folder) / name
        template = experiments()[name]
        part = {"path": os.path.relpath(gold, place)}
        part |= {} if split is None else {"split": split}
        asked = judge if api_base is None else {"spec": judge, "api_base": api_base}
        declared = _declared(name, template, judge) | {"gold": part, "judges": [asked]}
        write_whole(place / "experiment.yaml", dump_yaml(declared))
        write_whole(place / "questions.jsonl", _questions(name, diagnosis.sample.rows))
        if template.rule is not None:
            write_whole(place / "rule.txt", "\n\n".join(template.rule) + "\n")
        declaration = shlex.quote(str(place / "experiment.yaml"))
        sweep = (f"metajudge plan {declaration}", f"metajudge sweep {declaration}")
        metrics = ",".join(name for name in diagnosis.sample.means if name != LENIENT)
        options = ["--judge", judge, *(() if api_base is None else ("--api-base", api_base))]
        options += [part for release in releases for part in ("--release", release)]
        answered = _answered(place, metrics, shlex.join(options), shlex.quote(str(before)))
        offers.append(Offer(name, template, sweep, answered))
    return tuple(offers)


def _declared(name: str, template: Template, judge: str) -> dict[str, Any]:
    """An experiment as it is declared, but for its gold set and who is asked."""
    swept = dict(template.sweep)
    if judge.startswith(BASELINE) and "context_forms" in swept:
        # Such a judge writes nothing, so that it can list no facts.
        forms = swept["context_forms"]
        swept["context_forms"] = [form for form in forms if not form.startswith("truths")]
    return {
        "name": name,
        "question": template.sweep_asks[0],
        "gold": {},
        "judges": [],
        **swept,
        "policies": ["lenient", "strict"],
        "bootstrap": {"cluster": "context"},
    }


def _answered(place: Path, metrics: str, options: str, before: str) -> tuple[str, str]:
    """Commands for when the questions have been answered again."""
    answers, evaluated = (
        shlex.quote(str(place / f"{part}.jsonl")) for part in ("answers", "evaluated")
    )
    return (
        f"metajudge evaluate {answers} --metrics {metrics} {options} --out {evaluated}",
        f"metajudge diagnose {evaluated} --against {before}",
    )


def _questions(name: ExperimentName, rows: Sequence[EvaluatedRow]) -> str:
    return "".join(f"{json_text(_question(name, row))}\n" for row in rows)


def _question(name: ExperimentName, evaluated: EvaluatedRow) -> dict[str, Any]:
    """A row without its answer, to be answered again; ids stay, so that the two can be paired."""
    row = evaluated.row
    passages = list(row.passages or ())
    if name == "shorter-context":
        passages = passages[:KEEP]
    if name == "key-passage-last":
        passages = _key_last(passages, row.fields)
    held = {
        "answer_id": row.answer_id,
        "question": row.question,
        "context": passages,
        "reference": row.reference,
        "lang": row.lang,
        "context_id": row.context_id,
    }
    return {field: value for field, value in held.items() if value is not None}


def _key_last(passages: list[str], fields: Mapping[str, Any]) -> list[str]:
    """The passage that most units were traced to stands last; the first one where none was."""
    if not passages:
        return passages
    traced = [
        unit["passage"]
        for column in _TRACED
        for unit in verdicts_of(fields.get(column))
        if unit.get("label") == "yes"
        and isinstance(unit.get("passage"), int) and 0 <= unit["passage"] < len(passages)
    ]  # fmt: skip
    key = max(dict.fromkeys(traced), key=traced.count, default=0)
    return [*passages[:key], *passages[key + 1 :], passages[key]]
