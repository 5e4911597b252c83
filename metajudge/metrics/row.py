"""One answer with everything that some metric may look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

ListName = Literal["claims", "statements", "entities", "aspects", "steps"]
"""Lists that a row may give, so that nobody has to extract them: claims of the answer, statements
and entities of the reference, aspects of the question, steps of the goal."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation, or one step of an agent.

    Attributes:
        role: `user`, `assistant`, `tool`, … as the row has it.
        content: Its text; "" where it only calls tools.
        tool_calls: Calls made in it, as the row has them.
    """

    role: str
    content: str
    tool_calls: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class MetricRow:
    """One answer. What its row does not have is None, what it has empty is empty.

    Attributes:
        answer_id: Unique among the rows.
        answer: Its text; "" where nothing was said.
        question: What was asked.
        passages: The retrieved passages, best first.
        reference: A right answer.
        reference_contexts: Passages that should have been retrieved.
        goal: What an agent was to achieve.
        turns: The conversation, or the agent's record.
        expected_tools: Tool calls that were to be made.
        actual_tools: Tool calls that were made; those of the turns where the row has no own list.
        lists: Lists that the row gives.
        lang: Language tag.
        context_id: Rows of one context are resampled together.
        where: Its file.
        line: Its line; None where lines mean nothing.
        fields: Whatever else the row holds.
    """

    answer_id: str
    answer: str | None = None
    question: str | None = None
    passages: tuple[str, ...] | None = None
    reference: str | None = None
    reference_contexts: tuple[str, ...] | None = None
    goal: str | None = None
    turns: tuple[Turn, ...] | None = None
    expected_tools: tuple[Any, ...] | None = None
    actual_tools: tuple[Any, ...] | None = None
    lists: Mapping[ListName, tuple[str, ...]] = field(default_factory=dict)
    lang: str = "en"
    context_id: str = ""
    where: str = "answers"
    line: int | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)

    @property
    def chinese(self) -> bool:
        """Whether reasons are written in Chinese."""
        return self.lang.replace("_", "-").split("-")[0].casefold() == "zh"

    @property
    def language(self) -> Literal["en", "zh"]:
        """Language of the reasons; `zh-TW` is `zh`."""
        return "zh" if self.chinese else "en"
