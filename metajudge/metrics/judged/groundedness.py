"""Groundedness: whether all that each sentence states can be traced to a passage."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from metajudge.judges.baseline import coverage
from metajudge.judges.sentences import sentences
from metajudge.metrics.judged.shares import Wording, share, share_sentence, unsaid_note
from metajudge.metrics.judged.unit import Found, JudgedMetric, Listed, Said, Unit
from metajudge.metrics.judged.words import Because
from metajudge.metrics.row import MetricRow
from metajudge.metrics.scored import UnitVerdict
from metajudge.scoring.statements import is_statement_free

_WORDING = Wording(
    (
        "{yes} of {n} sentences can be traced to the context in full",
        "{n} 个句子中有 {yes} 个可以完全在材料中找到出处",
    ),
    ("not traced", "找不到出处："),
)
_NAMED = re.compile(r"[\[［【](\d{1,3})[\]］】]|\bpassage (\d{1,3})\b|第(\d{1,3})段", re.IGNORECASE)


def stating_sentences(row: MetricRow) -> tuple[str, ...]:
    """The sentences of an answer that state something: no greetings, no apologies."""
    found = sentences(row.answer or "", row.lang)
    return tuple(text for text in found if not is_statement_free(text))


def traced_to(unit: str, passages: Sequence[str], reason: str | None) -> int | None:
    """0-based passage that a sentence goes back to: the one that the judge names.

    Where it names none, the passage whose wording the sentence shares most; None where it shares
    none with any.

    >>> passages = ["The fee is 10 euros.", "The office opens at nine."]
    >>> traced_to("It opens at nine.", passages, None), traced_to("x", passages, "see [1]")
    (1, 0)
    """
    named = [int(next(filter(None, m.groups()))) - 1 for m in _NAMED.finditer(reason or "")]
    known = [place for place in named if 0 <= place < len(passages)]
    if known:
        return known[0]
    shares = [coverage(unit, [passage]).share for passage in passages]
    return shares.index(max(shares)) if shares and max(shares) > 0 else None


def _missing(row: MetricRow) -> Because | None:
    if row.passages is None:
        return "no_context"
    return "no_answer" if row.answer is None else None


def _units(row: MetricRow, listed: Listed) -> tuple[Unit, ...]:
    return tuple(
        Unit("groundedness", text, row.passages or (), row.question)
        for text in stating_sentences(row)
    )


def _score(said: Said) -> Found:
    passages = said.row.passages or ()
    verdicts = tuple(_placed(verdict, passages) for verdict in said.verdicts)
    found = share(verdicts, said.policy)
    told = share_sentence(found, verdicts, _WORDING, said.row.chinese)
    told += unsaid_note(found, said, said.row.chinese)
    grounded = None if found.score is None else all(v.label == "yes" for v in verdicts)
    return Found(found.score, told, {"grounded": grounded}, verdicts)


def _placed(verdict: UnitVerdict, passages: Sequence[str]) -> UnitVerdict:
    if verdict.label != "yes":
        return verdict
    return replace(verdict, passage=traced_to(verdict.unit, passages, verdict.detail))


GROUNDEDNESS = JudgedMetric(
    name="groundedness",
    parts=("groundedness",),
    units=_units,
    score=_score,
    missing=_missing,
    nothing="states_nothing",
    takes_policy=True,
)
