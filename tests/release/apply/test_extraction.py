"""A release applied to answers without claims: they are extracted first."""

from __future__ import annotations

import json

import pytest

from metajudge.errors import InputError
from metajudge.templates.extract import extract_prompt
from tests.release.applied import CLOSES, NICE, OPENS, answer, changed, made, told


def test_claims_are_extracted_where_there_are_none_with_template_and_fingerprint(release, store):
    judged = release.judge([told("The whole story."), told("甲馆九点开放。", "z")], store=store)
    first, second = judged.rows
    assert [claim["claim"] for claim in first["verdicts"]] == [OPENS, CLOSES, "It is nice."]
    assert [claim["claim_id"] for claim in first["verdicts"]] == ["a#1", "a#2", "a#3"]
    assert first["score"] == pytest.approx(1 / 3, abs=1e-6)
    assert first["extraction_template"] == "extract@1.0.0/en"
    assert first["extraction_sha256"] == extract_prompt("en").fingerprint
    assert second["extraction_template"] == "extract@1.0.0/zh"
    assert second["score"] == 0.5
    assert judged.summary.extraction is not None
    assert set(judged.summary.extraction.templates) == {"extract@1.0.0/en", "extract@1.0.0/zh"}


@pytest.mark.parametrize(
    ("text", "failure"), [("endless", "truncated"), ("void", "empty"), ("a sorry state", "refused")]
)
def test_b23_an_answer_whose_claims_are_unknown_has_no_score_and_is_counted(
    release, store, text, failure
):
    judged = release.judge([told(text), answer("b", OPENS)], store=store)
    row = judged.rows[0]
    assert (row["score"], row["passed"], row["n_claims"]) == (None, None, None)
    assert row["reason"] == f"extraction failed: {failure}"
    assert row["extraction_detail"]
    assert judged.summary.answers == 2
    assert judged.summary.extraction is not None
    assert judged.summary.extraction.failures == {failure: 1}
    assert judged.summary.unscored == {f"extraction failed: {failure}": 1}


def test_an_extraction_that_finds_nothing_is_no_failure(release, store):
    (row,) = release.judge([told("nothing here to see")], store=store).rows
    assert (row["score"], row["reason"], row["n_claims"]) == (None, "no claims", 0)


def test_draws_of_extraction_show_what_it_does_to_the_score(tmp_path, store):
    lists = ["- Hall A opens at 9.\n- Hall A closes at 5.", "- Hall A opens at 9."]
    path = tmp_path / "two.yaml"
    rules = "\n".join(
        f"  - {{match: '{match}', reply: '{reply}'}}"
        for match, reply in (("Claim: .*opens", "yes"), ("Claim: ", "no"))
    )
    replies = json.dumps(lists)
    path.write_text(f"name: two\nrules:\n{rules}\nreplies: {replies}\n", encoding="utf-8")
    made(tmp_path)
    release = changed(tmp_path, f"scripted:{path}", max_in_flight=1)
    rows = [told(f"It opens, number {i}.", f"a{i}", context_id=f"x{i}") for i in range(6)]
    judged = release.judge(rows, store=store, extraction_repeats=2)
    assert judged.summary.extraction is not None
    spread = judged.summary.extraction.spread
    assert spread is not None
    assert spread.score_range.value == 0.5
    assert spread.largest_range == 0.5
    assert spread.recurrence.value == pytest.approx(2 / 3, abs=1e-6)
    row = judged.rows[0]
    assert (row["extraction_draws"], row["extraction_failed_draws"]) == (2, 0)
    assert (row["extraction_score_low"], row["extraction_score_high"]) == (0.5, 1.0)
    assert row["score"] == 0.5, "the first draw gives the score"


def test_fixed_claims_take_extraction_out(release, store):
    with pytest.raises(InputError, match="claims are fixed"):
        release.judge([told("The whole story.")], store=store, claims="fixed")
    judged = release.judge([answer("a", OPENS)], store=store, claims="fixed")
    assert judged.summary.extraction is None
    assert judged.rows[0]["claims_from"] == "given"


def test_claims_can_be_extracted_anew_where_they_are_given(release, store):
    judged = release.judge(
        [answer("a", NICE, answer="The whole story.")], store=store, claims="extract"
    )
    assert judged.rows[0]["n_claims"] == 3
    assert judged.rows[0]["claims_from"] == "extracted"
