"""One parser for every judge: a stored reply in, one verdict per claim out, never an exception.

Order of reading: what the call itself ended with; reasoning blocks off; the strict form; JSON;
marked lines, leading labels and last lines; first-token probabilities. Only whole declared labels
count. Whatever is read from another form than the one asked for is marked as repaired; whatever
is not read is a failure with its class, so that it can be counted and never passes for a verdict.
"""

from __future__ import annotations

from collections.abc import Sequence

from metajudge.templates.peers import PeerTemplate
from metajudge.templates.source import PromptSource
from metajudge.verdicts.batch import ParsedBatch, read_batch
from metajudge.verdicts.peer_replies import read_by_statement, read_in_order
from metajudge.verdicts.probability import (
    LABEL_MASS_FLOOR,
    first_token_probabilities,
    top_label,
)
from metajudge.verdicts.single import Parsed, failed, read_single
from metajudge.verdicts.think import without_thoughts
from metajudge.verdicts.verdict import Reply, Verdict
from metajudge.verdicts.vocabulary import Vocabulary, vocabulary_of

_CUT = ("length", "max_tokens")
_WITHHELD = ("content_filter", "safety", "refusal")
_FROM_PROBABILITY = frozenset(("unparsable", "truncated", "empty"))


def parse_reply(
    reply: Reply,
    template: PromptSource,
    claim_ids: Sequence[str],
    claim_texts: Sequence[str] | None = None,
) -> tuple[Verdict, ...]:
    """One verdict per claim id, in the order of the ids; never raises on what a judge wrote.

    Args:
        reply: The stored reply.
        template: What was asked; only its dialect, answer form and claims per call are used.
        claim_ids: The numbers shown in the prompt ("1", "2", …); one for a single-claim call.
        claim_texts: The claims' texts, for peers whose replies repeat the statement.

    Returns:
        As many verdicts as ids. A failure of the call, an empty reply, a refusal and a cut reply
        are failures of every claim that they leave without an answer.

    >>> from metajudge.templates.catalogue import catalogue
    >>> template = catalogue()["literal"].source_for("en")
    >>> [v.label or v.failure for v in parse_reply(Reply("Yes."), template, ["1"])]
    ['yes']
    >>> [v.label or v.failure for v in parse_reply(Reply("yesno"), template, ["1"])]
    ['unparsable']
    """
    whole = _call_failure(reply)
    if whole is not None:
        return (_verdict(whole),) * len(claim_ids)
    vocabulary = vocabulary_of(template.dialect)
    cut = (reply.finish_reason or "").casefold() in _CUT
    answer = without_thoughts(reply.text)
    several = template.claims_per_call > 1 or len(claim_ids) > 1
    if several or isinstance(template, PeerTemplate):
        if not answer.text.strip():
            lost = _no_answer(unfinished=answer.unfinished, cut=cut)
            return (_verdict(lost),) * len(claim_ids)
        batch = _batch(answer.text, template, vocabulary, claim_ids, claim_texts, cut=cut)
        return tuple(
            _verdict(reading, note=batch.note, repaired=answer.had_thoughts)
            for reading in batch.parsed
        )
    if answer.text.strip():
        reading = read_single(answer.text, vocabulary, template.answer, cut=cut)
    else:
        reading = _no_answer(unfinished=answer.unfinished, cut=cut)
    return (_with_probabilities(reading, reply, template, vocabulary, answer.had_thoughts),)


def _batch(
    text: str,
    template: PromptSource,
    vocabulary: Vocabulary,
    claim_ids: Sequence[str],
    claim_texts: Sequence[str] | None,
    *,
    cut: bool,
) -> ParsedBatch:
    if isinstance(template, PeerTemplate):
        if template.reply_shape == "by_statement":
            return read_by_statement(text, vocabulary, claim_texts, len(claim_ids), cut=cut)
        return read_in_order(text, vocabulary, len(claim_ids), cut=cut)
    batch = read_batch(text, vocabulary, claim_ids, cut=cut)
    if len(claim_ids) == 1 and batch.parsed[0].label is None:
        # The last call of a batch template may hold one claim, and judges then drop the list.
        alone = read_single(text, vocabulary, template.answer, cut=cut)
        if alone.label is not None and batch.note is None:
            return ParsedBatch((alone._replace(repaired=True),), None)
    return batch


def _call_failure(reply: Reply) -> Parsed | None:
    if reply.failure is not None:
        return failed(reply.failure, reply.failure_detail or f"the call ended in {reply.failure}")
    if (reply.finish_reason or "").casefold() in _WITHHELD:
        return failed("refused", "content filter: the provider withheld the reply")
    return None


def _no_answer(*, unfinished: bool, cut: bool) -> Parsed:
    if cut:
        return failed("truncated", "the token limit ended the reply before any answer")
    if unfinished:
        return failed("unparsable", "a reasoning block was opened and never closed")
    return failed("empty", "empty reply")


def _with_probabilities(
    reading: Parsed,
    reply: Reply,
    template: PromptSource,
    vocabulary: Vocabulary,
    had_thoughts: bool,
) -> Verdict:
    """The verdict with first-token probabilities, where the first token is the verdict's place.

    A label-only template asks for the label first, so its first token always is. With a label
    first template it is when the reply really begins with the label. Elsewhere a token that looks
    like a label stands in a reason or in markup and says nothing.
    """
    label_only = template.answer.form == "label_only" and not template.answer.json_
    leads = reading.at_first_token and template.answer.form == "label_first"
    if not reply.first_token or had_thoughts or not (label_only or leads):
        return _verdict(reading, repaired=had_thoughts)
    measured = first_token_probabilities(reply.first_token, vocabulary)
    if measured is None:
        return _verdict(reading)
    probabilities, mass = measured
    if mass < LABEL_MASS_FLOOR:
        return _verdict(reading, mass=mass)
    if label_only and reading.failure in _FROM_PROBABILITY:
        label = top_label(probabilities, vocabulary.labels)
        reading = Parsed(label, repaired=True)
    return Verdict(
        label=reading.label,
        failure=reading.failure,
        detail=reading.detail,
        reason=reading.reason,
        probabilities=probabilities,
        label_mass=mass,
        repaired=reading.repaired,
    )


def _verdict(
    reading: Parsed,
    *,
    note: str | None = None,
    repaired: bool = False,
    mass: float | None = None,
) -> Verdict:
    detail = "; ".join(part for part in (reading.detail, note) if part) or None
    return Verdict(
        label=reading.label,
        failure=reading.failure,
        detail=detail,
        reason=reading.reason,
        label_mass=mass,
        repaired=reading.repaired or repaired,
    )
