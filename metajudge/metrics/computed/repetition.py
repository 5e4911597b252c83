"""Repetition: sentences of an answer that say again what an earlier sentence of it said."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from metajudge.judges.sentences import sentences
from metajudge.metrics.computed.sentence_content import Content, content_of
from metajudge.metrics.computed.words import sentence as told
from metajudge.metrics.scored import MetricScore, UnitVerdict
from metajudge.scoring.statements import is_statement_free

ANSWER_REPETITION = "answer_repetition"
REPETITION_FROM = 0.7
"""Share of a sentence's content n-grams in one earlier sentence, from which it repeats that one."""
LEAST_CONTENT = 2
"""Content words that a sentence needs to be judged; two Chinese characters are one."""
_STATES_NOTHING = re.compile(
    r"""[?？:：]["'”’」』)）*_ ]*$|^[(（\[【][^()（）\[\]【】]*[)）\]】][.。]?$"""
)
"""A question, a heading or line that leads in a list, and what stands whole in brackets."""
_SHOWN = 60
_MOST_SHOWN = 3


class Repetition(NamedTuple):
    """A sentence that says again what an earlier one said.

    Attributes:
        later: Number of the sentence in the answer, from 1.
        earlier: Number of the one that it repeats most of, the first of equals.
        share: Share of its content n-grams that stand there.
    """

    later: int
    earlier: int
    share: float


def repetitions_of(
    parts: Sequence[str], cut_off: float = REPETITION_FROM
) -> tuple[Repetition, ...]:
    """Which sentences repeat which earlier ones.

    Args:
        parts: The sentences of an answer, in order. Those that are not judged never repeat and
            are never repeated.
        cut_off: Least share of content n-grams in the earlier sentence, above 0 and up to 1.

    >>> repetitions_of(["Plan A costs 5 euros.", "Plan B costs 5 euros.", "Plan A costs 5 euros."])
    (Repetition(later=3, earlier=1, share=1.0),)
    """
    earlier, found = _Earlier(cut_off), []
    for number, content in _judged(parts).items():
        like = earlier.most_like(content)
        if like is not None:
            found.append(Repetition(number, *like))
        earlier.add(number, content)
    return tuple(found)


def score_repetition(answer: str, language: str = "en") -> MetricScore:
    """Share of an answer's sentences that repeat an earlier one, 0 to 1; less is better.

    Sentences are compared by wording: one repeats an earlier one when `REPETITION_FROM` of its
    content n-grams stand there (words and pairs of neighbours, without endings and light words;
    pairs of characters in Chinese), no number, name or denial differs and no other word stands in
    the same place. A repetition in other words is not seen.

    Args:
        answer: Undefined where fewer than two of its sentences are judged: a single one has nothing
            to repeat. Questions, lines that end in a colon, what stands whole in brackets, closing
            phrases and sentences of fewer than two content words are not judged.
        language: `zh`, or anything else for English: of the sentences and of the reason.

    Returns:
        The score. Units are the sentences that were judged: `no` for one that repeats, with the
        number and wording of the earlier one as the detail, else `yes`; `repetitions` in the
        details has the numbers of both sentences in the answer.

    >>> score_repetition("九点开门。周日闭馆。也就是说，九点开门。", "zh").reason
    '3 个句子中有 1 个重复前文：第 3 句重复第 1 句“九点开门。”。'
    """
    parts = sentences(answer, language)
    numbers = tuple(_judged(parts))
    if not parts:
        return MetricScore(ANSWER_REPETITION, None, told("no_answer", language))
    if len(numbers) < 2:
        return MetricScore(ANSWER_REPETITION, None, told("one_sentence", language))
    found = {one.later: one for one in repetitions_of(parts)}
    units = tuple(_unit(parts, number, found.get(number), language) for number in numbers)
    return MetricScore(
        ANSWER_REPETITION,
        len(found) / len(numbers),
        _reason(parts, tuple(found.values()), len(numbers), language),
        f"repetition from {REPETITION_FROM}",
        units,
        details={"repetitions": [one._asdict() for one in found.values()]},
    )


def _judged(parts: Sequence[str]) -> dict[int, Content]:
    """Number of each sentence that is judged, with its content."""
    found = {
        number: content_of(part)
        for number, part in enumerate(parts, 1)
        if not is_statement_free(part) and not _STATES_NOTHING.search(part)
    }
    return {n: content for n, content in found.items() if content.length >= LEAST_CONTENT}


class _Earlier:
    """The sentences so far, to be found by their rarest n-grams: thousands take no minutes."""

    def __init__(self, cut_off: float) -> None:
        self._cut_off = cut_off
        self._contents: dict[int, Content] = {}
        self._seen: set[Content] = set()
        self._places: defaultdict[str, list[int]] = defaultdict(list)

    def add(self, number: int, content: Content) -> None:
        """Takes a sentence in; one whose content is there already would never be named."""
        if content in self._seen:
            return
        self._seen.add(content)
        self._contents[number] = content
        for gram in content.known:
            self._places[gram].append(number)

    def most_like(self, content: Content) -> tuple[int, float] | None:
        """The one that a sentence repeats most of, the first of equals, with the share."""
        best = None
        for number in self._candidates(content.grams):
            share = round(content.share_in(self._contents[number]), 6)
            if share >= self._cut_off and (best is None or share > best[1]):
                if not content.differs_from(self._contents[number]):
                    best = (number, share)
        return best

    def _candidates(self, grams: Sequence[str]) -> list[int]:
        """Those that can reach the cut-off: they hold one of any so many n-grams, so of the rarest.

        Where at most m n-grams may be lacking, one of every m + 1 stands in the other sentence.
        """
        lacking = int((1 - self._cut_off) * len(grams) + 1e-6)
        rarest = sorted((self._places.get(gram, []) for gram in grams), key=len)[: lacking + 1]
        return sorted({number for places in rarest for number in places})


def _unit(
    parts: Sequence[str], number: int, found: Repetition | None, language: str
) -> UnitVerdict:
    if found is None:
        return UnitVerdict(parts[number - 1], "yes")
    earlier = _cut(parts[found.earlier - 1])
    detail = told("repeats_detail", language, earlier=found.earlier, text=earlier)
    return UnitVerdict(parts[number - 1], "no", detail=detail)


def _reason(parts: Sequence[str], found: Sequence[Repetition], n: int, language: str) -> str:
    if not found:
        return told("repeats_nothing", language, n=n)
    named = [
        told("repeats_one", language, later=one.later, earlier=one.earlier,
             text=_cut(parts[one.earlier - 1]))
        for one in found[:_MOST_SHOWN]
    ]  # fmt: skip
    more = [] if len(found) <= _MOST_SHOWN else ["…"]
    listed = told("repeats_joint", language).join((*named, *more))
    return told("repeats", language, n=n, bad=len(found), listed=listed)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
