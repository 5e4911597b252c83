from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metajudge.errors import TemplateError
from metajudge.templates.dialect import (
    DIALECTS,
    LETTERS,
    WORDS,
    Dialect,
    dialect_problems,
    named_dialect,
)

BUILT_IN = [dialect for languages in DIALECTS.values() for dialect in languages.values()]
dialects = st.sampled_from(BUILT_IN)


@given(dialects, st.integers(-7, 7))
def test_letters_stay_by_position_and_words_stay_with_their_label(
    dialect: Dialect, steps: int
) -> None:
    turned = dialect.rotated(steps)
    assert set(turned.words) == set(dialect.words)
    if dialect.kind == "letters":
        assert list(turned.words.values()) == list(dialect.words.values())
    else:
        assert turned.words == dialect.words
    labels = list(dialect.words)
    assert list(turned.words) == labels[steps % 3 :] + labels[: steps % 3]


@given(dialects, st.integers(0, 5), st.integers(0, 5))
def test_rotations_add_up_and_a_full_turn_is_identity(
    dialect: Dialect, first: int, second: int
) -> None:
    assert dialect.rotated(3) == dialect
    twice = dialect.rotated(first).rotated(second)
    assert twice == dialect.rotated(first + second)
    assert list(twice.words) == list(dialect.rotated(first + second).words)


@given(st.integers(0, 5))
def test_a_rotation_is_named_by_its_steps(steps: int) -> None:
    name = f"letters+{steps}"
    assert named_dialect(name, "en") == LETTERS["en"].rotated(steps)
    assert named_dialect(name, "en").name == (
        "letters" if steps % 3 == 0 else f"letters+{steps % 3}"
    )


@pytest.mark.parametrize("name", ["lettres", "letters+", "letters+x", "letters+²", "+1", ""])
def test_an_unknown_name_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(TemplateError, match="words, relation, letters"):
        named_dialect(name, "en")


def test_a_language_without_the_dialect_is_refused() -> None:
    with pytest.raises(TemplateError, match="exists in en, zh"):
        named_dialect("words", "fr")


@pytest.mark.parametrize("dialect", BUILT_IN, ids=lambda d: f"{d.name} {d.words['yes']}")
def test_built_in_dialects_have_no_fault(dialect: Dialect) -> None:
    assert dialect_problems(dialect, "built-in") == []


def test_every_fault_of_a_dialect_is_named_at_once() -> None:
    odd = Dialect(
        name="odd",
        words={"yes": "OK", "no": "ｏｋ", "idk": " "},
        spellings={"yes": ("two\nlines",)},
    )
    fields = [p.field for p in dialect_problems(odd, "t")]
    assert fields == ["labels.yes", "labels.no", "labels.idk"]


def test_one_word_for_two_labels_is_found_in_spellings_too() -> None:
    words = WORDS["en"].model_copy(update={"spellings": {"idk": ("YES",)}})
    (problem,) = dialect_problems(words, "t")
    assert problem.field == "labels.idk"
    assert "'yes' has it too" in problem.law


def test_spellings_of_a_label_that_is_not_offered_are_refused() -> None:
    odd = Dialect(name="odd", words={"yes": "y", "no": "n"}, spellings={"idk": ("?",)})
    assert [p.field for p in dialect_problems(odd, "t")] == ["labels.spellings.idk"]


def test_one_label_is_too_few() -> None:
    assert dialect_problems(Dialect(name="odd", words={"yes": "y"}), "t")[0].field == "labels"
