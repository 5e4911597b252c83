"""`metajudge gold import`, `gold formats` and `gold datasheet`: gold from elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace as replaced
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metajudge.cli.import_maps import check_maps, named_maps
from metajudge.cli.output import inert, say, say_json, say_table, tell
from metajudge.errors import EXIT_CANNOT_DECIDE, EXIT_USAGE, GoldError, InputError, Problem

if TYPE_CHECKING:
    from metajudge.gold.claim import LabelSpace, MetricName
    from metajudge.gold.importing.assemble import About, Imported
    from metajudge.gold.importing.importing import Prepared
    from metajudge.gold.importing.placing import Mode, Placing

_SPREADSHEETS = ("csv", "excel", "xls", "xlsx", "tsv", "spreadsheet")


class Space(Enum):
    """Label space of a gold set."""

    ternary = "ternary"
    binary = "binary"

    @property
    def code(self) -> LabelSpace:
        """As gold sets have it."""
        return "binary" if self is Space.binary else "ternary"


SourceArgument = Annotated[
    str,
    typer.Argument(metavar="SOURCE", help="File or folder, or hf:owner/name[:config][#split]."),
]
FromOption = Annotated[
    str | None,
    typer.Option("--from", metavar="FORMAT", help="See `gold formats`; without it, recognised."),
]
ToOption = Annotated[
    Path | None, typer.Option("--to", metavar="FOLDER", help="Folder of the gold set.")
]
MapOption = Annotated[
    list[str] | None,
    typer.Option(
        "--map", metavar="FIELD=COLUMN", help="Where a field stands: claim=…, label:anna=…"
    ),
]
LabelsOption = Annotated[
    list[str] | None,
    typer.Option("--labels", metavar="WORD=LABEL", help="What their label word means: 支持=yes"),
]
SpaceOption = Annotated[Space | None, typer.Option("--label-space", help="Of the set.")]
DropOption = Annotated[
    list[str] | None,
    typer.Option("--drop", metavar="REASON", help="Leave out claims that wait for this reason."),
]
NameOption = Annotated[str | None, typer.Option("--name", help="Of the set; else the folder's.")]
MetricOption = Annotated[
    str | None, typer.Option("--metric", help="What it is gold for; else that of the set there.")
]
LicenceOption = Annotated[str | None, typer.Option("--licence", help="Of the labels.")]
LangOption = Annotated[str | None, typer.Option("--lang", help="Language of all claims.")]
EncodingOption = Annotated[str, typer.Option("--encoding", help="Of text files, as gb18030.")]
AddOption = Annotated[bool, typer.Option("--add", help="Add new claims to the set there.")]
ReplaceOption = Annotated[bool, typer.Option("--replace", help="Replace the set there.")]
DryOption = Annotated[bool, typer.Option("--dry-run", help="Show, and write nothing.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
JsonOption = Annotated[bool, typer.Option("--json", help="As JSON; nothing is asked.")]


def import_(
    place: SourceArgument,
    *,
    to: ToOption = None,
    format_name: FromOption = None,
    columns: MapOption = None,
    labels: LabelsOption = None,
    label_space: SpaceOption = None,
    drop: DropOption = None,
    name: NameOption = None,
    metric: MetricOption = None,
    licence: LicenceOption = None,
    lang: LangOption = None,
    encoding: EncodingOption = "utf-8",
    add: AddOption = False,
    replace: ReplaceOption = False,
    dry_run: DryOption = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make a gold set of a public set, an export of a tool, or a spreadsheet.

    Shows what comes in, what waits for a label and what is left out, with reasons and lines. What
    was guessed is confirmed: on a terminal it asks, elsewhere it needs --yes or the options that it
    prints. The same source again changes nothing.
    """
    from metajudge.cli.import_shown import import_fields, is_refused, say_import, say_outcome
    from metajudge.gold.importing.importing import prepare
    from metajudge.gold.importing.packed import refuse_packed
    from metajudge.gold.importing.placing import carry_out
    from metajudge.gold.importing.source import Source
    from metajudge.gold.importing.stream import text_encoding

    _check(to, dry_run, add, replace)
    gold_for = _metric(metric, to)
    space = _space(label_space, gold_for)
    maps = named_maps(columns, labels)
    refuse_packed(Path(place))
    _check_format(format_name)
    source = Source(place, *maps, text_encoding(encoding))
    prepared = prepare(source, format_name, space)
    check_maps(prepared.format, *maps)
    about = _about(name or (to or Path(place)).resolve().name, space, licence, lang, drop)
    about = replaced(about, metric=gold_for)
    imported = _read(prepared, about)
    if not as_json:
        say_import(prepared, imported)
    mode: Mode | None = "add" if add else "replace" if replace else None
    plan = None if to is None else _placed(to, imported, mode, shows=not as_json)
    asks = not (yes or as_json)
    unsettled = _tell_unsettled(prepared, about, plan)
    confirmed = dry_run or _confirmed(prepared, plan, unsettled, asks=asks, yes=yes)
    written = carry_out(plan) if plan is not None and confirmed and not dry_run else ()
    if as_json:
        say_json(import_fields(prepared, imported, plan, written))
    else:
        say_outcome(plan, written, dry_run=dry_run)
    refused = mode is None and plan is not None and is_refused(plan) and not dry_run
    if not confirmed or refused:
        raise typer.Exit(EXIT_USAGE)


