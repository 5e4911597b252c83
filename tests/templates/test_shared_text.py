from __future__ import annotations

import pytest

from metajudge.templates.shared_text import (
    LONG_RUN,
    SHORTEST_WHOLE,
    KnownTexts,
    Shared,
    runs,
    words_of,
)

WORDS = tuple(f"w{index}" for index in range(20))


def text(*words: str) -> str:
    return " ".join(words)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Tea is HOT.", "tea — is\n hot!"),
        ("ＡＢＣ １２，５％", "abc 12,5 %"),
        ("材料：水 温 为 90℃。", "材料 水温为９０°C"),
        ("snake_case", "snake case"),
    ],
)
def test_form_makes_no_other_words(one: str, other: str) -> None:
    assert words_of(one) == words_of(other) != ()


def test_each_chinese_character_is_a_word() -> None:
    assert words_of("SMF负责IP地址") == ("smf", "负", "责", "ip", "地", "址")


@pytest.mark.parametrize("empty", ["", " \n", "?!…", "。"])
def test_a_text_without_words_is_like_no_other(empty: str) -> None:
    known = KnownTexts({"empty": empty, "tea": "Tea."})
    assert list(known.shared_with(empty)) == []
    assert list(known.shared_with("Coffee.")) == []


def test_runs_of_a_shorter_text_are_none() -> None:
    assert list(runs(("a", "b", "c"), 2)) == [("a", "b"), ("b", "c")]
    assert list(runs(("a",), 2)) == []


def test_a_run_counts_from_its_length_on() -> None:
    known = KnownTexts({"k": text(*WORDS)})
    before, after = ("x", "y"), ("z",)
    enough = WORDS[4 : 4 + LONG_RUN]
    assert list(known.shared_with(text(*before, *enough, *after))) == [Shared("k", enough, False)]
    assert list(known.shared_with(text(*before, *enough[1:], *after))) == []


def test_a_shorter_text_counts_as_a_whole_in_both_directions() -> None:
    whole = WORDS[3 : 3 + SHORTEST_WHOLE]
    inside = text("a", *whole, *[f"b{index}" for index in range(20)])
    found = [Shared("k", whole, False)]
    assert list(KnownTexts({"k": text(*whole)}).shared_with(inside)) == found
    assert list(KnownTexts({"k": inside}).shared_with(text(*whole))) == found


def test_a_few_words_inside_another_text_are_no_sign() -> None:
    few = WORDS[: SHORTEST_WHOLE - 1]
    inside = text(*few, *[f"b{index}" for index in range(20)])
    assert list(KnownTexts({"k": text(*few)}).shared_with(inside)) == []
    assert list(KnownTexts({"k": inside}).shared_with(text(*few))) == []


def test_the_same_few_words_are_the_same_text() -> None:
    assert list(KnownTexts({"k": "Tea!"}).shared_with("tea")) == [Shared("k", ("tea",), True)]


def test_word_borders_do_not_hide_an_equal_text() -> None:
    assert [s.whole for s in KnownTexts({"k": "An e-mail."}).shared_with("An email")] == [True]


def test_each_known_text_is_found_once_and_in_order() -> None:
    known = KnownTexts({"b": text(*WORDS), "a": text("x", *WORDS), "c": "else"})
    assert [s.name for s in known.shared_with(text(*WORDS, *WORDS))] == ["b", "a"]
