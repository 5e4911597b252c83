"""`flips.csv`: gold claims whose verdict is another one than under the release before."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Ints
from metajudge.gold.claim import Claim
from metajudge.report.inert import csv_cell
from metajudge.report.measured_parts import VERDICT_CODES

COLUMNS = ("claim_id", "split", "slice", "lang", "gold", "before", "after", "direction")


class Compared(NamedTuple):
    """Gold claims that two releases gave a verdict on.

    Attributes:
        claims: The claims.
        splits: Split of each.
        before: Shape (n,), codes of the earlier release; 3 for a failure.
        after: Shape (n,), codes of the later one.
    """

    claims: Sequence[Claim]
    splits: Sequence[str]
    before: Ints
    after: Ints

    @property
    def flips(self) -> int:
        """Claims with another verdict; a failure counts as one of its own."""
        return int(np.count_nonzero(self.before != self.after))


def flips_text(compared: Compared | None) -> str:
    """The text of `flips.csv`; the header alone where there is no earlier release.

    Args:
        compared: The claims; those without a flip have no line.
    """
    sheet = io.StringIO()
    writer = csv.writer(sheet, lineterminator="\n")
    writer.writerow(COLUMNS)
    if compared is not None:
        writer.writerows(_rows(compared))
    return sheet.getvalue()


def _rows(compared: Compared) -> Iterable[list[str]]:
    for index in np.flatnonzero(compared.before != compared.after).tolist():
        claim = compared.claims[index]
        before, after = (VERDICT_CODES[codes[index]] for codes in (compared.before, compared.after))
        cells = (
            claim.claim_id,
            compared.splits[index],
            claim.slice or "",
            claim.lang,
            claim.label,
            before,
            after,
            f"{before}->{after}",
        )
        yield [csv_cell(cell) for cell in cells]
