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
    from metajudge.experiment.optimising.optimise import run_optimiser
    from metajudge.experiment.racing.results import race_declared
    from metajudge.experiment.searching.search import search
    from metajudge.gold.goldset import GoldSet, load_goldset
    from metajudge.metrics.cascade.fit import fit_cascade
    from metajudge.metrics.cascade.run import run_cascade, run_cascade_async
    from metajudge.metrics.diagnosis.diagnose import diagnose
    from metajudge.metrics.evaluate import evaluate, evaluate_async
    from metajudge.metrics.evaluation import Evaluation
    from metajudge.metrics.gate.asserting import assert_faithful, assert_faithful_async
    from metajudge.metrics.gate.gate import run_gate
    from metajudge.metrics.monitor.report import monitor_report
    from metajudge.metrics.selfcheck.checker import SelfCheck
    from metajudge.release.bundle import Release, load_release
    from metajudge.release.consult import consult
    from metajudge.report.results import Results
    from metajudge.report.results_file import read_results
    from metajudge.scoring.policies import parse_policy
    from metajudge.selection.optimise.spec import Optimiser
    from metajudge.templates.catalogue import catalogue, read_template
    from metajudge.templates.template import Template

_HOMES = {
    "Evaluation": "metajudge.metrics.evaluation",
    "Experiment": "metajudge.experiment",
    "GoldSet": "metajudge.gold.goldset",
    "InputError": "metajudge.errors",
    "MetajudgeError": "metajudge.errors",
    "Optimiser": "metajudge.selection.optimise.spec",
    "Problem": "metajudge.errors",
    "Release": "metajudge.release.bundle",
    "Results": "metajudge.report.results",
    "SelfCheck": "metajudge.metrics.selfcheck.checker",
    "SweepOutcome": "metajudge.experiment",
    "Template": "metajudge.templates.template",
    "assert_faithful": "metajudge.metrics.gate.asserting",
    "assert_faithful_async": "metajudge.metrics.gate.asserting",
    "catalogue": "metajudge.templates.catalogue",
    "consult": "metajudge.release.consult",
    "diagnose": "metajudge.metrics.diagnosis.diagnose",
    "evaluate": "metajudge.metrics.evaluate",
    "evaluate_async": "metajudge.metrics.evaluate",
    "fit_cascade": "metajudge.metrics.cascade.fit",
    "load_goldset": "metajudge.gold.goldset",
    "load_release": "metajudge.release.bundle",
    "monitor_report": "metajudge.metrics.monitor.report",
    "parse_policy": "metajudge.scoring.policies",
    "race_declared": "metajudge.experiment.racing.results",
    "read_results": "metajudge.report.results_file",
    "read_template": "metajudge.templates.catalogue",
    "run_cascade": "metajudge.metrics.cascade.run",
    "run_cascade_async": "metajudge.metrics.cascade.run",
    "run_gate": "metajudge.metrics.gate.gate",
    "run_optimiser": "metajudge.experiment.optimising.optimise",
    "search": "metajudge.experiment.searching.search",
}

__all__ = [
    "Evaluation",
    "Experiment",
    "GoldSet",
    "InputError",
    "MetajudgeError",
    "Optimiser",
    "Problem",
    "Release",
    "Results",
    "SelfCheck",
    "SweepOutcome",
    "Template",
    "__version__",
    "assert_faithful",
    "assert_faithful_async",
    "catalogue",
    "consult",
    "diagnose",
    "evaluate",
    "evaluate_async",
    "fit_cascade",
    "load_goldset",
    "load_release",
    "monitor_report",
    "parse_policy",
    "race_declared",
    "read_results",
    "read_template",
    "run_cascade",
    "run_cascade_async",
    "run_gate",
    "run_optimiser",
    "search",
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
