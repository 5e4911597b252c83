"""A setting, one point of a search space, and the axes that it is a point on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

Value = str | int | float | bool
"""What a setting holds for one axis."""
Setting = Mapping[str, Value]
"""A value for each axis that is active in it, by the axis's name."""


class Axis(NamedTuple):
    """One dimension of a search space.

    Attributes:
        name: Unlike that of any other axis.
        choices: The values that it may take; the first is the usual one.
        only_if: Other axes with the values that make this one active, all of them at once; ()
            for an axis that is always active. An axis stands after those that it depends on.
    """

    name: str
    choices: tuple[Value, ...]
    only_if: tuple[tuple[str, tuple[Value, ...]], ...] = ()

    def active(self, setting: Setting) -> bool:
        """Whether the axis has a value in this setting.

        >>> Axis("draw", (0, 1), (("n", (2, 4)),)).active({"n": 0})
        False
        """
        return all(name in setting and setting[name] in values for name, values in self.only_if)


def searched(axes: Iterable[Axis]) -> tuple[Axis, ...]:
    """The axes with something to choose, no longer conditional on what is not chosen.

    >>> searched([Axis("n", (4,)), Axis("draw", (0, 1), (("n", (2, 4)),))])
    (Axis(name='draw', choices=(0, 1), only_if=()),)
    """
    every = tuple(axes)
    fixed = {axis.name: axis.choices[0] for axis in every if len(axis.choices) == 1}
    return tuple(
        axis._replace(only_if=tuple(told for told in axis.only_if if told[0] not in fixed))
        for axis in every
        if len(axis.choices) > 1
        and all(fixed.get(name, values[0]) in values for name, values in axis.only_if)
    )


def completed(axes: Iterable[Axis], partial: Setting) -> dict[str, Value]:
    """A setting with the usual value on every active axis that `partial` leaves open.

    >>> completed([Axis("n", (0, 2)), Axis("draw", (0, 1), (("n", (2,)),))], {"n": 2})
    {'n': 2, 'draw': 0}
    """
    setting: dict[str, Value] = {}
    for axis in axes:
        if axis.active(setting):
            setting[axis.name] = partial.get(axis.name, axis.choices[0])
    return setting
