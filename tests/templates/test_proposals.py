"""Proposals of one template: each once, none lost, none that quotes what is judged."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from metajudge.errors import TemplateError
from metajudge.templates.catalogue import catalogue, changed
from metajudge.templates.proposals import Proposals
from metajudge.templates.template import Example, Template

NEW = "Well?\n\nyes: a\nno: b\nidk: c"
CASE = Example(context="A mill.", claim="A mill stands there.", label="yes")


def literal() -> Template:
    source = catalogue()["literal"].source_for("en")
    assert isinstance(source, Template)
    return source


def proposals(examples: int = 0, hidden: tuple[str, ...] = ()) -> Proposals:
    return Proposals(literal(), "gepa", most_examples=examples, hidden=hidden)


def test_the_start_is_number_0_and_stays_itself() -> None:
    known = proposals()
    first = known.proposal(known.text, ())
    assert first.number == 0
    assert first.template is known.start
    assert known.all() == (first,)


def test_what_makes_the_same_prompts_is_one_proposal() -> None:
    known = proposals()
    one = known.proposal(NEW, ())
    two = known.proposal(NEW.replace("yes: a", "**Yes**: a"), ())
    assert one is two
    assert one.template is not None
    assert one.template.name == f"gepa-{one.template.fingerprint[:8]}"
    assert [each.number for each in known.all()] == [0, 1]


def test_a_name_says_what_is_asked_whatever_came_before() -> None:
    other = proposals()
    other.proposal(NEW.replace("Well", "So"), ())
    mine, theirs = proposals().proposal(NEW, ()).template, other.proposal(NEW, ()).template
    assert mine is not None and mine == theirs


def test_refused_ones_are_kept_with_their_reason() -> None:
    known = proposals()
    assert known.proposal("no labels here", ()).template is None
    assert known.all()[1].refused[0].field == "yes"


def test_b108_no_examples_wanted_means_none() -> None:
    refused = proposals(examples=0).proposal(NEW, [CASE])
    assert refused.template is None
    assert refused.refused[0].field == "examples"
    shown = proposals(examples=1).proposal(NEW, [CASE]).template
    assert shown is not None and shown.examples == (CASE,)


MILL = "The mill by the brook has been shut since May"


@pytest.mark.parametrize(
    ("hidden", "line", "quoted"),
    [
        (MILL, "the MILL by the brook has been shut, since May!", True),
        (MILL, "the mill has been shut", False),
        ("小溪边的磨坊从五月起关门", "如“小溪边的磨坊，从五月起关门”。", True),
    ],
)
def test_b105_an_instruction_that_quotes_what_is_judged_is_refused(
    hidden: str, line: str, quoted: bool
) -> None:
    made = proposals(hidden=(hidden,)).proposal(f"{NEW}\n\n- {line}", ())
    assert (made.template is None) == quoted


def test_a_start_that_cannot_be_told_apart_is_refused() -> None:
    odd = changed(literal(), "odd", rules=["First.\n\nSecond."])
    with pytest.raises(TemplateError, match="told apart by its line"):
        Proposals(odd, "gepa", most_examples=0, hidden=())


def test_many_threads_number_without_gaps() -> None:
    known = proposals()
    texts = [NEW.replace("Well", f"Well {i % 20}") for i in range(200)]
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda text: known.proposal(text, ()), texts))
    assert [each.number for each in known.all()] == list(range(21))
