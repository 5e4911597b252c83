"""XSum hallucination annotations: three workers' spans in one-sentence summaries of BBC articles.

Offsets are unreliable upstream (1-based, 0-based, inclusive), so only the spans' texts are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from metajudge.errors import GoldError, Problem, short_repr
from metajudge.gold.claim import Annotation, GoldLabel
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut, Reason
from metajudge.gold.importing.records import (
    UnusableError,
    bounded,
    left_out,
    optional_text,
    records,
    text_in,
    votes_in_words,
)
from metajudge.gold.importing.sentences import remark
from metajudge.gold.importing.source import Source
from metajudge.gold.rows import SourceRow

FORMAT = Format(
    name="xsum-hallucination",
    title="XSum Hallucination Annotations",
    kind="public",
    holds="hallucination_annotations_xsum_summaries.csv, and beside it articles.jsonl with bbcid"
    " and article (or XSum's own rows with id and document)",
    label_space="ternary",
    mapping="Per worker any intrinsic span is no, else any extrinsic one idk, else yes; a strict"
    " majority of the workers decides, no and idk together make unsupported.",
    licence="CC BY 4.0 (annotations and summaries); the articles are BBC copyright",
    citation=(
        "Joshua Maynez, Shashi Narayan, Bernd Bohnet and Ryan McDonald (2020). On Faithfulness "
        "and Factuality in Abstractive Summarization. ACL 2020, 1906-1919."
    ),
    url="https://github.com/google-research-datasets/xsum_hallucination_annotations",
    marks=("bbcid", "system", "summary", "hallucination_type", "worker_id"),
    files=("hallucination_annotations*.csv",),
    languages=("en",),
)
_TYPES = ("intrinsic", "extrinsic", "NULL")
_ESCAPES = (("\\'", "'"), ("``", '"'), ("''", '"'))
_REFERENCE = "Gold"


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """One claim a summary, in the order in which summaries are first met.

    Raises:
        GoldError: There is no file of annotations, or no file of articles.
    """
    summaries: dict[tuple[str, str], list[SourceRow]] = {}
    for row in records(source, FORMAT):
        bbcid, system = optional_text(row, "bbcid"), optional_text(row, "system")
        if bbcid is None or system is None:
            yield left_out(row, "malformed", bbcid or "a row", "bbcid or system is missing")
            continue
        summaries.setdefault((bbcid, system), []).append(row)
    articles: dict[str, str] | None = None
    for (bbcid, _), rows in summaries.items():
        if articles is None and optional_text(rows[0], "article") is None:
            articles = _articles(source)
        try:
            yield from _claims(rows, (articles or {}).get(bbcid))
        except UnusableError as unusable:
            yield unusable.left_out


def _articles(source: Source) -> dict[str, str]:
    """Articles by BBC id, from the file beside the annotations."""
    place = source.path / "annotations" if source.path.is_dir() else source.path
    path = None if source.is_dataset else source.beside(place, "articles.*")
    if path is None:
        law = "the annotations have no articles, and there is no articles.jsonl beside them"
        mend = 'Write {"bbcid": …, "article": …} lines there, from the XSum set.'
        raise GoldError(Problem(source.place, law, mend))
    return dict(_texts(source, path))


def _texts(source: Source, path: Path) -> Iterator[tuple[str, str]]:
    for row in source.rows(path):
        bbcid = optional_text(row, "bbcid") or optional_text(row, "id")
        article = optional_text(row, "article") or optional_text(row, "document")
        if bbcid is None or article is None:
            law, mend = "an article needs bbcid and article", "Mend or remove the row."
            source.fault(row.where, law, mend, line=row.line)
        else:
            yield bbcid, article


def _claims(rows: Sequence[SourceRow], article: str | None) -> Iterator[ImportedClaim | LeftOut]:
    first = rows[0]
    name = f"{optional_text(first, 'bbcid')}-{optional_text(first, 'system')}"
    passage = optional_text(first, "article") or article
    if passage is None:
        raise UnusableError(left_out(first, "missing_context", name, "no article of this bbcid"))
    summary = text_in(first, "summary")
    annotations: dict[str, list[SourceRow]] = {}
    unknown: set[str] = set()
    for row in rows:
        worker = optional_text(row, "worker_id")
        kind = _type(row)
        if worker is None or row.fields.get("summary") != summary:
            yield left_out(row, "malformed", name, "no worker_id, or another summary")
        elif kind not in _TYPES:
            unknown.add(worker)
            yield left_out(row, "unknown_label", name, f"hallucination_type {short_repr(kind, 40)}")
        else:
            annotations.setdefault(worker, []).append(row)
    votes = tuple(
        _annotation(worker, marks) for worker, marks in annotations.items() if worker not in unknown
    )
    label = _majority(votes)
    waits: Reason = "tied" if votes and label is None else "unlabelled"
    system = optional_text(first, "system")
    yield ImportedClaim(
        where=first.where,
        line=first.line,
        claim=unescaped(summary),
        passages=(passage,),
        label=label,
        claim_id=bounded(f"xsumhal-{name}"),
        answer_id=bounded(f"xsumhal-{name}"),
        lang="en",
        slice="summary",
        annotations=votes,
        unlabelled=waits,
        detail=votes_in_words(votes) if label is None else "",
        generator=None if system == _REFERENCE else system,
    )


def _type(row: SourceRow) -> Any:
    """Upstream's type; a missing one is NULL where the offset says that nothing was marked."""
    kind = row.fields.get("hallucination_type")
    start = row.fields.get("hallucinated_span_start")
    return "NULL" if kind is None and str(start) == "-1" else kind


def _annotation(worker: str, marks: Sequence[SourceRow]) -> Annotation:
    kinds = {_type(mark) for mark in marks}
    label: GoldLabel = "no" if "intrinsic" in kinds else "idk" if "extrinsic" in kinds else "yes"
    notes = [
        remark(str(_type(mark)), unescaped(span), None)
        for mark in marks
        if _type(mark) != "NULL" and (span := optional_text(mark, "hallucinated_span"))
    ]
    return Annotation(annotator=worker[:200], label=label, note="\n".join(notes) or None)


def _majority(votes: Sequence[Annotation]) -> GoldLabel | None:
    """What more than half say; unsupported where they agree on nothing but that."""
    counts = Counter(vote.label for vote in votes)
    half = len(votes) / 2
    labels: tuple[GoldLabel, ...] = ("yes", "no", "idk")
    won = next((label for label in labels if counts[label] > half), None)
    return won or ("unsupported" if counts["no"] + counts["idk"] > half else None)


def unescaped(text: str) -> str:
    r"""The text without upstream's escapes.

    >>> unescaped("``it\\'s\\'\\'")
    '"it\'s"'
    """
    for escaped, plain in _ESCAPES:
        text = text.replace(escaped, plain)
    return text
