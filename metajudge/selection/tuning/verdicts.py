"""Verdicts of settings on stored replies: a row at a threshold, or a panel of rows and its vote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from metajudge.agreement.arrays import Floats, Ints, Masks, as_floats
from metajudge.agreement.table import FAILURE, IDK, NO, YES
from metajudge.counted import counted
from metajudge.selection.calibrate import told_shares, verdicts_at
from metajudge.selection.columns import CandidateCodes
from metajudge.selection.readings import plurality

Vote = Literal["majority", "unanimous_yes", "mean_probability"]
VOTES: tuple[Vote, ...] = get_args(Vote)
"""`majority`: the label that most members gave; a draw is a failure, never a guess.
`unanimous_yes`: yes only where every member says yes, else the label that more of the others gave,
idk of equals. `mean_probability`: the members' label probabilities averaged, then read."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """One setting.

    Attributes:
        rows: Rows of the candidates, each once; one is that candidate itself, several are a panel.
        vote: How a panel decides; of no account for one row.
        threshold: Least P(yes) to call yes: of each member, or of their mean with the vote
            `mean_probability`; None reads labels as they are.
        weight: Credit of idk in the answer scores, partial(w); None leaves scores out.

    Raises:
        ValueError: No row, a row twice, or a number out of range.
    """

    rows: tuple[int, ...]
    vote: Vote = "majority"
    threshold: float | None = None
    weight: float | None = None

    def __post_init__(self) -> None:
        if not self.rows or len(set(self.rows)) < len(self.rows) or min(self.rows) < 0:
            raise ValueError(f"a setting has rows from 0 on, each once, got {self.rows}")
        if self.vote not in VOTES:
            raise ValueError(f"a vote is one of {', '.join(VOTES)}, got {self.vote!r}")
        if self.threshold is not None and not 0 < self.threshold <= 1:
            raise ValueError(f"a threshold is above 0 and at most 1, got {self.threshold}")
        if self.weight is not None and not 0 <= self.weight <= 1:
            raise ValueError(f"a policy weight is from 0 to 1, got {self.weight}")

    @property
    def averages(self) -> bool:
        """Whether probabilities are averaged."""
        return len(self.rows) > 1 and self.vote == "mean_probability"


def tuned_codes(candidates: CandidateCodes, settings: Sequence[Tuning]) -> Ints:
    """Verdicts of each setting, shape (T, N).

    With a threshold or a mean of probabilities, a member's verdict that is a failure or has no
    probabilities gives none: of the setting too where it is one row or a mean, while in a vote the
    member abstains. `unanimous_yes` with a member abstaining is never yes.

    Args:
        candidates: S rows.
        settings: T of them; memory grows with T times the greatest panel.

    Raises:
        ValueError: A row that there is not.
    """
    most = max(max(setting.rows) for setting in settings)
    if most >= len(candidates.keys):
        raise ValueError(f"a setting has row {most} of {counted(len(candidates.keys), 'rows')}")
    codes = np.empty((len(settings), candidates.codes.shape[1]), np.int64)
    averages = np.asarray([setting.averages for setting in settings])
    for mean in (False, True):
        places = np.flatnonzero(averages == mean)
        mine = [settings[place] for place in places.tolist()]
        if mine:
            codes[places] = (_averaged if mean else _voted)(candidates, mine)
    return codes


def _rows(settings: Sequence[Tuning]) -> tuple[Ints, Masks]:
    """Members of each setting, shape (M, T), and which of them there are."""
    most = max(len(setting.rows) for setting in settings)
    rows = [(*setting.rows, *[-1] * (most - len(setting.rows))) for setting in settings]
    members = np.asarray(rows, np.int64).T
    return members, members >= 0


def _limits(settings: Sequence[Tuning]) -> Floats:
    """Thresholds, shape (T,); nan for none."""
    return as_floats([np.nan if s.threshold is None else s.threshold for s in settings])


def _voted(candidates: CandidateCodes, settings: Sequence[Tuning]) -> Ints:
    members, there = _rows(settings)
    said = np.full((*members.shape, candidates.codes.shape[1]), FAILURE, np.int64)
    limits = np.broadcast_to(_limits(settings), members.shape)
    plain = there & np.isnan(limits)
    said[plain] = candidates.codes[members[plain]]
    at = there & ~np.isnan(limits)
    if at.any():
        said[at] = _read(candidates, members[at], limits[at])
    if len(members) == 1:
        return np.asarray(said[0], np.int64)
    unanimous = np.asarray([len(s.rows) > 1 and s.vote == "unanimous_yes" for s in settings])
    codes = plurality(said).astype(np.int64)
    lone = there.sum(0) == 1
    codes[lone] = said[0, lone]
    if unanimous.any():
        codes[unanimous] = _unanimous(said[:, unanimous], there[:, unanimous])
    return codes


def _read(candidates: CandidateCodes, rows: Ints, limits: Floats) -> Ints:
    """Verdicts of rows at a threshold each, shape (T, N)."""
    shares = told_shares(candidates.probabilities[rows])
    known = np.isfinite(shares).all(-1) & (candidates.codes[rows] != FAILURE)
    return np.where(known, verdicts_at(shares, limits[:, None]), FAILURE)


def _unanimous(said: Ints, there: Masks) -> Ints:
    everyone = ((said == YES) | ~there[..., None]).all(0)
    no, idk = ((said == code).sum(0) for code in (NO, IDK))
    other = np.where(no > idk, NO, np.where(idk > 0, IDK, FAILURE))
    return np.where(everyone, YES, other)


def _averaged(candidates: CandidateCodes, settings: Sequence[Tuning]) -> Ints:
    members, there = _rows(settings)
    total = np.zeros((len(settings), candidates.codes.shape[1], 3))
    known = np.ones(total.shape[:2], np.bool_)
    for row, mask in zip(members, there, strict=True):
        mine = row[mask]
        total[mask] += candidates.probabilities[mine]
        known[mask] &= candidates.codes[mine] != FAILURE
    mean = total / there.sum(0)[:, None, None]
    known &= np.isfinite(mean).all(-1)
    limits = _limits(settings)
    at = verdicts_at(told_shares(mean), limits[:, None])
    largest = np.where(known[..., None], mean, 0.0).argmax(-1)
    return np.where(known, np.where(np.isnan(limits)[:, None], largest, at), FAILURE)
