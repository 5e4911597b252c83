"""CSV for spreadsheets: UTF-8 with a byte order mark, every cell quoted, no cell a formula."""

from __future__ import annotations

import csv
from pathlib import Path

from metajudge.counted import counted
from metajudge.errors import GoldError, Problem, short_repr
from metajudge.gold import formula_guard
from metajudge.gold.exporters.form import Form, Wishes
from metajudge.gold.exporters.rows import COLUMNS, NOT_IN_A_TABLE, table_rows
from metajudge.gold.goldset import GoldSet
from metajudge.gold.writer import csv_text

FORM = Form(name="csv", title="CSV", endings=(".csv",))
EXCEL_CELL = 32_767
"""Characters that a cell of Excel holds (Microsoft, *Excel specifications and limits*)."""


def write(goldset: GoldSet, path: Path, wishes: Wishes) -> tuple[str, ...]:
    """Writes one row a claim with lists as JSON in a cell; lines end as RFC 4180 has it.

    Raises:
        GoldError: A text holds U+0000, which no spreadsheet can hold.
    """
    columns = (*COLUMNS, formula_guard.COLUMN)
    encoding = "utf-8-sig" if wishes.byte_order_mark else "utf-8"
    problems, longer = [], 0
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
        writer.writerow(columns)
        for row in table_rows(goldset):
            cells = formula_guard.guarded({name: csv_text(row.get(name)) for name in COLUMNS})
            problems += _unwritable(cells)
            longer += sum(len(cell) > EXCEL_CELL for cell in cells.values())
            writer.writerow([cells[name] for name in columns])
    if problems:
        raise GoldError(problems)
    if longer:
        return (
            f"{counted(longer, 'cells are')} longer than the {EXCEL_CELL} characters that Excel "
            "holds: a file that is saved there loses the rest of them",
            NOT_IN_A_TABLE,
        )
    return (NOT_IN_A_TABLE,)


def _unwritable(cells: dict[str, str]) -> list[Problem]:
    law, mend = "the text holds U+0000, which no spreadsheet can hold", "Export as jsonl."
    got = short_repr(cells["claim_id"])
    return [
        Problem("csv", law, mend, field=name, got=got)
        for name, cell in cells.items()
        if "\x00" in cell
    ]
