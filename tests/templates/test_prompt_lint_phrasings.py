"""Whole templates in many phrasings: what is planted is found, and the rest is spared."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from metajudge.templates import Template
from metajudge.templates.prompt_lint import PromptFinding, lint_template

FILE = Path(__file__).with_name("lint_phrasings.yaml")
ROWS: dict[str, list[dict[str, Any]]] = yaml.safe_load(FILE.read_text(encoding="utf-8"))


def found_in(row: dict[str, Any]) -> list[PromptFinding]:
    fields = {
        "name": "phrased",
        "version": "1.0.0",
        "family": "phrased",
        "language": row["language"],
        "definitions": {label: row[label] for label in ("yes", "no", "idk")},
        "rules": row.get("rules", []),
        "labels": row.get("labels", "words"),
        "answer": {"form": row.get("answer", "label_only")},
    }
    return list(lint_template(Template.model_validate(fields)))


@pytest.mark.parametrize("row", ROWS["sound"], ids=lambda row: row["yes"])
def test_a_sound_template_is_spared(row: dict[str, Any]) -> None:
    assert [finding for finding in found_in(row) if finding.severity != "note"] == []


@pytest.mark.parametrize("row", ROWS["faulty"], ids=lambda row: f"{row['yes']} {row['planted'][0]}")
def test_what_is_planted_is_found(row: dict[str, Any]) -> None:
    assert {finding.code for finding in found_in(row)} & set(row["planted"])
