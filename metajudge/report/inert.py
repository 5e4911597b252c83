"""Text that people or models wrote, made harmless for the place where it is shown."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

_BIDI_OVERRIDES = frozenset(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A))))
_LINE_ENDS = frozenset("\u2028\u2029")
_FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]#!~|$^]|^[-+=](?=[-+=]*(?:\s|$)))")
_BACKTICKS = re.compile(r"`+")
_SCRIPT_ESCAPES = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}


def _is_hidden(char: str) -> bool:
    if char in _BIDI_OVERRIDES or char in _LINE_ENDS:
        return True
    if "\U000e0000" <= char <= "\U000e0fff":
        return True
    return unicodedata.category(char) in ("Cc", "Cs")


def visible(text: str, keep: str = "\n\t") -> str:
    r"""The text with control characters, bidi overrides and lone surrogates spelled out.

    Letters of every script, emoji and their joiners stay as they are. Such a text can neither
    move a terminal's cursor, nor show its words in another order, nor fail to encode as UTF-8.

    Args:
        text: Anything.
        keep: Control characters that stay.

    >>> visible("a\x1b[31mb")
    'a⟨1B⟩[31mb'
    """
    if text.isascii() and text.isprintable():
        return text
    normal = text.replace("\r\n", "\n")
    return "".join(
        f"⟨{ord(char):02X}⟩" if char not in keep and _is_hidden(char) else char for char in normal
    )


def one_line(text: str) -> str:
    r"""`visible` on one line: runs of white space become one space.

    >>> one_line("a\n\n b\tc")
    'a b c'
    """
    return " ".join(visible(text).split())


def markdown_text(text: str) -> str:
    r"""One line of prose for GitHub markdown: no markup, HTML, link, mention or issue reference.

    >>> markdown_text("<b>*a*|b</b> @me")
    '&lt;b&gt;\\*a\\*\\|b&lt;/b&gt; @\u200bme'
    """
    line = _MARKDOWN.sub(r"\\\1", one_line(text))
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    line = line.replace("://", "&#58;//").replace("www.", "www&#46;")
    line = line.replace("@", "@\u200b").replace("\\#", "\\#\u200b")
    line = re.sub(r"\b(GH)-(?=\d)", "\\1-\u200b", line, flags=re.I)
    return re.sub(r"^(\d+)([.)])", r"\1\\\2", line)


def markdown_code(text: str, *, in_table: bool = False) -> str:
    r"""A code span that holds the text as it is; pipes are escaped inside a table.

    >>> markdown_code("a`b|c", in_table=True)
    '``a`b\\|c``'
    """
    line = one_line(text)
    if in_table:
        line = line.replace("|", "\\|")
    longest = max((len(run) for run in _BACKTICKS.findall(line)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if line.startswith("`") or line.endswith("`") or not line else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def csv_cell(text: str) -> str:
    """A cell that no spreadsheet takes for a formula: such a text gets an apostrophe in front.

    >>> csv_cell("=1+1")
    "'=1+1"
    >>> csv_cell("plain")
    'plain'
    """
    cell = visible(text)
    return f"'{cell}" if cell.lstrip().startswith(_FORMULA_STARTS) or cell[:1] == "\t" else cell


def script_json(value: Any) -> str:
    """JSON for a script element: it can hold neither `</script>` nor a line separator.

    Raises:
        ValueError: For nan or infinity.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return re.sub(r"[<>&\u2028\u2029]", lambda found: _SCRIPT_ESCAPES[found[0]], text)
