"""OCNLI: Chinese sentence pairs, each labelled by up to five raters.

Upstream's label is the majority; `-` stands where there is none. A few raters wrote `unrelated` or
`unknown`, which is none of the three labels: such a vote is left out and counted, the pair stays.
Raters are columns (`label0` to `label4`), not people: figures by rater mean nothing here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from metajudge.errors import short_repr
from metajudge.gold.annotators import adjudicate
from metajudge.gold.claim import Annotation, GoldLabel
from metajudge.gold.importing.imported import Format, ImportedClaim, LeftOut, Reason
from metajudge.gold.importing.records import (
    bounded,
    claims_of_each,
    folded_word,
    known_words,
    label_in,
    left_out,
    optional_text,
    records,
    text_in,
    vote_of,
    votes_in_words,
)
from metajudge.gold.importing.source import Source
from metajudge.gold.rows import SourceRow

FORMAT = Format(
    name="ocnli",
    title="OCNLI",
    kind="public",
    holds="a .json file (JSON Lines under that name), or a folder of them (train, dev)",
    label_space="ternary",
    mapping=(
        "entailment -> yes, contradiction -> no, neutral -> idk; the label is upstream's majority "
        "of five raters, - (no majority) comes in without a label."
    ),
    licence="CC BY-NC 2.0 (non-commercial); premises of the news genre used upstream by permission",
    citation=(
        "Hai Hu, Kyle Richardson, Liang Xu, Lu Li, Sandra Kübler and Lawrence S. Moss (2020): "
        "OCNLI: Original Chinese Natural Language Inference. Findings of EMNLP 2020."
    ),
    url="https://github.com/CLUEbenchmark/OCNLI",
    hub=("clue/clue:ocnli",),
    marks=("sentence1", "sentence2", "label", "genre", "prem_id"),
    files=("*ocnli*.json",),
    languages=("zh",),
)
_LABELS: dict[str, GoldLabel] = {"entailment": "yes", "contradiction": "no", "neutral": "idk"}
_RATERS = tuple(f"label{number}" for number in range(5))
_NO_MAJORITY = "-"


def read(source: Source) -> Iterator[ImportedClaim | LeftOut]:
    """Pairs of each record, in file order; a rater's unknown word is left out beside its pair."""
    labels = known_words(source, _LABELS)
    rows = records(source, FORMAT, "*.json", "*.jsonl")
    return claims_of_each(rows, partial(_claims, labels=labels))


def _claims(row: SourceRow, labels: Mapping[str, GoldLabel]) -> Iterator[ImportedClaim | LeftOut]:
    claim, premise = text_in(row, "sentence2"), text_in(row, "sentence1", "missing_context")
    identifier = optional_text(row, "id")
    settled = row.fields.get("label") != _NO_MAJORITY
    label = label_in(row, "label", labels) if settled else None
    annotations, strange = _votes(row, labels)
    yield ImportedClaim(
        where=row.where,
        line=row.line,
        claim=claim,
        passages=(premise,),
        label=label,
        claim_id=identifier and bounded(f"ocnli-{identifier}"),
        lang="zh",
        slice="inference",
        annotations=annotations,
        note="; ".join(f"{rater}: {word}" for rater, word in strange.items()) or None,
        unlabelled="unlabelled" if settled else _why(annotations),
        detail="" if settled else votes_in_words(annotations),
    )
    for rater, word in strange.items():
        what = f"{identifier or short_repr(claim, 40)} {rater}"
        yield left_out(row, "unknown_label", what, f"the rater wrote {word}")


def _votes(
    row: SourceRow, labels: Mapping[str, GoldLabel]
) -> tuple[tuple[Annotation, ...], dict[str, str]]:
    """The raters' labels, and the words of those that gave none of ours."""
    annotations, strange = [], {}
    for rater in _RATERS:
        word = row.fields.get(rater)
        if word is None or word == "":
            continue
        label = labels.get(folded_word(word))
        if label is None:
            strange[rater] = word if isinstance(word, str) else short_repr(word, 40)
        else:
            annotations.append(vote_of(rater, label))
    return tuple(annotations), strange


def _why(annotations: tuple[Annotation, ...]) -> Reason:
    return "tied" if annotations and adjudicate(annotations).label is None else "unsettled"
