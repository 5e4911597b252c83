"""Scores that are a share of units by a policy, and the sentence about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from metajudge.metrics.judged.unit import Found, Said
from metajudge.metrics.judged.words import Because, because, quoted, sentence
from metajudge.metrics.scored import UnitVerdict
from metajudge.scoring.answers import costly_claims, score_answers
from metajudge.scoring.policies import DROPPED, FAILURE_CODE, POLICY_LABELS, Policy, Undefined

CODES: dict[str | None, int] = {
    **{label: code for code, label in enumerate(POLICY_LABELS)},
    None: FAILURE_CODE,
}
"""Label -> code of scoring; None, a failed call, is a failure there too."""
_WHY: dict[Undefined, Because] = {
    "no claims": "no_verdict",
    "no verdicts": "no_verdict",
    "no decided claims": "no_decided",
    "probabilities missing": "no_probability",
}


class Wording(NamedTuple):
    """How a metric's units are spoken of, in English and Chinese.

    Attributes:
        units: `{yes}` of `{n}` and what they are.
        costs: What stands before those that cost points.
    """

    units: tuple[str, str]
    costs: tuple[str, str] = ("points lost by", "失分项：")


class Share(NamedTuple):
    """A share by a policy, and the units that cost points."""

    score: float | None
    why: Because | None
    costly: tuple[UnitVerdict, ...]


def share(verdicts: Sequence[UnitVerdict], policy: Policy) -> Share:
    """The score of verdicts under a policy; failures stay in the denominator.

    >>> from metajudge.scoring.policies import parse_policy
    >>> said = [UnitVerdict("a claim", label) for label in "yes yes no idk no".split()]
    >>> share(said, parse_policy("strict")).score
    0.4
    """
    codes = [CODES[verdict.label] for verdict in verdicts]
    found = score_answers(policy, codes, np.zeros(len(codes), np.int64), 1).score(0)
    costly = tuple(verdicts[int(place)] for place in costly_claims(policy, codes))
    return Share(found.value, None if found.reason is None else _WHY[found.reason], costly)


def unsaid_note(found: Share, said: Said, chinese: bool) -> str:
    """What a policy makes of units that the context does not mention, where they cost nothing."""
    credit, name = said.policy.credit[2], said.policy.name
    unsaid = sum(verdict.label == "idk" for verdict in said.verdicts)
    if found.score is None or not unsaid or credit not in {1.0, DROPPED}:
        return ""
    if credit == DROPPED:
        return sentence(
            " {n} of them the context does not mention at all: {policy} leaves them out.",
            "其中 {n} 条在材料中根本没有提到，{policy} 不予计入。",
            chinese,
            n=unsaid,
            policy=name,
        )
    return sentence(
        " {n} of them the context does not mention at all, which costs nothing under {policy}: "
        "the score says that nothing is contradicted, not that it is supported.",
        "其中 {n} 条在材料中根本没有提到，而 {policy} 不为此扣分："
        "这个分数只表示没有矛盾，不表示有依据。",
        chinese,
        n=unsaid,
        policy=name,
    )


def share_sentence(
    found: Share, verdicts: Sequence[UnitVerdict], wording: Wording, chinese: bool
) -> str:
    """Counts, and what cost points, from the verdicts that the score is made of."""
    if found.why is not None:
        return because(found.why, chinese)
    yes = sum(verdict.label == "yes" for verdict in verdicts)
    told = sentence(*wording.units, chinese, yes=yes, n=len(verdicts))
    if not found.costly:
        return told + ("。" if chinese else ".")
    costs = wording.costs[chinese]
    listed = quoted(found.costly, chinese)
    return f"{told}；{costs}{listed}。" if chinese else f"{told}; {costs} {listed}."


def share_of_units(said: Said, wording: Wording) -> Found:
    """The share of the units by the policy, with counts, costs and what the policy passes over."""
    found = share(said.verdicts, said.policy)
    chinese = said.row.chinese
    told = share_sentence(found, said.verdicts, wording, chinese)
    return Found(found.score, told + unsaid_note(found, said, chinese))
