"""RAGTruth: spans that people marked in the responses of six models, as labels of sentences."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from metajudge.errors import GoldError, Problem, short_repr
from metajudge.gold.claim import GoldLabel
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.records import (
    UnusableError,
    bounded,
    claims_of_each,
    left_out,
    malformed,
    optional_text,
    records,
    text_in,
)
from metajudge.gold.importing.sentences import (
    Place,
    Sentence,
    claims_nothing,
    place_of,
    remark,
    sentences_of,
    touches,
)
from metajudge.gold.importing.source import Source
from metajudge.gold.rows import SourceRow

FORMAT = Format(
    name="ragtruth",
    title="RAGTruth",
    kind="public",
    holds="the folder with response.jsonl and source_info.jsonl, or rows with output, context and"
    " hallucination_labels",
    label_space="ternary",
    mapping="A sentence that a Conflict span touches is no, one that only Baseless spans touch is"
    " idk, one without a span is yes; where every span is marked implicit_true the claim waits for"
    " a label.",
    licence="MIT (annotations); news texts belong to their publishers, QA passages come from MS"
    " MARCO (non-commercial research), Data2txt sources from the Yelp Open Dataset (no"
    " redistribution)",
    citation=(
        "Cheng Niu, Yuanhao Wu, Juno Zhu, Siliang Xu, Kashun Shum, Randy Zhong, Juntong Song "
        "and Tong Zhang (2024). RAGTruth: A Hallucination Corpus for Developing Trustworthy "
        "Retrieval-Augmented Language Models. ACL 2024."
    ),
    url="https://github.com/ParticleMedia/RAGTruth",
    hub=("wandb/RAGTruth-processed",),
    marks=("source_id", "response", "labels"),
    files=("response*.jsonl", "source_info*.jsonl"),
)
_CONFLICT = frozenset({"Evident Conflict", "Subtle Conflict"})
_BASELESS = frozenset({"Evident Baseless Info", "Subtle Baseless Info"})
_PASSAGE = re.compile(r"(?:\A|\n\n)\s*passage \d+:", re.IGNORECASE)
_GOOD = "good"


class Span(NamedTuple):
    """What an annotator marked in a response.

    Attributes:
        place: In the response.
        kind: Upstream's `label_type`.
        true_outside: Marked as true in the world (`implicit_true`).
        note: Kind, flags, text and comment in one line.
    """

    place: Place
    kind: str
    true_outside: bool
    note: str


@dataclass(frozen=True, slots=True)
class _Evidence:
    passages: tuple[str, ...]
    question: str | None
    group: str | None


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Sentences of the responses, in file order.

    Raises:
        GoldError: There is no file of responses, or none of sources beside it.
    """
    sources = _Sources(source)
    rows = records(source, FORMAT, "response*.jsonl", "response*.json")
    yield from claims_of_each(rows, lambda row: _claims(row, sources))


