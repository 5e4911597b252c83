"""Who races: trials under readings on the experiment's claims, and which calls a claim takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from metajudge.agreement.arrays import Ints, Masks
from metajudge.errors import ExperimentError, Problem
from metajudge.experiment.searching.config import RacingRef
from metajudge.gold.goldset import GoldSet
from metajudge.judges.judge import Judge
from metajudge.runner.call import Call
from metajudge.runner.trial import Plan, PlannedCall, Trial, plan_calls
from metajudge.runner.truths import PlannedTruths, plan_truths, read_all
from metajudge.selection.columns import CandidateKey, ClaimColumns, claim_columns
from metajudge.selection.racing.blocks import Unit
from metajudge.selection.readings import Candidates, read_candidates
from metajudge.selection.replay import replay
from metajudge.templates.reading_names import reading_named
from metajudge.verdicts.table import FAILURE_CODE
from metajudge.verdicts.verdict import Reply

NOT_ASKED = -1
LOCAL = "local:"


@dataclass(frozen=True)
class Field:
    """Trials with the readings that each is tried under, and their calls on all claims.

    Attributes:
        plan: Every call of the full grid.
        keys: The candidates, those of one trial together.
        columns: The claims.
        repeats: Draws per claim.
    """

    plan: Plan
    keys: tuple[CandidateKey, ...]
    columns: ClaimColumns
    repeats: int

    @property
    def trials(self) -> tuple[Trial, ...]:
        """The trials."""
        return self.plan.trials

    @cached_property
    def trial_of(self) -> Ints:
        """Index of the trial of each candidate, shape (S,)."""
        places = {trial.name: index for index, trial in enumerate(self.plan.trials)}
        return np.asarray([places[key.trial] for key in self.keys], np.int64)

    @cached_property
    def _by_claim(self) -> dict[int, list[tuple[str, PlannedCall]]]:
        """Calls by claim, with their judge; those of a label prior under -1."""
        found: dict[int, list[tuple[str, PlannedCall]]] = {}
        for judge, calls in self.plan.calls.items():
            for planned in calls:
                for claim in planned.claims or (NOT_ASKED,):
                    found.setdefault(claim, []).append((judge, planned))
        return found

    def calls(self, claims: Iterable[int], trials: Masks) -> dict[str, list[PlannedCall]]:
        """The calls of some trials about some claims by judge, in prefix order, priors too."""
        wanted: dict[str, dict[int, PlannedCall]] = {}
        for claim in (NOT_ASKED, *claims):
            for judge, planned in self._by_claim.get(claim, ()):
                if trials[planned.trial]:
                    wanted.setdefault(judge, {})[id(planned)] = planned
        return {
            judge: [planned for planned in calls if id(planned) in wanted[judge]]
            for judge, calls in self.plan.calls.items()
            if judge in wanted
        }

    def read(self, replies: Mapping[str, Reply]) -> Candidates:
        """The candidates, in the order of `keys`; claims without replies are failures."""
        readings = list(dict.fromkeys(key.reading for key in self.keys))
        found = read_candidates(replay(self.plan, replies), readings)
        places = {key: row for row, key in enumerate(found.codes.keys)}
        n = len(self.columns.gold)
        codes = np.full((len(self.keys), n), FAILURE_CODE, np.int64)
        probabilities = np.full((len(self.keys), n, 3), np.nan, np.float32)
        failures: list[Mapping[str, int]] = []
        details: list[Mapping[int, str]] = []
        for row, key in enumerate(self.keys):
            place = places.get(key)
            if place is not None:
                codes[row] = found.codes.codes[place]
                probabilities[row] = found.codes.probabilities[place]
            failures.append({} if place is None else found.failures[place])
            details.append({} if place is None else found.details[place])
        # A candidate whose judge gives no probabilities stays, as one that reads nothing.
        whole = type(found.codes)(self.keys, codes, probabilities)
        return Candidates(whole, tuple(failures), tuple(details), found.notes)

    def claims_of(self, entries: Ints) -> list[int]:
        """The claims that some entries are about, in order."""
        return [int(claim) for claim in np.unique(entries // self.repeats)]


def make_field(
    trials: Sequence[Trial],
    keys: Sequence[CandidateKey],
    gold: GoldSet,
    judges: Mapping[str, Judge],
    replies: Mapping[str, Reply],
) -> Field:
    """The field of some trials; extractions that they need are among the replies.

    Args:
        trials: Each name once.
        keys: Who races; every trial has one at least.
        gold: The claims.
        judges: By name.
        replies: Replies to extractions of facts.
    """
    priors = any(reading_named(key.reading).asks_blank for key in keys)
    truths = read_all(extractions(trials, gold, judges), replies)
    plan = plan_calls(trials, gold, judges, with_priors=priors, truths=truths)
    order = {trial.name: index for index, trial in enumerate(trials)}
    repeats = trials[0].repeats
    binary = gold.manifest.label_space == "binary"
    return Field(
        plan,
        tuple(sorted(dict.fromkeys(keys), key=lambda key: order[key.trial])),
        claim_columns(plan.claims, repeats, binary=binary),
        repeats,
    )


def extractions(
    trials: Sequence[Trial], gold: GoldSet, judges: Mapping[str, Judge]
) -> dict[str, tuple[PlannedTruths, ...]]:
    """Extractions of facts that the trials need, by judge."""
    return plan_truths([(trial.judge, trial.form) for trial in trials], gold, judges)


def distinct_calls(
    calls: Mapping[str, Sequence[PlannedCall | PlannedTruths]],
) -> dict[str, list[Call]]:
    """Calls by judge, each key once, in their order."""
    return {
        judge: list({planned.call.key: planned.call for planned in entries}.values())
        for judge, entries in calls.items()
    }


def unit_of(
    racing: RacingRef, trials: Sequence[Trial], judges: Mapping[str, Judge], where: str
) -> Unit:
    """What a block is made of: whole contexts wherever they are worth it.

    Raises:
        ExperimentError: Single claims are wanted, and a call holds several.
    """
    batches = [trial.name for trial in trials if _claims_per_call(trial) > 1]
    if racing.unit == "claim" and batches:
        raise ExperimentError(single_claims(where, batches[0]))
    if racing.unit is not None:
        return racing.unit
    local = any(judges[trial.judge].spec.startswith(LOCAL) for trial in trials)
    return "context" if batches or local else "claim"


def single_claims(where: str, name: str) -> Problem:
    """Blocks of single claims are wanted, and a call of what is named holds several."""
    law = f"a block holds whole contexts where a call holds several claims, as in {name}"
    return Problem(where, law, "Set search.racing.unit to context.", field="search.racing.unit")


def _claims_per_call(trial: Trial) -> int:
    return max(
        source.claims_per_call
        for wording in trial.variants
        for source in wording.by_language.values()
    )
