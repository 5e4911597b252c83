"""A folder as `datasets.Dataset.save_to_disk` writes it, with the rows of the Parquet file."""

from __future__ import annotations

from pathlib import Path

from metajudge.gold.exporters.form import Form, Wishes
from metajudge.gold.exporters.rows import NOT_IN_A_TABLE, TYPES, full_rows
from metajudge.gold.goldset import GoldSet

FORM = Form(name="datasets", title="Hugging Face datasets", endings=(), is_folder=True)


def write(goldset: GoldSet, path: Path, wishes: Wishes) -> tuple[str, ...]:
    """Writes the folder by the `datasets` library."""
    from metajudge.gold.tabular import write_with_datasets

    write_with_datasets(full_rows(goldset), path, TYPES)
    return (NOT_IN_A_TABLE,)
