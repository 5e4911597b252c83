"""A sample of the traffic: answers of a file, or of spans, with what undoes the sampling."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from metajudge.errors import InputError, Problem, broken_rules, short_repr
from metajudge.metrics.monitor.json_values import json_values
from metajudge.metrics.monitor.otlp_values import has_spans
from metajudge.metrics.monitor.row import ALL
from metajudge.metrics.monitor.sampling import LOWEST_RATE, Candidate, weights
from metajudge.metrics.monitor.spans import SpansRead, read_spans
from metajudge.metrics.monitor.times import day_of, moment, stamp
from metajudge.release.answers import Answer
from metajudge.release.answers_file import AnswersSource, read_answers

Form = Literal["auto", "answers", "spans"]
UNKNOWN = "–"
"""Stands for a field that a row lacks."""
SAMPLE_FIELDS = ("sample_time", "sample_stratum", "sample_unit", "sample_weight", "sample_slices")
"""What sampling adds to a row; scoring takes it from there."""
_JOIN = ", "


@dataclass(frozen=True)
class Sampling:
    """How traffic is sampled.

    Attributes:
        rate: Share that is taken, over 0 to 1.
        salt: Another salt gives another sample.
        by: Fields whose values together make the strata.
        at_least: Units a stratum and day, as far as there are so many.
        unit: Field that is sampled as a whole, such as the conversation; None: every answer.
        time: Field with the time of an answer.
        slices: Further fields to look for changes by.
    """

    rate: float = 0.1
    salt: str = "metajudge"
    by: Sequence[str] = ()
    at_least: int = 0
    unit: str | None = None
    time: str = "time"
    slices: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Refuse values that mean nothing, all at once."""
        rules = (
            ("rate", LOWEST_RATE <= self.rate <= 1, f"from {LOWEST_RATE:g} to 1"),
            ("at_least", self.at_least >= 0, "0 or more"),
        )
        problems = broken_rules("sampling", self, rules)
        if problems:
            raise InputError(problems)


class Stratum(NamedTuple):
    """One stratum of the traffic.

    Attributes:
        name: `all`, or its fields with their values.
        days: Days with traffic.
        answers: Answers in the traffic.
        taken: Of these, those in the sample.
    """

    name: str
    days: int
    answers: int
    taken: int


@dataclass(frozen=True)
class Sample:
    """Answers that were taken.

    Attributes:
        rows: As `read_answers` takes them, with `SAMPLE_FIELDS`, in the order of the traffic.
        strata: What there was and what was taken.
        notes: What reading decided for the user.
        spans: The account of spans; None where the traffic came as answers.
    """

    rows: tuple[dict[str, Any], ...]
    strata: tuple[Stratum, ...]
    notes: tuple[str, ...]
    spans: SpansRead | None


def sample_traffic(source: AnswersSource, sampling: Sampling, form: Form = "auto") -> Sample:
    """A sample of the answers of a file, a table or spans.

    Args:
        source: As `read_answers` takes it, or a file of spans.
        sampling: How.
        form: `auto` looks at the first line of a file.

    Raises:
        InputError: Answers or times are faulty, or a field is in no row; with every fault.
    """
    spans = None
    place = _file_of(source)
    if place is not None and (form == "spans" or (form == "auto" and _holds_spans(place))):
        spans = read_spans(place)
        source = spans.rows
        if not spans.rows:
            return Sample((), (), (), spans)
    read = read_answers(source)
    answers = read.answers
    _check_fields(answers, sampling)
    times = _times(answers, sampling.time)
    strata = [stratum_of(answer, sampling.by) for answer in answers]
    units = [unit_of(answer, sampling.unit) for answer in answers]
    candidates = [
        Candidate(unit, (stratum, day_of(time)))
        for unit, stratum, time in zip(units, strata, times, strict=True)
    ]
    given = weights(candidates, rate=sampling.rate, salt=sampling.salt, at_least=sampling.at_least)
    rows = []
    for answer, time, stratum, unit, weight in zip(
        answers, times, strata, units, given, strict=True
    ):
        if weight is not None:
            slices = {name: _value(answer, name) for name in sampling.slices}
            told = (time, stratum, unit, round(weight, 9), slices)
            rows.append(answer_row(answer) | dict(zip(SAMPLE_FIELDS, told, strict=True)))
    return Sample(tuple(rows), _account(candidates, given), read.notes, spans)


