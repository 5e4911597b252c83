"""The first stage of the context form `truths`: facts that a judge extracts from each context."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from metajudge.gold.claim import Claim
from metajudge.gold.goldset import GoldSet
from metajudge.judges.judge import Judge, Request, call_key
from metajudge.runner.call import Call
from metajudge.templates.context_form import ContextForm
from metajudge.templates.peer_truths import FactsPrompt, facts_prompt
from metajudge.verdicts.truths import Truths, read_truths
from metajudge.verdicts.verdict import Reply

TruthsKey = tuple[str, str, str]
"""Judge, fingerprint of the extraction prompt, context."""
TruthsFound = Mapping[TruthsKey, Truths]


@dataclass(frozen=True, slots=True)
class PlannedTruths:
    """One extraction: whose, from what, and how its reply is read.

    Attributes:
        key: Where its facts belong.
        call: The request with its key.
        prompt: The extraction prompt.
    """

    key: TruthsKey
    call: Call
    prompt: FactsPrompt


def plan_truths(
    forms: Iterable[tuple[str, ContextForm]], gold: GoldSet, judges: Mapping[str, Judge]
) -> dict[str, tuple[PlannedTruths, ...]]:
    """The extraction calls that the forms need, by judge, in prefix order.

    Args:
        forms: Judge and context form of every trial; only `truths` needs calls.
        gold: The claims whose contexts are read.
        judges: Opened judges by name; only identities are used here.

    Raises:
        MissingExtraError: A form's prompt is that of a package which is not installed.
        TemplateError: Its installed version keeps the prompt elsewhere.
    """
    planned: dict[TruthsKey, PlannedTruths] = {}
    for name, form in forms:
        if form.kind != "truths":
            continue
        for claim in gold.judged().claims:
            key = truths_key(name, form, claim)
            if key not in planned:
                prompt = facts_prompt(form, claim.lang)
                request = Request(prompt.render(gold.passages(claim)), prompt.max_tokens)
                call = Call(call_key(judges[name].identity, request), request)
                planned[key] = PlannedTruths(key, call, prompt)
    by_judge: dict[str, list[PlannedTruths]] = {}
    for entry in planned.values():
        by_judge.setdefault(entry.key[0], []).append(entry)
    return {
        name: tuple(sorted(entries, key=lambda e: [m.content for m in e.call.request.messages]))
        for name, entries in by_judge.items()
    }


def truths_key(judge: str, form: ContextForm, claim: Claim) -> TruthsKey:
    """Where the facts of a claim's context belong."""
    return judge, facts_prompt(form, claim.lang).fingerprint, claim.context_id


def read_all(
    planned: Mapping[str, Sequence[PlannedTruths]], replies: Mapping[str, Reply]
) -> dict[TruthsKey, Truths]:
    """Facts of every extraction that has a reply."""
    return {
        entry.key: read_truths(replies[entry.call.key], entry.prompt.limit)
        for entries in planned.values()
        for entry in entries
        if entry.call.key in replies
    }


def truths_of(
    found: TruthsFound, judge: str, form: ContextForm, claim: Claim
) -> tuple[str, ...] | None:
    """The facts that stand for a claim's context; None when they were not or could not be had."""
    truths = found.get(truths_key(judge, form, claim))
    return None if truths is None or truths.failure is not None else truths.facts
