"""`metajudge monitor sample`: a repeatable part of the traffic, from answers or from spans."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from metajudge.cli.guard import explain
from metajudge.cli.output import JsonOption, say, say_json, say_table
from metajudge.cli.writable import check_folder
from metajudge.counted import counted
from metajudge.errors import EXIT_CANNOT_DECIDE, EXIT_GOOD, InputError, Problem

if TYPE_CHECKING:
    from metajudge.metrics.monitor.spans import SpansRead
    from metajudge.metrics.monitor.traffic import Sample


class TrafficForm(Enum):
    """What the traffic comes as."""

    auto = "auto"
    answers = "answers"
    spans = "spans"


TrafficArgument = Annotated[
    Path,
    typer.Argument(
        metavar="TRAFFIC",
        help="Answers as `metajudge judge` takes them, with a time each; or OpenTelemetry spans: "
        "OTLP JSON, or what an SDK prints or Phoenix hands out, one a line.",
        show_default=False,
    ),
]
OutOption = Annotated[
    Path, typer.Option("--out", metavar="FILE", help="Write the sample as JSON lines.")
]
RateOption = Annotated[float, typer.Option("--rate", help="Share that is taken; 0.05 to 0.1.")]
ByOption = Annotated[
    str, typer.Option("--by", metavar="FIELDS", help="Strata by these fields: product,lang")
]
AtLeastOption = Annotated[
    int, typer.Option("--at-least", min=0, help="Take so many a stratum and day; give whole days.")
]
UnitOption = Annotated[
    str | None,
    typer.Option("--unit", metavar="FIELD", help="Sample as a whole, such as the conversation."),
]
TimeOption = Annotated[
    str, typer.Option("--time", metavar="FIELD", help="Field with the time of an answer.")
]
SlicesOption = Annotated[
    str, typer.Option("--slices", metavar="FIELDS", help="Look for changes by these fields too.")
]
SaltOption = Annotated[str, typer.Option("--salt", help="Another salt gives another sample.")]
FromOption = Annotated[TrafficForm, typer.Option("--from", help="What the traffic comes as.")]


def sample(
    traffic: TrafficArgument,
    *,
    out: OutOption,
    rate: RateOption = 0.1,
    by: ByOption = "",
    at_least: AtLeastOption = 0,
    unit: UnitOption = None,
    time: TimeOption = "time",
    slices: SlicesOption = "",
    salt: SaltOption = "metajudge",
    form: FromOption = TrafficForm.auto,
    as_json: JsonOption = False,
) -> None:
    """Take a part of the traffic: the same answers in every run, with weights that undo it.

    An answer is in or out by the hash of its id; a higher rate only adds answers. What spans do
    not hold is counted with its reason.
    """
    from metajudge.gold.writer import json_text
    from metajudge.metrics.monitor.traffic import Sampling, sample_traffic
    from metajudge.report.written_file import write_whole

    if out.exists() and traffic.exists() and out.samefile(traffic):
        law = "the traffic itself would be overwritten"
        raise InputError(Problem(str(out), law, "Name another file.", field="--out"))
    check_folder(out.parent)
    sampling = Sampling(
        rate=rate,
        salt=salt,
        by=listed(by),
        at_least=at_least,
        unit=unit,
        time=time,
        slices=listed(slices),
    )
    found = sample_traffic(str(traffic), sampling, form.value)
    write_whole(out, "".join(f"{json_text(row)}\n" for row in found.rows))
    if as_json:
        say_json(_fields(found, out))
    else:
        _show(found, out)
    if found.spans is not None and not found.spans.rows:
        explain("no trace holds an answer with its context, so there is nothing to sample.")
        raise typer.Exit(EXIT_CANNOT_DECIDE)
    raise typer.Exit(EXIT_GOOD)


def listed(text: str) -> tuple[str, ...]:
    """Names with commas between them.

    >>> listed("product, lang")
    ('product', 'lang')
    """
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _show(found: Sample, out: Path) -> None:
    if found.spans is not None:
        _show_spans(found.spans)
    if found.strata:
        say_table(
            ("stratum", "days", "answers", "taken"),
            [tuple(stratum) for stratum in found.strata],
            right="days answers taken",
        )
    for note in found.notes:
        say(f"note: {note}")
    say(f"{counted(len(found.rows), 'answers')} written to {out}")


def _show_spans(read: SpansRead) -> None:
    from metajudge.metrics.monitor.spans import TOLD

    say(
        f"{counted(read.spans, 'spans')}, {counted(read.traces, 'traces')}, "
        f"{counted(len(read.rows), 'answers')}"
    )
    if read.from_tools:
        say(f"  context from what tools answered: {counted(read.from_tools, 'answers')}")
    if read.steps:
        say(f"  texts that were steps on the way to an answer: {counted(read.steps, 'spans')}")
    for reason, n in read.left_out.most_common():
        say(f"  left out: {TOLD[reason]}: {n}  ({read.examples[reason][0]})")


def _fields(found: Sample, out: Path) -> dict[str, Any]:
    read = found.spans
    return {
        "out": str(out),
        "taken": len(found.rows),
        "strata": [stratum._asdict() for stratum in found.strata],
        "notes": list(found.notes),
        "spans": None
        if read is None
        else {
            "spans": read.spans,
            "traces": read.traces,
            "answers": len(read.rows),
            "from_tools": read.from_tools,
            "steps": read.steps,
            "left_out": dict(read.left_out),
            "examples": dict(read.examples),
        },
    }
