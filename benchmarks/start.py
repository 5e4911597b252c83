"""G11: what importing the package and printing `--help` cost, in fresh interpreters."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from importlib.util import find_spec

from benchmarks.goal import Row, judged, skipped
from benchmarks.process import QUIET, ROOT, cores, placed

HEAVY = (
    "aiohttp",
    "datasets",
    "deepeval",
    "dspy",
    "litellm",
    "optuna",
    "pandas",
    "plotly",
    "pyarrow",
    "ragas",
    "scipy",
    "sklearn",
    "sqlalchemy",
    "xllamacpp",
)
PEERS = ("deepeval", "ragas", "litellm")
IMPORT = """
import sys, time
before, begun = len(sys.modules), time.perf_counter()
{statement}
took = time.perf_counter() - begun
heavy = ",".join(name for name in {heavy!r} if name in sys.modules) or "-"
modules = len(sys.modules) - before
from benchmarks.meter import peak_mb
print("FOUND", took, modules, peak_mb(), heavy)
"""
HELP = """
import atexit, sys
sys.argv = ["metajudge", "--help"]
heavy = {heavy!r}
atexit.register(lambda: print("FOUND", ",".join(n for n in heavy if n in sys.modules) or "-"))
from metajudge.cli import main
main()
"""


def imported(statement: str, times: int = 5) -> tuple[float, int, float, str]:
    """Best wall in s, modules, highest memory in MB and heavy libraries of an import."""
    code = IMPORT.format(statement=statement, heavy=HEAVY)
    _run([sys.executable, "-c", code])
    rows = [_found(_run([sys.executable, "-c", code])) for _ in range(times)]
    took = min(float(row[0]) for row in rows)
    return took, int(rows[0][1]), max(float(row[2]) for row in rows), rows[0][3]


def help_page(times: int = 7) -> tuple[float, str]:
    """Best wall in s of `metajudge --help` from outside, and the heavy libraries it loads."""
    command = [sys.executable, "-c", "from metajudge.cli import main; main()", "--help"]
    heavy = _found(_run([sys.executable, "-c", HELP.format(heavy=HEAVY)]))[0]
    return min(_wall_s(command) for _ in range(times)), heavy


def _wall_s(command: list[str]) -> float:
    begun = time.perf_counter()
    _run(command)
    return time.perf_counter() - begun


def _run(command: list[str]) -> str:
    with placed(cores().client):
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
            cwd=ROOT,
            env={**os.environ, **QUIET, "PYTHONWARNINGS": "ignore"},
        )
    return done.stdout


def _found(text: str) -> list[str]:
    return next(line.split()[1:] for line in text.splitlines() if line.startswith("FOUND"))


def measure(scale: float = 1.0, repeats: int = 5) -> list[Row]:
    """Rows of G11."""
    peers = ", ".join(_peer(name) for name in PEERS)
    rows = [_import_row("import metajudge", peers)]
    took, modules, memory, heavy = imported("from metajudge import Experiment")
    rows.append(
        Row(
            "G11: `from metajudge import Experiment` (no goal of its own)",
            f"{took:.2f} s, {modules} modules, {memory:.0f} MB, heavy libraries: {heavy}",
        )
    )
    goal = "G11: `metajudge --help` <= 0.25 s from outside, no heavy library"
    try:
        wall, loaded = help_page()
    except subprocess.CalledProcessError as error:
        return [*rows, skipped(goal, (error.stderr or "it failed").strip().splitlines()[-1])]
    bare = min(_wall_s([sys.executable, "-c", "pass"]) for _ in range(5))
    return [
        *rows,
        judged(
            goal,
            f"{wall:.2f} s, heavy libraries: {loaded}",
            f"interpreter alone: {bare:.3f} s",
            wall <= 0.25 and loaded == "-",
            f"{wall - bare:.2f} s on top of the interpreter are Typer, Rich and the commands' own "
            f"modules; heavy libraries: {loaded}",
        ),
    ]


def _import_row(statement: str, peers: str) -> Row:
    took, modules, memory, heavy = imported(statement)
    return judged(
        f"G11: `{statement}` <= 0.15 s and <= 45 MB, no heavy library",
        f"{took:.3f} s, {modules} modules, {memory:.0f} MB, heavy libraries: {heavy}",
        peers,
        took <= 0.15 and memory <= 45 and heavy == "-",
        f"{modules} modules are loaded, heavy libraries: {heavy}",
    )


def _peer(name: str) -> str:
    if find_spec(name) is None:
        return f"{name} not installed"
    took, modules, memory, _ = imported(f"import {name}", times=2)
    return f"{name} {took:.2f} s, {modules:,} modules, {memory:.0f} MB"
