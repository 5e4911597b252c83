"""The fixed wording around a template's own texts, per language, and the order of the blocks.

Text is joined, never formatted: contexts and claims may hold any braces, tags or instructions and
reach the judge as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Literal, NamedTuple

import yaml
from pydantic import BaseModel, ConfigDict, Field

from metajudge.templates.message import Message
from metajudge.templates.source import Form

FrameLanguage = Literal["en", "zh"]
FrameName = Literal[
    "claim", "sentence", "passage", "entity", "aspect", "redundancy", "reference", "goal"
]
"""What is judged against what: a claim against a context, a question against a passage, …"""
_QUOTE = "> "
_SLOT = re.compile(r"\{(object|words|marker|hint)\}")


class WorkedCase(NamedTuple):
    """An example as it is shown: its data, the word that answers it, and the reason."""

    context: str
    claim: str
    word: str
    reason: str | None


class Frame(BaseModel):
    """One language's wording; every field is a line of its file in `frames/`.

    `<language>.yaml` is that of claims, `<frame>.<language>.yaml` that of another frame. What is
    called claim and context here is the unit and the evidence of that frame.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str = Field(exclude=True)
    system: str
    context_head: str
    empty_context: str
    question_head: str
    claim_head: str
    claims_head: str
    ask: str
    ask_batch: str
    option_joint: str
    rules_head: str
    examples_head: str
    example_context: str
    example_claim: str
    verdict_marker: str
    or_: str = Field(alias="or")
    comma: str
    reason_hint: str
    label_only: str
    reason_first: str
    label_first: str
    json_line: str
    json_hint: str
    batch_line: str

    def messages(
        self,
        *,
        layout: str,
        passages: Sequence[str],
        claims: Sequence[str],
        batch: bool,
        question: str | None,
        question_block: str,
    ) -> tuple[Message, ...]:
        """The system line and the user message, blocks in the order that `layout` says."""
        context = self.context_block(passages)
        claim = self._claims(claims, batch)
        if question is not None:
            claim = f"{self.question_head} {question}\n\n{claim}"
        blocks = {
            "context_first": (context, claim, question_block),
            "claim_last": (context, question_block, claim),
            "instructions_first": (question_block, context, claim),
        }[layout]
        return Message("system", self.system), Message("user", "\n\n".join(blocks))

    def question(
        self,
        *,
        ask: str | None,
        options: Sequence[tuple[str, str]],
        rules: Sequence[str],
        examples: Sequence[WorkedCase],
        form: Form,
        as_json: bool,
        batch: bool,
        reason_hint: str | None,
    ) -> str:
        """Everything a template says apart from context and claim."""
        lines = [ask or (self.ask_batch if batch else self.ask)]
        lines += [f"- {word}{self.option_joint}{text}" for word, text in options]
        if rules:
            lines += [self.rules_head, *(f"- {rule}" for rule in rules)]
        if examples:
            lines.append(self.examples_head)
            for case in examples:
                answer = self.sample(case.word, case.reason, form, as_json, batch)
                lines += ["", self._quoted(case), answer]
            lines.append("")
        words = [word for word, _ in options]
        lines.append(self._answer_line(words, form, as_json, batch, reason_hint))
        return "\n".join(lines)

    def context_block(self, passages: Sequence[str]) -> str:
        """The context as every prompt shows it; several passages are numbered."""
        if not any(passage.strip() for passage in passages):
            body = self.empty_context
        elif len(passages) == 1:
            body = passages[0]
        else:
            body = "\n\n".join(f"[{i}] {text}" for i, text in enumerate(passages, 1))
        return f"{self.context_head}\n{body}"

    def _claims(self, claims: Sequence[str], batch: bool) -> str:
        if not batch:
            return self.claim_head + claims[0]
        return "\n".join([self.claims_head, *(f"{i}. {text}" for i, text in enumerate(claims, 1))])

    def _quoted(self, case: WorkedCase) -> str:
        """An example's data, each line marked as quoted, so that it never passes for the real."""
        text = f"{self.example_context}{case.context}\n{self.example_claim}{case.claim}"
        return "\n".join(_QUOTE + line for line in text.splitlines())

    def sample(
        self, word: str, reason: str | None, form: Form, as_json: bool, batch: bool = False
    ) -> str:
        """A right answer in the form that the template asks for.

        The reason is a text of people and stands in quotes on one line, so that nothing in it can
        be read as a line of its own.
        """
        if as_json:
            answer = _object(form, word, reason or "")
            shown: object = [{"id": 1, **answer}] if batch else answer
            return json.dumps(shown, ensure_ascii=False)
        if form == "label_only":
            return word
        marked = self.verdict_marker + word
        if not reason:
            return marked
        quoted = json.dumps(" ".join(reason.split()), ensure_ascii=False)
        return f"{quoted}\n{marked}" if form == "reason_first" else f"{marked}\n{quoted}"

    def _answer_line(
        self, words: Sequence[str], form: Form, as_json: bool, batch: bool, hint: str | None
    ) -> str:
        line, shape = str(getattr(self, form)), ""
        if as_json:
            answer = _object(form)
            line = self.batch_line if batch else self.json_line
            shape = json.dumps({"id": 1, **answer} if batch else answer, ensure_ascii=False)
            if form != "label_only":
                line += ("" if self.comma == "、" else " ") + self.json_hint
        slots = {
            "object": shape,
            "words": self.comma.join(words[:-1]) + self.or_ + words[-1],
            "marker": self.verdict_marker,
            "hint": hint or self.reason_hint,
        }
        return _SLOT.sub(lambda found: slots[found[1]], line)


def _object(form: Form, word: str = "…", reason: str = "…") -> dict[str, str]:
    """The JSON answer of a form; the keys are English in every language."""
    if form == "label_only":
        return {"verdict": word}
    if form == "reason_first":
        return {"reason": reason, "verdict": word}
    return {"verdict": word, "reason": reason}


@cache
def frame_for(language: FrameLanguage, name: FrameName = "claim") -> Frame:
    """The frame of a language.

    >>> frame_for("zh").context_head
    '材料：'
    >>> frame_for("en", "aspect").context_head
    'Answer:'
    """
    file = f"{language}.yaml" if name == "claim" else f"{name}.{language}.yaml"
    text = (resources.files("metajudge.templates") / "frames" / file).read_text(encoding="utf-8")
    return Frame(text=text, **yaml.safe_load(text))
