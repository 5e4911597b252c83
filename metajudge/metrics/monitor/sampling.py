"""Which answers of the traffic are scored: decided by a hash, with the weight that undoes it.

An answer's place is the SHA-256 of salt and id as a number from 0 to 1. It is in the sample where
its place lies under the rate: the same answer always or never, in every process and file, and a
higher rate only adds answers. Where a stratum is to have at least m answers a day, its m lowest
places of the day are taken too.

The weight is one over the chance of being taken, so that sums over the sample have the sums over
the traffic as their mean (Horvitz and Thompson 1952, J. Am. Stat. Assoc. 47), and a weighted mean
is the ratio of two such sums (Hájek 1971, in Foundations of Statistical Inference, p. 236). With a
minimum the chance is E[max(K, min(m, N))] / N over K binomial (N, rate), the same for all N of a
stratum's day, since places are exchangeable.
"""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import NamedTuple

_SPAN = 2.0**64
LOWEST_RATE = 1e-6


class Candidate(NamedTuple):
    """What the choice depends on.

    Attributes:
        unit: What is taken or left out as a whole: the answer's id, or that of its conversation.
        group: Stratum and day.
    """

    unit: str
    group: Hashable


def place(unit: str, salt: str) -> float:
    """Where an id stands from 0 to 1, evenly spread over ids.

    >>> place("a1", "s") == place("a1", "s"), place("a1", "s") == place("a1", "t")
    (True, False)
    """
    digest = hashlib.sha256(f"{salt}\0{unit}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") / _SPAN


def chance(units: int, rate: float, at_least: int) -> float:
    """Chance that one of so many units of a stratum's day is taken.

    Args:
        units: N, units of that day in the stratum, at least 1.
        rate: 0 to 1.
        at_least: m; 0 where none is asked for.

    >>> chance(100, 0.1, 0), chance(3, 0.1, 5)
    (0.1, 1.0)
    >>> round(chance(20, 0.1, 2), 4)   # (2 + P(K = 1) + 2 P(K = 0)) / 20
    0.1257
    """
    least = min(at_least, units)
    if rate >= 1 or least == units:
        return 1.0
    short = sum((least - k) * _binomial(units, k, rate) for k in range(least))
    return rate + short / units


def _binomial(n: int, k: int, p: float) -> float:
    ways = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return math.exp(ways + k * math.log(p) + (n - k) * math.log1p(-p))


def weights(
    candidates: Sequence[Candidate], *, rate: float, salt: str, at_least: int = 0
) -> list[float | None]:
    """Weight of each candidate in the sample; None where it is left out.

    Args:
        candidates: The traffic, whole days of it where a minimum is asked for.
        rate: Share that is taken, over 0 to 1.
        salt: Another salt gives another sample.
        at_least: Units a stratum and day, as far as there are so many.

    Raises:
        ValueError: The rate is out of range or the minimum is negative.

    >>> rows = [Candidate(f"a{n}", "one day") for n in range(4)]
    >>> weights(rows, rate=1.0, salt="s")
    [1.0, 1.0, 1.0, 1.0]
    """
    if not LOWEST_RATE <= rate <= 1:
        raise ValueError(f"rate must lie from {LOWEST_RATE:g} to 1, got {rate!r}")
    if at_least < 0:
        raise ValueError(f"at_least must be 0 or more, got {at_least!r}")
    places: dict[Hashable, dict[str, float]] = defaultdict(dict)
    for unit, group in candidates:
        places[group].setdefault(unit, place(unit, salt))
    bars = {group: _bar(own, rate, at_least) for group, own in places.items()}
    given = {group: 1 / chance(len(own), rate, at_least) for group, own in places.items()}
    return [
        given[group] if places[group][unit] < rate or places[group][unit] <= bars[group] else None
        for unit, group in candidates
    ]


def _bar(places: dict[str, float], rate: float, at_least: int) -> float:
    """Place up to which units are taken for the minimum; under 0 where the rate gives enough."""
    ranked = sorted(places.values())
    least = min(at_least, len(ranked))
    return ranked[least - 1] if least else -1.0
