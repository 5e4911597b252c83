"""ANAH: sentences of two models' answers in Chinese and English, each with a person's annotation.

An annotation is a tagged text: hallucination none, contradictory or unverifiable, the fragments of
the documents that it rests on, and a correction; or no fact. Which sentence it is about is told by
its point (要点) where it has one, else by its place: the answer is taken apart into sentences, and
where there are not as many as annotations, those are left out, not guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from metajudge.counted import counted
from metajudge.errors import short_repr
from metajudge.gold.claim import GoldLabel
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.records import (
    UnusableError,
    as_text,
    claims_of_each,
    identifier_of,
    left_out,
    list_in,
    malformed,
    optional_text,
    records,
    texts_in,
)
from metajudge.gold.importing.sentences import sentences_of
from metajudge.gold.importing.source import Source
from metajudge.gold.rows import SourceRow

FORMAT = Format(
    name="anah",
    title="ANAH",
    kind="public",
    holds="a .jsonl file with one topic a line, or a folder of them",
    label_space="ternary",
    mapping=(
        "无 / None -> yes, 矛盾 / Contradictory -> no, 无法验证 / Unverifiable -> idk; 无事实 / No "
        "Fact is left out; reference fragments that stand in a document letter by letter are spans."
    ),
    licence="Apache-2.0",
    citation=(
        "Ziwei Ji, Yuzhe Gu, Wenwei Zhang, Chengqi Lyu, Dahua Lin and Kai Chen (2024): ANAH: "
        "Analytical Annotation of Hallucinations in Large Language Models. ACL 2024."
    ),
    url="https://github.com/open-compass/ANAH",
    hub=("opencompass/anah",),
    marks=("documents", "selected_questions", "human_InternLM_answers_ann"),
    files=("*anah*.jsonl",),
)
_MODELS = {
    "GPT3.5": ("GPT3.5_answers_D", "human_GPT3.5_answers_D_ann"),
    "InternLM": ("InternLM_answers", "human_InternLM_answers_ann"),
}
"""Generator: the fields of its answers and of what people said of them."""
_NO_FACT = re.compile(r"<\s*(?:无事实|No ?Fact)\s*>", re.IGNORECASE)
_NO_FACT_WORDS = ("无事实", "no fact")
_TAG = re.compile(r"<\s*(要点|Point|幻觉|Hallucination|参考|Reference|改正|Correction)\s*>", re.I)
_TAGS = {"要点": "point", "幻觉": "hallucination", "参考": "reference", "改正": "correction"}
_LABELS: dict[str, GoldLabel] = {
    "无法验证": "idk",
    "unverifiable": "idk",
    "无": "yes",
    "none": "yes",
    "矛盾": "no",
    "contradictory": "no",
}
_BETWEEN = "<SEP>"
_QUOTES = " \t\n\"'“”‘’"
_LANGUAGES = ("zh", "en")


class _Answer(NamedTuple):
    model: str
    question: str | None
    text: str
    documents: tuple[str, ...]


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Sentences of each topic, in file order: model by model, answer by answer."""
    return claims_of_each(records(source, FORMAT, "*.jsonl"), _claims)


def _claims(row: SourceRow) -> Iterator[ImportedClaim | LeftOut]:
    documents, questions = texts_in(row, "documents"), list_in(row, "selected_questions")
    for model, (answers_name, notes_name) in _MODELS.items():
        answers, notes = list_in(row, answers_name), list_in(row, notes_name)
        if len(answers) != len(notes):
            detail = (
                f"{counted(len(answers), 'answers')}, {counted(len(notes), 'lists')} of annotations"
            )
            yield left_out(row, "malformed", notes_name, detail)
            continue
        for index, (answer, said) in enumerate(zip(answers, notes, strict=True)):
            try:
                text = as_text(row, f"answer of {model}", answer)
                question = _question(row, questions, index)
                yield from _sentences(row, _Answer(model, question, text, documents), said)
            except UnusableError as unusable:
                yield unusable.left_out


def _question(row: SourceRow, questions: Sequence[Any], index: int) -> str | None:
    return as_text(row, "selected_questions", questions[index]) if index < len(questions) else None


def _sentences(row: SourceRow, answer: _Answer, said: object) -> Iterator[ImportedClaim | LeftOut]:
    """The annotated sentences of one answer."""
    if not isinstance(said, list):
        raise UnusableError(malformed(row, f"annotations of {answer.model}", said))
    topic, language = optional_text(row, "name"), optional_text(row, "language")
    answer_id = identifier_of("anah", topic or "", answer.model, answer.question or "", answer.text)
    parts = [part.text for part in sentences_of(answer.text)]
    for index, annotation in enumerate(said):
        what = f"{answer_id} sentence {index}"
        if not isinstance(annotation, str):
            yield left_out(row, "malformed", what, f"it is {short_repr(annotation, 40)}")
            continue
        label = _label(row, what, annotation)
        if isinstance(label, LeftOut):
            yield label
            continue
        tagged = _tagged(annotation)
        claim = tagged.get("point") or (parts[index] if len(parts) == len(said) else None)
        if claim is None:
            detail = f"{counted(len(said), 'annotations')}, {counted(len(parts), 'sentences')}"
            yield left_out(row, "missing_text", what, detail)
            continue
        yield ImportedClaim(
            where=row.where,
            line=row.line,
            claim=claim,
            passages=answer.documents,
            label=label,
            claim_id=f"{answer_id}-{index}",
            answer_id=answer_id,
            question=answer.question,
            lang=language if language in _LANGUAGES else None,
            title=topic,
            spans=_spans(tagged.get("reference", ""), answer.documents),
            note=_correction(tagged.get("correction", "")),
            generator=answer.model,
        )


def _label(row: SourceRow, what: str, annotation: str) -> GoldLabel | LeftOut:
    said = _tagged(annotation).get("hallucination", "").casefold()
    if _NO_FACT.search(annotation) or said.startswith(_NO_FACT_WORDS):
        return left_out(row, "no_claim", what, "No Fact")
    label = next((label for word, label in _LABELS.items() if said.startswith(word)), None)
    if label is not None:
        return label
    found = said or annotation
    return left_out(row, "unknown_label", what, f"hallucination is {short_repr(found, 40)}")


def _tagged(annotation: str) -> dict[str, str]:
    """What stands after each tag, up to the next one."""
    tags = list(_TAG.finditer(annotation))
    ends = [*(tag.start() for tag in tags[1:]), len(annotation)]
    return {
        _TAGS.get(tag[1], tag[1].casefold()): annotation[tag.end() : end].strip()
        for tag, end in zip(tags, ends, strict=False)
    }


def _spans(references: str, documents: tuple[str, ...]) -> tuple[str, ...]:
    """Fragments that stand in a document letter by letter, each once."""
    fragments = (part.strip(_QUOTES) for part in references.split(_BETWEEN))
    found = (part for part in fragments if part and any(part in text for text in documents))
    return tuple(dict.fromkeys(found))


def _correction(text: str) -> str | None:
    return None if text.casefold() in ("", "无", "none") else text
