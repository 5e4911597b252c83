"""FEVER-like files whose evidence comes as text: FEVER-NLI, FEVER gold evidence, Climate-FEVER.

FEVER itself, and files made after it such as CFEVER, name Wikipedia pages and lines instead; their
texts are in the page dump, so such a file is refused with that word. In Climate-FEVER people voted
on each evidence sentence, so each claim-sentence pair is a claim of its own with its votes; the
verdict on the whole claim (which may be DISPUTED) is not read. Voters are places in a list, not
people: figures by voter mean nothing here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from metajudge.errors import GoldError, Problem, short_repr
from metajudge.gold.annotators import adjudicate
from metajudge.gold.claim import Annotation, GoldLabel
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut, Reason
from metajudge.gold.importing.records import (
    UnusableError,
    as_text,
    bounded,
    claims_of_each,
    folded_word,
    known_words,
    label_in,
    left_out,
    malformed,
    optional_text,
    records,
    text_in,
    vote_of,
    votes_in_words,
)
from metajudge.gold.importing.source import Source
from metajudge.gold.rows import SourceRow

FORMAT = Format(
    name="fever",
    title="FEVER-like, with evidence texts",
    kind="public",
    holds=(
        "a .jsonl or .json file whose records hold claim, evidence text and label (FEVER-NLI, "
        "fever_gold_evidence, Climate-FEVER), or a folder of them"
    ),
    label_space="ternary",
    mapping=(
        "SUPPORTS -> yes, REFUTES -> no, NOT ENOUGH INFO -> idk (in FEVER said of all Wikipedia, "
        "beside evidence that a program picked), DISPUTED comes in without a label; in "
        "Climate-FEVER one claim for each evidence sentence, with its votes, and tied votes give "
        "no label."
    ),
    licence=(
        "FEVER: CC BY-SA 3.0 and GPL-3.0 (Wikipedia texts and annotations); Climate-FEVER: "
        "unknown; of other files in this form: unknown"
    ),
    citation=(
        "James Thorne, Andreas Vlachos, Christos Christodoulopoulos and Arpit Mittal (2018): "
        "FEVER: a Large-scale Dataset for Fact Extraction and VERification. NAACL 2018. "
        "Climate-FEVER: Thomas Diggelmann, Jordan Boyd-Graber, Jannis Bulian, Massimiliano "
        "Ciaramita and Markus Leippold (2020): CLIMATE-FEVER: A Dataset for Verification of "
        "Real-World Climate Claims. NeurIPS 2020 workshop Tackling Climate Change with Machine "
        "Learning."
    ),
    url="https://fever.ai",
    hub=("tdiggelm/climate_fever", "copenlu/fever_gold_evidence", "pietrolesci/nli_fever"),
    marks=("claim", "evidences", "claim_label"),
    files=("*fever*.jsonl",),
)
_LABELS: dict[str, GoldLabel] = {
    "SUPPORTS": "yes",
    "SUPPORT": "yes",
    "REFUTES": "no",
    "REFUTE": "no",
    "NOT ENOUGH INFO": "idk",
}
_CODES: dict[str, GoldLabel] = {"0": "yes", "1": "no", "2": "idk"}
"""`evidence_label` as the hub's set has it: classes in the order of its card."""
_DISPUTED, _HIDDEN = "disputed", "not available"
_PAGE_FIELD = "evidence_wiki_url"
_WITH_TEXT = 3


class _Shape(NamedTuple):
    """Fields of a record; `mark` tells the shape."""

    mark: str
    claim: str
    evidence: str
    label: str


