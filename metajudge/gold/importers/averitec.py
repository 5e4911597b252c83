"""AVeriTeC: claims of public life against questions and answers that annotators found on the web.

The context is made of the question-answer pairs, one passage an answer; the answer to a yes-no
question has its substance in the explanation. Verdicts may rest on who published the evidence,
not only on what it says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from metajudge.gold.claim import GoldLabel
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.records import (
    UnusableError,
    as_text,
    bounded,
    claims_of_each,
    folded_word,
    known_words,
    label_in,
    left_out,
    list_in,
    malformed,
    optional_text,
    records,
    text_in,
)
from metajudge.gold.importing.source import Source
from metajudge.gold.rows import SourceRow

FORMAT = Format(
    name="averitec",
    title="AVeriTeC",
    kind="public",
    holds="a .json file (one list), or a folder of them (train, dev)",
    label_space="ternary",
    mapping=(
        "Supported -> yes, Refuted -> no, Not Enough Evidence -> idk, Conflicting "
        "Evidence/Cherrypicking comes in without a label; context = the question-answer pairs."
    ),
    licence="CC BY-NC 4.0 (non-commercial)",
    citation=(
        "Michael Schlichtkrull, Zhijiang Guo and Andreas Vlachos (2023): AVeriTeC: A Dataset for "
        "Real-world Claim Verification with Evidence from the Web. NeurIPS 2023 Datasets and "
        "Benchmarks."
    ),
    url="https://github.com/MichSchli/AVeriTeC",
    marks=("claim", "label", "questions", "justification"),
    files=("averitec*.json",),
    languages=("en",),
)
_LABELS: dict[str, GoldLabel] = {"Supported": "yes", "Refuted": "no", "Not Enough Evidence": "idk"}
_CONFLICTING = "conflicting evidence/cherrypicking"
_NO_ANSWER = "No answer could be found."
"""What upstream writes where a question has no answer."""


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Claims of each record, in file order; claims of one fact-checking article are one group.

    Ids are made from content unless the record has a `claim_id`: its place in the list would give
    another claim the same id in a part of the file.
    """
    labels = known_words(source, _LABELS)
    rows = records(source, FORMAT, "*.json", "*.jsonl")
    return claims_of_each(rows, partial(_claims, labels=labels))


def _claims(row: SourceRow, labels: Mapping[str, GoldLabel]) -> Iterator[ImportedClaim]:
    claim, passages = text_in(row, "claim"), _passages(row)
    article, identifier = (
        optional_text(row, "fact_checking_article"),
        optional_text(row, "claim_id"),
    )
    word = folded_word(row.fields.get("label"))
    conflicting = word == _CONFLICTING and word not in labels
    yield ImportedClaim(
        where=row.where,
        line=row.line,
        claim=claim,
        passages=passages,
        label=None if conflicting else label_in(row, "label", labels),
        claim_id=identifier and bounded(f"averitec-{identifier}"),
        group=article and bounded(article),
        lang="en",
        note=optional_text(row, "justification"),
        unlabelled="unsettled" if conflicting else "unlabelled",
        detail="Conflicting Evidence/Cherrypicking" if conflicting else "",
    )


def _passages(row: SourceRow) -> tuple[str, ...]:
    """One passage an answer, with its question.

    Raises:
        UnusableError: There is no answer, or a question or answer is not as the format has it.
    """
    passages = []
    for entry in list_in(row, "questions"):
        question = as_text(row, "question", _of(row, entry, "questions").get("question"))
        answers = entry.get("answers")
        if not isinstance(answers, list):
            raise UnusableError(malformed(row, "answers", answers))
        for answer in answers:
            text = _answer(row, _of(row, answer, "answers"))
            passages.append(f"Q: {question}\nA: {text}")
    if not passages:
        raise UnusableError(left_out(row, "missing_context", "questions", "no answers"))
    return tuple(passages)


def _answer(row: SourceRow, answer: Mapping[str, Any]) -> str:
    unanswerable = answer.get("answer_type") == "Unanswerable"
    text = as_text(row, "answer", answer.get("answer") or (_NO_ANSWER if unanswerable else None))
    explanation = answer.get("boolean_explanation")
    if explanation is None or explanation == "":
        return text
    return f"{text} {as_text(row, 'boolean_explanation', explanation)}"


def _of(row: SourceRow, value: object, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise UnusableError(malformed(row, name, value))
    return value
