"""Verdicts of a sweep as the labelling page shows them: of claims whose labels are not sealed."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from metajudge.cli.measured import RESULTS
from metajudge.errors import InputError, Problem

if TYPE_CHECKING:
    from metajudge.labelling.folder import GoldFolder
    from metajudge.labelling.sitting import ShownVerdict, Sitting
    from metajudge.report.ranked import RankedTrial
    from metajudge.report.results import Results


def with_verdicts(
    sitting: Sitting,
    gold: GoldFolder,
    disagreements: Path | None,
    shown: Path | None,
    trials: Sequence[str] | None,
) -> Sitting:
    """The sitting with the verdicts of a sweep, to be looked at or to be shown after a label.

    Args:
        sitting: What the annotator sat down to do.
        gold: The gold folder.
        disagreements: A run whose verdicts are looked at; None for none.
        shown: A run whose verdicts are shown after a label; None for none.
        trials: Names or rows of its trials; None takes the winner, or else the first row.

    Raises:
        InputError: The results cannot be read, or have no such trial or none of the set's claims.
    """
    from metajudge.report.results_file import read_results

    place = disagreements or shown
    if place is None:
        return sitting
    file = place / RESULTS if place.is_dir() else place
    results = read_results(file)
    verdicts, left_out = _verdicts(results, _rows(results, trials, file), gold)
    if not verdicts and not left_out:
        law, mend = "its claims are those of the gold set", "Name a sweep on this set."
        raise InputError(Problem(str(file), law, mend))
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    source = f"{results.name} {digest}"
    work = "review" if disagreements is not None else sitting.work
    return replace(sitting, work=work, verdicts=verdicts, source=source, left_out=left_out)


def _rows(results: Results, trials: Sequence[str] | None, file: Path) -> list[RankedTrial]:
    from metajudge.report.ranked import ranked_trials, winner_row

    rows = [row for row in ranked_trials(results) if row.verdicts is not None]
    if not rows:
        law, mend = "the results hold no verdicts", "Make them again with `metajudge sweep`."
        raise InputError(Problem(str(file), law, mend))
    if not trials:
        return [winner_row(results, rows) or rows[0]]
    chosen = [row for row in rows if row.trial in trials or str(row.row) in trials]
    known = {name for row in chosen for name in (row.trial, str(row.row))}
    unknown = [name for name in trials if name not in known]
    if unknown:
        law, mend = "a trial of these results", "Give a name or row as the report has them."
        raise InputError(
            Problem(str(file), law, mend, field="--trial", got=repr(name)) for name in unknown
        )
    return chosen


def _verdicts(
    results: Results, rows: Sequence[RankedTrial], gold: GoldFolder
) -> tuple[dict[str, tuple[ShownVerdict, ...]], int]:
    """Verdicts with a label by claim, and how many of sealed claims were left out."""
    from metajudge.labelling.sitting import ShownVerdict

    found: dict[str, list[ShownVerdict]] = defaultdict(list)
    left_out = 0
    several = len({row.trial for row in rows}) < len(rows)
    for row in rows:
        given = row.verdicts
        assert given is not None
        name = f"{row.trial} ({row.reading})" if several else row.trial
        for claim, verdict in zip(results.claims, given.verdicts, strict=True):
            known = gold.claims.get(claim.claim_id)
            if verdict == "failure" or known is None:
                continue
            if gold.base.split_of(known) == "test":
                left_out += 1
                continue
            reason = given.reasons.get(claim.claim_id)
            found[claim.claim_id].append(ShownVerdict(claim.claim_id, name, verdict, reason))
    return {claim_id: tuple(shown) for claim_id, shown in found.items()}, left_out
