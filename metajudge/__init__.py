"""metajudge: measure, choose and freeze the verdict template of an LLM faithfulness judge.

Public names are resolved when they are first used, so that importing the package stays cheap.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from metajudge.version import __version__

if TYPE_CHECKING:
    from metajudge.errors import InputError, MetajudgeError, Problem
    from metajudge.experiment import Experiment, SweepOutcome
    from metajudge.gold.goldset import GoldSet, load_goldset
    from metajudge.release.bundle import Release, load_release
    from metajudge.release.consult import consult
    from metajudge.report.results import Results
    from metajudge.report.results_file import read_results
    from metajudge.scoring.policies import parse_policy
    from metajudge.templates.catalogue import catalogue, read_template
    from metajudge.templates.template import Template

_HOMES = {
    "Experiment": "metajudge.experiment",
    "GoldSet": "metajudge.gold.goldset",
    "InputError": "metajudge.errors",
    "MetajudgeError": "metajudge.errors",
    "Problem": "metajudge.errors",
    "Release": "metajudge.release.bundle",
    "Results": "metajudge.report.results",
    "SweepOutcome": "metajudge.experiment",
    "Template": "metajudge.templates.template",
    "catalogue": "metajudge.templates.catalogue",
    "consult": "metajudge.release.consult",
    "load_goldset": "metajudge.gold.goldset",
    "load_release": "metajudge.release.bundle",
    "parse_policy": "metajudge.scoring.policies",
    "read_results": "metajudge.report.results_file",
    "read_template": "metajudge.templates.catalogue",
}

__all__ = [
    "Experiment",
    "GoldSet",
    "InputError",
    "MetajudgeError",
    "Problem",
    "Release",
    "Results",
    "SweepOutcome",
    "Template",
    "__version__",
    "catalogue",
    "consult",
    "load_goldset",
    "load_release",
    "parse_policy",
    "read_results",
    "read_template",
]


def __getattr__(name: str) -> Any:
    """Resolve a public name from its room."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'metajudge' has no attribute {name!r}")
    return getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    """Public names."""
    return sorted(__all__)
