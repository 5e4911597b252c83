"""Replies in the forms of peers' prompts."""

from __future__ import annotations

import json

import pytest

from metajudge.templates.dialect import Dialect
from metajudge.verdicts.batch import ParsedBatch
from metajudge.verdicts.peer_replies import read_by_statement, read_in_order
from metajudge.verdicts.vocabulary import vocabulary_of

ORDERED = vocabulary_of(
    Dialect(
        name="d",
        words={"yes": "yes", "no": "no", "idk": "borderline"},
        spellings={"idk": ("idk",)},
    )
)
STATED = vocabulary_of(
    Dialect(
        name="r",
        words={"yes": "1", "no": "0"},
        spellings={"yes": ("true",), "no": ("false",)},
    )
)
CLAIMS = ["The cap is 500.", "Tax is included.", "上限为500元。"]


def names(read: ParsedBatch) -> list[str]:
    return [str(r.label or r.failure) for r in read.parsed]


def in_order(text: str, n: int = 3, cut: bool = False) -> list[str]:
    return names(read_in_order(text, ORDERED, n, cut=cut))


def stated(entries: list[tuple[str, object]], claims: list[str] | None = CLAIMS) -> ParsedBatch:
    text = json.dumps(
        {"statements": [{"statement": s, "reason": "r", "verdict": v} for s, v in entries]}
    )
    return read_by_statement(text, STATED, claims, 3, cut=False)


@pytest.mark.parametrize("unsure", ["idk", "borderline", "Borderline"])
def test_both_dialects_in_order(unsure: str) -> None:
    text = json.dumps(
        {"verdicts": [{"verdict": "yes"}, {"verdict": "no", "reason": "r"}, {"verdict": unsure}]}
    )
    read = read_in_order(text, ORDERED, 3, cut=False)
    assert names(read) == ["yes", "no", "idk"]
    assert not any(r.repaired for r in read.parsed)
    assert read.parsed[1].reason == "r"


def test_a_bare_or_fenced_list_is_read_too() -> None:
    for text in ('[{"verdict": "yes"}]', '```json\n{"verdicts": [{"verdict": "yes"}]}\n```'):
        assert in_order(text, 1) == ["yes"]
    assert in_order('{"verdict": "no"}', 1) == ["no"]


def test_a_wrong_count_leaves_every_claim_missing() -> None:
    two = '{"verdicts": [{"verdict": "yes"}, {"verdict": "no"}]}'
    assert in_order(two) == ["missing"] * 3
    assert in_order(two, 1) == ["missing"]
    read = read_in_order(two, ORDERED, 3, cut=False)
    assert "2 verdicts for 3 claims" in (read.parsed[0].detail or "")


def test_b14_a_broken_element_keeps_its_place() -> None:
    text = (
        '{"verdicts": [{"verdict": "yes"}, {"verdict": "no", "reason": "a "b" c"},'
        ' {"verdict": "maybe"}]}'
    )
    assert in_order(text) == ["yes", "unparsable", "unparsable"]


def test_b05_a_cut_list_without_ids_is_truncated() -> None:
    assert (
        in_order('{"verdicts": [{"verdict": "yes"}, {"verdict": "no"}, {"ve', cut=True)
        == ["truncated"] * 3
    )
    assert in_order("", 1, cut=True) == ["truncated"]
    assert in_order("Nothing to say.") == ["unparsable"] * 3


def test_statements_are_placed_by_their_text() -> None:
    read = stated([(CLAIMS[2], 1), ("the cap  is 500.", 0), (CLAIMS[1], "1")])
    assert names(read) == ["no", "yes", "yes"]
    assert [r.repaired for r in read.parsed] == [False, False, False]


def test_reworded_statements_are_placed_in_order_and_marked() -> None:
    read = stated([("A cap of 500 holds.", 1), (CLAIMS[1], 0), ("The limit is 500.", True)])
    assert names(read) == ["yes", "no", "yes"]
    assert [r.repaired for r in read.parsed] == [True, False, True]
    assert names(stated([("a", 1), ("b", 0), ("c", 0)], None)) == ["yes", "no", "no"]


def test_b22_statements_never_asked_are_dropped_with_a_note() -> None:
    read = stated([(CLAIMS[0], 1), (CLAIMS[1], 0), (CLAIMS[2], 1), ("Albert was a genius.", 0)])
    assert names(read) == ["yes", "no", "yes"]
    assert "1 entries" in (read.note or "")
    read = stated([(CLAIMS[0], 1), ("Albert was a genius.", 0)])
    assert names(read) == ["yes", "missing", "missing"]


def test_entries_that_contradict_each_other() -> None:
    read = stated([(CLAIMS[0], 1), (CLAIMS[0], 0), (CLAIMS[1], 1), (CLAIMS[2], 1)])
    assert names(read) == ["unparsable", "yes", "yes"]


def test_equal_claims_take_their_entries_in_order() -> None:
    twice = [CLAIMS[0], CLAIMS[0], CLAIMS[1]]
    read = stated([(CLAIMS[0], 1), (CLAIMS[0], 0), (CLAIMS[1], 1)], twice)
    assert names(read) == ["yes", "no", "yes"]


def test_a_verdict_that_is_no_declared_number_is_unparsable() -> None:
    assert names(stated([(CLAIMS[0], 2), (CLAIMS[1], None), (CLAIMS[2], 1)])) == [
        "unparsable",
        "unparsable",
        "yes",
    ]
    assert names(read_by_statement("no", STATED, CLAIMS, 3, cut=False)) == ["unparsable"] * 3
