"""Parquet: one row a claim with its context, annotations as a list of records."""

from __future__ import annotations

from pathlib import Path

from metajudge.gold.exporters.form import Form, Wishes
from metajudge.gold.exporters.rows import NOT_IN_A_TABLE, TYPES, full_rows
from metajudge.gold.goldset import GoldSet

FORM = Form(name="parquet", title="Parquet", endings=(".parquet",))


def write(goldset: GoldSet, path: Path, wishes: Wishes) -> tuple[str, ...]:
    """Writes the file by the `datasets` library."""
    from metajudge.gold.tabular import write_with_datasets

    write_with_datasets(full_rows(goldset), path, TYPES)
    return (NOT_IN_A_TABLE,)
