"""FaithBench: spans that several annotators marked in summaries, as labels of sentences.

A rater is known by the spans alone: one who found nothing in a summary leaves no trace. So the
raters of a sentence are those who marked something anywhere in its summary, and one of them who
marked nothing in the sentence said yes to it.

Some sources are others with a number changed: sources that begin alike are one group.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from metajudge.errors import GoldError, short_repr
from metajudge.gold.annotators import adjudicate
from metajudge.gold.claim import SPACE_LABELS, Annotation, GoldLabel
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.projection import projected
from metajudge.gold.importing.records import (
    UnusableError,
    bounded,
    claims_of_each,
    identifier_of,
    left_out,
    list_in,
    malformed,
    optional_text,
    records,
    text_in,
    vote_of,
)
from metajudge.gold.importing.sentences import (
    REFUSAL,
    Place,
    Sentence,
    beginning,
    claims_nothing,
    place_of,
    remark,
    sentences_of,
    touches,
)
from metajudge.gold.importing.source import Source
from metajudge.gold.rows import SourceRow
from metajudge.gold.source_text import lone_surrogate

FORMAT = Format(
    name="faithbench",
    title="FaithBench",
    kind="public",
    holds="the folder with batch_1.json … batch_16.json, or one of them",
    label_space="ternary",
    mapping="Per annotator the worst span that touches the sentence counts (Unwanted.Intrinsic no,"
    " Unwanted.Extrinsic idk, Unwanted alone unsupported; Questionable and Benign are soft); a"
    " sentence without any span is yes, else a strict majority of those who marked the summary"
    " decides and what it does not decide waits for a label.",
    licence="CC BY-NC-SA 4.0 (non-commercial, share-alike)",
    citation=(
        "Forrest Sheng Bao, Miaoran Li, Renyi Qu, Ge Luo, Erana Wan, Yujia Tang, Weisi Fan, "
        "Manveer Singh Tamber, Suleman Kazi, Vivek Sourabh, Mike Qi, Ruixuan Tu, Chenyu Xu, "
        "Matthew Gonzales, Ofer Mendelevitch and Amin Ahmad (2025). FaithBench: A Diverse "
        "Hallucination Benchmark for Summarization by Modern LLMs. NAACL 2025, short papers, "
        "448-461."
    ),
    url="https://github.com/vectara/FaithBench",
    marks=("sample_id", "source", "summary", "annotations"),
    files=("batch_*.json",),
    languages=("en",),
)
Vote = Literal["no", "unsupported", "idk", "questionable", "benign", "unclear", "yes"]
_WORST_FIRST: tuple[Vote, ...] = (
    *("no", "unsupported", "idk", "questionable", "benign", "unclear", "yes"),
)
_LABELS: dict[Vote, GoldLabel] = {
    "no": "no",
    "unsupported": "unsupported",
    "idk": "idk",
    "yes": "yes",
}
_BATCH = re.compile(r"batch_(\d+)")


class Mark(NamedTuple):
    """What an annotator marked in a summary.

    Attributes:
        place: In the summary.
        annotator: Upstream's id.
        vote: The label that stands in upstream's list, `unclear` where it holds none.
        note: Label, text and comment in one line.
        evidence: The text of the source that was marked with it; None without.
    """

    place: Place
    annotator: str
    vote: Vote
    note: str
    evidence: str | None


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Sentences of the summaries, in file order.

    Raises:
        GoldError: There is no batch.
    """
    yield from claims_of_each(_samples(source), _claims)


def _samples(source: Source) -> Iterator[SourceRow]:
    """Samples of every batch; `sample_id` is unique inside one only, so each gets its batch."""
    if source.is_dataset:
        yield from records(source, FORMAT)
        return
    for path in sorted(source.find("batch_*.json"), key=lambda path: (_batch(path).zfill(9), path)):
        try:
            document = source.document(path)
        except GoldError as error:
            source.problems += error.problems
            continue
        samples = document.get("samples") if isinstance(document, dict) else None
        if not isinstance(samples, list):
            law, mend = 'a batch must be {"samples": […]}', "Name the files of data_for_release."
            source.fault(str(path), law, mend, got=document)
            continue
        for number, sample in enumerate(samples, 1):
            where = f"{path} row {number}"
            if isinstance(sample, dict):
                yield SourceRow(where, None, {"batch": _batch(path)} | sample)
            else:
                source.fault(where, "a sample must be an object", "Remove it.", got=sample)


def _batch(path: Path) -> str:
    found = _BATCH.search(path.stem)
    return found[1] if found else path.stem


def _claims(row: SourceRow) -> Iterator[ImportedClaim | LeftOut]:
    name = _name(row)
    summary = text_in(row, "summary")
    text_in(row, "source", "missing_context")
    if "annotations" not in row.fields:
        raise UnusableError(malformed(row, "annotations", None))
    marks = [_mark(row, name, summary, each) for each in list_in(row, "annotations")]
    for mark in marks:
        if mark.vote == "unclear":
            yield left_out(row, "unknown_label", f"{name} annotation", mark.note)
    raters = tuple(dict.fromkeys(mark.annotator for mark in marks))
    for sentence in sentences_of(summary):
        hits = [mark for mark in marks if touches(summary, sentence, mark.place)]
        inside = any(
            sentence.start <= hit.place.start and hit.place.end <= sentence.end for hit in hits
        )
        nothing = None if inside else claims_nothing(sentence.text)
        if nothing and not (hits and nothing == REFUSAL):
            yield left_out(row, "no_claim", f"{name}-{sentence.index}", nothing)
        else:
            yield _claim(row, sentence, hits, raters)


