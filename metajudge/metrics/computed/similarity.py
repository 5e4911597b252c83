"""Similarity of an answer to a reference answer, by a named embedding model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from metajudge.judges.embedding import (
    embedding_key,
    embedding_request,
    open_embedder,
    vector_of,
)
from metajudge.judges.judge import Judge
from metajudge.judges.options import JudgeOptions
from metajudge.metrics.computed.words import sentence
from metajudge.metrics.scored import MetricScore, UnitVerdict
from metajudge.runner.call import Call, RunOutcome, RunReport
from metajudge.runner.door import inside_a_loop, run_sync
from metajudge.runner.limits import Limits
from metajudge.runner.store import Store
from metajudge.verdicts.verdict import Reply

ANSWER_SIMILARITY = "answer_similarity"
CLIPPED = "cosine, below 0 as 0"


class Compared(NamedTuple):
    """An answer and the reference that it is held against.

    Attributes:
        answer: Its text; None or blank where there is none.
        reference: A right answer; None or blank where there is none.
        language: Of the reason.
    """

    answer: str | None
    reference: str | None
    language: str = "en"


def cosine(one: npt.ArrayLike, other: npt.ArrayLike) -> float | None:
    """Cosine of the angle between two vectors of shape (d,), -1 to 1; None where one is zero.

    >>> cosine([1.0, 0.0], [1.0, 1.0])
    0.7071067811865475
    """
    left, right = np.asarray(one, np.float64), np.asarray(other, np.float64)
    lengths = float(np.linalg.norm(left)) * float(np.linalg.norm(right))
    if lengths == 0.0:
        return None
    return float(np.clip(left @ right / lengths, -1.0, 1.0))


def similarity_calls(pairs: Sequence[Compared], embedder: Judge) -> list[Call]:
    """The vectors that pairs need, each once; none of a pair that lacks a text."""
    texts = dict.fromkeys(text for pair in pairs for text in _texts(pair))
    return [Call(embedding_key(embedder, text), embedding_request(text)) for text in texts]


def score_similarity(
    pair: Compared, embedder: Judge, replies: Mapping[str, Reply], stopped: str = ""
) -> MetricScore:
    """Similarity of one answer to its reference, 0 to 1.

    The cosine of the two vectors, with what is below 0 taken for 0. It tells likeness and not
    agreement: 5 and 50 members are alike, and so are a statement and its denial. What counts as
    high differs from model to model, so a threshold needs gold.

    Args:
        pair: Undefined where answer or reference is empty.
        embedder: Who made the vectors; its name is in the reason.
        replies: Vectors by key, from a run of `similarity_calls`.
        stopped: Why that run ended early, for vectors that it did not get to.
    """
    texts = _texts(pair)
    if not texts:
        key = "no_reference" if (pair.answer or "").strip() else "no_answer"
        return MetricScore(ANSWER_SIMILARITY, None, sentence(key, pair.language))
    found = {text: replies.get(embedding_key(embedder, text)) for text in texts}
    units = tuple(_failures(found, stopped))
    score, reason = (None, "") if units else _likeness(pair, embedder, found)
    if units:
        early = stopped and any(unit.failure == "missing" for unit in units)
        key = "not_yet" if early else "not_embedded"
        reason = sentence(key, pair.language, failure=units[0].failure)
    had = [reply for reply in found.values() if reply is not None]
    prices = [reply.cost_usd for reply in had if reply.cost_usd is not None]
    return MetricScore(
        ANSWER_SIMILARITY,
        score,
        reason,
        CLIPPED,
        units,
        calls=len(found),
        tokens=sum(reply.prompt_tokens or 0 for reply in had),
        usd=sum(prices) if len(prices) == len(found) else None,
    )


def _likeness(
    pair: Compared, embedder: Judge, found: Mapping[str, Reply | None]
) -> tuple[float | None, str]:
    vectors = [vector_of(reply) for text in _texts(pair) if (reply := found[text]) is not None]
    near = cosine(*[vector for vector in vectors if vector is not None])
    if near is None:
        return None, sentence("no_direction", pair.language)
    told = sentence("similarity", pair.language, cosine=near, model=embedder.spec)
    return max(near, 0.0), told


def score_similarities(
    pairs: Sequence[Compared],
    model: str,
    store: str | Path,
    options: JudgeOptions | None = None,
    limits: Limits | None = None,
    *,
    told: Callable[[RunReport], object] | None = None,
) -> tuple[MetricScore, ...]:
    """Similarity of many answers; vectors come from the reply store where they are there.

    It works inside a running event loop too, in a thread of its own, which it waits for.

    Args:
        pairs: In the order of the scores.
        model: The embedding model, see `open_embedder`; there is no default.
        store: File of the reply store.
        options: Address and deadline of the model.
        limits: Attempts, concurrency, budget.
        told: Is given the account of the run.

    Raises:
        JudgeSpecError: The spec names no embedding model.
        MissingExtraError: A library that the model needs is not installed.
        ModelFileError: A local model cannot be loaded.
        StoreError: The store cannot be used.
    """
    embedder = open_embedder(model, options)
    calls = similarity_calls(pairs, embedder)

    def run() -> RunOutcome:
        with Store(store) as kept:
            return run_sync(calls, embedder, kept, limits)

    if inside_a_loop():
        with ThreadPoolExecutor(1) as thread:
            outcome = thread.submit(run).result()
    else:
        outcome = run()
    if told is not None:
        told(outcome.report)
    return tuple(
        score_similarity(pair, embedder, outcome.replies, outcome.report.message) for pair in pairs
    )


def _texts(pair: Compared) -> tuple[str, ...]:
    answer, reference = (pair.answer or "").strip(), (pair.reference or "").strip()
    return (answer, reference) if answer and reference else ()


def _failures(found: Mapping[str, Reply | None], stopped: str) -> Iterator[UnitVerdict]:
    for text, reply in found.items():
        if reply is None:
            yield UnitVerdict(text, None, "missing", stopped or None)
        elif reply.failure is not None:
            yield UnitVerdict(text, None, reply.failure, reply.failure_detail)
