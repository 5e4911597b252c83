"""Tabs of the HTML report and the sections in them; what has nothing to show is left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from metajudge.report.ranked import RankedTrial, calibrated_rows
from metajudge.report.results import Results

TABS = (
    (
        "overview",
        (
            ("decision", "decision"),
            ("ranking", "ranking"),
            ("scatter", "scatter_short"),
            ("confusions", "confusions"),
            ("slices", "slices"),
            ("languages", "languages"),
            ("policies", "policies"),
        ),
    ),
    (
        "selection",
        (
            ("front", "pareto"),
            ("rejected", "rejected"),
            ("optimism", "optimism"),
            ("comparisons", "comparisons"),
            ("confirmation", "confirmation"),
            ("power", "power_short"),
        ),
    ),
    (
        "stability",
        (
            ("flips", "flips_short"),
            ("shares", "shares"),
            ("levels", "levels"),
            ("scores-over-runs", "scores_over_runs"),
            ("template-tau", "template_tau_short"),
            ("most-flipping", "most_flipping"),
            ("controls", "controls"),
            ("factors", "factors_short"),
        ),
    ),
    ("calibration", (("reliability", "reliability"), ("calibration-table", "calibration_table"))),
    ("people", (("ceiling", "ceiling"),)),
    ("changes", (("changes", "changes"),)),
    ("claims", (("browser", "browser"),)),
    (
        "details",
        (
            ("rotations", "rotations"),
            ("priors", "priors"),
            ("failures", "failures"),
            ("figures", "all_figures"),
            ("provenance", "provenance"),
        ),
    ),
)
"""Tabs and their sections, in the order of the page."""


class Tab(NamedTuple):
    """A part of the page: its name, and the sections in it as (anchor, key of the heading)."""

    name: str
    sections: tuple[tuple[str, str], ...]


def tabs(results: Results, rows: Sequence[RankedTrial]) -> tuple[Tab, ...]:
    """The tabs that have something to show, with the sections that they have."""
    trials = [row.figures for row in rows]
    selection, moved = results.selection is not None, results.stability
    beside = has_stability(results)
    wanted = {
        "languages": len({name for trial in trials for name in trial.language_figures}) > 1,
        "policies": any(trial.policies for trial in trials),
        "rotations": any(trial.rotations for trial in trials),
        "priors": any(trial.prior for trial in trials),
        "power": results.power is not None,
        "flips": beside,
        "controls": beside,
        "factors": beside,
        "ceiling": results.ceiling is not None,
        **dict.fromkeys(("reliability", "calibration-table"), bool(calibrated_rows(results, rows))),
        **dict.fromkeys(("front", "rejected", "optimism", "comparisons"), selection),
        "confirmation": selection,
        **dict.fromkeys(("shares", "levels", "template-tau", "most-flipping"), bool(moved)),
        "scores-over-runs": any(axis.score_sd for axis in moved.axes) if moved else False,
    }
    found = (
        Tab(name, tuple(pair for pair in sections if wanted.get(pair[0], True)))
        for name, sections in TABS
    )
    return tuple(tab for tab in found if tab.sections)


def has_stability(results: Results) -> bool:
    """Whether perturbations, negative controls or factors were measured."""
    return any(part is not None for part in (results.stability, results.controls, results.factors))