def _name(row: SourceRow) -> str:
    """Batch and sample, by which upstream knows a summary; one of them where the other misses."""
    parts = (optional_text(row, "batch"), optional_text(row, "sample_id"))
    return "-".join(part for part in parts if part) or "a sample"


def _claim(
    row: SourceRow, sentence: Sentence, hits: Sequence[Mark], raters: Sequence[str]
) -> ImportedClaim:
    passage, known = text_in(row, "source"), optional_text(row, "sample_id") is not None
    answer_id = bounded(f"faithbench-{_name(row)}") if known else None
    votes = _votes(hits, raters)
    label = _decided(votes, hits)
    annotations = tuple(
        _annotation(rater, vote, [hit for hit in hits if hit.annotator == rater], passage)
        for rater, vote in votes.items()
        if vote in _LABELS
    )
    if label is None and _settle(annotations):
        annotations = ()  # they stay in the note, or a gold set would settle what people left open
    counts = Counter(votes.values())
    metadata = row.fields.get("metadata")
    writer = metadata.get("summarizer") if isinstance(metadata, Mapping) else None
    return ImportedClaim(
        where=row.where,
        line=row.line,
        claim=sentence.text,
        passages=(passage,),
        label=label,
        claim_id=answer_id and bounded(f"{answer_id}-{sentence.index}"),
        answer_id=answer_id,
        group=identifier_of("faithbench", beginning(passage)),
        lang="en",
        annotations=annotations,
        note="\n".join(f"{hit.annotator}: {hit.note}" for hit in hits) or None,
        unlabelled="unsettled" if label is None else "unlabelled",
        detail=", ".join(f"{counts[vote]} {vote}" for vote in _WORST_FIRST if counts[vote])
        if label is None
        else "",
        generator=writer if isinstance(writer, str) and lone_surrogate(writer) is None else None,
    )


def _settle(annotations: Sequence[Annotation]) -> bool:
    """Whether a rule of adjudication makes a label of annotations, in one label space or other."""
    for space in SPACE_LABELS:
        labels = [(note, projected(note.label, space)) for note in annotations]
        votes = [vote_of(note.annotator, label) for note, label in labels if label is not None]
        if adjudicate(votes).label is not None:
            return True
    return False


def _votes(hits: Sequence[Mark], raters: Sequence[str]) -> dict[str, Vote]:
    """Each rater's worst label of a sentence, yes where nothing was marked in it."""
    worst: dict[str, Vote] = dict.fromkeys(raters, "yes")
    for hit in hits:
        worst[hit.annotator] = min(hit.vote, worst[hit.annotator], key=_WORST_FIRST.index)
    return worst


def _decided(votes: Mapping[str, Vote], hits: Sequence[Mark]) -> GoldLabel | None:
    """The label of a sentence: yes without a span, else what more than half of the raters say.

    A bare Unwanted counts for no and for idk, whichever of the two it makes a majority; where it
    would make both, or neither has one, the sentence is unsupported.
    """
    if not hits:
        return "yes"
    counts = Counter(votes.values())
    half = len(votes) / 2
    bare = counts["unsupported"]
    if counts["no"] + counts["idk"] + bare <= half:
        return None
    kinds: tuple[Literal["no", "idk"], ...] = ("no", "idk")
    won = [kind for kind in kinds if counts[kind] and counts[kind] + bare > half]
    return won[0] if len(won) == 1 else "unsupported"


def _annotation(rater: str, vote: Vote, hits: Sequence[Mark], passage: str) -> Annotation:
    found = (hit.evidence for hit in hits if hit.vote == vote)
    spans = dict.fromkeys(text for text in found if text and text in passage)
    note = "\n".join(hit.note for hit in hits) or None
    return Annotation(annotator=rater, label=_LABELS[vote], note=note, spans=tuple(spans))


def _mark(row: SourceRow, name: str, summary: str, given: Any) -> Mark:
    if not isinstance(given, Mapping):
        raise UnusableError(malformed(row, "annotations", given))
    rater = given.get("annotator_id", given.get("annotator"))
    place = place_of(summary, *(given.get(f"summary_{part}") for part in ("start", "end", "span")))
    if not isinstance(rater, str | int) or not _is_name(str(rater)):
        raise UnusableError(left_out(row, "malformed", name, "an annotation without an annotator"))
    if place is None:
        detail = f"a span does not stand where it says: {short_repr(given.get('summary_span'), 40)}"
        raise UnusableError(left_out(row, "malformed", name, detail))
    words, evidence = given.get("label"), given.get("source_span")
    said = ", ".join(map(str, words)) if isinstance(words, list) and words else "no label"
    note = remark(said, summary[place.start : place.end], given.get("note"))
    marked = evidence if isinstance(evidence, str) else None
    return Mark(place, str(rater), _vote(words), note, marked)


def _is_name(rater: str) -> bool:
    return 0 < len(rater) <= 200 and bool(rater.strip()) and lone_surrogate(rater) is None


def _vote(words: Any) -> Vote:
    """The worst of the labels that an annotation lists; `unclear` where none is known."""
    given = words if isinstance(words, list) else [words]
    known: dict[Any, Vote] = {
        "Unwanted.Intrinsic": "no",
        "Unwanted.Instrinsic": "no",
        "Unwanted.Extrinsic": "idk",
        "Questionable": "questionable",
        "Benign": "benign",
    }
    votes: list[Vote] = [known[word] for word in given if isinstance(word, str) and word in known]
    if "Unwanted" in given and not {"no", "idk"} & set(votes):
        votes.append("unsupported")
    return min(votes, key=_WORST_FIRST.index, default="unclear")
