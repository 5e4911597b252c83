"""`metajudge report`: reports made again from a results file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metajudge.cli.output import LangOption, ReportLanguage, console, say, tell
from metajudge.cli.writable import check_folder
from metajudge.counted import counted

if TYPE_CHECKING:
    from metajudge.gold.goldset import GoldSet
    from metajudge.report.results import Results


def report(
    results: Annotated[Path, typer.Argument(metavar="RESULTS.JSON", help="What a sweep wrote.")],
    *,
    html: Annotated[Path | None, typer.Option("--html", help="Write the HTML report.")] = None,
    md: Annotated[Path | None, typer.Option("--md", help="Write the markdown report.")] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="Write the first-draw verdicts.")
    ] = None,
    gold: Annotated[
        str | None,
        typer.Option("--gold", help="The gold set, for the texts of claims and contexts."),
    ] = None,
    lang: LangOption = ReportLanguage.en,
) -> None:
    """Make reports again from results.json.

    Without options the report is printed. A results file holds no texts: claims and contexts come
    from --gold.
    """
    from metajudge.report.results_file import read_results

    found = read_results(results)
    claims = None if gold is None else _read_gold(gold, found)
    wanted = [path for path in (html, md, csv) if path is not None]
    for path in wanted:
        check_folder(path.parent, [path.name])
    if not wanted:
        from metajudge.report.terminal import print_terminal

        print_terminal(found, console(), lang.code)
    if html is not None:
        from metajudge.report.html import write_html

        write_html(found, claims, html, lang.code)
    if md is not None:
        from metajudge.report.markdown import render_markdown
        from metajudge.report.written_file import write_whole

        write_whole(md, render_markdown(found, lang.code))
    if csv is not None:
        from metajudge.report.csv_rows import write_csv

        write_csv(found, claims, csv)
    for path in wanted:
        say(str(path))


def _read_gold(place: str, found: Results) -> GoldSet:
    """The gold set, with a warning where it is not the one that was judged."""
    from metajudge.gold.goldset import load_goldset

    gold = load_goldset(place)
    labels = {claim.claim_id: claim.label for claim in gold.claims}
    absent = sum(claim.claim_id not in labels for claim in found.claims)
    other = sum(labels.get(claim.claim_id, claim.gold) != claim.gold for claim in found.claims)
    if absent or other:
        tell(
            f"{place} is not quite the set that was judged: {absent} "
            f"of {counted(len(found.claims), 'claims')} "
            f"are not in it, {other} have another label now. Figures stay as they were measured."
        )
    return gold
