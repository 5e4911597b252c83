"""What `metajudge judge` shows on the terminal: release and policy beside every score."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metajudge.cli.output import NARROWEST, WIDEST, console, say, say_table, wrapped
from metajudge.counted import counted

if TYPE_CHECKING:
    from metajudge.release.judged import ExtractionAccount, Judged, JudgedSummary
    from metajudge.report.part import Figure

NAME_WIDTH, FIGURE_WIDTH = 14, 16
LOWEST = 5
"""Answers that are listed; the file and --json have all of them."""


def show(judged: Judged, out: Path | None, *, brief: bool = False) -> None:
    """The account of all answers, the lowest of them, and where the rows are.

    Args:
        judged: The answers.
        out: Where the rows were written to.
        brief: The figures alone.
    """
    summary = judged.summary
    _head(summary)
    say()
    _figures(summary)
    if summary.extraction is not None:
        say()
        _extraction(summary.extraction)
    if not brief:
        _lowest(judged)
        for note in summary.notes:
            say(_line(f"note: {note}"))
    if out is not None:
        say(_line(f"{counted(len(judged.rows), 'answers')} written to {out}"))
    elif not brief:
        say("--out FILE writes one row an answer, with every verdict.")


def _head(summary: JudgedSummary) -> None:
    say(_line(f"{summary.release} · policy {summary.policy} · threshold {summary.threshold:g}"))
    pinned = "as pinned" if summary.judge.is_pinned else "NOT the pinned one"
    say(_line(f"judge {summary.judge.spec} ({pinned})"))
    claims, contexts = counted(summary.claims, "claims"), counted(summary.contexts, "contexts")
    say(_line(f"{counted(summary.answers, 'answers')}, {summary.scored} with a score; "
              f"{claims}; {contexts}"))  # fmt: skip


def _figures(summary: JudgedSummary) -> None:
    by = f"{summary.release}, {summary.policy}"
    _row("mean score", summary.mean_score, by)
    _row("pass rate", summary.pass_rate, f"at {summary.threshold:g}; {by}")
    support = summary.support
    _row("support rate", support.raw, "of claims asked, as the judge has it")
    _row(
        "corrected",
        support.corrected,
        f"for its errors on {counted(support.labelled, 'gold claims')}",
    )
    _row("coverage", summary.coverage, _failures(summary))
    if summary.repeat_sd is not None:
        _row(
            "score SD",
            summary.repeat_sd,
            f"over {counted(summary.repeats, 'draws')} of its verdicts",
        )
    if summary.unscored:
        told = "; ".join(f"{reason} ({n})" for reason, n in summary.unscored.items())
        say(_line(f"without a score: {told}"))


def _failures(summary: JudgedSummary) -> str:
    if not summary.failures:
        return "no failures"
    told = ", ".join(f"{name} {n}" for name, n in summary.failures.items())
    return f"failures: {told}"


def _extraction(found: ExtractionAccount) -> None:
    temperature = "server's" if found.temperature is None else f"{found.temperature:g}"
    say(_line(f"claims of {counted(found.answers, 'answers')} extracted by "
              f"{', '.join(found.templates)} at temperature {temperature}"))  # fmt: skip
    if found.failures:
        told = ", ".join(f"{name} {n}" for name, n in found.failures.items())
        say(_line(f"failed, so without a score: {told}"))
    spread = found.spread
    if spread is None:
        say("one draw: --extraction-repeats 3 shows what extraction does to the score")
        return
    _row("score SD", spread.score_sd, f"by extraction alone, {counted(spread.draws, 'draws')}")
    largest = "–" if spread.largest_range is None else f"{spread.largest_range:.2f}"
    _row("range", spread.score_range, f"largest {largest}")
    _row("pass and fail", spread.pass_changes, "share of answers that do both")
    _row("claims recur", spread.recurrence, "share found again in another draw")


def _lowest(judged: Judged) -> None:
    from metajudge.release.judged_rows import costly

    rows = list(costly(judged.rows, LOWEST))
    if not rows:
        return
    say()
    headers = ("lowest", "score", "claims", "cost points")
    say_table(headers, [_cells(row) for row in rows], right="score claims")
    say()


def _cells(row: Mapping[str, Any]) -> tuple[object, ...]:
    cost = [claim for claim in row["verdicts"] if claim["lost_points"]]
    shown = f"{cost[0]['verdict'] or cost[0]['failure']}: {_cut(cost[0]['claim'])}" if cost else ""
    more = f" (+{len(cost) - 1})" if len(cost) > 1 else ""
    return _cut(row["answer_id"], 16), f"{row['score']:.2f}", row["n_claims"], f"{shown}{more}"


def _cut(text: str, most: int = 32) -> str:
    from metajudge.report.inert import one_line

    line = one_line(text)
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _row(name: str, figure: Figure, about: str) -> None:
    from metajudge.report.figure_text import UNDEFINED, with_interval

    shown = UNDEFINED if figure.value is None else with_interval(figure)
    reason = figure.reason if figure.value is None else about
    if figure.value is not None and figure.reason:
        reason = f"{about}; {figure.reason}"
    line = textwrap.fill(
        _shown(f"{name:<{NAME_WIDTH}}{shown:<{FIGURE_WIDTH}}{reason}"),
        max(NARROWEST, min(console().width, WIDEST)),
        subsequent_indent=" " * (NAME_WIDTH + FIGURE_WIDTH),
    )
    say(line)


def _line(text: str) -> str:
    return wrapped(_shown(text))


def _shown(text: str) -> str:
    """Harmless on a terminal: names and reasons come from files and judges."""
    from metajudge.report.inert import visible

    return visible(text, keep="")
