from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from metajudge.errors import TemplateError
from metajudge.templates import Template, changed
from metajudge.verdicts.parse import parse_reply
from metajudge.verdicts.verdict import Reply
from tests.templates.made import BASE, make

SHAPING: dict[str, Any] = {
    "language": "zh",
    "labels": "relation",
    "ask": "Is it so?",
    "definitions": {**BASE["definitions"], "no": "it says something else."},
    "rules": ["One rule."],
    "answer": {"form": "reason_first"},
    "examples": [{"context": "a", "claim": "b", "label": "yes"}],
    "claims_per_call": 2,
    "layout": "claim_last",
    "show_question": True,
}


@pytest.mark.parametrize("field", SHAPING)
def test_fingerprint_changes_with_everything_that_shapes_the_prompt(field: str) -> None:
    assert make(**{field: SHAPING[field]}).fingerprint != make().fingerprint


@pytest.mark.parametrize(
    "changes",
    [
        {"answer": {"json": True}},
        {"labels": {"yes": "yes", "idk": "idk", "no": "no"}},
        {"labels": {"name": "words", "words": {"yes": "yes", "no": "no", "idk": "idk"}}},
        {"rules": ["b", "a"]},
    ],
)
def test_fingerprint_sees_order_form_and_spellings(changes: dict[str, Any]) -> None:
    assert make(**changes).fingerprint != make(rules=["a", "b"]).fingerprint
    assert make(**changes).fingerprint != make().fingerprint


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "other"},
        {"version": "2.0.0"},
        {"family": "other"},
        {"purpose": "For x."},
        {"risk": "Of y."},
        {"reason_hint": "unused without a reason"},
        {"labels": {"name": "mine", "words": {"yes": "yes", "no": "no", "idk": "idk"},
                    "spellings": {"idk": ["I don't know"]}}},
    ],
)  # fmt: skip
def test_fingerprint_changes_with_nothing_else(changes: dict[str, Any]) -> None:
    other = make(**changes)
    assert other.fingerprint == make().fingerprint
    assert other.render(["p"], ["c"]) == make().render(["p"], ["c"])


def test_reason_hint_counts_where_a_reason_is_asked_for() -> None:
    form = {"answer": {"form": "reason_first"}}
    one, two = make(**form), make(**form, reason_hint="say why {{ yes }}")
    assert one.fingerprint != two.fingerprint
    assert "First, say why yes. Then" in two.question_block


def test_rotating_thrice_is_the_same_template() -> None:
    template = make(labels="letters")
    turned = template
    for _ in range(3):
        turned = changed(turned, "t", labels=turned.dialect.rotated(1).model_dump())
    assert turned == template
    assert turned.fingerprint == template.fingerprint


def test_labels_are_words_when_none_are_named() -> None:
    assert make().dialect.words == {"yes": "yes", "no": "no", "idk": "idk"}
    assert make(language="zh").dialect.words["idk"] == "不知道"


def test_a_wrong_language_is_complained_of_alone() -> None:
    with pytest.raises(ValidationError) as caught:
        make(language="fr", labels="letters")
    assert [error["loc"] for error in caught.value.errors()] == [("language",)]


def test_an_unknown_dialect_and_other_faults_come_together() -> None:
    with pytest.raises(ValidationError) as caught:
        make(labels="wrods", layout="sideways", claims_per_call=0)
    assert {error["loc"][0] for error in caught.value.errors()} == {
        "labels",
        "layout",
        "claims_per_call",
    }


@pytest.mark.parametrize("claims", [[], ["a", "b"]])
def test_a_call_holds_as_many_claims_as_the_template_says(claims: list[str]) -> None:
    with pytest.raises(TemplateError, match="1 to 1 claims"):
        make().render(["p"], claims)


def test_b39_a_missing_question_is_refused_not_printed() -> None:
    template = make(show_question=True)
    for question in (None, ""):
        with pytest.raises(TemplateError, match="question"):
            template.render(["p"], ["c"], question)
    assert "Question of the user: why?" in template.render(["p"], ["c"], "why?")[1].content
    assert "why?" not in make().render(["p"], ["c"], "why?")[1].content


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("labels", ["words", "relation", "letters", "letters+1", "letters+2"])
@pytest.mark.parametrize("form", ["label_only", "reason_first", "label_first"])
@pytest.mark.parametrize(("as_json", "claims"), [(False, 1), (True, 1), (True, 3)])
def test_b41_the_sample_answer_parses_with_our_own_parser(
    language: str, labels: str, form: str, as_json: bool, claims: int
) -> None:
    template = make(
        language=language,
        labels=labels,
        answer={"form": form, "json": as_json},
        claims_per_call=claims,
    )
    for label in template.dialect.words:
        for reason in (None, "the context says nine\nand no more"):
            sample = template.sample_answer(label, reason)
            (verdict,) = parse_reply(Reply(sample, "stop"), template, ["1"])
            assert (verdict.label, verdict.repaired) == (label, False), sample


def test_max_tokens_grow_with_form_and_claims() -> None:
    sizes = [
        make(answer={"form": form, "json": as_json}, claims_per_call=claims).max_tokens
        for form, as_json, claims in (
            ("label_only", False, 1),
            ("label_only", True, 1),
            ("reason_first", False, 1),
            ("reason_first", True, 1),
            ("reason_first", True, 4),
        )
    ]
    assert sizes == sorted(set(sizes))


def test_a_template_survives_its_own_dump() -> None:
    template = make(labels="letters+1", rules=["a {{ no }}"], answer={"form": "label_first"})
    again = Template.model_validate(template.model_dump(by_alias=True))
    assert again == template
    assert list(again.dialect.words) == list(template.dialect.words)
