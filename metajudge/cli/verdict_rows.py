"""Verdicts of a user's file as label codes, with every fault named."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from metajudge.errors import InputError, Problem, short_repr
from metajudge.gold.csv_rows import read_csv
from metajudge.gold.rows import SourceRow, read_jsonl
from metajudge.templates.dialect import RELATION, WORDS
from metajudge.verdicts.verdict import FAILURES, LABELS

FAILURE_CODE = 3
_COLUMNS = ("answer_id", "verdict", "label", "p_yes", "p_no", "p_idk", "trial", "reading")
_CHANCES = ("p_yes", "p_no", "p_idk")
Chances = tuple[float, float, float]
NO_CHANCES: Chances = (math.nan, math.nan, math.nan)


class AnswerKey(NamedTuple):
    """Which answer a verdict belongs to; trial and reading are "" where a file has none."""

    trial: str
    reading: str
    answer_id: str


@dataclass(frozen=True, slots=True, eq=False)
class VerdictRows:
    """Verdicts of a file.

    Attributes:
        answers: In the order of their first row.
        answer: Index of each verdict's answer, shape (n,).
        codes: Label codes, shape (n,): 0 yes, 1 no, 2 idk, 3 failure.
        probabilities: Label probabilities, shape (n, 3), nan where absent.
    """

    answers: tuple[AnswerKey, ...]
    answer: npt.NDArray[np.int64]
    codes: npt.NDArray[np.int8]
    probabilities: npt.NDArray[np.float64]


def _known_words() -> dict[str, int]:
    words: dict[str, int] = {label: code for code, label in enumerate(LABELS)}
    for dialects in (WORDS, RELATION):
        for dialect in dialects.values():
            for code, label in enumerate(LABELS):
                for word in (dialect.words[label], *dialect.spellings.get(label, ())):
                    words[word.casefold()] = code
    return words | {"unsupported": 1} | dict.fromkeys(("failure", *FAILURES), FAILURE_CODE)


WORD_CODES: Mapping[str, int] = _known_words()
"""Label word, case folded -> code."""


def read_verdict_rows(path: Path) -> VerdictRows:
    """Verdicts of a JSONL or CSV file.

    A row is one verdict (`verdict`, or `label` where there is none), or in JSONL all `verdicts` of
    an answer as a list, which may be empty. An empty verdict is a failure. Other fields are passed
    over.

    Raises:
        InputError: With every fault of the file.
    """
    is_csv = path.suffix.lower() in (".csv", ".tsv")
    read = read_csv(path, _COLUMNS) if is_csv else read_jsonl(path)
    reader = _Reader(list(read.problems))
    for row in read.rows:
        reader.read(row)
    if not read.rows and not reader.problems:
        reader.problems.append(Problem(str(path), "there is no verdict in it", "Add rows."))
    if reader.problems:
        raise InputError(reader.problems)
    return VerdictRows(
        tuple(reader.answers),
        np.array(reader.answer, dtype=np.int64),
        np.array(reader.codes, dtype=np.int8),
        np.array(reader.chances, dtype=np.float64).reshape(-1, 3),
    )


class _Reader:
    """Collects verdicts and faults."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        self.answers: dict[AnswerKey, int] = {}
        self.answer: list[int] = []
        self.codes: list[int] = []
        self.chances: list[Chances] = []
        self._claims: dict[tuple[AnswerKey, str], SourceRow] = {}

    def read(self, row: SourceRow) -> None:
        """Take over one row."""
        name = row.fields.get("answer_id")
        if not isinstance(name, str | int) or name == "":
            law = "the row names no answer"
            self._fault(row, "answer_id", law, "Add answer_id.", name)
            return
        trial, reading = (str(row.fields.get(field) or "") for field in ("trial", "reading"))
        key = AnswerKey(trial, reading, str(name))
        place = self.answers.setdefault(key, len(self.answers))
        if self._stands_twice(row, key):
            return
        for word in self._words(row):
            code = self._code(row, word)
            self.answer.append(place)
            self.codes.append(FAILURE_CODE if code is None else code)
            self.chances.append(self._chances(row))

    def _stands_twice(self, row: SourceRow, key: AnswerKey) -> bool:
        claim = row.fields.get("claim_id")
        if claim is None:
            return False
        first = self._claims.setdefault((key, str(claim)), row)
        if first is row:
            return False
        law = f"a claim has one verdict per answer, and this one has another in line {first.line}"
        self._fault(row, "claim_id", law, "Keep one of them.", claim)
        return True

    def _words(self, row: SourceRow) -> Sequence[Any]:
        fields = row.fields
        if "verdicts" in fields:
            several = fields["verdicts"]
            if "verdict" in fields:
                law = "a row has either verdict or verdicts"
                self._fault(row, "verdicts", law, "Keep one of the two.", several)
                return ()
            if isinstance(several, list):
                return several
            self._fault(row, "verdicts", "verdicts is a list", 'Write ["yes", …].', several)
            return ()
        if "verdict" not in fields and "label" not in fields:
            self._fault(row, "verdict", "each row has a verdict", "Add verdict, or null.", None)
            return ()
        return (fields.get("verdict", fields.get("label")),)

    def _code(self, row: SourceRow, word: Any) -> int | None:
        if word is None:
            return None
        code = WORD_CODES.get(" ".join(word.split()).casefold()) if isinstance(word, str) else None
        if code is None and word != "":
            law = "a verdict is a label word (yes, no, idk, supported, 支持, …) or empty"
            self._fault(row, "verdict", law, "Correct the word.", word)
        return code

    def _chances(self, row: SourceRow) -> Chances:
        values = [row.fields.get(name) for name in _CHANCES]
        if all(value is None or value == "" for value in values):
            return NO_CHANCES
        numbers = [_share(value) for value in values]
        if None in numbers or abs(sum(filter(None, numbers)) - 1) > 0.02:
            law = "p_yes, p_no and p_idk are shares from 0 to 1 that add up to 1"
            self._fault(row, "p_yes", law, "Correct them, or leave all three empty.", values)
            return NO_CHANCES
        yes, no, idk = (float(number or 0.0) for number in numbers)
        return yes, no, idk

    def _fault(self, row: SourceRow, field: str, law: str, mend: str, got: Any) -> None:
        shown = None if got is None else short_repr(got)
        self.problems.append(Problem(row.where, law, mend, row.line, field, shown))


def _share(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if 0.0 <= number <= 1.0 else None
