"""What pages show: of a claim to be labelled unseen nothing that others said about it."""

from __future__ import annotations

from typing import Any, NamedTuple
from urllib.parse import quote

from metajudge.gold.claim import SLICES, GoldLabel, MetricName
from metajudge.gold.events import Event, LabelEvent, ReviewEvent, SettleEvent, SkipEvent
from metajudge.gold.guideline import guideline
from metajudge.gold.metric_checks import metric_labels
from metajudge.gold.metric_texts import metric_texts
from metajudge.labelling.contested import open_verdicts
from metajudge.labelling.desk import LONGEST_SECONDS, Desk
from metajudge.labelling.forms import LONGEST_NOTE, places_of
from metajudge.labelling.pace import pace_of
from metajudge.labelling.queue import Act
from metajudge.labelling.words import HTML_LANGUAGE, Language, word

FEWEST_FOR_REST = 10
"""Labels after which it is said how long the rest may take."""
LETTERS: dict[GoldLabel, str] = {
    "yes": "y",
    "no": "n",
    "idk": "i",
    "supported": "y",
    "unsupported": "n",
}


class LabelChoice(NamedTuple):
    """A label that can be given: its name and the keys that give it."""

    name: GoldLabel
    number: str
    letter: str


def label_choices(desk: Desk) -> tuple[LabelChoice, ...]:
    """The labels of the set, in their order."""
    manifest = desk.folder.base.manifest
    labels = metric_labels(manifest.metric, manifest.label_space)
    return tuple(LabelChoice(name, str(n), LETTERS[name]) for n, name in enumerate(labels, 1))


def frame(desk: Desk, language: Language) -> dict[str, Any]:
    """What stands around every page: the set, the annotator, progress, pace, the last act."""
    queue, sitting, manifest = desk.queue, desk.sitting, desk.folder.base.manifest
    progress = queue.progress()
    acts = desk.folder.acts_of(sitting.annotator)
    last = queue.last_act()
    labels = (act for act in reversed(acts) if isinstance(act, LabelEvent))
    times = [act.seconds for act in labels if act.seconds is not None]
    metric = manifest.metric
    undo = None if last is None else {"save_id": last.save_id, "what": told(last, language, metric)}
    return {
        "set_name": manifest.name,
        "metric": metric,
        "annotator": sitting.annotator,
        "work": sitting.work,
        "progress": progress,
        "pace": pace_of(times, progress.waiting) if sitting.is_blind else None,
        "tells_rest": len(times) >= FEWEST_FOR_REST and progress.waiting > 0,
        "last": undo,
        "labels": label_choices(desk),
        "slices": SLICES if metric_texts(metric, language) is None else (),
        "longest_note": LONGEST_NOTE,
        "longest_minutes": round(LONGEST_SECONDS / 60),
        "guide": guideline(desk.folder.policy, manifest.label_space, language, metric),
    }


def claim_view(desk: Desk, claim_id: str) -> dict[str, Any]:
    """The texts of a claim; no label, note, slice or span of anybody is among them."""
    claim = desk.folder.claims[claim_id]
    context = desk.folder.base.contexts[claim.context_id]
    return {
        "claim_id": claim_id,
        "url": claim_url(claim_id),
        "text": claim.claim,
        "question": claim.question,
        "lang": _html_language(claim.lang),
        "title": context.title,
        "domain": context.domain,
        "context_lang": _html_language(context.lang or claim.lang),
        "passages": context.passages,
        "state": desk.queue.state(claim_id),
        "seen": desk.seen(claim_id),
        "again": desk.queue.status(claim_id) == "again",
    }


class Filled(NamedTuple):
    """What the fields of a form hold.

    Attributes:
        label: The label that was given; None where there is none.
        standing: Whether an act of the annotator stands; False for one just taken back.
        note: A note, or a reason.
        slice: The kind of claim that was chosen; empty where none was.
        flagged: Whether it was flagged.
        spans: Places of the marked texts.
    """

    label: GoldLabel | None = None
    standing: bool = False
    note: str = ""
    slice: str = ""
    flagged: bool = False
    spans: str = ""


