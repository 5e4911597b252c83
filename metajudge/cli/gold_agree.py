"""`metajudge gold agree`: how far annotators agree, and which claims they should settle."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metajudge.cli.gold_place import SetArgument, gold_place
from metajudge.cli.output import say_json, tell
from metajudge.counted import counted

if TYPE_CHECKING:
    from metajudge.gold.goldset import GoldSet


class SliceBy(Enum):
    """What claims are grouped by."""

    slice = "slice"
    lang = "lang"
    domain = "domain"
    none = "none"


OWN_STEMS = {"goldset", "claims", "contexts"}
"""Files of a gold folder, without the ending."""
SliceByOption = Annotated[
    list[SliceBy] | None,
    typer.Option(
        "--slice-by",
        help="Group claims by this; repeatable.  [default: slice, lang]",
        show_default=False,
    ),
]
SoftOption = Annotated[
    Path | None,
    typer.Option(
        "--soft", metavar="FILE", help="Write votes and their shares, one claim a line, as JSONL."
    ),
]
LevelOption = Annotated[
    float, typer.Option("--level", min=0.5, max=0.999, help="Coverage of the intervals.")
]
ResamplesOption = Annotated[
    int, typer.Option("--resamples", min=200, max=20_000, help="Resamples of contexts.")
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Of the resamples.")]
JsonOption = Annotated[bool, typer.Option("--json", help="As JSON, with every pair and claim.")]


def agree(
    path: SetArgument = None,
    *,
    slice_by: SliceByOption = None,
    soft: SoftOption = None,
    level: LevelOption = 0.95,
    resamples: ResamplesOption = 2000,
    seed: SeedOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Show how far annotators agree, and which claims need settling.

    In pairs, all together, by slice, each with the others and over time. Ends with 0 also where
    agreement cannot be measured yet; it then says what is missing.
    """
    from metajudge.cli.gold_agree_text import say_report
    from metajudge.gold.goldset import load_goldset
    from metajudge.labelling.agree import SLICE_BY, agreement_report

    place = gold_place(path)
    if soft is not None:
        _must_not_be_of_the_set(soft, Path(place))
    goldset = load_goldset(place)
    wanted = {each.value for each in slice_by or (SliceBy.slice, SliceBy.lang)}
    found = agreement_report(
        goldset,
        slice_by=[by for by in SLICE_BY if by in wanted],
        level=level,
        resamples=resamples,
        seed=seed,
    )
    if soft is not None:
        _write_soft(goldset, soft)
    if as_json:
        say_json(asdict(found))
    else:
        say_report(found, place)


def _must_not_be_of_the_set(file: Path, place: Path) -> None:
    from metajudge.errors import InputError, Problem

    target, source = file.resolve(), place.resolve()
    own = target.parent == source and target.stem in OWN_STEMS
    if own or target == source or target.parent == source / "annotations":
        law = "--soft would write over the gold set itself"
        raise InputError(Problem(str(file), law, "Name another file, such as soft.jsonl."))


def _write_soft(goldset: GoldSet, file: Path) -> None:
    from metajudge.labelling.votes import soft_labels, votes_of
    from metajudge.report.written_file import write_whole

    rows: Sequence[str] = [
        json.dumps(row, ensure_ascii=False) for row in soft_labels(votes_of(goldset))
    ]
    write_whole(file, "".join(f"{row}\n" for row in rows))
    tell(f"{file}: votes and shares of {counted(len(rows), 'claims')}")
