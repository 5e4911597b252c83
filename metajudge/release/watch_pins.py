"""What a watch needs no statistics for: a judge or a prompt that is not the pinned one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from metajudge.errors import Problem, ReleaseError, short_repr
from metajudge.judges.judge import Scalar
from metajudge.release.asking import planned
from metajudge.release.bundle import Release
from metajudge.release.manifest import EXAMPLES
from metajudge.release.watch_canary import Canary
from metajudge.verdicts.verdict import Reply


def other_identity(pinned: Mapping[str, Scalar], here: Mapping[str, Scalar]) -> list[str]:
    """How a judge's identity differs from the pinned one, one line a field.

    >>> other_identity({"model": "m", "seed": 1}, {"model": "n", "seed": 1})
    ["model is 'n', pinned is 'm'"]
    """
    names = dict.fromkeys((*pinned, *here))
    return [
        f"{name} is {short_repr(here.get(name))}, pinned is {short_repr(pinned.get(name))}"
        for name in names
        if here.get(name) != pinned.get(name)
    ]


def other_models(stored: Iterable[Reply], fresh: Iterable[Reply]) -> list[str]:
    """Models that fresh replies name and no stored one does; [] where no stored reply names any."""
    known = {reply.model for reply in stored if reply.model}
    here = {reply.model for reply in fresh if reply.model}
    if not known:
        return []
    told = ", ".join(short_repr(name) for name in sorted(known))
    return [f"a reply comes from {short_repr(name)}, the stored ones from {told}"
            for name in sorted(here - known)]  # fmt: skip


def other_prompts(release: Release, canary: Canary) -> list[str]:
    """How templates and messages here differ from those of the release, one line each.

    The files of a release do not change; what another version of metajudge makes of them could.

    Raises:
        ReleaseError: The examples of the release cannot be read.
    """
    candidate = release.candidate
    told = []
    for pin in release.manifest.templates:
        got = candidate.variants[pin.variant].source_for(pin.language).fingerprint
        if got != pin.fingerprint:
            told.append(
                f"{pin.label}: its fingerprint is {got[:12]}, pinned {pin.fingerprint[:12]}"
            )
    judges = {candidate.judge.name: candidate.judge.stand_in()}
    plan = planned([candidate], canary.gold, judges, canary.replies)
    made = {
        (plan.claims[index].claim_id, call.variant, call.passage): [
            message._asdict() for message in call.call.request.messages
        ]
        for call in plan.calls[candidate.judge.name]
        for index in call.claims
    }
    for row in _examples(release):
        here = made.get((row["claim_id"], row["variant"], row["passage"]))
        if here is not None and here != row["messages"]:
            told.append(f"{row['claim_id']}: its messages are not those of {EXAMPLES}")
    return told


def _examples(release: Release) -> Iterator[dict[str, Any]]:
    path = release.folder / EXAMPLES
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
        yield from (json.loads(line) for line in lines if line)
    except (OSError, ValueError) as error:
        law = f"the examples of the release cannot be read ({type(error).__name__})"
        mend = "Get the release again; a release is never edited."
        raise ReleaseError(Problem(str(path), law, mend)) from error
