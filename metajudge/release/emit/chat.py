"""`--to chat`: everything that a program needs to ask, read and score as the release does.

One JSON file a language: messages with place markers, the rules for filling them in, the table that
reads replies, reading and priors, policy, threshold and judge.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from metajudge.release.bundle import Release
from metajudge.release.emit.kinds import DropIn, kind_named
from metajudge.release.emit.limits import judge_conditions
from metajudge.release.emit.sheet import Piece, Sheet, sheet_of, templates_of
from metajudge.scoring.policies import DROPPED
from metajudge.templates.reading_names import DECIMALS, reading_named, threshold_text

FORMAT = "metajudge-chat/1"
_FILLING = (
    "Cut each content at its markers first, then put the texts between the parts. What was put in "
    "is never searched for markers, and nothing in it is escaped, trimmed or formatted.",
    "context: one passage stands as it is. Several are numbered, '[1] …', '[2] …', with an empty "
    "line between them. Where no passage has a character other than white space, the text under "
    "empty_context stands for all of them.",
    "claims: with claims_per_call 1 the claim as it is. Otherwise a line for each claim, '1. …', "
    "'2. …', at most claims_per_call of them.",
    "question: the user's question as it is; only where the messages have its marker.",
)
_READING = (
    "A block of reasoning (<think>…</think>) at the start of a reply is taken off first.",
    "A word counts where it is one of a label's words as a whole, whatever its case and width, "
    "without quotes, bold marks, brackets and one full stop around it.",
    "label_only: the reply is the word. label_first: the first line is the marker and the word. "
    "reason_first: the last line is. Marked lines that disagree give no label.",
    "json: an object with the key verdict; with several claims a call a list of such objects, each "
    "placed by its id, which is the number of the claim.",
    "Anything else is a failure: no label. It stays in the denominator of every score, uncredited.",
)
_SUMMED = "From the probabilities of the reply's first token: sum those of each label's words, "


def emit(release: Release, languages: Sequence[str]) -> DropIn:
    """One file a language; what follows it to the letter differs in nothing from the release."""
    files = kind_named("chat").file_names(release.manifest.name, languages)
    texts = {
        file: json.dumps(_told(release, language), ensure_ascii=False, indent=2)
        for file, language in zip(files, templates_of(release, languages), strict=True)
    }
    return DropIn(texts, conditions=judge_conditions(release))


def _told(release: Release, language: str) -> dict[str, Any]:
    manifest, policy = release.manifest, release.candidate.policy
    sheets = [
        sheet_of(templates_of(release, [language], variant)[language])
        for variant in range(len(release.candidate.variants))
    ]
    first = sheets[0]
    labels = zip(("yes", "no", "idk"), policy.credit, strict=True)
    return {
        "format": FORMAT,
        "release": manifest.ref,
        "release_sha256": release.sha256,
        **({} if manifest.metric == "faithfulness" else {"metric": manifest.metric}),
        "language": language,
        "filling": list(_FILLING),
        "orders": [_order(release, sheet, index) for index, sheet in enumerate(sheets)],
        "joining": _joining(len(sheets), manifest.reading),
        "context_form": manifest.context_form,
        "empty_context": first.empty_context,
        "claims_per_call": first.template.claims_per_call,
        "max_tokens": first.template.max_tokens,
        "answer": {
            "form": first.form,
            "json": first.template.answer.json_,
            "marker": first.marker,
            "reading": list(_READING),
        },
        "label_from": {"reading": manifest.reading, "means": _label_from(manifest.reading)},
        "policy": {
            "name": policy.name,
            "version": manifest.policy.version,
            "credit": None if policy.from_probabilities else dict(labels),
            "means": _scoring(policy.from_probabilities),
        },
        "threshold": manifest.policy.threshold,
        "judge": manifest.judge.model_dump(
            mode="json", include={"spec", "temperature", "seed"}, exclude_none=True
        ),
    }


def _order(release: Release, sheet: Sheet, index: int) -> dict[str, Any]:
    prior = next(
        pin.prior
        for pin in release.manifest.templates
        if pin.variant == index and pin.language == sheet.language
    )
    markers = markers_for(sheet)
    return {
        "markers": markers,
        "messages": [
            {"role": role, "content": with_markers(pieces, markers)}
            for role, pieces in sheet.messages
        ],
        "labels": {label: list(words) for label, words in sheet.labels.items()},
        "prior": None if prior is None else dict(zip(("yes", "no", "idk"), prior, strict=True)),
    }


def markers_for(sheet: Sheet) -> dict[str, str]:
    """A marker for each place, such as `{{context}}`, that the fixed texts do not hold."""
    pieces = [piece for _, parts in sheet.messages for piece in parts]
    fixed = "\n".join(piece for piece in pieces if isinstance(piece, str))
    names = dict.fromkeys(piece["place"] for piece in pieces if not isinstance(piece, str))
    markers = {}
    for name in names:
        number, marker = 1, f"{{{{{name}}}}}"
        while marker in fixed:
            number += 1
            marker = f"{{{{{name}_{number}}}}}"
        markers[name] = marker
    return markers


def with_markers(pieces: Iterable[Piece], markers: dict[str, str]) -> str:
    """A message's text with markers in its places."""
    return "".join(piece if isinstance(piece, str) else markers[piece["place"]] for piece in pieces)


def _label_from(reading: str) -> str:
    """How a label follows from a reply."""
    name = reading_named(reading)
    if not name.needs_probabilities:
        return "The label is the word of the reply."
    scaled = "divide by the label's prior, scale to 1, " if name.divides_prior else "scale to 1, "
    if name.threshold is None:
        return f"{_SUMMED}{scaled}take the largest."
    least = threshold_text(name.threshold)
    return (
        f"{_SUMMED}{scaled}round to {DECIMALS} decimals. yes where its probability is at least "
        f"{least}, else the larger of no and idk, idk where they are equal. A reply whose label "
        "cannot be read, or without these probabilities, has no label."
    )


def _joining(orders: int, reading: str) -> str | None:
    name = reading_named(reading)
    if orders == 1:
        return None
    if not name.needs_probabilities:
        return "Ask with each order. The label that most orders gave counts; a draw gives none."
    corrected = "corrected " if name.divides_prior else ""
    held = "" if name.threshold is None else " The threshold is held against the mean."
    return f"Ask with each order and take the mean of the {corrected}probabilities.{held}"


def _scoring(from_probabilities: bool) -> str:
    if from_probabilities:
        return "The mean over the claims asked of the probability of yes; a failure counts 0."
    return (
        f"The mean credit of the claims asked; a failure counts 0. Claims with the credit "
        f"'{DROPPED}' are left out. No score where no claim with a label is left."
    )
