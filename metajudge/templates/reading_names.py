"""Names of readings: `batch_corrected`, or `batch_corrected@0.60` with a threshold on P(yes)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

READING_ORDER = ("top", "prior_corrected", "batch_corrected")
"""Of two readings that nothing else tells apart, the plainer one goes first."""
DECIMALS = 6
"""Of P(yes) for a threshold, so that the number in a file parts the claims as it did here."""
THRESHOLD_LAW = (
    f"the threshold of a reading is above 0 and at most 1, with up to {DECIMALS} decimals, as in "
    "top@0.60"
)

_NUMBER = re.compile(rf"(?:0?\.\d{{1,{DECIMALS}}}|1(?:\.0{{1,{DECIMALS}}})?)", re.ASCII)


class ReadingName(NamedTuple):
    """A reading, taken apart.

    Attributes:
        base: One of `READING_ORDER`: which label probabilities are read.
        threshold: Least P(yes) that is called yes, above 0 and at most 1; None takes the largest
            probability.
    """

    base: str
    threshold: float | None = None

    def __str__(self) -> str:
        """The one way to write it: a threshold has two decimals, or as many more as it needs.

        >>> str(ReadingName("top", 0.6)), str(ReadingName("top", 0.123456))
        ('top@0.60', 'top@0.123456')
        """
        if self.threshold is None:
            return self.base
        return f"{self.base}@{threshold_text(self.threshold)}"

    @property
    def divides_prior(self) -> bool:
        """Whether a label prior is divided out, which a release has to freeze."""
        return self.base != READING_ORDER[0]

    @property
    def asks_blank(self) -> bool:
        """Whether it needs calls about content-free claims."""
        return self.base == "prior_corrected"

    @property
    def needs_probabilities(self) -> bool:
        """Whether a reply without label probabilities gives no label."""
        return self.divides_prior or self.threshold is not None


@lru_cache(maxsize=256)
def reading_named(text: str) -> ReadingName:
    """The reading of a name.

    Raises:
        ValueError: There is no such reading, or its threshold is none.

    >>> reading_named("batch_corrected@.6")
    ReadingName(base='batch_corrected', threshold=0.6)
    """
    base, at, number = text.partition("@")
    if base not in READING_ORDER:
        raise ValueError(f"a reading is one of {', '.join(READING_ORDER)}")
    if not at:
        return ReadingName(base)
    threshold = float(number) if _NUMBER.fullmatch(number) else 0.0
    if threshold <= 0:
        raise ValueError(THRESHOLD_LAW)
    return ReadingName(base, threshold)


def reading_place(text: str) -> tuple[int, float]:
    """Sort key of readings: the plainer first, without a threshold first, then by threshold.

    >>> sorted(["top@0.60", "prior_corrected", "top"], key=reading_place)
    ['top', 'top@0.60', 'prior_corrected']
    """
    base, threshold = reading_named(text)
    return READING_ORDER.index(base), -1.0 if threshold is None else threshold


def threshold_text(threshold: float) -> str:
    """A threshold as it stands in a name.

    >>> threshold_text(0.5), threshold_text(1)
    ('0.50', '1.00')
    """
    whole, _, decimals = f"{threshold:.{DECIMALS}f}".partition(".")
    return f"{whole}.{decimals.rstrip('0'):0<2}"
