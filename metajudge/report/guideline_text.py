"""The labelling guideline as plain text for a terminal, and as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len, chop_cells

from metajudge.gold.claim import Slice, SupportKind
from metajudge.gold.guideline import Example, Guideline, KindText, SliceText
from metajudge.report.inert import markdown_text, one_line

COLUMNS = 80
_WIDE = r"\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff“”‘’…—"
_OPENING, _CLOSING = r"（「『《【〈“‘(\[{", "，。；：、？！）」』》】〉”’…—"
_NARROW_CLOSING = rf"[,.;:?!)\]}}%]+(?=\s|$|[{_WIDE}])"
_UNIT = re.compile(
    rf"[^\S\n]+|[{_OPENING}]*(?:[{_WIDE}]|[^\s{_WIDE}]+)[{_CLOSING}]*(?:{_NARROW_CLOSING})?"
    rf"|[{_OPENING}]+|[^\s]"
)
"""What stays on one line: a word, or one Chinese character with the marks that belong to it."""


def guideline_text(guide: Guideline, columns: int = COLUMNS) -> str:
    """The guideline in lines of at most `columns` cells; a Chinese character takes two of them."""
    head = f"{guide.title}{guide.words['colon']}{one_line(guide.version)}"
    lines = [head, "=" * min(columns, cell_len(head)), *wrapped_cells(guide.lead, columns)]
    for heading, parts in _sections(guide):
        lines += ["", heading, "-" * min(columns, cell_len(heading))]
        for mark, text, depth in parts:
            lines += wrapped_cells(text, columns, f"{'  ' * depth}{mark}")
    return "\n".join(lines) + "\n"


def guideline_markdown(guide: Guideline) -> str:
    """The guideline as Markdown; what the set's authors wrote cannot become markup."""
    head = f"{guide.title}{guide.words['colon']}{guide.version}"
    lines = [f"# {markdown_text(head)}", "", markdown_text(guide.lead)]
    for heading, parts in _sections(guide):
        lines += ["", f"## {markdown_text(heading)}", ""]
        for mark, text, depth in parts:
            name, colon, rest = text.partition(guide.words["colon"]) if not depth else ("", "", "")
            shown = markdown_text(text)
            if colon and rest:
                shown = f"**{markdown_text(name)}**{colon}{markdown_text(rest)}"
            lines.append(f"{'  ' * depth}{mark.strip() or '-'} {shown}")
    return "\n".join(lines) + "\n"


Part = tuple[str, str, int]
"""A paragraph: the mark before it, its text, and how deep it stands."""


def _sections(guide: Guideline) -> Iterator[tuple[str, Iterable[Part]]]:
    colon, headings = guide.words["colon"], guide.headings
    labels = [("", f"{text.name}{colon}{text.text}", 0) for text in guide.labels]
    yield headings["labels"], labels
    if guide.kinds:
        yield headings["kinds"], [part for kind in guide.kinds for part in _kind(guide, kind)]
    topics = (
        part
        for topic in guide.topics
        for part in [("", f"{topic.name}{colon}{topic.text}", 0), *_cases(guide, topic.examples)]
    )
    if guide.topics:
        yield headings["topics"], topics
    rules = [(f"{n}. ", one_line(rule), 0) for n, rule in enumerate(guide.rules, 1)]
    yield headings["rules"], rules or [("", guide.words["no_rules"], 0)]
    if guide.slices:
        yield headings["slices"], [("", slice_line(guide, text), 0) for text in guide.slices]
    if guide.changes:
        yield headings["changes"], [("", line, 0) for line in change_lines(guide)]


def _kind(guide: Guideline, kind: KindText) -> Iterator[Part]:
    colon = guide.words["colon"]
    yield "", f"{kind.name}{colon}{guide.words[kind.standing]}", 0
    yield "", f"{kind.definition}{guide.words['gap']}{kind.ruling}", 1
    names = guide.words["between"].join(slice_names(guide, kind.slices))
    yield "", f"{guide.words['slices']}{colon}{names}", 1
    yield from _cases(guide, kind.examples)


def _cases(guide: Guideline, examples: Sequence[Example]) -> Iterator[Part]:
    """The examples; passages that several of them share stand once."""
    colon, shown = guide.words["colon"], ""
    for case in examples:
        if case.passage != shown:
            shown = case.passage
            yield "", f"{guide.words['context']}{colon}{case.passage}", 1
        yield "", f"{guide.words['claim']}{colon}{case.claim}", 2
        why = f"{colon}{case.why}" if case.why else ""
        yield "→ ", f"{guide.name_of(case.label)}{why}", 2


def slice_line(guide: Guideline, text: SliceText) -> str:
    """A slice in one paragraph: what it is, what its labels depend on, and which it may have."""
    words, parts = guide.words, [text.text]
    if text.kinds:
        names = words["comma"].join(_kind_names(guide, text.kinds))
        parts.append(words["depends"].format(kinds=names))
    if text.labels:
        names = words["comma"].join(guide.name_of(label) for label in text.labels)
        parts.append(words["labels_of_slice"].format(labels=names))
    return f"{text.name}{words['colon']}{guide.words['gap'].join(parts)}"


def change_lines(guide: Guideline) -> list[str]:
    """Each change of the policy in one line."""
    lines = []
    for change in guide.changes:
        when = f" ({change.time[:10]})" if change.time else ""
        told = guide.words["between"].join(filter(None, (change.text, change.why)))
        lines.append(one_line(f"{change.version}{when}{guide.words['colon']}{told}"))
    return lines


def slice_names(guide: Guideline, slices: Iterable[Slice]) -> list[str]:
    """Names of slices in the language of the guideline."""
    names = {text.slice: text.name for text in guide.slices}
    return [names[name] for name in slices]


def _kind_names(guide: Guideline, kinds: Iterable[SupportKind]) -> list[str]:
    names = {text.kind: text.name for text in guide.kinds}
    return [names[kind] for kind in kinds]


def wrapped_cells(
    text: str, columns: int, mark: str = "", further: str | None = None, *, cut: bool = False
) -> list[str]:
    """A text in lines of at most `columns` terminal cells, its further lines indented.

    Chinese breaks between characters, but never before a closing mark or after an opening one.

    Args:
        text: One paragraph; white space in it is one blank.
        columns: Cells of a line.
        mark: Stands before the first line.
        further: Stands before further lines; None indents them as far as the mark reaches.
        cut: Whether a word that is longer than a line is cut; else it stands on a line by itself.

    >>> wrapped_cells("茶是热的，水也是。", 10)
    ['茶是热的，', '水也是。']
    >>> wrapped_cells("茶 interminable", 10, further="  ", cut=True)
    ['茶', '  intermin', '  able']
    """
    indent = " " * cell_len(mark) if further is None else further
    lines, line, used = [], mark, cell_len(mark)
    for unit in _units(text, columns - max(used, cell_len(indent)) if cut else None):
        wide = cell_len(unit)
        if used + wide > columns and line.strip() and line != mark:
            lines.append(line.rstrip())
            line, used = indent, cell_len(indent)
        if unit.isspace() and line in (indent, mark):
            continue
        line, used = line + unit, used + wide
    return [*lines, line.rstrip()]


def _units(text: str, most: int | None) -> Iterator[str]:
    """What is not broken; with `most`, in pieces of at most so many cells, one character least."""
    for unit in _UNIT.findall(one_line(text)):
        if most is None or cell_len(unit) <= most:
            yield unit
        else:
            yield from chop_cells(unit, max(2, most))
