"""Small tables of statements, passages and labels, and what is proposed for one."""

from pathlib import Path
from typing import Any

import pytest

from metajudge.gold.importing.source import Source
from metajudge.gold.tables.proposal import Proposal, propose
from tests.gold.writing import csv_text

LONG = [
    "The town library opens at nine on weekdays and closes at six; on Saturdays it closes at one.",
    "Boats to the island leave every hour from the east pier, and bicycles travel free of charge.",
    "图书馆工作日上午九点开门，晚上六点关门；周六下午一点关门，节假日另行通知。",
    "The museum shop sells maps and postcards; it is open whenever the museum itself is open.",
]
SHORT = ["It opens at nine.", "Boats leave hourly.", "周六下午关门。", "The shop sells maps."]
THREE = ["Supported", "Contradicted", "Not mentioned", "Supported"]


@pytest.fixture
def proposed(tmp_path: Path):
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


TEXTS: dict[str, Any] = {"Claim": SHORT, "Context": LONG}
