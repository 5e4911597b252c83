"""G10: bytes a verdict, and resident memory with 500,000 of them and litellm loaded."""

from __future__ import annotations

import itertools
from pathlib import Path

from benchmarks.goal import Row, judged
from benchmarks.meter import peak_mb
from benchmarks.process import Figures, fresh

VERDICTS = 500_000
TRIALS = 50


def tables(verdicts: int, with_litellm: bool) -> Figures:
    """Verdicts as the project keeps them: a table of columns for each of 50 trials."""
    from metajudge.judges.chat import import_litellm
    from metajudge.verdicts.table import VerdictTable
    from metajudge.verdicts.verdict import LabelProbabilities, Verdict

    if with_litellm:
        import_litellm(None)
    before = resident_mb()
    kinds = [
        Verdict("yes", probabilities=LabelProbabilities(0.7, 0.1, 0.2), label_mass=0.99),
        Verdict("no"),
        Verdict("idk", reason="The context does not say."),
        Verdict(None, "unparsable", detail="prose"),
    ]
    claims = verdicts // TRIALS
    kept = []
    for _ in range(TRIALS):
        said = itertools.cycle(kinds)
        kept.append(VerdictTable.from_rows((claim, 0, next(said)) for claim in range(claims)))
    rows = sum(len(table) for table in kept)
    return {
        "verdicts": rows,
        "bytes_each": sum(table.nbytes for table in kept) / rows,
        "before_mb": before,
        "peak_mb": peak_mb(),
    }


def objects(verdicts: int) -> Figures:
    """The same as pydantic objects, the usual way to keep them."""
    from pydantic import BaseModel

    class Kept(BaseModel):
        candidate: int
        claim: int
        repeat: int
        label: int
        probabilities: tuple[float, float, float] | None
        label_mass: float | None

    before = resident_mb()
    kept = [
        Kept(
            candidate=n % TRIALS,
            claim=n // TRIALS,
            repeat=0,
            label=n % 3,
            probabilities=(0.7, 0.1, 0.2) if n % 4 == 0 else None,
            label_mass=0.99 if n % 4 == 0 else None,
        )
        for n in range(verdicts)
    ]
    grown = resident_mb() - before
    return {"bytes_each": grown * 2**20 / len(kept), "peak_mb": peak_mb()}


def resident_mb() -> float:
    """Resident memory now in MB; the highest so far where the system does not tell."""
    status = Path("/proc/self/statm")
    if not status.exists():
        return peak_mb()
    return int(status.read_text().split()[1]) * 4096 / 2**20


def measure(scale: float = 1.0, repeats: int = 1) -> list[Row]:
    """Row of G10."""
    verdicts = max(5000, int(VERDICTS * scale))
    ours = fresh("memory:tables", verdicts=verdicts, with_litellm=True)
    alone = fresh("memory:tables", verdicts=verdicts, with_litellm=False)
    peer = fresh("memory:objects", verdicts=verdicts)
    return [
        judged(
            f"G10: <= 64 bytes a verdict in tables; <= 250 MB resident for {ours['verdicts']:,} "
            "verdicts with litellm loaded",
            f"{ours['bytes_each']:.0f} bytes a verdict; {ours['peak_mb']:.0f} MB at most, "
            f"{alone['peak_mb']:.0f} MB without litellm",
            f"litellm loaded, no verdict: {ours['before_mb']:.0f} MB; pydantic objects: "
            f"{peer['bytes_each']:.0f} bytes a verdict, {peer['peak_mb']:.0f} MB",
            ours["bytes_each"] <= 64 and ours["peak_mb"] <= 250,
            f"litellm alone takes {ours['before_mb']:.0f} MB",
        )
    ]
