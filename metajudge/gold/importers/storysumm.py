"""StorySumm: sentences of story summaries, each consistent with the story (1) or not (0).

A sentence may lean on the ones before it; the claims of a summary share an answer, in order.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from metajudge.counted import counted
from metajudge.errors import GoldError, short_repr
from metajudge.gold.claim import GoldLabel
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.records import (
    UnusableError,
    as_text,
    bounded,
    claims_of_each,
    left_out,
    list_in,
    optional_text,
    records,
    text_in,
)
from metajudge.gold.importing.source import Source
from metajudge.gold.rows import SourceRow
from metajudge.gold.source_text import lone_surrogate

FORMAT = Format(
    name="storysumm",
    title="StorySumm",
    kind="public",
    holds="storysumm.json, one object keyed by summary",
    label_space="binary",
    mapping="errors is per sentence: 1 (consistent) is supported, 0 is unsupported.",
    licence="MIT (annotations); the stories belong to the authors who posted them on Reddit",
    citation=(
        "Melanie Subbiah, Faisal Ladhak, Akankshya Mishra, Griffin Thomas Adams, Lydia Chilton "
        "and Kathleen McKeown (2024). STORYSUMM: Evaluating Faithfulness in Story "
        "Summarization. EMNLP 2024, 9988-10005."
    ),
    url="https://github.com/melaniesubbiah/storysumm",
    marks=("story", "summary", "errors", "explanations"),
    files=("storysumm*.json",),
    languages=("en",),
)
_LABELS: dict[int, GoldLabel] = {1: "supported", 0: "unsupported"}
_KEY = "summary-id"


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Sentences of the summaries, in file order.

    Raises:
        GoldError: There is no such file.
    """
    if source.is_dataset:
        yield from claims_of_each(records(source, FORMAT), _claims)
        return
    for path in source.find(*FORMAT.files):
        try:
            document = source.document(path)
        except GoldError as error:
            line = error.problems[0].line
            document = _without_stray_quote(source.text(path), line)
            if document is None:
                source.problems += error.problems
                continue
            detail = "one too many before the line's end; the record comes in without it"
            yield LeftOut("malformed", str(path), line, "a quote", detail)
        yield from claims_of_each(_summaries(source, path, document), _claims)


def _without_stray_quote(text: str, number: int | None) -> Any:
    """The file without the last quote of the line at fault; None where it is not JSON then either.

    Upstream's own file has such a quote before the end of a line, and is no JSON because of it.
    """
    lines = text.split("\n")
    line = "" if number is None else lines[number - 1].rstrip()
    if number is None or not line.endswith('"'):
        return None
    lines[number - 1] = line[:-1]
    try:
        return json.loads("\n".join(lines))
    except (ValueError, RecursionError):
        return None


def _summaries(source: Source, path: Path, document: Any) -> Iterator[SourceRow]:
    if not isinstance(document, dict):
        law, mend = "the file must be one object keyed by summary", "Name storysumm.json."
        source.fault(str(path), law, mend, got=document)
        return
    for number, (key, fields) in enumerate(document.items(), 1):
        where = f"{path} row {number}"
        if isinstance(fields, dict):
            yield SourceRow(where, None, {_KEY: key} | fields)
        else:
            source.fault(where, "a summary must be an object", "Remove it.", field=key, got=fields)


def _claims(row: SourceRow) -> Iterator[ImportedClaim | LeftOut]:
    key = optional_text(row, _KEY) or optional_text(row, "id")
    story = text_in(row, "story", "missing_context")
    parts, errors = list_in(row, "summary"), list_in(row, "errors")
    if not parts or len(parts) != len(errors):
        detail = f"{counted(len(parts), 'sentences')}, {counted(len(errors), 'labels')}"
        yield left_out(row, "malformed", key or "a summary", detail)
        return
    notes = _explanations(row, errors)
    if notes is None:
        given = len(list_in(row, "explanations"))
        detail = f"{counted(given, 'explanations')} for {counted(errors.count(0), 'errors')}"
        yield left_out(row, "malformed", f"{key or 'a summary'} explanations", detail)
    seed = (key or "\n".join(map(str, parts))).encode("utf-8", "replace")
    answer_id = f"storysumm-{hashlib.md5(seed, usedforsecurity=False).hexdigest()[:10]}"
    story_id = optional_text(row, "story-id")
    for index, (part, error) in enumerate(zip(parts, errors, strict=True)):
        try:
            claim, label = as_text(row, f"summary[{index}]", part), _label(row, index, error)
        except UnusableError as unusable:
            yield unusable.left_out
            continue
        yield ImportedClaim(
            where=row.where,
            line=row.line,
            claim=claim,
            passages=(story,),
            label=label,
            claim_id=f"{answer_id}-{index}",
            answer_id=answer_id,
            group=story_id and bounded(f"storysumm-story-{story_id}"),
            lang="en",
            slice="summary",
            note=(notes or {}).get(index),
            generator=optional_text(row, "model"),
        )


def _label(row: SourceRow, index: int, error: Any) -> GoldLabel:
    label = _LABELS.get(error) if isinstance(error, int) and not isinstance(error, bool) else None
    if label is None:
        detail = f"errors[{index}] is {short_repr(error, 40)}"
        what = optional_text(row, _KEY) or "a summary"
        raise UnusableError(left_out(row, "unknown_label", what, detail))
    return label


def _explanations(row: SourceRow, errors: Sequence[Any]) -> dict[int, str] | None:
    """What is wrong with each sentence at fault; None where upstream does not give one each."""
    given = list_in(row, "explanations")
    wrong = [index for index, error in enumerate(errors) if error == 0]
    if len(given) != len(wrong):
        return None
    return {
        index: text
        for index, text in zip(wrong, given, strict=True)
        if isinstance(text, str) and text.strip() and lone_surrogate(text) is None
    }
