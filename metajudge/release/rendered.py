"""`examples.jsonl`: the messages that a release sends, byte by byte, for a few gold claims."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any

from metajudge.gold.claim import Claim
from metajudge.gold.goldset import GoldSet
from metajudge.release.asking import planned
from metajudge.release.candidate import Candidate
from metajudge.verdicts.verdict import Reply

PER_LANGUAGE = 5


def examples_text(candidate: Candidate, gold: GoldSet, replies: Mapping[str, Reply]) -> str:
    """The text of `examples.jsonl`: five claims a language, one line a call about each.

    A pure function of its arguments, so that equal releases have equal examples. A claim has a line
    for every order of the labels, and for every passage where passages are shown one at a time.

    Args:
        candidate: What makes the messages.
        gold: The dev claims; their labels are not looked at.
        replies: By key; only facts extracted for the context form `truths` are read.
    """
    judges = {candidate.judge.name: candidate.judge.stand_in()}
    plan = planned([candidate], gold, judges, replies)
    calls: dict[int, list[dict[str, Any]]] = {}
    for call in plan.calls[candidate.judge.name]:
        messages = [message._asdict() for message in call.call.request.messages]
        told = {"variant": call.variant, "passage": call.passage, "messages": messages}
        for claim in call.claims:
            calls.setdefault(claim, []).append(told)
    rows = [
        {"claim_id": plan.claims[index].claim_id, "language": plan.claims[index].lang, **told}
        for index in _shown(plan.claims)
        for told in sorted(calls.get(index, ()), key=_place)
    ]
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def _place(told: Mapping[str, Any]) -> tuple[int, int]:
    return told["variant"], told["passage"] or 0


def _shown(claims: Sequence[Claim]) -> list[int]:
    """The first claims of each language, taken from its slices in turn."""
    found: list[int] = []
    for lang in dict.fromkeys(claim.lang for claim in claims):
        slices: dict[str | None, list[int]] = {}
        for index, claim in enumerate(claims):
            if claim.lang == lang:
                slices.setdefault(claim.slice, []).append(index)
        in_turn = (index for index in chain(*zip_longest(*slices.values())) if index is not None)
        found += list(in_turn)[:PER_LANGUAGE]
    return found
