"""What people read: terminal, HTML, markdown and CSV, all made from one `Results`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from metajudge.report.csv_rows import write_csv
    from metajudge.report.html import html_page, write_html
    from metajudge.report.markdown import render_markdown
    from metajudge.report.results import Results
    from metajudge.report.results_file import read_results, results_schema, write_results
    from metajudge.report.terminal import print_terminal, render_terminal

__all__ = [
    "Results",
    "html_page",
    "print_terminal",
    "read_results",
    "render_markdown",
    "render_terminal",
    "results_schema",
    "write_csv",
    "write_html",
    "write_results",
]
_HOMES = {
    "Results": "results",
    "html_page": "html",
    "print_terminal": "terminal",
    "read_results": "results_file",
    "render_markdown": "markdown",
    "render_terminal": "terminal",
    "results_schema": "results_file",
    "write_csv": "csv_rows",
    "write_html": "html",
    "write_results": "results_file",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{home}"), name)
