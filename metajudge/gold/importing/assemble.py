"""A gold set from what an importer gives: ids, contexts, one label space, and who still waits.

A label that a model made never becomes gold, a label of the other label space is projected where
that loses nothing, and whatever has no one meaning is left out and counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from pydantic import ValidationError

from metajudge.counted import counted
from metajudge.errors import GoldError, Problem, short_repr
from metajudge.gold.annotators import adjudicate
from metajudge.gold.claim import (
    Annotation,
    Claim,
    GoldLabel,
    GoldManifest,
    ImportRecord,
    LabellingPolicy,
    LabelSpace,
    MetricName,
    PendingClaim,
)
from metajudge.gold.claim_rows import MISSING_WORDS, script_language
from metajudge.gold.fingerprint import answer_id_of, claim_id_of
from metajudge.gold.goldset import GoldSet
from metajudge.gold.importing.contexts import ContextTable, bounded
from metajudge.gold.importing.imported import REASONS, Format, ImportedClaim, LeftOut, Reason
from metajudge.gold.importing.light import lightened
from metajudge.gold.importing.projection import projected, standing
from metajudge.gold.importing.repeats import Copy, contradictions, joined
from metajudge.gold.importing.source import Source
from metajudge.gold.importing.told_space import Told, told_space
from metajudge.gold.metric_checks import context_problems, label_problems
from metajudge.gold.source_text import lone_surrogate
from metajudge.gold.validation import validation_problems

FIRST_VERSION = "1.0.0"
_NAMED = 5
_HAN = re.compile("[\u3400-\u9fff]+")


@dataclass(frozen=True, slots=True)
class About:
    """What is said of a set beside its records.

    Attributes:
        name: Of the set.
        label_space: None takes the format's.
        licence: None takes the format's.
        lang: Of all claims; None takes what each record, the format or the script says.
        drop: Claims that have no label for one of these reasons are left out.
        columns: Field -> column, where a column map was used; told in the provenance.
        metric: What its labels are gold for.
    """

    name: str
    label_space: LabelSpace | None = None
    licence: str | None = None
    lang: str | None = None
    drop: frozenset[Reason] = frozenset()
    columns: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    metric: MetricName = "faithfulness"


@dataclass(frozen=True, slots=True)
class Imported:
    """A gold set made from foreign records.

    Attributes:
        goldset: Labelled claims, and pending ones that wait for people.
        left_out: Records and annotations that did not come in, in file order.
        waiting: Pending claims by the reason.
        places: File and line that each claim came from, by claim id; line None where it means
            nothing.
        notes: What people should know of it, in sentences.
    """

    goldset: GoldSet
    left_out: tuple[LeftOut, ...]
    waiting: Mapping[Reason, int]
    places: Mapping[str, tuple[str, int | None]]
    notes: tuple[str, ...] = ()

    @property
    def left_out_counts(self) -> dict[Reason, int]:
        """Left out records and annotations by reason, most first."""
        return dict(Counter(out.reason for out in self.left_out).most_common())


def assemble(
    format: Format,
    records: Iterable[ImportedClaim | LeftOut],
    about: About,
    source: Source | None = None,
) -> Imported:
    """The gold set of all records.

    Where nobody asked for a label space, labels that are all supported or unsupported make a binary
    set, whatever the format declares.

    Args:
        format: Where they come from.
        records: As an importer's `read` gives them; they are taken one at a time.
        about: Of the set.
        source: Whose faults and hashes are taken once all is read; None has neither.

    Raises:
        GoldError: One id stands for two texts, a source has faults, no claim comes in, or a label
            or context is none that the metric has; with every fault.
    """
    told = (
        told_space(records, format.label_space)
        if about.label_space is None
        else Told(about.label_space, iter(records))
    )
    assembler = _Assembler(format, about, told.space)
    for record in told.records:
        if isinstance(record, LeftOut):
            assembler.left_out.append(record)
        else:
            assembler.take(record)
    faults = [*(source.problems if source else ()), *assembler.problems]
    if not faults and not assembler.entries:
        faults = [_nothing(assembler.left_out, source.place if source else format.title)]
    if faults:
        raise GoldError(faults)
    made = assembler.imported({} if source is None else source.hashes())
    goldset = made.goldset
    faults = [
        *label_problems(goldset.manifest, goldset.claims, made.places),
        *context_problems(about.metric, goldset.contexts.values(), about.name),
    ]
    if faults:
        raise GoldError(faults)
    return made


def _nothing(left_out: Sequence[LeftOut], where: str) -> Problem:
    counts = Counter(out.reason for out in left_out).most_common()
    told = ", ".join(f"{count} {reason}" for reason, count in counts)
    law = f"no claim comes in: left out are {told}" if told else "there is no claim in it"
    first = left_out[0] if left_out else None
    words = ", ".join(word for word in (first.what, first.detail) if word) if first else ""
    shown = f" First: {words}." if words else ""
    mend = f"See `metajudge gold formats` for what a format needs.{shown}"
    return Problem(where, law, mend, line=None if first is None else first.line)


class _Label(NamedTuple):
    """A gold label, or why there is none."""

    label: GoldLabel | None
    reason: Reason = "unlabelled"
    why: str = ""


class _Assembler:
    def __init__(self, format: Format, about: About, space: LabelSpace) -> None:
        self.format = format
        self.about = about
        self.space = space
        self._unsupported = 0
        self._dropped = {"not_ternary", *about.drop}
        self.entries: dict[str, Claim | PendingClaim] = {}
        self.contexts = ContextTable()
        self.left_out: list[LeftOut] = []
        self.problems: list[Problem] = []
        self.reasons: dict[str, Reason] = {}
        self.places: dict[str, tuple[str, int | None]] = {}

    def take(self, record: ImportedClaim) -> None:
        """Takes in a claim, or notes why it is left out."""
        passages = tuple([text for text in record.passages if _has_text(text)])
        out = _unusable(record, passages)
        label = _Label(None)
        if out is None:
            annotations, superseded = standing(record, self.space)
            self.left_out += superseded
            lost = sum(note.reason == "not_ternary" for note in superseded)
            label = self._label(record, annotations, lost)
            self._unsupported += bool(lost) or label.reason == "not_ternary"
            if label.label is None and label.reason in self._dropped:
                out = _out(record, label.reason, record.detail)
        if out is not None:
            self.left_out.append(out)
            return
        context_id = self.contexts.add(record, passages)
        if context_id is None:
            self.problems.append(self.contexts.clash(record))
            return
        self._enter(record, label, self._fields(record, passages, context_id, annotations))

    def _label(self, record: ImportedClaim, annotations: Sequence[Annotation], lost: int) -> _Label:
        """The label, where `lost` votes for unsupported have no word in the label space."""
        if record.label is not None and record.label_source == "model":
            return _Label(None, "model_made", REASONS["model_made"])
        if record.label is not None:
            label = projected(record.label, self.space)
            return _Label(label, "unlabelled" if label else "not_ternary")
        if record.unlabelled != "unlabelled":
            told = f": {record.detail}" if record.detail else ""
            return _Label(None, record.unlabelled, f"{REASONS[record.unlabelled]}{told}")
        if not lost and len({note.label for note in annotations}) <= 1:
            return _Label(annotations[0].label if annotations else None)
        votes = adjudicate(annotations)
        if lost and lost >= (votes.votes[0][1] if votes.votes else 0):
            return _Label(None, "not_ternary")
        return _Label(votes.label) if votes.label else _Label(None, "tied", votes.reason or "")

    def _fields(
        self,
        record: ImportedClaim,
        passages: tuple[str, ...],
        context_id: str,
        annotations: tuple[Annotation, ...],
    ) -> dict[str, Any]:
        answer_id = bounded(record.answer_id) or answer_id_of(passages, record.question)
        made = bounded(record.claim_id)
        return {
            "claim_id": made or claim_id_of(passages, record.question, answer_id, record.claim),
            "answer_id": answer_id,
            "context_id": context_id,
            "claim": record.claim,
            "slice": record.slice,
            "lang": self._lang(record),
            "question": record.question,
            "annotations": annotations,
            "spans": record.spans,
            "note": record.note,
            "label_source": "human" if record.label_source == "model" else record.label_source,
            "generator": record.generator,
        }

    def _lang(self, record: ImportedClaim) -> str:
        told = self.about.lang or record.lang
        if told is None and len(self.format.languages) == 1:
            told = self.format.languages[0]
        return told or _language(record.claim)

    def _enter(self, record: ImportedClaim, label: _Label, fields: dict[str, Any]) -> None:
        try:
            if label.label is not None:
                entry: Claim | PendingClaim = Claim(
                    **fields, label=label.label, label_policy=record.label_policy
                )
            else:
                entry = PendingClaim(**fields, **({"why": label.why} if label.why else {}))
        except ValidationError as error:
            model = Claim if label.label is not None else PendingClaim
            faults = validation_problems(error, model, record.where, lambda _: record.line)
            self.problems += faults
            return
        lightened(entry)
        known = self.entries.get(entry.claim_id)
        if known is not None:
            self._again(record, known, entry, label.reason)
            return
        self.entries[entry.claim_id] = entry
        self.places[entry.claim_id] = record.where, record.line
        if label.label is None:
            self.reasons[entry.claim_id] = label.reason

    def _again(
        self,
        record: ImportedClaim,
        known: Claim | PendingClaim,
        entry: Claim | PendingClaim,
        reason: Reason,
    ) -> None:
        """A second claim of one id: the same one again, or another one, which is a fault."""
        where, line = self.places[known.claim_id]
        place = where if line is None else f"{where}:{line}"
        if _content(known) != _content(entry):
            law = f"the claim id stands for two claims, first at {place}"
            mend = "Give each its own, or leave the id unread."
            got = short_repr(known.claim_id)
            self.problems.append(Problem(record.where, law, mend, record.line, "claim_id", got))
            return
        waits = self.reasons.pop(known.claim_id, "unlabelled")
        both = joined(Copy(known, waits), Copy(entry, reason))
        self.entries[known.claim_id] = both.entry
        if both.label is None:
            self.reasons[known.claim_id] = both.reason
        self.left_out.append(_out(record, "duplicate", f"first at {place}{both.detail}"))

    def imported(self, sources: Mapping[str, str]) -> Imported:
        """What all records came to."""
        every = self.entries.values()
        claims = tuple(entry for entry in every if isinstance(entry, Claim))
        pending = tuple(entry for entry in every if isinstance(entry, PendingClaim))
        contexts = self.contexts.contexts(self.entries.values())
        goldset = GoldSet(self._manifest(sources), claims, contexts, pending=pending)
        waiting = dict(Counter(self.reasons.values()).most_common())
        return Imported(goldset, tuple(self.left_out), waiting, self.places, self._notes(claims))

    def _notes(self, claims: Sequence[Claim]) -> tuple[str, ...]:
        notes = []
        asked = self.about.label_space is not None
        if not asked and self.space != self.format.label_space:
            notes.append(
                f"people said only supported and unsupported, so the set is {self.space}; "
                f"--label-space {self.format.label_space} would leave out what is unsupported"
            )
        if self._unsupported and not asked:
            notes.append(
                f"people said unsupported in {counted(self._unsupported, 'rows')}: "
                "--label-space binary "
                "keeps them"
            )
        if count := contradictions(claims):
            notes.append(
                f"{counted(count, 'claims say')} the same of the same context with other labels; "
                "`metajudge gold check` names them"
            )
        return tuple(notes)

    def _manifest(self, sources: Mapping[str, str]) -> GoldManifest:
        format, about = self.format, self.about
        every = self.entries.values()
        counts = Counter(out.reason for out in self.left_out)
        annotators = dict.fromkeys(note.annotator for entry in every for note in entry.annotations)
        return GoldManifest(
            name=about.name,
            version=FIRST_VERSION,
            languages=tuple(dict.fromkeys(entry.lang for entry in every)),
            metric=about.metric,
            label_space=self.space,
            labelling_policy=LabellingPolicy(
                version="unknown", rules=(format.mapping,) if format.mapping else ()
            ),
            licence=about.licence or format.licence,
            provenance=_provenance(format, about, sources),
            label_source="human",
            annotators=tuple(annotators),
            citation=format.citation or None,
            url=format.url or None,
            imported=ImportRecord(
                format=format.name,
                sources=dict(sources),
                mapping=format.mapping,
                left_out=dict(sorted(counts.items())),
            ),
        )


def _provenance(format: Format, about: About, sources: Mapping[str, str]) -> str:
    names = ", ".join(list(sources)[:_NAMED])
    more = f" and {len(sources) - _NAMED} more" if len(sources) > _NAMED else ""
    where = f" ({names}{more})" if names else ""
    columns = ", ".join(f"{key} from {column!r}" for key, column in about.columns.items())
    told = f"; {columns}" if columns else ""
    return f"imported from {format.title}{where}; labels by people{told}"


def _unusable(record: ImportedClaim, passages: Sequence[str]) -> LeftOut | None:
    """Why a claim cannot come in, whatever its label; None when it can."""
    if not _has_text(record.claim):
        return _out(record, "missing_text")
    if not passages:
        return _out(record, "missing_context")
    for number, text in enumerate((record.claim, *passages)):
        half = None if text.isascii() else lone_surrogate(text)
        if half is not None:
            name = "context" if number else "claim"
            return _out(record, "malformed", f"the {name} holds half a character ({half})")
    return None


def _has_text(text: str) -> bool:
    said = text.strip()
    return bool(said) and said not in MISSING_WORDS


def _out(record: ImportedClaim, reason: Reason, detail: str = "") -> LeftOut:
    what = record.claim_id or short_repr(record.claim, 60)
    return LeftOut(reason, record.where, record.line, what, detail)


def _language(text: str) -> str:
    """What `script_language` says, told at a glance where that can be."""
    if text.isascii():
        return "en"
    mostly_han = 10 * sum(map(len, _HAN.findall(text))) >= 3 * len(text)
    return "zh" if mostly_han else script_language(text)


def _content(entry: Claim | PendingClaim) -> tuple[str | None, ...]:
    return entry.claim, entry.context_id, entry.question, entry.answer_id
