"""What `metajudge gold import` shows: everything from files is made harmless for the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metajudge.cli.output import inert, say, say_table, wrapped
from metajudge.gold.claim import SLICES, SPACE_LABELS, Claim, PendingClaim
from metajudge.gold.importing.imported import REASONS

if TYPE_CHECKING:
    from metajudge.gold.importing.assemble import Imported
    from metajudge.gold.importing.imported import LeftOut, Reason
    from metajudge.gold.importing.importing import Prepared
    from metajudge.gold.importing.placing import Placing
    from metajudge.gold.tables.proposal import Proposal

_FIRST, _EXAMPLES = 3, 3
_CONFLICTS = 10
_NAMED = 8
_CELL, _TEXT, _UNPARTED = 30, 140, 36


def say_import(prepared: Prepared, imported: Imported) -> None:
    """What would come in, on standard output; a reader that goes away does not stop the import."""
    with suppress(BrokenPipeError):
        _say_all(prepared, imported)


def _say_all(prepared: Prepared, imported: Imported) -> None:
    form = prepared.format
    found = f": {prepared.why}" if prepared.why else ""
    say(wrapped(inert(f"format {form.name} ({form.title}){found}")))
    if prepared.proposal is not None:
        _say_proposal(prepared.proposal)
    _say_claims(imported)
    for note in imported.notes:
        say(wrapped(f"! {inert(note)}"))
    _say_reasons(imported)
    _say_annotators(imported)
    _say_origin(imported)
    _say_examples(imported)


def _say_proposal(proposal: Proposal) -> None:
    guessed = "nothing guessed" if proposal.certain else "guessed"
    say()
    say(wrapped(f"Columns ({proposal.layout}; {guessed}):"))
    rows = [
        [
            choice.key,
            choice.column,
            choice.why,
            " | ".join(_short(cell, _CELL) for cell in choice.samples),
        ]
        for choice in proposal.choices
    ]
    say_table(["field", "column", "why", "first cells"], rows)
    _say_unread(proposal.unread)
    if proposal.meaning.labels:
        say()
        say(wrapped(f"Label words ({proposal.meaning.space}; {proposal.meaning.why}):"))
        counts = proposal.words
        words = [
            [word, label, counts.get(word, 0)] for word, label in proposal.meaning.labels.items()
        ]
        say_table(["word", "read as", "cells"], words, right="cells")
    for note in proposal.notes:
        say(wrapped(f"! {inert(note)}"))


def _say_unread(unread: Mapping[str, str]) -> None:
    """Columns that are not read, those of one reason together."""
    by_reason: dict[str, list[str]] = {}
    for column, why in unread.items():
        by_reason.setdefault(why, []).append(_short(column, _CELL))
    for why in sorted(by_reason, key=lambda reason: not reason):
        columns = by_reason[why]
        more = f" and {len(columns) - _NAMED} more" if len(columns) > _NAMED else ""
        told = f" ({inert(why)})" if why else ""
        say(wrapped(f"not read: {', '.join(columns[:_NAMED])}{more}{told}"))


def _say_claims(imported: Imported) -> None:
    goldset = imported.goldset
    waiting = len(goldset.pending)
    verb = "that waits" if waiting == 1 else "that wait"
    waits = f", {waiting:,} {verb} for one" if waiting else ""
    answers = len({claim.answer_id for claim in goldset.every_claim})
    space = goldset.manifest.label_space
    say()
    say(
        wrapped(
            f"{_count(len(goldset.claims), 'claim')} with a label{waits}; "
            f"{_count(answers, 'answer')}, {_count(len(goldset.contexts), 'context')}; {space}"
        )
    )
    for axis, rows in (
        ("lang", _by(goldset.claims, "lang")),
        ("slice", _by(goldset.claims, "slice")),
    ):
        if rows:
            labels = SPACE_LABELS[space]
            table = [
                [value, *(row[label] for label in labels), sum(row.values())]
                for value, row in rows.items()
            ]
            say_table([axis, *labels, "all"], table, right=" ".join((*labels, "all")))


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _by(claims: Sequence[Claim], axis: str) -> dict[str, Counter[str]]:
    """Claims by language or slice, and label; {} where no claim has a slice."""
    rows: dict[str, Counter[str]] = {}
    for claim in claims:
        rows.setdefault(getattr(claim, axis) or "none", Counter())[claim.label] += 1
    if axis == "lang":
        return dict(sorted(rows.items()))
    return (
        {}
        if set(rows) <= {"none"}
        else {name: rows[name] for name in (*SLICES, "none") if name in rows}
    )


def _say_reasons(imported: Imported) -> None:
    if imported.waiting:
        say()
        rows: list[list[object]] = [
            [reason, REASONS[reason], count] for reason, count in imported.waiting.items()
        ]
        say_table(["waiting", "because", "claims"], rows, right="claims")
    counts = imported.left_out_counts
    if not counts:
        return
    say()
    say_table(
        ["left out", "because", "count"],
        [[reason, REASONS[reason], count] for reason, count in counts.items()],
        right="count",
    )
    for reason, count in counts.items():
        for out in _first(imported.left_out, reason):
            told = f": {inert(_told(out))}" if _told(out) else ""
            say(wrapped(f"{_place(out.where, out.line)}: {reason}{told}"))
        if count > _FIRST:
            say(f"  … and {count - _FIRST} more")


def _first(left_out: Sequence[LeftOut], reason: Reason) -> list[LeftOut]:
    return [out for out in left_out if out.reason == reason][:_FIRST]


def _told(out: LeftOut) -> str:
    return ": ".join(_short(text, _TEXT) for text in (out.what, out.detail) if text)


def _place(where: str, line: int | None) -> str:
    return inert(where if line is None else f"{where}:{line}")


def _say_annotators(imported: Imported) -> None:
    given = annotators_of(imported)
    if not given:
        return
    labels = SPACE_LABELS[imported.goldset.manifest.label_space]
    rows = [
        [name, *(counts.get(label, 0) for label in labels), sum(counts.values())]
        for name, counts in given.items()
    ]
    say()
    say_table(["annotator", *labels, "all"], rows, right=" ".join((*labels, "all")))


def annotators_of(imported: Imported) -> dict[str, Counter[str]]:
    """Labels of each annotator, by annotator in the order met."""
    given: dict[str, Counter[str]] = {}
    for claim in imported.goldset.every_claim:
        for note in claim.annotations:
            given.setdefault(note.annotator, Counter())[note.label] += 1
    return given


def _say_origin(imported: Imported) -> None:
    manifest = imported.goldset.manifest
    say()
    for name in ("licence", "citation", "url"):
        value = getattr(manifest, name)
        if value:
            say(wrapped(f"{name}: {inert(value)}"))
    if manifest.licence == "unknown":
        say(wrapped("Nobody has said under which licence the labels are: --licence TEXT does."))


def _say_examples(imported: Imported) -> None:
    for claim in examples_of(imported):
        context = " / ".join(imported.goldset.passages(claim))
        say()
        say(wrapped(f"[{getattr(claim, 'label', 'no label')}] {_excerpt(claim.claim)}"))
        lines = wrapped(f"in: {_excerpt(context)}").splitlines()
        say("\n".join(f"  {line}" for line in lines))


def examples_of(imported: Imported) -> list[Claim | PendingClaim]:
    """The first claim of each label, then others, three in all."""
    goldset = imported.goldset
    firsts = {claim.label: claim for claim in reversed(goldset.claims)}
    labels = SPACE_LABELS[goldset.manifest.label_space]
    chosen: list[Claim | PendingClaim] = [firsts[label] for label in labels if label in firsts]
    names = {claim.claim_id for claim in chosen}
    chosen += [claim for claim in goldset.every_claim[:_EXAMPLES] if claim.claim_id not in names]
    return chosen[:_EXAMPLES]


def say_outcome(plan: Placing | None, written: Sequence[Path], *, dry_run: bool) -> None:
    """What became of it: written, the same already, or shown only."""
    say()
    if plan is not None:
        say_conflicts(plan)
    if dry_run:
        say("dry run: nothing is written")
    elif plan is not None and is_refused(plan):
        told = "the source says otherwise than the set: nothing is written. --replace takes the "
        say(wrapped(f"{told}source's; --add adds new claims only and keeps the set's."))
    elif plan is not None and plan.action == "same":
        say(wrapped(f"{inert(str(plan.folder))} has these claims already: nothing is written"))
    elif not written:
        say("nothing is written")
    else:
        _say_written(plan, written)


def is_refused(plan: Placing) -> bool:
    """Whether the set that is there says otherwise of claims, and nobody said what is to be."""
    differs = plan.difference is not None and bool(plan.difference.conflicts)
    return plan.action == "same" and differs


def _say_written(plan: Placing | None, written: Sequence[Path]) -> None:
    if plan is None:
        return
    folder = inert(str(plan.folder))
    found = plan.difference
    if plan.action == "add" and found is not None:
        verb = "was" if len(found.new) == 1 else "were"
        say(wrapped(f"{_count(len(found.new), 'claim')} {verb} added to {folder}"))
    elif plan.action == "replace":
        say(wrapped(f"the set in {folder} was replaced"))
    say(wrapped("written: " + ", ".join(inert(str(path)) for path in written)))
    say("Next:")
    if plan.goldset is not None and plan.goldset.pending:
        say(f"  metajudge label {folder} --as NAME")
    say(f"  metajudge gold check {folder}")
    if plan.goldset is not None and plan.goldset.claims:
        say(f"  metajudge gold split {folder} --write")


def say_conflicts(plan: Placing) -> None:
    """Claims that the set has otherwise than the source, the first ten of them."""
    conflicts = () if plan.difference is None else plan.difference.conflicts
    if not conflicts:
        return
    told = "differs" if len(conflicts) == 1 else "differ"
    count = _count(len(conflicts), "claim")
    say(wrapped(f"Of the set {count} {told} from the source, and the set's stands:"))
    for at in conflicts[:_CONFLICTS]:
        told = f"{at.claim_id}: {at.field}: {at.was} in the set, {at.now} in the source"
        say(wrapped(f"{_place(at.where, at.line)}: {inert(told)}"))
    if len(conflicts) > _CONFLICTS:
        say(f"  … and {len(conflicts) - _CONFLICTS} more")


def _excerpt(text: str) -> str:
    """The beginning of a text: two lines of a terminal, one where no blanks part its words."""
    return _short(text, _TEXT if " " in text[:_UNPARTED] else _UNPARTED)


def _short(text: str, limit: int) -> str:
    line = inert(text)
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def import_fields(
    prepared: Prepared, imported: Imported, plan: Placing | None, written: Sequence[Path]
) -> dict[str, Any]:
    """All of it as plain values for JSON."""
    goldset, manifest = imported.goldset, imported.goldset.manifest
    return {
        "format": prepared.format.name,
        "format_found": prepared.why or None,
        "table": _proposal_fields(prepared.proposal),
        "claims": len(goldset.claims),
        "waiting": dict(imported.waiting),
        "left_out": {
            reason: {
                "count": count,
                "first": [_left_fields(out) for out in _first(imported.left_out, reason)],
            }
            for reason, count in imported.left_out_counts.items()
        },
        "by_lang": {name: dict(row) for name, row in _by(goldset.claims, "lang").items()},
        "by_slice": {name: dict(row) for name, row in _by(goldset.claims, "slice").items()},
        "annotators": {name: dict(counts) for name, counts in annotators_of(imported).items()},
        "contexts": len(goldset.contexts),
        "label_space": manifest.label_space,
        "notes": list(imported.notes),
        "licence": manifest.licence,
        "citation": manifest.citation,
        "url": manifest.url,
        "examples": [claim.claim for claim in examples_of(imported)],
        **_plan_fields(plan, written),
    }


def _left_fields(out: LeftOut) -> dict[str, Any]:
    return {"where": out.where, "line": out.line, "what": out.what, "detail": out.detail}


def _proposal_fields(proposal: Proposal | None) -> dict[str, Any] | None:
    if proposal is None:
        return None
    return {
        "certain": proposal.certain,
        "columns": [
            {"field": choice.key, "column": choice.column, "why": choice.why}
            for choice in proposal.choices
        ],
        "unread": dict(proposal.unread),
        "labels": dict(proposal.meaning.labels),
        "unknown_words": list(proposal.meaning.unknown),
        "notes": list(proposal.notes),
        "unread_labels": [
            {"field": found.key, "column": found.column, "words": list(found.words)}
            for found in proposal.unread_labels
        ],
        "flags": proposal.flags,
    }


def _plan_fields(plan: Placing | None, written: Sequence[Path]) -> dict[str, Any]:
    found = None if plan is None else plan.difference
    return {
        "action": None if plan is None else plan.action,
        "new": None if found is None else len(found.new),
        "same": None if found is None else found.same,
        "gone": None if found is None else found.gone,
        "conflicts": [] if found is None else [at._asdict() for at in found.conflicts],
        "written": [str(path) for path in written],
    }
