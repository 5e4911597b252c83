"""The pinned prompts by which a judge first lists what a text holds.

Listed are the claims of an answer, what a question asks for, what a reference names, and what a
goal needs. Where a row comes without such a list, what counts as one of its entries is decided
here, and moves its score. The wordings are therefore versioned, and their fingerprints stand
beside every score.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

from metajudge.templates.message import Message

ExtractLanguage = Literal["en", "zh"]
ListKind = Literal["claims", "aspects", "entities", "steps"]
NAME = "extract"
_TOKENS_PER_CHARACTER = {"en": 0.5, "zh": 1.5}
_STEP = 64
_FEWEST_TOKENS, _MOST_TOKENS = 256, 2048


class _Wording(BaseModel):
    """One language's lines; every field is a line of its file in `extract/`.

    `<language>.yaml` lists claims, `<kind>.<language>.yaml` something else. What is called answer
    here is the text that the list is drawn from.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str = Field(exclude=True)
    version: str
    system: str
    question_head: str
    answer_head: str
    ask: str
    rules_head: str
    rules: tuple[str, ...]
    none_rule: str
    close: str


@dataclass(frozen=True, slots=True)
class ExtractPrompt:
    """The request for the claims of one answer, or for another list of another text.

    Attributes:
        language: Language of the prompt.
        kind: What is listed.
    """

    language: ExtractLanguage
    kind: ListKind = "claims"

    @property
    def name(self) -> str:
        """`extract`, or `extract-aspects` and the like."""
        return NAME if self.kind == "claims" else f"{NAME}-{self.kind}"

    @property
    def version(self) -> str:
        """Version of the wording."""
        return _wording(self.language, self.kind).version

    @property
    def label(self) -> str:
        """`extract@version/language`, as it stands beside scores."""
        return f"{self.name}@{self.version}/{self.language}"

    @property
    def fingerprint(self) -> str:
        """SHA-256 in hex over the wording."""
        body = {self.name: _wording(self.language, self.kind).text}
        canonical = json.dumps(body, ensure_ascii=False)
        return hashlib.sha256(canonical.encode()).hexdigest()

    def max_tokens(self, answer: str) -> int:
        """Tokens a reply may take, by the length of the answer that it retells: 256 to 2048.

        >>> [ExtractPrompt("en").max_tokens("x" * n) for n in (10, 1000, 9000)]
        [256, 640, 2048]
        """
        wanted = 2 * _STEP + len(answer) * _TOKENS_PER_CHARACTER[self.language]
        stepped = -int(-wanted // _STEP) * _STEP
        return max(_FEWEST_TOKENS, min(stepped, _MOST_TOKENS))

    def render(self, answer: str, question: str | None = None) -> tuple[Message, ...]:
        """Chat messages that ask for the claims of an answer.

        Args:
            answer: Its text, verbatim.
            question: What was asked, which says what "it" in the answer means.
        """
        wording = _wording(self.language, self.kind)
        blocks = [] if question is None else [f"{wording.question_head} {question}"]
        blocks += [f"{wording.answer_head}\n{answer}", self._question()]
        return Message("system", wording.system), Message("user", "\n\n".join(blocks))

    def _question(self) -> str:
        wording = _wording(self.language, self.kind)
        rules = [f"- {rule}" for rule in (*wording.rules, wording.none_rule)]
        return "\n".join([wording.ask, wording.rules_head, *rules, wording.close])


def extract_prompt(language: str, kind: ListKind = "claims") -> ExtractPrompt:
    """The extraction prompt for a text's language: Chinese for `zh…`, English for all others.

    >>> extract_prompt("zh-CN").label, extract_prompt("fr", "aspects").label
    ('extract@1.0.0/zh', 'extract-aspects@1.0.0/en')
    """
    primary = language.replace("_", "-").split("-")[0].casefold()
    return ExtractPrompt("zh" if primary == "zh" else "en", kind)


@cache
def _wording(language: ExtractLanguage, kind: ListKind) -> _Wording:
    file = f"{language}.yaml" if kind == "claims" else f"{kind}.{language}.yaml"
    text = (resources.files("metajudge.templates") / "extract" / file).read_text(encoding="utf-8")
    return _Wording(text=text, **yaml.safe_load(text))
