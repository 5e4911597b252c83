"""`metajudge gold`: look at a gold set, count it, split it."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from metajudge.cli.gold_agree import agree
from metajudge.cli.gold_export import export
from metajudge.cli.gold_import import datasheet, formats, import_
from metajudge.cli.gold_next import next_
from metajudge.cli.gold_place import SetArgument, gold_place
from metajudge.cli.gold_policy import policy
from metajudge.cli.guard import guarded
from metajudge.cli.output import say, say_json, say_table, wrapped
from metajudge.errors import EXIT_USAGE, GoldError, Problem

if TYPE_CHECKING:
    from metajudge.gold.counts import Axis, GoldCounts
    from metajudge.gold.goldset import GoldSet
    from metajudge.gold.lint import LintReport
    from metajudge.gold.split import FrozenSplit, SplitBalance

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Check, count and split a gold set."
)
JsonOption = Annotated[bool, typer.Option("--json", help="As JSON.")]
_MARKS = {"error": "✗", "warning": "!", "note": "·"}
app.command()(guarded(agree))
app.command()(guarded(policy))
app.command()(guarded(export))
app.command("import")(guarded(import_))
app.command()(guarded(formats))
app.command()(guarded(datasheet))
app.command("next")(guarded(next_))


@app.command()
@guarded
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
        told = ", ".join(f"{n} {kind}{'' if n == 1 else 's'}" for kind, n in counts)
        say(f"{_title(goldset)}: {told}")
    if not found.passed:
        raise typer.Exit(EXIT_USAGE)


@app.command()
@guarded
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
            f"{counts.claims} claims, {counts.judged} judged ({counts.excluded} excluded, "
            f"{counts.model_labelled} labelled by a model), {counts.answers} answers, "
            f"{counts.contexts} contexts, {counts.annotators} annotators"
        )
    )
    if counts.pending or counts.corrected or counts.stale:
        say(
            wrapped(
                f"{counts.pending} more claims wait for a label, {counts.stale} for relabelling; "
                f"{counts.corrected} labels were corrected"
            )
        )
    for axis in ("label", "slice"):
        say()
        _say_counts(counts, axis)


@app.command()
@guarded
def split(
    path: SetArgument = None,
    dev_share: Annotated[
        float,
        typer.Option("--dev-share", min=0.01, max=0.99, help="Share of dev where none is frozen."),
    ] = 0.67,
    write: Annotated[
        bool, typer.Option("--write", help="Write the split into goldset.yaml; it then stays.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Deal contexts to dev and test by hash, evenly over labels and slices.

    Shows the balance; --write freezes it. A split that is frozen already is kept, and claims
    added later never move old ones.
    """
    from metajudge.gold.split import freeze_split
    from metajudge.gold.writer import record_split

    goldset = _load(path)
    frozen = freeze_split(goldset, dev_share)
    changed: tuple[Path, ...] = ()
    if write:
        changed = record_split(frozen.goldset, _folder(goldset))
    kept = goldset.manifest.split is not None
    if as_json:
        say_json(_split_fields(frozen, kept, changed))
        return
    _say_split(frozen, kept)
    if changed:
        say()
        say("written: " + ", ".join(map(str, changed)))
    elif write:
        say("nothing to write: the split is frozen already")
    if write:
        _say_use(_folder(goldset))
    elif not kept:
        say("nothing is written yet; --write freezes it")


def _load(path: str | None) -> GoldSet:
    from metajudge.gold.goldset import load_goldset

    return load_goldset(gold_place(path))


def _folder(goldset: GoldSet) -> Path:
    folder = goldset.path
    if folder is None or not (folder / "goldset.yaml").is_file():
        law = "a split is written into the goldset.yaml of a folder, and there is none"
        mend = "Give the folder of a gold set; goldset.yaml names it."
        raise GoldError(Problem(str(folder or goldset.manifest.name), law, mend))
    return folder


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


def _say_split(frozen: FrozenSplit, kept: bool) -> None:
    balance = frozen.balance
    rule = frozen.goldset.manifest.split
    source = "frozen already" if kept else f"best of {balance.candidates} salts"
    say(wrapped(f"{_title(frozen.goldset)}: {_shares(balance)}; {source}"))
    if rule is not None:
        say(wrapped(f"salt {rule.salt!r}, wanted share of dev {rule.dev_share:g}"))
    if frozen.moved:
        say(wrapped(f"contexts that join an earlier group and move: {', '.join(frozen.moved)}"))
    say()
    rows = [
        [cell.lang, cell.axis, cell.value, cell.claims, cell.dev, cell.claims - cell.dev]
        for cell in balance.cells
    ]
    say_table(["lang", "axis", "value", "claims", "dev", "test"], rows, right="claims dev test")


def _say_use(folder: Path) -> None:
    """What an experiment has to say for its test claims to stay sealed."""
    place = str(folder) if re.fullmatch(r"[\w./-]+", str(folder)) else json.dumps(str(folder))
    say(
        wrapped(
            "Name the split in the experiment: a sweep without it judges the test claims too, and "
            "then nothing is left to confirm the winner on (the path as seen from its file):"
        )
    )
    say(f"  gold: {{path: {place}, split: dev}}")


def _shares(balance: SplitBalance) -> str:
    share = "" if balance.dev_share is None else f" ({100 * balance.dev_share:.0f} % dev)"
    even = "" if balance.imbalance is None else f", imbalance {balance.imbalance:.2f} (chance: 1)"
    return f"dev {balance.dev}, test {balance.test}{share}{even}"


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


def _split_fields(frozen: FrozenSplit, kept: bool, changed: tuple[Path, ...]) -> dict[str, Any]:
    rule, balance = frozen.goldset.manifest.split, frozen.balance
    return {
        "frozen_before": kept,
        "rule": None if rule is None else rule.model_dump(mode="json"),
        "dev": balance.dev,
        "test": balance.test,
        "dev_share": balance.dev_share,
        "imbalance": balance.imbalance,
        "candidates": balance.candidates,
        "moved": list(frozen.moved),
        "cells": [cell._asdict() for cell in balance.cells],
        "written": [str(path) for path in changed],
    }
