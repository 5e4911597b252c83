"""The prompt by which a judge first lists the facts of a context.

The verdicts of a `truths` trial are then asked against these facts, a passage each, in place of
the context. That the facts are drawn from the context alone, with an optional limit, follows
DeepEval's faithfulness pipeline; the wording is this project's own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

from metajudge.templates.context_form import MOST_FACTS
from metajudge.templates.frame import frame_for
from metajudge.templates.message import Message

TruthsLanguage = Literal["en", "zh"]
_TOKENS_PER_FACT = 40
_FACTS_WITHOUT_LIMIT = 24
_MOST_TOKENS = 2048


class _Wording(BaseModel):
    """One language's lines; every field is a line of `truths/<language>.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str = Field(exclude=True)
    ask: str
    rules_head: str
    rules: tuple[str, ...]
    limit_rule: str
    none_rule: str
    close: str


@dataclass(frozen=True, slots=True)
class TruthsPrompt:
    """The request for the facts of one context.

    Attributes:
        language: Language of the prompt.
        limit: Most facts to list, 1 to 100; None leaves the number open.
    """

    language: TruthsLanguage
    limit: int | None

    @property
    def fingerprint(self) -> str:
        """SHA-256 in hex over the wording, the language's frame and the limit."""
        body = {
            "truths": _wording(self.language).text,
            "frame": frame_for(self.language).text,
            "limit": self.limit,
        }
        canonical = json.dumps(body, ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(canonical.encode()).hexdigest()

    @property
    def max_tokens(self) -> int:
        """Tokens a reply may take: 40 a fact, for 24 facts without a limit, never over 2048."""
        facts = _FACTS_WITHOUT_LIMIT if self.limit is None else self.limit
        return min(_TOKENS_PER_FACT * (facts + 1), _MOST_TOKENS)

    def render(self, passages: Sequence[str]) -> tuple[Message, ...]:
        """Chat messages that ask for the facts of a context.

        System line and context block are those of the verdict prompts, so that a server that
        keeps prefixes warm reads the context once for both.

        Args:
            passages: The context, verbatim. An empty one is shown as such.
        """
        frame = frame_for(self.language)
        user = f"{frame.context_block(passages)}\n\n{self._question()}"
        return Message("system", frame.system), Message("user", user)

    def _question(self) -> str:
        wording = _wording(self.language)
        rules = list(wording.rules)
        if self.limit is not None:
            rules.append(wording.limit_rule.replace("{limit}", str(self.limit)))
        rules.append(wording.none_rule)
        lines = [wording.ask, wording.rules_head, *(f"- {rule}" for rule in rules), wording.close]
        return "\n".join(lines)


def truths_prompt(language: str, limit: int | None) -> TruthsPrompt:
    """The facts prompt for claims in a language: Chinese for `zh…`, English for all others.

    Args:
        language: A language tag such as `en`, `zh` or `zh-CN`.
        limit: Most facts to list, 1 to 100; None leaves the number open.

    Raises:
        ValueError: The limit is not 1 to 100.

    >>> truths_prompt("zh-CN", 12).language
    'zh'
    >>> truths_prompt("de", None).max_tokens
    1000
    """
    if limit is not None and not 1 <= limit <= MOST_FACTS:
        raise ValueError(f"a limit of facts is 1 to {MOST_FACTS}, not {limit}")
    primary = language.replace("_", "-").split("-")[0].casefold()
    return TruthsPrompt("zh" if primary == "zh" else "en", limit)


@cache
def _wording(language: TruthsLanguage) -> _Wording:
    path = resources.files("metajudge.templates") / "truths" / f"{language}.yaml"
    text = path.read_text(encoding="utf-8")
    return _Wording(text=text, **yaml.safe_load(text))
