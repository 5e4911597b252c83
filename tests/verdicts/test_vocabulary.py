"""Whole labels, folded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metajudge.templates.dialect import DIALECTS
from metajudge.verdicts.vocabulary import fold, undecorated, vocabulary_of

EVERY = [dialect for group in DIALECTS.values() for dialect in group.values()]


@pytest.mark.parametrize("dialect", EVERY, ids=lambda d: d.name)
def test_every_declared_spelling_is_its_label(dialect) -> None:
    vocabulary = vocabulary_of(dialect)
    for label, word in dialect.words.items():
        for spelling in (word, *dialect.spellings.get(label, ())):
            for text in (spelling, spelling.upper(), f" {spelling}.", f"**{spelling}**。"):
                assert vocabulary.whole_word(text) == label


@pytest.mark.parametrize("dialect", EVERY, ids=lambda d: d.name)
def test_rotation_changes_which_label_a_letter_is(dialect) -> None:
    rotated = dialect.rotated(1)
    vocabulary = vocabulary_of(rotated)
    for label, word in rotated.words.items():
        assert vocabulary.whole_word(word) == label


@given(st.text(max_size=30))
def test_fold_and_undecorated_are_stable(text: str) -> None:
    folded = fold(text)
    assert fold(folded) == folded or not text.isascii()
    assert undecorated(undecorated(folded)) is not None


def test_long_text_is_no_label() -> None:
    assert vocabulary_of(EVERY[0]).whole_word("yes" + " " * 300) is None
