from datetime import datetime, timezone

import pytest

from metajudge.gold.importing.source import Source
from metajudge.gold.importing.words import (
    identifier,
    label_of,
    moment,
    person,
    question_named,
    word_of,
)

PLAIN = Source("a.jsonl")


@pytest.mark.parametrize("word", ["grounded", "true", "1", "entailment", "支持", "factual", ""])
def test_words_that_are_not_ours_are_never_guessed(word):
    assert label_of(word, PLAIN) is None


def test_our_words_in_any_case_and_the_map_before_them():
    assert [label_of(word, PLAIN) for word in ("YES", "Idk", "unsupported")] == [
        "yes",
        "idk",
        "unsupported",
    ]
    source = Source("a", None, {"Yes": "no", "支持": "supported"})
    assert (label_of("yes", source), label_of("支持", source)) == ("no", "supported")


@pytest.mark.parametrize("name", ["hallucination", "Is unfaithful?", "ungrounded", "有幻觉吗"])
def test_yes_to_the_opposite_question_needs_the_map(name):
    assert label_of("yes", PLAIN, name) is None
    assert label_of("unsupported", PLAIN, name) == "unsupported"
    assert label_of("yes", Source("a", None, {"yes": "unsupported"}), name) == "unsupported"


def test_words_of_values():
    values = (True, 0.0, 0.5, ["yes"], ["yes", None, "no"], {"a": 1}, None, " 茶 ")
    assert [word_of(value) for value in values] == [
        "true",
        "0",
        "0.5",
        "yes",
        "yes, no",
        "{'a': 1}",
        "",
        "茶",
    ]


def test_which_question_asks_for_the_label():
    assert question_named(["tone", "Verdict"], PLAIN) == ("Verdict", "")
    assert question_named(["tone", "tone"], PLAIN) == (
        None,
        "say which one is the label: tone",
    )
    assert question_named(["verdict", "label"], PLAIN)[0] is None
    assert question_named([], PLAIN) == (None, "")
    mapped = Source("a", {"label": "判断"})
    assert question_named(["判断", "label"], mapped) == ("判断", "")
    assert question_named(["label"], mapped) == (None, "nothing is named 判断")


@pytest.mark.parametrize(
    ("value", "iso"),
    [
        ("2025-03-01T09:30:00Z", "2025-03-01T09:30:00+00:00"),
        ("2025-03-01T09:30:00.5+0800", "2025-03-01T09:30:00.500000+08:00"),
        ("2025-03-01 09:30:00", "2025-03-01T09:30:00"),
        (1740821400, "2025-03-01T09:30:00+00:00"),
        (1740821400000, "2025-03-01T09:30:00+00:00"),
        (1740821400 * 10**9, "2025-03-01T09:30:00+00:00"),
        (datetime(2025, 3, 1, tzinfo=timezone.utc), "2025-03-01T00:00:00+00:00"),
        ("tomorrow", None),
        (None, None),
        (True, None),
        (float("inf"), None),
        ([], None),
    ],
)
def test_times(value, iso):
    found = moment(value)
    assert (None if found is None else found.isoformat()) == iso


def test_people_and_ids():
    user = {"id": 4, "email": "a@example.org", "first_name": "A", "avatar": "x", "ip": "y"}
    assert person(user) == "a@example.org"
    assert [person(value) for value in (7, " 陈 ", {}, None, True, [])] == [
        "7",
        "陈",
        None,
        None,
        None,
        None,
    ]
    assert len(person("x" * 500) or "") <= 200
    assert [identifier(value) for value in (0, "", " a ", {"a": 1}, "\ud800")] == [
        "0",
        None,
        "a",
        None,
        None,
    ]


def test_a_word_is_read_by_the_map_of_its_own_source():
    assert label_of("ok", Source("a.csv", labels={"ok": "yes"})) == "yes"
    assert label_of("ok", Source("a.csv", labels={"OK": "no"})) == "no"
    assert label_of("ok", Source("a.csv")) is None
    names = ["verdict", "label"]
    assert question_named(names, Source("a.csv", {"label": "verdict"})) == ("verdict", "")
    assert question_named(names, Source("a.csv"))[0] is None
