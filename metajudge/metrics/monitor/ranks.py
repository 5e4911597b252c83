"""Ranks of new values among the earlier ones of their stratum: exact, whatever the scores are.

Where nothing changed, the values of a stratum are exchangeable, and the rank of each new one among
all before it is uniform and independent of the earlier ranks. That holds for any distribution of
scores, ties and heaps at 1 included, with no reference level to estimate, and whatever the shares
of the strata are: a change of the mix alone leaves every rank uniform.

Source: Rényi (1962), independence of sequential ranks; Vovk (2021), Stat. Sci. 36, "Testing
randomness online": smoothed conformal p-values are independent and uniform, equation (3).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, as_floats


class Ranked(NamedTuple):
    """One value to be ranked.

    Attributes:
        stratum: Values are compared within it alone.
        value: Any number; the lower, the worse.
        tie: 0 to 1, evenly spread and independent of the value; decides among equal values.
    """

    stratum: str
    value: float
    tie: float


class Ranks:
    """What was seen so far, by stratum."""

    def __init__(self) -> None:
        self._seen: defaultdict[str, list[float]] = defaultdict(list)

    def take(self, batch: Iterable[Ranked]) -> Floats:
        """Share of the earlier values that each new one falls short of, 0 to 1; shape (k,).

        Uniform with a mean of one half while nothing changed; higher where values dropped. The
        batch is taken in its order, each value also among those before it.

        >>> ranks = Ranks()
        >>> ranks.take([Ranked("a", 1.0, 0.5)]).tolist()
        [0.5]
        >>> ranks.take([Ranked("a", 0.0, 0.5), Ranked("b", 0.0, 0.5)]).tolist()
        [0.75, 0.5]
        """
        return as_floats([self._short_of(one) for one in batch])

    def _short_of(self, one: Ranked) -> float:
        seen = self._seen[one.stratum]
        low, high = bisect_left(seen, one.value), bisect_right(seen, one.value)
        share = (low + one.tie * (high - low + 1)) / (len(seen) + 1)
        seen.insert(high, one.value)
        return 1.0 - share


def below(before: Sequence[float], after: Sequence[float]) -> float:
    """Chance that a later value is lower than an earlier one, ties as one half; nan for none.

    Source: Mann and Whitney (1947), Ann. Math. Stat. 18.

    >>> below([1.0, 1.0], [1.0, 0.0])
    0.75
    """
    if not len(before) or not len(after):
        return float("nan")
    ranked = np.sort(as_floats(before))
    values = as_floats(after)
    low, high = np.searchsorted(ranked, values, "left"), np.searchsorted(ranked, values, "right")
    return float(1 - (low + high).mean() / 2 / len(ranked))
