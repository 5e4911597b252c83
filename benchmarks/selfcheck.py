"""What a self-check adds to the judge's latency: 200 checks at once against a 50 ms judge.

The judge is the loopback server of the tests with one fixed answer, in a process and on a core of
its own. The overhead of a check is its wall time less 50 ms, so the judge's own queueing counts
against us. Every answer is new, so that no verdict comes from memory. The judge has a key and a
price, as most have, but in one row.

- *at once*: all checks begin in the same turn of the event loop (or at one barrier of threads).
  Each is timed from its own beginning, as its caller would; in one row from the beginning of the
  first, so that the work of beginning all others counts too.
- *steady*: as many checks are under way all the time, each begun when another ends.
- *arriving*: checks begin at random times (Poisson) at a stated rate, as users come.

Beside them stand the floors: the same requests by aiohttp alone, and by this package's quick
transport alone, without splitting, reading or deciding anything; and 200 threads that wait for a
`Future.result()` of one event loop, of a sleep as long as the latency or of such a request.

Run: python -m benchmarks.selfcheck [--rounds 60] [--write]   `--write` makes the page
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.process import ROOT, cores, fresh, placed
from benchmarks.selfcheck_load import FREE, LATENCY_MS

PAGE = ROOT / "benchmarks" / "selfcheck.md"
BOUND_MS = 15.0


class Setting(NamedTuple):
    """One row of the table."""

    name: str
    function: str
    arguments: dict[str, Any]


AT_ONCE = "200 checks at once, one sentence each"
FLOOR = "floor: 200 requests at once by"
BARE = "floor: 200 threads, each waiting for"
ONE = {"checks": 200, "sentences": 1}
SETTINGS = (
    Setting(f"**{AT_ONCE}, async**", "at_once", ONE),
    Setting("the same, a judge without key and price", "at_once", {**ONE, "model": FREE}),
    Setting(
        "the same, counted from the first check's begin", "at_once", {**ONE, "from_first": True}
    ),
    Setting("50 at once, four sentences each, async", "at_once", {"checks": 50, "sentences": 4}),
    Setting("200 at once, four sentences each, async", "at_once", {"checks": 200, "sentences": 4}),
    Setting("**200 steady, one sentence each, async**", "steady", {"checks": 200}),
    Setting("arriving, 500 a second, async", "arriving", {"per_s": 500}),
    Setting("arriving, 1,000 a second, async", "arriving", {"per_s": 1000}),
    Setting("alone, four sentences, async", "at_once", {"checks": 1, "sentences": 4}),
    Setting("alone, one sentence, sync", "threads", {"checks": 1}),
    Setting("50 threads at once, one sentence each, sync", "threads", {"checks": 50}),
    Setting("200 threads at once, one sentence each, sync", "threads", {"checks": 200}),
    Setting(f"{BARE} a sleep of {LATENCY_MS:g} ms", "floor_threads", {"client": "sleep"}),
    Setting(f"{BARE} a request of the quick transport", "floor_threads", {"client": "quick"}),
    Setting(f"{FLOOR} the quick transport alone", "floor", {"client": "quick"}),
    Setting(f"{FLOOR} aiohttp alone", "floor", {"client": "aiohttp"}),
)


@contextmanager
def server() -> Iterator[str]:
    """The address of the judge, which runs on the server's core."""
    command = [sys.executable, "-m", "tests.loopback", "--latency-ms", str(LATENCY_MS)]
    with placed(cores().server):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(10)


class Row(NamedTuple):
    """Figures of one setting, in ms above the judge's latency.

    Attributes:
        p99s: The p99 of each round, in order of size.
    """

    setting: Setting
    p50: float
    p99: float
    p99s: tuple[float, ...]
    cpu_us: float

    @property
    def median_p99(self) -> float:
        """The p99 of the middle round."""
        return statistics.median(self.p99s)


def measured(setting: Setting, rounds: int) -> Row:
    """One setting, in a process of its own."""
    with server() as api_base:
        figures = fresh(
            f"selfcheck_load:{setting.function}",
            api_base=api_base,
            rounds=rounds,
            **setting.arguments,
        )
    every = [ms for found in figures["ms"] for ms in found]
    return Row(
        setting,
        _over(every, 0.50),
        _over(every, 0.99),
        tuple(sorted(_over(found, 0.99) for found in figures["ms"])),
        figures["cpu_us"],
    )


def _over(ms: Sequence[float], share: float) -> float:
    """A quantile (the smallest value that this share does not exceed) less the latency."""
    ordered = sorted(ms)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] - LATENCY_MS