_PLAIN = _Shape("claim", "claim", "evidence", "label")
_SHAPES = (
    _Shape("fever_gold_label", "premise", "hypothesis", "fever_gold_label"),
    _Shape("query", "query", "context", "label"),
)
"""The hub's nli_fever, where the claim goes by the name of premise, and upstream's FEVER-NLI."""


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Claims of each record, in file order.

    Raises:
        GoldError: The file names pages and lines instead of holding texts.
    """
    labels = known_words(source, _LABELS)
    rows = records(source, FORMAT, "*.jsonl", "*.json")
    return claims_of_each(rows, partial(_claims, labels=labels))


def _claims(row: SourceRow, labels: Mapping[str, GoldLabel]) -> Iterator[ImportedClaim | LeftOut]:
    shape = next((shape for shape in _SHAPES if shape.mark in row.fields), _PLAIN)
    claim = text_in(row, shape.claim)
    if "evidences" in row.fields:
        yield from _pairs(row, claim, labels)
    else:
        yield _whole(row, shape, claim, labels)


def _whole(
    row: SourceRow, shape: _Shape, claim: str, labels: Mapping[str, GoldLabel]
) -> ImportedClaim:
    """The claim against all its evidence together."""
    passages = _texts(row, shape.evidence)
    word = folded_word(row.fields.get(shape.label))
    open_word = word in (_DISPUTED, _HIDDEN) and word not in labels
    disputed = open_word and word == _DISPUTED
    identifier = next(filter(None, (optional_text(row, key) for key in ("cid", "id"))), None)
    return ImportedClaim(
        where=row.where,
        line=row.line,
        claim=claim,
        passages=passages,
        label=None if open_word else label_in(row, shape.label, labels),
        claim_id=identifier and bounded(f"fever-{identifier}"),
        unlabelled="unsettled" if disputed else "unlabelled",
        detail="DISPUTED" if disputed else "",
    )


def _texts(row: SourceRow, name: str) -> tuple[str, ...]:
    """The evidence: a text, a list of texts, or a list of page, line and text.

    Raises:
        UnusableError: There is none, or it has another form.
        GoldError: It names pages and lines alone.
    """
    evidence = row.fields.get(name)
    if _names_pages(row, evidence):
        law = "the evidence names Wikipedia pages and lines, whose texts are in FEVER's page dump"
        mend = "Use a file that holds the texts, or put them into `evidence` from the page dump."
        got = None if evidence is None else short_repr(evidence)
        raise GoldError(Problem(row.where, law, mend, line=row.line, field=name, got=got))
    parts = [evidence] if isinstance(evidence, str) else evidence or []
    if not isinstance(parts, list):
        raise UnusableError(malformed(row, name, evidence))
    texts = [part[-1] if isinstance(part, list) and part else part for part in parts]
    held = tuple(as_text(row, name, text) for text in texts if text not in (None, "", []))
    if not held:
        raise UnusableError(left_out(row, "missing_context", name, f"no {name}"))
    return held


def _names_pages(row: SourceRow, evidence: object) -> bool:
    """Whether the evidence is FEVER's: sets of [annotation, evidence, page, line], or a page."""
    if evidence is None:
        return _PAGE_FIELD in row.fields
    if not isinstance(evidence, list) or not evidence or not isinstance(evidence[0], list):
        return False
    entry = evidence[0]
    return len(entry) < _WITH_TEXT or isinstance(entry[0], list) or not isinstance(entry[-1], str)


def _pairs(
    row: SourceRow, claim: str, labels: Mapping[str, GoldLabel]
) -> Iterator[ImportedClaim | LeftOut]:
    """The claim against each evidence sentence alone."""
    evidences = row.fields["evidences"]
    if not isinstance(evidences, list):
        raise UnusableError(malformed(row, "evidences", evidences))
    if not evidences:
        raise UnusableError(left_out(row, "missing_context", "evidences", "no evidences"))
    for index, evidence in enumerate(evidences):
        try:
            yield from _pair(row, claim, index, evidence, labels)
        except UnusableError as unusable:
            yield unusable.left_out


def _pair(
    row: SourceRow, claim: str, index: int, evidence: object, labels: Mapping[str, GoldLabel]
) -> Iterator[ImportedClaim | LeftOut]:
    if not isinstance(evidence, dict):
        raise UnusableError(malformed(row, f"evidences {index}", evidence))
    part = SourceRow(row.where, row.line, {"claim_id": row.fields.get("claim_id")} | evidence)
    text = text_in(part, "evidence", "missing_context")
    identifier, article = optional_text(row, "claim_id"), optional_text(part, "article")
    stated = label_in(part, "evidence_label", {**_CODES, **labels})
    votes, strange = _votes(part, labels)
    label, reason = _settled(stated, votes)
    name = optional_text(part, "evidence_id") or str(index)
    yield ImportedClaim(
        where=row.where,
        line=row.line,
        claim=claim,
        passages=(text,),
        label=label,
        claim_id=identifier and bounded(f"climate-fever-{identifier}-{name}"),
        group=article and bounded(article),
        title=article,
        annotations=votes,
        unlabelled=reason,
        detail=votes_in_words(votes) if label is None else "",
    )
    for word in strange:
        detail = f"a vote is {short_repr(word, 40)}"
        yield left_out(row, "unknown_label", f"{identifier} {name} votes", detail)


def _votes(
    part: SourceRow, labels: Mapping[str, GoldLabel]
) -> tuple[tuple[Annotation, ...], list[Any]]:
    """The votes in their order, and those that are no label; null stands for no vote."""
    given = part.fields.get("votes") or []
    if not isinstance(given, list):
        raise UnusableError(malformed(part, "votes", given))
    votes, strange = [], []
    for number, word in enumerate(given, 1):
        label = labels.get(folded_word(word))
        if label is not None:
            votes.append(vote_of(f"vote{number}", label))
        elif word is not None:
            strange.append(word)
    return tuple(votes), strange


def _settled(
    stated: GoldLabel | None, votes: tuple[Annotation, ...]
) -> tuple[GoldLabel | None, Reason]:
    """The stated label where the votes do not speak against it, else why there is none."""
    if not votes:
        return stated, "unlabelled"
    most = adjudicate(votes).label
    if most is None:
        return None, "tied"
    return (most, "unlabelled") if stated in (most, None) else (None, "unsettled")