class _Sources:
    """Evidence by `source_id`, read when the first response asks for it."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._known: dict[str, _Evidence] | None = None

    def of(self, row: SourceRow) -> _Evidence:
        """The evidence of a response.

        Raises:
            UnusableError: The record has none, or names a source that is not there.
        """
        if "context" in row.fields:
            return _evidence(text_in(row, "context", "missing_context"), row)
        if "source_info" in row.fields:
            return _evidence(row.fields["source_info"], row)
        if self._known is None:
            self._known = {} if self._source.is_dataset else self._read(self._source.path)
        name = optional_text(row, "source_id")
        evidence = self._known.get(name or "")
        if evidence is None:
            detail = f"source_id {short_repr(name, 40)} is not among the sources"
            raise UnusableError(left_out(row, "missing_context", _name(row), detail))
        return evidence

    def _read(self, place: Path) -> dict[str, _Evidence]:
        file = place / "response.jsonl" if place.is_dir() else place
        path = self._source.beside(file, "source_info*.json*")
        if path is None:
            law = "there is no source_info.jsonl beside the responses"
            raise GoldError(Problem(str(place), law, "Put it there, or name the folder."))
        known: dict[str, _Evidence] = {}
        for row in self._source.rows(path):
            name = optional_text(row, "source_id")
            try:
                evidence = _evidence(row.fields.get("source_info"), row)
            except UnusableError as unusable:
                what = unusable.left_out
                self._source.fault(
                    what.where, what.detail, "Mend or remove the record.", line=what.line
                )
                continue
            group = bounded(f"ragtruth-source-{name}")
            known[name or ""] = _Evidence(evidence.passages, evidence.question, group)
        return known


def _evidence(info: Any, row: SourceRow) -> _Evidence:
    """Passages and question of the three shapes: a text, a question with passages, or data."""
    if isinstance(info, str) and row.fields.get("task_type") == "QA":
        return _Evidence(_passages(info), optional_text(row, "query"), None)
    if isinstance(info, str) and info.strip():
        return _Evidence((info.strip(),), None, None)
    if isinstance(info, dict) and isinstance(info.get("passages"), str):
        question = info.get("question")
        asked = question if isinstance(question, str) and question.strip() else None
        return _Evidence(_passages(info["passages"]), asked, None)
    if isinstance(info, dict) and info and "passages" not in info:
        return _Evidence((json.dumps(info, ensure_ascii=False),), None, None)
    detail = f"source_info is {short_repr(info, 40)}"
    raise UnusableError(left_out(row, "missing_context", _name(row), detail))


def _passages(text: str) -> tuple[str, ...]:
    parts = _PASSAGE.split(text) if _PASSAGE.search(text) else text.split("\n\n")
    return tuple(part.strip() for part in parts if part.strip())


def _claims(row: SourceRow, sources: _Sources) -> Iterator[ImportedClaim | LeftOut]:
    quality = optional_text(row, "quality") or _GOOD
    if quality != _GOOD:
        yield left_out(row, "set_aside", _name(row), f"quality is {short_repr(quality, 40)}")
        return
    field = "output" if "output" in row.fields else "response"
    response = text_in(row, field)
    spans = _spans(row, response)
    evidence = sources.of(row)
    if not evidence.passages:
        yield left_out(row, "missing_context", _name(row), "no passages")
        return
    for sentence in sentences_of(response):
        hits = [span for span in spans if touches(response, sentence, span.place)]
        nothing = None if hits else claims_nothing(sentence.text)
        if nothing:
            yield left_out(row, "no_claim", f"{_name(row)}-{sentence.index}", nothing)
        else:
            yield _claim(row, sentence, hits, evidence)


def _claim(
    row: SourceRow, sentence: Sentence, hits: Sequence[Span], evidence: _Evidence
) -> ImportedClaim | LeftOut:
    response_id = optional_text(row, "id")
    answer_id = response_id and bounded(f"ragtruth-{response_id}")
    unknown = [span.kind for span in hits if span.kind not in _CONFLICT | _BASELESS]
    if unknown:
        what = f"{_name(row)}-{sentence.index}"
        return left_out(row, "unknown_label", what, f"label_type {short_repr(unknown[0], 40)}")
    label = _label(hits)
    gap = label is None
    return ImportedClaim(
        where=row.where,
        line=row.line,
        claim=sentence.text,
        passages=evidence.passages,
        label=label,
        claim_id=answer_id and bounded(f"{answer_id}-{sentence.index}"),
        answer_id=answer_id,
        group=evidence.group,
        question=evidence.question,
        slice="outside_true" if gap else None,
        note="\n".join(span.note for span in hits) or None,
        unlabelled="policy_gap" if gap else "unlabelled",
        detail="true in the world, absent from the context" if gap else "",
        generator=optional_text(row, "model"),
    )


def _label(hits: Sequence[Span]) -> GoldLabel | None:
    if any(span.kind in _CONFLICT for span in hits):
        return "no"
    if any(not span.true_outside for span in hits):
        return "idk"
    return None if hits else "yes"


def _spans(row: SourceRow, response: str) -> tuple[Span, ...]:
    """The spans of a response; `hallucination_labels` of the hub's copy holds them as JSON."""
    name = "hallucination_labels" if "hallucination_labels" in row.fields else "labels"
    marked = row.fields.get(name)
    if isinstance(marked, str):
        try:
            marked = json.loads(marked)
        except (ValueError, RecursionError):
            raise UnusableError(malformed(row, name, marked)) from None
    if not isinstance(marked, list) or not all(isinstance(mark, dict) for mark in marked):
        raise UnusableError(malformed(row, name, marked))
    return tuple(_span(row, response, mark) for mark in marked)


def _span(row: SourceRow, response: str, mark: Mapping[str, Any]) -> Span:
    place = place_of(response, mark.get("start"), mark.get("end"), mark.get("text"))
    if place is None:
        detail = f"a span does not stand where it says: {short_repr(mark.get('text'), 40)}"
        raise UnusableError(left_out(row, "malformed", _name(row), detail))
    kind = str(mark.get("label_type"))
    flags = [name for name in ("implicit_true", "due_to_null") if mark.get(name) is True]
    said = f"{kind} ({', '.join(flags)})" if flags else kind
    note = remark(said, response[place.start : place.end], mark.get("meta"))
    return Span(place, kind, "implicit_true" in flags, note)


def _name(row: SourceRow) -> str:
    return optional_text(row, "id") or optional_text(row, "source_id") or "a response"
