"""An answer taken apart into sentences that can be taken out of it again, cleanly.

What is judged are the sentences of `judges.sentences`. Headings and lines that only lead
in to a list or table (`The fees are:`) state little by themselves: they are not judged, and go when
everything under them has gone. They are short, hold no figure and have something judged under them;
otherwise they are sentences like all others. Whatever else is shown has been judged.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from metajudge.judges.sentences import sentences
from metajudge.metrics.selfcheck.lines import POINT, Block, Kind, blocks_of

MOST_OF_A_FRAME = 60
"""Longest heading or lead-in in characters; what is longer is judged as a sentence."""

_COLONS = (":", "：")
_WORD = re.compile(r"\w")
_MARK = re.compile(rf"(?:{POINT.pattern})?(?:[ \t>]*#{{1,6}}[ \t]+)?(?:\[[ xX]\][ \t]+)?")
_UNDER: frozenset[str] = frozenset({"point", "table_row", "table_head", "code"})
_FIGURE = re.compile(r"\d|[一二三四五六七八九十百千万亿两]+(?:个|元|天|年|月|日|人|次|%)")
_PLAIN = re.compile(
    r"(?!.*\s\s)[A-Za-z\u4e00-\u9fff][^\n\r\t.!?。！？；;:：|\"“”「」《》()（）`]{2,}[.!?。！？]?(?<!\s)"
)
"""One sentence beyond doubt: no mark inside that could end it, no mark of a list before it."""
_PROSE = Block(0, 0, "prose")
_BLANKS = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")


class Sentence(NamedTuple):
    """One sentence of an answer.

    Attributes:
        text: What is asked about; of a table row its cells with the names of their columns.
        start: Where it begins in the answer.
        end: Where it ends.
    """

    text: str
    start: int
    end: int


class Part(NamedTuple):
    """Blocks that stand or go together, with the sentences in them.

    Attributes:
        start: Where it begins in the answer.
        end: Where it ends.
        block: The first block.
        sentences: Indices of the sentences.
        is_frame: A heading or lead-in, which is not judged.
    """

    start: int
    end: int
    block: Block
    sentences: tuple[int, ...]
    is_frame: bool


@dataclass(frozen=True, slots=True)
class Pieces:
    """An answer and its sentences.

    Attributes:
        answer: The answer.
        sentences: What is judged, in order.
        parts: All of the answer, in order.
    """

    answer: str
    sentences: tuple[Sentence, ...]
    parts: tuple[Part, ...]

    def without(self, removed: Collection[int]) -> str:
        """The answer without some sentences; what is left stays as it was written.

        List points, table rows and blocks of code go with the last sentence in them, headings and
        lead-ins with the last thing under them. Blank lines that are left over are closed up.

        Args:
            removed: Indices of sentences.
        """
        gone = set(removed)
        if not gone:
            return self.answer
        dropped, text = self._dropped(gone), ""
        for place, part in enumerate(self.parts):
            if place in dropped:
                continue
            left = self._left(part, gone)
            begins_line = part.start == 0 or self.answer[part.start - 1] == "\n"
            text += left if begins_line or place - 1 not in dropped else left.lstrip(" ")
        if dropped:
            text = _BLANKS.sub("\n\n", text)
        return text.strip("\n").rstrip()

    def _dropped(self, gone: set[int]) -> set[int]:
        """Places of the parts that go altogether."""
        dropped = {
            place
            for place, part in enumerate(self.parts)
            if part.sentences and gone.issuperset(part.sentences)
        }
        ends = _ends_of_scopes([part.block for part in self.parts])
        # The next part that tells something, and the next one that does and stays.
        telling = staying = len(self.parts)
        for place in reversed(range(len(self.parts))):
            part = self.parts[place]
            if part.is_frame and telling < ends[place] <= staying:
                dropped.add(place)
            if part.sentences or part.is_frame:
                telling = place
                staying = staying if place in dropped else place
        return dropped

    def _left(self, part: Part, gone: set[int]) -> str:
        """A part without the sentences that have gone."""
        if gone.isdisjoint(part.sentences):
            return self.answer[part.start : part.end]
        first, last = self.sentences[part.sentences[0]], self.sentences[part.sentences[-1]]
        text, gap = self.answer[part.start : first.start], ""
        before: Sentence | None = None
        begun = False
        for index in part.sentences:
            sentence = self.sentences[index]
            if before is not None and (index - 1 not in gone or not gap):
                gap = self.answer[before.end : sentence.start]
            if index not in gone:
                text += (gap if begun else "") + self.answer[sentence.start : sentence.end]
                begun, gap = True, ""
            before = sentence
        return _even(text) + self.answer[last.end : part.end]


def pieces_of(answer: str, lang: str) -> Pieces:
    r"""An answer taken apart.

    Args:
        answer: Plain text or Markdown.
        lang: Language tag; `zh…` is split as Chinese, all else as English.

    >>> pieces = pieces_of("The fees:\n- Adults pay 5. Children pay 2.\n- Tea is free.", "en")
    >>> [sentence.text for sentence in pieces.sentences]
    ['Adults pay 5.', 'Children pay 2.', 'Tea is free.']
    >>> pieces.without({0, 2})
    'The fees:\n- Children pay 2.'
    """
    if _PLAIN.fullmatch(answer):
        whole = (Sentence(answer, 0, len(answer)),)
        return Pieces(answer, whole, (Part(0, len(answer), _PROSE, (0,), False),))
    found = list(_located(answer, sentences(answer, "zh" if lang.startswith("zh") else "en")))
    if "\n" not in answer:
        return _one_line(answer, found)
    drafts = [_draft(answer, *joined) for joined in _joined(blocks_of(answer), found)]
    drafts = list(_lead_ins(answer, drafts))
    _with_columns(answer, drafts)
    judged: list[Sentence] = []
    parts: list[Part] = []
    ends = _ends_of_scopes([draft.block for draft in drafts])
    first = _next_ones([bool(draft.inside) and not draft.is_frame for draft in drafts])
    for place, draft in enumerate(drafts):
        frame = draft.is_frame and first[place + 1] < ends[place]
        inside = [] if frame else draft.inside
        numbers = tuple(range(len(judged), len(judged) + len(inside)))
        judged += inside
        parts.append(Part(draft.start, draft.end, draft.block, numbers, frame))
    return Pieces(answer, tuple(judged), tuple(parts))


def _one_line(answer: str, found: Sequence[Sentence]) -> Pieces:
    """The same for an answer of one line, in which nothing stands under anything."""
    (block,) = blocks_of(answer) or (Block(0, 0, "blank"),)
    judged = tuple(_draft(answer, 0, len(answer), block, list(found)).inside)
    return Pieces(answer, judged, (Part(0, len(answer), block, tuple(range(len(judged))), False),))


@dataclass
class _Draft:
    """A part before it is known whether it is a frame."""

    start: int
    end: int
    block: Block
    inside: list[Sentence]
    is_frame: bool = False


def _located(answer: str, texts: Sequence[str]) -> Iterator[Sentence]:
    """Where each sentence stands; white space may differ, as wrapped lines are joined."""
    place = 0
    for text in texts:
        start = answer.find(text, place)
        end = start + len(text)
        if start < 0:
            flexible = re.compile(r"\s+".join(map(re.escape, text.split())))
            match = flexible.search(answer, place)
            if match is None:
                continue
            start, end = match.span()
        yield Sentence(text, start, end)
        place = end


def _joined(
    blocks: Sequence[Block], found: Sequence[Sentence]
) -> Iterator[tuple[int, int, Block, list[Sentence]]]:
    """Blocks with their sentences; those that a sentence goes across are joined."""
    place, taken = 0, 0
    while place < len(blocks):
        first, end = blocks[place], blocks[place].end
        inside: list[Sentence] = []
        while taken < len(found) and found[taken].start < end:
            inside.append(found[taken])
            taken += 1
            while inside[-1].end > end:
                place += 1
                end = blocks[place].end
        yield first.start, end, first, inside
        place += 1


def _draft(answer: str, start: int, end: int, block: Block, inside: list[Sentence]) -> _Draft:
    """A part with sentences that hold every word in it."""
    text = answer[start:end].strip()
    begins = start + answer[start:end].index(text)
    if block.kind == "table_head":
        return _Draft(start, end, block, [Sentence(text, begins, begins + len(text))], True)
    if block.kind in ("code", "table_row"):
        told = text if block.kind == "code" else "; ".join(_cells(text))
        return _Draft(start, end, block, [Sentence(told, begins, begins + len(text))])
    if block.kind != "blank":
        inside = list(_covering(answer, _after_mark(answer, start, end), end, inside))
    bare = block.kind == "heading" and _is_bare(text)
    return _Draft(start, end, block, inside, bare)


def _covering(answer: str, start: int, end: int, inside: Sequence[Sentence]) -> Iterator[Sentence]:
    """The sentences of a part, wider where words would be left out between them."""
    if not inside:
        text = answer[start:end].strip()
        if _WORD.search(text):
            begins = start + answer[start:end].index(text)
            yield Sentence(text, begins, begins + len(text))
        return
    begins = start
    for number, sentence in enumerate(inside):
        further = inside[number + 1].start if number + 1 < len(inside) else end
        first, last = sentence.start, sentence.end
        if number == 0 and _WORD.search(answer, begins, first):
            first = begins
        if _WORD.search(answer, last, further):
            last = further
        if (first, last) == (sentence.start, sentence.end):
            yield sentence
            continue
        text = answer[first:last].rstrip()
        yield Sentence(text, first, first + len(text))


def _after_mark(answer: str, start: int, end: int) -> int:
    """Where the text of a line begins, after the mark of a point or heading."""
    found = _MARK.match(answer, start, end)
    return start if found is None else found.end()


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def _is_bare(text: str) -> bool:
    """Whether a line is short and holds no figure."""
    return len(text) <= MOST_OF_A_FRAME and _FIGURE.search(text) is None


def _lead_ins(answer: str, drafts: Sequence[_Draft]) -> Iterator[_Draft]:
    """The parts, with sentences that only lead in as parts of their own."""
    full = _next_ones([draft.block.kind != "blank" for draft in drafts])
    for place, draft in enumerate(drafts):
        last = draft.inside[-1] if draft.inside and not draft.is_frame else None
        under = full[place + 1]
        kind = drafts[under].block.kind if under < len(drafts) else None
        if last is None or not _leads_in(last.text, kind):
            yield draft
            continue
        before = draft.inside[:-1]
        start = draft.start
        if before:
            start = max(answer.rfind("\n", draft.start, last.start) + 1, before[-1].end)
            yield _Draft(draft.start, start, draft.block, before)
        yield _Draft(start, draft.end, draft.block, [last], True)


def _leads_in(text: str, under: Kind | None) -> bool:
    return under in _UNDER and text.rstrip("*_ ").endswith(_COLONS) and _is_bare(text)


def _with_columns(answer: str, drafts: Sequence[_Draft]) -> None:
    """Gives the sentences of table rows the names of their columns."""
    names: list[str] = []
    for draft in drafts:
        if draft.block.kind == "table_head":
            names = _cells(answer[draft.start : draft.end].strip().partition("\n")[0])
        elif draft.block.kind != "table_row":
            names = []
        elif names:
            (row,) = draft.inside
            cells = _cells(answer[row.start : row.end])
            if len(cells) == len(names):
                pairs = zip(names, cells, strict=True)
                told = [f"{name}: {cell}" if name else cell for name, cell in pairs]
                draft.inside = [row._replace(text="; ".join(told))]


def _ends_of_scopes(blocks: Sequence[Block]) -> list[int]:
    """For each block, the place before which ends what stands under it, were it a frame."""
    ends = [0] * len(blocks)
    prose = row = len(blocks)
    headings = dict.fromkeys(range(1, 8), len(blocks))
    for place in reversed(range(len(blocks))):
        kind, level = blocks[place].kind, blocks[place].level
        if kind == "heading":
            ends[place] = min(headings[upper] for upper in range(1, level + 1))
        elif kind == "table_head":
            ends[place] = row
        else:
            ends[place] = min(prose, *headings.values())
        if kind == "heading":
            headings[level] = place
        if kind == "prose":
            prose = place
        if kind != "table_row":
            row = place
    return ends


def _next_ones(marks: Sequence[bool]) -> list[int]:
    """For each place and the one past the end, the first place from there on that is marked.

    >>> _next_ones([False, True, False])
    [1, 1, 3, 3]
    """
    found = [len(marks)] * (len(marks) + 1)
    for place in reversed(range(len(marks))):
        found[place] = place if marks[place] else found[place + 1]
    return found


def _even(text: str) -> str:
    """The text without marks of bold type that have lost their partner."""
    for mark in ("**", "__"):
        if text.count(mark) % 2:
            text = text.replace(mark, "")
    return text
