"""The tables of `gold agree` that have one row an annotator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from metajudge.agreement.standing import TOLERANCE
from metajudge.cli.gold_agree_lines import cell, few, more_of, reasons, say_notes, short, title
from metajudge.cli.output import say_table
from metajudge.report.figure_text import amount, compact, count, p_text, percent

if TYPE_CHECKING:
    from metajudge.labelling.agreement_parts import AgreementReport, Annotator

PEOPLE_SHOWN = 30
LONG = 9_999
"""Seconds over which a time says only that a claim lay open."""


def say_people(found: AgreementReport) -> None:
    """Each annotator beside the others; nothing where no claim has two labels."""
    people = found.annotators[:PEOPLE_SHOWN]
    if found.missing is None:
        _say_annotators(people)
        _say_standing(found.annotators)
        _say_bias(people, found.labels)
        _say_drift(people)
    _say_speed(people)
    say_notes(more_of(len(found.annotators) - PEOPLE_SHOWN, "annotators in each table"))


def _say_annotators(people: Sequence[Annotator]) -> None:
    title("Each annotator: share of equal labels")
    rows = [
        (
            short(one.name),
            count(one.labels),
            count(one.shared),
            *map(cell, (one.with_rest, one.with_majority, one.with_gold)),
        )
        for one in people
    ]
    heads = ["annotator", "labels", "shared", "the others", "their majority", "gold label"]
    say_table(heads, rows, right="labels shared")
    notes = ["a gold label that was made of the votes holds the annotator's own vote"]
    say_notes(notes if any(one.with_gold.n for one in people) else [])


def _say_standing(people: Sequence[Annotator]) -> None:
    title("Who may need training")
    reasons_why = {one.standing.reason for one in people}
    if all(one.standing.outcome == "untested" for one in people) and len(reasons_why) == 1:
        say_notes([f"cannot tell: {people[0].standing.reason}"])
        return
    ranked = sorted(people, key=lambda one: one.standing.outcome != "below")[:PEOPLE_SHOWN]
    rows = [
        (
            short(one.name),
            count(one.standing.gap.n),
            cell(one.standing.gap, sign=True),
            p_text(one.standing.p),
            _outcome(one),
        )
        for one in ranked
    ]
    say_table(["annotator", "claims", "gap", "p (Holm)", "what it says"], rows, right="claims")
    notes = [
        "gap: agreement with the others minus theirs with each other; below 0, the annotator "
        "agrees less than they do. p: chance of such a gap where there is none, all annotators "
        f"counted; in line: no gap beyond -{compact(TOLERANCE)}"
    ]
    if any(one.standing.outcome == "below" for one in people):
        notes.append(
            "look first at the disputed claims of those below: who is alone may be right, and a "
            "rule may be unclear"
        )
    if any(one.standing.outcome == "open" for one in people):
        notes.append(
            f"needs more: a gap of {compact(TOLERANCE)} is neither shown nor ruled out; about so "
            "many more claims that others label too would tell"
        )
    apart = [short(one.name) for one in people if one.standing.basis == "other_claims"]
    if apart:
        notes.append(
            f"{few(apart)}: on no claim of theirs are there three labels, so the others are "
            "compared on other claims; who had harder claims looks worse"
        )
    say_notes(notes)


def _outcome(one: Annotator) -> str:
    told = {"below": "below the others", "in_line": "in line", "untested": "cannot tell"}
    stands = one.standing
    if stands.outcome == "open":
        return f"needs about {count(stands.claims_needed)} more"
    tail = f": {stands.reason}" if stands.outcome == "untested" else ""
    return f"{told[stands.outcome]}{tail}"


def _say_bias(people: Sequence[Annotator], labels: Sequence[str]) -> None:
    title("Who gives a label more often (+) or less often (-) than the others of a claim")
    rows = [
        (short(one.name), *(cell(one.bias[label], sign=True) for label in labels)) for one in people
    ]
    say_table(["annotator", *labels], rows)


def _say_drift(people: Sequence[Annotator]) -> None:
    title("Over time: agreement in the last half of the labels minus the first half")
    rows = [
        (short(one.name), cell(one.drift.change, sign=True), p_text(one.drift.p)) for one in people
    ]
    say_table(["annotator", "change", "p (Holm)"], rows)
    notes = []
    if any(one.drift.basis == "same_claims" for one in people):
        notes.append(
            "agreement: with the others minus theirs with each other; where one annotator goes "
            "down, the others go up"
        )
    if any(one.drift.p is not None for one in people):
        notes.append("p: chance of such a steady trend where there is none, all annotators counted")
    changes = [(short(one.name), one.drift.change) for one in people]
    say_notes([*notes, *reasons("change", changes)])


def _say_speed(people: Sequence[Annotator]) -> None:
    if not people:
        return
    title("Seconds a label, flags and skipped claims")
    rows = [
        (
            short(one.name),
            _seconds(one.speed.median),
            _middle_half(one),
            percent(one.speed.under_floor),
            count(one.flagged),
            count(one.skipped),
        )
        for one in people
    ]
    heads = ["annotator", "median", "middle half", "fast", "flags", "skips"]
    say_table(heads, rows, right="median fast flags skips")
    note = (
        "fast: share of labels given sooner than the claim alone is read at 300 words (450 Chinese "
        "characters) a minute; it proves nothing about anybody"
    )
    say_notes([note] if any(one.speed.n for one in people) else [])


def _middle_half(one: Annotator) -> str:
    low, high = _seconds(one.speed.low_quartile), _seconds(one.speed.high_quartile)
    return low if low == high else f"{low}–{high}"


def _seconds(taken: float | None) -> str:
    """Whole seconds; nobody needs to know how many days a claim lay open."""
    if taken is not None and taken >= LONG:
        return f">{count(LONG)}"
    return amount(taken, 0)
