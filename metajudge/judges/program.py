"""A template as a DSPy program, whose prompts are the template's own.

Imported only where an optimiser runs, since DSPy is heavy. DSPy rewrites the instruction and the
demonstrations of one `Predict`; the adapter makes a template of them and asks our judge, so that a
candidate is measured with the prompts that a sweep would send. DSPy's model is never called.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import dspy

from metajudge.templates.proposals import Proposal, Proposals
from metajudge.templates.template import Example, Template
from metajudge.verdicts.verdict import Verdict

INPUTS = ("passages", "claim", "question")
"""What a program is given: a list of passages, the claim, and the user's question or None."""


class Ask(Protocol):
    """Asks the judge about one claim; safe for several threads.

    What a judge cannot answer is a verdict with a failure, never an exception of class
    `Exception`: DSPy takes those for a wrong answer.
    """

    def __call__(
        self,
        template: Template,
        passages: tuple[str, ...],
        claim: str,
        question: str | None,
        draw: int,
    ) -> Verdict:
        """The verdict of draw `draw` (0-based) under a template."""
        ...


class Said(NamedTuple):
    """What a program came to on one claim.

    Attributes:
        proposal: The instruction with its examples.
        verdict: None where the instruction was refused, so that nothing was asked.
    """

    proposal: Proposal
    verdict: Verdict | None


class Answer(str):
    """The answer as DSPy shows it to a proposer: the label's word, or a failure in brackets.

    Attributes:
        said: What is behind it.
    """

    said: Said

    def __new__(cls, text: str, said: Said) -> Answer:
        """The text with what is behind it."""
        answer = super().__new__(cls, text)
        answer.said = said
        return answer

    def __reduce__(self) -> tuple[type[Answer], tuple[str, Said]]:
        return Answer, (str(self), self.said)


class JudgeAdapter(dspy.Adapter):  # type: ignore[misc]
    """Turns instruction and demonstrations into a template, and asks the judge with it.

    Args:
        proposals: Makes the templates and remembers them.
        ask: Asks the judge.
        draws: Another rollout of DSPy is another draw of the judge. Without it every rollout is
            the first draw, which is right for a judge that does not sample.
    """

    def __init__(self, proposals: Proposals, ask: Ask, *, draws: bool = False) -> None:
        super().__init__()
        self._proposals, self._ask, self._draws = proposals, ask, draws

    def __deepcopy__(self, memo: dict[int, Any]) -> JudgeAdapter:
        return self  # DSPy copies programs at every turn; all of them share one judge

    def __call__(
        self,
        lm: Any,
        lm_kwargs: Mapping[str, Any],
        signature: Any,
        demos: Sequence[Mapping[str, Any]],
        inputs: Mapping[str, Any],
    ) -> list[dict[str, Any]]:
        """One completion, whose `verdict` is an `Answer`."""
        start = self._proposals.start
        examples = [example_of(demo, start) for demo in demos]
        proposal = self._proposals.proposal(signature.instructions, examples)
        if proposal.template is None:
            refused = "; ".join(problem.law for problem in proposal.refused)
            return [{"verdict": Answer(f"(refused: {refused})", Said(proposal, None))}]
        draw = int(getattr(lm, "kwargs", {}).get("rollout_id") or 0) if self._draws else 0
        verdict = self._ask(
            proposal.template,
            tuple(inputs["passages"]),
            inputs["claim"],
            inputs.get("question"),
            draw,
        )
        if verdict.label is None:
            text = f"({verdict.failure}: {verdict.detail or 'no detail'})"
        else:
            text = start.dialect.words[verdict.label]
        return [{"verdict": Answer(text, Said(proposal, verdict))}]


class VerdictProgram(dspy.Module):  # type: ignore[misc]
    """Judges one claim against its passages; `verdict` holds the instruction that may be rewritten.

    Args:
        proposals: The start is what the program asks at first.
        adapter: Asks the judge.
    """

    def __init__(self, proposals: Proposals, adapter: JudgeAdapter) -> None:
        super().__init__()
        self.verdict = dspy.Predict(verdict_signature(proposals.text))
        self._adapter = adapter

    def forward(self, passages: list[str], claim: str, question: str | None = None) -> Any:
        """The prediction on one claim; its `verdict` is an `Answer`."""
        with dspy.context(adapter=self._adapter):
            return self.verdict(passages=passages, claim=claim, question=question)


def verdict_signature(instruction: str) -> Any:
    """What DSPy is told of the task: the instruction, and the fields that it fills."""
    fields = {
        "passages": (list[str], dspy.InputField(desc="What the claim is judged against.")),
        "claim": (str, dspy.InputField(desc="One statement of an answer.")),
        "question": (str | None, dspy.InputField(desc="What the user had asked, if known.")),
        "verdict": (str, dspy.OutputField(desc="The label.")),
    }
    return dspy.make_signature(fields, instruction, "Verdict")


def example_of(demo: Mapping[str, Any], template: Template) -> Example:
    """A demonstration as an example of the template."""
    labels = {word: label for label, word in template.dialect.words.items()}
    return Example(
        context=joined_passages(demo["passages"]),
        claim=demo["claim"],
        label=labels[demo["verdict"]],
        reason=demo.get("reason") if template.answer.form != "label_only" else None,
    )


def joined_passages(passages: Sequence[str]) -> str:
    """Several passages as one text, numbered as prompts show them."""
    if len(passages) == 1:
        return passages[0]
    return "\n\n".join(f"[{number}] {text}" for number, text in enumerate(passages, 1))
