"""promptfoo: outputs that people rated in the viewer, and test cases that hold a claim.

Shapes of results after promptfoo 0.121 (`src/types/index.ts`, `humanRatingHelpers.ts`): JSON with
`results.results`, or one result a line; a result has `vars`, `testCase`, `response.output`,
`provider`, and a `gradingResult` with `componentResults`, in which the assertion of type `human` is
the rating of a person (the last one counts) with its `pass` and `comment`. Test cases are a list of
`vars`, or the `tests` of a configuration in JSON. Results that hold only a `table` are not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from metajudge.gold.importing.fields import (
    USUAL_NAMES,
    Record,
    listed,
    mapped,
    mappings,
    records,
    texts_of,
    value_at,
)
from metajudge.gold.importing.given import Given, settled, stated_label
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.source import Source
from metajudge.gold.importing.words import person, word_of

FORMAT = Format(
    name="promptfoo",
    title="promptfoo",
    kind="framework",
    holds="results or test cases as JSON or JSON Lines, or a folder of such files",
    label_space="binary",
    mapping=(
        "Where `vars` hold a claim: the claim, with the label of the test case. Elsewhere the "
        "output, one claim an answer, with the rating of a person as the words pass and fail, "
        "which mean nothing until the label map says so (pass=supported); assertions graded by "
        "models and programs are left out."
    ),
    url="https://www.promptfoo.dev/docs/usage/web-ui/",
    marks=("evalId", "results"),
    other_marks=(
        ("promptIdx", "testIdx", "vars"),
        ("vars", "assert"),
    ),
)
_OF_VARS = USUAL_NAMES | {"claim": USUAL_NAMES["claim"][:2]}
_OF_OUTPUT = USUAL_NAMES | {"claim": (("output",),)}
_Key = tuple[str, tuple[str, ...], str | None, str]
"""Claim, passages, question and label of a test case: one that stands with two labels shows."""


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Claims of results and test cases, and what is left out of them.

    Raises:
        GoldError: The files cannot be read.
    """
    seen: set[_Key] = set()
    for record in records(source, "*.json", "*.jsonl", lists=("tests",)):
        for row in _rows(record, source):
            if _has_own_claim(row, source):
                yield from _of_vars(row, source, seen)
            else:
                yield from _of_output(row, source)


def _rows(record: Record, source: Source) -> Iterator[Record]:
    """Results or test cases that a record holds."""
    fields = record.fields
    held = value_at(fields, "results.results") or fields.get("results")
    if isinstance(held, list):
        for number, row in enumerate(mappings(held), 1):
            yield Record(f"{record.where} result {number}", record.line, row)
    elif held is not None:
        law = "results are read from `results.results`, which is not there"
        source.fault(record.where, law, "Export the results again as JSON.", line=record.line)
    else:
        yield record


def _vars(row: Record) -> tuple[Mapping[str, Any], ...]:
    paths = ("vars", "testCase.vars", "metadata", "testCase.metadata")
    found = (value_at(row.fields, path) for path in paths)
    return tuple(part for part in found if isinstance(part, Mapping))


def _has_own_claim(row: Record, source: Source) -> bool:
    """Whether the test case holds the claim, so that the output is about it and not the claim."""
    path = source.columns.get("claim")
    if path is not None:
        return not path.startswith(("response", "output"))
    names = [name for tier in _OF_VARS["claim"] for name in tier]
    return any(part.get(name) for part in _vars(row) for name in names)


def _of_vars(row: Record, source: Source, seen: set[_Key]) -> Iterator[ImportedClaim | LeftOut]:
    place = Record(row.where, row.line, row.fields, _vars(row))
    texts = texts_of(place, source, _OF_VARS)
    if isinstance(texts, LeftOut):
        yield texts
        return
    stated = stated_label(place, source)
    key = (texts.claim, texts.passages, texts.question, word_of(stated))
    if key in seen:
        yield row.left("duplicate", row.fields.get("id", ""), "the claim of another output")
        return
    seen.add(key)
    left = [
        row.left("no_claim", row.fields.get("id", ""), "a rating of the output, not of the claim")
        for _ in _ratings(row)[:1]
    ]
    yield from settled(place, texts, source, left=left, stated=stated)


def _of_output(row: Record, source: Source) -> Iterator[ImportedClaim | LeftOut]:
    output = value_at(row.fields, "response.output") or row.fields.get("output")
    place = Record(row.where, row.line, row.fields, ({"output": output}, *_vars(row)))
    texts = texts_of(place, source, _OF_OUTPUT)
    if isinstance(texts, LeftOut):
        yield texts
        return
    what = str(row.fields.get("id", ""))
    ratings = _ratings(row)
    left = [row.left("superseded", what, "rated again") for _ in ratings[:-1]]
    graders = _graders(row)
    if graders:
        left.append(row.left("model_made", what, f"graded by {', '.join(graders)}"))
    given = [
        Given(
            annotator=person(mapped(place, source, "annotator")),
            value=_word(rating.get("pass")),
            what=what,
            note=rating.get("comment") or value_at(row.fields, "gradingResult.comment"),
        )
        for rating in ratings[-1:]
    ]
    provider = row.fields.get("provider")
    name = provider.get("id") if isinstance(provider, Mapping) else provider
    yield from settled(
        place, texts, source, given, left=left, claim_id=row.fields.get("id"), generator=name
    )


def _word(passed: Any) -> str | None:
    return {True: "pass", False: "fail"}[passed] if isinstance(passed, bool) else None


def _graded(row: Record) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Type and grading of each assertion, the whole last."""
    whole = row.fields.get("gradingResult")
    for part in [*listed(value_at(whole, "componentResults")), whole]:
        kind = value_at(part, "assertion.type")
        if isinstance(part, Mapping) and isinstance(kind, str):
            yield kind, part


def _ratings(row: Record) -> list[Mapping[str, Any]]:
    return [part for kind, part in _graded(row) if kind == "human"]


def _graders(row: Record) -> list[str]:
    return list(dict.fromkeys(kind for kind, _ in _graded(row) if kind != "human"))
