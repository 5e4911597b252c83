"""What `metajudge judge` shows on the terminal: release and policy beside every score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metajudge.cli.output import line_width, say, say_table, wrapped

if TYPE_CHECKING:
    from metajudge.release.judged import ExtractionAccount, Judged, JudgedSummary
    from metajudge.report.part import Figure
    from metajudge.report.words import Language

NAME_WIDTH, FIGURE_WIDTH = 14, 16
LEAST_BESIDE = 30
"""Columns that what a figure is about has beside it; with fewer it stands below."""
LOWEST = 5
"""Answers that are listed; the file and --json have all of them."""


def show(
    judged: Judged, out: Path | None, language: Language = "en", *, brief: bool = False
) -> None:
    """The account of all answers, the lowest of them, and where the rows are.

    Args:
        judged: The answers.
        out: Where the rows were written to.
        language: Of the account; what answers, claims and judges say stays as it is.
        brief: The figures alone.
    """
    from metajudge.report.translated import translated

    summary, account = judged.summary, _Account(language)
    account.head(summary)
    say()
    account.figures(summary)
    if summary.extraction is not None:
        say()
        account.extraction(summary.extraction)
    if not brief:
        account.lowest(judged)
        for note in (*summary.notes, *summary.calls.remarks):
            account.line("note", told=translated(note, language))
    if out is not None:
        account.line("written", n=len(judged.rows), out=out)
    elif not brief:
        account.line("not_written")


class _Account:
    def __init__(self, language: Language) -> None:
        self.language: Language = language

    def word(self, key: str, /, **values: object) -> str:
        from metajudge.report.words import word

        return word(f"judged.{key}", self.language, **values)

    def line(self, key: str, /, **values: object) -> None:
        say(wrapped(_shown(self.word(key, **values))))

    def head(self, summary: JudgedSummary) -> None:
        judge, threshold = summary.judge, f"{summary.threshold:g}"
        self.line("head", release=summary.release, policy=summary.policy, threshold=threshold)
        self.line("judge_pinned" if judge.is_pinned else "judge_other", spec=judge.spec)
        counts = summary.model_dump(include={"answers", "scored", "claims", "contexts"})
        self.line("counts", **counts)

    def figures(self, summary: JudgedSummary) -> None:
        by = {"release": summary.release, "policy": summary.policy}
        support = summary.support
        self.row("mean_score", summary.mean_score, self.word("mean_by", **by))
        at = self.word("pass_by", threshold=f"{summary.threshold:g}", **by)
        self.row("pass_rate", summary.pass_rate, at)
        self.row("support", support.raw, self.word("support_of"))
        self.row("corrected", support.corrected, self.word("corrected_by", n=support.labelled))
        lost = self.tally(summary.failures)
        coverage = self.word("failures", told=lost) if lost else self.word("no_failures")
        self.row("coverage", summary.coverage, coverage)
        if summary.repeat_sd is not None:
            self.row("score_sd", summary.repeat_sd, self.word("over_draws", n=summary.repeats))
        if summary.unscored:
            self.line("unscored", told=self.reasons(summary.unscored))

    def extraction(self, found: ExtractionAccount) -> None:
        self.line(
            "extracted",
            n=found.answers,
            templates=self.listed(found.templates),
            temperature=(
                self.word("temperature_of_server")
                if found.temperature is None
                else f"{found.temperature:g}"
            ),
        )
        if found.failures:
            self.line("extraction_failed", told=self.tally(found.failures))
        spread = found.spread
        if spread is None:
            self.line("one_draw")
            return
        self.row("score_sd", spread.score_sd, self.word("by_extraction", n=spread.draws))
        largest = "–" if spread.largest_range is None else f"{spread.largest_range:.2f}"
        self.row("range", spread.score_range, self.word("largest", range=largest))
        self.row("pass_changes", spread.pass_changes, self.word("pass_changes_of"))
        self.row("recurrence", spread.recurrence, self.word("recurrence_of"))

    def lowest(self, judged: Judged) -> None:
        from metajudge.release.judged_rows import costly

        rows = list(costly(judged.rows, LOWEST))
        if not rows:
            return
        say()
        headers = [self.word(key) for key in ("lowest", "score", "claims", "cost")]
        say_table(headers, [self.cells(row) for row in rows], right=" ".join(headers[1:3]))
        say()

    def cells(self, row: Mapping[str, Any]) -> tuple[object, ...]:
        cost = [claim for claim in row["verdicts"] if claim["lost_points"]]
        shown = ""
        if cost:
            first = cost[0]
            verdict = first["verdict"] or self.reason(first["failure"])
            shown = self.word("cost_of", verdict=verdict, claim=_cut(first["claim"]))
        more = f" (+{len(cost) - 1})" if len(cost) > 1 else ""
        return _cut(row["answer_id"], 16), f"{row['score']:.2f}", row["n_claims"], f"{shown}{more}"

    def row(self, name: str, figure: Figure, about: str) -> None:
        from metajudge.report.figure_text import UNDEFINED, with_interval

        shown = UNDEFINED if figure.value is None else with_interval(figure)
        reason = self.reason(figure.reason or "")
        if figure.value is not None:
            reason = self.word("and_reason", about=about, reason=reason) if reason else about
        _say_row(_padded(self.word(name), NAME_WIDTH) + _padded(shown, FIGURE_WIDTH), reason)

    def reason(self, text: str) -> str:
        from metajudge.report.translated import translated

        return translated(text, self.language)

    def reasons(self, counts: Mapping[str, int]) -> str:
        told = (self.word("reason_n", reason=self.reason(text), n=n) for text, n in counts.items())
        return self.word("list_semicolon").join(told)

    def tally(self, failures: Mapping[str, int]) -> str:
        return self.listed(f"{self.reason(name)} {n}" for name, n in failures.items())

    def listed(self, texts: Iterable[str]) -> str:
        from metajudge.report.words import word

        return word("list_comma", self.language).join(texts)


def _say_row(head: str, about: str) -> None:
    from metajudge.report.guideline_text import wrapped_cells

    columns = line_width()
    if columns - NAME_WIDTH - FIGURE_WIDTH >= LEAST_BESIDE:
        lines = wrapped_cells(_shown(about), columns, _shown(head), cut=True)
    else:
        lines = [_shown(head).rstrip(), *wrapped_cells(_shown(about), columns, "  ", cut=True)]
    say("\n".join(lines))


def _padded(text: str, columns: int) -> str:
    from rich.cells import cell_len

    return text + " " * (columns - cell_len(text))


def _cut(text: str, most: int = 32) -> str:
    from rich.cells import cell_len, chop_cells

    from metajudge.report.inert import one_line

    line = one_line(text)
    return line if cell_len(line) <= most else f"{chop_cells(line, most - 1)[0]}…"


def _shown(text: str) -> str:
    """Harmless on a terminal: names and reasons come from files and judges."""
    from metajudge.report.inert import visible

    return visible(text, keep="")
