"""How many planted faults are found in natural phrasings, and that sound ones are spared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from metajudge.templates import Template
from metajudge.templates.prompt_lint import PromptFinding, lint_template
from tests.templates.linted import SOUND, found

FOLDER = Path(__file__).parent
LEAST = {"lint_wordings": 106, "lint_unseen": 22}
"""Of 120 and 40 planted faults; nobody has prepared the lists for the latter."""
LEAST_SENTENCES = 106
"""Of 112."""


def rows(name: str) -> dict[str, list[Any]]:
    text = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    return dict(yaml.safe_load(text))


def linted(row: dict[str, Any]) -> tuple[PromptFinding, ...]:
    labels = [label for label in ("yes", "no", "idk") if label in row]
    fields = {
        "name": "phrased",
        "version": "1.0.0",
        "family": "phrased",
        "language": row["language"],
        "definitions": {label: row[label] for label in labels},
        "rules": row["rules"],
        "labels": row.get("labels", "words"),
        "answer": {"form": row.get("form", "label_only")},
        "ask": row.get("ask"),
    }
    return lint_template(Template.model_validate(fields))


def of_sentence(language: str, changes: dict[str, Any]) -> tuple[PromptFinding, ...]:
    changed = dict(changes)
    two = changed.pop("two", ())
    if two:
        changed["rules"] = [*SOUND[language]["rules"], *two]
    return found(language, **changed)


@pytest.mark.parametrize("name", LEAST)
def test_most_planted_faults_are_found(name: str) -> None:
    planted = rows(name)["planted"]
    hits = [row["id"] for row in planted if {f.code for f in linted(row)} & set(row["codes"])]
    assert len(hits) >= LEAST[name], sorted({row["id"] for row in planted} - set(hits))


@pytest.mark.parametrize(
    "row",
    [row for name in LEAST for row in rows(name)["sound"]],
    ids=lambda row: f"{row['id']}-{row['yes'][:12]}",
)
def test_sound_wordings_are_spared(row: dict[str, Any]) -> None:
    assert [finding for finding in linted(row) if finding.severity != "note"] == []


def test_most_faulty_sentences_are_found() -> None:
    planted = rows("lint_sentences")["planted"]
    hits = [
        (language, code, changes)
        for language, code, changes in planted
        if code in {finding.code for finding in of_sentence(language, changes)}
    ]
    assert len(hits) >= LEAST_SENTENCES


@pytest.mark.parametrize(("language", "changes"), rows("lint_sentences")["spared"])
def test_sound_sentences_are_spared(language: str, changes: dict[str, Any]) -> None:
    told = [f for f in of_sentence(language, changes) if f.severity != "note"]
    assert told == []
