"""A pool of worked cases that examples are drawn from: people's own, and none of what is judged."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from metajudge.errors import Problem, TemplateError, short_repr
from metajudge.gold.goldset import GoldSet
from metajudge.gold.near import near_pairs
from metajudge.gold.rows import SourceRow, read_jsonl
from metajudge.gold.validation import validation_problems
from metajudge.templates.dialect import LabelName
from metajudge.templates.shared_text import KnownTexts, Shared, words_of
from metajudge.templates.source import WrittenText
from metajudge.templates.template import Example

_FIELDS: tuple[Literal["context", "claim"], ...] = ("context", "claim")


class PoolCase(BaseModel):
    """One worked case, in the language that it is shown in; a row of the pool's file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    lang: Literal["en", "zh"]
    context: WrittenText
    claim: WrittenText
    label: LabelName
    reason: WrittenText | None = None

    @property
    def example(self) -> Example:
        """The case as a template holds it."""
        return Example(context=self.context, claim=self.claim, label=self.label, reason=self.reason)


@dataclass(frozen=True, slots=True)
class Pool:
    """Worked cases with the file and the lines that they come from.

    Attributes:
        where: The file, for messages.
        cases: In the order of the file.
        lines: 1-based line of each case.
    """

    where: str
    cases: tuple[PoolCase, ...]
    lines: tuple[int | None, ...]

    def count(self, language: str, offered: Collection[str]) -> int:
        """Cases in a language whose label is one of `offered`."""
        return sum(1 for _ in self._fitting(language, offered))

    def drawn(
        self, language: str, count: int, draw: int, seed: int, offered: Collection[str]
    ) -> tuple[Example, ...]:
        """Some cases as examples: labels in turn, the cases of each in an order of the draw.

        A smaller draw is the beginning of a larger one. The order of the file has no part in it.

        Args:
            language: `en` or `zh`.
            count: How many; 0 gives none, and no more are given than there are.
            draw: Number of the draw; another one takes other cases, or another order.
            seed: What all draws of a search start from.
            offered: Labels that the template offers; cases of others are left out.
        """

        def place(*parts: str) -> str:
            told = "\n".join((str(seed), str(draw), language, *parts))
            return hashlib.sha256(told.encode()).hexdigest()

        by_label: dict[str, list[PoolCase]] = {}
        for case in self._fitting(language, offered):
            by_label.setdefault(case.label, []).append(case)
        columns = [
            sorted(by_label[label], key=lambda case: place(case.context, case.claim))
            for label in sorted(by_label, key=place)
        ]
        turns = (case for row in zip_longest(*columns) for case in row if case is not None)
        return tuple(case.example for case in [*turns][: max(count, 0)])

    def _fitting(self, language: str, offered: Collection[str]) -> Iterator[PoolCase]:
        return (case for case in self.cases if case.lang == language and case.label in offered)


def read_pool(path: str | Path) -> Pool:
    """The pool of a JSON Lines file; each row has lang, context, claim, label and maybe a reason.

    Raises:
        TemplateError: With every fault of the file, the same case twice among them.
    """
    read = read_jsonl(Path(path))
    problems = list(read.problems)
    cases: list[tuple[PoolCase, int | None]] = []
    seen: dict[tuple[str, ...], int | None] = {}
    for row in read.rows:
        case = _case(row)
        if not isinstance(case, PoolCase):
            problems += case
            continue
        same = ("".join(words_of(case.context)), "".join(words_of(case.claim)))
        first = seen.setdefault(same, row.line)
        if first != row.line:
            law = f"each case of a pool is another, and this one stands in line {first} too"
            problems.append(Problem(row.where, law, "Remove one of the two.", line=row.line))
        cases.append((case, row.line))
    if not read.rows and not problems:
        law, mend = "there is no case in the pool", "Add one row a case, or leave examples out."
        problems.append(Problem(str(path), law, mend))
    if problems:
        raise TemplateError(sorted(problems, key=lambda problem: problem.line or 0))
    return Pool(str(path), tuple(case for case, _ in cases), tuple(line for _, line in cases))


def _case(row: SourceRow) -> PoolCase | list[Problem]:
    try:
        return PoolCase.model_validate(row.fields)
    except ValidationError as error:
        return validation_problems(error, PoolCase, row.where, lambda _: row.line)


class _Part(NamedTuple):
    """A field of a case, by the case's place in the pool."""

    place: int
    field: Literal["context", "claim"]


def check_pool(pool: Pool, gold: GoldSet) -> None:
    """That nothing of the pool is judged: no claim and no passage of any split, nor a part of one.

    Texts are compared in both directions without case, white space, punctuation and width: equal
    texts, a text inside another, a run of `LONG_RUN` words in common, and near copies.

    Raises:
        TemplateError: With each context and claim of the pool that the gold set has too, by line.
    """
    if not pool.cases:
        return
    parts = {
        _Part(place, field): str(getattr(case, field))
        for place, case in enumerate(pool.cases)
        for field in _FIELDS
    }
    judged = [(f"claim {claim.claim_id!r}", claim.claim) for claim in gold.every_claim]
    judged += [
        (f"context {context.context_id!r}", text)
        for context in gold.contexts.values()
        for text in dict.fromkeys((*context.passages, "\n".join(context.passages)))
    ]
    found = _shared(parts, judged)
    for part, name in _near(parts, judged):
        found.setdefault(part, f"it is nearly the same as {name}")
    if found:
        raise TemplateError(
            Problem(
                pool.where,
                f"a case of the pool is nothing that is judged, in any split, but {found[part]}",
                "Write another case, about something else.",
                line=pool.lines[part.place],
                field=part.field,
                got=short_repr(parts[part]),
            )
            for part in sorted(found)
        )


def _shared(parts: dict[_Part, str], judged: Sequence[tuple[str, str]]) -> dict[_Part, str]:
    known = KnownTexts(parts)
    found: dict[_Part, str] = {}
    for name, text in judged:
        for shared in known.shared_with(text):
            found.setdefault(shared.name, _told(shared, name))
    return found


def _told(shared: Shared[_Part], name: str) -> str:
    if shared.whole:
        return f"it is the same as {name}"
    return f"{name} has {len(shared.words)} words of it in a row"


def _near(
    parts: dict[_Part, str], judged: Sequence[tuple[str, str]]
) -> Iterator[tuple[_Part, str]]:
    lengths = [len(text) for text in parts.values()]
    # Texts of quite another length are no near copies, and comparing them takes long.
    alike = [one for one in judged if min(lengths) / 2 <= len(one[1]) <= max(lengths) * 2]
    names = list(parts)
    for pair in near_pairs([*parts.values(), *(text for _, text in alike)]):
        if pair.first < len(names) <= pair.second:
            yield names[pair.first], alike[pair.second - len(names)][0]
