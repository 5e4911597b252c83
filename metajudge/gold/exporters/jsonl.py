"""JSON Lines: one claim a line with its context."""

from __future__ import annotations

from pathlib import Path

from metajudge.gold.exporters.form import Form, Wishes
from metajudge.gold.exporters.rows import NOT_IN_A_TABLE, table_rows
from metajudge.gold.goldset import GoldSet
from metajudge.gold.writer import json_text

FORM = Form(name="jsonl", title="JSON Lines", endings=(".jsonl", ".ndjson"))


def write(goldset: GoldSet, path: Path, wishes: Wishes) -> tuple[str, ...]:
    """Writes one row a line, in UTF-8."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(f"{json_text(row)}\n" for row in table_rows(goldset))
    return (NOT_IN_A_TABLE,)
