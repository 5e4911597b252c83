"""The table of forms: one name, one module."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from metajudge.errors import GoldError, Problem
from metajudge.gold.exporters.form import Form, Writer
from metajudge.gold.named_modules import named_module

MODULES: dict[str, str] = {
    "jsonl": "jsonl",
    "csv": "csv_table",
    "parquet": "parquet",
    "label-studio": "label_studio",
    "datasets": "saved_dataset",
    "folder": "gold_folder",
}
"""`--as` name: module of this package that declares `FORM` and `write`."""


def form_named(name: str) -> Form:
    """The declaration of a form.

    Raises:
        GoldError: There is none of that name.
    """
    return _module(name).FORM  # type: ignore[no-any-return]


def writer_named(name: str) -> Writer:
    """The function that writes a form.

    Raises:
        GoldError: There is none of that name.
    """
    return _module(name).write  # type: ignore[no-any-return]


def form_of(path: Path) -> Form:
    """The form that a file's ending stands for.

    Raises:
        GoldError: No form has the ending.
    """
    forms = [form_named(name) for name in MODULES]
    found = next((form for form in forms if path.suffix.lower() in form.endings), None)
    if found is None:
        told = ", ".join(ending for form in forms for ending in form.endings)
        law = f"the form is told from the ending ({told}), and this is none of them"
        mend = f"Say it: --as {'|'.join(MODULES)}."
        raise GoldError(Problem(str(path), law, mend, field="--as"))
    return found


def _module(name: str) -> Any:
    return named_module(name, MODULES, "metajudge.gold.exporters", "--as", "form")
