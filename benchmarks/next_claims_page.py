"""What `benchmarks.next_claims` found, as a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

ORDERS = ("random", "uncertain", "labelled-only", "information", "next")
AFTER = (10, 20, 30, 60)


class Outcome(NamedTuple):
    """One replication.

    Attributes:
        right: By order and number of labels, whether the decision is that of all labels.
        before: The same before any hidden claim is labelled.
        width: By order, width of the interval of leader minus runner-up after 30 labels.
        lean: By order, over-credit and kappa of the leader after 30 labels minus those of all.
        expected: Probability of being right, before and after 30 labels by `next` and at random.
        bits: Log loss of the labels of hidden claims: as predicted, and from label shares alone.
    """

    right: dict[tuple[str, int], bool]
    before: bool
    width: dict[str, float]
    lean: dict[str, tuple[float, float]]
    expected: tuple[float, float, float]
    bits: tuple[float, float]


class Row(NamedTuple):
    """One bench under one setting."""

    bench: str
    setting: str
    candidates: int
    claims: int
    found: list[Outcome]


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Mean, and half the width of its 95 % interval over replications."""
    known = np.asarray(values, np.float64)
    known = known[np.isfinite(known)]
    if len(known) < 2:
        return np.nan, np.nan
    return float(known.mean()), float(1.96 * known.std(ddof=1) / np.sqrt(len(known)))


def against_random(row: Row, name: str, k: int) -> tuple[float, float]:
    """Share right of an order minus that of the random one, in points, paired."""
    return mean_and_error(
        [
            100.0 * (o.right[name, k] - o.right["random", k])
            for o in row.found
            if (name, k) in o.right
        ]
    )


def page(found: Sequence[Row], hidden: float, took_s: float) -> str:
    """`next_claims.md`."""
    n, fewer = len(found[0].found), len(found[-1].found)
    lines = [
        "# Which claims to label next",
        "",
        "Written by `python -m benchmarks.next_claims --write`; do not edit. Recorded verdicts are "
        f"replayed, labels and slices of about {100 * hidden:.0f} % of the claims hidden by "
        f"context; {n} replications a row of experiment 001 (158 claims of the dev split), {fewer} "
        "of 002 (about 60 claims of a public set, labelled by people). *Right*: after k labels, "
        "who comes first and whether it is safe are as with all labels.",
        "",
        "- *random*: by lot. *uncertain*: entropy of all candidates' verdicts. *labelled-only*: "
        "information about the decision in worlds of labelled claims alone. *information*: about "
        "that of all labels. *next*: what `gold next` gives, the same with every third for cover.",
        "- Differences are to *random* in the same replications, in points, with 95 % intervals "
        "over replications. They say how sure the figures are of these sets, not of others.",
        "- Bold: the interval leaves 0 out.",
        "",
        *_words(found),
        "",
        *(line for k in AFTER for line in _right_table(found, k)),
        *_beside_table(found),
        "",
        f"{took_s:.0f} s of CPU.",
    ]
    return "\n".join(lines) + "\n"


def _right_table(found: Sequence[Row], k: int) -> Iterator[str]:
    yield f"## Right after {k} labels, in %"
    yield ""
    yield "| set, candidates | decided by | before | " + " | ".join(ORDERS) + " |"
    yield "|---" * (len(ORDERS) + 3) + "|"
    for row in found:
        if all(("random", k) not in o.right for o in row.found):
            continue
        cells = [f"{row.bench}, {row.candidates}", row.setting]
        cells.append(f"{100 * np.mean([o.before for o in row.found]):.0f}")
        for name in ORDERS:
            right = [o.right[name, k] for o in row.found if (name, k) in o.right]
            gain, error = against_random(row, name, k)
            mark = "**" if abs(gain) > error else ""
            told = "" if name == "random" else f" ({mark}{gain:+.0f} ± {error:.0f}{mark})"
            cells.append(f"{100 * np.mean(right):.0f}{told}")
        yield "| " + " | ".join(cells) + " |"
    yield ""


def _beside_table(found: Sequence[Row]) -> Iterator[str]:
    yield "## After 30 labels"
    yield ""
    yield (
        "*Width*: of the 95 % interval of leader minus runner-up, the two of all labels, over that "
        "of *random*. *Leans*: over-credit and kappa of that leader minus those of all labels. "
        "*Expected*: P(right) by the worlds before, after *next* and after *random*, beside the "
        "share that was. *Log loss*: bits a hidden label, as predicted and by label shares alone."
    )
    yield ""
    heads = ["set, candidates", "decided by"]
    heads += [f"width {name}" for name in ORDERS[1:]]
    heads += [f"leans {name}" for name in ("random", "uncertain", "next")]
    heads += ["expected / right: before", "next", "random", "log loss"]
    yield "| " + " | ".join(heads) + " |"
    yield "|---" * len(heads) + "|"
    for row in found:
        cells = [f"{row.bench}, {row.candidates}", row.setting]
        base = mean_and_error([o.width["random"] for o in row.found])[0]
        cells += [
            f"{mean_and_error([o.width[name] for o in row.found])[0] / base:.2f}"
            for name in ORDERS[1:]
        ]
        for name in ("random", "uncertain", "next"):
            over, kappa = (mean_and_error([o.lean[name][i] for o in row.found])[0] for i in (0, 1))
            cells.append(f"{over:+.3f}, {kappa:+.3f}")
        cells.append(_expected(row, 0, [o.before for o in row.found]))
        for place, name in ((1, "next"), (2, "random")):
            cells.append(_expected(row, place, [o.right.get((name, 30)) for o in row.found]))
        told, alone = (float(np.mean([o.bits[i] for o in row.found])) for i in (0, 1))
        cells.append(f"{told:.2f}, {alone:.2f}")
        yield "| " + " | ".join(cells) + " |"


def _expected(row: Row, place: int, right: Sequence[bool | None]) -> str:
    known = [value for value in right if value is not None]
    if not known:
        return ""
    return f"{np.mean([o.expected[place] for o in row.found]):.2f} / {np.mean(known):.2f}"


def _words(found: Sequence[Row]) -> Iterator[str]:
    """In words: in how many rows an order is better or worse than random."""
    for name in ORDERS[1:]:
        told = []
        for k in AFTER:
            gaps = [against_random(row, name, k) for row in found]
            gaps = [gap for gap in gaps if np.isfinite(gap[0])]
            better = sum(gain > error for gain, error in gaps)
            worse = sum(gain < -error for gain, error in gaps)
            mean = np.mean([gain for gain, _ in gaps])
            told.append(
                f"after {k} better in {better} and worse in {worse} of {len(gaps)} rows "
                f"(mean {mean:+.1f})"
            )
        yield f"- *{name}* against random: " + "; ".join(told) + "."
