"""What `metajudge gold next` says: the claims in order, and what they are expected to tell."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

from metajudge.cli.output import inert, say, say_table, wrapped
from metajudge.counted import counted
from metajudge.labelling.next_claims import LIKELY
from metajudge.selection.label_outcomes import LABEL_ERROR

if TYPE_CHECKING:
    from metajudge.experiment import Experiment
    from metajudge.experiment.next_claims import Weighed
    from metajudge.experiment.next_labels import NextLabels, Outlook, Standing
    from metajudge.experiment.waiting_claims import ClaimsAtHand
    from metajudge.labelling.next_claims import NextClaim
    from metajudge.selection.columns import CandidateKey

MOST_STANDINGS = 8
LEAST_STANDING = 0.005


def say_next(found: NextLabels, declared: Experiment | None, order: Path | None) -> None:
    """The whole answer for people.

    Args:
        found: The claims.
        declared: The experiment; None where none was named.
        order: The file that the order was written to.
    """
    names = dict(_letters(found))
    for line in (*_head(found.at_hand), *_basis(found, declared), *_outlook(found, names)):
        say(wrapped(line))
    if not found.picks:
        return
    say()
    _table(found, names)
    say()
    for line in (*_foot(found), *_what_next(found, order)):
        say(wrapped(line))


def next_fields(found: NextLabels) -> dict[str, Any]:
    """The whole answer as JSON; no verdict is in it."""
    at_hand, weighed = found.at_hand, found.weighed
    manifest = at_hand.gold.manifest
    return {
        "name": manifest.name,
        "version": manifest.version,
        "labelled": len(at_hand.labelled),
        "waiting": len(at_hand.waiting),
        "second": at_hand.second,
        "elsewhere": at_hand.elsewhere,
        "why_not": None if weighed is None else weighed.why_not,
        "judged": 0 if weighed is None else len(weighed.judged),
        "calls": 0 if weighed is None else weighed.calls,
        "missing_calls": 0 if weighed is None else weighed.missing,
        "notes": [] if weighed is None else list(weighed.notes),
        "outlook": None if found.outlook is None else _outlook_fields(found.outlook),
        "claims": [_claim_fields(found, pick) for pick in found.picks],
    }


def _outlook_fields(outlook: Outlook) -> dict[str, Any]:
    fields = {
        name: round(value, 6) if isinstance(value, float) else value
        for name, value in asdict(outlook).items()
    }
    return fields | {
        "now": _standing_fields(outlook.now),
        "standings": [_standing_fields(standing) for standing in outlook.standings],
    }


def _standing_fields(standing: Standing) -> dict[str, Any]:
    trial, reading = standing.key
    share = round(standing.share, 6)
    return {"trial": trial, "reading": reading, "safe": standing.safe, "share": share}


def _claim_fields(found: NextLabels, pick: NextClaim) -> dict[str, Any]:
    claim, bits, chance = found.at_hand.waiting[pick.place], pick.information, pick.slice_share
    sides = () if found.weighed is None else found.weighed.sides(pick.place)
    return {
        "claim_id": pick.claim_id,
        "reason": pick.reason,
        "information_bits": None if bits is None else round(bits, 6),
        "slice": pick.slice,
        "slice_share": None if chance is None else round(chance, 4),
        "lang": claim.lang,
        "context_id": claim.context_id,
        "sides": [[_name(key) for key in side] for side in sides],
    }


def _head(at_hand: ClaimsAtHand) -> Iterator[str]:
    manifest, waiting = at_hand.gold.manifest, len(at_hand.waiting)
    title = inert(f"{manifest.name} {manifest.version}")
    if at_hand.second:
        labelled = len(at_hand.labelled)
        some = f"{waiting} of {counted(labelled, 'labelled claims have')} no second annotator"
        yield f"{title}: {some if waiting else f'no claim waits, {labelled} have their labels'}"
    else:
        yield (
            f"{title}: {counted(waiting, 'claims wait')} for a "
            f"label, {len(at_hand.labelled)} have one"
        )
    if at_hand.elsewhere:
        yield (
            f"{at_hand.elsewhere} more wait in another split or language than the experiment's; "
            "they are not looked at."
        )
    if not waiting:
        yield "Nothing to label."


def _basis(found: NextLabels, declared: Experiment | None) -> Iterator[str]:
    """What the order rests on."""
    weighed = found.weighed
    if not found.picks:
        return
    if declared is None or weighed is None:
        yield (
            "No experiment was named, so no verdicts were at hand: the order covers slices, "
            "languages, contexts and lengths. --experiment chooses by what tells candidates apart."
        )
        return
    if weighed.why_not is not None:
        yield f"For cover alone, since {weighed.why_not}."
    else:
        keys = len(weighed.keys)
        yield (
            f"{keys} candidate{'s' * (keys != 1)} of {inert(declared.config.name)} judged "
            f"{len(weighed.judged)} of these {counted(len(found.at_hand.waiting), 'claims')}."
        )
    if weighed.missing:
        yield (
            f"{weighed.missing} of {counted(weighed.calls, 'calls')} "
            "about waiting claims have no reply; "
            "--live asks them."
        )
    yield from map(inert, weighed.notes)


def _outlook(found: NextLabels, names: dict[CandidateKey, str]) -> Iterator[str]:
    outlook, n = found.outlook, len(found.picks)
    if outlook is None:
        return
    yield f"Decision now: {_standing(outlook.now, names)}"
    yield "With all labels, in simulated worlds:"
    shown = [row for row in outlook.standings if row.share >= LEAST_STANDING][:MOST_STANDINGS]
    yield from (f"  {row.share:5.1%}  {_standing(row, names)}" for row in shown)
    if outlook.uncertainty == 0:
        yield "No label changes the decision in any of them, so the order is for cover alone."
        return
    yield (
        f"P(the decision is that of all labels): {outlook.unchanged:.2f} now, {outlook.after:.2f} "
        f"expected after these {n}, {outlook.at_random:.2f} after as many at random"
    )
    if outlook.after <= outlook.at_random:
        yield "Here that is no better than at random."
    if outlook.after < outlook.unchanged:
        yield "So few labels can lead astray: label more before you choose by them."
    yield (
        f"Information: {outlook.information:.2f} bits, each label by itself, added up; "
        f"the decision is uncertain by {outlook.uncertainty:.2f} bits"
    )


def _table(found: NextLabels, names: dict[CandidateKey, str]) -> None:
    rows = []
    for number, pick in enumerate(found.picks, 1):
        bits = None if pick.information is None else f"{max(pick.information, 0.0):.4f}"
        lang = found.at_hand.waiting[pick.place].lang
        row: list[object] = [number, pick.claim_id, pick.reason, bits, _slice(pick), lang]
        if found.weighed is not None and found.outlook is not None:
            row.append(_sides(found.weighed, pick, names))
        rows.append(row)
    heads = ["", "claim", "for", "bits", "slice", "lang", "differ"]
    say_table(heads[: len(rows[0])], rows, right=" bits")


def _foot(found: NextLabels) -> Iterator[str]:
    claims = [found.at_hand.waiting[pick.place] for pick in found.picks]
    reasons = Counter(pick.reason for pick in found.picks)
    langs = Counter(claim.lang for claim in claims)
    told = ", ".join(f"{lang} {count}" for lang, count in sorted(langs.items()))
    contexts = len({claim.context_id for claim in claims})
    why = ", ".join(f"{count} for {reason}" for reason, count in reasons.most_common())
    yield inert(f"{why}; {contexts} context{'s' * (contexts != 1)}; {told}")
    if found.at_hand.second and found.outlook is not None:
        yield f"Assumed: the label of one annotator is wrong with chance {LABEL_ERROR:g}."
    if reasons["information"] and not found.at_hand.second:
        yield (
            "Claims chosen for information are no random sample: until the others are labelled "
            "too, figures lean towards claims on which candidates differ."
        )


def _what_next(found: NextLabels, order: Path | None) -> Iterator[str]:
    if order is None:
        yield "--to FILE writes the order for the labelling page."
        return
    place = shlex.quote(os.path.normpath(found.at_hand.gold.path or "GOLD"))
    double = " --double 1" if found.at_hand.second else ""
    yield f"  metajudge label {place} --as NAME --order {shlex.quote(str(order))}{double}"


def _letters(found: NextLabels) -> Iterator[tuple[CandidateKey, str]]:
    """A letter for each contender, the likeliest first."""
    weighed, outlook = found.weighed, found.outlook
    if weighed is None or weighed.worlds is None or outlook is None:
        return
    likely = [outlook.now.key, *(standing.key for standing in outlook.standings)]
    others = [weighed.keys[row] for row in weighed.worlds.contenders.tolist()]
    yield from zip(dict.fromkeys([*likely, *others]), ascii_uppercase, strict=False)


def _standing(standing: Standing, names: dict[CandidateKey, str]) -> str:
    kind = "" if standing.safe else ", nearest: no safe winner"
    return inert(f"{names.get(standing.key, '?')} {_name(standing.key)}{kind}")


def _sides(weighed: Weighed, pick: NextClaim, names: dict[CandidateKey, str]) -> str | None:
    """Contenders by their letters, those who agree together, not what they said."""
    sides: Sequence[Sequence[CandidateKey]] = weighed.sides(pick.place)
    if not sides:
        return None
    return " | ".join("".join(sorted(names.get(key, "?") for key in side)) for side in sides)


def _slice(pick: NextClaim) -> str | None:
    """The slice where it is settled or likely; a guess has its share beside it."""
    share = pick.slice_share or 0.0
    if pick.slice is None or share < LIKELY:
        return None
    return pick.slice if share == 1 else f"{pick.slice} {share:.0%}"


def _name(key: CandidateKey) -> str:
    return f"{key.trial} ({key.reading})"
