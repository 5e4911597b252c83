"""The facts a judge listed of a context, read from its reply."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from metajudge.verdicts.fact_json import read_fact_json
from metajudge.verdicts.fact_lines import read_fact_lines, without_mark
from metajudge.verdicts.refusal import is_refusal
from metajudge.verdicts.think import without_thoughts
from metajudge.verdicts.verdict import Failure, Reply

_CUT = ("length", "max_tokens")
_WITHHELD = ("content_filter", "safety", "refusal")
_FENCE_LINE = re.compile(r"^[ \t]*(?:```|~~~)[\w-]*[ \t]*\r?(?:\n|$)", re.MULTILINE)
_CUT_NOTE = "cut by the token limit; the unfinished last fact left out"
_EDGES = " \t.,;:!\"'`*_-()[]{}<>。，；：！、“”‘’「」『』（）【】《》"
_KIND = r"(?:factual |relevant |clear )?(?:facts?|statements?|information)"
_NONE = re.compile(
    r"none|null|nil|n/a"
    rf"|(?:there (?:are|is) )?no {_KIND}"
    r"(?: (?:is|are|was|were))?(?: (?:stated|found|given|listed))?"
    rf"(?: (?:in|by) (?:the|this) context)?"
    rf"|(?:the|this) context (?:is empty|(?:states|contains|gives) no {_KIND}"
    rf"|(?:does not|doesn't) (?:state|contain|give|provide) any {_KIND})"
    r"|无|没有|空|暂无"
    r"|(?:该|此|本)?(?:材料)?(?:中|里)?(?:并)?(?:没有|无|未)(?:陈述|包含|提供|给出|提到)?(?:任何)?"
    r"事实(?:陈述|内容|信息)?"
    r"|(?:该|此|本)?材料(?:内容)?(?:为空|是空的)"
)
_NONE_AND_WHY = re.compile(r"\W*(?:NONE\s*[.:;,–—(-]|无\s*[。：；，,.:;（(])")


class Truths(NamedTuple):
    """The facts of a context, or why there are none to be had.

    Attributes:
        facts: The facts in the reply's order, without list marks. () with no failure says that
            the judge found the context to state nothing: verdicts then see an empty context.
        failure: Set when the facts are unknown; no verdict may then be asked.
        detail: What was left out of the reply, or about the failure; None when nothing.
    """

    facts: tuple[str, ...]
    failure: Failure | None
    detail: str | None


def read_truths(reply: Reply, limit: int | None) -> Truths:
    r"""The facts that a reply lists; never raises on what a judge wrote.

    Read are dashes, bullets, numbers of all usual forms, JSON, and bare lines; fences and
    reasoning blocks are taken off. `NONE` or 无 is an answer: no facts. A reply of white space is
    the failure `empty`, never an empty context. Of a reply that the token limit cut, the last
    unfinished fact is left out and `detail` says so.

    Args:
        reply: The stored reply.
        limit: Most facts that were asked for; those beyond it are left out. None for no limit.

    >>> read_truths(Reply("- It rained.\n- It snowed."), None).facts
    ('It rained.', 'It snowed.')
    >>> read_truths(Reply("1、塔高90米。\n2、塔建于1931年。"), 1)
    Truths(facts=('塔高90米。',), failure=None, detail='facts beyond the limit of 1 left out: 1')
    >>> read_truths(Reply("NONE"), None)
    Truths(facts=(), failure=None, detail=None)
    >>> read_truths(Reply("  "), None).failure
    'empty'
    """
    if reply.failure is not None:
        detail = reply.failure_detail or f"the call ended in {reply.failure}"
        return _failed(reply.failure, detail)
    finish = (reply.finish_reason or "").casefold()
    if finish in _WITHHELD:
        return _failed("refused", "content filter: the provider withheld the reply")
    cut = finish in _CUT
    answer = without_thoughts(reply.text)
    text = _FENCE_LINE.sub("", answer.text)
    if not text.strip():
        return _nothing(unfinished=answer.unfinished, cut=cut)
    return _read(text, limit, cut=cut)


def _read(text: str, limit: int | None, *, cut: bool) -> Truths:
    as_json = read_fact_json(text, cut=cut)
    if as_json is None:
        return _from_lines(text, limit, cut=cut)
    if as_json.facts is None:
        return _failed("unparsable", "JSON that is no list of facts")
    if cut and not as_json.facts:
        return _nothing(unfinished=False, cut=True)
    return _kept(as_json.facts, limit, [_CUT_NOTE] if cut else [])


def _from_lines(text: str, limit: int | None, *, cut: bool) -> Truths:
    lines = read_fact_lines(text, cut=cut)
    if not lines.listed and not lines.partial and _says_none(text):
        return Truths((), None, None)
    if is_refusal(text) and (not lines.listed or len(lines.facts) <= 1):
        return _failed("refused", "the judge declines to list facts")
    if not lines.facts:
        if lines.partial:
            return _nothing(unfinished=False, cut=True)
        return _failed("unparsable", "no fact in the reply")
    notes = [_CUT_NOTE if lines.partial else "cut by the token limit"] if cut else []
    if lines.outside:
        notes.append(f"lines outside the list left out: {lines.outside}")
    return _kept(lines.facts, limit, notes)


def _kept(listed: Sequence[str], limit: int | None, notes: list[str]) -> Truths:
    """The facts without repetitions, `NONE` lines and those beyond the limit."""
    facts: dict[str, str] = {}
    stated = [fact for fact in map(_one_line, listed) if fact and not _is_none(fact)]
    for fact in stated:
        facts.setdefault(_folded(fact), fact)
    distinct = tuple(facts.values())
    if len(distinct) < len(stated):
        notes.append(f"repeated facts left out: {len(stated) - len(distinct)}")
    if limit is not None and len(distinct) > limit:
        notes.append(f"facts beyond the limit of {limit} left out: {len(distinct) - limit}")
    return Truths(distinct[:limit], None, "; ".join(notes) or None)


def _says_none(text: str) -> bool:
    """`NONE` or 无 and nothing else, or with an explanation behind it."""
    first = next(line for line in text.splitlines() if line.strip())
    return _is_none(first) or _NONE_AND_WHY.match(first) is not None


def _is_none(line: str) -> bool:
    bare = without_mark(line).strip(_EDGES)
    return _NONE.fullmatch(" ".join(bare.casefold().replace("’", "'").split())) is not None


def _one_line(fact: str) -> str:
    return " ".join(fact.split())


def _folded(fact: str) -> str:
    return unicodedata.normalize("NFKC", fact).casefold().strip(_EDGES)


def _nothing(*, unfinished: bool, cut: bool) -> Truths:
    if cut:
        return _failed("truncated", "the token limit ended the reply before any whole fact")
    if unfinished:
        return _failed("unparsable", "a reasoning block was opened and never closed")
    return _failed("empty", "empty reply")


def _failed(failure: Failure, detail: str) -> Truths:
    return Truths((), failure, detail)
