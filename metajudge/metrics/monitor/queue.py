"""Answers with a low score, put into a gold folder where their claims wait for people's labels.

The folder is an ordinary gold set whose claims have no label: `metajudge label` opens it, and once
labels are in, everything that takes a gold set takes it. The judge's verdicts are not written into
it, so that nobody labels under their influence, and no label comes from a model (B92).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from metajudge.errors import GoldError, InputError, Problem
from metajudge.gold.appended import alone_in
from metajudge.gold.claim import Context, GoldManifest, LabellingPolicy, PendingClaim
from metajudge.gold.fingerprint import claim_id_of, context_id_of
from metajudge.gold.goldset import MANIFEST, GoldSet, load_goldset
from metajudge.gold.writer import write_goldset
from metajudge.metrics.monitor.row import FAITHFULNESS, MonitorRow
from metajudge.release.answers_file import AnswersSource, read_answers

THRESHOLD = 0.5
WHY = "a low score in monitored traffic"
PROVENANCE = (
    "Claims of answers of monitored traffic whose score is under the threshold of the queue. They "
    "are no random sample: rates measured on them do not hold for the traffic."
)


class Queued(NamedTuple):
    """What came into the folder.

    Attributes:
        answers: Answers that were added now.
        claims: Their claims.
        already: Low answers that were there before.
        without_texts: Low answers whose texts or claims are not at hand.
        waiting: Claims of the folder that wait for a label now.
    """

    answers: int
    claims: int
    already: int
    without_texts: int
    waiting: int


def low_rows(rows: Sequence[MonitorRow], threshold: float = THRESHOLD) -> list[MonitorRow]:
    """Rows with a score under the threshold, lowest first, each answer once.

    Args:
        rows: Of any releases.
        threshold: 0 to 1.
    """
    low = [row for row in rows if row.score is not None and row.score < threshold]
    ranked = sorted(low, key=lambda row: (row.score, row.time, row.answer_id))
    return list({row.answer_id: row for row in reversed(ranked)}.values())[::-1]


def queue(
    rows: Sequence[MonitorRow],
    folder: str | Path,
    *,
    threshold: float = THRESHOLD,
    texts: Mapping[str, Mapping[str, Any]] | None = None,
) -> Queued:
    """Put low answers into a gold folder, which is made where there is none.

    Args:
        rows: Of the metric faithfulness.
        folder: The folder; answers in it, labelled or not, are not put there again.
        threshold: Scores under it are low, 0 to 1.
        texts: By answer: question, answer, context, lang and claims, for rows that have none.

    Raises:
        InputError: The threshold is out of range, or the metric asks for other labels.
        GoldError: The folder holds something else, or a faulty set.
    """
    _check(rows, threshold)
    place = Path(folder)
    low = low_rows(rows, threshold)
    known = {row.answer_id: row.texts or (texts or {}).get(row.answer_id) for row in low}
    usable = [row for row in low if (known[row.answer_id] or {}).get("claims")]
    if not usable and not (place / MANIFEST).is_file():
        return Queued(0, 0, 0, len(low), 0)
    if place.is_dir() and any(place.iterdir()) and not (place / MANIFEST).is_file():
        law, mend = "the queue is a gold folder", "Name a new folder, or that of an earlier queue."
        raise GoldError(Problem(str(place), law, mend))
    place.mkdir(parents=True, exist_ok=True)
    with alone_in(place):
        is_there = (place / MANIFEST).is_file()
        gold = load_goldset(place, with_acts=False) if is_there else _empty(place.resolve().name)
        there = {claim.answer_id for claim in gold.every_claim}
        fresh = [row for row in usable if row.answer_id not in there]
        pending, contexts = list(gold.pending), dict(gold.contexts)
        for row in fresh:
            claims, context = _waiting(row, known[row.answer_id] or {})
            pending += claims
            contexts.setdefault(context.context_id, context)
        whole = replace(gold, pending=tuple(pending), contexts=contexts)
        if fresh:
            write_goldset(_with_languages(whole), place)
    return Queued(
        len(fresh),
        len(pending) - len(gold.pending),
        len(usable) - len(fresh),
        len(low) - len(usable),
        len(pending),
    )


def texts_of(source: AnswersSource) -> dict[str, dict[str, Any]]:
    """Texts and claims of answers by id, for answers that come with their claims.

    Raises:
        InputError: The answers are faulty.
    """
    return {
        answer.answer_id: {
            "question": answer.question,
            "answer": answer.answer,
            "context": list(answer.passages),
            "lang": answer.lang,
            "claims": [
                {"claim": claim.claim, "slice": claim.slice} for claim in answer.claims or ()
            ],
        }
        for answer in read_answers(source).answers
    }


def _check(rows: Sequence[MonitorRow], threshold: float) -> None:
    problems = []
    if not 0 <= threshold <= 1:
        law, mend = "a threshold lies from 0 to 1", "Usual is 0.5."
        problems.append(Problem("queue", law, mend, None, "threshold", repr(threshold)))
    others = sorted({row.metric for row in rows} - {FAITHFULNESS})
    if others:
        law = f"claims are labelled for {FAITHFULNESS}, and {', '.join(others)} asks for others"
        problems.append(Problem("queue", law, f"Choose --metric {FAITHFULNESS}.", field="metric"))
    if problems:
        raise InputError(problems)


def _empty(name: str) -> GoldSet:
    manifest = GoldManifest(
        name=name[:200],
        version="0.1.0",
        languages=("en",),
        labelling_policy=LabellingPolicy(version="1.0.0"),
        licence="not for publication",
        provenance=PROVENANCE,
        label_source="human",
        allow_empty_context=True,
    )
    return GoldSet(manifest, (), {})


def _with_languages(gold: GoldSet) -> GoldSet:
    languages = tuple(dict.fromkeys(claim.lang for claim in gold.every_claim))
    return replace(gold, manifest=gold.manifest.model_copy(update={"languages": languages}))


def _waiting(row: MonitorRow, texts: Mapping[str, Any]) -> tuple[list[PendingClaim], Context]:
    passages = tuple(texts.get("context") or ())
    lang, question = texts.get("lang") or "en", texts.get("question")
    context = Context(context_id=context_id_of(passages), passages=passages, lang=lang)
    said = Counter[str]()
    claims = []
    for claim in texts["claims"]:
        text = claim["claim"] if isinstance(claim, Mapping) else claim
        said[text] += 1
        own = row.answer_id if said[text] == 1 else f"{row.answer_id}#{said[text]}"
        claims.append(
            PendingClaim(
                claim_id=claim_id_of(passages, question, own, text),
                answer_id=row.answer_id,
                context_id=context.context_id,
                claim=text,
                slice=claim.get("slice") if isinstance(claim, Mapping) else None,
                lang=lang,
                question=question,
                why=WHY,
            )
        )
    return claims, context
