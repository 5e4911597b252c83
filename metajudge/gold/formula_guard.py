"""Cells of a CSV file that no spreadsheet takes for a formula, and the texts back from them.

A text that begins like a formula gets an apostrophe in front (OWASP, *CSV Injection*; a sign of
equality, plus, minus or at, also after white space or as a wide character, and a tab or line end).
Which cells of a row got one stands in a column of its own, so that a text which has an apostrophe
of its own is never mistaken for one.
"""

from __future__ import annotations

from collections.abc import Mapping

COLUMN = "formula_guard"
"""Names, separated by blanks, of the columns whose cell in this row got an apostrophe."""
MARK = "'"
_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
_SPACES = ("\t", "\r", "\n")


def looks_like_formula(text: str) -> bool:
    r"""Whether a spreadsheet may take a cell for a formula.

    >>> looks_like_formula("=1+1"), looks_like_formula(" @SUM(A1)"), looks_like_formula("a=b")
    (True, True, False)
    """
    return text.startswith(_SPACES) or text.lstrip().startswith(_STARTS)


def guarded(cells: Mapping[str, str]) -> dict[str, str]:
    """The cells of a row, made safe, with a cell that says which ones were.

    >>> guarded({"claim_id": "c1", "claim": "-1 is less than 0."})
    {'claim_id': 'c1', 'claim': "'-1 is less than 0.", 'formula_guard': 'claim'}
    """
    marked = [name for name, cell in cells.items() if looks_like_formula(cell)]
    safe = {name: f"{MARK}{cell}" if name in marked else cell for name, cell in cells.items()}
    return safe | {COLUMN: " ".join(marked)}


def unguarded(cells: Mapping[str, str]) -> dict[str, str]:
    """The cells as they were before `guarded`; cells without its column are as they are.

    >>> unguarded({"claim": "'-1 is less than 0.", "note": "'tis", "formula_guard": "claim"})
    {'claim': '-1 is less than 0.', 'note': "'tis"}
    """
    marked = cells.get(COLUMN, "").split()
    return {
        name: cell.removeprefix(MARK) if name in marked else cell
        for name, cell in cells.items()
        if name != COLUMN
    }
