"""metajudge: measure, choose and freeze the verdict template of an LLM faithfulness judge.

Public names are resolved when they are first used, so that importing the package stays cheap.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from metajudge.errors import InputError, MetajudgeError, Problem
    from metajudge.experiment import Experiment, SweepOutcome
    from metajudge.gold.goldset import GoldSet, load_goldset
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
    "Results": "metajudge.report.results",
    "SweepOutcome": "metajudge.experiment",
    "Template": "metajudge.templates.template",
    "catalogue": "metajudge.templates.catalogue",
    "load_goldset": "metajudge.gold.goldset",
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
    "Results",
    "SweepOutcome",
    "Template",
    "__version__",
    "catalogue",
    "load_goldset",
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
