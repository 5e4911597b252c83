"""Sides from their texts: releases, templates with a policy, framework metrics, and refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

from metajudge.errors import InputError
from metajudge.release.consult.sides import Judges, both_sides, parse_side
from tests.experiment.folder import write_template

LANGUAGES = ("en", "zh")


def test_a_catalogue_template_with_a_policy() -> None:
    found = parse_side("summary-tolerant+partial(0.5)", LANGUAGES)
    assert found.kind == "template" and found.policy.name == "partial(0.5)"
    assert found.threshold == 0.8 and str(found.form) == "raw" and found.reading == "top"
    assert set(found.variants[0].by_language) == {"en", "zh"}


def test_parameters_of_a_template() -> None:
    found = parse_side(
        "literal+strict?threshold=0.6&form=chunks(any)&reading=prior_corrected", LANGUAGES
    )
    assert found.threshold == 0.6 and str(found.form) == "chunks(any)"
    assert found.reading == "prior_corrected"


@pytest.mark.parametrize("written", ["prior_corrected@.6", "PRIOR_corrected@0.600"])
def test_a_reading_with_a_threshold(written: str) -> None:
    found = parse_side(f"literal+strict?reading={written}", LANGUAGES)
    assert found.reading == "prior_corrected@0.60"


@pytest.mark.parametrize(
    ("reading", "told"),
    [
        ("top@60", "reading=top@0.60"),
        ("top@", "with up to 6 decimals"),
        ("batch_corrected@0.60", "reading is one of top, prior_corrected"),
    ],
)
def test_a_reading_that_is_none_is_refused(reading: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_side(f"literal+strict?reading={reading}", LANGUAGES)
    assert told in str(caught.value)


def test_template_files_of_one_name_in_two_languages(tmp_path: Path) -> None:
    write_template(tmp_path, "mine")
    write_template(tmp_path, "mine", language="zh")
    one = parse_side(f"{tmp_path}/templates/mine.en.yaml+strict", LANGUAGES)
    both = parse_side(f"{tmp_path}/templates/mine.*.yaml+strict", LANGUAGES)
    assert set(one.variants[0].by_language) == {"en"}
    assert set(both.variants[0].by_language) == {"en", "zh"}


def test_deepeval_judges_facts_that_it_lists_first() -> None:
    pytest.importorskip("deepeval")
    usual = parse_side("deepeval:faithfulness", LANGUAGES)
    assert usual.kind == "metric" and usual.policy.name == "deepeval"
    assert usual.threshold == 0.5 and str(usual.form) == "truths(deepeval)"
    given = parse_side(
        "deepeval:faithfulness?penalize_ambiguous_claims=true&truths=off&threshold=0.7", LANGUAGES
    )
    assert given.policy.name == "deepeval(penalize)"
    assert given.threshold == 0.7 and str(given.form) == "raw"


def test_ragas_judges_the_context_as_it_is() -> None:
    pytest.importorskip("ragas")
    found = parse_side("ragas:faithfulness?claims_per_call=3", ("en",))
    assert found.policy.name == "ragas" and str(found.form) == "raw"
    assert found.variants[0].by_language["en"].claims_per_call == 3


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("deepeval:faithfulness?penalise_ambiguous_claims=true", "penalize_ambiguous_claims"),
        ("deepeval:faithfulness?truths=of", "off"),
        ("deepeval:faithfulnes", "deepeval:faithfulness"),
        ("literl+strict", "literal"),
        ("literal+strct", "strict"),
        ("literal", "literal+strict"),
        ("literal+strict?threshhold=0.5", "threshold"),
        ("literal+strict?threshold=0.5&threshold=0.6", "once"),
        ("literal+strict?threshold=2", "0 to 1"),
        ("ragas:faithfulness?claims_per_call=0", "1 to 100"),
        ("literal+strict?form=truth", "truths"),
        ("nobody@1", "nobody@1"),
    ],
)
def test_what_is_wrong_is_refused_with_the_nearest_name(
    text: str, told: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as refused:
        parse_side(text, LANGUAGES, registry=tmp_path)
    assert told in str(refused.value)


def test_every_fault_of_one_side_and_of_both_is_told_at_once() -> None:
    with pytest.raises(InputError) as refused:
        both_sides(
            ("literl+strct?threshold=7", "literal+lenint"),
            LANGUAGES,
            Judges("baseline:ngram"),
            threshold=3,
        )
    assert len(refused.value.problems) == 5


def test_a_wrong_name_hides_no_wrong_value() -> None:
    with pytest.raises(InputError) as error:
        parse_side("literal+strict?treshold=0.5&reading=tp&form=rw", LANGUAGES)
    told = str(error.value)
    assert len(error.value.problems) == 3
    assert "'threshold'" in told and "reading is one of" in told and "context form" in told


def test_a_side_takes_its_override_then_the_default() -> None:
    _, sides, notes = both_sides(
        ("literal+strict", "literal+lenient"), LANGUAGES, Judges("one", "two", None)
    )
    assert [side.judge.spec for side in sides] == ["two", "one"] and notes == ()
    _, sides, _ = both_sides(
        ("literal+strict", "literal+lenient"), LANGUAGES, Judges("one"), threshold=0.6
    )
    assert [side.threshold for side in sides] == [0.6, 0.6]


def test_without_a_judge_one_is_asked_for_and_the_other_sides_is_taken_with_a_note() -> None:
    texts = ("literal+strict", "literal+lenient")
    with pytest.raises(InputError, match="--judge"):
        both_sides(texts, LANGUAGES, Judges())
    _, sides, notes = both_sides(texts, LANGUAGES, Judges(proposed="one"))
    assert [side.judge.spec for side in sides] == ["one", "one"]
    assert notes == ("literal+strict names no judge and is asked of the other side's.",)
