"""The power of a gold set from a results file: nothing is asked, and no sweep is needed again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metajudge.errors import InputError, Problem
from metajudge.experiment.from_results import measurer_of
from metajudge.experiment.run_pair import find_candidate
from metajudge.experiment.selection_part import power_results
from metajudge.gold.validation import suggest
from metajudge.report.results import Results
from metajudge.report.selection_results import PowerResults
from metajudge.selection.power import FIGURES, STATED

LEAST_CHURN = 0.02
"""Share of verdicts taken to change without a reason where none was seen to."""


def asked_power(
    results: Results,
    *,
    trial: str | None = None,
    difference: float | None = None,
    figures: Sequence[str] = (),
    slices: Sequence[str] = (),
    n_worlds: int = 200,
) -> PowerResults:
    """What differences the claims of a run can show, drawn from one candidate's verdicts.

    Of several draws the first counts: results files hold no other.

    Args:
        results: The run.
        trial: `trial` or `trial (reading)`; None is the baseline, or the winner without one.
        difference: What labels are counted for; None takes the usual size of each figure.
        figures: Those wanted, of kappa, summary_as_idk, over_credit; none takes all.
        slices: Slices for which labels are counted; none takes all that there are.
        n_worlds: Worlds simulated a step; the power's own error is at most 0.5 / sqrt(n_worlds).

    Raises:
        InputError: There is no such trial, figure or slice, or no verdict at all.
    """
    wanted = _known("figure", [name.replace("-", "_") for name in figures], FIGURES) or FIGURES
    stated = {name: difference or STATED[name] for name in wanted}
    key = find_candidate(results, trial or _usual(results))
    row = next(row for row in results.verdicts if (row.trial, row.reading) == tuple(key))
    found = power_results(
        measurer_of(results, results.claims, [(key, row.verdicts)]),
        0,
        np.random.default_rng([results.seed, 2]),
        stated=stated,
        n_worlds=n_worlds,
        churn=_churn(results, key.trial),
    )
    there = tuple(dict.fromkeys(row.slice for row in found.needed))
    kept = _known("slice", slices, there) or there
    return found.model_copy(
        update={
            "detectable": tuple(row for row in found.detectable if row.figure in wanted),
            "needed": tuple(row for row in found.needed if row.slice in kept),
        }
    )


def with_power(results: Results, n_worlds: int = 100) -> Results:
    """Results with the power of their gold set, for reports; unchanged without verdicts."""
    if not results.verdicts or not results.claims:
        return results
    return results.model_copy(update={"power": asked_power(results, n_worlds=n_worlds)})


def _usual(results: Results) -> str | None:
    trials = {row.trial for row in results.verdicts}
    return results.baseline if results.baseline in trials else None


def _known(what: str, names: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    problems = [
        Problem(
            "command line",
            f"a {what} is one of {', '.join(known)}",
            suggest(name, known),
            field=f"--{what}",
            got=repr(name),
        )
        for name in names
        if name not in known
    ]
    if problems:
        raise InputError(problems)
    return tuple(names)


def _churn(results: Results, trial: str) -> float:
    """Verdicts that change without a reason: the flip rate over repeats where it was measured."""
    rates = {} if results.stability is None else results.stability.flip_rates
    measured = rates[trial].value if trial in rates else None
    return max(measured or 0.0, LEAST_CHURN)
