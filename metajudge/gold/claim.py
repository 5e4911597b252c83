"""What people said: claims, contexts and the manifest of a gold set."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
)

TernaryLabel = Literal["yes", "no", "idk"]
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
MetricName = Literal[
    "faithfulness",
    "groundedness",
    "context_relevance",
    "context_recall",
    "context_entity_recall",
    "answer_relevance",
    "answer_redundancy",
    "answer_correctness",
    "goal_achievement",
]
METRIC_NAMES: tuple[MetricName, ...] = get_args(MetricName)
"""Metrics that a judge answers, unit by unit, so that people can label gold for them."""
TWO_LABELS: frozenset[MetricName] = frozenset(
    ("context_relevance", "context_entity_recall", "answer_relevance", "answer_redundancy")
)
"""Metrics whose question has no third answer: a unit is there (yes) or is not (no)."""
SupportKind = Literal[
    "paraphrase", "summary", "aggregation", "inference", "arithmetic", "common_knowledge"
]
SUPPORT_KINDS: tuple[SupportKind, ...] = get_args(SupportKind)
Identifier = Annotated[str, Field(min_length=1, max_length=200)]


class Strict(BaseModel):
    """A record that refuses unknown fields and never changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Annotation(Strict):
    """One annotator's label of one claim."""

    annotator: Identifier
    label: GoldLabel
    time: str | None = None
    """ISO 8601; None where unknown."""
    note: str | None = None
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    """From sight of the claim to the label."""
    slice: Slice | None = None
    """The kind of claim that this annotator saw in it."""
    spans: tuple[str, ...] = ()
    """Texts of the passages that this annotator marked as evidence."""
    policy: str | None = None
    """Version of the labelling policy that the label was given under; None: the first one."""
    flagged: bool = False
    """The annotator wants somebody to look at it."""


class _ClaimFields(Strict):
    claim_id: Identifier
    answer_id: Identifier
    context_id: Identifier
    claim: Annotated[str, Field(min_length=1)]
    slice: Slice | None = None
    lang: str = "en"
    question: str | None = None
    annotations: tuple[Annotation, ...] = ()
    spans: tuple[str, ...] = ()
    note: str | None = None
    label_source: LabelSource = "human"
    generator: str | None = None
    exclude: bool = False


class Claim(_ClaimFields):
    """One checkable statement of an answer, with its gold label."""

    label: GoldLabel
    label_policy: str | None = None
    """Version of the labelling policy that the label was given under; None: the first one."""


class PendingClaim(_ClaimFields):
    """A claim that waits for its gold label: not labelled yet, or not settled."""

    why: str = "nobody has labelled it"
    """Why there is no label, in words for people."""


class Context(Strict):
    """The retrieved passages that claims are judged against; `passages` may be empty."""

    context_id: Identifier
    passages: tuple[str, ...]
    lang: str | None = None
    title: str | None = None
    domain: str | None = None
    group: Identifier | None = None
    """Contexts of one group never part in a split; None stands for a group of its own."""


class PolicyChange(Strict):
    """One change of what counts as support."""

    version: str
    """Of the policy from then on."""
    support: dict[SupportKind, bool]
    """The kinds that changed, as they are from then on."""
    time: str | None = None
    why: str | None = None


class LabellingPolicy(Strict):
    """What annotators were told counts as support; versioned with the gold set."""

    version: str
    rules: tuple[str, ...] = ()
    slice_labels: dict[Slice, tuple[TernaryLabel, ...]] = Field(default_factory=dict)
    """Labels that a slice can have under this policy; a slice not listed may have any."""
    support: dict[SupportKind, bool] = Field(default_factory=dict)
    """Whether each kind counts as support; a kind that is not listed is left to `rules`."""
    changes: tuple[PolicyChange, ...] = ()
    """Earlier first; the last one's version is that of the policy."""


class SplitRule(Strict):
    """How contexts are dealt to dev and test: by hash, so that new claims never move old ones."""

    salt: str
    dev_share: Annotated[float, Field(gt=0, lt=1)] = 0.67


class ImportRecord(Strict):
    """Where a gold set came from."""

    format: str
    """Name of the format, as `gold import --from` takes it."""
    sources: dict[str, str]
    """SHA-256 of each file by its name; a hub set has its name and the hash of its rows."""
    mapping: str = ""
    """How foreign labels became ours."""
    left_out: dict[str, int] = Field(default_factory=dict)
    """Rows and annotations that did not come in, by reason."""


class GoldManifest(Strict):
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
    citation: str | None = None
    url: str | None = None
    imported: ImportRecord | None = None
    metric: MetricName = "faithfulness"
    """Which metric the labels are gold for; not written, nor hashed, where it is faithfulness."""

    @model_serializer(mode="wrap")
    def _without_usual_metric(self, written: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields: dict[str, Any] = written(self)
        if self.metric == "faithfulness":
            fields.pop("metric", None)
        return fields
