"""The verdict in a JSON value: which key holds it, and which values count."""

from __future__ import annotations

import json
from typing import NamedTuple

from metajudge.verdicts.json_scan import JsonFound, JsonObject
from metajudge.verdicts.vocabulary import Vocabulary, Word

VERDICT_KEY = "verdict"
OTHER_VERDICT_KEYS = frozenset(
    ("label", "answer", "judgement", "judgment", "结论", "判断", "判定", "裁决", "答案", "标签")
)
"""Read, with the repaired mark, only where no key is `verdict` in any case."""

REASON_KEYS = frozenset(("reason", "explanation", "rationale", "理由", "原因", "解释"))


class JsonAnswer(NamedTuple):
    """What one JSON object or scalar says.

    Attributes:
        words: Distinct labels under its verdict keys; two of them contradict each other.
        unread: A verdict key holds something that is no whole label, as repr; None if none does.
        reason: The judge's reason; None when null or absent.
        exact: There is exactly one key `verdict`, spelled so.
    """

    words: frozenset[Word]
    unread: str | None
    reason: str | None
    exact: bool


def object_answer(obj: JsonObject, vocabulary: Vocabulary) -> JsonAnswer | None:
    """The answer an object gives; None when it has no verdict key.

    The key is `verdict` in any case; failing that, one of `OTHER_VERDICT_KEYS`. Doubled keys must
    agree. Booleans and whole numbers count only where the dialect declares them as spellings.
    """
    pairs = obj.values_of((VERDICT_KEY,)) or obj.values_of(OTHER_VERDICT_KEYS)
    if not pairs:
        return None
    words, unread = set(), None
    for _, value in pairs:
        word = scalar_word(value, vocabulary)
        if word is None:
            unread = _short(value)
        else:
            words.add(word)
    exact = len(pairs) == 1 and pairs[0][0] == VERDICT_KEY
    return JsonAnswer(frozenset(words), unread, _reason(obj), exact)


def scalar_word(value: object, vocabulary: Vocabulary) -> Word | None:
    """The label that a JSON scalar stands for; None for everything that is no whole label."""
    if isinstance(value, str):
        return vocabulary.whole_word(value)
    if isinstance(value, bool):
        return vocabulary.whole_word("true" if value else "false")
    if isinstance(value, int):
        return vocabulary.whole_word(str(value)) if abs(value) < 1000 else None
    return None


def single_answers(found: JsonFound, vocabulary: Vocabulary) -> list[JsonAnswer]:
    """The answers of a reply about one claim: top-level objects, or the one thing they hold."""
    answers = []
    for value in found.values:
        answer = _single(value, vocabulary, depth=2)
        if answer is not None:
            answers.append(answer)
    return answers


def _single(value: object, vocabulary: Vocabulary, depth: int) -> JsonAnswer | None:
    if isinstance(value, JsonObject):
        answer = object_answer(value, vocabulary)
        if answer is not None:
            return answer
        inner = [v for _, v in value.pairs if isinstance(v, JsonObject | list)]
    elif isinstance(value, list):
        inner = list(value)
        if len(inner) == 1 and isinstance(inner[0], str):
            word = scalar_word(inner[0], vocabulary)
            return None if word is None else JsonAnswer(frozenset((word,)), None, None, False)
    else:
        return None
    if len(inner) != 1 or depth == 0:
        return None
    held = _single(inner[0], vocabulary, depth - 1)
    return None if held is None else held._replace(exact=False)


def _reason(obj: JsonObject) -> str | None:
    for _, value in obj.values_of(REASON_KEYS):
        if isinstance(value, str) and value.strip():
            return value.strip()
        if value is not None and not isinstance(value, str):
            return json.dumps(_plain(value), ensure_ascii=False)
    return None


def _plain(value: object) -> object:
    if isinstance(value, JsonObject):
        return {key: _plain(inner) for key, inner in value.pairs}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value


def _short(value: object, limit: int = 60) -> str:
    text = json.dumps(_plain(value), ensure_ascii=False)
    return text if len(text) <= limit else text[: limit - 1] + "…"
