"""Label Studio: tasks with annotations as JSON, and the labelling configuration beside it as XML.

Shapes after Label Studio 1.2x (`tasks/serializers.py`, `labelstud.io/guide/task_format`). On import
there, `completed_by` is found by e-mail address, so names that are members' addresses are matched;
`ground_truth` is true unless it says otherwise, so it always says.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from metajudge.counted import counted
from metajudge.gold.annotators import adjudicate
from metajudge.gold.claim import Annotation, Claim, PendingClaim
from metajudge.gold.exporters.form import Form, Wishes
from metajudge.gold.goldset import GoldSet
from metajudge.gold.guideline import guideline
from metajudge.gold.writer import json_text

FORM = Form(name="label-studio", title="Label Studio", endings=(".json",), beside=(".xml",))
SHOWN = "passages_shown"
"""Field of a task's data with all passages as one text, which the page shows."""
_BETWEEN = "\n\n"
_DATA = (
    *("claim_id", "answer_id", "context_id", "claim", "question", "lang", "slice", "note"),
    *("label_source", "generator"),
)


def write(goldset: GoldSet, path: Path, wishes: Wishes) -> tuple[str, ...]:
    """Writes the tasks, and the labelling configuration under the same name with `.xml`."""
    path.with_suffix(".xml").write_text(labelling_config(goldset, wishes), encoding="utf-8")
    with path.open("w", encoding="utf-8", newline="") as file:
        between = "[\n"
        for task in tasks(goldset):
            file.write(f"{between}{json_text(task)}")
            between = ",\n"
        file.write("\n]\n" if between != "[\n" else "[]\n")
    return tuple(_notes(goldset))


def tasks(goldset: GoldSet) -> Iterator[dict[str, Any]]:
    """One task a claim; the gold label is a ground truth where annotations do not say it."""
    for number, claim in enumerate(goldset.every_claim, 1):
        context = goldset.contexts[claim.context_id]
        data = {name: getattr(claim, name) for name in _DATA}
        data |= {"title": context.title, "group": context.group, "domain": context.domain}
        data = {name: value for name, value in data.items() if value is not None}
        data |= {"passages": list(context.passages), "spans": list(claim.spans)}
        data[SHOWN] = shown = _BETWEEN.join(context.passages)
        yield {"id": number, "data": data, "annotations": list(_annotations(claim, shown))}


def _annotations(claim: Claim | PendingClaim, shown: str) -> Iterator[dict[str, Any]]:
    truth = _truth(claim)
    for note in claim.annotations:
        is_truth = truth is not None and note.label == truth
        yield _annotation(note, shown, is_truth)
        truth = None if is_truth else truth
    if truth is not None:
        yield {"ground_truth": True, "was_cancelled": False, "result": [_choice("label", truth)]}


def _truth(claim: Claim | PendingClaim) -> str | None:
    """The gold label where the majority of the annotations does not give it anyway."""
    if isinstance(claim, PendingClaim) or adjudicate(claim.annotations).label == claim.label:
        return None
    return claim.label


def _annotation(note: Annotation, shown: str, is_truth: bool) -> dict[str, Any]:
    regions = [_choice("label", note.label)]
    regions += [_choice("slice", note.slice)] if note.slice else []
    regions += [_choice("flag", "flagged")] if note.flagged else []
    regions += [_region("note", "claim", "textarea", {"text": [note.note]})] if note.note else []
    regions += [_marked(span, shown) for span in note.spans]
    told = {
        "completed_by": {"email": note.annotator},
        "created_at": note.time,
        "updated_at": note.time,
        "lead_time": note.seconds,
        "ground_truth": is_truth,
        "was_cancelled": False,
        "result": regions,
    }
    return {name: value for name, value in told.items() if value is not None}


def _choice(name: str, word: str) -> dict[str, Any]:
    return _region(name, "claim", "choices", {"choices": [word]})


def _marked(span: str, shown: str) -> dict[str, Any]:
    """A text marked in the context; at 0 where it does not stand there letter by letter."""
    start = max(0, shown.find(span))
    place = {"start": start, "end": start + len(span), "text": span, "labels": ["evidence"]}
    return _region("evidence", "context", "labels", place)


def _region(name: str, of: str, kind: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"from_name": name, "to_name": of, "type": kind, "value": value}


def labelling_config(goldset: GoldSet, wishes: Wishes) -> str:
    """The labelling page as Label Studio draws it: context, claim, label, slice, note, evidence."""
    manifest = goldset.manifest
    policy, metric = manifest.labelling_policy, manifest.metric
    guide = guideline(policy, manifest.label_space, wishes.lang, metric)
    words = guide.words
    labels = [
        f'    <Choice value={quoteattr(text.name)} alias="{text.label}" hotkey="{key}"/>'
        for key, text in enumerate(guide.labels, 1)
    ]
    slices = [
        f'  <Header value={quoteattr(words["slices"])} size="5"/>',
        '  <Choices name="slice" toName="claim" choice="single" showInline="true">',
        *(f'    <Choice value={quoteattr(s.name)} alias="{s.slice}"/>' for s in guide.slices),
        "  </Choices>",
    ]
    return "\n".join(
        [
            "<View>",
            "  <Style>.htx-text{ white-space: pre-wrap; }</Style>",
            f"  <Header value={quoteattr(words['context'])}/>",
            '  <Labels name="evidence" toName="context"><Label value="evidence"/></Labels>',
            f'  <Text name="context" value="${SHOWN}"/>',
            f"  <Header value={quoteattr(words['claim'])}/>",
            '  <Text name="claim" value="$claim"/>',
            '  <Choices name="label" toName="claim" choice="single" required="true">',
            *labels,
            "  </Choices>",
            *(slices if guide.slices else ()),
            '  <TextArea name="note" toName="claim" maxSubmissions="1"/>',
            '  <Choices name="flag" toName="claim" choice="multiple">',
            '    <Choice value="flagged"/>',
            "  </Choices>",
            "</View>\n",
        ]
    )


def _notes(goldset: GoldSet) -> Iterator[str]:
    """What does not come back by an import."""
    every = goldset.every_claim
    stamped = sum(note.policy is not None for claim in every for note in claim.annotations)
    stamped += sum(claim.label_policy is not None for claim in goldset.claims)
    if stamped:
        yield (
            f"{counted(stamped, 'labels lose')} the version of "
            "the policy that they were given under"
        )
    excluded = sum(claim.exclude for claim in every)
    if excluded:
        yield f"{counted(excluded, 'claims lose')} the mark exclude"
    owners = {note.annotator for claim in every for note in claim.annotations}
    if any("@" not in owner for owner in owners):
        yield "Label Studio knows annotators by e-mail address; other names are the importing user"
    if any(_truth(claim) and not claim.annotations for claim in goldset.claims):
        yield "gold labels without annotations are ground truths of nobody"
