"""Arguments and options of `metajudge evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from metajudge.cli.output import ReportLanguage

AnswersArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="ANSWERS",
        help="JSONL, JSON, CSV, Parquet, a folder saved by datasets, or hf:owner/name.",
        show_default=False,
    ),
]
MetricsOption = Annotated[
    str,
    typer.Option(
        "--metrics",
        metavar="A,B",
        help="Names of metrics, with commas between them; --list shows them.",
    ),
]
JudgeOption = Annotated[
    str | None,
    typer.Option("--judge", metavar="SPEC", help="Judge of every metric: openai/gpt-4o-mini …"),
]
ReleaseOption = Annotated[
    list[str] | None,
    typer.Option(
        "--release",
        metavar="[METRIC=]RELEASE",
        help="Serves the metric that its templates are made for, or the one named; repeatable.",
    ),
]
TemplateOption = Annotated[
    list[str] | None,
    typer.Option(
        "--template",
        metavar="METRIC=NAME",
        help="Another wording for a metric: a shipped name or a YAML file; repeatable.",
    ),
]
PolicyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--policy",
        metavar="METRIC=POLICY",
        help="How labels earn credit, e.g. faithfulness=lenient; strict otherwise; repeatable.",
    ),
]
InOrderOption = Annotated[
    bool, typer.Option("--tools-in-order", help="Tool calls must come in the expected order.")
]
ToleranceOption = Annotated[
    float,
    typer.Option(
        "--tools-tolerance",
        metavar="D",
        help="Numbers in arguments of tool calls may differ by this much.",
    ),
]
IgnoreOption = Annotated[
    list[str] | None,
    typer.Option(
        "--tools-ignore",
        metavar="ARGUMENT",
        help="An argument that does not count, e.g. trace_id or filter.time; repeatable.",
    ),
]
NamesOption = Annotated[
    bool, typer.Option("--tools-by-name", help="Tool calls are the same when their names are.")
]
CalibrateOption = Annotated[
    Path | None,
    typer.Option(
        "--calibrate",
        metavar="GOLD",
        help="Cut-offs of ngram_coverage and nli_entailment on the dev split of a gold set.",
    ),
]
BoundOption = Annotated[
    float,
    typer.Option(
        "--calibrate-bound",
        help="Largest share of wrong calls of a cut-off, by the upper limit of its interval.",
    ),
]
EmbeddingOption = Annotated[
    str | None,
    typer.Option("--embedding", metavar="MODEL", help="Embedding model of answer_similarity."),
]
EmbeddingBaseOption = Annotated[
    str | None,
    typer.Option("--embedding-api-base", help="Server of that model, up to and with /v1."),
]
NliOption = Annotated[
    str | None,
    typer.Option("--nli", metavar="MODEL", help="Hub name or folder for nli_entailment."),
]
WeightOption = Annotated[
    float,
    typer.Option(
        "--similarity-weight",
        min=0.0,
        max=1.0,
        help="Weight of similarity in answer_correctness; Ragas has 0.25.",
    ),
]
ListOption = Annotated[bool, typer.Option("--list", help="Show every metric and what it asks.")]
LangOption = Annotated[
    ReportLanguage, typer.Option("--lang", help="Language of the account and of --list.")
]
