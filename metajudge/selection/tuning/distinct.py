"""Settings that come to the same verdicts, counted once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metajudge.selection.tuning.tune import CHUNK, Tunables
from metajudge.selection.tuning.verdicts import Tuning


def distinct(tunables: Tunables, settings: Sequence[Tuning]) -> tuple[Tuning, ...]:
    """One setting for each different set of verdicts, in the order in which these first appear.

    It is one with the fewest members, without a threshold if there is such a one; of thresholds
    that part the claims alike the one in their middle, which is as far as can be from where a
    verdict would change.

    Args:
        tunables: The stored verdicts.
        settings: Any number of them.
    """
    groups: dict[bytes, list[Tuning]] = {}
    for start in range(0, len(settings), CHUNK):
        part = settings[start : start + CHUNK]
        for setting, codes in zip(part, tunables.codes(part).astype(np.int8), strict=True):
            groups.setdefault(codes.tobytes(), []).append(setting)
    return tuple(map(_middle, groups.values()))


def _middle(group: Sequence[Tuning]) -> Tuning:
    least = min(group, key=lambda setting: (len(setting.rows), setting.threshold is not None))
    if least.threshold is None:
        return least
    alike = [s for s in group if (s.rows, s.vote) == (least.rows, least.vote)]
    alike.sort(key=lambda setting: setting.threshold or 0.0)
    return alike[(len(alike) - 1) // 2]
