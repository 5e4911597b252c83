"""A template as a DSPy program: its prompts are the template's own."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from metajudge.templates.catalogue import catalogue, changed
from metajudge.templates.proposals import Proposals
from metajudge.templates.template import Template
from metajudge.verdicts.verdict import Verdict

dspy = pytest.importorskip("dspy")
program = pytest.importorskip("metajudge.judges.program")

NEW = "Well?\n\nyes: a\nno: b\nidk: c"


class NeverCalled:
    def complete(self, request: Any) -> Any:
        raise AssertionError("the judge is asked by the adapter")


@pytest.fixture(autouse=True)
def inside() -> Iterator[None]:
    model = dspy.LM("metajudge/test", engine=NeverCalled(), cache=False, num_retries=0)
    with dspy.context(lm=model, trace=[], disable_history=True):
        yield


class Asked:
    """Remembers what was asked, and says one thing."""

    def __init__(self, verdict: Verdict | None = None) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.verdict = verdict or Verdict("no")

    def __call__(self, *call: Any) -> Verdict:
        self.calls.append(call)
        return self.verdict


def start(**changes: Any) -> Template:
    source = catalogue()["literal"].source_for("en")
    assert isinstance(source, Template)
    return changed(source, "s", **changes) if changes else source


def made(ask: Asked, template: Template | None = None, **options: Any) -> Any:
    template = template or start()
    known = Proposals(template, "gepa", most_examples=2, hidden=())
    return program.VerdictProgram(known, program.JudgeAdapter(known, ask, **options))


def test_the_program_asks_with_the_template_and_gives_its_word() -> None:
    ask = Asked()
    said = made(ask, start(labels="relation"))(passages=["p", "q"], claim="c", question="u")
    assert said.verdict == "contradicted"
    assert said.verdict.said.verdict == Verdict("no")
    (call,) = ask.calls
    assert call[0].name == "literal"
    assert call[1:] == (("p", "q"), "c", "u", 0)


def test_a_rewritten_instruction_is_another_template() -> None:
    ask = Asked()
    judge = made(ask)
    judge.verdict.signature = judge.verdict.signature.with_instructions(NEW)
    said = judge(passages=["p"], claim="c").verdict.said
    assert said.proposal.number == 1
    assert ask.calls[0][0].definitions == {"yes": "a", "no": "b", "idk": "c"}


def test_demonstrations_become_examples() -> None:
    ask = Asked()
    judge = made(ask)
    judge.verdict.demos = [
        dspy.Example(passages=["x", "y"], claim="d", verdict="idk", reason="r", question=None)
    ]
    judge(passages=["p"], claim="c")
    (example,) = ask.calls[0][0].examples
    assert (example.context, example.label, example.reason) == ("[1] x\n\n[2] y", "idk", None)


def test_a_refused_instruction_asks_nothing() -> None:
    ask = Asked()
    judge = made(ask)
    judge.verdict.signature = judge.verdict.signature.with_instructions("Be fair.")
    answer = judge(passages=["p"], claim="c").verdict
    assert not ask.calls
    assert answer.said.verdict is None
    assert "there is none for 'yes'" in answer


def test_a_failure_is_shown_and_is_no_label() -> None:
    ask = Asked(Verdict(None, "timeout", detail="no answer"))
    answer = made(ask)(passages=["p"], claim="c").verdict
    assert answer == "(timeout: no answer)"
    assert answer.said.verdict.failure == "timeout"


@pytest.mark.parametrize(("draws", "expected"), [(True, 3), (False, 0)])
def test_another_rollout_is_another_draw_where_the_judge_samples(
    draws: bool, expected: int
) -> None:
    ask = Asked()
    judge = made(ask, draws=draws)
    judge.set_lm(dspy.settings.lm.copy(rollout_id=3, temperature=1.0))
    judge(passages=["p"], claim="c")
    assert ask.calls[0][-1] == expected


def test_copies_share_judge_and_proposals_but_not_the_instruction() -> None:
    ask = Asked()
    judge = made(ask)
    other = judge.deepcopy()
    other.verdict.signature = other.verdict.signature.with_instructions(NEW)
    other(passages=["p"], claim="c")
    judge(passages=["p"], claim="c")
    assert [call[0].name.split("-")[0] for call in ask.calls] == ["gepa", "literal"]


def test_an_answer_is_text_to_dspy_and_survives_copying() -> None:
    answer = made(Asked())(passages=["p"], claim="c").verdict
    assert json.dumps({"verdict": answer}) == '{"verdict": "no"}'
    assert copy.deepcopy(answer).said == answer.said


def test_nothing_is_traced_outside_and_no_history_is_kept() -> None:
    from dspy.clients.base_lm import GLOBAL_HISTORY

    before = len(GLOBAL_HISTORY)
    made(Asked())(passages=["p"], claim="c")
    assert len(GLOBAL_HISTORY) == before
    assert len(dspy.settings.trace) == 1
