"""Batch replies: aligned by claim id, one bad element spoils nothing but itself."""

from __future__ import annotations

import json

import pytest

from metajudge.templates.dialect import RELATION, WORDS
from metajudge.verdicts.batch import ParsedBatch, read_batch
from metajudge.verdicts.vocabulary import vocabulary_of

VOCABULARY = vocabulary_of(WORDS["en"])
THREE = ("1", "2", "3")


def batch(text: str, ids: tuple[str, ...] = THREE, cut: bool = False) -> ParsedBatch:
    return read_batch(text, VOCABULARY, ids, cut=cut)


def outcomes(text: str, ids: tuple[str, ...] = THREE, cut: bool = False) -> list[str]:
    return [str(r.label or r.failure) for r in batch(text, ids, cut).parsed]


@pytest.mark.parametrize(
    "text",
    [
        '[{"id": 1, "verdict": "yes"}, {"id": 2, "verdict": "no"}, {"id": 3, "verdict": "idk"}]',
        '[{"id":3,"verdict":"idk"},{"id":"1","verdict":"yes"},{"id":"#2","verdict":"no"}]',
        '{"verdicts": [{"id": 1, "verdict": "yes"}, {"id": 2, "verdict": "no"},'
        ' {"claim_id": "Claim 3", "verdict": "idk"}]}',
        '{"1": "yes", "2": "no", "3": "idk"}',
        '{"1": {"verdict": "yes"}, "2": {"verdict": "no"}, "3": {"verdict": "idk"}}',
        '{"verdicts": {"1": "yes", "2": "no", "3": "idk"}}',
        '[{"1": "yes"}, {"2": "no"}, {"3": "idk"}]',
        '{"id": 1, "verdict": "yes"}\n{"id": 2, "verdict": "no"}\n{"id": 3, "verdict": "idk"}',
        'Sure:\n```json\n[{"id":1,"verdict":"yes"},{"id":2,"verdict":"no"},'
        '{"id":3,"verdict":"idk"}]\n```',
        "1. yes\n2. no\n3. idk",
        "1) **Yes**\n2) No - the cap is 500\n3) I don't know.",
        "Claim 1: yes\nClaim 2: no. It is 500.\nClaim 3: idk",
        "[1] yes\n[2] no\n[3] idk",
        "1、yes\n2、no\n3、idk",
        "- 1: yes\n- 2: no\n- 3: idk",
    ],
)
def test_forms_of_a_batch_reply(text: str) -> None:
    assert outcomes(text) == ["yes", "no", "idk"]


def test_chinese_numbered_lines() -> None:
    vocabulary = vocabulary_of(RELATION["zh"])
    text = "第1条：支持\n第2条：矛盾。上限不同\n3．未提及"
    readings = read_batch(text, vocabulary, THREE, cut=False).parsed
    assert [r.label for r in readings] == ["yes", "no", "idk"]
    assert readings[1].reason == "上限不同"


def test_strict_form_is_a_whole_list_with_exact_keys() -> None:
    text = '[{"id": 1, "verdict": "yes", "reason": "r"}, {"id": 2, "verdict": "no"}]'
    read = batch(text, ("1", "2"))
    assert [(r.repaired, r.reason) for r in read.parsed] == [(False, "r"), (False, None)]
    assert all(r.repaired for r in batch(f"Here: {text}", ("1", "2")).parsed)


def test_b14_one_bad_element_does_not_spoil_the_batch() -> None:
    good = [{"id": i, "reason": "r", "verdict": "yes"} for i in range(1, 6)]
    parts = [json.dumps(each) for each in good]
    parts[2] = r'{"id": 3, "reason": "costs \$5", "verdict": "no"}'
    five = tuple("12345")
    assert outcomes(f"[{', '.join(parts)}]", five) == ["yes", "yes", "no", "yes", "yes"]
    parts[2] = '{"id": 3, "reason": "a "quoted" word", "verdict": "no"}'
    for text in (f"[{', '.join(parts)}]", f'{{"verdicts": [{", ".join(parts)}]}}'):
        assert outcomes(text, five) == ["yes", "yes", "unparsable", "yes", "yes"]


def test_b14_one_unknown_label_does_not_spoil_the_batch() -> None:
    text = '{"1": "yes", "2": "perhaps", "3": "supported"}'
    assert outcomes(text) == ["yes", "unparsable", "label_not_offered"]


def test_b22_entries_never_asked_are_dropped_with_a_note() -> None:
    text = '[{"id": 1, "verdict": "yes"}, {"id": 7, "verdict": "no"}, {"id": 2, "verdict": "no"}]'
    read = batch(text, ("1", "2"))
    assert [r.label for r in read.parsed] == ["yes", "no"]
    assert all(r.repaired for r in read.parsed)
    assert "'7'" in (read.note or "")


def test_missing_ids_are_missing() -> None:
    assert outcomes('[{"id": 2, "verdict": "no"}]') == ["missing", "no", "missing"]
    assert outcomes("2. no") == ["missing", "no", "missing"]


def test_b24_one_hundred_and_twenty_claims_come_back_in_order() -> None:
    ids = tuple(map(str, range(1, 121)))
    entries = [{"id": i, "verdict": "yes" if i % 3 else "no"} for i in range(120, 0, -1)]
    assert outcomes(json.dumps(entries), ids) == ["yes" if i % 3 else "no" for i in range(1, 121)]


def test_conflicting_duplicates_are_unparsable() -> None:
    text = '[{"id": 1, "verdict": "yes"}, {"id": 1, "verdict": "no"}, {"id": 2, "verdict": "no"}]'
    assert outcomes(text, ("1", "2")) == ["unparsable", "no"]
    same = '[{"id": 1, "verdict": "yes"}, {"id": 1, "verdict": "yes"}]'
    assert outcomes(same, ("1",)) == ["yes"]
    assert batch(same, ("1",)).parsed[0].repaired


def test_entries_without_ids_are_never_placed_by_position() -> None:
    assert (
        outcomes('[{"verdict": "yes"}, {"verdict": "no"}, {"verdict": "idk"}]')
        == ["unparsable"] * 3
    )
    assert outcomes('["yes", "no", "idk"]') == ["unparsable"] * 3


def test_b05_a_cut_batch_keeps_whole_entries_and_truncates_the_rest() -> None:
    text = '[{"id": 1, "verdict": "yes"}, {"id": 2, "verdict": "no"}, {"id": 3, "verdict": "id'
    assert outcomes(text, cut=True) == ["yes", "no", "truncated"]
    assert outcomes('[{"id": 1, "verdict": "y', cut=True) == ["truncated"] * 3
    assert outcomes("The claims", cut=True) == ["truncated"] * 3


def test_b10_an_echo_of_the_claims_is_not_read() -> None:
    text = "1. The office opens at nine.\n2. No fee is due.\n\n1. yes\n2. no"
    assert outcomes(text, ("1", "2")) == ["yes", "no"]


def test_prose_and_refusals_fail_every_claim() -> None:
    assert outcomes("All claims are fine.") == ["unparsable"] * 3
    assert outcomes("I'm sorry, I can't help with that.") == ["refused"] * 3
