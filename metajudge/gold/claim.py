"""What people said: claims, contexts and the manifest of a gold set."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

TernaryLabel = Literal["yes", "no", "idk"]
BinaryLabel = Literal["supported", "unsupported"]
GoldLabel = Literal["yes", "no", "idk", "supported", "unsupported"]
LabelSpace = Literal["ternary", "binary"]
SPACE_LABELS: dict[LabelSpace, tuple[GoldLabel, ...]] = {
    "ternary": ("yes", "no", "idk"),
    "binary": ("supported", "unsupported"),
}
"""Labels of each space, in the order of their codes (0, 1, 2)."""
Adjudication = Literal["majority", "majority_then_latest"]
"""How annotations become a label where a row states none; a stated label always stands.

`majority`: the label with most votes, and a tie is a fault for people to settle.
`majority_then_latest`: a tie goes to the tied label that was given last, by `time`.
"""
LabelSource = Literal["human", "author", "model"]
Slice = Literal[
    "literal",
    "paraphrase",
    "summary",
    "aggregation",
    "inference",
    "hedged",
    "compound",
    "outside_true",
    "outside_false",
    "contradiction",
    "off_context",
]
SLICES: tuple[Slice, ...] = get_args(Slice)
Split = Literal["dev", "test"]
Identifier = Annotated[str, Field(min_length=1, max_length=200)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Annotation(_Strict):
    """One annotator's label of one claim."""

    annotator: Identifier
    label: GoldLabel
    time: str | None = None
    note: str | None = None


class Claim(_Strict):
    """One checkable statement of an answer, with its gold label."""

    claim_id: Identifier
    answer_id: Identifier
    context_id: Identifier
    claim: Annotated[str, Field(min_length=1)]
    label: GoldLabel
    slice: Slice | None = None
    lang: str = "en"
    question: str | None = None
    annotations: tuple[Annotation, ...] = ()
    spans: tuple[str, ...] = ()
    note: str | None = None
    label_source: LabelSource = "human"
    generator: str | None = None
    exclude: bool = False


class Context(_Strict):
    """The retrieved passages that claims are judged against; `passages` may be empty."""

    context_id: Identifier
    passages: tuple[str, ...]
    lang: str | None = None
    title: str | None = None
    domain: str | None = None
    group: Identifier | None = None
    """Contexts of one group never part in a split; None stands for a group of its own."""


class LabellingPolicy(_Strict):
    """What annotators were told counts as support; versioned with the gold set."""

    version: str
    rules: tuple[str, ...] = ()
    slice_labels: dict[Slice, tuple[TernaryLabel, ...]] = Field(default_factory=dict)
    """Labels that a slice can have under this policy; a slice not listed may have any."""


class SplitRule(_Strict):
    """How contexts are dealt to dev and test: by hash, so that new claims never move old ones."""

    salt: str
    dev_share: Annotated[float, Field(gt=0, lt=1)] = 0.67


class GoldManifest(_Strict):
    """`goldset.yaml`."""

    name: Identifier
    version: str
    languages: tuple[str, ...]
    label_space: LabelSpace = "ternary"
    labelling_policy: LabellingPolicy
    licence: str
    provenance: str
    label_source: LabelSource
    annotators: tuple[str, ...] = ()
    split: SplitRule | None = None
    min_slice_n: int = 12
    allow_empty_context: bool = False
    adjudication: Adjudication = "majority"
