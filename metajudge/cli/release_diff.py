"""`metajudge release diff`: what changes between two releases, and what number that makes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from metajudge.cli.output import JsonOption, console, say_json_text
from metajudge.cli.release_list import RegistryOption
from metajudge.cli.release_verify import GoldOption
from metajudge.counted import counted

if TYPE_CHECKING:
    from rich.console import RenderableType

    from metajudge.release.diff import GoldChange, ReleaseDiff
    from metajudge.report.consult_results import GoldFlip

_SIDE = "A release by name or path, as for show."
AArgument = Annotated[str, typer.Argument(metavar="A", help=_SIDE, show_default=False)]
BArgument = Annotated[str, typer.Argument(metavar="B", help=_SIDE, show_default=False)]
CLAIMS_SHOWN = 20
FIGURES = ("accuracy", "kappa", "summary_as_idk", "over_credit", "under_credit", "coverage")
STYLES = {"+": "green", "-": "red", "@": "cyan"}


def diff(
    a: AArgument,
    b: BArgument,
    *,
    gold: GoldOption = None,
    registry: RegistryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare two releases: B against A.

    Words of the templates, settings, gold verdicts by direction and slice, answer scores with
    paired intervals, and the number that B has to have after A. No judge is asked.
    """
    from metajudge.release.diff import diff as compared
    from metajudge.release.registry import resolve

    sides = (resolve(a, registry), resolve(b, registry))
    found = compared(*sides, gold)
    if as_json:
        say_json_text(found.model_dump_json(indent=2))
        return
    from rich.console import Group

    from metajudge.report.terminal_parts import columns_of, print_whole

    paper = console()
    print_whole(Group(*_parts(found, columns_of(paper.width))), paper)


def _parts(found: ReleaseDiff, columns: int) -> Iterator[RenderableType]:
    from metajudge.report.terminal_parts import dim, fields, plain, title

    yield fields([("A", f"{found.a}  {found.a_sha256}"), ("B", f"{found.b}  {found.b_sha256}")])
    if found.change is not None:
        yield from title(f"After A, B is {found.version}: {found.change.kind}")
        yield from (plain(f"- {reason}") for reason in found.change.reasons)
    yield from title("Templates")
    yield from _templates(found)
    yield from title("Settings")
    yield from _settings(found)
    if found.gold is not None:
        yield from _gold(found.gold, columns)
    yield from dim("", *found.notes)


def _templates(found: ReleaseDiff) -> Iterator[RenderableType]:
    from rich.text import Text

    from metajudge.report.inert import visible

    if not found.templates:
        yield Text("no difference")
    for template in found.templates:
        for line in template.lines:
            yield Text(visible(line, keep=""), style=STYLES.get(line[:1], ""), overflow="fold")


def _settings(found: ReleaseDiff) -> Iterator[RenderableType]:
    from rich.text import Text

    from metajudge.report.terminal_parts import plain

    if not found.fields:
        yield Text("no difference")
    for change in found.fields:
        yield plain(change.name, "bold")
        yield plain(f"- {_shown(change.a)}", STYLES["-"])
        yield plain(f"+ {_shown(change.b)}", STYLES["+"])


def _shown(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "; ".join(map(_shown, value)) or "nothing"
    return "nothing" if value is None else str(value)


def _gold(found: GoldChange, columns: int) -> Iterator[RenderableType]:
    from metajudge.report.figure_text import count, p_text, with_interval
    from metajudge.report.terminal_parts import filled, plain, title
    from metajudge.report.words import word_or_code

    splits = ", ".join(f"{count(n)} {split}" for split, n in found.splits.items())
    flips, told = found.flips, found.on_gold
    yield from title(f"Verdicts on {found.name} {found.version}: {counted(found.claims, 'claims')}")
    yield plain(
        f"{splits}; {count(flips.changed)} with another verdict "
        f"({with_interval(flips.flip_rate)}); {told.better} better, {told.worse} worse, "
        f"p {p_text(told.mcnemar_p)}"
    )
    if told.directions:
        yield filled(
            columns,
            ["direction", "claims", "right before", "right after", "slices"],
            [_direction(row) for row in told.directions],
            wide=4,
        )
    heads = ["figure", "A", "B", "B − A"]
    lines = [
        [
            word_or_code("figure", name, "en"),
            with_interval(told.current[name]),
            with_interval(told.proposed[name]),
            with_interval(told.differences[name], sign=True),
        ]
        for name in FIGURES
        if name in told.differences
    ]
    yield filled(columns, heads, lines)
    yield from _scores(found)
    yield from _claims(found, columns)


def _direction(row: GoldFlip) -> list[str]:
    from metajudge.report.figure_text import count, with_interval

    slices = ", ".join(f"{name} {n}" for name, n in row.slices.items())
    return [
        f"{row.was}->{row.now}",
        count(row.claims),
        with_interval(row.agrees_before),
        with_interval(row.agrees_after),
        slices,
    ]


def _scores(found: GoldChange) -> Iterator[RenderableType]:
    from metajudge.report.figure_text import with_interval
    from metajudge.report.terminal_parts import fields, title

    scores = found.scores
    yield from title(
        f"Scores of {counted(scores.answers, 'answers')}, each side under its own policy"
    )
    sides = (("A", scores.current), ("B", scores.proposed))
    yield fields(
        [
            *(
                (
                    name,
                    f"{side.policy}, passes from {side.threshold:g} on: mean "
                    f"{with_interval(side.mean)}, pass rate {with_interval(side.pass_rate)}",
                )
                for name, side in sides
            ),
            (
                "B − A",
                f"mean {with_interval(scores.mean_shift, sign=True)}, pass rate "
                f"{with_interval(scores.pass_rate_shift, sign=True)}; "
                f"{counted(scores.to_pass, 'answers')} "
                f"pass now, {scores.to_fail} pass no longer",
            ),
        ]
    )


def _claims(found: GoldChange, columns: int) -> Iterator[RenderableType]:
    from metajudge.report.terminal_parts import dim, filled, title

    if not found.changed:
        return
    yield from title("Claims with another verdict")
    heads = ["claim", "slice", "lang", "gold", "verdict"]
    lines = [
        [row.claim_id, row.slice or "–", row.lang, row.gold, f"{row.was}->{row.now}"]
        for row in found.changed[:CLAIMS_SHOWN]
    ]
    yield filled(columns, heads, lines)
    if found.changed[CLAIMS_SHOWN:]:
        yield from dim(f"and {len(found.changed) - CLAIMS_SHOWN} more; --json has them all")
