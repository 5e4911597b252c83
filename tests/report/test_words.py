import re
import string
from importlib.resources import files

import pytest

from metajudge.gold.claim import SLICES
from metajudge.report.words import LANGUAGES, WORDS, word, word_or_code
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


def test_a_code_without_text_is_shown_as_it_is() -> None:
    assert all(word_or_code("guardrail", "of {mine}", lang) == "of {mine}" for lang in LANGUAGES)


@pytest.mark.parametrize("name", ["page.html.j2", "browser.js", "charts.js"])
def test_every_key_used_by_the_page_exists(name: str) -> None:
    text = files("metajudge.report").joinpath(name).read_text(encoding="utf-8")
    used = re.findall(r'\b(?:word|t|lab)\("([a-z_.]+)"[,)]', text)
    assert used
    assert not [key for key in used if key not in WORDS]
