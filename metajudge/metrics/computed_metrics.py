"""Metrics that no judge is asked for, as `evaluate` runs them over rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from metajudge.errors import InputError, Problem
from metajudge.gold.goldset import GoldSet
from metajudge.judges.embedding import open_embedder
from metajudge.judges.options import JudgeOptions
from metajudge.judges.transformer import EntailmentModel
from metajudge.metrics.computed.agents import TOOL_CALL_METRICS, score_tool_calls, score_turns
from metajudge.metrics.computed.calibrated import BOUND
from metajudge.metrics.computed.ngram import NGRAM_COVERAGE, score_ngram_coverage
from metajudge.metrics.computed.nli import NLI_ENTAILMENT, open_entailment, score_nli
from metajudge.metrics.computed.repetition import ANSWER_REPETITION, score_repetition
from metajudge.metrics.computed.similarity import (
    ANSWER_SIMILARITY,
    Compared,
    score_similarities,
)
from metajudge.metrics.computed.tool_matching import Sameness
from metajudge.metrics.computed.words import sentence
from metajudge.metrics.row import MetricRow
from metajudge.metrics.scored import MetricScore
from metajudge.runner.call import RunReport
from metajudge.runner.limits import Limits


@dataclass(frozen=True)
class ComputeSettings:
    """What metrics without a judge are computed with.

    Attributes:
        tools_in_order: Whether tool calls have to come in the expected order.
        same_tools: When two tool calls are the same.
        embedding: Spec of the embedding model of `answer_similarity`; there is no default.
        embedding_api_base: Server address of that model.
        nli: Hub name or folder of the model of `nli_entailment`; there is no default.
        similarity_weight: Weight of similarity in `answer_correctness`, 0 to 1; the rest is F1.
        calibrate: Folder of a gold set that says what the scores of `ngram_coverage` and
            `nli_entailment` mean; without one they are numbers without a threshold.
        calibrate_bound: Largest share of wrong calls that a cut-off may make, by the upper limit of
            its interval; above 0 and under 1.
    """

    tools_in_order: bool = False
    same_tools: Sameness = field(default_factory=Sameness)
    embedding: str | None = None
    embedding_api_base: str | None = None
    nli: str | None = None
    similarity_weight: float = 0.0
    calibrate: str | Path | None = None
    calibrate_bound: float = BOUND


@dataclass(frozen=True)
class Computing:
    """What a computation may use.

    Attributes:
        settings: As the user states them.
        store: File of the reply store, for vectors.
        limits: What is left of the budget, when it is asked.
        gold: What scores are calibrated on; None where they are not.
        reports: The accounts of runs that vectors came from.
    """

    settings: ComputeSettings
    store: str | Path
    limits: Callable[[], Limits]
    gold: GoldSet | None = None
    reports: list[RunReport] = field(default_factory=list)

    @cached_property
    def entailment(self) -> EntailmentModel:
        """The model of `nli_entailment`, loaded once."""
        return open_entailment(str(self.settings.nli))

    def open(self, names: Iterable[str]) -> None:
        """Open the models of some metrics, so that one that is missing costs no judge's call.

        Raises:
            JudgeSpecError: A spec names no model.
            MissingExtraError: A library that a model needs is not installed.
            ModelFileError: A model cannot be loaded.
        """
        asked = set(names)
        if ANSWER_SIMILARITY in asked | _also_computed(asked, self.settings):
            open_embedder(str(self.settings.embedding), self.embedding_options)
        if NLI_ENTAILMENT in asked:
            _ = self.entailment

    @property
    def embedding_options(self) -> JudgeOptions:
        """Address of the embedding model."""
        return JudgeOptions(api_base=self.settings.embedding_api_base)


Compute = Callable[[Sequence[MetricRow], Computing], list[MetricScore]]
"""Scores of all rows, in their order."""


def check_computing(names: Iterable[str], settings: ComputeSettings) -> None:
    """Refuse metrics that lack the model they are computed with.

    Raises:
        InputError: With every model that is not named, and a weight out of range.
    """
    problems = list(_faults(set(names), settings))
    if problems:
        raise InputError(problems)


def _faults(names: set[str], settings: ComputeSettings) -> Iterator[Problem]:
    weight = settings.similarity_weight
    if not 0 <= weight <= 1:
        law = "the weight of similarity is from 0 to 1"
        mend, field = "Ragas has 0.25.", "similarity_weight"
        yield Problem("evaluate", law, mend, field=field, got=repr(weight))
    same = settings.same_tools
    for name, tolerance in (("relative", same.relative), ("absolute", same.absolute)):
        if not 0 <= tolerance < float("inf"):
            law, mend = "a tolerance of numbers is 0 or more", "Write for instance 0.001."
            yield Problem("evaluate", law, mend, field=f"same_tools.{name}", got=repr(tolerance))
    if not 0 < settings.calibrate_bound < 1:
        law, mend = "a share of wrong calls is above 0 and under 1", "0.1 is usual."
        got = repr(settings.calibrate_bound)
        yield Problem("evaluate", law, mend, field="calibrate_bound", got=got)
    law = "has no model of its own choice"
    needed = names | _also_computed(names, settings)
    if ANSWER_SIMILARITY in needed and settings.embedding is None:
        mend = "Name an embedding model with embedding, e.g. openai/text-embedding-3-small."
        yield Problem("evaluate", f"{ANSWER_SIMILARITY} {law}", mend, field="embedding")
    if NLI_ENTAILMENT in names and settings.nli is None:
        mend = "Name a model for inference with nli: a hub name or a folder."
        yield Problem("evaluate", f"{NLI_ENTAILMENT} {law}", mend, field="nli")


def _also_computed(names: Collection[str], settings: ComputeSettings) -> set[str]:
    """Metrics that others rest on."""
    rests = settings.similarity_weight > 0 and "answer_correctness" in names
    return {ANSWER_SIMILARITY} if rests else set()


def check_records(names: Iterable[str], rows: Iterable[MetricRow]) -> None:
    """Refuse tool calls and speakers that cannot be read, before a judge is asked and paid.

    Raises:
        InputError: With every fault of every row.
    """
    asked = set(names)
    readers: list[Callable[[MetricRow], object]] = [_turns] if "turns" in asked else []
    if asked & set(TOOL_CALL_METRICS):
        readers.append(lambda row: _tools(row, ComputeSettings()))
    problems: list[Problem] = []
    for row in rows:
        for read in readers:
            try:
                read(row)
            except InputError as error:
                problems += error.problems
    if problems:
        raise InputError(problems)


def ngram_coverage(rows: Sequence[MetricRow], _: Computing) -> list[MetricScore]:
    """Coverage of each answer's wording."""
    return [score_ngram_coverage(r.answer or "", r.passages or (), r.language) for r in rows]


