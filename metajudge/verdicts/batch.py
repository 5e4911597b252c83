"""Replies about several claims, aligned by the claim ids that the prompt numbered."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from metajudge.verdicts.json_answer import JsonAnswer, object_answer, scalar_word
from metajudge.verdicts.json_scan import BROKEN, JsonFound, JsonObject, scan_json
from metajudge.verdicts.lines import read_line
from metajudge.verdicts.single import Parsed, failed, nothing_read, parsed_word
from metajudge.verdicts.vocabulary import Vocabulary, fold

ID_KEYS = frozenset(("id", "claim_id", "claim id", "claimid", "number", "index", "编号", "序号"))
_ID_PREFIX = re.compile(r"^(?:claim|statement|陈述|断言|第)?[\s#:：]*|条$")
_NUMBERED = re.compile(
    r"^[\s#*_•-]{0,6}(?:claim|statement|陈述|断言|第)?\s?[#(\[【]{0,2}(?P<id>\d{1,4})[)\]】]{0,2}"
    r"\s?条?[*_]{0,2}\s?(?:[.):：、．,，=|–—-]|(?<=[)\]】])\s?|->|→)[*_\s]{0,4}(?P<rest>\S.*)$",
    re.IGNORECASE,
)


class Entry(NamedTuple):
    """One element of a batch reply; `claim_id` is None where it names no claim."""

    claim_id: str | None
    answer: JsonAnswer | None


class ParsedBatch(NamedTuple):
    """What was parsed, in the order of the ids asked for, and a note on what was dropped."""

    parsed: tuple[Parsed, ...]
    note: str | None


def read_batch(
    text: str, vocabulary: Vocabulary, claim_ids: Sequence[str], *, cut: bool
) -> ParsedBatch:
    """One reading per claim id, whatever else the reply holds.

    Entries for ids that were never asked are dropped with a note. An id without an entry is
    `missing`; it is `truncated` where the token limit cut the reply, and `unparsable` where some
    entry could not be read, since that one may have been it. Entries that disagree on one claim
    make that claim `unparsable`. An entry that names no claim is never placed by its position.
    """
    found = scan_json(text, descend=True)
    entries = [entry for value in found.values for entry in _entries(value, vocabulary, claim_ids)]
    strict = found.whole and not found.mended
    if not entries:
        entries = _numbered_entries(text, vocabulary)
        strict = False
    if not entries:
        reading = nothing_read(text, cut=cut, why="no verdict with a claim id found")
        return ParsedBatch((reading,) * len(claim_ids), None)
    return _aligned(entries, claim_ids, vocabulary, found, cut=cut, strict=strict)


def _aligned(
    entries: Sequence[Entry],
    claim_ids: Sequence[str],
    vocabulary: Vocabulary,
    found: JsonFound,
    *,
    cut: bool,
    strict: bool,
) -> ParsedBatch:
    by_id: dict[str, list[JsonAnswer]] = defaultdict(list)
    asked = {_plain_id(claim_id) for claim_id in claim_ids}
    unplaced, strangers = found.broken, []
    for claim_id, answer in entries:
        if claim_id is None or answer is None:
            unplaced = True
        elif claim_id in asked:
            by_id[claim_id].append(answer)
        else:
            strangers.append(claim_id)
    absent = _absence(unplaced=unplaced, cut=cut)
    note = _dropped_note(strangers)
    repaired = not strict or note is not None
    readings = []
    for claim_id in claim_ids:
        answers = by_id.get(_plain_id(claim_id), [])
        readings.append(_one_claim(answers, vocabulary, repaired=repaired) if answers else absent)
    return ParsedBatch(tuple(readings), note)


def _one_claim(answers: Sequence[JsonAnswer], vocabulary: Vocabulary, *, repaired: bool) -> Parsed:
    words = {word for answer in answers for word in answer.words}
    if len(words) > 1:
        return failed("unparsable", "entries for this claim contradict each other")
    if not words:
        return failed("unparsable", f"no whole declared label: {answers[0].unread}")
    chosen = next(answer for answer in answers if answer.words)
    repaired |= len(answers) > 1 or not chosen.exact
    return parsed_word(words.pop(), vocabulary, chosen.reason, repaired=repaired)


def _absence(*, unplaced: bool, cut: bool) -> Parsed:
    if cut:
        return failed("truncated", "the reply stopped at the token limit; raise max_tokens")
    if unplaced:
        return failed("unparsable", "an entry of the reply could not be read or names no claim")
    return failed("missing", "the reply has no entry for this claim")


def _dropped_note(strangers: Sequence[str]) -> str | None:
    if not strangers:
        return None
    shown = ", ".join(repr(claim_id) for claim_id in strangers[:5])
    return f"dropped {len(strangers)} entries for claims never asked: {shown}"


def _entries(value: object, vocabulary: Vocabulary, claim_ids: Sequence[str]) -> list[Entry]:
    """The entries of one decoded value: a list, an entry, an object by id, or a wrapper."""
    if value is BROKEN:
        return [Entry(None, None)]
    if isinstance(value, list):
        return [entry for element in value for entry in _element(element, vocabulary)]
    if not isinstance(value, JsonObject):
        return []
    if object_answer(value, vocabulary) is not None:
        return _element(value, vocabulary)
    by_id = _by_id(value, vocabulary, claim_ids)
    if by_id:
        return by_id
    held = [inner for _, inner in value.pairs if isinstance(inner, JsonObject | list)]
    return _entries(held[0], vocabulary, claim_ids) if len(held) == 1 else []


def _element(element: object, vocabulary: Vocabulary) -> list[Entry]:
    if not isinstance(element, JsonObject):
        return [Entry(None, None)]
    answer = object_answer(element, vocabulary)
    ids = {_plain_id(value) for _, value in element.values_of(ID_KEYS)}
    if answer is not None:
        return [Entry(ids.pop() if len(ids) == 1 else None, answer)]
    pairs = [_id_pair(key, value, vocabulary) for key, value in element.pairs]
    placed = [entry for entry in pairs if entry is not None]
    return placed or [Entry(None, None)]


def _by_id(value: JsonObject, vocabulary: Vocabulary, claim_ids: Sequence[str]) -> list[Entry]:
    asked = {_plain_id(claim_id) for claim_id in claim_ids}
    entries = [_id_pair(key, inner, vocabulary, asked) for key, inner in value.pairs]
    return [entry for entry in entries if entry is not None]


def _id_pair(
    key: str, value: object, vocabulary: Vocabulary, asked: frozenset[str] | set[str] = frozenset()
) -> Entry | None:
    """`"1": "yes"` or `"1": {"verdict": "yes"}`; None when the key is no claim's number."""
    claim_id = _plain_id(key)
    if claim_id not in asked and not claim_id.isdigit():
        return None
    if isinstance(value, JsonObject):
        inner = {_plain_id(each) for _, each in value.values_of(ID_KEYS)}
        if inner - {claim_id}:
            return Entry(None, None)  # key and object name different claims: neither is answered
        return Entry(claim_id, object_answer(value, vocabulary))
    word = scalar_word(value, vocabulary)
    if word is None:
        return Entry(claim_id, JsonAnswer(frozenset(), repr(value)[:60], None, False))
    return Entry(claim_id, JsonAnswer(frozenset((word,)), None, None, False))


def _numbered_entries(text: str, vocabulary: Vocabulary) -> list[Entry]:
    """Entries of lines such as `1. yes`, `第2条：支持`, `[3] no - because …`."""
    entries = []
    for line in text.splitlines():
        match = _NUMBERED.match(line)
        reading = None if match is None else read_line(match["rest"], vocabulary)
        if match is not None and reading is not None:
            answer = JsonAnswer(frozenset((reading.word,)), None, reading.rest or None, False)
            entries.append(Entry(_plain_id(match["id"]), answer))
    return entries


def _plain_id(value: object) -> str:
    """An id without case, `claim`, `#` and leading zeros: 1, "1", "Claim 1" and "#01" are one."""
    folded = fold(str(value))
    bare = _ID_PREFIX.sub("", folded).strip() or folded
    return bare.lstrip("0") or "0" if bare.isdigit() else bare
