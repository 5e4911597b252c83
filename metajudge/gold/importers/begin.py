"""BEGIN: answers of dialogue systems against a knowledge snippet, as tab-separated files.

Upstream's files know no quoting: a quotation mark is part of the text. Claims that upstream calls
generic say nothing that a snippet could attribute and are left out. One snippet stands there in
several spellings (case, spaces before punctuation): these are one group.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from metajudge.errors import GoldError, Problem, short_repr
from metajudge.gold.claim import GoldLabel
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut
from metajudge.gold.importing.records import (
    claims_of_each,
    folded_word,
    identifier_of,
    known_words,
    label_in,
    left_out,
    optional_text,
    text_in,
)
from metajudge.gold.importing.source import Source
from metajudge.gold.rows import SourceRow

FORMAT = Format(
    name="begin",
    title="BEGIN",
    kind="public",
    holds="a begin_*.tsv file, or a folder of them",
    label_space="binary",
    mapping=(
        "Fully attributable -> supported, Not fully attributable -> unsupported (contradiction and "
        "missing evidence are not told apart), Generic is left out; the previous turn is the "
        "question."
    ),
    licence=(
        "wow part CC BY 4.0; cmu part CC BY 4.0 (source data under the Festvox licence); "
        "topicalchat part CDLA-Sharing 1.0"
    ),
    citation=(
        "Nouha Dziri, Hannah Rashkin, Tal Linzen and David Reitter (2022): Evaluating Attribution "
        "in Dialogue Systems: The BEGIN Benchmark. TACL 10."
    ),
    url="https://github.com/google/BEGIN-dataset",
    marks=("knowledge", "message", "response", "begin_label"),
    files=("begin_*.tsv",),
    languages=("en",),
)
_LABELS: dict[str, GoldLabel] = {
    "Fully attributable": "yes",
    "Not fully attributable": "unsupported",
}
_NEEDED = frozenset({"knowledge", "response", "begin_label"})


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Claims of each row, in file order.

    Raises:
        GoldError: A file's first line does not name the columns.
    """
    return claims_of_each(_rows(source), partial(_claims, labels=known_words(source, _LABELS)))


def _rows(source: Source) -> Iterator[SourceRow]:
    if source.is_dataset:
        yield from source.rows()
        return
    for path in source.find("*.tsv"):
        yield from _table(source, path) if path.suffix.lower() == ".tsv" else source.rows(path)


def _table(source: Source, path: Path) -> Iterator[SourceRow]:
    """Rows of a file without quoting; a row of another length is noted as a fault."""
    lines = source.text(path).split("\n")
    names = lines[0].removesuffix("\r").split("\t")
    if not set(names) >= _NEEDED:
        law = f"the first line must name {', '.join(sorted(_NEEDED))}, separated by tabs"
        mend = "Use upstream's files as they are."
        raise GoldError(Problem(str(path), law, mend, line=1, got=short_repr(names)))
    for number, line in enumerate(lines[1:], 2):
        cells = line.removesuffix("\r").split("\t")
        if len(cells) == len(names):
            yield SourceRow(str(path), number, dict(zip(names, cells, strict=True)))
        elif line.strip():
            law = f"a row must have the header's {len(names)} cells, this one has {len(cells)}"
            mend = "Upstream has one row a line, without quoting: mend or remove it."
            source.fault(str(path), law, mend, line=number, got=line)


def _claims(row: SourceRow, labels: Mapping[str, GoldLabel]) -> Iterator[ImportedClaim | LeftOut]:
    claim = text_in(row, "response")
    if folded_word(row.fields.get("begin_label")) == "generic":
        yield left_out(row, "no_claim", "begin_label", "Generic")
        return
    knowledge = text_in(row, "knowledge", "missing_context")
    yield ImportedClaim(
        where=row.where,
        line=row.line,
        claim=claim,
        passages=(knowledge,),
        label=label_in(row, "begin_label", labels),
        group=identifier_of("begin", "".join(filter(str.isalnum, knowledge.casefold()))),
        question=optional_text(row, "message"),
        lang="en",
        generator=optional_text(row, "model_name"),
    )
