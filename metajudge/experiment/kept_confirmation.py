"""A confirmation outlives the results file that it stands in, which every sweep writes anew."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from metajudge.errors import InputError
from metajudge.report.results import Results
from metajudge.report.results_file import read_results
from metajudge.report.selection_results import Confirmation


class Kept(NamedTuple):
    """New results beside those that they are written over.

    Attributes:
        results: The new ones, with the confirmation where it still holds of them.
        lost: The confirmation where it does not; None where nothing is lost.
    """

    results: Results
    lost: Confirmation | None


def keep_confirmation(results: Results, place: Path) -> Kept:
    """Carries the confirmation of a results file over into the results that take its place.

    It is kept where the experiment, the dev labels and the templates of the confirmed trial and
    of its baseline are what they were. Results with a confirmation of their own stay as they are.

    Args:
        results: What is about to be written.
        place: The file; it may be missing or faulty, then there is nothing to keep.
    """
    selection = results.selection
    if selection is not None and selection.confirmation is not None:
        return Kept(results, None)
    before = _readable(place)
    found = None if before is None or before.selection is None else before.selection.confirmation
    if before is None or found is None:
        return Kept(results, None)
    if selection is None or not _same(before, results, found):
        return Kept(results, found)
    told = selection.model_copy(update={"confirmation": found})
    return Kept(results.model_copy(update={"selection": told}), None)


def _readable(place: Path) -> Results | None:
    try:
        return read_results(place)
    except InputError:
        return None


def _same(before: Results, now: Results, found: Confirmation) -> bool:
    return (before.config_sha256, before.gold.sha256) == (now.config_sha256, now.gold.sha256) and (
        all(
            _fingerprints(before, trial) == _fingerprints(now, trial)
            for trial in (found.trial, found.baseline)
        )
    )


def _fingerprints(results: Results, trial: str) -> set[str]:
    return {
        template.fingerprint
        for row in results.trials
        if row.trial == trial
        for template in row.templates
    }
