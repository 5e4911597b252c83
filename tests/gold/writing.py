"""Tables as spreadsheet programs write them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence


def csv_text(rows: Iterable[Sequence[object]], separator: str = ",", end: str = "\r\n") -> str:
    """Rows as CSV; every cell that needs quotes has them."""
    text = io.StringIO(newline="")
    # Python's writer knows no need for quotes around a line feed where rows end otherwise.
    quoting = csv.QUOTE_ALL if end == "\r" else csv.QUOTE_MINIMAL
    writer = csv.writer(text, delimiter=separator, lineterminator=end, quoting=quoting)
    writer.writerows(rows)
    return text.getvalue()