def answer_repetition(rows: Sequence[MetricRow], _: Computing) -> list[MetricScore]:
    """Share of each answer's sentences that repeat an earlier one."""
    return [score_repetition(row.answer or "", row.language) for row in rows]


def answer_similarity(rows: Sequence[MetricRow], using: Computing) -> list[MetricScore]:
    """Likeness of each answer to its reference."""
    pairs = [Compared(row.answer, row.reference, row.language) for row in rows]
    scores = score_similarities(
        pairs,
        str(using.settings.embedding),
        using.store,
        using.embedding_options,
        using.limits(),
        told=using.reports.append,
    )
    return list(scores)


def nli_entailment(rows: Sequence[MetricRow], using: Computing) -> list[MetricScore]:
    """Entailment of each answer by its context."""
    model = using.entailment
    return [score_nli(r.answer or "", r.passages or (), model, r.language) for r in rows]


def tool_calls(name: str) -> Compute:
    """One of the scores of tool calls."""

    def compute(rows: Sequence[MetricRow], using: Computing) -> list[MetricScore]:
        return [_tools(row, using.settings)[name] for row in rows]

    return compute


def turns(rows: Sequence[MetricRow], _: Computing) -> list[MetricScore]:
    """Turns of each conversation."""
    return [_turns(row) for row in rows]


def weighted(
    correctness: Sequence[MetricScore], similarity: Sequence[MetricScore], weight: float
) -> list[MetricScore]:
    """Correctness with its share of similarity, as Ragas weighs it (0.75 and 0.25 there).

    Undefined where either is.
    """
    return [
        _weighted(one, other, weight) for one, other in zip(correctness, similarity, strict=True)
    ]


def _weighted(one: MetricScore, other: MetricScore, weight: float) -> MetricScore:
    policy = f"{1 - weight:g} F1 + {weight:g} similarity"
    details = {**one.details, "f1": one.score, "similarity": other.score}
    if one.score is None or other.score is None:
        reason = one.reason if one.score is None else other.reason
        return replace(one, score=None, reason=reason, policy=policy, details=details)
    score = round((1 - weight) * one.score + weight * other.score, 6)
    reason = f"{one.reason} {other.reason}"
    return replace(one, score=score, reason=reason, policy=policy, details=details)


def place(row: MetricRow) -> str:
    """Where a row stands, for messages."""
    return row.where if row.line is None else f"{row.where}:{row.line}"


def _turns(row: MetricRow) -> MetricScore:
    if row.turns is None:
        return MetricScore("turns", None, sentence("no_turns", row.language))
    return score_turns([{"role": turn.role} for turn in row.turns], row.language, place(row))


def _tools(row: MetricRow, settings: ComputeSettings) -> dict[str, MetricScore]:
    unknown = row.actual_tools is None and row.turns is None
    if row.expected_tools is None or unknown:
        key = "no_record" if row.expected_tools is not None else "no_expected_tools"
        reason = sentence(key, row.language)
        return {name: MetricScore(name, None, reason) for name in TOOL_CALL_METRICS}
    found = score_tool_calls(
        list(row.expected_tools),
        list(row.actual_tools or ()),
        settings.same_tools,
        in_order=settings.tools_in_order,
        language=row.language,
        where=place(row),
    )
    return dict(found)


COMPUTED: dict[str, Compute] = {
    ANSWER_REPETITION: answer_repetition,
    ANSWER_SIMILARITY: answer_similarity,
    NGRAM_COVERAGE: ngram_coverage,
    NLI_ENTAILMENT: nli_entailment,
    **{name: tool_calls(name) for name in TOOL_CALL_METRICS},
    "turns": turns,
}
"""Metrics without a judge, by name."""
