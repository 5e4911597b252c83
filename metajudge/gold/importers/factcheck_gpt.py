"""Factcheck-GPT: claims of ChatGPT's answers against five web snippets, a human stance on each.

The label is made of the stances by a rule: complete support and no refutation is yes, refutation
and no complete support is no, all irrelevant is idk, only partial support is unsupported. Support
beside refutation is not settled; nor is a claim whose flag "evidence enough to verify" speaks
against its stances (yes and no need it, idk forbids it). Whether the claim is true in the world
(`claims_factuality_label`) is not read: it is not support.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from metajudge.errors import short_repr
from metajudge.gold.claim import GoldLabel
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut, Reason
from metajudge.gold.importing.records import (
    UnusableError,
    as_text,
    bounded,
    claims_of_each,
    folded_word,
    identifier_of,
    left_out,
    malformed,
    optional_text,
    records,
    text_in,
)
from metajudge.gold.importing.source import Source
from metajudge.gold.rows import SourceRow

FORMAT = Format(
    name="factcheck-gpt",
    title="Factcheck-GPT (Factcheck-Bench)",
    kind="public",
    holds=(
        "factcheck-GPT-benchmark.jsonl or subtask3_claim_evidence_stance.jsonl, or a folder with "
        "one or both"
    ),
    label_space="ternary",
    mapping=(
        "Stances of the snippets by a rule: complete support and no refutation -> yes, refutation "
        "and no complete support -> no, all irrelevant -> idk, only partial support -> "
        "unsupported; support beside refutation, or stances against the flag that the evidence is "
        "enough, come in without a label."
    ),
    licence="Apache-2.0 (labels); evidence: snippets of public web pages",
    citation=(
        "Yuxia Wang, Revanth Gangi Reddy, Zain Muhammad Mujahid, Arnav Arora, Aleksandr "
        "Rubashevskii, Jiahui Geng, Osama Mohammed Afzal, Liangming Pan, Nadav Borenstein, Aditya "
        "Pillai, Isabelle Augenstein, Iryna Gurevych and Preslav Nakov (2024): Factcheck-Bench: "
        "Fine-Grained Evaluation Benchmark for Automatic Fact-checkers. Findings of EMNLP 2024."
    ),
    url="https://github.com/yuxiaw/Factcheck-GPT",
    marks=("prompt", "response", "sentences"),
    files=("factcheck-GPT-benchmark*.jsonl", "subtask3_claim_evidence_stance*.jsonl"),
    languages=("en",),
)
_FULL, _PART, _AGAINST, _NOTHING = "completely-support", "partially-support", "refute", "irrelevant"
_STANCES = (_FULL, _PART, _AGAINST, _NOTHING)
_FACTUAL = "factual"
_PARALLEL = (
    "stance_claim_autoEvid",
    "auto_evidence",
    "if_automatic_evidence_enough_to_verify",
)
"""Lists of a sentence beside its claims: stances and snippets of each, and the flag."""
_WORTH = "claim_checkworthiness"


@dataclass(frozen=True, slots=True)
class _Judged:
    """One claim with its snippets; `enough` is None where nobody was asked."""

    row: SourceRow
    what: str
    claim: Any
    snippets: Sequence[Any]
    stances: Sequence[Any]
    enough: str | None
    question: str | None = None
    answer: str | None = None


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Claims of each answer, in file order, then those of the file of claim-snippet pairs.

    A claim of the pairs that stands in the answers too is left out: there it has its flag.
    """
    seen: set[tuple[str, tuple[str, ...]]] = set()
    rows = records(source, FORMAT)
    return claims_of_each(_with_pairs_gathered(rows), partial(_claims, seen=seen))


def label_of_stances(stances: Sequence[str], enough: str | None) -> GoldLabel | None:
    """The label by the rule above; None where people did not settle it.

    Args:
        stances: Of the snippets; at least one.
        enough: `yes` or `no`: whether the evidence is enough to verify; None leaves it out.

    >>> label_of_stances(["irrelevant", "completely-support"], "yes")
    'yes'
    >>> label_of_stances(["irrelevant", "irrelevant"], "yes") is None
    True
    """
    full, against = _FULL in stances, _AGAINST in stances
    if full and against:
        return None
    if full or against:
        return ("yes" if full else "no") if enough in ("yes", None) else None
    if _PART in stances:
        return "unsupported"
    return None if enough == "yes" else "idk"


def _with_pairs_gathered(rows: Iterator[SourceRow]) -> Iterator[SourceRow]:
    """Records as they come; rows of one pair each become one record for a run of equal claims."""
    first: SourceRow | None = None
    run: list[dict[str, Any]] = []
    for row in rows:
        pair = "stance" in row.fields and "sentences" not in row.fields
        goes_on = first is not None and pair and _same_claim(first, row)
        if first is not None and not goes_on:
            yield SourceRow(first.where, first.line, {"pairs": run})
            first, run = None, []
        if not pair:
            yield row
            continue
        first = first or row
        run.append(row.fields)
    if first is not None:
        yield SourceRow(first.where, first.line, {"pairs": run})


