"""What the planner and the parser need of anything that makes prompts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, Protocol

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from metajudge.templates.dialect import Dialect
from metajudge.templates.message import Message

Form = Literal["label_only", "reason_first", "label_first"]


def _written(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


WrittenText = Annotated[str, AfterValidator(_written)]
"""A text that is more than white space."""


class AnswerForm(BaseModel):
    """The shape of the reply a template asks for."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    form: Form = "label_only"
    json_: bool = Field(default=False, alias="json", strict=True)


class PromptSource(Protocol):
    """A template of ours, or a peer's prompt read from its installed package.

    Attributes:
        label: Name, version and language, for people.
        fingerprint: SHA-256 in hex of everything that shapes the prompt.
        claims_per_call: Most claims one call may hold, at least 1.
        max_tokens: Most tokens a reply to one call may take.
    """

    @property
    def label(self) -> str: ...  # noqa: D102
    @property
    def fingerprint(self) -> str: ...  # noqa: D102
    @property
    def language(self) -> str: ...  # noqa: D102
    @property
    def family(self) -> str: ...  # noqa: D102
    @property
    def dialect(self) -> Dialect: ...  # noqa: D102
    @property
    def answer(self) -> AnswerForm: ...  # noqa: D102
    @property
    def claims_per_call(self) -> int: ...  # noqa: D102
    @property
    def max_tokens(self) -> int: ...  # noqa: D102

    def render(
        self, passages: Sequence[str], claims: Sequence[str], question: str | None = None
    ) -> tuple[Message, ...]:
        """The chat messages that ask for one verdict per claim, in the order given."""
        ...
