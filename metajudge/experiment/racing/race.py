"""A race with real calls: claims are spent in blocks, and who cannot win any more stops early."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metajudge.agreement.arrays import Ints, Masks
from metajudge.counted import counted
from metajudge.experiment.config import ExperimentConfig
from metajudge.experiment.racing.asking import Asking
from metajudge.experiment.racing.field import NOT_ASKED, Field, distinct_calls, unit_of
from metajudge.experiment.searching.config import RacingRef
from metajudge.judges.judge import Judge
from metajudge.selection.columns import CandidateKey
from metajudge.selection.guardrails import Bounds
from metajudge.selection.racing.blocks import stratified_blocks
from metajudge.selection.racing.race import Race, RaceOutcome
from metajudge.selection.readings import Candidates
from metajudge.selection.rule import Contest

SAY_EVERY_S = 10.0


@dataclass(frozen=True)
class Raced:
    """What a race came to.

    Attributes:
        field: Who raced.
        asked: Shape (S, N), the claims that each candidate was asked about.
        candidates: Their verdicts; only where `asked` are they more than a missing reply.
        outcome: What the race says; None where it could not be run to its end.
        spent: Distinct calls that the race took, whether the store had them or not.
        full: Distinct calls of the full grid.
    """

    field: Field
    asked: Masks
    candidates: Candidates
    outcome: RaceOutcome | None
    spent: int
    full: int

    def asked_all(self, row: int) -> bool:
        """Whether a candidate was asked about every claim."""
        return bool(self.asked[row].all())


class Ground(NamedTuple):
    """What every race of an experiment rests on.

    Attributes:
        config: The experiment.
        judges: By name.
        racing: How claims are spent.
        where: The experiment's file, for messages.
        say: Is told in a line how a long race goes.
    """

    config: ExperimentConfig
    judges: Mapping[str, Judge]
    racing: RacingRef
    where: str
    say: Callable[[str], None] = lambda _: None


def race(ground: Ground, field: Field, asking: Asking, seed: int) -> Raced:
    """Race the candidates of a field; a pure function of its arguments and the replies.

    Args:
        ground: The experiment.
        field: Who races; the trial that is the baseline is among them where there is one.
        asking: Who asks. Where it stops early the race is left as it is.
        seed: Order of the claims.
    """
    unit = unit_of(ground.racing, field.trials, ground.judges, ground.where)
    size = ground.racing.block * field.repeats
    if ground.racing.method == "none":
        size = len(field.columns.gold)
    blocks = stratified_blocks(field.columns, size, seed, unit)
    running = Race(
        field.columns,
        field.keys,
        field.trial_of,
        contest=contest_of(ground.config, field.keys),
        blocks=blocks,
        error=ground.racing.error,
        end_at=ground.racing.end_at,
        method=ground.racing.method,
        level=1 - ground.config.alpha,
        unit=unit,
        cluster=ground.config.bootstrap.cluster,
        seed=seed,
    )
    return _Run(field, asking, ground.say).to_the_end(running)


def contest_of(config: ExperimentConfig, keys: Sequence[CandidateKey]) -> Contest:
    """How the experiment ranks some candidates, by what their verdicts say."""
    bounds = Bounds(**config.guardrails.model_dump())
    baseline = next((row for row, key in enumerate(keys) if key.trial == config.baseline), None)
    return Contest(config.target, bounds, baseline, np.zeros(len(keys)))


class _Run:
    """One race under way."""

    def __init__(self, field: Field, asking: Asking, say: Callable[[str], None]) -> None:
        self._field, self._asking, self._say = field, asking, say
        self._said = time.monotonic()
        n = len(field.columns.gold)
        self._asked = np.zeros((len(field.keys), n), np.bool_)
        self._keys: dict[str, None] = {}

    def to_the_end(self, running: Race) -> Raced:
        finished = True
        while (block := running.block()) is not None:
            rows = np.asarray(running.running, np.bool_)
            if not self._ask(block, rows):
                finished = False
                break
            self._asked[np.ix_(rows, block)] = True
            running.take(np.where(self._asked, self._read().codes.codes, NOT_ASKED))
            self._tell(running)
        full = distinct_calls(self._field.plan.calls)
        return Raced(
            self._field,
            self._asked,
            self._read(),
            running.outcome() if finished else None,
            len(self._keys),
            sum(map(len, full.values())),
        )

    def _tell(self, running: Race) -> None:
        """How it goes, in a long race."""
        now = time.monotonic()
        if now - self._said < SAY_EVERY_S:
            return
        self._said = now
        left, (rows, entries) = int(np.sum(running.running)), self._asked.shape
        asked = int(self._asked.any(0).sum())
        self._say(
            f"{asked:,} of {counted(entries, 'claims')}, {counted(len(self._keys), 'calls')}; "
            f"{left} of {counted(rows, 'candidates')} {'is' if left == 1 else 'are'} left"
        )

    def _ask(self, block: Ints, rows: Masks) -> bool:
        """Ask the trials that are still running about a block; whether all of it was settled."""
        trials = np.zeros(len(self._field.trials), np.bool_)
        trials[self._field.trial_of[rows]] = True
        calls = distinct_calls(self._field.calls(self._field.claims_of(block), trials))
        if not self._asking.ask(calls):
            return False
        self._keys |= {call.key: None for wanted in calls.values() for call in wanted}
        return True

    def _read(self) -> Candidates:
        """Verdicts from the replies that this race asked for, and from no others."""
        known = self._asking.replies
        return self._field.read({key: known[key] for key in self._keys})