def answer_row(answer: Answer) -> dict[str, Any]:
    """An answer as a row that `read_answers` takes."""
    row: dict[str, Any] = {
        **answer.fields,
        "answer_id": answer.answer_id,
        "context": list(answer.passages),
        "lang": answer.lang,
        "context_id": answer.context_id,
    }
    texts = {"question": answer.question, "answer": answer.answer}
    row |= {name: text for name, text in texts.items() if text is not None}
    if answer.claims is not None:
        row["claims"] = [
            {name: value for name, value in asdict(claim).items() if value is not None}
            for claim in answer.claims
        ]
    return row


def stratum_of(answer: Answer, by: Sequence[str]) -> str:
    """The stratum of an answer: `product=chat, lang=zh`."""
    told = [f"{name}={_value(answer, name)}" for name in by]
    return _JOIN.join(told) or ALL


def unit_of(answer: Answer, unit: str | None) -> str:
    """What an answer is sampled by: its own id where its field is empty."""
    value = UNKNOWN if unit is None else _value(answer, unit)
    return answer.answer_id if value == UNKNOWN else value


def _value(answer: Answer, name: str) -> str:
    own = {"lang": answer.lang, "context_id": answer.context_id}
    value = own.get(name, answer.fields.get(name))
    return UNKNOWN if value is None or value == "" else str(value)


def _file_of(source: AnswersSource) -> Path | None:
    return Path(source) if isinstance(source, str | Path) else None


def _holds_spans(source: Path) -> bool:
    if not source.is_file() or source.suffix.lower() not in (".json", ".jsonl", ".ndjson"):
        return False
    value = next((value for _, value in json_values(source)), None)
    try:
        return has_spans(value)
    except RecursionError:
        return False


def _check_fields(answers: Sequence[Answer], sampling: Sampling) -> None:
    named = [*sampling.by, *sampling.slices, *([sampling.unit] if sampling.unit else [])]
    known = {name for answer in answers for name in answer.fields} | {"lang", "context_id"}
    problems = [
        Problem(
            "sampling",
            "a field that is sampled or looked at by stands in some row",
            f"Name one of {', '.join(sorted(known))}.",
            field=name,
        )
        for name in dict.fromkeys(named)
        if name not in known
    ]
    if problems:
        raise InputError(problems)


def _times(answers: Sequence[Answer], name: str) -> list[str]:
    times, problems = [], []
    for answer in answers:
        try:
            times.append(time_of(answer.fields, name))
        except (ValueError, OverflowError):
            got = short_repr(answer.fields.get(name))
            law = f"answer {answer.answer_id!r} needs the time when it was given, in ISO 8601"
            mend = "Write 2026-11-30T09:30:00Z, or name the field that has it (--time)."
            problems.append(Problem("answers", law, mend, answer.line, name, got))
    if problems:
        raise InputError(problems)
    return times


def time_of(fields: Mapping[str, Any], name: str) -> str:
    """The stamp of a row's time.

    Raises:
        ValueError: It is missing, or no ISO 8601 time.
    """
    value = fields.get(name)
    if not isinstance(value, str):
        raise ValueError(name)
    return stamp(moment(value))


def _account(candidates: Sequence[Candidate], given: Sequence[float | None]) -> tuple[Stratum, ...]:
    groups: Counter[Any] = Counter(group for _, group in candidates)
    taken: Counter[Any] = Counter(
        group for (_, group), weight in zip(candidates, given, strict=True) if weight is not None
    )
    days, answers, kept = Counter[str](), Counter[str](), Counter[str]()
    for (stratum, day), n in groups.items():
        days[stratum] += 1
        answers[stratum] += n
        kept[stratum] += taken[stratum, day]
    return tuple(Stratum(name, days[name], answers[name], kept[name]) for name in sorted(days))
