"""Parquet files, folders saved by `datasets`, and sets on the Hugging Face hub, as rows and back.

The one module that uses the `datasets` library. CSV and JSON Lines do not come here: type guessing
would turn texts into numbers, dates and schemas. Only `hf:` names touch the network.
"""

from __future__ import annotations

import logging
import math
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from metajudge.errors import Problem, short_repr
from metajudge.gold.rows import RowsRead, SourceRow

HUB = "hf:"
_PART = 5000
"""Rows that are turned into a table at a time."""
_SAVED = ("state.json", "dataset_dict.json")
_QUIET = {"HF_HUB_DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1"}
_OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}


def read_with_datasets(source: str | Path) -> RowsRead:
    """Rows of a `.parquet` file, a saved folder, or `hf:owner/name`.

    A saved folder or hub set with several splits is read as `<source>#<split>`; a hub set with
    several configurations as `hf:owner/name:config#split`.
    """
    name = str(source)
    if name.startswith(HUB):
        return _hub_rows(name)
    location, _, split = name.partition("#") if not Path(name).exists() else (name, "", "")
    path = Path(location)
    if path.suffix.lower() == ".parquet" and path.is_file():
        return _parquet_rows(path)
    if path.is_dir() and is_saved(path):
        return _saved_rows(path, name, split)
    return RowsRead((), (_unreadable(path, name),))


def rows_of_dataset(table: Any, name: str) -> RowsRead:
    """Rows of a `datasets` object at hand; one with several splits is refused.

    Args:
        table: A `Dataset`, or a `DatasetDict`.
        name: What it is called in messages.
    """
    return _one_split(table, name, "")


def dataset_of(rows: Sequence[Mapping[str, Any]]) -> Any:
    """A `datasets.Dataset` of rows that all have the same fields, each of one type."""
    with _datasets(_OFFLINE):
        import datasets

        return datasets.Dataset.from_list([dict(row) for row in rows])


def write_with_datasets(
    rows: Iterable[Mapping[str, Any]], path: Path, types: Mapping[str, Any] | None = None
) -> None:
    """Writes rows to a `.parquet` file, or to a folder as `save_to_disk` does; whole or not at all.

    Args:
        rows: All have the same fields, each of one type.
        path: What is there already is replaced.
        types: Of each field: a name such as `string`, a list of one type, or fields with types.
            With them, rows are taken a part at a time, and a field may be missing in all of them;
            None finds the types.
    """
    table = dataset_of(list(rows)) if types is None else _in_parts(rows, types)
    path.parent.mkdir(parents=True, exist_ok=True)
    with _datasets(_OFFLINE), tempfile.TemporaryDirectory(dir=path.parent) as draft:
        made = Path(draft) / path.name
        if path.suffix.lower() == ".parquet":
            table.to_parquet(str(made))
        else:
            table.save_to_disk(str(made))
            if path.is_dir():
                path.rename(Path(draft) / f"{path.name}.before")
        made.replace(path)


def _in_parts(rows: Iterable[Mapping[str, Any]], types: Mapping[str, Any]) -> Any:
    """A `datasets.Dataset` made a part at a time, which takes less memory than all rows at once."""
    with _datasets(_OFFLINE):
        import datasets

        features = datasets.Features({name: _feature(kind) for name, kind in types.items()})
        parts, left = [], iter(rows)
        while part := [dict(row) for row in islice(left, _PART)]:
            parts.append(datasets.Dataset.from_list(part, features=features))
        if not parts:
            return datasets.Dataset.from_dict({name: [] for name in types}, features=features)
        return datasets.concatenate_datasets(parts)


def _feature(kind: Any) -> Any:
    import datasets

    if isinstance(kind, str):
        return datasets.Value(kind)
    if isinstance(kind, list):
        return [_feature(kind[0])]
    return {name: _feature(part) for name, part in kind.items()}


def is_saved(path: Path) -> bool:
    """Whether a folder holds what `save_to_disk` writes."""
    return any((path / mark).is_file() for mark in _SAVED)


def _unreadable(path: Path, name: str) -> Problem:
    if path.is_dir():
        law = "the folder holds neither goldset.yaml nor a set saved by `datasets`"
        return Problem(name, law, "Add goldset.yaml beside claims.jsonl, or name the table itself.")
    if path.exists():
        law = f"a file ending in {path.suffix or 'nothing'} is not read as gold"
        return Problem(name, law, "Use .jsonl, .json, .csv, .tsv or .parquet.")
    mend = "Check the path; a set on the Hugging Face hub is written hf:owner/name."
    return Problem(name, "no such file or folder", mend)


