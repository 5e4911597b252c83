"""The space of a search: dimensions, which of them a setting uses, how many settings there are."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from metajudge.errors import ExperimentError, Problem, short_repr

Value: TypeAlias = str | int | float | bool
Setting: TypeAlias = Mapping[str, Value]
Kind: TypeAlias = Literal["categorical", "int", "float"]

_WHERE = "search space"
_DECIMALS = 12
_FAR_TRIES = 200
_LISTED_MOST = 200_000
"""Spaces up to this size are listed when every other way finds no new setting."""


class Dimension(NamedTuple):
    """One axis of the space.

    Attributes:
        name: Unique in the space.
        kind: `categorical` with `choices`; `int` and `float` with `low` and `high`.
        choices: Values of a categorical dimension, all different (1 and True are equal).
        low: Least value of a number.
        high: Greatest value of a number.
        step: Distance of neighbouring values; None means 1 for `int`, any number for `float`.
        only_if: Pairs of another dimension and its values: this one is active only where each of
            them is active and has one of the values.
    """

    name: str
    kind: Kind = "categorical"
    choices: tuple[Value, ...] = ()
    low: float | None = None
    high: float | None = None
    step: float | None = None
    only_if: tuple[tuple[str, tuple[Value, ...]], ...] = ()

    def values(self) -> tuple[Value, ...] | None:
        """Every value in order; None for numbers without a step.

        >>> Dimension("n", "int", low=1, high=6, step=2).values()
        (1, 3, 5)
        """
        if self.kind == "categorical":
            return self.choices
        step = 1 if self.step is None and self.kind == "int" else self.step
        if step is None or self.low is None or self.high is None:
            return None
        count = int(np.floor(round((self.high - self.low) / step, _DECIMALS))) + 1
        if self.kind == "int":
            return tuple(int(self.low) + place * int(step) for place in range(count))
        return tuple(float(round(self.low + place * step, _DECIMALS)) for place in range(count))


def setting_key(setting: Setting) -> str:
    """A text that two settings share only if they are the same, whatever order they are in.

    >>> setting_key({"b": True, "a": 1})
    '{"a":1,"b":true}'
    """
    return json.dumps(dict(setting), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True)
class SearchSpace:
    """Dimensions of a search; a setting holds the values of the active ones alone.

    Attributes:
        dimensions: In the order declared.

    Raises:
        ExperimentError: All faults at once: no or equal names, no or equal choices, limits the
            wrong way round, conditions on unknown dimensions or values, or in a circle.
    """

    dimensions: tuple[Dimension, ...]

    def __post_init__(self) -> None:
        faults = list(_faults(self.dimensions))
        if faults:
            raise ExperimentError(faults)

    @cached_property
    def ordered(self) -> tuple[Dimension, ...]:
        """The dimensions as declared, but none before one that its conditions name."""
        return _ordered(self.dimensions)

    def active(self, setting: Setting) -> tuple[str, ...]:
        """Names of the dimensions that a setting uses, conditions before what depends on them.

        Args:
            setting: May hold values of inactive dimensions; they are passed over.
        """
        used: dict[str, Value] = {}
        for dimension in self.ordered:
            if holds(dimension, used) and dimension.name in setting:
                used[dimension.name] = setting[dimension.name]
        return tuple(used)

    def size(self) -> int | None:
        """Number of different settings; None where a number has no step."""
        if any(dimension.values() is None for dimension in self.dimensions):
            return None
        total = 1
        for part in _connected(self.ordered):
            named = {name for dimension in part for name, _ in dimension.only_if}
            total *= _count(part, named, 0, {})
        return total

    def all(self) -> Iterator[Setting]:
        """Every setting of a finite space, the last dimension changing fastest.

        Raises:
            ValueError: A number has no step.
        """
        if self.size() is None:
            raise ValueError("a space with a number without a step has no end")
        return _every(self.ordered, 0, {})

    def draw(self, random: np.random.Generator, fixed: Setting | None = None) -> Setting:
        """A setting with every active dimension drawn evenly, but those that are fixed."""
        drawn: dict[str, Value] = {}
        for dimension in self.ordered:
            if holds(dimension, drawn):
                kept = None if fixed is None else fixed.get(dimension.name)
                drawn[dimension.name] = _drawn(dimension, random) if kept is None else kept
        return drawn

    def unseen_near(
        self, setting: Setting, seen: Collection[str], random: np.random.Generator
    ) -> Setting | None:
        """A setting that was not seen, one axis away where there is one, then further away.

        Args:
            setting: Where to begin.
            seen: Keys (`setting_key`) of the settings that are out.
            random: Decides among equally near ones.

        Returns:
            None when nothing new was found; in a space of up to 200,000 settings there is none.
        """
        near = self._one_axis_away(setting, random)
        for place in random.permutation(len(near)).tolist():
            candidate: Setting = near[place]
            if setting_key(candidate) not in seen:
                return candidate
        names = list(setting)
        for round_number in range(_FAR_TRIES):
            changed = min(len(names), 2 + round_number * len(names) // _FAR_TRIES)
            out = {names[place] for place in random.permutation(len(names))[:changed]}
            kept = {name: value for name, value in setting.items() if name not in out}
            found = self.draw(random, kept)
            if setting_key(found) not in seen:
                return found
        size = self.size()
        if size is None or size > _LISTED_MOST:
            return None
        left = [found for found in self.all() if setting_key(found) not in seen]
        return left[int(random.integers(len(left)))] if left else None

    def _one_axis_away(self, setting: Setting, random: np.random.Generator) -> list[Setting]:
        found: list[Setting] = []
        for dimension in self.ordered:
            if dimension.name not in setting:
                continue
            others = dimension.values() or (_drawn(dimension, random),)
            found += [
                self.draw(random, {**setting, dimension.name: value})
                for value in others
                if value != setting[dimension.name]
            ]
        return found


def holds(dimension: Dimension, chosen: Setting) -> bool:
    """Whether a dimension is active beside what was chosen so far."""
    return all(name in chosen and chosen[name] in values for name, values in dimension.only_if)


def _drawn(dimension: Dimension, random: np.random.Generator) -> Value:
    values = dimension.values()
    if values is not None:
        return values[random.integers(len(values))]
    assert dimension.low is not None and dimension.high is not None
    return float(random.uniform(dimension.low, dimension.high))


def _every(ordered: tuple[Dimension, ...], place: int, chosen: Setting) -> Iterator[Setting]:
    if place == len(ordered):
        yield chosen
        return
    dimension = ordered[place]
    if not holds(dimension, chosen):
        yield from _every(ordered, place + 1, chosen)
        return
    for value in dimension.values() or ():
        yield from _every(ordered, place + 1, {**chosen, dimension.name: value})


def _count(part: tuple[Dimension, ...], named: set[str], place: int, chosen: Setting) -> int:
    """Settings of connected dimensions: only those that conditions name are gone through."""
    if place == len(part):
        return 1
    dimension = part[place]
    if not holds(dimension, chosen):
        return _count(part, named, place + 1, chosen)
    values = dimension.values() or ()
    if dimension.name not in named:
        return len(values) * _count(part, named, place + 1, chosen)
    return sum(
        _count(part, named, place + 1, {**chosen, dimension.name: value}) for value in values
    )


def _connected(ordered: tuple[Dimension, ...]) -> list[tuple[Dimension, ...]]:
    """Dimensions in groups that no condition joins."""
    group = {dimension.name: dimension.name for dimension in ordered}
    for dimension in ordered:
        for name, _ in dimension.only_if:
            old, new = group[dimension.name], group[name]
            group = {key: new if value == old else value for key, value in group.items()}
    return [
        tuple(dimension for dimension in ordered if group[dimension.name] == name)
        for name in dict.fromkeys(group.values())
    ]


def _ordered(dimensions: tuple[Dimension, ...]) -> tuple[Dimension, ...]:
    """Conditions first; those that wait for each other in a circle are left out."""
    done: dict[str, Dimension] = {}
    waiting = list(dimensions)
    while waiting:
        ready = [d for d in waiting if all(name in done for name, _ in d.only_if)]
        if not ready:
            break
        done[ready[0].name] = ready[0]
        waiting.remove(ready[0])
    return tuple(done.values())


def _faults(dimensions: tuple[Dimension, ...]) -> Iterator[Problem]:
    names = [dimension.name for dimension in dimensions]
    if not dimensions:
        yield Problem(_WHERE, "has no dimension", "Declare what may be varied.")
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        yield Problem(_WHERE, "two dimensions have one name", "Rename one.", field=name)
    known = dict(zip(names, dimensions, strict=True))
    clean = True
    for dimension in dimensions:
        for law, got in (*_value_faults(dimension), *_condition_faults(dimension, known)):
            clean = False
            mend = "Correct this dimension."
            yield Problem(_WHERE, law, mend, field=dimension.name, got=short_repr(got))
    if clean and len(set(names)) == len(names):
        placed = {dimension.name for dimension in _ordered(dimensions)}
        for name in names:
            if name not in placed:
                law = "conditions go in no circle"
                yield Problem(_WHERE, law, "Take one condition away.", field=name)


def _value_faults(dimension: Dimension) -> Iterator[tuple[str, object]]:
    if dimension.kind == "categorical":
        choices = dimension.choices
        if not choices:
            yield "has at least one choice", choices
        if len(set(choices)) < len(choices):
            yield "choices differ from each other (1, 1.0 and true are equal)", choices
        return
    limits = (dimension.low, dimension.high)
    numbers = [value for value in (*limits, dimension.step) if value is not None]
    if None in limits or not all(np.isfinite(number) for number in numbers):
        yield "has finite low and high", limits
    elif dimension.low is not None and dimension.high is not None:
        if dimension.low > dimension.high:
            yield "low is not above high", limits
        if dimension.step is not None and dimension.step <= 0:
            yield "step is above 0", dimension.step
        if dimension.kind == "int" and any(number != int(number) for number in numbers):
            yield "limits and step are whole numbers", numbers


def _condition_faults(
    dimension: Dimension, known: Mapping[str, Dimension]
) -> Iterator[tuple[str, object]]:
    for name, wanted in dimension.only_if:
        if name not in known:
            yield "only_if names dimensions of this space", name
            continue
        values = known[name].values()
        if values is None:
            yield "only_if names a dimension with countable values", name
        elif not wanted or not set(wanted) <= set(values):
            yield f"only_if lists values of {name}", wanted
