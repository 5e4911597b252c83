"""Every goal of speed measured on this machine, and `benchmarks/results.md` written.

Each figure comes from fresh processes; judge server and client have a core each where there are
two. Ratios are between measurements of the same run, so that they hold on any machine; absolute
times are this machine's.

Run: python -m benchmarks.run              everything, about ten minutes
     python -m benchmarks.run --only start,memory
     python -m benchmarks.run --scale 0.05 a quick look; nothing is written
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections.abc import Sequence
from datetime import datetime, timezone
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.goal import Row, skipped
from benchmarks.process import ROOT, MeasurementError, cores

RESULTS = ROOT / "benchmarks" / "results.md"
GROUPS = {
    "transport": "G2 to G5, G7",
    "faithfulness": "G6",
    "provider_limit": "G8",
    "sweeps": "G1, G9, warm replay",
    "memory": "G10",
    "start": "G11",
    "bootstrap": "G12, G13",
    "figures": "G14, G15",
    "import": "G16",
    "local_prefix": "prefix-warm order",
}
PACKAGES = (
    "metajudge",
    "aiohttp",
    "deepeval",
    "litellm",
    "numpy",
    "openai",
    "pydantic",
    "ragas",
    "scikit-learn",
    "sqlalchemy",
    "xllamacpp",
)
BUSY = 0.15


def measured(names: Sequence[str], scale: float, repeats: int | None) -> list[Row]:
    """Rows of the named groups, in order of their goals; a group that fails is a row too."""
    rows: list[Row] = []
    for name in names:
        begun = time.perf_counter()
        settings = {} if repeats is None else {"repeats": repeats}
        try:
            found = import_module(f"benchmarks.{name}").measure(scale, **settings)
        except MeasurementError as error:
            found = [skipped(GROUPS[name], str(error))]
        for row in found:
            print(f"{row.state:>14}  {row.goal}\n{'':16}{row.measured}  [{row.beside}]", flush=True)
        print(f"{name}: {time.perf_counter() - begun:.0f} s", flush=True)
        rows += found
    return sorted(rows, key=_place)


def _place(row: Row) -> int:
    number = row.goal.partition(":")[0].removeprefix("G")
    return int(number) if number.isdigit() else 100


def machine_facts() -> list[tuple[str, str]]:
    """What the figures depend on; no name of host or user."""
    facts = [
        ("date", datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC")),
        ("processor", f"{_processor()}, {len(cores().both) or os.cpu_count()} cores used"),
        ("memory", f"{_memory_gb():.0f} GB"),
        ("system", f"{platform.system()} {platform.release().partition('-')[0]}"),
        ("Python", platform.python_version()),
    ]
    return [*facts, ("packages", ", ".join(_versions()))]


def busy_share(seconds: float = 2.0) -> float | None:
    """Share of the machine's CPU time that is used while this process sleeps; None unknown.

    The load average would not do: it remembers what has ended.
    """
    before = _cpu_ticks()
    time.sleep(seconds)
    after = _cpu_ticks()
    if before is None or after is None:
        return None
    idle, total = (b - a for a, b in zip(before, after, strict=True))
    return 1 - idle / max(total, 1)


def _cpu_ticks() -> tuple[int, int] | None:
    """Idle and all ticks since the machine started."""
    try:
        first = Path("/proc/stat").read_text(encoding="utf-8").partition("\n")[0]
    except OSError:
        return None
    ticks = [int(number) for number in first.split()[1:9]]
    return ticks[3] + ticks[4], sum(ticks)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.machine()


def _memory_gb() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30


def _versions() -> list[str]:
    found = []
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} not installed")
    return found


def page(rows: Sequence[Row], busy: float | None, wall_s: float) -> str:
    """`results.md`: facts, the table, and what missed with its reason."""
    counts = {state: sum(row.state == state for row in rows) for state in ("kept", "missed")}
    lines = [
        "# Measured speed",
        "",
        "Written by `make bench`; do not edit. Each goal beside its floor (the library alone) or a "
        "peer, measured in the same run on the same machine; a judge server on the loopback has "
        "one core, the client the other. Ratios travel, absolute times are this machine's.",
        "",
        *(f"- {name}: {fact}" for name, fact in machine_facts()),
        f"- CPU in use before it began: {'unknown' if busy is None else f'{100 * busy:.0f} %'}; "
        f"the run took {wall_s / 60:.0f} min",
        "",
        f"{counts['kept']} goals kept, {counts['missed']} missed.",
        "",
        "| goal | measured | floor or peer in this run | kept? |",
        "|---|---|---|---|",
        *(f"| {row.goal} | {row.measured} | {row.beside} | {row.state} |" for row in rows),
    ]
    if busy is not None and busy > BUSY:
        lines.insert(4, "**The machine was busy with something else: do not trust these times.**\n")
    told = [row for row in rows if row.reason]
    if told:
        lines += ["", "## Missed or not measured", ""]
        lines += [f"- {row.goal} ({row.state}): {row.reason}." for row in told]
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and write; with `--strict` a missed goal gives 1."""
    parser = argparse.ArgumentParser(description="measure the goals of speed")
    parser.add_argument("--only", default=",".join(GROUPS), help="groups, by comma")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the usual size")
    parser.add_argument("--repeats", type=int, help="fresh processes a figure")
    parser.add_argument("--strict", action="store_true", help="exit 1 where a goal is missed")
    options = parser.parse_args(arguments)
    names = [name for name in options.only.split(",") if name]
    unknown = [name for name in names if name not in GROUPS]
    if unknown:
        parser.error(f"no group is called {unknown[0]!r}; there are: {', '.join(GROUPS)}")
    busy, begun = busy_share(), time.perf_counter()
    rows = measured(names, options.scale, options.repeats)
    text = page(rows, busy, time.perf_counter() - begun)
    if len(names) == len(GROUPS) and options.scale == 1.0:
        RESULTS.write_text(text, encoding="utf-8")
        print(f"written: {RESULTS.relative_to(ROOT)}")
    else:
        print("only a part was measured at its full size: nothing is written")
    return int(options.strict and any(row.state == "missed" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
