"""What one block of work took: calls, wall, CPU, connections, memory."""

from __future__ import annotations

import math
import resource
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from benchmarks.process import Figures, server_stats


def cpu_s() -> float:
    """CPU time of this process in s."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def peak_mb() -> float:
    """Highest resident memory of this process so far in MB."""
    status = Path("/proc/self/status")
    if status.exists():
        # Not what getrusage says: that begins with the memory of the process that started this one.
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def limit_s(calls: int, in_flight: int, latency_s: float) -> float:
    """Wall time in s that calls would take if the client added nothing.

    >>> limit_s(200, 64, 0.05)
    0.2
    """
    return math.ceil(calls / in_flight) * latency_s


def middle(rows: Sequence[Figures], name: str) -> float:
    """Median of a figure over repeated measurements."""
    return statistics.median(row[name] for row in rows)


class Meter:
    """Times a block; `figures` holds what it found once the block has ended.

    Made before the warm-up, so that connections opened there are counted too.

    Args:
        api_base: The judge server; None for work without one.
    """

    def __init__(self, api_base: str | None = None) -> None:
        self.figures: Figures = {}
        self._api_base = api_base
        self._opened = 0.0 if api_base is None else server_stats(api_base)["connections"]

    def __enter__(self) -> Meter:
        if self._api_base is not None:
            self._before = server_stats(self._api_base, "forget")
        self._cpu, self._wall = cpu_s(), time.perf_counter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        wall, cpu = time.perf_counter() - self._wall, cpu_s() - self._cpu
        self.figures = {"wall_s": wall, "cpu_s": cpu, "peak_mb": peak_mb()}
        if self._api_base is None:
            return
        after = server_stats(self._api_base)
        calls = after["calls"] - self._before["calls"]
        self.figures |= {
            "calls": calls,
            "calls_per_s": calls / wall,
            "cpu_ms": 1000 * cpu / max(calls, 1),
            "refused": after["refused"] - self._before["refused"],
            "too_early": after["too_early"] - self._before["too_early"],
            "connections": after["connections"] - self._opened,
            "peak_in_flight": after["peak_in_flight"],
            "server_share": (after["cpu_s"] - self._before["cpu_s"]) / wall,
        }