def filled_in(desk: Desk, claim_id: str, undone: str = "") -> Filled:
    """What the fields of a form hold: what this annotator said before, or has just taken back."""
    act: Event | None = desk.queue.my_label(claim_id) or desk.queue.mine(claim_id)
    standing = act is not None
    if act is None and undone:
        act = desk.folder.saved(desk.sitting.annotator, undone)
    if act is None or act.claim_id != claim_id:
        return Filled()
    if isinstance(act, SettleEvent):
        return Filled(act.label, standing, act.why, act.slice or "")
    if isinstance(act, ReviewEvent):
        return Filled(None, standing, act.why or "")
    if isinstance(act, SkipEvent):
        return Filled(None, standing, act.note or "", flagged=act.flagged)
    if isinstance(act, LabelEvent):
        spans = places_of(act.spans, desk.folder.passages(claim_id))
        return Filled(act.label, standing, act.note or "", act.slice or "", act.flagged, spans)
    return Filled()


def votes_view(desk: Desk, claim_id: str) -> dict[str, Any]:
    """All that people said about a claim, for those who settle it."""
    claim, acts = desk.folder.claims[claim_id], desk.folder.standing(claim_id)
    passages, me = desk.folder.passages(claim_id), desk.sitting.annotator
    skips = [act for act in acts if isinstance(act, SkipEvent)]
    return {
        "gold": getattr(claim, "label", None),
        "note": claim.note,
        "slice": claim.slice,
        "annotations": claim.annotations,
        "skips": [act for act in skips if act.note or act.flagged],
        "settled": [act for act in acts if isinstance(act, SettleEvent)],
        "own": any(note.annotator == me for note in claim.annotations),
        "me": me,
        "places": [places_of(note.spans, passages) for note in claim.annotations],
        "gold_places": places_of(claim.spans, passages),
    }


def verdict_view(desk: Desk, claim_id: str) -> dict[str, Any]:
    """The verdicts of a claim: those to be looked at, or all that may be shown."""
    shown = desk.sitting.verdicts.get(claim_id, ())
    if desk.sitting.work == "review":
        claim, acts = desk.folder.claims[claim_id], desk.folder.standing(claim_id)
        shown = open_verdicts(claim, shown, acts) or shown
    return {"verdicts": shown}


def history_view(desk: Desk, language: Language, most: int = 50) -> list[dict[str, Any]]:
    """The annotator's last acts, the newest first."""
    rows: list[dict[str, Any]] = []
    metric = desk.folder.base.manifest.metric
    for act in desk.queue.my_acts():
        if len(rows) == most:
            break
        claim = desk.folder.claims.get(act.claim_id)
        if claim is not None:
            rows.append(
                {
                    "what": told(act, language, metric),
                    "time": act.time,
                    "save_id": act.save_id,
                    "text": claim.claim,
                    "lang": _html_language(claim.lang),
                    "url": claim_url(act.claim_id),
                    "note": getattr(act, "note", None) or getattr(act, "why", None),
                }
            )
    return rows


def told(act: Act, language: Language, metric: MetricName = "faithfulness") -> str:
    """An act in words, those of the set's metric."""
    if isinstance(act, LabelEvent):
        return word(f"label.{act.label}", language, metric)
    if isinstance(act, SettleEvent):
        label = word(f"label.{act.label}", language, metric)
        return word("act.settle", language, label=label)
    if isinstance(act, ReviewEvent):
        return word(f"outcome.{act.outcome}", language)
    return word("act.skip", language)


def claim_url(claim_id: str) -> str:
    """The address of one claim's page.

    >>> claim_url("a/b&c")
    '/claim?id=a%2Fb%26c'
    """
    return f"/claim?id={quote(claim_id, safe='')}"


def _html_language(lang: str) -> str:
    return HTML_LANGUAGE["zh"] if lang == "zh" else lang
