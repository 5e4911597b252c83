"""Candidates, answers and scripted servers for tests of the self-check."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from metajudge.judges.judge import JudgeCallError, Request
from metajudge.metrics.selfcheck.checker import SelfCheck
from metajudge.release.candidate import Candidate, JudgePin
from metajudge.scoring.policies import parse_policy
from metajudge.templates.catalogue import Wording, catalogue
from metajudge.verdicts.verdict import Label, Reply
from tests.loopback import Answer, ServerCall, chat

PASSAGES = ["Hall A opens at nine.", "Hall A lends twenty books."]
GOOD, BAD, LOST = "Hall A opens at nine.", "Hall A closes at five.", "Hall A is lovely."
ANSWER = f"{GOOD} {BAD} {LOST}"
REFUSED = "I cannot give an answer that the available material supports."


def candidate(
    url: str | None = None,
    policy: str = "strict",
    threshold: float = 0.8,
    template: Any = None,
    spec: str = "openai/m",
    **fields: Any,
) -> Candidate:
    """A candidate with a shipped template, which asks a server or the judge of a spec."""
    wording = catalogue()["literal"] if template is None else Wording("own", template)
    pin = JudgePin(spec=spec, api_base=url)
    return Candidate(
        "own", fields.pop("variants", (wording,)), parse_policy(policy), threshold, pin, **fields
    )


def checker(url: str, **settings: Any) -> SelfCheck:
    """A self-check that asks a server."""
    return SelfCheck(candidate(url), **{"deadline_s": 5.0, **settings})


def claim_of(prompt: str) -> str:
    """The claim that a prompt asks about."""
    mark = "\nClaim: " if "\nClaim: " in prompt else "\n陈述："
    return prompt.partition(mark)[2].partition("\n")[0]


def label_of(claim: str) -> Label:
    """Opening and lending are supported, closing is contradicted, all else is idk."""
    if any(word in claim for word in ("opens", "lends", "开放", "可借")):
        return "yes"
    return "no" if any(word in claim for word in ("closes", "关闭")) else "idk"


def reads(call: ServerCall) -> Answer:
    """A judge that reads the claim."""
    return chat(says(call.prompt))


def says(prompt: str) -> str:
    """Its reply, in the language of the prompt."""
    language = "zh" if "\n陈述：" in prompt else "en"
    words = catalogue()["literal"].source_for(language).dialect.words
    return words[label_of(claim_of(prompt))]


class FakeJudge:
    """A judge of these tests: answers by a function of the claim."""

    spec = "fake"
    max_in_flight: int | None = None
    gives_logprobs = False
    label_in_one_token = False

    def __init__(self, answer: Callable[[str], Any]) -> None:
        self.identity = {"model": "fake"}
        self.answer = answer
        self.asked: list[str] = []
        self.closed = 0

    async def ask(self, request: Request) -> Reply:
        claim = claim_of(request.messages[-1].content)
        self.asked.append(claim)
        said = self.answer(claim)
        if hasattr(said, "__await__"):
            said = await said
        return said if isinstance(said, Reply) else Reply(said, finish_reason="stop")

    async def close(self) -> None:
        self.closed += 1


def refuses(kind: Any) -> Callable[[str], Any]:
    """An answer that is an error of a call."""

    def answer(_: str) -> Any:
        raise JudgeCallError(kind, "scripted")

    return answer


def fake(answer: Callable[[str], Any], **settings: Any) -> tuple[SelfCheck, FakeJudge]:
    """A self-check that asks a judge in this process."""
    judge = FakeJudge(answer)
    return SelfCheck(candidate(), judge, **{"deadline_s": 5.0, **settings}), judge
