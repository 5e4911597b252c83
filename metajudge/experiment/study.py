"""Every call of an experiment: the trials, and what is asked beside them, as one plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from metajudge.experiment.build import Prepared
from metajudge.experiment.design import ControlDesign, FactorDesign, StabilityDesign
from metajudge.gold.claim import Claim
from metajudge.gold.goldset import GoldSet
from metajudge.judges.judge import Judge
from metajudge.runner.call import Call
from metajudge.runner.trial import Plan, PlannedCall, Trial, plan_calls, prefix_order
from metajudge.runner.truths import PlannedTruths, plan_truths, read_all
from metajudge.verdicts.verdict import Reply

Design = StabilityDesign | ControlDesign | FactorDesign


@dataclass(frozen=True)
class Study:
    """The plans of an experiment.

    Attributes:
        main: Calls of the trials that are ranked.
        stability: Calls of the perturbed trials; None where there are none.
        controls: Calls of the negative controls.
        factors: Calls of the factorial.
        truths: Extractions that come before all of these, by judge.
        waiting: Whether extractions lack a reply, so that calls which need it are not planned yet.
    """

    main: Plan
    stability: Plan | None
    controls: Plan | None
    factors: Plan | None
    truths: Mapping[str, tuple[PlannedTruths, ...]]
    waiting: bool

    @property
    def trials(self) -> tuple[Trial, ...]:
        """The trials that are ranked."""
        return self.main.trials

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims that they are ranked on."""
        return self.main.claims

    @cached_property
    def calls(self) -> Mapping[str, tuple[PlannedCall, ...]]:
        """Every verdict call by judge, in prefix order."""
        plans = [p for p in (self.main, self.stability, self.controls, self.factors) if p]
        if len(plans) == 1:
            return self.main.calls
        judges = dict.fromkeys(judge for plan in plans for judge in plan.calls)
        return {
            judge: tuple(
                sorted(
                    (call for plan in plans for call in plan.calls.get(judge, ())),
                    key=prefix_order,
                )
            )
            for judge in judges
        }

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys of all calls, extractions first, each once."""
        extracted = (entry.call.key for entries in self.truths.values() for entry in entries)
        asked = (planned.call.key for calls in self.calls.values() for planned in calls)
        return tuple(dict.fromkeys((*extracted, *asked)))

    def distinct(self, judge: str) -> list[Call]:
        """The judge's verdict calls, each key once, in the order in which they go out."""
        calls = self.calls.get(judge, ())
        return list({planned.call.key: planned.call for planned in calls}.values())

    def extractions(self, judge: str) -> list[Call]:
        """The judge's extraction calls, each key once, in the order in which they go out."""
        entries = self.truths.get(judge, ())
        return list({entry.call.key: entry.call for entry in entries}.values())


def plan_study(
    prepared: Prepared, replies: Mapping[str, Reply] | None = None, *, with_priors: bool = False
) -> Study:
    """The calls of everything that is prepared.

    Args:
        prepared: Gold set, trials, designs and judges.
        replies: Replies to extractions, by key; calls that need one not there are left out.
        with_priors: Plan the content-free calls of the ranked trials.
    """
    designs, judges = prepared.designs, prepared.judges
    parts = [(prepared.trials, prepared.gold)]
    for design in (designs.stability, designs.controls, designs.factors):
        if design is not None:
            parts.append((design.trials, design.gold))
    truths = _extractions(parts, judges)
    found = read_all(truths, replies or {})

    def plan(design: Design | None) -> Plan | None:
        if design is None:
            return None
        return plan_calls(design.trials, design.gold, judges, with_priors=False, truths=found)

    return Study(
        main=plan_calls(*parts[0], judges, with_priors=with_priors, truths=found),
        stability=plan(designs.stability),
        controls=plan(designs.controls),
        factors=plan(designs.factors),
        truths=truths,
        waiting=len(found) < sum(map(len, truths.values())),
    )


def _extractions(
    parts: Iterable[tuple[Sequence[Trial], GoldSet]], judges: Mapping[str, Judge]
) -> dict[str, tuple[PlannedTruths, ...]]:
    """The extractions of all parts, each once."""
    found: dict[str, dict[str, PlannedTruths]] = {}
    for trials, gold in parts:
        planned = plan_truths([(t.judge, t.form) for t in trials], gold, judges)
        for judge, entries in planned.items():
            found.setdefault(judge, {}).update({str(entry.key): entry for entry in entries})
    return {judge: tuple(entries.values()) for judge, entries in found.items()}
