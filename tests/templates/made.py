"""Templates made for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from metajudge.templates import Template

BASE: dict[str, Any] = {
    "name": "plain",
    "version": "1.0.0",
    "family": "plain",
    "language": "en",
    "definitions": {"yes": "it says so.", "no": "it says otherwise.", "idk": "it says nothing."},
}

YAML = """\
name: plain
version: 1.0.0
family: plain
language: en
labels: words
definitions:
  yes: it says so.
  no: it says otherwise.
  idk: it says nothing.
rules:
  - Read with care.
answer: {form: label_only, json: false}
"""


def make(**changes: Any) -> Template:
    """The base template with some fields changed."""
    return Template.model_validate({**BASE, **changes})


def write(folder: Path, text: str, name: str = "plain.en.yaml") -> Path:
    """A template file."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path
