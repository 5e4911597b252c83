"""Sentences of answers and passages, English and Chinese: units of whatever goes by sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from metajudge.gold.importing.sentences import BEGINS, sentences_of

SPLITTER = "metajudge-sentences/2"
"""Name and version of the rules, kept with whatever was made by them."""

_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_CODE_BLOCK = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n(.*?)(?:^[ \t]*\1[ \t]*$|\Z)", re.M | re.S)
_WHOLE = re.compile(
    r"`[^`\n]+`|\"[^\"\n]{2,300}\"|“[^”\n]{2,300}”|「[^」\n]{2,300}」|『[^』\n]{2,300}』"
    r"|《[^》\n]{1,300}》|【[^】\n]{2,300}】|\([^()\n]{2,300}\)|（[^（）\n]{2,300}）"
)
_BOLD = re.compile(r"\*\*[^*\n]{1,300}\*\*")
_STOPS = "。！？"
_CLOSERS = ('"', ")", "】", "**")
"""Marks after a Chinese full stop that the rules underneath take for the next sentence's."""
_ENDS = re.compile(r"[.!?。！？；;](?=.)")
_NEVER_ENDS = re.compile(
    r"\b(?:e\.g|i\.e|cf|viz|approx|ca|Figs?|Eqs?|Tab|Secs?|Chap|Arts?|Vols?|pp|Nos|Mr|Mrs|Ms|Dr|"
    r"Prof|Hon|Mt|Ft|Gov|Gen|Sen|Rep|Rev|Lt|Col|Sgt|Capt|[Ff]ig|[Nn]o(?=\.\s*\d))\.(?=\s)"
)
_SELDOM_ENDS = re.compile(
    r"\b(?:etc|et al|a\.m|p\.m|Ph\.D|M\.D|B\.A|B\.Sc|M\.Sc|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|"
    r"Nov|Dec|Co|Bros|Dept|Univ|Assn|Est|Ave|Blvd|Rd|Jr|Sr|Inc|Ltd|Corp|incl|excl|min|max)"
    rf"\.(?=\s+(?!{BEGINS.pattern}))"
)
_ENDS_ALL_THE_SAME = re.compile(
    r"(?:(?:^|(?<=[.!?] ))(?:[Nn]o)|(?<=[a-z]) [A-Z])(\.)(?=\s+" + BEGINS.pattern + ")", re.M
)
_HALF_WIDTH_ENDS = re.compile(rf"(?<=[{_HAN}）”」》%\d])[.!?;](?=[{_HAN}“「《])")
_WRAPPED = re.compile(r"(?<=[a-z,;]{2})\n(?=[ \t]*[a-z]{2})")
_LEADING_MARK = re.compile(r"(?:#{1,6}\s+|>\s*|\[[ xX]\]\s+)+")
_WORD = re.compile(r"\w")


@lru_cache(maxsize=4096)
def sentences(text: str, lang: str) -> tuple[str, ...]:
    """The sentences of a text, in order, without list numbers, bullets and heading marks.

    They are those that importers of gold take apart, with these rules on top: a semicolon ends a
    sentence in Chinese; what stands in quotation marks, brackets or code is not taken apart; a
    block of code is one sentence; a line that goes on in lower case was wrapped. Where a full
    stop may belong to an abbreviation, sentences stay joined rather than break.

    Args:
        text: Any text; "" has none.
        lang: `zh`, with or without a region, also takes half-width marks between Chinese
            characters for ends; anything else is read as English. Full-width marks count in either.

    Returns:
        Sentences with a letter or digit in them; a line of marks alone is none.

    >>> sentences("Take 3.5 mg, e.g. in v1.2.3. Then rest.", "en")
    ('Take 3.5 mg, e.g. in v1.2.3.', 'Then rest.')
    >>> sentences("他说：“好。走吧。”续航8小时；支持快充！", "zh")
    ('他说：“好。走吧。”', '续航8小时；', '支持快充！')
    """
    return tuple(part for part in _parts(text, lang) if _WORD.search(part))


def _parts(text: str, lang: str) -> Iterator[str]:
    start = 0
    for block in _CODE_BLOCK.finditer(text):
        yield from _of_prose(text[start : block.start()], lang)
        yield block[2].strip("\n")
        start = block.end()
    yield from _of_prose(text[start:], lang)


def _of_prose(text: str, lang: str) -> Iterator[str]:
    for found in sentences_of(_with_plain_ends(text, lang)):
        part = " ".join(text[found.end - len(found.text) : found.end].split())
        yield _LEADING_MARK.sub("", part, count=1).strip()


def _with_plain_ends(text: str, lang: str) -> str:
    """A text of the same length whose marks end a sentence where they should, and only there."""
    text = _WHOLE.sub(lambda found: _whole(found[0]), text)
    text = _BOLD.sub(lambda found: _with_stop_last(found[0]), text)
    text = _ENDS_ALL_THE_SAME.sub(lambda found: found[0][:-1] + "。", text)
    for joined in (_NEVER_ENDS, _SELDOM_ENDS):
        text = joined.sub(lambda found: found[0][:-1] + "·", text)
    text = _WRAPPED.sub(" ", text).replace("；", "。")
    chinese = re.split("[-_]", lang)[0].casefold() == "zh"
    return _HALF_WIDTH_ENDS.sub("。", text) if chinese else text


def _whole(text: str) -> str:
    """A stretch in marks, or a title, without ends in it but a last one."""
    if text.endswith("》"):
        return _ENDS.sub("·", text)
    return _with_stop_last(_ENDS.sub("·", text[:-2]) + text[-2:])


def _with_stop_last(text: str) -> str:
    """Closing marks before the full stop that stands in them: it ends the sentence after them."""
    for closer in _CLOSERS:
        at = len(text) - len(closer) - 1
        if text.endswith(closer) and text[at] in _STOPS:
            return f"{text[:at]}{closer}{text[at]}"
    return text
