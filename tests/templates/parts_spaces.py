"""Spaces of parts, small and with every axis, and what is asked of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from metajudge.errors import TemplateError
from metajudge.templates import Template, Wording
from metajudge.templates.parts import PartsSpace
from tests.templates.test_pool import MIXED

BOTH = ("en", "zh")
FULL: dict[str, Any] = {
    "bases": ["literal", "summary-tolerant"],
    "asks": {"en": ["Is it so?", "Is the claim backed?"], "zh": ["对吗？"]},
    "definitions": {
        "en": {"idk": ["open."]},
        "zh": {"yes": ["有。"], "idk": ["没有。", "不清楚。"]},
    },
    "rules": {"en": ["Be fair.", "Sums are {{ yes }}."], "zh": ["公平。"]},
    "labels": ["words", "letters"],
    "layouts": ["context_first", "claim_last"],
    "answers": [{"form": "label_only"}, {"form": "reason_first", "json": True}],
}


def space(**changes: Any) -> PartsSpace:
    return PartsSpace.model_validate({"bases": ["literal"], **changes})


def full(**changes: Any) -> PartsSpace:
    return PartsSpace.model_validate({**FULL, **changes})


def template_of(wording: Wording, language: str = "en") -> Template:
    found = wording.by_language[language]
    assert isinstance(found, Template)
    return found


def with_pool(folder: Path, **examples: Any) -> PartsSpace:
    rows = "".join(f"{json.dumps(fields, ensure_ascii=False)}\n" for fields in MIXED)
    (folder / "pool.jsonl").write_text(rows, encoding="utf-8")
    return space(examples={"path": "pool.jsonl", **examples})


def faults(given: PartsSpace, folder: Path = Path()) -> list[str]:
    with pytest.raises(TemplateError) as caught:
        given.check(folder, BOTH)
    return [str(problem) for problem in caught.value.problems]
