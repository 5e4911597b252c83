"""The public names, pinned; and what importing them costs."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys

import pytest

import metajudge

PUBLIC = [
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
HEAVY = (
    "aiohttp",
    "asyncio",
    "datasets",
    "deepeval",
    "dspy",
    "jinja2",
    "litellm",
    "numpy",
    "optuna",
    "pandas",
    "plotly",
    "pyarrow",
    "pydantic",
    "ragas",
    "scipy",
    "sklearn",
    "sqlalchemy",
    "xllamacpp",
)


def test_the_public_names_are_these() -> None:
    assert metajudge.__all__ == PUBLIC
    assert dir(metajudge) == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_resolves(name: str) -> None:
    assert getattr(metajudge, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Judgement'"):
        metajudge.Judgement  # noqa: B018


def test_b62_importing_loads_nothing_heavy_and_opens_no_socket() -> None:
    script = (
        "import json, socket, sys\n"
        "def refuse(*_): raise SystemExit('a socket was opened')\n"
        "socket.socket.connect = refuse\n"
        "import metajudge\n"
        f"print(json.dumps([m for m in {HEAVY!r} if m in sys.modules]))"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=300
    )
    assert json.loads(found.stdout) == []


@pytest.mark.parametrize(
    ("where", "name", "near"),
    [
        ("evaluate", "polices", "policies"),
        ("self-check", "dedline_s", "deadline_s"),
        ("gate", "offlin", "offline"),
        ("judge", "recording", "recordings"),
        ("judge_async", "treshold", "threshold"),
    ],
)
def test_a_setting_that_there_is_not_is_told_with_the_nearest(where, name, near):
    release = metajudge.load_release("faithfulness-verdict@1")
    calls = {
        "evaluate": lambda **given: metajudge.evaluate([], ["faithfulness"], **given),
        "self-check": lambda **given: metajudge.SelfCheck(release, **given),
        "gate": lambda **given: metajudge.run_gate("suite.yaml", **given),
        "judge": lambda **given: release.judge([], **given),
        "judge_async": lambda **given: asyncio.run(release.judge_async([], **given)),
    }
    with pytest.raises(metajudge.InputError, match=f"Did you mean '{near}'") as caught:
        calls[where](**{name: 1})
    assert caught.value.problems[0].field == name
