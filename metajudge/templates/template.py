"""The structured verdict template: what the judge is asked, as data.

A template holds label definitions, rules and an answer form; `render` compiles it to chat
messages. Definitions and rules may name the dialect's words as `{{ yes }}`, `{{ no }}` and
`{{ idk }}`; nothing else is filled in, and judged text never passes through the template engine.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    field_validator,
    model_serializer,
    model_validator,
)

from metajudge.errors import Problem, TemplateError
from metajudge.templates.dialect import WORDS, Dialect, LabelName, named_dialect
from metajudge.templates.frame import Frame, FrameName, WorkedCase, frame_for
from metajudge.templates.message import Message
from metajudge.templates.parentage import Parentage
from metajudge.templates.placeholders import fill
from metajudge.templates.source import AnswerForm

Layout = Literal["context_first", "claim_last", "instructions_first"]
_TOKENS_PER_LABEL = 8
_TOKENS_PER_REASON = 160
_NOT_SHAPING: dict[str, Any] = {
    **dict.fromkeys(("name", "version", "family", "purpose", "risk", "parentage"), True),
    "dialect": {"name", "kind"},
}
# Stands in where the language is wrong too, so that only the language is complained of.
_ANY_DIALECT = WORDS["en"]


class Example(BaseModel):
    """A worked case shown to the judge; it is data and is fenced like the claim."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    context: Annotated[str, Field(min_length=1)]
    claim: Annotated[str, Field(min_length=1)]
    label: LabelName
    reason: str | None = None


class Template(BaseModel):
    """One wording of the verdict question, in one language and one dialect.

    `labels` is a built-in dialect's name (`words`, `relation`, `letters`, `letters+1` …) or the
    words written out; either way it is kept as a `Dialect`.
    """

    model_config = ConfigDict(
        extra="forbid", frozen=True, populate_by_name=True, ignored_types=(cached_property,)
    )

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]*$", max_length=80)]
    version: Annotated[str, Field(pattern=r"^\d+\.\d+\.\d+$")]
    family: Annotated[str, Field(min_length=1)]
    language: Literal["en", "zh"]
    purpose: str = ""
    risk: str = ""
    dialect: Annotated[Dialect, Field(alias="labels")]
    ask: str | None = None
    """The question itself; None takes the language's usual one."""
    definitions: dict[LabelName, Annotated[str, Field(min_length=1)]]
    rules: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    answer: AnswerForm = AnswerForm()
    reason_hint: str | None = None
    """What the reason should hold; None takes the usual line. Only for forms with a reason."""
    examples: tuple[Example, ...] = ()
    claims_per_call: Annotated[int, Field(ge=1, le=100, strict=True)] = 1
    layout: Layout = "context_first"
    show_question: Annotated[bool, Field(strict=True)] = False
    frame: FrameName = "claim"
    """The fixed wording round these texts; not written where it is that of claims."""
    parentage: Parentage | None = None
    """Where a proposal comes from; None, and not written, for a template that somebody wrote."""

    @model_serializer(mode="wrap")
    def _without_the_usual(self, written: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields: dict[str, Any] = written(self)
        if self.parentage is None:
            fields.pop("parentage", None)
        if self.frame == "claim":
            fields.pop("frame", None)
        return fields

    @model_validator(mode="before")
    @classmethod
    def _usual_labels(cls, raw: Any) -> Any:
        if not isinstance(raw, Mapping) or "labels" in raw or "dialect" in raw:
            return raw
        return {**raw, "labels": "words"}

    @field_validator("dialect", mode="before")
    @classmethod
    def _named_or_own(cls, raw: Any, info: ValidationInfo) -> Any:
        if isinstance(raw, Mapping):
            return raw if "words" in raw else {"name": "own", "words": dict(raw)}
        language = info.data.get("language")
        if not isinstance(raw, str) or language is None:
            return _ANY_DIALECT if isinstance(raw, str) else raw
        try:
            return named_dialect(raw, language)
        except TemplateError as error:
            problem = error.problems[0]
            raise ValueError(f"{problem.law}. {problem.mend}") from None

    @property
    def label(self) -> str:
        """`name@version/language`."""
        return f"{self.name}@{self.version}/{self.language}"

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 in hex over all that shapes the prompt and the reading of its replies.

        The frame's text is part of it; names, version, purpose, risk and parentage are not.
        """
        shaping = self.model_dump(mode="json", exclude=_NOT_SHAPING)
        shaping["dialect"]["order"] = list(self.dialect.words)
        if self.answer.form == "label_only":
            shaping.pop("reason_hint")
        body = {"template": shaping, "frame": frame_for(self.language, self.frame).text}
        canonical = json.dumps(body, ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(canonical.encode()).hexdigest()

    @property
    def max_tokens(self) -> int:
        """Tokens a reply may take, by form and number of claims."""
        one = _TOKENS_PER_LABEL
        if self.answer.form != "label_only":
            one += _TOKENS_PER_REASON
        if self.answer.json_ or self.claims_per_call > 1:
            one += 16
        return one * self.claims_per_call

    @cached_property
    def question_block(self) -> str:
        """Definitions, rules, examples and the answer form: the same for every claim."""
        words = {str(label): word for label, word in self.dialect.words.items()}
        return _frame(self).question(
            ask=None if self.ask is None else fill(self.ask, words),
            options=[
                (word, fill(self.definitions[label], words))
                for label, word in self.dialect.words.items()
            ],
            rules=[fill(rule, words) for rule in self.rules],
            examples=[
                WorkedCase(e.context, e.claim, self.dialect.words[e.label], e.reason)
                for e in self.examples
            ],
            form=self.answer.form,
            as_json=self.answer.json_,
            batch=self.claims_per_call > 1,
            reason_hint=None if self.reason_hint is None else fill(self.reason_hint, words),
        )

    def sample_answer(self, label: LabelName, reason: str | None = None) -> str:
        """An answer with this label in the form that the template asks for, as examples show it."""
        return _frame(self).sample(
            self.dialect.words[label],
            reason,
            self.answer.form,
            self.answer.json_,
            self.claims_per_call > 1,
        )

    def render(
        self, passages: Sequence[str], claims: Sequence[str], question: str | None = None
    ) -> tuple[Message, ...]:
        """Chat messages for one call: a short system line and one user message.

        Args:
            passages: The context, verbatim. An empty one is shown as such, never left out.
            claims: The claims of this call, at most `claims_per_call`.
            question: What the user had asked; shown only by templates with `show_question`.

        Raises:
            TemplateError: The template shows the question and there is none, or too many claims.
        """
        if self.show_question and not question:
            law, mend = "this template shows the user's question", "Give the claims a question."
            raise TemplateError(
                Problem(self.label, law, mend, field="question", got=repr(question))
            )
        if not 1 <= len(claims) <= self.claims_per_call:
            law = f"a call of this template holds 1 to {self.claims_per_call} claims"
            raise TemplateError(Problem(self.label, law, "Split the call.", got=str(len(claims))))
        return _frame(self).messages(
            layout=self.layout,
            passages=passages,
            claims=claims,
            batch=self.claims_per_call > 1,
            question=question if self.show_question else None,
            question_block=self.question_block,
        )


def _frame(template: Template) -> Frame:
    return frame_for(template.language, template.frame)
