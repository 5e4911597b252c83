"""Other spacing and other forms of the same characters; words and digits stay as they are."""

from __future__ import annotations

import re

_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_LATIN_BESIDE_HAN = re.compile(f"(?<=[{_HAN}])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[{_HAN}])")
_SENTENCE_GAP = re.compile("([.!?][\"')\\]\u201d\u2019]?) (?=\\S)")
_HALF_WIDTH = str.maketrans("，。；：（）！？", ",.;:()!?")
# Between letters or digits a full-width mark keeps apart what a half-width one would join: 5。3.
_FULL_WIDTH = re.compile(r"(?<![\dA-Za-z])[，。；：！？]|[，。；：！？](?![\dA-Za-z])|[（）]")
_LETTER = r"[^\W\d_]"
_APOSTROPHE = re.compile(f"(?<={_LETTER})'(?={_LETTER})")
# Pairs only: a mark after a digit may stand for feet or inches.
_QUOTED = re.compile(r'(?<!\w)"(?=\S)([^"]+)(?<=\S)"(?!\w)', re.ASCII)
_SINGLE_QUOTED = re.compile(r"(?<!\w)'(?=\S)([^']+)(?<=\S)'(?!\w)", re.ASCII)
_HYPHEN = re.compile("(?<=[A-Za-z])-(?=[A-Za-z])")


def spaced(text: str) -> str:
    """Two spaces between Latin sentences, and a space between Chinese and Latin or digits.

    >>> spaced("It ran 3.5 h. It stopped.")
    'It ran 3.5 h.  It stopped.'
    """
    return _LATIN_BESIDE_HAN.sub(" ", _SENTENCE_GAP.sub(r"\1  ", text))


def widened(text: str) -> str:
    r"""Half-width Chinese punctuation; curly quotes and apostrophes, true hyphens in Latin words.

    >>> widened("网元（SMF）负责，不是AMF。")
    '网元(SMF)负责,不是AMF.'
    >>> widened("it's well-known") == "it\u2019s well\u2010known"
    True
    """
    text = _FULL_WIDTH.sub(lambda mark: mark[0].translate(_HALF_WIDTH), text)
    text = _APOSTROPHE.sub("\u2019", text)
    text = _QUOTED.sub("\u201c\\1\u201d", text)
    text = _SINGLE_QUOTED.sub("\u2018\\1\u2019", text)
    return _HYPHEN.sub("\u2010", text)
