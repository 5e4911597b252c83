"""Finding claim, context and question in the records of other tools.

What is looked for stands under a usual name, or where the user's column map says: a name or a
dotted path such as `data.summary`. Two usual names with two texts are never chosen between.
"""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from metajudge.errors import GoldError
from metajudge.gold.claim_rows import MISSING_WORDS
from metajudge.gold.columns import FRAMEWORK_NAMES, OUR_FIELDS
from metajudge.gold.importing.imported import LeftOut, Reason
from metajudge.gold.importing.source import Source

Tiers = tuple[tuple[str, ...], ...]
USUAL_NAMES: dict[str, Tiers] = {
    "claim": (
        ("claim",),
        ("statement", "hypothesis", "sentence"),
        (*FRAMEWORK_NAMES["claim"], "answer", "output", "summary", "completion", "generation"),
        ("text",),
    ),
    "passages": (
        ("passages",),
        FRAMEWORK_NAMES["passages"],
        ("premise", "article", "source_text", "evidence", "documents", "retrieved_documents"),
    ),
    "question": (("question",), ("query", *FRAMEWORK_NAMES["question"], "prompt")),
}
"""Our field: names it goes by, in tiers; a tier is looked at when those before it have nothing."""
_PASSAGE_TEXT = ("page_content", "content", "text", "passage", "document", "document.content")
_ROLES = {"claim": ("assistant", "ai"), "question": ("user", "human")}
MAPPINGS = (dict, Mapping)
"""For `isinstance`, which tells a dict much faster by its own type than as a `Mapping`."""
LISTS = (list, tuple)
_T = TypeVar("_T")


class Record(NamedTuple):
    """One foreign record and the places in it where texts may stand.

    Attributes:
        where: The file, with `row n` where lines mean nothing.
        line: 1-based line; None where lines mean nothing.
        fields: The whole record; dotted paths of a column map begin here.
        roots: Mappings in which names are looked up, in order; () stands for the record itself.
    """

    where: str
    line: int | None
    fields: Mapping[str, Any]
    roots: tuple[Mapping[str, Any], ...] = ()

    def left(self, reason: Reason, what: object = "", detail: str = "") -> LeftOut:
        """That this record, or something in it, does not come in."""
        return LeftOut(reason, self.where, self.line, str(what), detail)


class Texts(NamedTuple):
    """What was judged against what, and what the record says of it under our own names.

    Attributes:
        claim: Not blank.
        passages: In order; () where upstream gives an empty list.
        question: None without one.
        more: Our other fields that were found, as texts.
    """

    claim: str
    passages: tuple[str, ...]
    question: str | None
    more: Mapping[str, str]


class _Found(NamedTuple):
    """A reading, or the names that give several."""

    reading: Any
    names: tuple[str, ...] = ()


_NOTHING = _Found(None)


def records(source: Source, *patterns: str, lists: Sequence[str] = ("data",)) -> Iterator[Record]:
    """Records of the place, in file order.

    Args:
        source: A hub set, a folder saved by `datasets`, a file, or a folder with files.
        patterns: Glob patterns of the files that a folder must hold.
        lists: A `.json` file that is one object holds its records in the list under one of these
            names; without any it is the one record.

    Raises:
        GoldError: There is no file, or it cannot be read at all.
    """
    if source.is_dataset:
        yield from (Record(row.where, row.line, row.fields) for row in source.rows())
        return
    for path in source.find(*patterns):
        yield from file_records(source, path, lists)


def file_records(source: Source, path: Path, lists: Sequence[str] = ("data",)) -> Iterator[Record]:
    """Records of one file, as `records` gives them."""
    document = _document(source, path) if path.suffix.lower() == ".json" else None
    if document is None:
        yield from (Record(row.where, row.line, row.fields) for row in source.rows(path))
        return
    held = next((document[name] for name in lists if isinstance(document.get(name), list)), None)
    if held is None:
        yield Record(str(path), None, document)
        return
    for number, fields in enumerate(held, 1):
        where = f"{path} row {number}"
        if isinstance(fields, dict):
            yield Record(where, None, fields)
        else:
            law = "a record must be an object"
            source.fault(where, law, "Export the file again.", got=fields)


