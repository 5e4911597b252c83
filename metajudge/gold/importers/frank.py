"""FRANK: error types of whole summaries, averaged over sentences and annotators.

Upstream's 1 means that there is no such error; 0 means that every sentence has one.
"""

from __future__ import annotations

from collections.abc import Iterator

from metajudge.errors import GoldError, Problem
from metajudge.gold.claim import GoldLabel
from metajudge.gold.importers.xsum_hallucination import unescaped
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.records import (
    UnusableError,
    bounded,
    claims_of_each,
    left_out,
    malformed,
    optional_text,
    records,
    text_in,
)
from metajudge.gold.importing.source import Source
from metajudge.gold.rows import SourceRow

FORMAT = Format(
    name="frank",
    title="FRANK",
    kind="public",
    holds="the folder with human_annotations.json and benchmark_data.json",
    label_space="ternary",
    mapping="No error at all is yes, semantic-frame or discourse errors are no, only out-of-article"
    " errors (OutE) are idk, both make unsupported; a summary with other errors alone, such as"
    " grammar, waits for a label.",
    licence="MIT (annotations); the articles belong to CNN, Daily Mail and the BBC",
    citation=(
        "Artidoro Pagnoni, Vidhisha Balachandran and Yulia Tsvetkov (2021). Understanding "
        "Factuality in Abstractive Summarization with FRANK: A Benchmark for Factuality "
        "Metrics. NAACL 2021, 4812-4829."
    ),
    url="https://github.com/artidoro/frank",
    marks=("hash", "model_name", "Factuality", "Semantic_Frame_Errors"),
    files=("human_annotations.json", "benchmark_data*.json"),
    languages=("en",),
)
_MEANING = ("Semantic_Frame_Errors", "Discourse_Errors")
_OUTSIDE = "OutE"
_SCORES = ("Factuality", *_MEANING, _OUTSIDE)
_TYPES = ("RelE", "EntE", "CircE", "OutE", "GramE", "CorefE", "LinkE", "Other")
_Key = tuple[str, str]


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """One claim a summary, in the order of the annotations.

    Raises:
        GoldError: There is no file of annotations, or none of summaries beside it.
    """
    texts = _Texts(source)
    rows = records(source, FORMAT, "human_annotations.json")
    yield from claims_of_each(rows, lambda row: _claims(row, texts))


class _Texts:
    """Article and summary by document and model, read when the first annotation asks for them."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._rows: dict[_Key, SourceRow] | None = None

    def of(self, row: SourceRow, key: _Key) -> SourceRow:
        """The record that holds article and summary.

        Raises:
            UnusableError: There is none.
        """
        if "article" in row.fields:
            return row
        if self._rows is None:
            self._rows = {} if self._source.is_dataset else self._read()
        found = self._rows.get(key)
        if found is None:
            detail = "no article and summary under this hash and model"
            raise UnusableError(left_out(row, "missing_context", "-".join(key), detail))
        return found

    def _read(self) -> dict[_Key, SourceRow]:
        place = self._source.path
        file = place / "human_annotations.json" if place.is_dir() else place
        path = self._source.beside(file, "benchmark_data*.json")
        if path is None:
            law = "there is no benchmark_data.json beside the annotations"
            raise GoldError(Problem(str(place), law, "Put it there, or name the folder."))
        return {_key(row): row for row in self._source.rows(path)}


def _key(row: SourceRow) -> _Key:
    return optional_text(row, "hash") or "", optional_text(row, "model_name") or ""


def _claims(row: SourceRow, texts: _Texts) -> Iterator[ImportedClaim]:
    key = document, model = _key(row)
    if not document or not model:
        raise UnusableError(left_out(row, "malformed", document or model or "a record", "no key"))
    label = _label(row)
    held = texts.of(row, key)
    name = bounded(f"frank-{document[:12]}-{model}")
    errors = ", ".join(kind for kind in _TYPES if _is_error(row.fields.get(kind)))
    yield ImportedClaim(
        where=row.where,
        line=row.line,
        claim=unescaped(text_in(held, "summary")),
        passages=(text_in(held, "article", "missing_context"),),
        label=label,
        claim_id=name,
        answer_id=name,
        lang="en",
        slice="summary",
        note=f"errors: {errors}" if errors else None,
        unlabelled="policy_gap" if label is None else "unlabelled",
        detail=f"only {errors or 'an error outside the types'}" if label is None else "",
        generator=model,
    )


def _label(row: SourceRow) -> GoldLabel | None:
    for name in _SCORES:
        if not _is_score(row.fields.get(name)):
            raise UnusableError(malformed(row, name, row.fields.get(name)))
    if row.fields["Factuality"] == 1:
        return "yes"
    meaning = any(_is_error(row.fields[name]) for name in _MEANING)
    outside = _is_error(row.fields[_OUTSIDE])
    if meaning:
        return "unsupported" if outside else "no"
    return "idk" if outside else None


def _is_score(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _is_error(value: object) -> bool:
    return isinstance(value, int | float) and value < 1
