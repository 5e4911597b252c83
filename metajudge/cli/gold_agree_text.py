"""Annotators' agreement as a terminal shows it: at most 80 columns unless it is wider."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING

from metajudge.cli.gold_agree_lines import (
    cell,
    flow,
    more_of,
    reasons,
    say_notes,
    short,
    title,
)
from metajudge.cli.gold_agree_people import say_people
from metajudge.cli.output import inert, say, say_table
from metajudge.counted import counted
from metajudge.report.figure_text import compact, count

if TYPE_CHECKING:
    from metajudge.labelling.agreement_parts import AgreementReport, Group

PAIRS_SHOWN, CLAIMS_SHOWN = 15, 12
SHARE_TO_DOUBLE, FEW_CLAIMS = 0.2, 150
LOPSIDED = 0.8
"""Share of one label over which Dawid-Skene was often worse than the majority in simulated sets."""
WHY_WORDS = {
    "tie": "no label has most votes, and no gold label stands",
    "flagged": "an annotator wants somebody to look",
    "gold_against_votes": "the votes say another label than the gold label",
    "dawid_skene": "Dawid-Skene, which weighs who errs how, finds another label likelier",
    "split": "annotators disagree, nothing more",
}
SHORT_WHY = {
    "tie": "tie",
    "flagged": "flagged",
    "gold_against_votes": "votes",
    "dawid_skene": "model",
    "split": "split",
}
SOURCE_WORDS = {"majority": "majority", "dawid_skene": "Dawid-Skene", "gold": "gold label"}


def say_report(found: AgreementReport, place: str) -> None:
    """The whole report on standard output.

    Args:
        found: The report.
        place: The gold set as the user named it, for the commands to go on with.
    """
    _say_counts(found)
    if found.missing is not None:
        _say_missing(found, place)
    else:
        _say_groups(found)
        _say_pairs(found)
    say_people(found)
    _say_disputed(found, place)
    if found.missing is None:
        _say_compared(found)


def _say_counts(found: AgreementReport) -> None:
    say(inert(f"{found.name} {found.version}"))
    contexts = f" (from {counted(found.contexts, 'contexts')})" if found.shared else ""
    flow(
        f"{counted(len(found.annotators), 'annotators')}, {counted(found.claims, 'claims')}: "
        f"{count(found.labelled)} labelled, {count(found.shared)} by two or more"
        f"{contexts}; without a gold label {count(found.pending)}, settled by somebody "
        f"{count(found.settled)}"
    )
    notes = [_set_aside(found.set_aside)] if found.set_aside else []
    notes += [
        f"{', '.join(map(repr, names))}: people read these names as one; is it one annotator? "
        "Here each counts alone"
        for names in found.alike_names
    ]
    say_notes(notes)


def _set_aside(n: int) -> str:
    return (
        f"{counted(n, 'labels')} left out: given before the labelling policy changed for claims "
        "that have a later label"
    )


def _say_missing(found: AgreementReport, place: str) -> None:
    say()
    flow(f"No agreement can be measured: {inert(found.missing or '')}. Get more labels with:")
    share = 1 if found.labelled < FEW_CLAIMS else SHARE_TO_DOUBLE
    second = f" --double {share}" if found.annotators else ""
    say(f"  metajudge label {_quoted(place)} --as NAME{second}")


def _quoted(place: str) -> str:
    return place if re.fullmatch(r"[\w./:-]+", place) else shlex.quote(inert(place))


def _say_groups(found: AgreementReport) -> None:
    title(f"Agreement [{found.level:.0%} interval over contexts]".replace("%", " %"))
    rows = [
        (
            _group_name(group),
            count(group.claims),
            *map(cell, (group.pairs, group.alpha, group.ac1)),
        )
        for group in (found.overall, *found.groups)
    ]
    say_table(["group", "claims", "equal pairs", "alpha", "AC1"], rows, right="claims")
    fleiss = found.overall.fleiss
    told = cell(fleiss) if fleiss.value is not None else f"none: {fleiss.reason}"
    meaning = (
        "equal pairs: how often two annotators of a claim gave it the same label; alpha and AC1: "
        "the same beyond chance, 1 always, 0 as often as by chance"
    )
    say_notes([meaning, f"Fleiss' kappa over all: {told}", *_group_notes(found)])


def _group_name(group: Group) -> str:
    if group.by == "all":
        return "all"
    return f"{group.by} {short(group.value) if group.value is not None else '(none)'}"


def _group_notes(found: AgreementReport) -> Iterable[str]:
    groups = (found.overall, *found.groups)
    if found.overall.alpha.warning:
        yield found.overall.alpha.warning.replace(" clusters", " contexts")
    yield from reasons("alpha", [(_group_name(group), group.alpha) for group in groups])
    for group in groups:
        if group.rare:
            rare = ", ".join(f"{group.given[label]} {label}" for label in group.rare)
            yield (
                f"{_group_name(group)}: {rare} of "
                f"{counted(sum(group.given.values()), 'labels')}: so few "
                "that one disagreement may move alpha to 0"
            )


def _say_pairs(found: AgreementReport) -> None:
    title("Pairs of annotators, least kappa first")
    ranked = sorted(found.pairs, key=lambda pair: (pair.kappa.value is None, pair.kappa.value or 0))
    rows = [
        (short(p.one), short(p.other), count(p.claims), cell(p.agreement), cell(p.kappa))
        for p in ranked[:PAIRS_SHOWN]
    ]
    say_table(["one", "other", "claims", "equal", "kappa"], rows, right="claims")
    notes = more_of(len(ranked) - PAIRS_SHOWN, "pairs")
    if found.pairs_apart:
        notes.append(f"{counted(found.pairs_apart, 'pairs share')} no claim")
    shown = ((f"{short(p.one)} / {short(p.other)}", p.kappa) for p in ranked[:PAIRS_SHOWN])
    say_notes([*notes, *reasons("kappa", shown)])


def _say_disputed(found: AgreementReport, place: str) -> None:
    if not found.disputed:
        say()
        say("No claim is in dispute.")
        return
    title(f"Claims to settle: {count(len(found.disputed))}")
    counts = found.disputed_by_reason.items()
    say_notes([f"{SHORT_WHY[why]} {count(n)}: {WHY_WORDS[why]}" for why, n in counts if n])
    rows = [
        (
            short(claim.claim_id),
            " ".join(SHORT_WHY[why] for why in claim.whys),
            " ".join(f"{n} {label}" for label, n in claim.votes.items() if n),
            claim.gold,
            None
            if claim.dawid_skene is None
            else f"{claim.dawid_skene} {compact(claim.probability)}",
        )
        for claim in found.disputed[:CLAIMS_SHOWN]
    ]
    say_table(["claim", "why", "votes", "gold", "Dawid-Skene"], rows)
    say_notes(more_of(len(found.disputed) - CLAIMS_SHOWN, "claims"))
    say(f"  metajudge label {_quoted(place)} --as NAME --adjudicate")


def _say_compared(found: AgreementReport) -> None:
    title("Majority, Dawid-Skene and gold label side by side")
    rows = [
        (
            f"{SOURCE_WORDS[pair.one]} / {SOURCE_WORDS[pair.other]}",
            count(pair.claims),
            count(pair.differ),
            ", ".join(map(short, pair.claim_ids[:3])) + (" …" if pair.differ > 3 else ""),
        )
        for pair in found.compared
    ]
    say_table(["labels", "claims", "differ", "which"], rows, right="claims differ")
    notes = [] if found.no_model is None else [f"no Dawid-Skene: {found.no_model}"]
    if found.model is not None and not found.model.converged:
        notes.append(f"Dawid-Skene has not converged in {found.model.iterations} iterations")
    given = found.overall.given
    if found.model is not None and max(given.values()) > LOPSIDED * sum(given.values()):
        most = max(given, key=lambda label: given[label])
        notes.append(
            f"most labels are {most}: Dawid-Skene may then split one label in two; where it is "
            "not the majority, look before you believe it"
        )
    say_notes(notes)
