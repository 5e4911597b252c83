"""`metajudge gold split`: deal contexts to dev and test, and say how evenly."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from metajudge.cli.gold_place import SetArgument, gold_place
from metajudge.cli.output import JsonOption, say, say_json, say_table, wrapped
from metajudge.counted import counted
from metajudge.errors import GoldError, Problem

if TYPE_CHECKING:
    from metajudge.gold.goldset import GoldSet
    from metajudge.gold.split import FrozenSplit, SplitBalance
    from metajudge.gold.split_doubts import ContextGroups

YesOption = Annotated[
    bool, typer.Option("--yes", "-y", help="Freeze the split in spite of its warnings.")
]


class _Dealt(NamedTuple):
    """A split with what is said of it."""

    frozen: FrozenSplit
    kept: bool
    groups: ContextGroups
    doubts: tuple[str, ...]


def split(
    path: SetArgument = None,
    dev_share: Annotated[
        float,
        typer.Option("--dev-share", min=0.01, max=0.99, help="Share of dev where none is frozen."),
    ] = 0.67,
    write: Annotated[
        bool, typer.Option("--write", help="Write the split into goldset.yaml; it then stays.")
    ] = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Deal contexts to dev and test by hash, evenly over labels and slices.

    Shows the balance; --write freezes it. A split that is frozen already is kept, and claims
    added later never move old ones.

    Where a part lacks a language or label, or the split is very uneven, --write ends with 2
    unless --yes is given.
    """
    from metajudge.gold.goldset import load_goldset
    from metajudge.gold.split import freeze_split
    from metajudge.gold.split_doubts import context_groups, split_doubts
    from metajudge.gold.writer import record_split

    goldset = load_goldset(gold_place(path))
    frozen = freeze_split(goldset, dev_share)
    kept = goldset.manifest.split is not None
    dealt = _Dealt(frozen, kept, context_groups(goldset, frozen), split_doubts(frozen))
    refused = write and not kept and not yes and bool(dealt.doubts)
    changed: tuple[Path, ...] = ()
    if write:
        folder = _folder(goldset)
        changed = () if refused else record_split(frozen.goldset, folder)
    if as_json:
        say_json(_split_fields(dealt, changed))
    else:
        _say_split(dealt)
    if refused:
        law = f"the split is not written: {'; '.join(dealt.doubts)}"
        mend = "Mend the set as told, or freeze the split as it is with --write --yes."
        raise GoldError(Problem(str(goldset.path), law, mend, field="split"))
    if not as_json:
        _say_end(goldset, write, kept, changed)


def _say_end(goldset: GoldSet, write: bool, kept: bool, changed: tuple[Path, ...]) -> None:
    if changed:
        say()
        say("written: " + ", ".join(map(str, changed)))
    elif write:
        say("nothing to write: the split is frozen already")
    if write:
        _say_use(_folder(goldset))
    elif not kept:
        say("nothing is written yet; --write freezes it")


def _folder(goldset: GoldSet) -> Path:
    folder = goldset.path
    if folder is None or not (folder / "goldset.yaml").is_file():
        law = "a split is written into the goldset.yaml of a folder, and there is none"
        mend = "Give the folder of a gold set; goldset.yaml names it."
        raise GoldError(Problem(str(folder or goldset.manifest.name), law, mend))
    return folder


def _say_split(dealt: _Dealt) -> None:
    frozen, balance = dealt.frozen, dealt.frozen.balance
    rule = frozen.goldset.manifest.split
    title = f"{frozen.goldset.manifest.name} {frozen.goldset.manifest.version}"
    source = "frozen already" if dealt.kept else f"best of {counted(balance.candidates, 'salts')}"
    say(wrapped(f"{title}: {_shares(balance)}; {source}"))
    if rule is not None:
        say(wrapped(f"salt {rule.salt!r}, wanted share of dev {rule.dev_share:g}"))
    if frozen.moved:
        say(wrapped(f"contexts that join an earlier group and move: {', '.join(frozen.moved)}"))
    _say_groups(dealt.groups)
    for doubt in dealt.doubts:
        say(wrapped(f"! {doubt}"))
    if dealt.doubts:
        from metajudge.gold.split_doubts import MEND

        say(wrapped(MEND))
    say()
    rows = [
        [cell.lang, cell.axis, cell.value, cell.claims, cell.dev, cell.claims - cell.dev]
        for cell in balance.cells
    ]
    say_table(["lang", "axis", "value", "claims", "dev", "test"], rows, right="claims dev test")


def _say_groups(groups: ContextGroups) -> None:
    if groups.largest is not None:
        share = "" if groups.share is None else f" ({groups.share:.0%} of all)"
        say(
            wrapped(
                f"{counted(groups.groups, 'groups')} of several contexts, "
                f"{groups.formed} of them formed here "
                f"of nearly equal texts; the largest is {groups.largest!r}: "
                f"{counted(groups.contexts, 'contexts')}, {counted(groups.claims, 'claims')}{share}"
            )
        )


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


def _split_fields(dealt: _Dealt, changed: tuple[Path, ...]) -> dict[str, Any]:
    frozen = dealt.frozen
    rule, balance = frozen.goldset.manifest.split, frozen.balance
    return {
        "frozen_before": dealt.kept,
        "rule": None if rule is None else rule.model_dump(mode="json"),
        "dev": balance.dev,
        "test": balance.test,
        "dev_share": balance.dev_share,
        "imbalance": balance.imbalance,
        "candidates": balance.candidates,
        "moved": list(frozen.moved),
        "cells": [cell._asdict() for cell in balance.cells],
        "context_groups": dealt.groups._asdict(),
        "doubts": list(dealt.doubts),
        "written": [str(path) for path in changed],
    }
