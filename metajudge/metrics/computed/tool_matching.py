"""Which calls an agent should have made, which it made, and how far they are the same.

Calls match one to one: a call expected twice must be made twice, and a call made twice where once
was expected is one call too many. Frameworks that compare sets count both as right.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple
from unicodedata import normalize

from metajudge.metrics.computed.tool_calls import ToolCall

RELATIVE = 1e-9
"""Usual relative tolerance of numbers: 0.1 + 0.2 is 0.3."""


@dataclass(frozen=True, slots=True)
class Sameness:
    """When two calls are the same.

    Names are equal and so are the arguments, by name whatever their order, as deep as they go.
    Lists keep their order. Texts are equal character by character, however these are encoded
    (Unicode NFC). Numbers a and b are equal when
    |a - b| <= max(relative * max(|a|, |b|), absolute); 1 is 1.0, but true is not 1. An argument
    that is null is one that is not given: tables fill the arguments of other calls in with nulls.

    Attributes:
        relative: Relative tolerance of numbers.
        absolute: Absolute tolerance of numbers, in their own unit.
        ignored: Arguments that do not count: `trace_id`, or `filter.time` within another.
        by_name_alone: Whether arguments count at all.
    """

    relative: float = RELATIVE
    absolute: float = 0.0
    ignored: Collection[str] = ()
    by_name_alone: bool = False

    def __call__(self, one: ToolCall, other: ToolCall) -> bool:
        """Whether two calls are the same.

        >>> Sameness()(ToolCall("f", {"a": 1, "b": [2]}), ToolCall("f", {"b": [2.0], "a": 1}))
        True
        """
        if one.name != other.name:
            return False
        if self.by_name_alone:
            return True
        if isinstance(one.arguments, str) or isinstance(other.arguments, str):
            return False
        return self._equal(one.arguments, other.arguments, "")

    def told(self) -> tuple[str, ...]:
        """What differs from the usual, for a score to state.

        >>> Sameness(absolute=0.001, ignored=("trace_id",)).told()
        ('numbers within 0.001', 'without trace_id')
        """
        if self.by_name_alone:
            return ("names alone",)
        within = [f"numbers within {self.absolute:g}"] if self.absolute else []
        within += [f"relative {self.relative:g}"] if self.relative != RELATIVE else []
        return (*within, *([f"without {', '.join(self.ignored)}"] if self.ignored else []))

    def _equal(self, one: Any, other: Any, path: str) -> bool:
        one, other = _listed(one), _listed(other)
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            return self._equal_fields(one, other, path)
        if _is_list(one) and _is_list(other):
            return len(one) == len(other) and all(
                self._equal(left, right, path) for left, right in zip(one, other, strict=True)
            )
        if _is_number(one) and _is_number(other):
            return self._near(one, other)
        if isinstance(one, str) and isinstance(other, str):
            return normalize("NFC", one) == normalize("NFC", other)
        return type(one) is type(other) and bool(one == other)

    def _equal_fields(self, one: Mapping[str, Any], other: Mapping[str, Any], path: str) -> bool:
        counted = {name for name in (*one, *other) if f"{path}{name}" not in self.ignored}
        return all(
            self._equal(one.get(name), other.get(name), f"{path}{name}.") for name in counted
        )

    def _near(self, one: Real, other: Real) -> bool:
        if one == other or (_is_nan(one) and _is_nan(other)):
            return True
        try:
            return math.isclose(one, other, rel_tol=self.relative, abs_tol=self.absolute)
        except OverflowError:
            return False


def _listed(value: Any) -> Any:
    """An array of numpy as a list, its number as a number; anything else as it is."""
    return value.tolist() if hasattr(value, "tolist") else value


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_nan(value: Real) -> bool:
    return isinstance(value, float) and math.isnan(value)


class Pair(NamedTuple):
    """Places of an expected call and of the call made for it."""

    expected: int
    made: int


@dataclass(frozen=True, slots=True)
class ToolCallCounts:
    """How the calls made compare with those expected.

    Attributes:
        expected: Calls expected.
        made: Calls made.
        pairs: Which matched, in the order of the expected calls.
    """

    expected: tuple[ToolCall, ...]
    made: tuple[ToolCall, ...]
    pairs: tuple[Pair, ...]

    @property
    def precision(self) -> float | None:
        """Matched calls among those made, 0 to 1; None where none was made."""
        return len(self.pairs) / len(self.made) if self.made else None

    @property
    def recall(self) -> float | None:
        """Matched calls among those expected, 0 to 1; None where none was expected."""
        return len(self.pairs) / len(self.expected) if self.expected else None

    @property
    def f1(self) -> float | None:
        """2 matched / (expected + made), 0 to 1; None where there are no calls at all.

        So it is 0 where calls were made though none was expected, and where none was made.
        """
        calls = len(self.expected) + len(self.made)
        return 2 * len(self.pairs) / calls if calls else None

    @property
    def missing(self) -> tuple[ToolCall, ...]:
        """Expected calls that were not made, in their order."""
        matched = {pair.expected for pair in self.pairs}
        return tuple(call for at, call in enumerate(self.expected) if at not in matched)

    @property
    def extra(self) -> tuple[ToolCall, ...]:
        """Calls made that were not expected, in their order."""
        matched = {pair.made for pair in self.pairs}
        return tuple(call for at, call in enumerate(self.made) if at not in matched)

    @property
    def wrong_arguments(self) -> tuple[str, ...]:
        """Tools that are both missing and extra: called, but with other arguments."""
        extra = {call.name for call in self.extra}
        return tuple(dict.fromkeys(call.name for call in self.missing if call.name in extra))


def compare_tool_calls(
    expected: Sequence[ToolCall],
    made: Sequence[ToolCall],
    same: Sameness | None = None,
    *,
    in_order: bool = False,
) -> ToolCallCounts:
    """Match the calls made with those expected, as many as can be, one to one.

    Args:
        expected: Calls expected.
        made: Calls made.
        same: When two calls are the same; None is exact but for rounding.
        in_order: Whether matched calls must come in the expected order: the longest common
            subsequence. Else order does not count: a largest one-to-one matching, since with a
            tolerance the first fit need not be the best.

    >>> f, g = ToolCall("f", {}), ToolCall("g", {})
    >>> found = compare_tool_calls([f, g], [g, f, f])
    >>> found.precision, found.recall, found.f1
    (0.6666666666666666, 1.0, 0.8)
    >>> compare_tool_calls([f, g], [g, f, f], in_order=True).recall
    0.5
    """
    same = same or Sameness()
    fits = [[same(one, other) for other in made] for one in expected]
    pairs = _longest_run(fits) if in_order else _largest_matching(fits)
    return ToolCallCounts(tuple(expected), tuple(made), pairs)


def _longest_run(fits: Sequence[Sequence[bool]]) -> tuple[Pair, ...]:
    """Longest common subsequence, source: Wagner and Fischer (1974), J. ACM 21."""
    rows, columns = len(fits), len(fits[0]) if fits else 0
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    for row in reversed(range(rows)):
        for column in reversed(range(columns)):
            skipped = max(best[row + 1][column], best[row][column + 1])
            taken = best[row + 1][column + 1] + 1 if fits[row][column] else 0
            best[row][column] = max(skipped, taken)
    pairs, row, column = [], 0, 0
    while row < rows and column < columns:
        if fits[row][column] and best[row][column] == best[row + 1][column + 1] + 1:
            pairs.append(Pair(row, column))
            row, column = row + 1, column + 1
        elif best[row + 1][column] >= best[row][column + 1]:
            row += 1
        else:
            column += 1
    return tuple(pairs)


def _largest_matching(fits: Sequence[Sequence[bool]]) -> tuple[Pair, ...]:
    """A largest one-to-one matching by augmenting paths, source: Berge (1957), PNAS 43."""
    expected_of: dict[int, int] = {}
    for start in range(len(fits)):
        _augment(fits, start, expected_of)
    return tuple(sorted(Pair(row, column) for column, row in expected_of.items()))


def _augment(fits: Sequence[Sequence[bool]], start: int, expected_of: dict[int, int]) -> None:
    """Match one more expected call, moving others where that makes room."""
    reached_from: dict[int, int] = {}
    waiting = deque([start])
    while waiting:
        row = waiting.popleft()
        for column, fit in enumerate(fits[row]):
            if not fit or column in reached_from:
                continue
            reached_from[column] = row
            if column not in expected_of:
                _turn(column, reached_from, expected_of, start)
                return
            waiting.append(expected_of[column])


def _turn(
    column: int, reached_from: Mapping[int, int], expected_of: dict[int, int], start: int
) -> None:
    column_of = {row: place for place, row in expected_of.items()}
    while True:
        row = reached_from[column]
        expected_of[column] = row
        if row == start:
            return
        column = column_of[row]
