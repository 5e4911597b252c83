"""From units to calls, and from replies to what was said of the units, as the candidate has it.

A candidate with one wording, the context as it is and the top label (`is_plain`) is asked without
the planner of sweeps: the same requests, read by the same parser, at a tenth of the time. Every
other candidate goes by the planner and the readings of sweeps.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from metajudge.errors import InputError, Problem
from metajudge.judges.judge import Judge, Request, Subject
from metajudge.metrics.selfcheck.checked import Said
from metajudge.release.answers import Answer, AnswerClaim, asked_claims
from metajudge.release.asking import planned, replayed
from metajudge.release.candidate import Candidate
from metajudge.runner.call import Call
from metajudge.runner.setback import Setback
from metajudge.runner.trial import request_for
from metajudge.runner.truths import plan_truths
from metajudge.selection.readings import CLASSES, READING_FAILURES
from metajudge.templates.peers import PeerTemplate
from metajudge.templates.reading_names import ReadingName, reading_named
from metajudge.templates.source import PromptSource
from metajudge.verdicts.parse import parse_reply
from metajudge.verdicts.verdict import LABELS, LabelProbabilities, Reply

Ask = Callable[[Request], Awaitable[Reply | Setback]]

MOST_OF_A_WORD = 40
"""Longest reply in characters whose reading is remembered."""
_CHECKS_ANSWERS = ("claim", "sentence")
"""Frames whose unit is a part of an answer and whose evidence is the context."""


class Matter(NamedTuple):
    """What the units of one check are held against.

    Attributes:
        passages: The context, verbatim.
        question: What was asked; None where it is not known.
        lang: Language tag of the answer.
    """

    passages: tuple[str, ...]
    question: str | None
    lang: str


@dataclass(frozen=True)
class Questions:
    """How a candidate asks about units.

    Attributes:
        candidate: Wording, context form, reading and policy.

    Raises:
        InputError: Its templates do not ask whether a context supports a part of an answer, or its
            reading takes label priors from many replies at hand, which one check has not.
    """

    candidate: Candidate

    def __post_init__(self) -> None:
        """Refuse candidates that cannot check an answer."""
        problems = []
        for frame in sorted({frame_of(source) for source in self._sources()}):
            if frame not in _CHECKS_ANSWERS:
                law = "a self-check asks whether a context supports a claim or sentence"
                mend = "Take a release of faithfulness or groundedness."
                problems.append(Problem(self.candidate.name, law, mend, field="frame", got=frame))
        if self._reading.divides_prior and self.candidate.priors is None:
            law = "the reading needs label priors, and this candidate has none frozen"
            mend = "Take a release, which freezes them, or the reading top."
            got = self.candidate.reading
            problems.append(Problem(self.candidate.name, law, mend, field="reading", got=got))
        if problems:
            raise InputError(problems)

    def _sources(self) -> list[PromptSource]:
        return [s for wording in self.candidate.variants for s in wording.by_language.values()]

    @cached_property
    def _reading(self) -> ReadingName:
        return reading_named(self.candidate.reading)

    @cached_property
    def is_plain(self) -> bool:
        """Whether one call a chunk is all there is to ask, and its label is the verdict."""
        one = len(self.candidate.variants) == 1 and self.candidate.form.kind == "raw"
        return one and self.candidate.reading == "top"

    def per_call(self, lang: str) -> int:
        """Most units that one call asks about."""
        return min([w.source_for(lang).claims_per_call for w in self.candidate.variants])

    async def put(
        self, matter: Matter, texts: Sequence[str], judge: Judge, ask: Ask
    ) -> tuple[Said, ...]:
        """What the judge says of some units.

        Args:
            matter: What they are held against.
            texts: At most `per_call` of them.
            judge: Who is asked, for what it can do; calls go by `ask`.
            ask: Sends one call.

        Raises:
            TemplateError: The template shows the question, and there is none.
        """
        if self.is_plain:
            return await self._put_plainly(matter, tuple(texts), judge, ask)
        return await self._put_as_planned(matter, texts, judge, ask)

    async def _put_plainly(
        self, matter: Matter, texts: tuple[str, ...], judge: Judge, ask: Ask
    ) -> tuple[Said, ...]:
        request = self.plain_request(matter, texts, judge)
        return await self.put_request(matter, texts, request, ask)

    async def put_request(
        self, matter: Matter, texts: tuple[str, ...], request: Request, ask: Ask
    ) -> tuple[Said, ...]:
        """What the judge says of some units to a request that `plain_request` made for them."""
        outcome = await ask(request)
        reply = outcome if isinstance(outcome, Reply) else outcome.as_reply()
        return self.read_plainly(matter, texts, reply)

    def plain_request(self, matter: Matter, texts: tuple[str, ...], judge: Judge) -> Request:
        """The one call of a candidate that `is_plain`; arguments and error as of `put`."""
        source = self.candidate.variants[0].source_for(matter.lang)
        return request_for(judge, Subject(matter.passages, texts, source), matter.question)

    def read_plainly(
        self, matter: Matter, texts: tuple[str, ...], reply: Reply
    ) -> tuple[Said, ...]:
        """What the reply to a plain request says of its units."""
        if reply.failure is None and not reply.first_token and len(reply.text) <= MOST_OF_A_WORD:
            said = self._short(matter.lang, len(texts), reply.text, reply.finish_reason)
            if said is not None:
                return said
        source = self.candidate.variants[0].source_for(matter.lang)
        return _read(reply, source, texts)

    @cached_property
    def _short(self) -> Callable[[str, int, str, str | None], tuple[Said, ...] | None]:
        """Readings of replies of a word or two, which judges give again and again.

        The parser takes no more from such a reply than its text and how it ended; None for peers,
        whose replies may repeat what was asked.
        """

        @lru_cache(maxsize=1024)
        def read(lang: str, units: int, text: str, finish: str | None) -> tuple[Said, ...] | None:
            source = self.candidate.variants[0].source_for(lang)
            if isinstance(source, PeerTemplate):
                return None
            return _read(Reply(text, finish_reason=finish), source, ("",) * units)

        return read

    async def _put_as_planned(
        self, matter: Matter, texts: Sequence[str], judge: Judge, ask: Ask
    ) -> tuple[Said, ...]:
        claims = tuple(AnswerClaim(f"a.{n}", text) for n, text in enumerate(texts))
        gold = asked_claims(
            [Answer("a", matter.passages, claims, question=matter.question, lang=matter.lang)]
        )
        name = self.candidate.judge.name
        judges: Mapping[str, Judge] = {name: judge}
        replies: dict[str, Reply] = {}
        first = plan_truths([(name, self.candidate.form)], gold, judges)
        await _settle([entry.call for entry in first.get(name, ())], replies, ask)
        plan = planned([self.candidate], gold, judges, replies)
        await _settle(plan.distinct(name), replies, ask)
        (verdicts,) = replayed([self.candidate], gold, replies, judges=judges)
        details, reasons = verdicts.row.variants[0].details, verdicts.row.reasons
        return tuple(
            _said(
                int(verdicts.read.codes[n, 0]),
                int(verdicts.read.classes[n, 0]),
                [float(p) for p in verdicts.read.probabilities[n, 0]],
                details.get(n),
                reasons.get(n),
            )
            for n in range(len(texts))
        )


def _read(reply: Reply, source: PromptSource, texts: tuple[str, ...]) -> tuple[Said, ...]:
    read = parse_reply(reply, source, _NUMBERS[: len(texts)], texts)
    return tuple(Said(v.label, v.failure, v.detail, v.reason, v.probabilities) for v in read)


_NUMBERS = tuple(str(number) for number in range(1, 101))


def frame_of(source: PromptSource) -> str:
    """The frame of a template; that of a claim for peers' prompts."""
    return str(getattr(source, "frame", "claim"))


async def _settle(calls: Sequence[Call], replies: dict[str, Reply], ask: Ask) -> None:
    outcomes = await asyncio.gather(*(ask(call.request) for call in calls))
    for call, outcome in zip(calls, outcomes, strict=True):
        replies[call.key] = outcome if isinstance(outcome, Reply) else outcome.as_reply()


def _said(
    code: int, failure: int, shares: list[float], detail: str | None, reason: str | None
) -> Said:
    likely = LabelProbabilities(*shares) if shares[0] == shares[0] else None
    if failure < 0:
        return Said(LABELS[code], reason=reason, probabilities=likely)
    name = CLASSES[failure]
    return Said(None, name, detail or READING_FAILURES.get(name), reason, likely)
