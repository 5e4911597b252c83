"""Rows of any source as claims and contexts, with every fault named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import ValidationError

from metajudge.errors import Problem, short_repr
from metajudge.gold.annotators import adjudicate
from metajudge.gold.claim import (
    SPACE_LABELS,
    Adjudication,
    Annotation,
    Claim,
    Context,
    GoldLabel,
    LabelSource,
    LabelSpace,
    MetricName,
    PendingClaim,
)
from metajudge.gold.columns import CONTEXT_LANG, LABEL_HINTS, to_our_fields
from metajudge.gold.fingerprint import answer_id_of, claim_id_of, context_id_of
from metajudge.gold.metric_checks import metric_labels
from metajudge.gold.rows import SourceRow
from metajudge.gold.source_text import lone_surrogate
from metajudge.gold.validation import UNKNOWN_FIELD, suggest, validation_problems

_REQUIRED = frozenset({"claim", "passages"})
MISSING_WORDS = frozenset({"nan", "NaN", "None", "null", "<NA>", "NaT"})
"""Texts that are only the trace of a missing value."""
_ABOUT_CONTEXT = ("title", "domain", "group")
_EMPTY_CONTEXT = "the context is empty"
_ALLOW_BLANK = "say allow_empty_context to have blank passages left out."
_ALLOW_EMPTY = "Give the passages, or say allow_empty_context if an empty context is meant."


@dataclass(frozen=True, slots=True)
class ReadingRules:
    """How rows are read.

    Attributes:
        columns: Our field -> their column; None refuses unknown columns, {} leaves them unread.
        labels: Their label as text -> ours.
        label_space: Labels that may stand; None for any.
        languages: Languages that may stand; () for any.
        label_source: Who labelled rows that do not say.
        adjudication: How annotations become a label where a row states none.
        allow_empty_context: Whether a context may have no passage.
        pending: Whether a claim may wait for its label.
        metric: Which metric the labels are gold for.
    """

    columns: Mapping[str, str] | None = None
    labels: Mapping[str, GoldLabel] = field(default_factory=dict)
    label_space: LabelSpace | None = None
    languages: tuple[str, ...] = ()
    label_source: LabelSource = "human"
    adjudication: Adjudication = "majority"
    allow_empty_context: bool = False
    pending: bool = False
    metric: MetricName = "faithfulness"


class ClaimReader:
    """Gathers claims, contexts and problems from rows.

    Attributes:
        claims: Claims read so far, in order.
        pending: Claims without a label read so far, in order.
        contexts: Contexts by id, in order.
        problems: Faults found so far, in order.
        notes: What was decided for the user: counts by message.
    """

    def __init__(self, rules: ReadingRules) -> None:
        self.rules = rules
        self.claims: list[Claim] = []
        self.pending: list[PendingClaim] = []
        self.contexts: dict[str, Context] = {}
        self.problems: list[Problem] = []
        self.notes: Counter[str] = Counter()
        self._places: dict[tuple[str, str], str] = {}
        self._broken_contexts: set[str] = set()

    def read_context(self, row: SourceRow) -> None:
        """Takes in a row of a contexts file."""
        ours = to_our_fields(row, None)
        before = len(self.problems)
        self.problems += ours.problems
        fields = self._without_blanks(row, ours.fields)
        fields["passages"] = self._passages(row, fields.get("passages", None))
        made = context_id_of(fields["passages"])
        context_id = fields.setdefault("context_id", made)
        self._claim_place(row, "context_id", context_id)
        context = self._validated(Context, row, fields)
        if context is not None and len(self.problems) == before:
            self.contexts[context.context_id] = context
        else:
            self._broken_contexts.add(str(context_id))

    def read_claim(self, row: SourceRow) -> None:
        """Takes in a row of a claims file or of a table with inline contexts.

        A row without a label that says why it waits (`why`) is pending in any source.
        """
        ours = to_our_fields(row, self.rules.columns)
        before = len(self.problems)
        self.problems += ours.problems
        for name in ours.unread:
            self.notes[f"column {name!r} is not read"] += 1
        fields = self._without_blanks(row, ours.fields)
        inline = "passages" in ours.fields
        about = {}
        if inline:
            passages = self._passages(row, fields.pop("passages", None))
            about = {name: fields.pop(name) for name in _ABOUT_CONTEXT if name in fields}
            if CONTEXT_LANG in fields:
                about["lang"] = fields.pop(CONTEXT_LANG)
            fields.setdefault("context_id", context_id_of(passages))
        else:
            passages = self._known_passages(row, fields.get("context_id"))
        self._label(row, fields)
        self._make_ids(fields, passages)
        self._language(row, fields)
        fields.setdefault("label_source", self.rules.label_source)
        self._claim_place(row, "claim_id", fields["claim_id"])
        waits = "label" not in fields and (self.rules.pending or "why" in fields)
        if fields.pop("label_policy" if waits else "why", None) is not None and not waits:
            self.notes["why it waited: not read, there is a label by now"] += 1
        claim = self._validated(PendingClaim if waits else Claim, row, fields)
        if claim is not None and inline:
            about |= {"context_id": claim.context_id, "passages": passages}
            self._register(row, about)
        if claim is not None and len(self.problems) == before:
            (self.pending if waits else self.claims).append(claim)

    def _without_blanks(self, row: SourceRow, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Fields without missing optional ones; texts that cannot be meant are problems."""
        kept = {}
        for name, value in fields.items():
            for text in _texts(value):
                self._check_text(row, name, text)
            blank = isinstance(value, str) and not value.strip()
            if name == "claim" and blank:
                self._fault(
                    row, "a claim must not be empty", "Write it or remove the row.", name, value
                )
            if name in _REQUIRED or not (value is None or blank):
                kept[name] = value
        return kept

    def _check_text(self, row: SourceRow, name: str, text: str) -> None:
        half = lone_surrogate(text)
        if half is not None:
            law = f"the text holds half a character ({half})"
            self._fault(row, law, "Export the text again as UTF-8.", name, text)
        if text in MISSING_WORDS and name in ("claim", "question", "passages"):
            law = "the text is only the trace of a missing value"
            self._fault(row, law, "Write null, or leave the field out.", name, text)

    def _passages(self, row: SourceRow, value: Any) -> tuple[str, ...]:
        """The passages of a field that holds one text, a list of texts, or nothing."""
        passages = [] if value is None else [value] if isinstance(value, str) else value
        if not isinstance(passages, list | tuple):
            law = "a context must be a text or a list of texts"
            self._fault(row, law, 'Write ["first passage", …].', "passages", value)
            return ()
        for index, passage in enumerate(passages):
            if not isinstance(passage, str):
                self._fault(
                    row,
                    "a passage must be a text",
                    "Write the passage's text alone.",
                    f"passages[{index}]",
                    passage,
                )
        texts = tuple(passage for passage in passages if isinstance(passage, str))
        filled = tuple(text for text in texts if text.strip())
        if self.rules.allow_empty_context:
            self.notes["blank passage left out"] += len(filled) < len(texts)
            return filled
        if not filled and len(texts) == len(passages):
            self._fault(row, _EMPTY_CONTEXT, _ALLOW_EMPTY, "passages", value)
            return ()
        for index, passage in enumerate(passages):
            if isinstance(passage, str) and not passage.strip():
                law, mend = "a passage must not be empty", f"Remove it, or {_ALLOW_BLANK}"
                self._fault(row, law, mend, f"passages[{index}]", passage)
        return texts

    def _known_passages(self, row: SourceRow, context_id: Any) -> tuple[str, ...]:
        if context_id is None:
            law = "a claim needs context_id, or context with the passages themselves"
            self._fault(row, law, "Add one of the two.", "context_id")
        elif isinstance(context_id, str):
            context = self.contexts.get(context_id)
            if context is not None:
                return context.passages
            if context_id not in self._broken_contexts:
                mend = (
                    suggest(context_id, self.contexts, 5)
                    if self.contexts
                    else ("Add it to the contexts file, or give the passages in the row.")
                )
                self._fault(row, "no context has this id", mend, "context_id", context_id)
        return ()

    def _label(self, row: SourceRow, fields: dict[str, Any]) -> None:
        """Maps labels to ours, and adjudicates where a row has annotations but no label."""
        annotations = fields.get("annotations")
        if isinstance(annotations, list | tuple):
            fields["annotations"] = tuple(self._annotation(note) for note in annotations)
        if "label" in fields:
            fields["label"] = self._mapped(fields["label"])
        elif annotations and "why" not in fields:
            self._adjudicate(row, fields)

    def _annotation(self, note: Any) -> Any:
        if not isinstance(note, Mapping):
            return note
        known = {("annotator" if name == "id" else name): value for name, value in note.items()}
        return known | {"label": self._mapped(known.get("label"))}

    def _mapped(self, label: Any) -> Any:
        return self.rules.labels.get(str(label), label)

    def _adjudicate(self, row: SourceRow, fields: dict[str, Any]) -> None:
        try:
            notes = [Annotation.model_validate(note) for note in fields["annotations"]]
        except (ValidationError, TypeError):
            # The annotations are blamed later; a missing label would blame the row twice.
            fields["label"] = SPACE_LABELS["ternary"][0]
            return
        verdict = adjudicate(notes, self.rules.adjudication)
        if verdict.label is None and self.rules.pending:
            fields["why"] = verdict.reason
            return
        if verdict.label is None:
            law = f"the annotations give no label by the rule {self.rules.adjudication!r}"
            self._fault(
                row, law, f"It is {verdict.reason}. Settle it and write the label.", "label"
            )
        else:
            self.notes[f"label made from annotations by {self.rules.adjudication!r}"] += 1
        fields["label"] = verdict.label or notes[0].label

    def _make_ids(self, fields: dict[str, Any], passages: tuple[str, ...]) -> None:
        question = fields.get("question")
        if "answer_id" not in fields:
            self.notes["answer_id made from context and question"] += 1
            fields["answer_id"] = answer_id_of(passages, question)
        if "claim_id" not in fields:
            self.notes["claim_id made from content"] += 1
            parts = str(fields["answer_id"]), str(fields.get("claim"))
            fields["claim_id"] = claim_id_of(passages, question, *parts)

    def _language(self, row: SourceRow, fields: dict[str, Any]) -> None:
        known = self.rules.languages
        context = self.contexts.get(str(fields.get("context_id")))
        if "lang" not in fields and context is not None and context.lang:
            fields["lang"] = context.lang
        elif "lang" not in fields and len(known) == 1:
            fields["lang"] = known[0]
        elif "lang" not in fields and known:
            law = f"the set has the languages {', '.join(known)}, so each claim must say its own"
            self._fault(row, law, f"Add lang, e.g. {known[0]!r}.", "lang")
        elif "lang" not in fields:
            self.notes["lang guessed from the script"] += 1
            fields["lang"] = script_language(str(fields.get("claim")))
        lang = fields.get("lang")
        if known and isinstance(lang, str) and lang not in known:
            law = f"the manifest lists the languages {', '.join(known)}"
            self._fault(row, law, suggest(lang, known), "lang", lang)

    def _claim_place(self, row: SourceRow, kind: str, identifier: Any) -> None:
        """Notes where an id stands first; a second time is a problem."""
        place = row.where if row.line is None else f"{row.where}:{row.line}"
        first = self._places.setdefault((kind, str(identifier)), place)
        if first != place:
            law = f"the {kind} stands twice, first at {first}"
            made = "" if kind in row.fields else " Without an id, two rows with one content clash."
            self._fault(row, law, f"Give each row its own, or remove one.{made}", kind, identifier)

    def _validated(self, model: type[Any], row: SourceRow, fields: Mapping[str, Any]) -> Any:
        try:
            entry = model.model_validate(fields)
        except ValidationError as error:
            faults = validation_problems(error, model, row.where, lambda _: row.line)
            self.problems += [self._with_hint(fault, model, fields) for fault in faults]
            return None
        self._check_flag_and_space(row, fields, entry)
        return entry

    def _with_hint(self, fault: Problem, model: type[Any], fields: Mapping[str, Any]) -> Problem:
        if fault.law == UNKNOWN_FIELD and model is PendingClaim and fault.field in fields:
            # It may be the label under another name, for want of which the claim counts as pending.
            fault = replace(fault, mend=suggest(fault.field, Claim.model_fields))
        if fault.law == UNKNOWN_FIELD and self.rules.columns is None:
            return replace(fault, mend=f"{fault.mend} A column map leaves unknown columns unread.")
        labels = {"label": fields.get("label")} | {
            f"annotations[{index}].label": note.get("label")
            for index, note in enumerate(_sequence(fields.get("annotations")))
            if isinstance(note, Mapping)
        }
        value = labels.get(fault.field or "")
        if value is None:
            return fault
        space = SPACE_LABELS[self.rules.label_space or "ternary"]
        meant = LABEL_HINTS.get(str(value).strip().casefold())
        hint = f" Or map the labels: {{{str(value)!r}: {meant or space[0]!r}}}."
        law = f"must be one of {', '.join(space)}"
        return replace(fault, law=law, mend=suggest(value, space) + hint)

    def _check_flag_and_space(self, row: SourceRow, fields: Mapping[str, Any], entry: Any) -> None:
        if not isinstance(fields.get("exclude", False), bool):
            mend = "Write true or false without quotes."
            self._fault(row, "must be true or false", mend, "exclude", fields["exclude"])
        space, metric = self.rules.label_space, self.rules.metric
        if space is None or not isinstance(entry, Claim | PendingClaim):
            return
        for place, label in _labels(entry):
            if label not in SPACE_LABELS[space]:
                law = f"a {space} gold set has the labels {', '.join(SPACE_LABELS[space])}"
                mend = "Change the label, or label_space in goldset.yaml."
                self._fault(row, law, mend, place, label)
            elif label not in metric_labels(metric, space):
                law = f"gold for {metric} has the labels {', '.join(metric_labels(metric, space))}"
                self._fault(row, law, "Decide for one of them.", place, label)

    def _register(self, row: SourceRow, about: Mapping[str, Any]) -> None:
        """Keeps an inline context; one id with two contents is a problem."""
        context = self._validated(Context, row, about)
        if context is None:
            return
        known = self.contexts.setdefault(context.context_id, context)
        if known.passages != context.passages:
            law = "the context id already has other passages"
            mend = "Give each context its own id, or leave context_id out."
            self._fault(row, law, mend, "context_id", context.context_id)
        elif known != context:
            law = "the same context stands elsewhere with another group, title or domain"
            self._fault(row, law, "Make them equal.", "context_id", context.context_id)

    def _fault(
        self, row: SourceRow, law: str, mend: str, name: str | None = None, got: Any = ...
    ) -> None:
        shown = None if got is ... else short_repr(got)
        self.problems.append(Problem(row.where, law, mend, row.line, name, shown))


def script_language(text: str) -> str:
    """`zh` where at least 3 in 10 letters are Han characters, `en` otherwise.

    >>> script_language("5G 核心网"), script_language("5G core")
    ('zh', 'en')
    """
    letters = [char for char in text if char.isalpha()]
    han = sum("\u3400" <= char <= "\u9fff" or char >= "\U00020000" for char in letters)
    return "zh" if letters and han >= 0.3 * len(letters) else "en"


def _sequence(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list | tuple) else ()


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in (*value, *value.values()):
            yield from _texts(part)
    elif isinstance(value, Iterable):
        for part in value:
            yield from _texts(part)


def _labels(claim: Claim | PendingClaim) -> Iterator[tuple[str, GoldLabel]]:
    if isinstance(claim, Claim):
        yield "label", claim.label
    for index, note in enumerate(claim.annotations):
        yield f"annotations[{index}].label", note.label
