"""Our judge as a DSPy model that proposes instructions.

Imported only where an optimiser runs, since DSPy is heavy.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import dspy
from dspy.lm15 import Message as CanonicalMessage
from dspy.lm15 import Request as CanonicalRequest
from dspy.lm15 import Response, TextPart, Usage

from metajudge.judges.judge import Request
from metajudge.templates.message import Message
from metajudge.verdicts.verdict import Reply

MAX_TOKENS = 1024
"""Tokens that a proposal may take where DSPy sets no limit."""
_NOTES = {
    "en": (
        "If you write an instruction: begin with the question, then give one line for each of the "
        "labels ({lines}), then rules, each on a line that begins with “- ”. Keep every label "
        "word as it is. Do not quote a case."
    ),
    "zh": (
        "如果要写指令：先写问题，再为每个标签各写一行（{lines}），然后写规则，"
        "每条规则另起一行，以“- ”开头。"
        "标签用词必须保持不变。不要引用具体案例。"
    ),
}


class ProposerEngine:
    """What `dspy.LM(engine=…)` calls: one request in, one reply of our judge out.

    A prompt that comes again is another draw, as DSPy means it: it asks again for another answer.

    Args:
        ask: Asks the judge. An `Exception` is one proposal that cannot be had; DSPy goes on, or
            ends. Once nothing more can be asked it raises what is no `Exception`.
        note: Put at the end of the system message of every request.
    """

    def __init__(self, ask: Callable[[Request], Reply], note: str = "") -> None:
        self._ask, self._note = ask, note
        self._lock = threading.Lock()
        self._draws: Counter[tuple[Message, ...]] = Counter()

    def __deepcopy__(self, memo: dict[int, Any]) -> ProposerEngine:
        return self

    def complete(self, request: CanonicalRequest) -> Response:
        """The reply to one request, as text."""
        messages = _messages(request, self._note)
        with self._lock:
            draw = self._draws[messages]
            self._draws[messages] += 1
        most = request.config.max_tokens or MAX_TOKENS
        reply = self._ask(Request(messages, most, repeat=draw))
        read, written = reply.prompt_tokens or 0, reply.completion_tokens or 0
        return Response(
            id=None,
            model=request.model,
            message=CanonicalMessage.assistant([TextPart(_text(reply.text))]),
            finish_reason="length" if reply.finish_reason == "length" else "stop",
            usage=Usage(input_tokens=read, output_tokens=written, total_tokens=read + written),
        )


def proposer_model(engine: ProposerEngine) -> Any:
    """The DSPy model of an engine; without DSPy's caches and retries, for both are ours."""
    return dspy.LM("metajudge/proposer", engine=engine, cache=False, num_retries=0)


def form_note(language: str, words: list[str]) -> str:
    """What a proposer is told about the form of an instruction.

    >>> "“yes: …”" in form_note("en", ["yes", "no"])
    True
    """
    joint, comma = ("：", "、") if language == "zh" else (": ", ", ")
    lines = comma.join(f"“{word}{joint}…”" for word in words)
    return _NOTES["zh" if language == "zh" else "en"].format(lines=lines)


def _text(written: str) -> str:
    """What was written as text that can be sent on: halves of surrogate pairs are no text."""
    return written.encode("utf-8", "replace").decode("utf-8")


def _messages(request: CanonicalRequest, note: str) -> tuple[Message, ...]:
    system = request.system
    if system is not None and not isinstance(system, str):
        system = "".join(part.text for part in system)
    told = "\n\n".join(part for part in (system, note) if part)
    head = (Message("system", told),) if told else ()
    return (*head, *(Message(each.role, each.text or "") for each in request.messages))