def _parquet_rows(path: Path) -> RowsRead:
    with _datasets(_OFFLINE), tempfile.TemporaryDirectory() as cache:
        import datasets
        import pyarrow

        try:
            table = datasets.Dataset.from_parquet(str(path), cache_dir=cache, keep_in_memory=True)
        except (OSError, ValueError, pyarrow.ArrowException, datasets.exceptions.DatasetsError):
            law = "this is not a Parquet file that can be read"
            return RowsRead((), (Problem(str(path), law, "Write it again."),))
        return _rows(table, str(path))


def _saved_rows(path: Path, name: str, split: str) -> RowsRead:
    with _datasets(_OFFLINE):
        import datasets
        import pyarrow

        try:
            saved = datasets.load_from_disk(str(path), keep_in_memory=True)
        except (OSError, ValueError, LookupError, TypeError, pyarrow.ArrowException):
            law = "the folder holds no complete set saved by `datasets`"
            return RowsRead((), (Problem(name, law, "Save it again with save_to_disk."),))
        return _one_split(saved, name, split)


def _hub_rows(name: str) -> RowsRead:
    address, _, split = name.removeprefix(HUB).partition("#")
    owner_name, _, config = address.partition(":")
    with _datasets({}), _silent("datasets", "huggingface_hub"):
        import datasets

        try:
            found = datasets.load_dataset(owner_name, config or None)
        except (
            OSError,
            ValueError,
            RuntimeError,
            datasets.exceptions.DatasetsError,
        ) as error:
            reason = str(error).strip().split("\n", 1)[0].rstrip(". ") or type(error).__name__
            law = f"the set cannot be had from the Hugging Face hub: {reason}"
            mend = (
                "Check the name and the network, or save the set with save_to_disk where there is "
                "one and name the folder."
            )
            return RowsRead((), (Problem(name, law, mend),))
        return _one_split(found, name, split)


def _one_split(found: Any, name: str, split: str) -> RowsRead:
    if not isinstance(found, Mapping):
        return _rows(found, name)
    if not split and len(found) == 1:
        return _rows(next(iter(found.values())), name)
    if split in found:
        return _rows(found[split], name)
    law = f"the set has the splits {', '.join(found)}"
    mend = f"Name one: {name.partition('#')[0]}#{next(iter(found), 'train')}."
    return RowsRead((), (Problem(name, law, mend, got=short_repr(split) if split else None),))


def _rows(table: Any, name: str) -> RowsRead:
    classes = {
        column: feature.int2str
        for column, feature in table.features.items()
        if type(feature).__name__ == "ClassLabel"
    }
    rows = []
    for number, entry in enumerate(table, 1):
        fields = {column: _plain(value) for column, value in entry.items()}
        for column, name_of in classes.items():
            code = fields[column]
            fields[column] = None if code is None or code < 0 else name_of(code)
        rows.append(SourceRow(f"{name} row {number}", None, fields))
    return RowsRead(tuple(rows), ())


def _plain(value: Any) -> Any:
    """A missing number is a missing value, in nested places too: never a text `nan`."""
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items() if part is not None}
    return value


@contextmanager
def _silent(*loggers: str) -> Iterator[None]:
    """Libraries that write no warnings: what they retry ends in one message of ours."""
    known = [logging.getLogger(name) for name in loggers]
    levels = [logger.level for logger in known]
    for logger in known:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(known, levels, strict=True):
            logger.setLevel(level)


@contextmanager
def _datasets(settings: Mapping[str, str]) -> Iterator[None]:
    """The library with telemetry and progress bars off, and offline where so set; then as before.

    The settings are read when the library is first imported, so what it read is set too.
    """
    wanted = _QUIET | dict(settings)
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        import datasets
        from huggingface_hub import constants

        offline = "HF_HUB_OFFLINE" in settings
        places = [(datasets.config, "HF_HUB_OFFLINE"), (constants, "HF_HUB_OFFLINE")]
        states = [(place, name, getattr(place, name)) for place, name in places]
        bars = datasets.is_progress_bar_enabled()
        datasets.disable_progress_bars()
        for place, name, state in states:
            setattr(place, name, offline or state)
        try:
            yield
        finally:
            for place, name, state in states:
                setattr(place, name, state)
            if bars:
                datasets.enable_progress_bars()
    finally:
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.__setitem__(name, value)
