"""Which claims change their verdict, by direction, slice and language."""

from __future__ import annotations

from collections import Counter

import numpy as np

from metajudge.agreement.arrays import Masks
from metajudge.agreement.table import YES
from metajudge.release.consult.bench import Bench, Said
from metajudge.report.consult_results import FlipDirection, FlipGroup, Flips
from metajudge.report.figure import figure
from metajudge.report.measured_parts import VERDICT_CODES

EXAMPLES = 3


def flips(bench: Bench, was: Said, now: Said) -> Flips:
    """Verdicts of both sides on the same claims, first draw.

    Args:
        bench: The claims.
        was: The current side.
        now: The proposed side.
    """
    moved = was.first != now.first
    everything = np.ones(len(moved), np.bool_)
    counts = np.bincount(was.first * 4 + now.first, minlength=16).reshape(4, 4)
    return Flips(
        claims=len(moved),
        changed=int(moved.sum()),
        flip_rate=figure(bench.of_claims.share(moved, everything, "asked")),
        table={
            before: {after: int(counts[i, j]) for j, after in enumerate(VERDICT_CODES)}
            for i, before in enumerate(VERDICT_CODES)
        },
        directions=tuple(
            FlipDirection(
                was=VERDICT_CODES[before],
                now=VERDICT_CODES[after],
                claims=int(counts[before, after]),
                share=figure(
                    bench.of_claims.share(one_way(was, now, before, after), everything, "asked")
                ),
                examples=examples(bench, one_way(was, now, before, after)),
            )
            for before, after in directions(was, now)
        ),
        groups=(
            *_groups(bench, was, now, "slice"),
            *_groups(bench, was, now, "language"),
        ),
    )


def directions(was: Said, now: Said) -> list[tuple[int, int]]:
    """Pairs of verdict codes that occur as a change, the one with most claims first."""
    moved = was.first != now.first
    counts = Counter(zip(was.first[moved].tolist(), now.first[moved].tolist(), strict=True))
    return sorted(counts, key=lambda pair: (-counts[pair], pair))


def one_way(was: Said, now: Said, before: int, after: int) -> Masks:
    """Claims that change from one verdict to another, shape (n,)."""
    return np.asarray((was.first == before) & (now.first == after), np.bool_)


def examples(bench: Bench, chosen: Masks) -> tuple[str, ...]:
    """Up to three claim ids, of different answers as far as there are any."""
    places = np.flatnonzero(chosen).tolist()
    firsts: dict[str, int] = {}
    for place in places:
        firsts.setdefault(bench.claims[place].answer_id, place)
    ordered = dict.fromkeys((*firsts.values(), *places))
    return tuple(bench.claims[place].claim_id for place in list(ordered)[:EXAMPLES])


def _groups(bench: Bench, was: Said, now: Said, kind: str) -> list[FlipGroup]:
    of_claim = bench.slices if kind == "slice" else bench.languages
    moved, units = was.first != now.first, bench.of_claims
    groups = []
    for name in sorted(set(of_claim.tolist()) - {""}):
        within = np.asarray(of_claim == name, np.bool_)
        pairs = Counter(
            f"{VERDICT_CODES[a]}->{VERDICT_CODES[b]}"
            for a, b in zip(was.first[within & moved], now.first[within & moved], strict=True)
        )
        groups.append(
            FlipGroup(
                kind="slice" if kind == "slice" else "language",
                name=name,
                claims=int(within.sum()),
                changed=int((within & moved).sum()),
                flip_rate=figure(units.share(moved, within, "asked")),
                support_shift=figure(
                    units.share_shift(was.first == YES, now.first == YES, within, "asked")
                ),
                directions=dict(pairs.most_common()),
            )
        )
    return groups
