from __future__ import annotations

import pytest

from metajudge.templates.placeholders import fill, placeholder_problems

KNOWN = ["yes", "no"]


def laws(text: str) -> list[str]:
    return [problem.law for problem in placeholder_problems(text, KNOWN, "t.yaml", "ask")]


def test_known_placeholders_and_plain_text_pass() -> None:
    assert laws("Say {{ yes }} or {{no}} – { single } braces and 100 % are text.") == []


def test_every_unknown_placeholder_is_named() -> None:
    problems = placeholder_problems("{{ idk }} {{ context }} {{ yes }}", KNOWN, "t.yaml", "ask")
    assert [p.got for p in problems] == ["{{ context }}", "{{ idk }}"]
    assert all(p.field == "ask" and "no, yes" in p.law for p in problems)


@pytest.mark.parametrize("text", ["{{ yes", "{{ }}", "{% if %}", "{{ yes }} {{ no"])
def test_broken_braces_are_named(text: str) -> None:
    assert len(laws(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "{{ 7 * 7 }}",
        "{{ yes | upper }}",
        "{{ yes.upper() }}",
        "{{ yes.__class__ }}",
        "{{ 'no' }}",
        "{% for x in [1] %}x{% endfor %}",
        "{% set yes = 1 %}",
        "a {# hidden #} b",
        "{{ range(3) }}",
    ],
)
def test_nothing_is_computed_in_a_template(text: str) -> None:
    (law,) = laws(text)
    assert "nothing to be computed" in law


def test_b37_a_filled_word_is_not_filled_again() -> None:
    assert fill("Say {{ yes }}.", {"yes": "{{ no }}", "no": "x"}) == "Say {{ no }}."


def test_more_braces_than_can_be_read_are_told() -> None:
    (problem,) = placeholder_problems("{{" * 5000, ["yes"], "t.yaml", "ask")
    assert "too many braces" in problem.law
