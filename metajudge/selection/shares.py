"""The shares of claims that a sweep reports, by name.

Each is a share of claims asked of some kind; a failure stays in the denominator.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Ints, Masks
from metajudge.agreement.rates import (
    Share,
    called_idk,
    covered,
    missed_contradiction,
    over_credit,
    share,
    under_credit,
)
from metajudge.selection.columns import SUMMARY_SLICES, ClaimColumns

ShareOf = Callable[[ClaimColumns, Ints, Masks], Share]


class ShareFigure(NamedTuple):
    """A share by name.

    Attributes:
        kind: The claims in its denominator, in words: the reason of a null.
        of: The share from the claims, the verdict codes (S, N) and the entries that count (N,).
    """

    kind: str
    of: ShareOf


def _right(columns: ClaimColumns, codes: Ints, within: Masks) -> Share:
    return share(columns.as_labels(codes) == columns.gold, within)


def _summaries(columns: ClaimColumns, within: Masks) -> Masks:
    return np.asarray(columns.in_slices(SUMMARY_SLICES) & within, np.bool_)


def _summary_as_idk(columns: ClaimColumns, codes: Ints, within: Masks) -> Share:
    return called_idk(columns.gold, codes, _summaries(columns, within))


def _summary_yes(columns: ClaimColumns, codes: Ints, within: Masks) -> Share:
    return share(codes == 0, (columns.gold == 0) & _summaries(columns, within))


def _over_credit(columns: ClaimColumns, codes: Ints, within: Masks) -> Share:
    return over_credit(columns.gold, codes, within)


def _over_credit_outside_true(columns: ClaimColumns, codes: Ints, within: Masks) -> Share:
    return over_credit(columns.gold, codes, columns.in_slices(["outside_true"]) & within)


def _under_credit(columns: ClaimColumns, codes: Ints, within: Masks) -> Share:
    return under_credit(columns.gold, codes, within)


def _missed_contradictions(columns: ClaimColumns, codes: Ints, within: Masks) -> Share:
    counted = np.zeros_like(within) if columns.binary else within
    return missed_contradiction(columns.gold, codes, counted)


def _coverage(columns: ClaimColumns, codes: Ints, within: Masks) -> Share:
    return covered(codes, within)


SHARES: dict[str, ShareFigure] = {
    "accuracy": ShareFigure("asked", _right),
    "summary_as_idk": ShareFigure(
        "a gold-yes claim of slice summary or aggregation", _summary_as_idk
    ),
    "over_credit": ShareFigure("a gold-not-yes claim", _over_credit),
    "over_credit_outside_true": ShareFigure(
        "a gold-not-yes claim of slice outside_true", _over_credit_outside_true
    ),
    "under_credit": ShareFigure("a gold-yes claim", _under_credit),
    "missed_contradictions": ShareFigure(
        "a gold-no claim (binary gold has none)", _missed_contradictions
    ),
    "coverage": ShareFigure("asked", _coverage),
    "summary_yes": ShareFigure("a gold-yes claim of slice summary or aggregation", _summary_yes),
}
