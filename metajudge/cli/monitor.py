"""`metajudge monitor`: sampled traffic scored, its trend, an alarm, a queue for people."""

from __future__ import annotations

import typer

from metajudge.cli import monitor_record, monitor_sample, monitor_score, monitor_trend
from metajudge.cli.guard import guarded

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
app.command("sample")(guarded(monitor_sample.sample))
app.command("score")(guarded(monitor_score.score))
app.command("record")(guarded(monitor_record.record))
app.command("trend")(guarded(monitor_trend.trend))
app.command("queue")(guarded(monitor_trend.queue))
app.command("page")(guarded(monitor_trend.page))
app.command("export")(guarded(monitor_trend.export))


@app.callback()
def _monitor() -> None:
    """Watch traffic by a sample: scores in a table, weekly trend, alarm, queue for people."""
