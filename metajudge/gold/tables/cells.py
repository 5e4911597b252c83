"""Cells of a table as texts, labels, times and lists; what a spreadsheet broke is missing."""

from __future__ import annotations

import json
import re
from typing import Any

from metajudge.gold.claim_rows import MISSING_WORDS
from metajudge.gold.importing.words import moment

_BROKEN = re.compile(
    r"#(?:N/?A|REF!|VALUE!|NAME\?|DIV/0!|NULL!|NUM!|SPILL!|CALC!|FIELD!|GETTING_DATA|ERROR!|####*)"
    r"|=[\w\"'(+\-@{\[].*",
    re.IGNORECASE | re.DOTALL,
)
_DATE = re.compile(
    r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?"
    r"(?: +(\d{1,2})[:：时](\d{1,2})(?:[:：分](\d{1,2})秒?)?)?"
)
_REFERENCE = re.compile(
    r"(?:https?://|www\.|file:|s3:|doi:|10\.\d{4,}/)\S+|[^\s\u3400-\u9fff]+\.(?:pdf|html?|docx?|txt|md)"
    r"|(?=\S*\d)[A-Za-z0-9_\-:#/]{1,64}",
    re.IGNORECASE,
)
_SECONDS = re.compile(r"(\d+(?:\.\d+)?)\s*(?:s|sec|secs|seconds|秒)?", re.IGNORECASE)


def text_of(cell: Any) -> str | None:
    """The text of a cell without outer blanks; None where it holds none that can be meant.

    A formula, and what a spreadsheet writes for one that failed, is no text.

    >>> text_of(" Tea. "), text_of("#N/A"), text_of("=A1+1"), text_of("'=A1 is."), text_of(2.0)
    ('Tea.', None, None, "'=A1 is.", '2')
    """
    if cell is None or isinstance(cell, list | dict):
        return None
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    text = str(cell).strip()
    if not text or text in MISSING_WORDS:
        return None
    return None if text[0] in "#=" and _BROKEN.fullmatch(text) else text


def passages_in(cell: Any) -> tuple[str, ...]:
    """The passages of a cell: a text, or a list of texts as JSON has it; () where there is none.

    >>> passages_in('["Tea.", "茶。"]'), passages_in("Tea."), passages_in("#REF!")
    (('Tea.', '茶。'), ('Tea.',), ())
    """
    if isinstance(cell, str) and cell[:1] in "[ \n" and cell.lstrip().startswith('["'):
        try:
            cell = json.loads(cell)
        except (ValueError, RecursionError):
            pass
    if not isinstance(cell, list):
        text = text_of(cell)
        return () if text is None else (text,)
    texts = (text_of(part) for part in cell)
    return tuple(text for text in texts if text is not None)


def is_reference(text: str) -> bool:
    """Whether a text is an address, a file name or an id rather than something to read.

    >>> [is_reference(text) for text in ("https://a.org/b", "doc-12", "a.pdf", "Tea.", "茶")]
    [True, True, True, False, False]
    """
    return bool(_REFERENCE.fullmatch(text))


def time_of(cell: Any) -> str | None:
    """A point in time as ISO 8601; None where it cannot be told, as with day and month by numbers.

    >>> time_of("2025/3/1 9:05"), time_of("2025年3月1日"), time_of("3/1/2025") is None
    ('2025-03-01T09:05:00', '2025-03-01T00:00:00', True)
    """
    if cell is None:
        return None
    found = _DATE.fullmatch(cell.strip()) if isinstance(cell, str) else None
    if found is not None:
        year, *rest = (int(part or 0) for part in found.groups())
        cell = "{}-{:02}-{:02}T{:02}:{:02}:{:02}".format(year, *rest)
    time = moment(cell)
    return None if time is None else time.isoformat()


def seconds_of(cell: Any) -> float | None:
    """A duration in seconds, 0 or more; None where it is none.

    >>> seconds_of("12.5 s"), seconds_of(3), seconds_of("1:20") is None
    (12.5, 3.0, True)
    """
    if cell is None or isinstance(cell, bool | list | dict):
        return None
    found = _SECONDS.fullmatch(str(cell).strip())
    return None if found is None else float(found[1])
