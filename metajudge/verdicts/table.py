"""The verdicts of one trial as numpy columns, and the readings that give them label codes."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from metajudge.verdicts.probability import PRIOR_FLOOR, prior_corrected
from metajudge.verdicts.verdict import FAILURES, LABELS, Failure, LabelProbabilities, Verdict

FAILURE_CODE = 3
"""Label code of a verdict that has no label; yes, no, idk are 0, 1, 2."""

NO_FAILURE = -1

Codes = npt.NDArray[np.int8]
Reading = Literal["top", "prior_corrected"]
READINGS: tuple[Reading, ...] = ("top", "prior_corrected")

_LABEL_CODES = {label: code for code, label in enumerate(LABELS)}
_FAILURE_CODES = {failure: code for code, failure in enumerate(FAILURES)}
_NAN = float("nan")


class VerdictRow(NamedTuple):
    """One verdict with its place: the claim's index in the gold set and the draw's number."""

    claim: int
    repeat: int
    verdict: Verdict


class LabelCodes(NamedTuple):
    """Label codes under one reading.

    Attributes:
        codes: Shape (n,), 0 yes, 1 no, 2 idk, 3 without a label in this reading.
        unavailable: Why the reading cannot be had at all; None when it can. The codes are then
            all 3 and must not be scored.
        n_without: Verdicts that have a label, but none in this reading, as they came without
            probabilities. They lower the coverage of the reading.
    """

    codes: Codes
    unavailable: str | None
    n_without: int


@dataclass(frozen=True, slots=True, eq=False)
class VerdictTable:
    """Verdicts of one trial, a row each, at 25 bytes a row.

    Attributes:
        claim: Index of the claim, shape (n,), int32.
        repeat: 0-based draw, shape (n,), int16.
        label: Label code, shape (n,), int8; 3 for a failure.
        failure: Index in `FAILURES`, shape (n,), int8; -1 for none.
        probabilities: yes, no, idk, shape (n, 3), float32; nan where the judge gave none.
        label_mass: Share of the first token on labels, shape (n,), float32; nan where unknown.
        repaired: Read from another form than the one asked for, shape (n,), bool.
    """

    claim: npt.NDArray[np.int32]
    repeat: npt.NDArray[np.int16]
    label: Codes
    failure: Codes
    probabilities: npt.NDArray[np.float32]
    label_mass: npt.NDArray[np.float32]
    repaired: npt.NDArray[np.bool_]

    @classmethod
    def from_rows(cls, rows: Iterable[VerdictRow | tuple[int, int, Verdict]]) -> VerdictTable:
        """A table of verdict rows, in their order.

        >>> table = VerdictTable.from_rows([(0, 0, Verdict("yes")), (1, 0, Verdict(None, "empty"))])
        >>> table.label.tolist(), table.failure_counts()
        ([0, 3], {'empty': 1})
        """
        claim, repeat, label, failure = array("i"), array("h"), array("b"), array("b")
        probabilities, mass, repaired = array("f"), array("f"), array("b")
        absent = LabelProbabilities(_NAN, _NAN, _NAN)
        for claim_index, draw, verdict in rows:
            claim.append(claim_index)
            repeat.append(draw)
            failed = verdict.label is None
            label.append(FAILURE_CODE if verdict.label is None else _LABEL_CODES[verdict.label])
            failure.append(_FAILURE_CODES[verdict.failure or "unparsable"] if failed else -1)
            probabilities.extend(verdict.probabilities or absent)
            mass.append(_NAN if verdict.label_mass is None else verdict.label_mass)
            repaired.append(verdict.repaired)
        return cls(
            claim=np.array(claim, dtype=np.int32),
            repeat=np.array(repeat, dtype=np.int16),
            label=np.array(label, dtype=np.int8),
            failure=np.array(failure, dtype=np.int8),
            probabilities=np.array(probabilities, dtype=np.float32).reshape(-1, 3),
            label_mass=np.array(mass, dtype=np.float32),
            repaired=np.array(repaired, dtype=np.bool_),
        )

    def __len__(self) -> int:
        """Number of verdicts, failures included."""
        return int(self.claim.size)

    @property
    def nbytes(self) -> int:
        """Bytes held by the columns."""
        return sum(
            int(column.nbytes)
            for column in (
                self.claim,
                self.repeat,
                self.label,
                self.failure,
                self.probabilities,
                self.label_mass,
                self.repaired,
            )
        )

    def top_labels(self) -> Codes:
        """Label codes as the judge gave them, shape (n,); 3 for failures."""
        return self.label

    def failure_counts(self) -> dict[Failure, int]:
        """Number of verdicts by failure class, classes that occur, in the order of `FAILURES`."""
        counts = np.bincount(self.failure[self.failure >= 0], minlength=len(FAILURES))
        return {name: int(n) for name, n in zip(FAILURES, counts, strict=True) if n}

    def coverage(self) -> float | None:
        """Share of verdicts with a label, 0 to 1; None for an empty table."""
        return None if not len(self) else float(np.mean(self.label != FAILURE_CODE))

    def repaired_share(self) -> float | None:
        """Share of verdicts read from another form than asked for; None for an empty table."""
        return None if not len(self) else float(np.mean(self.repaired))

    def grid(self, codes: Codes, n_claims: int, n_repeats: int) -> Codes:
        """Codes by claim and draw, shape (n_claims, n_repeats); 3 where no verdict exists."""
        cells = np.full((n_claims, n_repeats), FAILURE_CODE, dtype=np.int8)
        cells[self.claim, self.repeat] = codes
        return cells

    def mean_probabilities(self) -> npt.NDArray[np.float64] | None:
        """Mean label probabilities over rows that have them, shape (3,): the template's prior when
        the claims are content-free. None when no row has any.
        """  # noqa: D205
        present = ~np.isnan(self.probabilities[:, 0])
        if not present.any():
            return None
        mean: npt.NDArray[np.float64] = self.probabilities[present].mean(axis=0, dtype=np.float64)
        return mean


def label_codes(
    table: VerdictTable,
    reading: Reading,
    prior: npt.ArrayLike | None = None,
    floor: float = PRIOR_FLOOR,
) -> LabelCodes:
    """Label codes of every verdict under a reading; pure, so that both readings cost no call.

    Args:
        table: The verdicts of one trial.
        reading: `top`, the label as given; or `prior_corrected`, the largest of the probabilities
            after the template's prior is divided out (`prior_corrected`).
        prior: Mean label probabilities on content-free claims, shape (3,).
        floor: Least prior that is divided by.

    >>> rows = [(0, 0, Verdict("yes", probabilities=LabelProbabilities(0.6, 0.2, 0.2)))]
    >>> label_codes(VerdictTable.from_rows(rows), "prior_corrected", [0.8, 0.15, 0.05]).codes
    array([2], dtype=int8)
    """
    if reading == "top":
        return LabelCodes(table.top_labels(), None, 0)
    labelled = table.label != FAILURE_CODE
    usable = labelled & ~np.isnan(table.probabilities[:, 0])
    codes = np.full(len(table), FAILURE_CODE, dtype=np.int8)
    n_without = int((labelled & ~usable).sum())
    if prior is None:
        return LabelCodes(codes, "no label prior was measured for this template", n_without)
    if not usable.any():
        return LabelCodes(codes, "the judge gave no label probabilities", n_without)
    corrected = prior_corrected(table.probabilities[usable], prior, floor)
    codes[usable] = corrected.argmax(axis=1)
    return LabelCodes(codes, None, n_without)


def corrected_probabilities(
    table: VerdictTable, prior: npt.ArrayLike, floor: float = PRIOR_FLOOR
) -> npt.NDArray[np.float64]:
    """Prior-corrected label probabilities, shape (n, 3); nan where the judge gave none."""
    return prior_corrected(table.probabilities, prior, floor)
