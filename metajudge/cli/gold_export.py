"""`metajudge gold export`: a gold set in another form, for other tools and for people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from metajudge.cli.gold_place import SetArgument, gold_place
from metajudge.cli.output import ReportLanguage, inert, say, say_json, wrapped
from metajudge.counted import counted

if TYPE_CHECKING:
    from metajudge.gold.exporters.export import Exported
    from metajudge.gold.goldset import GoldSet

ToOption = Annotated[
    Path, typer.Option("--to", metavar="FILE", help="Where to; its ending tells the form.")
]
AsOption = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="FORM",
        help="jsonl, csv, parquet, label-studio, datasets or folder (a whole gold folder).",
    ),
]
MarkOption = Annotated[
    bool,
    typer.Option("--bom/--no-bom", help="Begin CSV with a byte order mark, which Excel needs."),
]
LangOption = Annotated[
    ReportLanguage, typer.Option("--lang", help="Language of the Label Studio page.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="The summary as JSON.")]


def export(
    path: SetArgument = None,
    *,
    to: ToOption,
    form: AsOption = None,
    bom: MarkOption = True,
    lang: LangOption = ReportLanguage.en,
    as_json: JsonOption = False,
) -> None:
    """Write a gold set as JSON Lines, CSV, Parquet, Label Studio tasks, datasets, or gold folder.

    Labels that annotators gave or settled since are in it, and claims that wait for a label too.
    """
    from metajudge.gold.exporters.export import export_goldset
    from metajudge.gold.exporters.form import Wishes
    from metajudge.gold.goldset import load_goldset

    goldset = load_goldset(gold_place(path))
    done = export_goldset(goldset, to, form, Wishes(bom, lang.code))
    if as_json:
        say_json(_fields(goldset, done))
        return
    for file in done.files:
        say(f"written: {file}")
    manifest = goldset.manifest
    say(
        wrapped(
            f"{inert(manifest.name)} {inert(manifest.version)} as {done.form.title}: "
            f"{counted(done.claims, 'claims')}, {done.pending} more that wait for a label, "
            f"{counted(done.contexts, 'contexts')}, {counted(done.annotations, 'annotations')}"
        )
    )
    for note in done.notes:
        say(wrapped(f"! {note}"))


def _fields(goldset: GoldSet, done: Exported) -> dict[str, Any]:
    return {
        "name": goldset.manifest.name,
        "version": goldset.manifest.version,
        "sha256": goldset.sha256,
        "form": done.form.name,
        "files": [str(file) for file in done.files],
        "claims": done.claims,
        "pending": done.pending,
        "contexts": done.contexts,
        "annotations": done.annotations,
        "notes": list(done.notes),
    }
