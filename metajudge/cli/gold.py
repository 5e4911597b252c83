"""`metajudge gold`: its verbs in the order of use; look at a gold set, count it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from metajudge.cli.gold_agree import agree
from metajudge.cli.gold_export import export
from metajudge.cli.gold_import import datasheet, formats, import_
from metajudge.cli.gold_next import next_
from metajudge.cli.gold_place import SetArgument, gold_place
from metajudge.cli.gold_policy import policy
from metajudge.cli.gold_split import split
from metajudge.cli.guard import guarded
from metajudge.cli.output import JsonOption, say, say_json, say_table, wrapped
from metajudge.counted import counted
from metajudge.errors import EXIT_USAGE

if TYPE_CHECKING:
    from metajudge.gold.counts import Axis, GoldCounts
    from metajudge.gold.goldset import GoldSet
    from metajudge.gold.lint import LintReport

_MARKS = {"error": "✗", "warning": "!", "note": "·"}


def check(path: SetArgument = None, as_json: JsonOption = False) -> None:
    """Find what is wrong or doubtful in a gold set.

    Ends with 2 when a finding is an error; warnings and notes end with 0.
    """
    from metajudge.gold.lint import check_goldset

    goldset = _load(path)
    found = check_goldset(goldset)
    if as_json:
        say_json(_check_fields(goldset, found))
    else:
        for finding in found.findings:
            head = f"{_MARKS[finding.severity]} {finding.severity} {finding.code}"
            say(wrapped(f"{head} [{finding.where}]: {finding.message}. {finding.mend}"))
        counts = [(kind, found.count(kind)) for kind in ("error", "warning", "note")]
        told = ", ".join(counted(n, f"{kind}s") for kind, n in counts)
        say(f"{_title(goldset)}: {told}")
    if not found.passed:
        raise typer.Exit(EXIT_USAGE)


def stats(path: SetArgument = None, as_json: JsonOption = False) -> None:
    """Count claims by split, language, label and slice."""
    from metajudge.gold.counts import count_claims

    goldset = _load(path)
    counts = count_claims(goldset)
    if as_json:
        say_json(_counts_fields(goldset, counts))
        return
    say(_title(goldset))
    say(
        wrapped(
            f"{counted(counts.claims, 'claims')}, {counts.judged} "
            f"judged ({counts.excluded} excluded, "
            f"{counts.model_labelled} labelled by a model), {counted(counts.answers, 'answers')}, "
            f"{counted(counts.contexts, 'contexts')}, {counted(counts.annotators, 'annotators')}"
        )
    )
    if counts.pending or counts.corrected or counts.stale:
        say(
            wrapped(
                f"{counted(counts.pending, 'more claims wait')} for a "
                f"label, {counts.stale} for relabelling; "
                f"{counted(counts.corrected, 'labels were')} corrected"
            )
        )
    for axis in ("label", "slice"):
        say()
        _say_counts(counts, axis)


def _load(path: str | None) -> GoldSet:
    from metajudge.gold.goldset import load_goldset

    return load_goldset(gold_place(path))


def _title(goldset: GoldSet) -> str:
    return f"{goldset.manifest.name} {goldset.manifest.version}"


def _say_counts(counts: GoldCounts, axis: Axis) -> None:
    """One row a label or slice, one column a language, with splits where there are any."""
    splits = sorted({cell.split for cell in counts.cells})
    columns = [(part, lang) for part in splits for (lang,) in counts.by("lang")]
    cells = counts.by("split", "lang", axis)
    single = len(splits) == 1
    heads = [lang if single else f"{part} {lang}" for part, lang in columns]
    rows = [
        [value, *(cells.get((part, lang, value), 0) for part, lang in columns), total]
        for (value,), total in counts.by(axis).items()
    ]
    say_table([axis, *heads, "all"], rows)


def _check_fields(goldset: GoldSet, found: LintReport) -> dict[str, Any]:
    return {
        "name": goldset.manifest.name,
        "version": goldset.manifest.version,
        "passed": found.passed,
        "errors": found.count("error"),
        "warnings": found.count("warning"),
        "findings": [asdict(finding) for finding in found.findings],
    }


def _counts_fields(goldset: GoldSet, counts: GoldCounts) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "name": goldset.manifest.name,
        "version": goldset.manifest.version,
        "sha256": goldset.sha256,
    }
    names = (
        *("claims", "judged", "excluded", "model_labelled", "answers", "contexts", "annotators"),
        *("pending", "corrected", "stale"),
    )
    fields |= {name: getattr(counts, name) for name in names}
    fields["cells"] = [cell._asdict() for cell in counts.cells]
    return fields


app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Import, check, split, agree on, and export gold sets.",
)
for verb_name, verb in (
    ("import", import_),
    ("formats", formats),
    ("check", check),
    ("stats", stats),
    ("split", split),
    ("agree", agree),
    ("next", next_),
    ("policy", policy),
    ("datasheet", datasheet),
    ("export", export),
):
    app.command(verb_name)(guarded(verb))
