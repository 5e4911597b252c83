import pytest

from metajudge.gold.tables.meanings import SKIPPED, folded_label, meaning_of


@pytest.mark.parametrize(
    ("words", "labels", "space"),
    [
        ("yes no idk", "yes no idk", "ternary"),
        ("supported unsupported", "supported unsupported", "binary"),
        ("entailment contradiction neutral", "yes no idk", "ternary"),
        ("supports refutes nei", "yes no idk", "ternary"),
        ("是 否 不确定", "yes no idk", "ternary"),
        ("支持 矛盾 未提及", "yes no idk", "ternary"),
        ("有依据 无依据", "supported unsupported", "binary"),
        ("支持 不支持", "supported unsupported", "binary"),
        ("faithful hallucinated", "supported unsupported", "binary"),
        ("entailed contradicted", "yes no", "ternary"),
        ("supported contradicted", "yes no", "ternary"),
        ("1 0", "supported unsupported", "binary"),
        ("yes no", "supported unsupported", "binary"),
        ("true false", "supported unsupported", "binary"),
        ("对 错", "supported unsupported", "binary"),
        ("supported unsupported neutral", "supported unsupported unsupported", "binary"),
    ],
)
def test_usual_words_are_read_together(words, labels, space):
    found = meaning_of(words.split())
    assert list(found.labels.values()) == labels.split()
    assert (found.space, found.unknown) == (space, ())


def test_two_words_mean_the_weaker_thing_unless_said_otherwise():
    assert "unsupported" in meaning_of(["yes", "no"]).why
    assert not meaning_of(["yes", "no"]).certain
    asked = meaning_of(["yes", "no"], space="ternary")
    assert dict(asked.labels) == {"yes": "yes", "no": "no"}
    given = meaning_of(["yes", "no"], {"No": "no", "yes": "yes"})
    assert dict(given.labels) == {"yes": "yes", "no": "no"}
    assert given.certain


def test_only_our_own_words_and_given_ones_are_certain():
    assert meaning_of(["yes", "no", "idk"]).certain
    assert not meaning_of(["entailment", "contradiction", "neutral"]).certain
    assert meaning_of(["gut", "idk"], {"Gut": "yes"}).certain
    assert not meaning_of(["gut", "neutral"], {"Gut": "yes"}).certain


def test_unknown_words_are_named_and_skipping_is_none():
    found = meaning_of(["yes", "no", "idk", "hmm", "=1+1", "#n/a", "skip", "跳过"])
    assert found.unknown == ("hmm", "=1+1", "#n/a")
    assert {"skip", "跳过"} <= SKIPPED
    assert not set(found.labels) & SKIPPED


@pytest.mark.parametrize(
    "cell",
    ["Not Enough Info", "NOT_ENOUGH_INFO.", " not-enough  info ", "ＮＯＴ　ＥＮＯＵＧＨ　ＩＮＦＯ"],
)
def test_words_are_compared_without_dress(cell):
    assert meaning_of([folded_label(cell)]).labels == {"not enough info": "idk"}
    assert folded_label(1.0) == folded_label(1) == folded_label("1") == "1"


@pytest.mark.parametrize("words", ["1 2 3 4 5", "0 1 2", "1 0 -1", "0 0.5 1", "1 0 4", "1 -1"])
def test_b92_numbers_of_a_scale_mean_nothing_by_themselves(words):
    found = meaning_of(words.split())
    assert (dict(found.labels), found.unknown) == ({}, tuple(words.split()))
    some = meaning_of(words.split(), {words.split()[0]: "yes"})
    assert dict(some.labels) == {words.split()[0]: "yes"}


def test_b92_a_sign_is_part_of_a_number():
    assert [folded_label(cell) for cell in (-1, "-1", "−1", "non-entailment", "–")] == [
        *("-1", "-1", "−1", "non entailment", "–")
    ]
