"""Replies in the forms that peers' prompts ask for: entries without ids, or with the statement."""

from __future__ import annotations

from collections.abc import Sequence

from metajudge.verdicts.batch import ParsedBatch
from metajudge.verdicts.json_answer import object_answer
from metajudge.verdicts.json_scan import JsonFound, JsonObject, scan_json
from metajudge.verdicts.single import Parsed, failed, nothing_read, parsed_word
from metajudge.verdicts.vocabulary import Vocabulary, fold

_STATEMENT_KEYS = frozenset(("statement", "claim"))
_CONTRADICTION = "two entries for this statement contradict each other"


def read_in_order(text: str, vocabulary: Vocabulary, n_claims: int, *, cut: bool) -> ParsedBatch:
    """Verdicts in the order of the claims, as DeepEval's prompt asks for them.

    The entries carry no id, so their number must be that of the claims: with any other number
    no verdict can be placed and every claim is `missing`.
    """
    found = scan_json(text, descend=True)
    elements = _elements(found)
    failure = _misfit(text, elements, found, n_claims, cut=cut)
    if failure is not None:
        return ParsedBatch((failure,) * n_claims, None)
    strict = found.whole and not found.mended
    readings = (_element_reading(each, vocabulary, strict=strict) for each in elements)
    return ParsedBatch(tuple(readings), None)


def read_by_statement(
    text: str, vocabulary: Vocabulary, claims: Sequence[str] | None, n_claims: int, *, cut: bool
) -> ParsedBatch:
    """Verdicts that repeat their statement, as the Ragas prompt asks for them.

    Entries are placed by their statement first. What is left is placed in order when as many
    entries as claims came back, marked as repaired; otherwise the claims left over are `missing`
    and the entries left over are dropped with a note.
    """
    found = scan_json(text, descend=True)
    elements = _elements(found)
    if not elements or (cut and found.cut):
        failure = nothing_read(text, cut=cut, why="no list of statements found")
        return ParsedBatch((failure,) * n_claims, None)
    wanted = [None] * n_claims if claims is None else [fold(claim) for claim in claims]
    place, left, doubled = _placed(elements, wanted)
    vacant = [i for i in range(n_claims) if i not in place]
    in_order = len(elements) == n_claims and len(left) == len(vacant)
    if in_order:
        place |= dict(zip(vacant, left, strict=True))
    strict = found.whole and not found.mended
    readings = []
    for index in range(n_claims):
        if index not in place:
            readings.append(failed("missing", "the reply has no entry for this statement"))
            continue
        element = elements[place[index]]
        by_text = place[index] not in left
        reading = _element_reading(element, vocabulary, strict=strict and by_text)
        rivals = {
            _element_reading(elements[i], vocabulary, strict=strict).label
            for i in doubled.get(index, ())
        }
        readings.append(
            failed("unparsable", _CONTRADICTION) if rivals - {reading.label} else reading
        )
    dropped = 0 if in_order else len(left)
    note = f"dropped {dropped} entries for statements never asked" if dropped else None
    return ParsedBatch(tuple(readings), note)


def _placed(
    elements: Sequence[object], wanted: Sequence[str | None]
) -> tuple[dict[int, int], list[int], dict[int, list[int]]]:
    """Claim index -> element by equal text; elements about no claim; further ones of a claim."""
    place: dict[int, int] = {}
    left: list[int] = []
    doubled: dict[int, list[int]] = {}
    for element_index, element in enumerate(elements):
        statement = _statement(element)
        same = [i for i, text in enumerate(wanted) if text is not None and text == statement]
        free = [i for i in same if i not in place]
        if free:
            place[free[0]] = element_index
        elif not same:
            left.append(element_index)
        else:
            for index in same:
                doubled.setdefault(index, []).append(element_index)
    return place, left, doubled


def _elements(found: JsonFound) -> list[object]:
    """The list that a reply holds: bare, under one key, or element by element."""
    if found.descents:
        return list(found.values)
    for value in found.values:
        if isinstance(value, list):
            return value
        if isinstance(value, JsonObject):
            lists = [inner for _, inner in value.pairs if isinstance(inner, list)]
            if len(lists) == 1:
                return list(lists[0])
    return [value for value in found.values if isinstance(value, JsonObject)]


def _misfit(
    text: str, elements: Sequence[object], found: JsonFound, n_claims: int, *, cut: bool
) -> Parsed | None:
    if not elements or (cut and found.cut):
        return nothing_read(text, cut=cut, why="no list of verdicts found")
    if len(elements) != n_claims:
        detail = f"{len(elements)} verdicts for {n_claims} claims, and they carry no claim id"
        return failed("missing", detail)
    return None


def _element_reading(element: object, vocabulary: Vocabulary, *, strict: bool) -> Parsed:
    answer = object_answer(element, vocabulary) if isinstance(element, JsonObject) else None
    if answer is None:
        return failed("unparsable", "this entry of the reply does not decode or has no verdict")
    if len(answer.words) != 1:
        return failed("unparsable", f"no whole declared label: {answer.unread or 'two labels'}")
    (word,) = answer.words
    return parsed_word(word, vocabulary, answer.reason, repaired=not (strict and answer.exact))


def _statement(element: object) -> str | None:
    if not isinstance(element, JsonObject):
        return None
    for _, value in element.values_of(_STATEMENT_KEYS):
        if isinstance(value, str):
            return fold(value)
    return None
