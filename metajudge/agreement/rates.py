"""Conditional shares that the product is about: summary-as-idk, over-credit and their kin.

Each is a share of *claims asked* of some kind. A failure stays in the denominator and is in no
numerator but that of `failed`: a judge cannot lower a bad rate without its coverage showing it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, Numbers, as_floats, divide
from metajudge.agreement.coefficients import Coefficient
from metajudge.agreement.table import FAILURE, IDK, NO, UNSUPPORTED, YES, selected


class Share(NamedTuple):
    """Claims that count (`numerator`, (…, n)) among those of the kind (`denominator`, (n,))."""

    numerator: Masks
    denominator: Masks


def share(numerator: Numbers, denominator: Numbers) -> Share:
    """A share from two masks over claims; the numerator is kept within the denominator.

    Args:
        numerator: Shape (n,) or (S, n), bool.
        denominator: Shape (n,), bool.

    >>> share([True, True, False], [True, False, True]).numerator.tolist()
    [True, False, False]
    """
    kind = np.asarray(denominator, dtype=np.bool_)
    return Share(np.asarray(numerator, dtype=np.bool_) & kind, kind)


def ratio(sums: Numbers) -> Floats:
    """Share from added (numerator, denominator) pairs: shape (…, 2) to (…); nan when 0 of 0.

    >>> float(ratio([1, 4]))
    0.25
    """
    parts = as_floats(sums)
    return divide(parts[..., 0], parts[..., 1])


def share_coefficient(name: str, kind: str) -> Coefficient:
    """A share as a coefficient of (numerator, denominator) sums; `kind` names its claims."""
    return Coefficient(name, ratio, f"no claim is {kind}")


def share_value(part: Share) -> Floats:
    """The plain share, shape (…), 0 to 1; nan when no claim is of the kind.

    >>> float(share_value(share([True, False], [True, True])))
    0.5
    """
    return divide(part.numerator.sum(-1), part.denominator.sum(-1))


def _codes(gold: Numbers, verdict: Numbers) -> tuple[Ints, Ints]:
    return np.asarray(gold, np.int64), np.asarray(verdict, np.int64)


def called_idk(gold: Numbers, verdict: Numbers, within: Masks | None = None) -> Share:
    """Gold-yes claims with verdict idk, among the gold-yes claims of `within`.

    With `within` set to slices summary and aggregation this is summary-as-idk. For binary gold
    yes is supported.

    Args:
        gold: Shape (n,), label codes.
        verdict: Shape (n,) or (S, n), label codes, not projected to binary.
        within: Shape (n,), the claims of the slices; None is all.

    >>> float(share_value(called_idk([YES, YES, NO], [YES, IDK, IDK])))
    0.5
    """
    truth, said = _codes(gold, verdict)
    return share(said == IDK, (truth == YES) & selected(within, len(truth)))


def over_credit(gold: Numbers, verdict: Numbers, within: Masks | None = None) -> Share:
    """Gold-not-yes claims with verdict yes, among the gold-not-yes claims of `within`.

    >>> float(share_value(over_credit([NO, IDK, YES], [YES, NO, YES])))
    0.5
    """
    truth, said = _codes(gold, verdict)
    return share(said == YES, (truth != YES) & selected(within, len(truth)))


def under_credit(gold: Numbers, verdict: Numbers, within: Masks | None = None) -> Share:
    """Gold-yes claims with verdict no or idk, among the gold-yes claims of `within`.

    >>> float(share_value(under_credit([YES, YES, YES, YES], [NO, IDK, YES, FAILURE])))
    0.5
    """
    truth, said = _codes(gold, verdict)
    kind = (truth == YES) & selected(within, len(truth))
    return share((said == NO) | (said == IDK), kind)


def missed_contradiction(gold: Numbers, verdict: Numbers, within: Masks | None = None) -> Share:
    """Gold-no claims with verdict yes or idk, among the gold-no claims of `within`.

    Only for yes/no/idk gold: binary gold does not tell contradicted from not stated.

    >>> float(share_value(missed_contradiction([NO, NO, IDK], [NO, IDK, YES])))
    0.5
    """
    truth, said = _codes(gold, verdict)
    kind = (truth == NO) & selected(within, len(truth))
    return share((said == YES) | (said == IDK), kind)


def unsupported_passed(gold: Numbers, verdict: Numbers, within: Masks | None = None) -> Share:
    """Over-credit for binary gold: unsupported claims with verdict yes.

    >>> float(share_value(unsupported_passed([UNSUPPORTED, UNSUPPORTED], [YES, IDK])))
    0.5
    """
    truth, said = _codes(gold, verdict)
    return share(said == YES, (truth == UNSUPPORTED) & selected(within, len(truth)))


def covered(verdict: Numbers, within: Masks | None = None) -> Share:
    """Claims with a readable verdict, among the claims asked of `within`: coverage.

    >>> float(share_value(covered([YES, FAILURE])))
    0.5
    """
    said = np.asarray(verdict, np.int64)
    return share(said != FAILURE, selected(within, said.shape[-1]))


def failed(verdict: Numbers, within: Masks | None = None) -> Share:
    """Claims whose verdict is a failure, among the claims asked of `within`.

    >>> float(share_value(failed([YES, FAILURE])))
    0.5
    """
    said = np.asarray(verdict, np.int64)
    return share(said == FAILURE, selected(within, said.shape[-1]))