def _document(source: Source, path: Path) -> dict[str, Any] | None:
    """The one object that a `.json` file holds; None where it holds a list, or an object a line."""
    try:
        if not source.begins_object(path):
            return None
        document = source.document(path)
    except GoldError:
        return None
    return document if isinstance(document, dict) else None


def structured(value: Any) -> Any:
    r"""The list or mapping that a text holds as JSON or as Python prints it; else the value itself.

    >>> structured('{"a": 1}'), structured("['茶', \"it's\"]"), structured("['a' 'b']")
    ({'a': 1}, ['茶', "it's"], "['a' 'b']")
    """
    if not isinstance(value, str) or not value.lstrip().startswith(("[", "{")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        pass
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            warnings.simplefilter("ignore", DeprecationWarning)
            printed = ast.literal_eval(value)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return value
    return printed if repr(printed) == value.strip() else value


def listed(value: Any) -> list[Any]:
    """The list that a value is or holds as text; empty for anything else."""
    held = structured(value) if isinstance(value, str) else value
    return list(held) if isinstance(held, LISTS) else []


def mappings(value: Any) -> list[Mapping[str, Any]]:
    """The mappings in the list that a value is or holds as text."""
    return [part for part in map(structured, listed(value)) if isinstance(part, MAPPINGS)]


def rooted(record: Record, *names: str) -> Record:
    """The record, with names looked up in the mappings under these names before itself."""
    parts = (structured(record.fields.get(name)) for name in names)
    roots = tuple(part for part in parts if isinstance(part, Mapping))
    return Record(record.where, record.line, record.fields, (*roots, record.fields))


def value_at(place: Any, path: str) -> Any:
    """What stands at a dotted path; names may hold dots themselves; None where nothing is.

    >>> value_at({"data": {"a.b": [{"text": "茶"}]}}, "data.a.b.0.text")
    '茶'
    """
    if type(place) is dict and (path in place or "." not in path):
        return place.get(path)
    place = structured(place)
    if isinstance(place, list):
        head, _, rest = path.partition(".")
        inside = head.isdecimal() and int(head) < len(place)
        return (value_at(place[int(head)], rest) if rest else place[int(head)]) if inside else None
    if not isinstance(place, MAPPINGS):
        return None
    return place[path] if path in place else _inside(place, path)


def _inside(place: Mapping[str, Any], path: str) -> Any:
    """What stands under a path's first part, however many of its dots belong to the name."""
    dot = path.find(".")
    while dot != -1:
        if path[:dot] in place:
            value = value_at(place[path[:dot]], path[dot + 1 :])
            if value is not None:
                return value
        dot = path.find(".", dot + 1)
    return None


def each_once(held: Iterable[_T]) -> Iterator[_T]:
    """Everything in order, let go of once it is given, so that memory is free for what is made."""
    waiting = list(held)
    if isinstance(held, list):
        held.clear()
    waiting.reverse()
    while waiting:
        yield waiting.pop()


def mapped(record: Record, source: Source, ours: str) -> Any:
    """What the column map points at, from the record or from one of its roots; None without."""
    path = source.columns.get(ours)
    if path is None:
        return None
    found = (value_at(place, path) for place in (record.fields, *record.roots))
    return next((value for value in found if value is not None), None)


def texts_of(
    record: Record, source: Source, names: Mapping[str, Tiers] = USUAL_NAMES
) -> Texts | LeftOut:
    """Claim, passages and question of a record, or why it does not come in."""
    claim = _find(record, source, "claim", names, _claim)
    passages = _find(record, source, "passages", names, passages_of)
    for ours, found in (("claim", claim), ("passages", passages)):
        if found.names:
            choice = " or ".join(found.names)
            return record.left("malformed", choice, f"say which one it is: {ours}=…")
    if claim.reading is None:
        return record.left("missing_text", source.columns.get("claim", "claim"))
    if passages.reading is None:
        what = source.columns.get("passages", "passages")
        return record.left("missing_context", what, "none, or neither a text nor a list of texts")
    question = _find(record, source, "question", names, _question)
    return Texts(claim.reading, passages.reading, question.reading, _more(record, source))


def _claim(value: Any) -> str | None:
    return said(value, "claim")


def _question(value: Any) -> str | None:
    return said(value, "question")


def _find(
    record: Record,
    source: Source,
    ours: str,
    names: Mapping[str, Tiers],
    read: Callable[[Any], _T | None],
) -> _Found:
    if ours in source.columns:
        return _Found(read(mapped(record, source, ours)))
    for tier in names.get(ours, ()):
        for root in record.roots or (record.fields,):
            held = _readings(root, tier, read)
            if len(held) > 1 and len(set(held.values())) > 1:
                return _Found(None, tuple(held))
            if held:
                return _Found(next(iter(held.values())))
    return _NOTHING


@lru_cache(maxsize=64)
def _has_path(names: tuple[str, ...]) -> bool:
    return any("." in name for name in names)


def _readings(
    root: Mapping[str, Any], names: tuple[str, ...], read: Callable[[Any], _T | None]
) -> dict[str, _T]:
    """What can be read under each of the names."""
    held: dict[str, _T] = {}
    if type(root) is dict and root.keys().isdisjoint(names) and not _has_path(names):
        return held
    for name in names:
        value = value_at(root, name)
        reading = None if value is None else read(value)
        if reading is not None:
            held[name] = reading
    return held


def _more(record: Record, source: Source) -> dict[str, str]:
    """Our other fields: where mapped, all beside a `claim_id` of ours, and who made the label."""
    roots = record.roots or (record.fields,)
    ours = next((root for root in roots if "claim_id" in root), {})
    makers = [root["label_source"] for root in roots if root.get("label_source") is not None]
    more = {"label_source": str(makers[0])} if makers else {}
    for name in OUR_FIELDS if ours else source.columns:
        value = mapped(record, source, name) if name in source.columns else ours.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            more[name] = str(value)
    return more


def said(value: Any, ours: str) -> str | None:
    """A text as it is, or the last words of the wanted side of a chat; None without."""
    if isinstance(value, str):
        chat = structured(value) if '"content"' in value else value
        if isinstance(chat, str):
            text = value.strip()
            return value if text and text not in MISSING_WORDS else None
        return said(chat, ours)
    if isinstance(value, MAPPINGS):
        if isinstance(value.get("messages"), list):
            return said(value["messages"], ours)
        return said(value["content"], ours) if isinstance(value.get("content"), str) else None
    if not isinstance(value, list):
        return None
    turns = [turn for turn in value if isinstance(turn, MAPPINGS)]
    spoken = [turn for turn in turns if turn.get("role", turn.get("type")) in _ROLES[ours]]
    return said(spoken[-1], ours) if spoken and len(turns) == len(value) else None


def passages_of(value: Any) -> tuple[str, ...] | None:
    """The passages that a text, a list of texts or a list of documents holds; None without.

    A list that was printed in a way that cannot be read back is none.

    >>> passages_of([{"page_content": "茶。"}, "Tea."]), passages_of([]), passages_of(3)
    (('茶。', 'Tea.'), (), None)
    """
    held = structured(value)
    value = held if isinstance(held, list) else value
    if isinstance(value, str):
        printed = value.startswith(("['", '["')) and value.endswith(("']", '"]'))
        return (value,) if value.strip() and not printed else None
    if isinstance(value, MAPPINGS):
        value = [value]
    if not isinstance(value, list | tuple):
        return None
    texts = [_passage(part) for part in value]
    return None if None in texts else tuple(text for text in texts if text and text.strip())


def _passage(part: Any) -> str | None:
    if isinstance(part, str):
        return part
    found = (value_at(part, name) for name in _PASSAGE_TEXT)
    return next((text for text in found if isinstance(text, str)), None)
