"""Counts in words: one of a thing is no plural, in code and in the texts of reports."""

from __future__ import annotations

import json
import re
from pathlib import Path
from string import Formatter

import pytest

from metajudge.counted import counted, filled, variants
from metajudge.experiment.config import BudgetRef
from metajudge.metrics.diagnosis.words import word as diagnosis_word
from metajudge.report.translated import Translations
from metajudge.report.words import Words, word


@pytest.mark.parametrize(
    ("n", "nouns", "told"),
    [
        (1, "claims", "1 claim"),
        (0, "claims", "0 claims"),
        (1200, "claims wait", "1,200 claims wait"),
        (1, "more claims wait", "1 more claim waits"),
        (1, "stored replies were", "1 stored reply was"),
        (1, "people have", "1 person has"),
        (1, "units", "1 unit"),
    ],
)
def test_one_is_no_plural(n: int, nouns: str, told: str) -> None:
    assert counted(n, nouns) == told


def test_texts_of_reports_follow_their_counts_and_leave_values_alone() -> None:
    assert (
        filled("{n} answers of {who}", {"n": 1, "who": "1 claims {n}"})
        == "1 answer of 1 claims {n}"
    )
    assert (
        filled("{a} claims, {b:,} contexts are", {"a": 1, "b": 2000})
        == "1 claim, 2,000 contexts are"
    )
    told = {"n": 1, "contexts": 1, "level": "95%", "answer_level": "80%"}
    assert diagnosis_word("head", "en", **told).startswith("1 answer, 1 context;")
    assert word("claims_n", "en", n=1) == "1 claim"
    assert diagnosis_word("head", "zh", **told).startswith("1 个回答，1 份材料")


def test_a_reason_about_one_thing_is_translated_too() -> None:
    said = Words("{yes} of {n} claims are supported", "{n} 条陈述中有 {yes} 条有依据")
    translate = Translations({"said.x": said}, "said.")
    for n in (1, 3):
        assert translate(filled(said.en, {"yes": 1, "n": n}), "zh") == f"{n} 条陈述中有 1 条有依据"
    assert len(list(variants(said.en))) == 2


TABLES = sorted((Path(__file__).parents[1] / "metajudge").rglob("texts/*.json"))
MAY_FOLLOW = {"was", "is", "as", "differs", "changes", "axis", "folds", "resamples"}
"""Words in s after a value of one: verbs, a singular, and what there are always several of."""


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.name)
def test_no_text_has_a_plural_after_a_count_of_one(path: Path) -> None:
    texts = [en for en, _ in json.loads(path.read_text(encoding="utf-8")).values()]
    one = [
        filled(text, {name: 1 for _, name, _, _ in Formatter().parse(text) if name})
        for text in texts
    ]
    after = {word for text in one for word in re.findall(r"\b1 (\w+s)\b", text)}
    assert after - MAY_FOLLOW == set()


@pytest.mark.parametrize(
    ("n", "told"), [(1, "the budget of 1 call is"), (2, "the budget of 2 calls is")]
)
def test_a_budget_of_one_call_is_no_plural(n: int, told: str) -> None:
    assert BudgetRef(calls=n).spent.startswith(told)
