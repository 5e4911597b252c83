"""Lists that metrics need of a row: given ones, and calls for those that a judge has to make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from metajudge.judges.judge import Judge, Request, call_key
from metajudge.metrics.row import ListName, MetricRow
from metajudge.release.extraction import NOT_MADE, Extracted, read_claims
from metajudge.runner.call import Call
from metajudge.scoring.statements import is_statement_free
from metajudge.templates.extract import ExtractPrompt, ListKind, extract_prompt
from metajudge.verdicts.verdict import Reply

_KIND: dict[ListName, ListKind] = {
    "claims": "claims",
    "statements": "claims",
    "entities": "entities",
    "aspects": "aspects",
    "steps": "steps",
}
"""Statements of a reference are listed as claims of an answer are, so that the two compare."""


class Wanted(NamedTuple):
    """A list of a row that some metric needs.

    Attributes:
        row: Index of the row.
        name: Which list.
        judge: Name of the pin of who makes it where the row does not give it.
    """

    row: int
    name: ListName
    judge: str


class PlannedList(NamedTuple):
    """A call that makes a list."""

    call: Call
    prompt: ExtractPrompt


@dataclass
class Lists:
    """The lists of all rows: what is known, and what is to be asked.

    Attributes:
        known: Lists that need no call.
        planned: Calls for the others.
        replies: Replies so far.
    """

    known: dict[Wanted, tuple[str, ...]] = field(default_factory=dict)
    planned: dict[Wanted, PlannedList] = field(default_factory=dict)
    replies: dict[str, Reply] = field(default_factory=dict)

    def calls(self, judge: str) -> list[Call]:
        """Calls of a judge, each key once, in prefix order."""
        own = [entry.call for wanted, entry in self.planned.items() if wanted.judge == judge]
        distinct = {call.key: call for call in own}
        return sorted(distinct.values(), key=lambda c: [m.content for m in c.request.messages])

    def read(self, wanted: Wanted) -> Extracted:
        """A list, or why it is unknown."""
        if wanted in self.known:
            return Extracted(self.known[wanted])
        reply = self.replies.get(self.planned[wanted].call.key)
        return NOT_MADE if reply is None else _distinct(read_claims(reply))

    def prompts(self, names: Iterable[ListName]) -> dict[str, str]:
        """Label -> fingerprint of the prompts that were needed for some lists."""
        wanted = set(names)
        return {
            entry.prompt.label: entry.prompt.fingerprint
            for key, entry in self.planned.items()
            if key.name in wanted
        }


def plan_lists(
    rows: Sequence[MetricRow], wanted: Iterable[Wanted], judges: Mapping[str, Judge]
) -> Lists:
    """What is known of the lists that metrics need, and the calls for the rest.

    Args:
        rows: The rows.
        wanted: The lists; each once, however many metrics need it.
        judges: Opened judges by the name of their pin; only identities are used.
    """
    lists = Lists()
    for want in dict.fromkeys(wanted):
        row = rows[want.row]
        given = row.lists.get(want.name)
        text, question = _source(row, want.name)
        if given is not None:
            lists.known[want] = given
        elif not text.strip() or (_KIND[want.name] == "claims" and is_statement_free(text)):
            lists.known[want] = ()
        else:
            prompt = extract_prompt(row.lang, _KIND[want.name])
            request = Request(prompt.render(text, question), prompt.max_tokens(text))
            call = Call(call_key(judges[want.judge].identity, request), request)
            lists.planned[want] = PlannedList(call, prompt)
    return lists


def _source(row: MetricRow, name: ListName) -> tuple[str, str | None]:
    """The text that a list is drawn from, and the question beside it."""
    sources: dict[ListName, tuple[str | None, str | None]] = {
        "claims": (row.answer, row.question),
        "statements": (row.reference, row.question),
        "entities": (row.reference, row.question),
        "aspects": (row.question, None),
        "steps": (row.goal, None),
    }
    text, question = sources[name]
    return text or "", question


def _distinct(extracted: Extracted) -> Extracted:
    """Without entries that a judge wrote twice."""
    return extracted._replace(claims=tuple(dict.fromkeys(extracted.claims)))
