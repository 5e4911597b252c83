"""`scripted:<file.yaml>`: fixed replies, for tests and tutorials; never evidence.

```yaml
name: a judge that loves yes
rules:                       # the first rule whose pattern is found in the last message answers
  - match: office opens
    reply: "no"
replies:                     # otherwise these in turn; plain text, or the long form
  - "yes"
  - text: idk
    finish_reason: stop
    first_token: {idk: -0.1, "yes": -2.4}
    latency_s: 0.05
  - error: rate_limit        # any call error by name
    retry_after: 0.2
at_end: cycle                # cycle (default), repeat_last, or fail
```
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from metajudge.errors import JudgeSpecError
from metajudge.gold.strict_yaml import read_yaml
from metajudge.judges.judge import CallErrorKind, JudgeCallError, Request, Scalar
from metajudge.verdicts.verdict import Reply, TokenLogprob


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ScriptedReply(_Strict):
    """One reply, or one call error."""

    text: str = ""
    finish_reason: str | None = "stop"
    first_token: dict[str, float] = Field(default_factory=dict)
    latency_s: Annotated[float, Field(ge=0)] = 0.0
    error: CallErrorKind | None = None
    retry_after: float | None = None

    @model_validator(mode="after")
    def _text_or_error(self) -> ScriptedReply:
        if self.error is not None and self.text:
            raise ValueError("a scripted reply has a text or an error, not both")
        return self


def _long_form(reply: Any) -> Any:
    return {"text": reply} if isinstance(reply, str) else reply


_AnyReply = Annotated[ScriptedReply, BeforeValidator(_long_form)]


class Rule(_Strict):
    """Answers where the pattern is found in the last message."""

    match: re.Pattern[str]
    reply: _AnyReply


class Script(_Strict):
    """A scripted judge's file."""

    name: Annotated[str, Field(min_length=1)]
    rules: tuple[Rule, ...] = ()
    replies: tuple[_AnyReply, ...] = ()
    at_end: Literal["cycle", "repeat_last", "fail"] = "cycle"

    @model_validator(mode="after")
    def _something_to_say(self) -> Script:
        if not self.rules and not self.replies:
            raise ValueError("a script has rules, replies, or both")
        return self


class ScriptedJudge:
    """A judge that plays a script. Its identity says so, so its replies cannot pass as a model's.

    Replies in turn depend on the order of the calls; use rules where calls run side by side.
    """

    max_in_flight: int | None = None
    label_in_one_token = False

    def __init__(self, spec: str, script: Script, digest: str) -> None:
        self.spec = spec
        self.identity: Mapping[str, Scalar] = {
            "model": f"scripted:{script.name}",
            "backend": "scripted",
            "backend_version": digest,
        }
        self._script = script
        self._played = 0
        every = [*script.replies, *(rule.reply for rule in script.rules)]
        self.gives_logprobs = any(reply.first_token for reply in every)

    def __repr__(self) -> str:
        return f"ScriptedJudge({self.spec!r})"

    async def ask(self, request: Request) -> Reply:
        """The reply that the script gives; raises the call error that it names."""
        chosen = self._choose(request.messages[-1].content if request.messages else "")
        if chosen.latency_s:
            await asyncio.sleep(chosen.latency_s)
        if chosen.error is not None:
            detail = f"scripted by {self._script.name}"
            raise JudgeCallError(chosen.error, detail, chosen.retry_after)
        tops = sorted(chosen.first_token.items(), key=lambda top: -top[1])
        return Reply(
            chosen.text,
            finish_reason=chosen.finish_reason,
            first_token=tuple(TokenLogprob(token, logprob) for token, logprob in tops),
            cost_usd=0.0,
            model=f"scripted:{self._script.name}",
        )

    def _choose(self, prompt: str) -> ScriptedReply:
        for rule in self._script.rules:
            if rule.match.search(prompt):
                return rule.reply
        replies = self._script.replies
        turn, self._played = self._played, self._played + 1
        if turn < len(replies):
            return replies[turn]
        if not replies or self._script.at_end == "fail":
            raise JudgeCallError("missing", f"script {self._script.name} has no reply left")
        return replies[-1 if self._script.at_end == "repeat_last" else turn % len(replies)]

    async def close(self) -> None:
        """Nothing to give back."""


def open_scripted(spec: str, place: str) -> ScriptedJudge:
    """The judge of a script file.

    Raises:
        JudgeSpecError: The file is missing, no YAML, or no script; all faults at once.
    """
    path = Path(place).expanduser()
    script = read_yaml(path, Script, JudgeSpecError)
    return ScriptedJudge(spec, script, hashlib.sha256(path.read_bytes()).hexdigest()[:16])
