"""Experiments on disk, small enough to reckon by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from metajudge.experiment import Experiment
from metajudge.gold.strict_yaml import dump_yaml
from metajudge.report.results import Results

LOOSE = {"over_credit_upper": 0.45, "kappa_above": 0.0, "coverage": 0.98}
QUICK = {"resamples": 200, "cluster": "answer"}
N_HALLS = 6

TEMPLATE = """\
name: {name}
version: 1.0.0
family: own
language: {language}
labels: {labels}
definitions:
  yes: "{rule} it follows."
  no: "it conflicts."
  idk: "it is not there."
"""


def halls(n: int = N_HALLS, lang: str = "en") -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows of claims and contexts: in each hall a literal, a summary, a wrong and a lost claim."""
    claims: list[dict[str, Any]] = []
    contexts: list[dict[str, Any]] = []
    for i in range(n):
        name = f"Hall {lang}{i}"
        contexts.append(
            {
                "context_id": f"x-{lang}{i}",
                "passages": [f"{name} opens at {9 + i}.", f"{name} lends {20 + i} books."],
            }
        )
        for kind, text, label in (
            ("literal", f"{name} opens at {9 + i}.", "yes"),
            ("summary", f"Access and lending are both settled for {name}.", "yes"),
            ("contradiction", f"{name} opens at {90 + i}.", "no"),
            ("off_context", f"Somebody sells tea near {name}, they say.", "idk"),
        ):
            claims.append(
                {
                    "claim_id": f"{lang}{i}-{kind}",
                    "answer_id": f"a-{lang}{i}",
                    "context_id": f"x-{lang}{i}",
                    "claim": text,
                    "label": label,
                    "slice": kind,
                    "lang": lang,
                }
            )
    return claims, contexts


def write_gold(
    folder: Path,
    claims: Sequence[Mapping[str, Any]] | None = None,
    contexts: Sequence[Mapping[str, Any]] | None = None,
    **manifest: Any,
) -> Path:
    """A gold set in `folder / gold`; the halls in English unless rows are given."""
    usual_claims, usual_contexts = halls()
    claims = usual_claims if claims is None else claims
    place = folder / "gold"
    place.mkdir(exist_ok=True)
    told = {
        "name": "halls",
        "version": "1",
        "languages": sorted({str(claim["lang"]) for claim in claims}),
        "labelling_policy": {"version": "1"},
        "licence": "CC0-1.0",
        "provenance": "written for the tests",
        "label_source": "human",
        **manifest,
    }
    (place / "goldset.yaml").write_text(dump_yaml(told), encoding="utf-8")
    rows(place / "claims.jsonl", claims)
    rows(place / "contexts.jsonl", usual_contexts if contexts is None else contexts)
    return place


def rows(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Rows as JSON lines."""
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")


def write_template(
    folder: Path, name: str, rule: str = "given all,", language: str = "en", labels: str = "words"
) -> Path:
    """A template file in `folder / templates`."""
    place = folder / "templates"
    place.mkdir(exist_ok=True)
    path = place / f"{name}.{language}.yaml"
    text = TEMPLATE.format(name=name, rule=rule, language=language, labels=labels)
    path.write_text(text, encoding="utf-8")
    return path


def write_script(folder: Path, rules: Sequence[tuple[str, Any]], default: Any = "idk") -> str:
    """A scripted judge beside the experiment; gives its spec."""
    script = {
        "name": "script",
        "rules": [{"match": match, "reply": reply} for match, reply in rules],
        "replies": [default],
    }
    (folder / "judge.yaml").write_text(dump_yaml(script), encoding="utf-8")
    return "scripted:judge.yaml"


CAREFUL = [
    (r"Claim: Hall \w+ opens at \d\.", "yes"),
    (r"Claim: Hall \w+ opens at 1\d\.", "yes"),
    (r"Claim: Hall \w+ opens", "no"),
    (r"(?s)Claim: Access.*MIND", "yes"),
]
"""A judge that calls summaries idk unless the template holds the word MIND."""


def declare(folder: Path, **fields: Any) -> Experiment:
    """An experiment file in the folder, read back; a gold set is written if there is none."""
    if not (folder / "gold").exists():
        write_gold(folder)
    declared = {
        "name": "test",
        "gold": {"path": "gold"},
        "judges": ["baseline:ngram"],
        "templates": ["literal"],
        "guardrails": LOOSE,
        "bootstrap": QUICK,
        **fields,
    }
    path = folder / "experiment.yaml"
    path.write_text(dump_yaml(declared), encoding="utf-8")
    return Experiment.from_file(path)


def bare(results: Results) -> dict[str, Any]:
    """Results without what differs from run to run: time and the account of calls."""
    return results.model_dump(exclude={"created", "calls"})
