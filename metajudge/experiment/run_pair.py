"""Candidates of two runs on the claims that both have; runs that must not be are not compared."""

from __future__ import annotations

from typing import NamedTuple

from metajudge.counted import counted
from metajudge.errors import InputError, Problem
from metajudge.gold.validation import suggest
from metajudge.report.part import VerdictCode
from metajudge.report.results import ClaimKey, Results, TrialVerdicts
from metajudge.selection.columns import CandidateKey
from metajudge.selection.measure import LABEL_WORDS

BINARY = frozenset({"supported", "unsupported"})


class Joined(NamedTuple):
    """Claims that both runs have, in A's order, with both verdicts."""

    claims: tuple[ClaimKey, ...]
    was: tuple[VerdictCode, ...]
    now: tuple[VerdictCode, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]


def find_candidate(
    results: Results, named: str | None, usual: CandidateKey | None = None
) -> CandidateKey:
    """A candidate of a run by `trial` or `trial (reading)`; the first reading where none is named.

    Args:
        results: The run.
        named: What was asked for; None takes `usual` where the run has it, then the winner, then
            the first row.
        usual: Another run's candidate.

    Raises:
        InputError: The run has no such candidate, or none at all.
    """
    keys = [CandidateKey(row.trial, row.reading) for row in results.verdicts]
    if named is None:
        decided = [
            CandidateKey(results.decision.winner or "", results.decision.reading or ""),
            *(CandidateKey(row.trial, row.reading) for row in results.ranking),
        ]
        found = next((key for key in [*([usual] if usual else []), *decided] if key in keys), None)
    else:
        found = next((k for k in keys if named in (f"{k.trial} ({k.reading})", k.trial)), None)
    if found is None:
        law = "a candidate must be one that the run has verdicts of"
        trials = list(dict.fromkeys(key.trial for key in keys))
        mend = suggest(named, trials) if trials else "It has none: sweep first."
        got = None if named is None else repr(named)
        raise InputError(Problem(results.name, law, mend, field="trial", got=got))
    return found


def check_same_gold(a: Results, b: Results) -> None:
    """Numbers of two gold sets say nothing about two templates: refused, with both named.

    Raises:
        InputError: Gold sets, labelling policies or label spaces differ; every difference at once.
    """
    one, other = (f"{r.gold.name} {r.gold.version}" for r in (a, b))
    where = f"{a.name} and {b.name}"
    faults = [
        (
            "gold",
            "both must be measured on one gold set, split and choice of claims",
            f"{one}: {_part(a)}, {other}: {_part(b)}",
            a.gold.sha256 != b.gold.sha256,
        ),
        (
            "labelling policy",
            "both must have labels of one version of the labelling policy",
            f"{one}: {a.gold.policy_version}, {other}: {b.gold.policy_version}",
            a.gold.policy_version != b.gold.policy_version,
        ),
        (
            "label space",
            "both must have labels of one space",
            f"{one}: {_space(a)}, {other}: {_space(b)}",
            is_binary(a) != is_binary(b),
        ),
    ]
    problems = [
        Problem(where, law, "Sweep both over one gold set.", field=field, got=got)
        for field, law, got, differs in faults
        if differs
    ]
    if problems:
        raise InputError(problems)


def check_two(a: Results, b: Results, one: CandidateKey, other: CandidateKey) -> None:
    """A candidate is not compared with itself.

    Raises:
        InputError: Both sides are one candidate of one run.
    """
    if one == other and a == b:
        law = "a comparison needs two candidates, or two runs"
        mend = "Name another trial or reading for B."
        raise InputError(Problem(a.name, law, mend, got=f"{one.trial} ({one.reading}) twice"))


def is_binary(results: Results) -> bool:
    """Whether gold says supported/unsupported only."""
    return set(results.gold.labels) <= BINARY


def _part(results: Results) -> str:
    gold = results.gold
    return (
        f"split {gold.split or 'none'}, {counted(gold.claims, 'claims')}, sha256 {gold.sha256[:12]}"
    )


def _space(results: Results) -> str:
    return "/".join(LABEL_WORDS[is_binary(results)])


def join(a: Results, b: Results, one: CandidateKey, other: CandidateKey) -> Joined:
    """Verdicts of both on the claims that both runs have.

    Raises:
        InputError: There is no such claim.
    """
    said_a, said_b = _verdicts(a, one), _verdicts(b, other)
    common = tuple(claim for claim in a.claims if claim.claim_id in said_b)
    if not common:
        law, mend = "no claim is in both runs", "Sweep both over the same claims."
        raise InputError(Problem(f"{a.name} and {b.name}", law, mend))
    return Joined(
        common,
        tuple(said_a[claim.claim_id] for claim in common),
        tuple(said_b[claim.claim_id] for claim in common),
        tuple(name for name in said_a if name not in said_b),
        tuple(name for name in said_b if name not in said_a),
    )


def _verdicts(results: Results, key: CandidateKey) -> dict[str, VerdictCode]:
    row: TrialVerdicts = next(
        row for row in results.verdicts if (row.trial, row.reading) == tuple(key)
    )
    ids = (claim.claim_id for claim in results.claims)
    return dict(zip(ids, row.verdicts, strict=True))
