"""Answers with a low score, put into a gold folder where their units wait for people's labels.

The folder is an ordinary gold set for the metric whose units have no label: `metajudge label` opens
it, and once labels are in, everything that takes a gold set takes it. The judge's verdicts are not
written into it, so that nobody labels under their influence, and no label comes from a model (B92).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from metajudge.errors import GoldError, InputError, Problem
from metajudge.gold.appended import alone_in
from metajudge.gold.claim import (
    Context,
    GoldManifest,
    LabellingPolicy,
    MetricName,
    PendingClaim,
)
from metajudge.gold.fingerprint import claim_id_of, context_id_of
from metajudge.gold.goldset import MANIFEST, GoldSet, load_goldset
from metajudge.gold.writer import write_goldset
from metajudge.metrics.judged import JUDGED
from metajudge.metrics.monitor.bad_scores import is_bad, less_is_better
from metajudge.metrics.monitor.labelled_units import texts_of as units_by_answer
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

    Where less of the metric is better, those over it, highest first.

    Args:
        rows: Of any releases.
        threshold: 0 to 1.
    """
    low = [
        (-row.score if less_is_better(row.metric) else row.score, row)
        for row in rows
        if row.score is not None and is_bad(row.score, row.metric, threshold)
    ]
    low.sort(key=lambda found: (found[0], found[1].time, found[1].answer_id))
    ranked = [row for _, row in low]
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
        rows: Of one metric that a judge answers.
        folder: The folder; answers in it, labelled or not, are not put there again.
        threshold: Scores under it are low, 0 to 1.
        texts: By answer, as `texts_of` gives them, for rows that have none.

    Raises:
        InputError: The threshold is out of range, or nobody labels for the metric.
        GoldError: The folder holds something else, a set of another metric, or a faulty one.
    """
    metric = _checked(rows, threshold)
    place = Path(folder)
    low = low_rows(rows, threshold)
    known = {row.answer_id: row.texts or (texts or {}).get(row.answer_id) for row in low}
    usable = [row for row in low if _units(known[row.answer_id] or {})]
    if not usable and not (place / MANIFEST).is_file():
        return Queued(0, 0, 0, len(low), 0)
    if place.is_dir() and any(place.iterdir()) and not (place / MANIFEST).is_file():
        law, mend = (
            "the queue must be a gold folder",
            "Name a new folder, or that of an earlier queue.",
        )
        raise GoldError(Problem(str(place), law, mend))
    place.mkdir(parents=True, exist_ok=True)
    with alone_in(place):
        gold = _gold_of(place, metric)
        there = {claim.answer_id for claim in gold.every_claim}
        fresh = [row for row in usable if row.answer_id not in there]
        whole = _grown(gold, [(row, _units(known[row.answer_id] or {})) for row in fresh])
        if fresh:
            write_goldset(_with_languages(whole), place)
    return Queued(
        len(fresh),
        len(whole.pending) - len(gold.pending),
        len(usable) - len(fresh),
        len(low) - len(usable),
        len(whole.pending),
    )


def texts_of(source: AnswersSource, metric: str = FAITHFULNESS) -> dict[str, dict[str, Any]]:
    """Texts and units of answers by id: of answers with their claims, or of evaluated ones.

    Args:
        source: What `metajudge evaluate` wrote, or answers that give what is judged of them.
        metric: Which the units are of.

    Raises:
        InputError: The answers are faulty.
    """
    if metric != FAITHFULNESS:
        return units_by_answer(source, metric) if metric in JUDGED else {}
    found: dict[str, dict[str, Any]] = {}
    answers = read_answers(source).answers
    for answer in answers:
        found[answer.answer_id] = {
            "question": answer.question,
            "answer": answer.answer,
            "context": list(answer.passages),
            "lang": answer.lang,
            "claims": [
                {"claim": claim.claim, "slice": claim.slice} for claim in answer.claims or ()
            ],
        }
    if any(f"{metric}_verdicts" in answer.fields for answer in answers):
        return {**found, **units_by_answer(source, metric)}
    return found


def _checked(rows: Sequence[MonitorRow], threshold: float) -> MetricName:
    """The metric that people label for."""
    problems = []
    if not 0 <= threshold <= 1:
        law, mend = "a threshold lies from 0 to 1", "Usual is 0.5."
        problems.append(Problem("queue", law, mend, None, "threshold", repr(threshold)))
    metrics = sorted({row.metric for row in rows}) or [FAITHFULNESS]
    if len(metrics) > 1:
        law = f"a queue is of one metric, and the scores are of {', '.join(metrics)}"
        problems.append(Problem("queue", law, "Choose one with --metric.", field="metric"))
    if metrics[0] not in JUDGED:
        law = f"{metrics[0]} is computed, so that there is nothing to label for it"
        mend = f"Choose --metric, one of {', '.join(JUDGED)}."
        problems.append(Problem("queue", law, mend, field="metric"))
    if problems:
        raise InputError(problems)
    return JUDGED[metrics[0]].parts[0]


def _gold_of(place: Path, metric: MetricName) -> GoldSet:
    """What the folder holds for the metric; an empty set where it holds nothing."""
    if not (place / MANIFEST).is_file():
        return _empty(place.resolve().name, metric)
    gold = load_goldset(place, with_acts=False)
    if gold.manifest.metric != metric:
        law = f"the folder holds gold for {gold.manifest.metric}, and the scores are of {metric}"
        raise GoldError(Problem(str(place), law, "Name another folder."))
    return gold


def _grown(
    gold: GoldSet, fresh: Sequence[tuple[MonitorRow, Sequence[Mapping[str, Any]]]]
) -> GoldSet:
    """The set with the units of more answers waiting in it."""
    pending, contexts = list(gold.pending), dict(gold.contexts)
    for row, units in fresh:
        said = Counter[str]()
        for unit in units:
            claim, context = _waiting(row, unit, said)
            pending.append(claim)
            contexts.setdefault(context.context_id, context)
    return replace(gold, pending=tuple(pending), contexts=contexts)


def _empty(name: str, metric: MetricName) -> GoldSet:
    manifest = GoldManifest(
        name=name[:200],
        version="0.1.0",
        languages=("en",),
        labelling_policy=LabellingPolicy(version="1.0.0"),
        licence="not for publication",
        provenance=PROVENANCE,
        label_source="human",
        allow_empty_context=True,
        metric=metric,
    )
    return GoldSet(manifest, (), {})


def _with_languages(gold: GoldSet) -> GoldSet:
    languages = tuple(dict.fromkeys(claim.lang for claim in gold.every_claim))
    return replace(gold, manifest=gold.manifest.model_copy(update={"languages": languages}))


def _units(texts: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What waits for labels, each with its own evidence."""
    if texts.get("units"):
        return [unit for unit in texts["units"] if isinstance(unit, Mapping)]
    common = {
        "evidence": list(texts.get("context") or ()),
        "question": texts.get("question"),
        "lang": texts.get("lang"),
    }
    return [
        {**common, **(claim if isinstance(claim, Mapping) else {"claim": claim})}
        for claim in texts.get("claims") or ()
    ]


def _waiting(
    row: MonitorRow, unit: Mapping[str, Any], said: Counter[str]
) -> tuple[PendingClaim, Context]:
    """A unit as a claim without a label; the same one twice in an answer has two ids."""
    passages, lang = tuple(unit.get("evidence") or ()), unit.get("lang") or "en"
    context = Context(context_id=context_id_of(passages), passages=passages, lang=lang)
    text, question = unit["claim"], unit.get("question")
    place = claim_id_of(passages, question, row.answer_id, text)
    said[place] += 1
    own = row.answer_id if said[place] == 1 else f"{row.answer_id}#{said[place]}"
    claim = PendingClaim(
        claim_id=claim_id_of(passages, question, own, text),
        answer_id=row.answer_id,
        context_id=context.context_id,
        claim=text,
        slice=unit.get("slice"),
        lang=lang,
        question=question,
        why=WHY,
    )
    return claim, context