def _check(to: Path | None, dry_run: bool, add: bool, replace: bool) -> None:
    problems = []
    if to is None and not dry_run:
        law, mend = "it has to be said where the gold set goes", "Add --to FOLDER, or --dry-run."
        problems.append(Problem("command line", law, mend, field="--to"))
    if add and replace:
        law = "a set is either added to or replaced"
        problems.append(Problem("command line", law, "Leave one out.", field="--add, --replace"))
    if problems:
        raise InputError(problems)


def _about(
    name: str,
    space: LabelSpace | None,
    licence: str | None,
    lang: str | None,
    drop: Sequence[str] | None,
) -> About:
    from metajudge.gold.importing.assemble import About
    from metajudge.gold.importing.imported import REASONS
    from metajudge.gold.validation import suggest

    dropped = drop or ()
    problems = [
        Problem("--drop", "there is no such reason", suggest(word, REASONS, 20), got=repr(word))
        for word in dropped
        if word not in REASONS
    ]
    if problems:
        raise InputError(problems)
    reasons = frozenset(reason for reason in REASONS if reason in dropped)
    return About(name[:200] or "imported", space, licence, lang, reasons)


def _space(named: Space | None, metric: MetricName) -> LabelSpace | None:
    """The space that was named; yes and no alone are no binary set where the metric has no idk."""
    from metajudge.gold.claim import TWO_LABELS

    if named is not None:
        return named.code
    return "ternary" if metric in TWO_LABELS else None


def _metric(named: str | None, to: Path | None) -> MetricName:
    """The metric that was named, or that of the set in the folder, or faithfulness."""
    from metajudge.gold.claim import METRIC_NAMES, GoldManifest
    from metajudge.gold.goldset import MANIFEST
    from metajudge.gold.strict_yaml import read_yaml
    from metajudge.gold.validation import suggest

    if named is None and to is not None and (to / MANIFEST).is_file():
        return read_yaml(to / MANIFEST, GoldManifest, GoldError).metric
    if named is None:
        return "faithfulness"
    if named not in METRIC_NAMES:
        law = "people label gold for a metric that a judge answers"
        mend = suggest(named, METRIC_NAMES)
        raise InputError(Problem("--metric", law, mend, got=repr(named)))
    return named


def _check_format(name: str | None) -> None:
    """Refuses the name of a spreadsheet, which is the plain table."""
    if name is not None and name.casefold() in _SPREADSHEETS:
        law = "there is no such format; a spreadsheet is a plain table"
        mend = "Leave --from out, or say --from table."
        raise InputError([Problem("--from", law, mend, got=repr(name))])


