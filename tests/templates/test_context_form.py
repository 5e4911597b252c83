from __future__ import annotations

import pytest

from metajudge.errors import ExperimentError
from metajudge.templates import RAW, ContextForm, parse_context_form


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("raw", RAW),
        ("chunks(any)", ContextForm("chunks", rule="any")),
        ("chunks(all)", ContextForm("chunks", rule="all")),
        ("truths", ContextForm("truths")),
        ("truths(1)", ContextForm("truths", limit=1)),
        ("truths(100)", ContextForm("truths", limit=100)),
        ("truths(deepeval)", ContextForm("truths", prompt="deepeval")),
    ],
)
def test_every_form_is_read_and_written_alike(text: str, form: ContextForm) -> None:
    assert parse_context_form(text, "e.yaml") == form
    assert str(form) == text


@pytest.mark.parametrize(
    ("text", "law", "mend"),
    [
        ("Raw", "a context form is", "Did you mean raw?"),
        (" truths", "a context form is", "Did you mean truths?"),
        ("truth(12)", "a context form is", "Did you mean truths(12)?"),
        ("chunk(any)", "a context form is", "Did you mean chunks(any)?"),
        ("原文", "a context form is", "Write one of these."),
        ("", "a context form is", "Write one of these."),
        ("raw()", "raw takes nothing in brackets", "Write raw."),
        ("raw(3)", "raw takes nothing in brackets", "Write raw."),
        ("chunks(mean)", "states its rule", "Write chunks(any) or chunks(all)."),
        ("truths(0)", "from 1 to 100", "truths(12)"),
        ("truths(101)", "from 1 to 100", "truths(12)"),
        ("truths(012)", "from 1 to 100", "truths(12)"),
        ("truths(-1)", "from 1 to 100", "truths(12)"),
        ("truths(１２)", "from 1 to 100", "truths(12)"),
        ("truths()", "from 1 to 100", "truths(12)"),
        ("truths(any)", "from 1 to 100", "truths(12)"),
        (
            "truths(deepevals)",
            "from 1 to 100, or deepeval",
            "truths(deepeval) for DeepEval's prompt",
        ),
        ("truth(deepeval)", "a context form is", "Did you mean truths(deepeval)?"),
    ],
)
def test_a_wrong_form_is_named_with_its_law_and_mend(text: str, law: str, mend: str) -> None:
    with pytest.raises(ExperimentError) as raised:
        parse_context_form(text, "e.yaml")
    (problem,) = raised.value.problems
    assert (problem.where, problem.got) == ("e.yaml", repr(text))
    assert law in problem.law
    assert mend in problem.mend


def test_b26_chunks_without_a_rule_is_refused() -> None:
    with pytest.raises(ExperimentError, match="any passage or all passages must support"):
        parse_context_form("chunks", "e.yaml")


@pytest.mark.parametrize(
    "make",
    [
        lambda: ContextForm("chunks"),
        lambda: ContextForm("raw", rule="any"),
        lambda: ContextForm("truths", rule="all"),
        lambda: ContextForm("raw", limit=3),
        lambda: ContextForm("truths", limit=0),
        lambda: ContextForm("truths", limit=101),
        lambda: ContextForm("raw", prompt="deepeval"),
        lambda: ContextForm("truths", limit=3, prompt="deepeval"),
    ],
)
def test_a_form_that_says_nothing_sensible_cannot_be_made(make) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match="only"):
        make()
