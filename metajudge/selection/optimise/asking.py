"""How a program and a proposer reach our judges: through the store and the budget of one run."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from metajudge.gold.goldset import GoldSet
from metajudge.judges.judge import Judge, Request, call_key
from metajudge.runner.call import Call
from metajudge.runner.trial import PlannedCall, Trial, plan_calls
from metajudge.selection.optimise.calls import SharedCalls
from metajudge.templates.catalogue import Wording
from metajudge.templates.template import Template
from metajudge.verdicts.parse import parse_reply
from metajudge.verdicts.verdict import Reply, Verdict

if TYPE_CHECKING:
    from metajudge.judges.proposing import ProposerEngine

JUDGE, PROPOSER = "judge", "proposer"
"""Roles of `SharedCalls`."""


class NoProposalError(Exception):
    """The proposing model gave no answer to one request; the next one may be answered."""


class AskedClaims:
    """Asks about one claim by the very call that a sweep would plan; safe for several threads.

    Args:
        judge: Who judges.
        calls: Where its replies come from.
        parts: Gold sets with every claim that may be asked about.
        draws: Draws of each claim, at least 1; further ones begin anew.
    """

    def __init__(
        self, judge: Judge, calls: SharedCalls, parts: Sequence[GoldSet], draws: int
    ) -> None:
        self._judge, self._calls, self._draws = judge, calls, draws
        self._parts = [part for part in parts if part.claims]
        self._questions = {
            (part.passages(c), c.claim, c.question): (number, index)
            for number, part in enumerate(self._parts)
            for index, c in enumerate(part.claims)
        }
        self._planned: dict[str, dict[tuple[int, int, int], PlannedCall]] = {}
        self._lock = threading.Lock()

    def __call__(
        self,
        template: Template,
        passages: tuple[str, ...],
        claim: str,
        question: str | None,
        draw: int,
    ) -> Verdict:
        """The verdict of one draw."""
        number, index = self._questions[passages, claim, question]
        planned = self._of(template)[number, index, draw % self._draws]
        reply = self._calls.reply(JUDGE, planned.call)
        return parse_reply(reply, planned.source, ["1"], [claim])[0]

    def _of(self, template: Template) -> dict[tuple[int, int, int], PlannedCall]:
        with self._lock:
            if template.fingerprint not in self._planned:
                self._planned[template.fingerprint] = self._plan(template)
            return self._planned[template.fingerprint]

    def _plan(self, template: Template) -> dict[tuple[int, int, int], PlannedCall]:
        wording = Wording(template.name, {template.language: template})
        trial = Trial(template.name, self._judge.spec, (wording,), self._draws)
        judges = {self._judge.spec: self._judge}
        return {
            (number, planned.claims[0], planned.repeat): planned
            for number, part in enumerate(self._parts)
            for planned in plan_calls([trial], part, judges, with_priors=False).calls[
                self._judge.spec
            ]
        }


def proposer_engine(start: Template, calls: SharedCalls) -> ProposerEngine:
    """The proposing judge as DSPy asks it; its replies are stored like any other.

    A proposal that cannot be had is an error to the optimiser, whose notes tell it.
    """
    from metajudge.judges.proposing import ProposerEngine, form_note

    identity = calls.identity(PROPOSER)

    def ask(request: Request) -> Reply:
        reply = calls.reply(PROPOSER, Call(call_key(identity, request), request))
        if reply.failure is not None:
            detail = reply.failure_detail or reply.failure
            raise NoProposalError(f"the proposing model gave no answer ({detail})")
        return reply

    return ProposerEngine(ask, form_note(start.language, list(start.dialect.words.values())))