def _read(prepared: Prepared, about: About) -> Imported:
    """The import; where no row fits the tool that was named, a plain table is spoken of."""
    from metajudge.gold.importers.formats import TABLE
    from metajudge.gold.importing.importing import read_prepared

    try:
        return read_prepared(prepared, about)
    except GoldError:
        place = Path(prepared.source.place)
        if not prepared.notes or prepared.format.name == TABLE or not _is_sheet(place):
            raise
        law = f"no row fits {prepared.format.title}, and it looks like a plain table"
        raise GoldError(Problem(str(place), law, "Leave --from out.")) from None


def _placed(to: Path, imported: Imported, mode: Mode | None, *, shows: bool) -> Placing:
    """What becomes of the folder; where it holds another set, what differs is shown as well."""
    from metajudge.cli.import_shown import say_conflicts
    from metajudge.gold.importing.placing import placing

    try:
        return placing(to, imported, mode)
    except GoldError:
        if mode is None and shows:
            with suppress(GoldError, BrokenPipeError):
                say_conflicts(placing(to, imported, "add"))
        raise


def _is_sheet(place: Path) -> bool:
    return place.suffix.lower() in (".csv", ".tsv")


def _tell_unsettled(prepared: Prepared, about: About, plan: Placing | None) -> str:
    """Tells and gives what the user has to say of a table before it is written; "" for nothing."""
    if prepared.proposal is None or (plan is not None and plan.action == "same"):
        return ""
    text = prepared.proposal.unsettled(drops_unknown="unknown_label" in about.drop)
    lines = [f"{'  ' if line.startswith(' ') else ''}{inert(line)}" for line in text.splitlines()]
    if lines:
        tell("\n".join(lines))
    return text


def _confirmed(
    prepared: Prepared, plan: Placing | None, unsettled: str, *, asks: bool, yes: bool
) -> bool:
    """Whether the set may be written: nothing was guessed, or somebody says so."""
    if plan is None or plan.action == "same":
        return True
    if asks and _on_terminal():
        return _answered(prepared, plan)
    if unsettled or yes:
        return not unsettled
    if prepared.certain or prepared.proposal is None:
        return True
    tell(
        "Columns or label words were guessed. Look at them, then add --yes, or say it yourself:\n"
        f"  {inert(prepared.proposal.flags)}"
    )
    return False


def _answered(prepared: Prepared, plan: Placing) -> bool:
    """The answer on the terminal.

    Raises:
        typer.Exit: The question was broken off; code 4.
    """
    try:
        if typer.confirm(f"Write this to {inert(str(plan.folder))}?", default=False, err=True):
            return True
    except typer.Abort:
        tell("\ninterrupted: nothing is written")
        raise typer.Exit(EXIT_CANNOT_DECIDE) from None
    if prepared.proposal is not None:
        tell(
            f"To have it read otherwise, change these options:\n  {inert(prepared.proposal.flags)}"
        )
    return False


def _on_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def formats(as_json: JsonOption = False) -> None:
    """List the formats that can be imported: what to point at, labels, licence."""
    from metajudge.gold.importers.formats import formats as every

    if as_json:
        names = ("name", "title", "kind", "holds", "label_space", "mapping", "licence", "citation")
        say_json(
            [
                {name: getattr(form, name) for name in (*names, "url")} | {"hub": list(form.hub)}
                for form in every()
            ]
        )
        return
    rows = [[form.name, form.holds, form.label_space, form.licence] for form in every()]
    say_table(["format", "point at", "labels", "licence"], rows)


def datasheet(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="Folder of a gold set.")],
    write: Annotated[bool, typer.Option("--write", help="Write README.md of the folder.")] = False,
) -> None:
    """Show the datasheet of a gold set: origin, licence, counts, what was left out, corrections."""
    from metajudge.gold.datasheet import datasheet as page_of
    from metajudge.gold.datasheet import is_generated
    from metajudge.gold.goldset import load_goldset
    from metajudge.gold.writer import write_text

    page = page_of(load_goldset(path))
    if not write:
        say(page.rstrip("\n"))
        return
    target = path / "README.md"
    if not path.is_dir() or not is_generated(target):
        law = "it is no datasheet made here, so it is not written over"
        raise GoldError(Problem(str(target), law, "Move it away, or leave out --write."))
    write_text(target, page)
    say(f"written: {target}")
