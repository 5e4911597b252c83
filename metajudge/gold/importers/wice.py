"""WiCE: sentences of Wikipedia, and their parts, against the web pages that they cite.

The text before a claim (`claim_context`) goes into the note: people need it to read the claim, but
it is no user's question, and a judge must not take it for evidence. Claims of one Wikipedia article
are one group.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeGuard

from metajudge.gold.claim import GoldLabel
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.records import (
    UnusableError,
    bounded,
    claims_of_each,
    known_words,
    label_in,
    list_in,
    malformed,
    records,
    text_in,
    texts_in,
)
from metajudge.gold.importing.source import Source
from metajudge.gold.rows import SourceRow
from metajudge.gold.source_text import lone_surrogate

FORMAT = Format(
    name="wice",
    title="WiCE",
    kind="public",
    holds="a .jsonl file of claims, sub-claims or non-supported tokens, or a folder of them",
    label_space="binary",
    mapping="supported is supported; partially_supported and not_supported are unsupported.",
    licence="ODC-BY 1.0 (annotations); claims from Wikipedia CC BY-SA 4.0; evidence pages from"
    " Common Crawl under its terms of use",
    citation=(
        "Ryo Kamoi, Tanya Goyal, Juan Diego Rodriguez and Greg Durrett (2023). WiCE: Real-World "
        "Entailment for Claims in Wikipedia. EMNLP 2023, 7561-7583."
    ),
    url="https://github.com/ryokamoi/wice",
    hub=("jon-tow/wice", "tasksource/wice"),
    marks=("label", "supporting_sentences", "claim", "evidence", "meta"),
    files=("entailment_retrieval_*.jsonl", "non_supported_tokens_*.jsonl"),
    languages=("en",),
)
_LABELS: dict[str, GoldLabel] = {
    "supported": "supported",
    "partially_supported": "unsupported",
    "not_supported": "unsupported",
}

_PART = re.compile(r"-\d+$")
"""What follows a claim's id in the id of its sub-claim."""


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Claims and sub-claims, in file order; a sub-claim that two files hold comes in once."""
    labels = known_words(source, _LABELS)
    rows = records(source, FORMAT, "*.jsonl")
    yield from claims_of_each(rows, lambda row: _claims(row, labels))


def _claims(row: SourceRow, labels: Mapping[str, GoldLabel]) -> Iterator[ImportedClaim]:
    claim, evidence = text_in(row, "claim"), list_in(row, "evidence")
    meta = row.fields.get("meta")
    about = meta if isinstance(meta, Mapping) else {}
    name = about.get("id")
    known = name if _is_text(name) else None
    title = about.get("claim_title")
    page = title if _is_text(title) else None
    sets = _evidence_sets(row, len(evidence))
    spans = _spans(sets, evidence)
    yield ImportedClaim(
        where=row.where,
        line=row.line,
        claim=claim,
        passages=texts_in(row, "evidence"),
        label=label_in(row, "label", labels),
        claim_id=known and bounded(f"wice-{known}"),
        answer_id=known and bounded(f"wice-{_PART.sub('', known)}"),
        group=page and bounded(f"wice-{page}"),
        lang="en",
        slice="summary" if spans and min(map(len, sets)) > 1 else None,
        spans=spans,
        note=_note(row, about, sets),
    )


def _is_text(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and bool(value.strip()) and lone_surrogate(value) is None


def _evidence_sets(row: SourceRow, size: int) -> list[list[int]]:
    """Alternative sets of sentences, any one of which is enough; empty where nothing supports.

    Raises:
        UnusableError: It is no list of lists of numbers of the evidence.
    """
    sets = row.fields.get("supporting_sentences") or []
    whole = isinstance(sets, list) and all(
        isinstance(each, list) and all(_is_index(index, size) for index in each) for each in sets
    )
    if not whole:
        raise UnusableError(malformed(row, "supporting_sentences", sets))
    return sets


def _is_index(value: Any, size: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < size


def _spans(sets: Sequence[Sequence[int]], evidence: Sequence[Any]) -> tuple[str, ...]:
    """Sentences of any set, in the order of the page: without all of them nothing supports."""
    marked = (evidence[index] for index in sorted({index for each in sets for index in each}))
    return tuple(dict.fromkeys(text for text in marked if isinstance(text, str) and text.strip()))


def _note(row: SourceRow, about: Mapping[str, Any], sets: Sequence[Sequence[int]]) -> str | None:
    parts = []
    before = about.get("claim_context")
    if _is_text(before):
        parts.append(f"text before the claim: {before.strip()}")
    if len(sets) > 1:
        parts.append(f"evidence sets, any one is enough: {', '.join(map(str, sets))}")
    flags, tokens = row.fields.get("non_supported_spans"), row.fields.get("claim_tokens")
    if isinstance(flags, list) and isinstance(tokens, list) and len(flags) == len(tokens):
        pairs = zip(tokens, flags, strict=True)
        missing = [token for token, flag in pairs if flag is True and _is_text(token)]
        parts += [f"not supported: {' '.join(missing)}"] if missing else []
    return "\n".join(parts) or None
