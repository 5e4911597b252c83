"""Verdicts of a sweep as the labelling page shows them: of claims whose labels are not sealed."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from metajudge.cli.measured import RESULTS
from metajudge.cli.output import inert, tell
from metajudge.counted import counted
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
        InputError: There is no such run, its results cannot be read, they are of another gold set,
            or they have no such trial.
    """
    from metajudge.report.results_file import read_results

    place = disagreements or shown
    if place is None:
        return sitting
    file = _file_of(place)
    results = read_results(file)
    _check_gold(results, gold, file)
    verdicts, left_out = _verdicts(results, _rows(results, trials, file), gold)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    source = f"{results.name} {digest}"
    work = "review" if disagreements is not None else sitting.work
    return replace(sitting, work=work, verdicts=verdicts, source=source, left_out=left_out)


def _file_of(place: Path) -> Path:
    """The results file of a run."""
    file = place / RESULTS if place.is_dir() else place
    if not file.exists():
        law = f"there is no {RESULTS} in it" if place.is_dir() else "no such run"
        raise InputError(Problem(str(place), law, "`metajudge sweep EXPERIMENT` makes one."))
    return file


def _check_gold(results: Results, gold: GoldFolder, file: Path) -> None:
    """Refuses a run on another gold set, and tells of one on another version of this set."""
    from metajudge.gold.goldset import load_goldset

    used, name = results.gold, gold.base.manifest.name
    known = (gold.claims.get(key.claim_id) for key in results.claims)
    pairs = zip(results.claims, known, strict=True)
    of_set = sum(own is not None and own.context_id == key.context_id for key, own in pairs)
    if used.name != name or not of_set:
        law = f"a run on this gold set, {name}, and on its claims"
        got = f"a run on the gold set {used.name} {used.version}"
        raise InputError(Problem(str(file), law, "Name a run on this set.", got=got))
    version = load_goldset(gold.path).manifest.version
    if used.version != version:
        was, now = inert(used.version), inert(version)
        tell(f"the run was made on {inert(name)} {was}; this is {inert(name)} {now}.")
    if of_set < len(results.claims):
        out = len(results.claims) - of_set
        tell(
            f"{out} of the {counted(len(results.claims), 'claims')} of the run "
            f"{'is' if out == 1 else 'are'} not in the set any more."
        )


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
        law, mend = "these results have no such trial", "Give a name or row as the report has them."
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
            if verdict == "failure" or known is None or known.context_id != claim.context_id:
                continue
            if gold.base.split_of(known) == "test":
                left_out += 1
                continue
            reason = given.reasons.get(claim.claim_id)
            found[claim.claim_id].append(ShownVerdict(claim.claim_id, name, verdict, reason))
    return {claim_id: tuple(shown) for claim_id, shown in found.items()}, left_out
