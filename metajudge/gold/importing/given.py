"""What people gave for a claim, as annotations, and the label that they settle on.

A label word is ours or stands in the user's label map; any other is counted and left out. Nothing
that a model or a program gave comes here.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import timezone
from typing import Any, NamedTuple, cast, get_args

from metajudge.gold.annotators import adjudicate
from metajudge.gold.claim import (
    SLICES,
    Annotation,
    GoldLabel,
    LabelSource,
    Slice,
)
from metajudge.gold.importing.fields import Record, Texts, mapped
from metajudge.gold.importing.imported import ImportedClaim, LeftOut, Reason
from metajudge.gold.importing.light import lightened
from metajudge.gold.importing.source import Source
from metajudge.gold.importing.words import (
    GOLD_NAMES,
    OUR_WORDS,
    identifier,
    label_of,
    moment,
    word_of,
)
from metajudge.gold.source_text import lone_surrogate

_SOURCES: tuple[LabelSource, ...] = get_args(LabelSource)
_READ_AS_SECONDS = (int, float, str)
_TELLING: tuple[Reason, ...] = (
    "unknown_label",
    "malformed",
    "unsettled",
    "cancelled",
    "unlabelled",
    "model_made",
)
"""Why there is no label, the most telling first."""


class Given(NamedTuple):
    """What one person gave for one claim, as upstream has it.

    Attributes:
        annotator: None where upstream does not say who.
        value: The label, in upstream's words.
        what: Upstream's id of it.
        question: Name of the question that it answers.
        time: As `moment` reads it.
        note: A text; anything else is not read.
        seconds: From sight of the claim to the label.
        spans: Texts marked as evidence; those that stand in no passage are not read.
        slice: One of our slices; anything else is not read.
    """

    annotator: str | None
    value: Any
    what: str = ""
    question: str = "label"
    time: Any = None
    note: Any = None
    seconds: Any = None
    spans: tuple[str, ...] = ()
    slice: Any = None


_Answer = tuple[str, str, Given]
"""The name of a person, the label that was given as a word, and all that was given with it."""


def settled(
    record: Record,
    texts: Texts,
    source: Source,
    given: Sequence[Given] = (),
    *,
    left: Sequence[LeftOut] = (),
    stated: Sequence[Any] = (),
    question: str = "label",
    claim_id: Any = None,
    generator: Any = None,
    in_order: bool = False,
) -> Iterator[ImportedClaim | LeftOut]:
    """What is left out of a record, then its claim with all that people gave for it.

    Args:
        record: Where the claim stands.
        texts: Of the claim.
        source: Whose label map is used.
        given: One per answer of a person; of one person only the last stands.
        left: What the importer left out of the record.
        stated: The label as upstream settles it, once or several times; it stands above majority.
        question: What `stated` answers.
        claim_id: Upstream's id of the record.
        generator: The model that wrote the claim.
        in_order: Whether answers without a time were given in the order in which they stand.
    """
    answers, dropped = _standing(record, given, in_order)
    annotations, unknown = _annotations(record, texts, source, answers)
    labels, faults = _stated(record, texts, source, stated, question)
    out = [*left, *dropped, *unknown, *faults]
    yield from out
    label, reason, detail = _decided(annotations, labels, out)
    more = texts.more
    marked = (text for note in annotations if note.label == label for text in note.spans)
    yield ImportedClaim(
        where=record.where,
        line=record.line,
        claim=texts.claim,
        passages=texts.passages,
        label=label,
        claim_id=identifier(more.get("claim_id", claim_id)),
        answer_id=identifier(more.get("answer_id")),
        context_id=identifier(more.get("context_id")),
        group=identifier(more.get("group")),
        question=texts.question,
        lang=more.get("lang"),
        slice=_slice(more.get("slice")),
        title=more.get("title"),
        annotations=annotations,
        spans=tuple(dict.fromkeys(marked)),
        note=more.get("note"),
        unlabelled=reason,
        detail=detail,
        label_source=(_label_source(more) if label and labels else None) or "human",
        generator=more.get("generator") or (str(generator) if generator else None),
    )


def _standing(
    record: Record, given: Sequence[Given], in_order: bool
) -> tuple[list[_Answer], list[LeftOut]]:
    """The one answer of each person that stands, and what became of the others."""
    by_person: dict[str, list[_Answer]] = {}
    unnamed = 0
    left = []
    for answer in given:
        word = word_of(answer.value)
        if not word:
            left.append(record.left("unlabelled", answer.what, "given without a label"))
            continue
        unnamed += answer.annotator is None
        name = answer.annotator or ("unnamed" if unnamed == 1 else f"unnamed-{unnamed}")
        by_person.setdefault(name, []).append((name, word, answer))
    standing = []
    for name, answers in by_person.items():
        if len(answers) == 1:
            standing += answers
            continue
        last, earlier = _last(answers)
        left += [record.left("superseded", answer.what, name) for _, _, answer in earlier]
        words = list(dict.fromkeys(word for _, word, _ in last))
        if len(words) > 1 and not in_order:
            detail = f"{name} gave {' and '.join(words)}, it is not said which one last"
            left += [record.left("unsettled", answer.what, detail) for _, _, answer in last]
            continue
        reason: Reason = "superseded" if len(words) > 1 else "duplicate"
        left += [record.left(reason, answer.what, name) for _, _, answer in last[:-1]]
        standing.append(last[-1])
    return standing, left


def _last(answers: list[_Answer]) -> tuple[list[_Answer], list[_Answer]]:
    """Those given last, and those given before; all are last where one has no time."""
    times = [moment(answer.time) for _, _, answer in answers]
    known = [time for time in times if time is not None]
    if len(known) < len(times):
        return answers, []
    stamps = [(time if time.tzinfo else time.replace(tzinfo=timezone.utc)) for time in known]
    newest = max(stamps)
    last = [answer for answer, stamp in zip(answers, stamps, strict=True) if stamp == newest]
    return last, [answer for answer, stamp in zip(answers, stamps, strict=True) if stamp < newest]


def _annotations(
    record: Record, texts: Texts, source: Source, answers: Sequence[_Answer]
) -> tuple[tuple[Annotation, ...], list[LeftOut]]:
    annotations, left = [], []
    for name, word, answer in answers:
        label = label_of(word, source, answer.question)
        if label is None:
            left.append(_unknown(record, word, answer.question, name))
        else:
            annotations.append(_annotation(name, label, answer, texts.passages))
    return tuple(annotations), left


def _annotation(name: str, label: GoldLabel, answer: Given, passages: Sequence[str]) -> Annotation:
    time = moment(answer.time)
    spans = [span for span in answer.spans if any(span in text for text in passages)]
    annotation = Annotation(
        annotator=sys.intern(name),
        label=label,
        time=None if time is None else time.isoformat(),
        note=_note(answer.note),
        seconds=_seconds(answer.seconds),
        slice=_slice(answer.slice),
        spans=tuple(dict.fromkeys(spans)),
    )
    return lightened(annotation)


def _unknown(record: Record, word: str, question: str, who: str) -> LeftOut:
    turned = f"{word} to {question} may mean the opposite" if word.casefold() in OUR_WORDS else who
    return record.left("unknown_label", word, turned)


def _stated(
    record: Record, texts: Texts, source: Source, stated: Sequence[Any], question: str
) -> tuple[list[GoldLabel], list[LeftOut]]:
    words = [word for word in dict.fromkeys(map(word_of, stated)) if word]
    if not words:
        return [], []
    maker = _label_source(texts.more)
    if maker is None:
        detail = f"label_source {texts.more['label_source']} is none of {', '.join(_SOURCES)}"
        return [], [record.left("unsettled", word, detail) for word in words]
    if maker == "model":
        return [], [record.left("model_made", word) for word in words]
    labels, left = [], []
    for word in words:
        label = label_of(word, source, question)
        if label is None:
            left.append(_unknown(record, word, question, ""))
        else:
            labels.append(label)
    return list(dict.fromkeys(labels)), left


def _decided(
    annotations: Sequence[Annotation], stated: Sequence[GoldLabel], left: Sequence[LeftOut]
) -> tuple[GoldLabel | None, Reason, str]:
    """The label, or why there is none: what upstream states, else what most people said."""
    if len(stated) == 1:
        return stated[0], "unlabelled", ""
    if len(stated) > 1:
        return None, "tied", ", ".join(f"1 {label}" for label in stated)
    if len({note.label for note in annotations}) == 1:
        return annotations[0].label, "unlabelled", ""
    decided = adjudicate(annotations)
    if decided.label is not None:
        return decided.label, "unlabelled", ""
    if annotations:
        return None, "tied", ", ".join(f"{count} {label}" for label, count in decided.votes)
    found = {out.reason: out for out in reversed(left)}
    telling = next((found[reason] for reason in _TELLING if reason in found), None)
    return (None, "unlabelled", "") if telling is None else (None, telling.reason, _told(telling))


def _told(out: LeftOut) -> str:
    """What a row left out says of its claim: of an unknown label the word first."""
    if out.reason == "unknown_label" and out.detail:
        return f"{out.what} ({out.detail})"
    return out.detail or out.what


def stated_label(record: Record, source: Source) -> list[Any]:
    """The label that stands in the record itself: where mapped, else under a name for gold."""
    if "label" in source.columns:
        return [mapped(record, source, "label")]
    roots = record.roots or (record.fields,)
    return [root[name] for root in roots for name in GOLD_NAMES if root.get(name) is not None]


def _label_source(more: Mapping[str, str]) -> LabelSource | None:
    """Who made a stated label: a person where nothing is said; None where it is not known."""
    word = more.get("label_source", "human").strip().casefold()
    return word if word in _SOURCES else None


def _slice(value: Any) -> Slice | None:
    return cast(Slice, value) if value in SLICES else None


def _note(value: Any) -> str | None:
    usable = isinstance(value, str) and value.strip() and lone_surrogate(value) is None
    return value if usable else None


def _seconds(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, _READ_AS_SECONDS):
        return None
    try:
        seconds = float(value)
    except (ValueError, OverflowError):
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None
