import json
import re
import string
from importlib.resources import files

import pytest

from metajudge.gold.claim import SLICES
from metajudge.gold.controls import KINDS
from metajudge.report.words import (
    LANGUAGES,
    TEXTS,
    WORDS,
    both,
    reading_word,
    word,
    word_or_code,
    words_with,
)
from metajudge.templates.perturb import AXES
from metajudge.verdicts.verdict import FAILURES


@pytest.mark.parametrize("key", sorted(WORDS))
def test_every_text_is_in_both_languages_with_the_same_places(key: str) -> None:
    places = [
        {name for _, name, _, _ in string.Formatter().parse(text) if name} for text in WORDS[key]
    ]
    assert all(text.strip() for text in WORDS[key])
    assert places[0] == places[1]


def test_every_slice_and_failure_has_a_text() -> None:
    for code in SLICES:
        assert f"slice.{code}" in WORDS
    for code in FAILURES:
        assert f"failure.{code}" in WORDS


def test_values_are_not_read_as_places() -> None:
    assert word("claims_n", "en", n="{0} {x}") == "{0} {x} claims"


def test_a_text_in_both_languages() -> None:
    assert both(lambda lang: word("figure.over_credit", lang)) == WORDS["figure.over_credit"]


def test_a_reading_with_a_threshold_is_told_in_both_languages() -> None:
    assert reading_word("top@0.60", "en") == "top label, P(yes) ≥ 0.60"
    assert reading_word("prior_corrected@0.125", "zh", short=True) == "先验 ≥ 0.125"
    assert reading_word("batch_corrected", "zh") == WORDS["reading.batch_corrected"].zh


def test_a_page_gets_the_words_of_its_readings_and_no_others() -> None:
    assert words_with(["top", "batch_corrected"]) == WORDS
    found = words_with(["top", "batch_corrected@0.60"])
    assert found.keys() - WORDS.keys() == {"reading.batch_corrected@0.60"}
    assert found["reading.batch_corrected@0.60"].en == "batch-corrected, P(yes) ≥ 0.60"


def test_a_code_without_text_is_shown_as_it_is() -> None:
    assert all(word_or_code("guardrail", "of {mine}", lang) == "of {mine}" for lang in LANGUAGES)


PAGE = sorted(
    file.name
    for file in files("metajudge.report").joinpath("page").iterdir()
    if file.name.endswith((".j2", ".js"))
)


@pytest.mark.parametrize("name", PAGE)
def test_every_key_used_by_the_page_exists(name: str) -> None:
    text = files("metajudge.report").joinpath("page", name).read_text(encoding="utf-8")
    used = re.findall(r'\b(?:word|t|lab)\("([a-z_.0-9]+)"[,)]', text)
    assert not [key for key in used if key not in WORDS]


def test_every_key_used_by_the_reports_exists() -> None:
    room = files("metajudge.report")
    for file in room.iterdir():
        if file.name.endswith(".py"):
            used = re.findall(r'\bword\(\s*"([a-z_.0-9]+)"[,)]', file.read_text(encoding="utf-8"))
            assert not [key for key in used if key not in WORDS], file.name


def test_no_key_stands_in_two_files() -> None:
    folder = files("metajudge.report").joinpath("texts")
    assert {file.name for file in folder.iterdir()} == {f"{name}.json" for name in TEXTS}
    keys = [
        key
        for name in TEXTS
        for key, _ in json.loads(
            folder.joinpath(f"{name}.json").read_text(encoding="utf-8"), object_pairs_hook=list
        )
    ]
    assert len(keys) == len(set(keys)) == len(WORDS)


def test_every_axis_control_and_guardrail_has_a_text() -> None:
    for axis in (*AXES, "repeats"):
        assert f"axis.{axis}" in WORDS
    for kind in KINDS:
        assert f"control.{kind}" in WORDS
    for name in ("flip_rate", "insensitive", "over_credit_upper", "coverage", "kappa_above"):
        assert f"guardrail.{name}" in WORDS