def _same_claim(one: SourceRow, other: SourceRow) -> bool:
    return one.where == other.where and one.fields.get("claim") == other.fields.get("claim")


def _claims(
    row: SourceRow, seen: set[tuple[str, tuple[str, ...]]]
) -> Iterator[ImportedClaim | LeftOut]:
    judged = _of_pairs(row) if "pairs" in row.fields else _of_answer(row)
    for found in judged:
        if isinstance(found, LeftOut):
            yield found
            continue
        try:
            claim = _imported(found)
        except UnusableError as unusable:
            yield unusable.left_out
            continue
        content = claim.claim, claim.passages
        if "pairs" in row.fields and content in seen:
            yield left_out(row, "duplicate", short_repr(claim.claim, 60), "it is in the answers")
        else:
            seen.add(content)
            yield claim


def _of_pairs(row: SourceRow) -> Iterator[_Judged]:
    pairs = row.fields["pairs"]
    claim = pairs[0].get("claim")
    snippets = [pair.get("evidence") for pair in pairs]
    stances = [pair.get("stance") for pair in pairs]
    yield _Judged(row, short_repr(claim, 60), claim, snippets, stances, None)


def _of_answer(row: SourceRow) -> Iterator[_Judged | LeftOut]:
    sentences = row.fields.get("sentences")
    if not isinstance(sentences, dict):
        raise UnusableError(malformed(row, "sentences", sentences))
    question, response = optional_text(row, "prompt"), text_in(row, "response")
    answer = identifier_of("fcgpt", question or "", response)
    for name, sentence in sentences.items():
        if not isinstance(sentence, dict):
            yield malformed(row, name, sentence)
            continue
        yield from _of_sentence(row, name, sentence, question, answer)


def _of_sentence(
    row: SourceRow, name: str, sentence: Mapping[str, Any], question: str | None, answer: str
) -> Iterator[_Judged | LeftOut]:
    claims = sentence.get("claims")
    if not isinstance(claims, list) or not claims:
        worth = sentence.get("sentence_checkworthiness")
        reason: Reason = "malformed" if claims or worth in (None, "yes") else "no_claim"
        detail = f"claims is {short_repr(claims, 40)}, checkworthiness {short_repr(worth, 40)}"
        yield left_out(row, reason, f"{name} claims", detail)
        return
    short = [key for key in _PARALLEL if _beside(sentence.get(key), claims) is None]
    if short:
        for index in range(len(claims)):
            what = f"{name} claim {index}"
            yield left_out(row, "malformed", what, f"{short[0]} is not as long as claims")
        return
    stances_of, snippets_of, flags = (sentence[key] for key in _PARALLEL)
    worths = _beside(sentence.get(_WORTH), claims) or [_FACTUAL] * len(claims)
    for index, (claim, worth) in enumerate(zip(claims, worths, strict=True)):
        what, stances, snippets = f"{name} claim {index}", stances_of[index], snippets_of[index]
        if worth != _FACTUAL and not stances:
            yield left_out(row, "no_claim", what, f"the annotators call it {short_repr(worth, 40)}")
        elif not stances or _beside(stances, snippets) is None:
            yield left_out(row, "malformed", what, "snippets and stances are not of one length")
        else:
            flag = folded_word(flags[index])
            yield _Judged(row, what, claim, snippets, stances, flag, question, answer)


def _beside(column: object, others: object) -> list[Any] | None:
    """A list that is as long as another; None where it is not."""
    if not isinstance(column, list) or not isinstance(others, list):
        return None
    return column if len(column) == len(others) else None


def _imported(judged: _Judged) -> ImportedClaim:
    row = judged.row
    for stance in judged.stances:
        if stance not in _STANCES:
            detail = f"stance is {short_repr(stance, 40)}"
            raise UnusableError(left_out(row, "unknown_label", judged.what, detail))
    passages = tuple(
        as_text(row, "auto_evidence", snippet, "missing_context") for snippet in judged.snippets
    )
    label = label_of_stances(judged.stances, judged.enough)
    flag = "" if judged.enough is None else f"; evidence enough to verify: {judged.enough}"
    note = f"stances: {', '.join(judged.stances)}{flag}"
    return ImportedClaim(
        where=row.where,
        line=row.line,
        claim=as_text(row, "claim", judged.claim),
        passages=passages,
        label=label,
        answer_id=judged.answer,
        group=judged.question and bounded(judged.question),
        question=judged.question,
        lang="en",
        note=note,
        unlabelled="unsettled",
        detail=note if label is None else "",
    )
