"""What an importer gives: claims as people left them, and rows it leaves out with the reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from metajudge.gold.claim import Annotation, GoldLabel, LabelSource, LabelSpace, Slice

Reason = Literal[
    "cancelled",
    "superseded",
    "tied",
    "unsettled",
    "model_made",
    "unknown_label",
    "missing_text",
    "missing_context",
    "no_claim",
    "policy_gap",
    "not_ternary",
    "duplicate",
    "malformed",
    "unlabelled",
    "set_aside",
]
"""Why a row is left out, or comes in without a label. `REASONS` says what each one means."""
REASONS: dict[Reason, str] = {
    "cancelled": "the annotator cancelled or skipped it",
    "superseded": "a later annotation by the same annotator stands",
    "tied": "the annotators are tied",
    "unsettled": "people did not settle it",
    "model_made": "a model made the label",
    "unknown_label": "the label is none that is known",
    "missing_text": "the claim's text is missing",
    "missing_context": "the context is missing",
    "no_claim": "it claims nothing that could be checked",
    "policy_gap": "its label depends on a rule that the labelling policy has to give",
    "not_ternary": "people said unsupported, not whether no or idk",
    "duplicate": "it stands there twice",
    "malformed": "the record is not as the format has it",
    "unlabelled": "nobody has labelled it yet",
    "set_aside": "the publishers set it aside (quality, split or kind)",
}


class LeftOut(NamedTuple):
    """A record or annotation that does not come in; it is counted and shown, never guessed.

    Attributes:
        reason: The class it is counted under.
        where: The file, with `row n` where lines mean nothing.
        line: 1-based line; None where lines mean nothing.
        what: Upstream's id of the record, or the field and value at fault.
        detail: What was found, in few words; "" where the reason says all.
    """

    reason: Reason
    where: str
    line: int | None
    what: str
    detail: str = ""


class ImportedClaim(NamedTuple):
    """One claim of a foreign set.

    Attributes:
        where: The file, with `row n` where lines mean nothing.
        line: 1-based line; None where lines mean nothing.
        claim: The text that was judged.
        passages: What it was judged against, in order; a claim with none is left out.
        label: What people settled on, in the words of either label space; None where they did not.
            Without it, annotations decide by majority, unless `unlabelled` gives another reason
            than its default.
        claim_id: Unique in the import; None makes one from content.
        answer_id: Claims of one answer share it; None makes one from context and question.
        context_id: None makes one from the passages. Two texts never share an id.
        group: The source document: its contexts never part in a split. None: the context alone.
        question: The user's question or previous turn.
        lang: None guesses from the script.
        slice: Only where people or the task say so; never from a heuristic.
        title: Of the context.
        annotations: Every annotator's label, raw, mapped to the words of our label spaces; of
            several by one annotator the last stands. None of them by a model.
        spans: Texts that stand in the passages letter by letter.
        note: What people wrote about it.
        unlabelled: Why `label` is None.
        detail: In few words what `unlabelled` found, e.g. `1 yes, 1 no`.
        label_source: Who made the label; one that a model made is not taken over.
        label_policy: Version of the labelling policy that `label` was given under.
        generator: The model that wrote the claim, where upstream says.
    """

    where: str
    line: int | None
    claim: str
    passages: tuple[str, ...]
    label: GoldLabel | None
    claim_id: str | None = None
    answer_id: str | None = None
    context_id: str | None = None
    group: str | None = None
    question: str | None = None
    lang: str | None = None
    slice: Slice | None = None
    title: str | None = None
    annotations: tuple[Annotation, ...] = ()
    spans: tuple[str, ...] = ()
    note: str | None = None
    unlabelled: Reason = "unlabelled"
    detail: str = ""
    label_source: LabelSource = "human"
    label_policy: str | None = None
    generator: str | None = None


Kind = Literal["public", "tool", "framework", "table"]


@dataclass(frozen=True, slots=True)
class Format:
    """A format that can be imported; each importer module declares its own as `FORMAT`.

    Attributes:
        name: What `--from` takes.
        title: Its name as people write it.
        kind: A public set, an annotation tool, an evaluation framework, or a plain table.
        holds: What to point at: file or folder, and which files it must hold.
        label_space: Of the gold set that is made unless asked otherwise.
        mapping: How labels become ours, in one sentence; it goes into the datasheet.
        licence: Of the labels, with caveats of the texts; "unknown" where the user has to say.
        citation: Authors, year, title and where published; "" where there is none.
        url: Where it is published.
        hub: Names on the Hugging Face hub whose rows this importer reads, without `hf:`.
        marks: Fields that all stand in one of the first records: by these a source is recognised.
            Each is a name, or a pattern as of `fnmatch`.
        other_marks: Further such sets of fields, for the other forms that upstream writes.
        files: File names (glob patterns), one of which tells a source where marks do not.
        languages: Of the set; () when rows say or the script tells.
    """

    name: str
    title: str
    kind: Kind
    holds: str
    label_space: LabelSpace
    mapping: str
    licence: str = "unknown"
    citation: str = ""
    url: str = ""
    hub: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    other_marks: tuple[tuple[str, ...], ...] = ()
    files: tuple[str, ...] = ()
    languages: tuple[str, ...] = field(default=())

    @property
    def mark_sets(self) -> tuple[tuple[str, ...], ...]:
        """Every set of marks, each of which tells the format."""
        return tuple(marks for marks in (self.marks, *self.other_marks) if marks)
