"""A number of the claim changed to one that the context does not hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from metajudge.gold.controls.kinds import LeftOut, Source, Variant
from metajudge.gold.controls.texts import clause_around, clause_sides, denies, holds_word
from metajudge.gold.controls.words import ControlWords, control_words, is_chinese

_DIGITS = re.compile(
    r"(?<![A-Za-z0-9.,:~～/\-–—])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![A-Za-z0-9:~～/\-–—]|[.,]\d)"
    r"|(?<![A-Za-z0-9.,:~～/\-–—])\d+(?:\.\d+)?(?![A-Za-z0-9:~～/\-–—]|[.,]\d)"
)
_UNIT = re.compile(r"\s?(%|[A-Za-z]+|[\u4e00-\u9fff])")
_HUNDRED = ("%", "percent", "per")
_SIXTY = ("minute", "minutes", "second", "seconds", "分", "秒")
_MONTHS = re.compile(r"(?:January|February|March|April|May|June|July|August|September|October"
                     r"|November|December)")  # fmt: skip
_NEAR = 16
_NEAR_ZH = 5
_ANY_DIGIT = re.compile(r"\d")
_TRIES = 8


class Number(NamedTuple):
    """A number as it stands in a text, its value, and the word or sign after it ("" for none)."""

    start: int
    end: int
    text: str
    value: Decimal
    unit: str


def shift_number(source: Source) -> Variant | LeftOut:
    """The claim with its last sure number shifted; upwards, since "8" does not entail "12".

    Sure is a number that stands with the same unit in the evidence, or that an aggregation claim
    works out, in a claim without negation or hedge, and not beside words such as `after` or `over`
    that leave a claim true for many numbers. After `at most` it goes down.
    """
    claim = source.claim
    words = control_words(claim.lang)
    if words is None:
        return LeftOut("language_without_words")
    chinese = is_chinese(claim.lang)
    numbers = list(numbers_of(claim.claim, words, chinese))
    if not numbers:
        return LeftOut("no_number")
    if holds_word(claim.claim, (*words.hedges, *_true_negations(words)), chinese):
        return LeftOut("negated_or_hedged")
    evidence = [
        (found, _bound(part, found, words, chinese))
        for part in source.evidence
        for found in numbers_of(part, words, chinese)
    ]
    taken = {found.value for found in numbers_of(source.context, words, chinese)}
    taken |= {found.value for found in numbers}
    for number in reversed(numbers):
        bound = _bound(claim.claim, number, words, chinese)
        alike = [found for found, other in evidence if other == bound]
        if bound == "beyond" or not _stated(number, alike, words, claim.slice == "aggregation"):
            continue
        clause = clause_around(claim.claim, number.start, number.end)
        if bound == "" and denies(clause, words, chinese):
            continue
        shifted = _shifted(number, -1 if bound == "at_most" else 1, taken, words)
        if shifted is not None:
            changed = claim.claim[: number.start] + shifted + claim.claim[number.end :]
            return Variant(changed, source.passages)
    return LeftOut("no_sure_number")


def _true_negations(words: ControlWords) -> tuple[str, ...]:
    """Negations but for those of `no more than` and the like, which are bounds."""
    return tuple(word for word in words.negations if word not in {"no", "not", "不"})


def numbers_of(text: str, words: ControlWords, chinese: bool) -> Iterator[Number]:
    """Numbers in order of place, with the unit after them; versions such as 5.6.2 are none."""
    found = [
        (match.start(), match.end(), Decimal(match.group().replace(",", "")))
        for match in _DIGITS.finditer(text)
    ]
    values = {word: Decimal(number) for number, word in enumerate(words.number_words, 2)}
    for match in _numeral_pattern(words, chinese).finditer(text):
        value = values["二"] if match.group() == "两" else values[match.group().casefold()]
        found.append((match.start(), match.end(), value))
    for start, end, value in sorted(found):
        unit = _UNIT.match(text, end)
        yield Number(start, end, text[start:end], value, unit.group(1).casefold() if unit else "")


def _numeral_pattern(words: ControlWords, chinese: bool) -> re.Pattern[str]:
    numerals = "|".join(words.number_words)
    if not chinese:
        return re.compile(rf"(?<![A-Za-z-])(?:{numerals})(?![A-Za-z-])", re.IGNORECASE)
    units = "|".join(words.numeral_units)
    before = "第十百千万零几每其之一二三四五六七八九两0-9"
    return re.compile(rf"(?<![{before}])(?:{numerals}|两)(?=(?:{units}))")


def _stated(number: Number, evidence: list[Number], words: ControlWords, worked_out: bool) -> bool:
    same = [found for found in evidence if found.value == number.value]
    if any(found.unit == number.unit for found in same):
        return True
    bare = not number.unit or number.unit in words.function_words
    return (bool(same) and bare) or (worked_out and bool(number.unit))


def _bound(text: str, number: Number, words: ControlWords, chinese: bool) -> str:
    """`at_least`, `at_most`, `beyond` for another word of comparison beside it, "" for none."""
    before, after = clause_sides(text, number.start, number.end)
    near_at = max((match.end() for match in _ANY_DIGIT.finditer(before)), default=0)
    if holds_word(before[near_at:], words.at_least, chinese):
        return "at_least"
    if holds_word(before[near_at:], words.at_most, chinese):
        return "at_most"
    if holds_word(text, words.comparisons, chinese):
        return "beyond"
    near = before[-_NEAR_ZH:] if chinese else before[-_NEAR:]
    if not number.unit.startswith(_HUNDRED):
        near += "|" + after[:_NEAR_ZH] if chinese else "|" + after[:_NEAR]
    return "beyond" if holds_word(near, words.beyond, chinese) else ""


def _shifted(
    number: Number, direction: int, taken: set[Decimal], words: ControlWords
) -> str | None:
    most = _most(number, words)
    year = number.text.isdigit() and 1500 <= number.value <= 2100
    step = Decimal(1) if year else _step(number)
    first = max(2, -(-int(number.value / step) * 2 // 5))
    if year or _is_version(number):
        first = 3 if year else 2
    for way in dict.fromkeys((direction, -1)):
        for extra in range(_TRIES):
            value = number.value + way * (first + extra) * step
            if 0 < value <= most and value not in taken:
                return _written(value, number, words)
    return None


def _step(number: Number) -> Decimal:
    """The unit of the number's last significant place."""
    text = number.text.replace(",", "")
    if "." in text:
        return Decimal(1).scaleb(-len(text.split(".")[1]))
    zeros = len(text) - len(text.rstrip("0")) if text.isdigit() else 0
    return Decimal(10) ** (zeros - (zeros > 0 and text.rstrip("0") == "1"))


def _is_version(number: Number) -> bool:
    return "." in number.text and number.unit not in ("%", "percent") and len(number.unit) != 1


def _most(number: Number, words: ControlWords) -> Decimal:
    if number.text.casefold() in words.number_words or number.text == "两":
        return Decimal(len(words.number_words) + 1)
    if number.unit.startswith(_HUNDRED):
        return Decimal(100)
    if number.unit in _SIXTY:
        return Decimal(59)
    if number.unit == "月":
        return Decimal(12)
    if number.unit in ("日", "号") or _MONTHS.match(number.unit.capitalize()):
        return Decimal(28)
    return Decimal("Infinity")


def _written(value: Decimal, number: Number, words: ControlWords) -> str:
    if number.text.casefold() in words.number_words or number.text == "两":
        word = words.number_words[int(value) - 2]
        return word.capitalize() if number.text[0].isupper() else word
    places = len(number.text.split(".")[1]) if "." in number.text else 0
    return f"{value:,.{places}f}" if "," in number.text else f"{value:.{places}f}"
