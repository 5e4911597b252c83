"""Every error that metajudge raises on purpose.

```
MetajudgeError                exit code
├── InputError                2   something a user wrote is wrong; carries all problems at once
│   ├── GoldError             2   gold set files
│   ├── TemplateError         2   template files and what they need from the data
│   ├── ExperimentError       2   experiment files
│   ├── JudgeSpecError        2   a judge spec string
│   └── ReleaseError          2   a release, its registry, or a reference to one
├── MissingExtraError         2   an optional library is not installed
├── ModelFileError            2   a model file is missing, incomplete or not the pinned one
├── StoreError                2   the reply store cannot be opened or written
├── JudgeAccessError          2   the judge refuses the key (401, 403)
├── JudgeDownError            4   the judge failed so often in a row that asking on is pointless
└── BudgetSpentError          3   a hard budget (USD, calls, minutes) was reached
```

A message says what was being read, the law, what was found, and the mend. A judge's bad reply is
not an error: it is a verdict with a failure class (`metajudge.verdicts`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from metajudge.extras import install_command

EXIT_GOOD = 0
EXIT_GUARDRAIL = 1
EXIT_USAGE = 2
EXIT_BUDGET = 3
EXIT_CANNOT_DECIDE = 4
MOST_PRINTED = 50
"""Problems that a message lists; `InputError.problems` holds all of them."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault in something a user wrote.

    Attributes:
        where: File, or the name of what was being read.
        law: What must hold.
        mend: What to do about it.
        line: 1-based line in the file; None where lines mean nothing.
        field: The field's name; None for the whole line or file.
        got: The offending value as repr, shortened; None where there is none.
    """

    where: str
    law: str
    mend: str
    line: int | None = None
    field: str | None = None
    got: str | None = None

    def __str__(self) -> str:
        """`file:line: field: law (got …). mend`."""
        place = self.where if self.line is None else f"{self.where}:{self.line}"
        field = "" if self.field is None else f" {self.field}:"
        got = "" if self.got is None else f" (got {self.got})"
        return f"{place}:{field} {self.law}{got}. {self.mend}"


def short_repr(value: object, limit: int = 80) -> str:
    """Repr of a value, cut to `limit` characters so that a message stays readable.

    >>> short_repr("a" * 100, 10)
    "'aaaaaaaa…"
    """
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def broken_rules(
    where: str, given: object, rules: Iterable[tuple[str, bool, str]], mend: str = "Correct it."
) -> list[Problem]:
    """The problems of values that mean nothing, all at once.

    Args:
        where: What was being read.
        given: Holds each value under its name.
        rules: Name of a value, whether its law holds, and what it then is.
        mend: What to do about it.

    >>> [str(found) for found in broken_rules("a number", 3j, [("real", False, "over 0")])]
    ['a number: real: real is over 0 (got 0.0). Correct it.']
    """
    return [
        Problem(where, f"{name} is {law}", mend, field=name, got=repr(getattr(given, name)))
        for name, holds, law in rules
        if not holds
    ]


class MetajudgeError(Exception):
    """Root of the tree; `exit_code` is what the command line ends with."""

    exit_code: ClassVar[int] = EXIT_USAGE


class InputError(MetajudgeError):
    """Something a user wrote is wrong; `problems` holds every fault found, in file order."""

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = (
            (problems,) if isinstance(problems, Problem) else tuple(problems)
        )
        lines = [str(problem) for problem in self.problems[:MOST_PRINTED]]
        if len(self.problems) > MOST_PRINTED:
            lines.append(f"and {len(self.problems) - MOST_PRINTED} more problems")
        super().__init__("\n".join(lines))


class GoldError(InputError):
    """A gold set file breaks its format or its labelling policy."""


class TemplateError(InputError):
    """A template file is wrong, or the data lacks what the template needs."""


class ExperimentError(InputError):
    """An experiment file is wrong."""


class JudgeSpecError(InputError):
    """A judge spec string names no judge."""


class ReleaseError(InputError):
    """A release is faulty, is refused, or is not where its reference points."""


class MissingExtraError(MetajudgeError):
    """An optional library is not installed; the message has the pip command."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional library: {install_command(extra)}")
        self.extra = extra


class ModelFileError(MetajudgeError):
    """A model file is missing, incomplete, or its hash is not the pinned one."""


class StoreError(MetajudgeError):
    """The reply store cannot be opened, read or written."""


class JudgeAccessError(MetajudgeError):
    """The judge refuses the key or the permission (HTTP 401, 403)."""


class JudgeDownError(MetajudgeError):
    """The judge failed so often in a row that asking on is pointless."""

    exit_code: ClassVar[int] = EXIT_CANNOT_DECIDE


class BudgetSpentError(MetajudgeError):
    """A hard budget (USD, calls, minutes) was reached; what is complete stays."""

    exit_code: ClassVar[int] = EXIT_BUDGET
