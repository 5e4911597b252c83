"""Fresh processes for what is measured: one function each, pinned to a core where there are two.

A child runs one function of a benchmark module and writes its figures as one line of JSON, so that
no import, cache or peak memory of one measurement enters another. Judge server and client get a
core each.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
MARK = "FIGURES "
QUIET = {
    "OPENAI_API_KEY": "none",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "DEEPEVAL_NO_INSPECT_PROMPT": "1",
    "RAGAS_DO_NOT_TRACK": "true",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "NO_PROXY": "127.0.0.1,localhost",
    "no_proxy": "127.0.0.1,localhost",
}

Figures = dict[str, Any]


class MeasurementError(Exception):
    """A child ended without figures; the last lines that it wrote are the message."""


@dataclass(frozen=True, slots=True)
class Cores:
    """Cores for the two sides; equal where the machine has one only."""

    server: frozenset[int]
    client: frozenset[int]
    both: frozenset[int]


@cache
def cores() -> Cores:
    """The cores of this process, dealt to server and client."""
    if not hasattr(os, "sched_getaffinity"):
        return Cores(frozenset(), frozenset(), frozenset())
    mine = sorted(os.sched_getaffinity(0))
    server, client = (mine[0], mine[1]) if len(mine) > 1 else (mine[0], mine[0])
    return Cores(frozenset({server}), frozenset({client}), frozenset(mine))


@contextmanager
def placed(where: frozenset[int]) -> Iterator[None]:
    """Processes started inside the block get these cores; none where cores cannot be chosen."""
    if not where:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, where)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def fresh(
    function: str,
    /,
    *,
    on: frozenset[int] | None = None,
    timeout_s: float = 240.0,
    **arguments: Any,
) -> Figures:
    """Figures of `module:function` of this folder, called in a process of its own.

    Raises:
        MeasurementError: The child failed or took longer than `timeout_s`.
    """
    module, _, name = function.partition(":")
    # Frameworks leave files in the working folder and in the home folder.
    with tempfile.TemporaryDirectory(prefix="metajudge-bench-") as folder:
        command = [sys.executable, "-m", "benchmarks.process", module, name, json.dumps(arguments)]
        environment = {**os.environ, **QUIET, "PYTHONPATH": str(ROOT), "DSPY_CACHEDIR": folder}
        try:
            with placed(cores().client if on is None else on):
                child = subprocess.run(
                    command,
                    capture_output=True,
                    text=True,
                    timeout=timeout_s,
                    cwd=folder,
                    env=environment,
                    check=False,
                )
        except subprocess.TimeoutExpired:
            raise MeasurementError(f"{function} took longer than {timeout_s:g} s") from None
    for line in child.stdout.splitlines():
        if line.startswith(MARK):
            figures: Figures = json.loads(line.removeprefix(MARK))
            return figures
    said = (child.stderr or child.stdout).strip().splitlines()[-3:]
    raise MeasurementError(f"{function} gave no figures: {' / '.join(said)}")


@contextmanager
def judge_server(latency_ms: float, calls_per_s: float | None = None) -> Iterator[str]:
    """A judge server in a process of its own on the server's core; gives its `api_base`."""
    command = [sys.executable, "-m", "benchmarks.judge_server", "--latency-ms", str(latency_ms)]
    if calls_per_s is not None:
        command += ["--calls-per-s", str(calls_per_s)]
    with placed(cores().server):
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
    finally:
        server.terminate()
        server.wait(10)


def server_stats(api_base: str, path: str = "stats") -> dict[str, float]:
    """Counters of a judge server."""
    address = api_base.removesuffix("/v1") + f"/{path}"
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(address, timeout=10) as answer:
        found: dict[str, float] = json.loads(answer.read())
        return found


def _child(arguments: Sequence[str]) -> None:
    from importlib import import_module

    module, name, passed = arguments
    function = getattr(import_module(f"benchmarks.{module}"), name)
    figures = function(**json.loads(passed))
    print(MARK + json.dumps(figures), flush=True)
    # Some frameworks leave threads and open sessions behind that would hold the process.
    os._exit(0)


if __name__ == "__main__":
    _child(sys.argv[1:])
