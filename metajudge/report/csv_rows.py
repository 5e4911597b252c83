"""First-draw verdicts as lines of CSV, for a spreadsheet: no text can become a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from metajudge.gold.goldset import GoldSet
from metajudge.report.inert import csv_cell
from metajudge.report.ranked import RankedTrial, ranked_trials
from metajudge.report.results import Results
from metajudge.report.written_file import write_whole

COLUMNS = (
    "claim_id",
    "answer_id",
    "context_id",
    "lang",
    "slice",
    "gold",
    "trial",
    "reading",
    "verdict",
    "p_yes",
    "p_no",
    "p_idk",
    "reason",
    "failure",
    "claim",
)


def write_csv(results: Results, gold: GoldSet | None, path: str | Path) -> Path:
    """Writes one line a verdict: UTF-8 with BOM, so that spreadsheets read Chinese.

    A text that a spreadsheet would take for a formula starts with an apostrophe. What is not
    there (reason, probability, text without a gold set) is an empty cell.

    Raises:
        InputError: When the place cannot be written to.
    """
    texts = {} if gold is None else {claim.claim_id: claim.claim for claim in gold.claims}
    sheet = io.StringIO()
    writer = csv.writer(sheet, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in ranked_trials(results):
        writer.writerows(_lines(results, row, texts))
    return write_whole(path, sheet.getvalue(), encoding="utf-8-sig")


def _lines(results: Results, row: RankedTrial, texts: dict[str, str]) -> Iterator[list[str]]:
    found = row.verdicts
    if found is None:
        return
    for index, claim in enumerate(results.claims):
        triple = found.probabilities[index] if found.probabilities else None
        shares = ("", "", "") if triple is None else tuple(f"{p:.6g}" for p in triple)
        cells = (
            claim.claim_id,
            claim.answer_id,
            claim.context_id,
            claim.lang,
            claim.slice or "",
            claim.gold,
            row.trial,
            row.reading,
            found.verdicts[index],
            *shares,
            found.reasons.get(claim.claim_id, ""),
            found.failures.get(claim.claim_id, ""),
            texts.get(claim.claim_id, ""),
        )
        yield [csv_cell(cell) for cell in cells]
