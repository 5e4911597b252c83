from __future__ import annotations

from metajudge.templates.dialect import WORDS
from metajudge.verdicts.batch import read_batch
from metajudge.verdicts.peer_replies import read_by_statement
from metajudge.verdicts.vocabulary import vocabulary_of

VOCABULARY = vocabulary_of(WORDS["en"])


def test_b22_a_statement_said_twice_answers_no_other_claim() -> None:
    text = '[{"statement":"A","verdict":"yes"},{"statement":"A","verdict":"yes"}]'
    read = read_by_statement(text, VOCABULARY, ["A", "B"], 2, cut=False)
    assert [(r.label, r.failure) for r in read.parsed] == [("yes", None), (None, "missing")]


def test_b22_a_contradiction_about_one_claim_is_no_verdict_on_another() -> None:
    text = (
        '[{"statement":"A","verdict":"yes"},{"statement":"C","verdict":"yes"},'
        '{"statement":"A","verdict":"no"}]'
    )
    read = read_by_statement(text, VOCABULARY, ["A", "B", "D"], 3, cut=False)
    assert [r.failure for r in read.parsed] == ["unparsable", "missing", "missing"]


def test_a_key_and_an_id_that_differ_answer_neither_claim() -> None:
    read = read_batch('{"2":{"id":1,"verdict":"yes"}}', VOCABULARY, ["1", "2"], cut=False)
    assert [r.label for r in read.parsed] == [None, None]
