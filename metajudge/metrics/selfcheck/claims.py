"""Claims that a judge draws from an answer, and the sentence that each of them stands in."""

from __future__ import annotations

from collections.abc import Sequence

from metajudge.judges.baseline import coverage
from metajudge.judges.judge import Request
from metajudge.metrics.selfcheck.pieces import Sentence
from metajudge.release.extraction import Extracted, read_claims
from metajudge.runner.setback import Setback
from metajudge.templates.extract import extract_prompt
from metajudge.verdicts.verdict import Reply

LEAST_SHARED = 0.3
"""Share of a claim's wording that a sentence must hold for the claim to stand in it."""


def extraction_request(answer: str, question: str | None, lang: str) -> Request:
    """The call that lists the claims of an answer."""
    prompt = extract_prompt(lang)
    return Request(prompt.render(answer, question), prompt.max_tokens(answer))


def extracted(outcome: Reply | Setback) -> Extracted:
    """The claims that a reply lists."""
    return read_claims(outcome if isinstance(outcome, Reply) else outcome.as_reply())


def sentence_of(claim: str, sentences: Sequence[Sentence]) -> tuple[int, ...]:
    """The sentence that holds most of a claim's wording; () where none holds enough of it.

    Wording is words and word pairs, in Chinese pairs of characters (`judges.baseline.coverage`); of
    sentences that hold as much the first one counts. A claim that sums up several sentences stands
    in the one that it shares most with.

    >>> both = [Sentence("Hall A opens at 9.", 0, 18), Sentence("Tea is free.", 19, 31)]
    >>> sentence_of("In hall A tea is free", both), sentence_of("Dogs bark", both)
    ((1,), ())
    """
    shares = [coverage(claim, (sentence.text,)).share for sentence in sentences]
    best = max(shares, default=0.0)
    return (shares.index(best),) if best >= LEAST_SHARED else ()
