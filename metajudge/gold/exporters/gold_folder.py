"""A gold folder with everything that people did since in its claims file; it needs no log."""

from __future__ import annotations

import shutil
from pathlib import Path

from metajudge.gold.exporters.form import Form, Wishes
from metajudge.gold.goldset import GoldSet
from metajudge.gold.writer import write_goldset

FORM = Form(name="folder", title="gold folder", endings=(), is_folder=True)
_LEDGER = "ledger.jsonl"


def write(goldset: GoldSet, path: Path, wishes: Wishes) -> tuple[str, ...]:
    """Writes manifest, claims and contexts, and takes the ledger of test labels along.

    A copy without the ledger would make looks at the test split unseen.
    """
    write_goldset(goldset, path)
    ledger = None if goldset.path is None else goldset.path / _LEDGER
    if ledger is not None and ledger.is_file():
        shutil.copyfile(ledger, path / _LEDGER)
    return ()
