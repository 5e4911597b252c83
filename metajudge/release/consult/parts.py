"""How much of a shift is policy, threshold, template and judge: one is swapped at a time.

The verdicts of a side are one corner, (template, judge); a change of both has two corners between,
which need calls of their own. Scores follow from a corner, a policy and a threshold without a call.
What one swap does depends on what was swapped before, so both orders are taken and averaged, which
for two parts is Shapley's value.

Source: Shapley (1953), A value for n-person games; of two orders only, as in Oaxaca (1973),
Int. Econ. Rev. 14, and Blinder (1973), with the mean of both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from metajudge.agreement.arrays import Floats, Masks, as_floats
from metajudge.agreement.estimate import Estimate
from metajudge.agreement.table import YES
from metajudge.release.candidate import Candidate
from metajudge.release.consult.bench import Bench, Said, passed, scores_of
from metajudge.release.consult.units import Units
from metajudge.report.consult_results import Decomposition, PartName, PartPath, PartStep
from metajudge.report.figure import figure
from metajudge.scoring.policies import Policy
from metajudge.templates.reading_names import reading_named

ORDER: tuple[PartName, ...] = ("policy", "threshold", "template", "judge")
SCORING: frozenset[PartName] = frozenset({"policy", "threshold"})
"""Parts that leave all verdicts as they are."""
Corners = Mapping[tuple[bool, bool], Said]
"""Verdicts by whether the template, and whether the judge, is the proposed one."""


class _State(NamedTuple):
    """Which parts are already the proposed ones, and what follows.

    Attributes:
        scores: Shape (A,).
        passed: Shape (A,), 0 or 1.
        yes: Shape (n,), claims called yes, 0 or 1.
    """

    scores: Floats
    passed: Floats
    yes: Floats


def differing(current: Candidate, proposed: Candidate, languages: Sequence[str]) -> set[PartName]:
    """What differs between two sides, on claims of some languages."""
    found: set[PartName] = set()
    if _scoring(current.policy) != _scoring(proposed.policy):
        found.add("policy")
    if current.threshold != proposed.threshold:
        found.add("threshold")
    if _asking(current, languages) != _asking(proposed, languages):
        found.add("template")
    if current.judge.name != proposed.judge.name:
        found.add("judge")
    return found


def in_order(parts: set[PartName]) -> tuple[PartName, ...]:
    """Parts as they are listed everywhere."""
    return tuple(part for part in ORDER if part in parts)


def decompose(
    bench: Bench,
    sides: tuple[Candidate, Candidate],
    parts: Sequence[PartName],
    corners: Corners,
    not_asked: Sequence[str] = (),
) -> Decomposition:
    """The shift of scores, pass rate and support rate by part.

    Args:
        bench: The sample.
        sides: The current and the proposed side.
        parts: What differs, in the order of `ORDER`.
        corners: At least (False, False) and (True, True).
        not_asked: Which corners are missing, in words.
    """
    if "template" in parts and "judge" in parts and len(corners) < 4:
        parts = [part for part in parts if part not in ("template", "judge")]
        parts = [*parts, "template_and_judge"]
    if not parts:
        return Decomposition(
            differing=(), answers=0, total=None, parts=(), forward=None, backward=None
        )
    reached = {
        # Where only one of template and judge differs, its swap alone gives the proposed verdicts.
        (True, False): corners[(True, True)],
        (False, True): corners[(True, True)],
        **corners,
    }
    chains = {
        way: _states(bench, sides, order, reached)
        for way, order in (("forward", tuple(parts)), ("backward", tuple(reversed(parts))))
    }
    every = [state.scores for chain in chains.values() for state in chain]
    defined = np.asarray(np.isfinite(every).all(0), np.bool_)
    forward, backward = (chains[way] for way in ("forward", "backward"))
    steps = {part: [_steps(forward, place)] for place, part in enumerate(parts)}
    for place, part in enumerate(reversed(parts)):
        steps[part].append(_steps(backward, place))
    return Decomposition(
        differing=tuple(parts),
        answers=int(defined.sum()),
        total=_step(bench, parts[0], [(forward[0], forward[-1])], defined),
        parts=tuple(
            _step(bench, part, pairs, defined, scoring=part in SCORING)
            for part, pairs in steps.items()
        ),
        forward=_path(bench, tuple(parts), forward, defined),
        backward=_path(bench, tuple(reversed(parts)), backward, defined),
        not_asked=tuple(not_asked),
    )


def _scoring(policy: Policy) -> tuple[Any, ...]:
    """What a policy does: two names that score alike are one policy."""
    return policy.credit, policy.from_probabilities


def _asking(side: Candidate, languages: Sequence[str]) -> tuple[Any, ...]:
    """Everything that decides a verdict but the judge."""
    prompts = tuple(
        tuple(wording.source_for(lang).fingerprint for lang in languages)
        for wording in side.variants
    )
    priors = side.priors if reading_named(side.reading).divides_prior else None
    return prompts, side.form, side.reading, priors


def _states(
    bench: Bench,
    sides: tuple[Candidate, Candidate],
    order: Sequence[PartName],
    corners: Corners,
) -> list[_State]:
    return [
        _state(bench, sides, set(order[:swapped]), corners) for swapped in range(len(order) + 1)
    ]


def _state(
    bench: Bench, sides: tuple[Candidate, Candidate], swapped: set[PartName], corners: Corners
) -> _State:
    current, proposed = sides
    both = "template_and_judge" in swapped
    said = corners[("template" in swapped or both, "judge" in swapped or both)]
    policy = (proposed if "policy" in swapped else current).policy
    threshold = (proposed if "threshold" in swapped else current).threshold
    scores = scores_of(bench.scored(said, policy))
    return _State(scores, as_floats(passed(scores, threshold)), as_floats(said.first == YES))


def _steps(chain: Sequence[_State], place: int) -> tuple[_State, _State]:
    return chain[place], chain[place + 1]


def _step(
    bench: Bench,
    part: PartName,
    pairs: Sequence[tuple[_State, _State]],
    defined: Masks,
    *,
    scoring: bool = False,
) -> PartStep:
    """One part's change, averaged over the pairs of states before and after its swap.

    Args:
        bench: The sample.
        part: What is swapped.
        pairs: States before and after.
        defined: Answers with a score in every state.
        scoring: Whether the swap leaves all verdicts as they are.
    """
    claims = replace(bench.of_claims, same=bench.same or scoring)

    def change(field: int, units: Units, counted: Masks, kind: str) -> Estimate:
        was, now = (as_floats([pair[side][field] for pair in pairs]).mean(0) for side in (0, 1))
        if field and np.isin([was, now], (0.0, 1.0)).all():
            return units.share_shift(was == 1, now == 1, counted, kind)
        return units.mean_shift(was, now, counted, kind)

    every_answer, every_claim = (np.ones(n, np.bool_) for n in (len(defined), len(bench.claims)))
    return PartStep(
        part=part,
        mean_score=figure(change(0, bench.of_answers, defined, "scored under every combination")),
        pass_rate=figure(change(1, bench.of_answers, every_answer, "in the sample")),
        support_rate=figure(change(2, claims, every_claim, "in the sample")),
    )


def _path(
    bench: Bench, order: tuple[PartName, ...], chain: Sequence[_State], defined: Masks
) -> PartPath:
    steps = (
        _step(bench, part, [_steps(chain, place)], defined, scoring=part in SCORING)
        for place, part in enumerate(order)
    )
    return PartPath(order=order, steps=tuple(steps))
