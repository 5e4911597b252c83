"""Coverage of an answer's wording by its context: a coarse screen that costs nothing."""

from __future__ import annotations

from collections.abc import Sequence

from metajudge.judges.baseline import coverage, missing_numbers, ngrams
from metajudge.metrics.computed.words import sentence
from metajudge.metrics.judged.words import because
from metajudge.metrics.scored import MetricScore
from metajudge.scoring.statements import is_statement_free

NGRAM_COVERAGE = "ngram_coverage"


def score_ngram_coverage(answer: str, passages: Sequence[str], language: str = "en") -> MetricScore:
    """Share of an answer's n-grams that stand anywhere in the context, 0 to 1.

    Words and pairs of neighbouring words; pairs of neighbouring characters in Chinese, whatever
    the language of the row. It sees wording, not meaning: a paraphrase scores low and a denial
    high. Numbers that the context lacks are named in the reason.

    Args:
        answer: Undefined where it holds no word, or states nothing (a refusal).
        passages: Undefined where there is none.
        language: Of the reason.

    >>> score_ngram_coverage("九点开门", ["图书馆九点开门。"], "zh").score
    1.0
    """
    if not ngrams(answer):
        return MetricScore(NGRAM_COVERAGE, None, sentence("no_words", language))
    if is_statement_free(answer):
        return MetricScore(NGRAM_COVERAGE, None, because("states_nothing", language == "zh"))
    if not any(text.strip() for text in passages):
        return MetricScore(NGRAM_COVERAGE, None, sentence("no_context", language))
    found = coverage(answer, passages)
    told = sentence("coverage", language, share=found.share)
    if not found.numbers_match:
        numbers = ", ".join(missing_numbers(answer, passages))
        told += ("" if language == "zh" else " ") + sentence("numbers", language, numbers=numbers)
    return MetricScore(NGRAM_COVERAGE, found.share, told)