def page(rows: Sequence[Row], load: tuple[float, float]) -> str:
    """The page."""
    table = "\n".join(
        f"| {row.setting.name} | {row.p50:.1f} | {row.p99:.1f} | "
        f"{row.median_p99:.1f} ({row.p99s[0]:.1f} to {row.p99s[-1]:.1f}) | {row.cpu_us:.0f} |"
        for row in rows
    )
    first = rows[0]
    return PATTERN.format(
        table=table,
        rounds=len(first.p99s),
        date=datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        machine=machine(),
        before=f"{load[0]:.1f}",
        after=f"{load[1]:.1f}",
        verdict=f"{'kept' if first.p99 < BOUND_MS else 'not kept'}: {first.p99:.1f} ms",
        bound=f"{BOUND_MS:g}",
        at_once=AT_ONCE,
    )


def machine() -> str:
    """Processor, cores and Python."""
    info = Path("/proc/cpuinfo")
    names = info.read_text().splitlines() if info.exists() else []
    name = next((line.partition(": ")[2] for line in names if line.startswith("model name")), "")
    count = len(cores().both) or os.cpu_count()
    return f"{name or platform.processor()}, {count} cores, Python {platform.python_version()}"


PATTERN = """# What a self-check adds to the judge's latency

Written by `python -m benchmarks.selfcheck --write`; do not edit. {date}; {machine};
load average of the machine {before} before and {after} after.

Judge: loopback server with 50 ms of latency, in a process and on a core of its own, asked with a
key and for a model with a price. Overhead is the wall time of a check less 50 ms, in ms, counted
from its own beginning where nothing else is said; every answer is new. {rounds} rounds a row: p50
and p99 over all checks of all rounds, then the p99 of the middle round (least to most). CPU is that
of the checking process, in us a check.

| | p50 | p99 | p99 of a round | CPU |
|---|---|---|---|---|
{table}

Bound for *{at_once}*: p99 < {bound} ms. **{verdict}.**

One core begins checks one after the other. Counted from the first one's beginning, the last of 200
therefore waits for the beginning of all others, whatever it does itself: a service that gets so
many in one instant, and not over some milliseconds, shares them among processes. The sync call from
many threads pays for handing each check to the background loop and back; an async service does not.

## The sync call from 200 threads

Most of what it adds is the threads' own: 200 of them that wait for a `Future.result()` of one loop,
of a bare sleep, are a floor. One at a time holds the interpreter's lock, when they come and when
they go, and the loop wants it too. A future for each request of the quick transport costs more than
a whole check, which goes into the loop and comes out of it without task or future: its outcome is
there, and its thread is let go, in the turn of the loop in which its last answer comes.

Until 2026-12-01 13:00 UTC each check had a task; tables of an earlier date show that. Both by turns
on a loaded machine (load average 13 to 16, 2 cores; 6 turns of 20 rounds each), in ms above the
judge's latency, p99 of the rounds:

| | least | first quartile | middle |
|---|---|---|---|
| sync, a task for each check | 15.4 | 37.3 | 51.7 |
| sync, without | 14.1 | 29.6 | 40.8 |
| floor: 200 threads, each waiting for a sleep of 50 ms | 11.5 | 21.0 | 29.3 |
| floor: 200 threads, each waiting for a request of the quick transport | 21.5 | 50.6 | 70.7 |

In three such runs (load 11 to 19) the p99 of the middle round was 36, 21 and 11 % lower than before
and the p50 53, 42 and 28 %; more than six tenths of the p99 that is left are the floor of the bare
threads (two runs). On a quiet machine (load under 0.5, five turns of 30 rounds) the p50 was 9.3 to
10.4 before and 7.8 to 8.5 since, the p99 12.7 to 17.0 before and 14.4 to 15.4 since: there the way
without a task brings the middle down, not the end.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description="overhead of the self-check")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--only", default="", help="settings whose name holds this")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    before, rows = os.getloadavg()[0], []
    for setting in SETTINGS:
        if options.only not in setting.name:
            continue
        rows.append(measured(setting, options.rounds))
        row = rows[-1]
        print(
            f"{setting.name}: p50 {row.p50:.1f}, p99 {row.p99:.1f}, of a round "
            f"{row.median_p99:.1f} ({row.p99s[0]:.1f} to {row.p99s[-1]:.1f}); "
            f"CPU {row.cpu_us:.0f} us a check",
            flush=True,
        )
    if options.write:
        PAGE.write_text(page(rows, (before, os.getloadavg()[0])), encoding="utf-8")


if __name__ == "__main__":
    main()
