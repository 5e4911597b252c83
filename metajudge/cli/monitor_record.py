"""`metajudge monitor record`: scores that `metajudge evaluate` wrote, into the table."""

from __future__ import annotations

from typing import Annotated

import typer

from metajudge.cli.monitor_sample import TimeOption, listed
from metajudge.cli.monitor_score import DEFAULT_DATABASE, DatabaseOption
from metajudge.cli.output import JsonOption, say, say_json
from metajudge.counted import counted
from metajudge.errors import EXIT_GOOD

EvaluatedArgument = Annotated[
    str,
    typer.Argument(
        metavar="EVALUATED",
        help="What `metajudge evaluate` made of a sample, or of answers with a time.",
        show_default=False,
    ),
]
NameOption = Annotated[
    str,
    typer.Option(
        "--release",
        metavar="NAME",
        help="How the scores were made: a release, or judge and template. Another name begins "
        "another series.",
    ),
]
MetricsOption = Annotated[
    str,
    typer.Option(
        "--metrics", metavar="NAMES", help="Of these metrics.  [default: every share]",
        show_default=False,
    ),
]  # fmt: skip
ThresholdOption = Annotated[
    float, typer.Option("--threshold", min=0.0, max=1.0, help="Score from which an answer passes.")
]
TextsOption = Annotated[
    bool, typer.Option("--texts", help="Keep what was judged, for labelling, in the table too.")
]


def record(
    evaluated: EvaluatedArgument,
    *,
    release: NameOption,
    metrics: MetricsOption = "",
    db: DatabaseOption = DEFAULT_DATABASE,
    threshold: ThresholdOption = 0.5,
    texts: TextsOption = False,
    time: TimeOption = "time",
    as_json: JsonOption = False,
) -> None:
    """Keep the scores of any metrics in the table: what `metajudge evaluate` wrote.

    A score that the table has stays; only one with fewer failed calls takes its place.
    """
    from metajudge.metrics.monitor.evaluated_rows import scored_rows
    from metajudge.metrics.monitor.opening import shown
    from metajudge.metrics.monitor.recording import record as put

    rows = scored_rows(evaluated, listed(metrics))
    new = put(db, rows, release=release, threshold=threshold, time=time, texts=texts)
    names = list(dict.fromkeys(name for row in rows for name in row.scores))
    if as_json:
        say_json({"answers": len(rows), "new": new, "metrics": names, "database": shown(db)})
    else:
        say(f"{counted(len(rows), 'answers')}, {counted(new, 'scores')} new")
        say(f"{', '.join(names)} under {release} in {shown(db)}")
    raise typer.Exit(EXIT_GOOD)
