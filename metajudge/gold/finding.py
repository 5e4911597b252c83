"""One line of `gold check`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at.

    Attributes:
        severity: `error` must be mended, `warning` should be, `note` is for knowledge.
        code: Name of the check, e.g. `label-breaks-policy`.
        where: Claim, context or answer ids, or the set's name.
        message: What was found.
        mend: What to do.
        claims: Every claim id, where one finding is about many claims and `where` is not; else ().
    """

    severity: Severity
    code: str
    where: str
    message: str
    mend: str
    claims: tuple[str, ...] = ()
