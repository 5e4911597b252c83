"""`consult.json`: its JSON schema and its text."""

from __future__ import annotations

from typing import Any

from metajudge.report.consult_results import ConsultReport
from metajudge.report.schemas import schema_of


def consult_schema() -> dict[str, Any]:
    """JSON schema (2020-12) of `consult.json`.

    >>> consult_schema()["title"]
    'metajudge consult'
    """
    return schema_of(ConsultReport, "metajudge consult")


def consult_text(report: ConsultReport) -> str:
    """The text of `consult.json`; equal reports give equal bytes."""
    return report.model_dump_json(indent=2) + "\n"
