"""Claims drawn from answers by a judge: the calls, and what their replies list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from metajudge.judges.judge import Judge, Request, call_key
from metajudge.release.answer_rows import claim_name
from metajudge.release.answers import Answer, AnswerClaim
from metajudge.runner.call import Call
from metajudge.templates.extract import ExtractPrompt, extract_prompt
from metajudge.verdicts.truths import read_truths
from metajudge.verdicts.verdict import Failure, Reply

_CUT = ("length", "max_tokens")
_NO_CLAIM = re.compile(
    r"(?:there (?:are|is) )?no (?:statements?|claims?)(?: (?:is|are) made)?(?: (?:in|by) .*)?"
    r"|the answer (?:makes|contains) no (?:statements?|claims?)"
    r"|(?:这个|该|此)?(?:回答|答案)?(?:中|里)?(?:并)?(?:没有|无|未)(?:作出|包含|提出)?(?:任何)?陈述",
    re.IGNORECASE,
)
_EDGES = " \t.。!！\"'“”*_()（）"


@dataclass(frozen=True, slots=True)
class PlannedExtraction:
    """One draw of one answer's claims.

    Attributes:
        answer: Index of the answer.
        draw: 0-based draw.
        call: The request with its key.
        prompt: The extraction prompt.
    """

    answer: int
    draw: int
    call: Call
    prompt: ExtractPrompt


class Extracted(NamedTuple):
    """The claims of an answer, or why they are unknown.

    Attributes:
        claims: In the reply's order. () with no failure: the answer states nothing.
        failure: Set when a call was answered and the claims are unknown all the same.
        detail: About the failure, or what of the reply was left out; None when nothing.
        open: The run ended before the call was made; the next run asks it.
    """

    claims: tuple[str, ...]
    failure: Failure | None = None
    detail: str | None = None
    open: bool = False

    @property
    def known(self) -> bool:
        """Whether the claims could be had."""
        return self.failure is None and not self.open


NOT_MADE = Extracted((), None, None, open=True)


def plan_extractions(
    answers: Iterable[Answer], judge: Judge, repeats: int = 1
) -> tuple[PlannedExtraction, ...]:
    """The calls that draw claims from the answers whose claims are not known.

    Each draw is a call of its own, with its own key.

    Args:
        answers: In their order; those with claims, be it none, need no call.
        judge: Who is asked; only its identity is used here.
        repeats: Draws an answer.
    """
    planned = []
    for index, answer in enumerate(answers):
        if answer.claims is not None:
            continue
        text = answer.answer or ""
        prompt = extract_prompt(answer.lang)
        messages = prompt.render(text, answer.question)
        for draw in range(repeats):
            request = Request(messages, prompt.max_tokens(text), repeat=draw)
            call = Call(call_key(judge.identity, request), request)
            planned.append(PlannedExtraction(index, draw, call, prompt))
    return tuple(planned)


def read_claims(reply: Reply) -> Extracted:
    r"""The claims that a reply lists; never raises on what a judge wrote.

    Lists are read as those of facts are. A list that the token limit cut is a failure: with part
    of the claims a score would have another denominator.

    >>> read_claims(Reply("- The fee is 10 euros.\n- It is paid monthly.")).claims
    ('The fee is 10 euros.', 'It is paid monthly.')
    >>> read_claims(Reply("无")), read_claims(Reply("- The fee", "length")).failure
    (Extracted(claims=(), failure=None, detail=None, open=False), 'truncated')
    """
    if reply.failure is None and (reply.finish_reason or "").casefold() in _CUT:
        return Extracted((), "truncated", "the token limit ended the list of claims")
    read = read_truths(reply, None)
    detail = None if read.detail is None else read.detail.replace("fact", "claim")
    if read.failure is not None:
        return Extracted((), read.failure, detail)
    stated = tuple(text for text in read.facts if not _NO_CLAIM.fullmatch(text.strip(_EDGES)))
    return Extracted(stated, None, detail)


def read_extractions(
    planned: Iterable[PlannedExtraction], replies: Mapping[str, Reply]
) -> dict[int, tuple[Extracted, ...]]:
    """By answer, the claims of each of its draws; a call without a reply is open."""
    found: dict[int, list[Extracted]] = {}
    for entry in planned:
        reply = replies.get(entry.call.key)
        found.setdefault(entry.answer, []).append(NOT_MADE if reply is None else read_claims(reply))
    return {index: tuple(draws) for index, draws in found.items()}


def with_claims(answer: Answer, extracted: Extracted) -> Answer:
    """The answer with the claims of one draw."""
    claims = tuple(
        AnswerClaim(claim_name(answer.answer_id, number), text)
        for number, text in enumerate(extracted.claims, 1)
    )
    return replace(answer, claims=claims)
