from __future__ import annotations

from pathlib import Path

import pytest

from metajudge.errors import TemplateError
from metajudge.templates import read_template, template_problems
from tests.templates.made import BASE, YAML, make, write


def faults(**changes: object) -> list[str | None]:
    return [problem.field for problem in template_problems(make(**changes), "t.yaml")]


def test_a_sound_template_has_none() -> None:
    assert faults() == []
    assert faults(labels={"yes": "ja", "no": "nein"}, definitions={"yes": "a", "no": "b"}) == []


def test_labels_and_definitions_must_match_both_ways() -> None:
    assert faults(labels={"yes": "y", "no": "n"}) == ["definitions.idk"]
    assert faults(definitions={"yes": "a", "no": "b"}) == ["definitions.idk"]


def test_every_text_is_searched_for_placeholders() -> None:
    assert faults(
        definitions={**BASE["definitions"], "no": "{{ on }}"},
        rules=["fine", "{{ maybe }}"],
        ask="{{ 1 + 1 }}",
        reason_hint="{{ contxt }}",
    ) == ["definitions.no", "rules[1]", "ask", "reason_hint"]


def test_several_claims_a_call_need_json() -> None:
    assert faults(claims_per_call=3) == ["claims_per_call"]
    assert faults(claims_per_call=3, answer={"json": True}) == []


def test_an_example_has_an_offered_label() -> None:
    examples = [{"context": "a", "claim": "b", "label": "idk"}]
    found = faults(
        labels={"yes": "y", "no": "n"}, definitions={"yes": "a", "no": "b"}, examples=examples
    )
    assert found == ["examples[0].label"]


def test_all_faults_of_a_file_come_at_once_with_their_lines(tmp_path: Path) -> None:
    text = YAML.replace("labels: words", "labels: {yes: ok, no: OK, idk: hm}").replace(
        "  idk: it says nothing.\n", ""
    )
    path = write(tmp_path, text.replace("Read with care.", "Read {{ it }}."))
    with pytest.raises(TemplateError) as caught:
        read_template(path)
    found = {(p.field, p.line) for p in caught.value.problems}
    assert found == {("labels.no", 5), ("definitions.idk", 6), ("rules[0]", 10)}
    assert all(p.where == str(path) for p in caught.value.problems)


@pytest.mark.parametrize(
    ("old", "new", "place", "told"),
    [
        ("family: plain", "famly: plain", ("famly", 3), "Did you mean 'family'?"),
        ("json: false", "json: no", ("answer.json", 12), "must be true or false"),
        ("json: false", "json: false, claims: 2", ("answer.claims", 12), "no such field"),
        ("labels: words", "labels: wrods", ("labels", 5), "words, relation, letters"),
        ("labels: words", "labels: 3", ("labels", 5), "3"),
        ("version: 1.0.0", "version: 1.0", ("version", 2), "must be a text"),
        ("language: en", "language: fr", ("language", 4), "must be one of en, zh"),
        (
            "definitions:\n  yes:",
            "definitions:\n  maybe:",
            ("definitions.maybe", 7),
            "yes, no, idk",
        ),
        ("label_only", "label_last", ("answer.form", 12), "Did you mean"),
        ("  - Read with care.", "  - 12", ("rules[0]", 11), "must be a text"),
        ("rules:", "rules: []\nrules:", ("rules", 11), "stands twice"),
        ("name: plain", "name: a b", ("name", 1), "pattern"),
    ],
)
def test_strict_yaml_names_file_line_field_and_mend(
    tmp_path: Path, old: str, new: str, place: tuple[str, int], told: str
) -> None:
    path = write(tmp_path, YAML.replace(old, new))
    with pytest.raises(TemplateError) as caught:
        read_template(path)
    found = {(p.field, p.line): str(p) for p in caught.value.problems}
    assert told in found[place]


def test_b40_translated_field_names_are_refused_with_the_key_named(tmp_path: Path) -> None:
    path = write(tmp_path, YAML.replace("rules:", "规则:").replace("  yes: it", "  是: it"))
    with pytest.raises(TemplateError) as caught:
        read_template(path)
    assert {p.field for p in caught.value.problems} >= {"规则", "definitions.是"}


def test_yes_and_no_are_words_without_quotes(tmp_path: Path) -> None:
    text = YAML.replace("labels: words", "labels: {yes: yes, no: no, idk: on}")
    template = read_template(write(tmp_path, text))
    assert template.dialect.words == {"yes": "yes", "no": "no", "idk": "on"}
    assert set(template.definitions) == {"yes", "no", "idk"}
