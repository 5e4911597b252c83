"""What a run shows while it works. Nothing in the run depends on it."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol, TextIO

from metajudge.counted import counted
from metajudge.runner.call import RunReport
from metajudge.verdicts.verdict import Reply

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

LINE_EVERY_S = 30.0
LINE_EVERY_SHARE = 0.1
REDRAW_EVERY_S = 0.1


class Observer(Protocol):
    """Is told what happens in a run. It may show or count, and never decides anything."""

    def on_start(self, total: int, cached: int) -> None:
        """The run begins: distinct calls wanted, and those of them the store already has."""
        ...

    def on_reply(self, key: str, reply: Reply) -> None:
        """A call was settled: answered, or ended for good with `reply.failure`."""
        ...

    def on_end(self, report: RunReport) -> None:
        """The run is over."""
        ...


class Silent:
    """An observer that shows nothing."""

    def on_start(self, total: int, cached: int) -> None:
        """Nothing."""

    def on_reply(self, key: str, reply: Reply) -> None:
        """Nothing."""

    def on_end(self, report: RunReport) -> None:
        """Nothing."""


class _Tally:
    """Counts for display."""

    def __init__(self, total: int, cached: int) -> None:
        self.total = total
        self.done = cached
        self.new = 0
        self.failed = 0
        self.cost_usd: float | None = None
        self.started = time.monotonic()

    def add(self, reply: Reply) -> None:
        self.done += 1
        self.new += 1
        self.failed += reply.failure is not None
        if reply.cost_usd is not None:
            self.cost_usd = (self.cost_usd or 0.0) + reply.cost_usd

    @property
    def rate(self) -> float:
        """Settled calls/s of this run; cached ones do not count."""
        return self.new / max(time.monotonic() - self.started, 1e-9)

    @property
    def left_s(self) -> float | None:
        """Expected time to the end in s; None before the first call is settled."""
        return (self.total - self.done) / self.rate if self.new else None

    def facts(self) -> str:
        """Rate, failures and cost in one line, ASCII."""
        cost = "" if self.cost_usd is None else f", ${self.cost_usd:.4f}"
        return f"{self.rate:.1f}/s, {self.failed} failed{cost}"


class PlainProgress:
    """A few quiet lines, for log files and pipes: one per 10 % done or 30 s, in ASCII.

    Args:
        stream: Where the lines go; standard error by default. A stream that is closed or
            cannot be written is left alone.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._tally = _Tally(0, 0)
        self._shown_at = 0.0
        self._shown_done = 0

    def on_start(self, total: int, cached: int) -> None:
        """One line with the numbers."""
        self._tally = _Tally(total, cached)
        self._shown_at, self._shown_done = time.monotonic(), cached
        self._say(f"{counted(total, 'calls')}, {cached} already answered")

    def on_reply(self, key: str, reply: Reply) -> None:
        """A line when it is due."""
        tally = self._tally
        tally.add(reply)
        now = time.monotonic()
        step = max(1.0, LINE_EVERY_SHARE * tally.total)
        if tally.done - self._shown_done < step and now - self._shown_at < LINE_EVERY_S:
            return
        self._shown_at, self._shown_done = now, tally.done
        left = "" if tally.left_s is None else f", {_minutes(tally.left_s)} left"
        self._say(f"{tally.done}/{tally.total} done, {tally.facts()}{left}")

    def on_end(self, report: RunReport) -> None:
        """One line with the outcome."""
        outcome = f"stopped: {report.message}" if report.stopped else "done"
        self._say(
            f"{outcome} ({report.answered} answered, {report.cache_hits} cached, "
            f"{report.failed} failed, {report.not_asked} not asked, {report.wall_s:.1f} s)"
        )

    def _say(self, line: str) -> None:
        encoding = getattr(self._stream, "encoding", None) or "ascii"
        safe = line.encode(encoding, "backslashreplace").decode(encoding)
        with suppress(OSError, ValueError):
            self._stream.write(safe + "\n")
            self._stream.flush()


class RichProgress:
    """A bar with done/total, rate, failures, cost and time left, on a terminal.

    Args:
        stream: The terminal; standard error by default.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._tally = _Tally(0, 0)
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._shown_at = 0.0

    def on_start(self, total: int, cached: int) -> None:
        """Draw the bar."""
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        self._tally = _Tally(total, cached)
        self._bar = Progress(
            TextColumn("judging"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TextColumn("{task.fields[facts]}"),
            TimeRemainingColumn(),
            console=Console(file=self._stream),
        )
        self._task = self._bar.add_task("judging", total=total, completed=cached, facts="")
        self._bar.start()

    def on_reply(self, key: str, reply: Reply) -> None:
        """Move the bar."""
        self._tally.add(reply)
        now = time.monotonic()
        if now - self._shown_at >= REDRAW_EVERY_S:
            self._shown_at = now
            self._move()

    def on_end(self, report: RunReport) -> None:
        """Leave the bar as it stands, and say why it stopped early."""
        if self._bar is None:
            return
        with suppress(OSError, ValueError):
            self._move()
            self._bar.stop()
            if report.message:
                self._bar.console.print(report.message, markup=False, highlight=False)
        self._bar = None

    def _move(self) -> None:
        if self._bar is not None and self._task is not None:
            with suppress(OSError, ValueError):
                done, facts = self._tally.done, self._tally.facts()
                self._bar.update(self._task, completed=done, facts=facts)


def progress_for(stream: TextIO | None = None) -> Observer:
    """A bar on a terminal, quiet lines elsewhere; standard error by default."""
    shown_on = sys.stderr if stream is None else stream
    return RichProgress(shown_on) if shown_on.isatty() else PlainProgress(shown_on)


def _minutes(seconds: float) -> str:
    """Seconds as minutes and seconds.

    >>> _minutes(75.4)
    '1:15'
    """
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
