"""Each answer and the whole set, read by every table and walked through the tree of causes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from metajudge.errors import InputError, Problem
from metajudge.gold.validation import suggest
from metajudge.metrics.diagnosis.causes import Facts, Walk, walk
from metajudge.metrics.diagnosis.evaluated import EvaluatedRow, Sample, read_sample
from metajudge.metrics.diagnosis.matrix import Outcome, Reading, read_matrix
from metajudge.metrics.diagnosis.tables import Matrix, Threshold, matrices, tree
from metajudge.release.answers_file import AnswersSource
from metajudge.release.resampling import LEVEL

ANSWER_LEVEL = 0.8


@dataclass(frozen=True)
class DiagnosisSettings:
    """How rows are read.

    Attributes:
        thresholds: In place of the shipped ones, by metric.
        level: Of the intervals of means, above 0 and under 1.
        answer_level: Of the intervals of single answers; few units decide little.
        facts: What holds for every answer, in place of what rows say.
    """

    thresholds: Mapping[str, Threshold] = field(default_factory=dict)
    level: float = LEVEL
    answer_level: float = ANSWER_LEVEL
    facts: Facts = field(default_factory=Facts)

    def __post_init__(self) -> None:
        """Refuse what means nothing, all at once."""
        known = matrices().thresholds
        problems = [
            Problem("diagnose", f"no table reads {name}", suggest(name, known), field="thresholds")
            for name in self.thresholds
            if name not in known
        ]
        levels = {"level": self.level, "answer_level": self.answer_level}
        problems += [
            Problem("diagnose", "a level is above 0 and under 1", "Correct it.", None, n, f"{v}")
            for n, v in levels.items()
            if not 0 < v < 1
        ]
        if problems:
            raise InputError(problems)

    @property
    def read_by(self) -> dict[str, Threshold]:
        """Thresholds by metric."""
        return {**matrices().thresholds, **self.thresholds}


class Diagnosed(NamedTuple):
    """One answer, or the set.

    Attributes:
        readings: Scores with their intervals, by metric.
        outcomes: What each table says, by its name; only tables of which some metric is known.
        causes: How far the tree went; None without a faithfulness score.
        facts: What the tree was told.
    """

    readings: Mapping[str, Reading]
    outcomes: Mapping[str, Outcome]
    causes: Walk | None
    facts: Facts


@dataclass(frozen=True)
class Diagnosis:
    """The whole.

    Attributes:
        sample: The answers with their scores.
        answers: One diagnosis each, in their order.
        whole: The set's, by its means.
        settings: How it was read.
    """

    sample: Sample
    answers: tuple[Diagnosed, ...]
    whole: Diagnosed
    settings: DiagnosisSettings

    @property
    def tables(self) -> dict[str, Matrix]:
        """Tables of which every metric stands in the rows, then those of which one is missing."""
        known = self.whole.outcomes
        return {name: table for name, table in matrices().matrices.items() if name in known}

    def counts(self, table: str) -> dict[str, int]:
        """Answers by row of a table, `undecided`, `not_in_table` and `no_score` at the end."""
        found = Counter(
            outcome.row.name if outcome.row is not None else outcome.status
            for outcome in (answer.outcomes[table] for answer in self.answers)
        )
        names = [row.name for row in matrices().matrices[table].rows]
        order = (*names, "undecided", "not_in_table", "no_score")
        return {name: found[name] for name in order if found[name]}


def diagnose(source: AnswersSource, settings: DiagnosisSettings | None = None) -> Diagnosis:
    """What the scores of answers mean, one by one and together.

    Nothing is asked, and no fact is assumed: a question of the tree whose answer is not known is
    left open, and says what is needed.

    Args:
        source: Rows that `metajudge evaluate` wrote, as `read_rows_for_metrics` takes them.
        settings: Thresholds, levels and facts.

    Raises:
        InputError: The rows or settings are faulty, with every fault.
    """
    settings = settings or DiagnosisSettings()
    names = tuple(matrices().thresholds)
    sample = read_sample(source, names, level=settings.level, answer_level=settings.answer_level)
    tables = _readable(sample)
    answers = tuple(_of_answer(row, tables, settings) for row in sample.rows)
    whole = _diagnosed(sample.means, tables, _told(sample.facts, settings), settings)
    return Diagnosis(sample, answers, whole, settings)


def _readable(sample: Sample) -> dict[str, Matrix]:
    """Tables with all their metrics; where there is none, those with some."""
    tables = matrices().matrices
    whole = {n: t for n, t in tables.items() if all(m in sample.means for m in t.metrics)}
    return whole or {n: t for n, t in tables.items() if any(m in sample.means for m in t.metrics)}


def _of_answer(
    row: EvaluatedRow, tables: Mapping[str, Matrix], settings: DiagnosisSettings
) -> Diagnosed:
    return _diagnosed(row.readings, tables, _told(row.facts, settings), settings)


def _told(facts: Facts, settings: DiagnosisSettings) -> Facts:
    """Facts of a row, or those given for every row in their place."""
    given = {
        name: value
        for name in ("context_recall", "passages", "hard_rule", "temperature")
        if (value := getattr(settings.facts, name)) is not None
    }
    return replace(facts, **given)


def _diagnosed(
    readings: Mapping[str, Reading],
    tables: Mapping[str, Matrix],
    facts: Facts,
    settings: DiagnosisSettings,
) -> Diagnosed:
    lines = settings.read_by
    if facts.context_recall is None:
        facts = replace(facts, context_recall=readings.get("context_recall"))
    outcomes = {name: read_matrix(table, readings, lines) for name, table in tables.items()}
    faithful = readings.get("faithfulness")
    known = faithful is not None and faithful.score is not None
    causes = walk(tree(), faithful, facts, lines) if known and faithful is not None else None
    return Diagnosed(readings, outcomes, causes, facts)


def as_fields(found: Diagnosed) -> dict[str, Any]:
    """A diagnosis as JSON has it, with codes and texts in both languages."""
    return {
        "scores": {name: reading._asdict() for name, reading in found.readings.items()},
        "tables": {name: _outcome(outcome) for name, outcome in found.outcomes.items()},
        "causes": None if found.causes is None else _walk(found.causes),
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    row = outcome.row
    return {
        "status": outcome.status,
        "levels": {name: list(levels) for name, levels in outcome.levels.items()},
        "row": None if row is None else row.name,
        "diagnosis": None if row is None else list(row.diagnosis),
        "action": None if row is None else list(row.action),
        "possible": [one.name for one in outcome.possible],
        "lacking": outcome.lacking,
        "nearest": [one.name for one in outcome.nearest],
        "missing": list(outcome.missing),
    }


def _walk(found: Walk) -> dict[str, Any]:
    cause, stuck = found.cause, found.open
    return {
        "end": found.end,
        "replies": {one.question.name: one.reply for one in found.asked},
        "cause": None if cause is None else cause.name,
        "text": None if cause is None else list(cause.cause),
        "action": None if cause is None else list(cause.action),
        "ask_for": None if stuck is None else list(stuck.ask_for),
        "experiments": list(found.experiments),
    }
