"""Samples and gold sets of a consultation, and what is refused before anything is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from metajudge.errors import InputError
from metajudge.gold.goldset import load_goldset
from metajudge.release.answers import Answer
from metajudge.release.consult.sample import check_askable, take_gold, take_sample, together
from tests.experiment.folder import halls, write_gold
from tests.release.consult.worlds import answer, side


def test_answers_that_share_a_context_are_resampled_together() -> None:
    taken = take_sample(
        [
            answer("a", "One.", "Two.", context="x"),
            answer("b", "Three.", context="x"),
            answer("c", "Four."),
            Answer("d", ("The passage of c.",), ()),
        ]
    )
    assert taken.described().contexts == 2
    assert (taken.described().answers, taken.described().without_claims) == (3, 1)
    assert taken.described().claims == 4


def test_answers_without_claims_are_refused_with_the_mend() -> None:
    open_one = Answer("b", ("A passage.",), None, answer="Something.")
    with pytest.raises(InputError) as refused:
        take_sample([answer("a", "One."), open_one], "answers.jsonl")
    assert "--claims extract --out judged.jsonl" in str(refused.value)
    assert "mix two changes" in str(refused.value)


def test_doubled_ids_and_an_empty_sample_are_refused() -> None:
    with pytest.raises(InputError) as refused:
        take_sample([answer("a", "One."), answer("a", "Two.")])
    assert {problem.field for problem in refused.value.problems} == {"answer_id", "claim_id"}
    with pytest.raises(InputError, match="the sample has no claim"):
        take_sample([Answer("d", ("A passage.",), ())])


def test_gold_in_other_languages_is_left_out_and_told(tmp_path: Path) -> None:
    english, chinese = halls(2), halls(2, "zh")
    write_gold(tmp_path, [*english[0], *chinese[0]], [*english[1], *chinese[1]])
    found = take_gold(tmp_path / "gold", None, ["zh-CN"])
    assert found.claims is not None
    assert {claim.lang for claim in found.claims.claims} == {"zh"}
    assert "en" in found.notes[0]
    nothing = take_gold(tmp_path / "gold", None, ["de"])
    assert nothing.claims is None and "de" in nothing.notes[0]


def test_the_usual_gold_set_is_the_shipped_one_and_only_its_dev_split() -> None:
    found = take_gold(None, None, ["en", "zh"])
    assert found.claims is not None
    assert {found.claims.split_of(claim) for claim in found.claims.claims} == {"dev"}
    assert take_gold("none", None, ["en"]).claims is None


def test_sample_and_gold_of_equal_ids_stay_apart(tmp_path: Path) -> None:
    write_gold(tmp_path)
    gold = load_goldset(tmp_path / "gold")
    sample = take_sample([answer("x-en0", "One.")])
    both = together(sample.claims, gold)
    assert both.passages(both.claims[0]) == ("The passage of x-en0.",)
    assert both.passages(both.claims[1])[0].startswith("Hall en0 opens")
    assert len(both.claims) == 1 + len(gold.claims)


def test_a_policy_without_a_value_for_a_label_is_refused() -> None:
    sample = take_sample([answer("a", "One.")])
    with pytest.raises(InputError, match="idk"):
        check_askable((side("strict"), side("map(yes=1,no=0)")), sample, None)
