"""What is proposed for a small table, for every test of this room."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from metajudge.gold.importing.source import Source
from metajudge.gold.tables.proposal import Proposal, propose
from tests.gold.writing import csv_text


@pytest.fixture
def proposed(tmp_path: Path) -> Callable[..., Proposal]:
    """What is proposed for columns given by heading, one value a row or one for all rows."""

    def propose_for(sheet: dict[str, Any], *, rows: int = 4, **said: Any) -> Proposal:
        cells = [
            [
                (value[n % len(value)] if isinstance(value, list) else value)
                for value in sheet.values()
            ]
            for n in range(rows)
        ]
        path = tmp_path / "sheet.csv"
        path.write_text(csv_text([list(sheet), *cells]), encoding="utf-8")
        space = said.pop("space", None)
        return propose(Source(path, **said), space)

    return propose_for
