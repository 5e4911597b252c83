"""The loop of a search: settings are asked, built, raced against the incumbents, and told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from metajudge.counted import counted
from metajudge.errors import TemplateError
from metajudge.experiment.build import Prepared
from metajudge.experiment.racing.asking import Asking
from metajudge.experiment.racing.field import distinct_calls, extractions, make_field
from metajudge.experiment.racing.race import Ground, Raced, race
from metajudge.experiment.racing.results import (
    Measured,
    candidate_parts,
    declared_keys,
    measured_race,
    race_summary,
)
from metajudge.experiment.searching.config import COSTS
from metajudge.experiment.searching.figures import GUARDRAILS, costs_of, nearest_row, target_of
from metajudge.experiment.searching.space import Choices, Made
from metajudge.report.search_results import RaceSummary
from metajudge.runner.owner import is_gone
from metajudge.runner.trial import Trial
from metajudge.selection.columns import CandidateKey
from metajudge.selection.search.study import TemplateStudy
from metajudge.selection.search.trials import AskedTrial, KnownTrial

COUNTED = ("told", "undefined", "failed")
"""States of trials that count for the number of settings to try; duplicates do not."""


class Incumbent(NamedTuple):
    """The best so far.

    Attributes:
        key: The candidate.
        safe: Whether the last race found it safe.
        setting: The point of the space that makes it; None for a declared trial.
    """

    key: CandidateKey
    safe: bool
    setting: dict[str, Any] | None = None

    def written(self) -> dict[str, Any]:
        """As plain JSON."""
        return {"trial": self.key.trial, "reading": self.key.reading, **self._rest()}

    def _rest(self) -> dict[str, Any]:
        return {"safe": self.safe, "setting": self.setting}

    @classmethod
    def read(cls, told: dict[str, Any]) -> Incumbent:
        """The incumbent that was written."""
        key = CandidateKey(told["trial"], told["reading"])
        return cls(key, told["safe"], told["setting"])


class Batch(NamedTuple):
    """Settings that race together.

    Attributes:
        asked: Those to be told.
        told: Those that were told before the process that raced them ended.
    """

    asked: tuple[AskedTrial, ...]
    told: tuple[KnownTrial, ...] = ()

    @property
    def settings(self) -> dict[int, Any]:
        """Setting by number, in the order of the numbers."""
        every: dict[int, Any] = {trial.number: trial.setting for trial in self.told}
        every |= {trial.number: trial.setting for trial in self.asked}
        return dict(sorted(every.items()))


@dataclass
class Search:
    """A search under way.

    Attributes:
        ground: The experiment.
        prepared: Its declared trials and its dev claims.
        choices: The space.
        study: Where settings come from and figures go.
        asking: Who asks the judges.
        limit: Settings to try in all, those of other processes counted.
        say: Is told in a line what was done.
        declared: The race of the declared trials.
        ended: Why the loop ended.
        bests: The best so far; several where processes race at the same time.
    """

    ground: Ground
    prepared: Prepared
    choices: Choices
    study: TemplateStudy
    asking: Asking
    limit: int
    say: Callable[[str], None]
    declared: Measured | None = None
    ended: str = "trials"
    bests: tuple[Incumbent, ...] = ()

    def run(self) -> None:
        """Race the declared trials, then settings until there are enough, or nothing is left."""
        self.declared = self._race_declared()
        if self.declared.raced.outcome is None:
            self.ended = self._why()
            return
        for batch in self._batches():
            if not self._try(batch):
                self.ended = self._why()
                break
        self.bests = self._incumbents(len(self.study.trials()))

    @property
    def first_declared(self) -> Incumbent | None:
        """The first of the declared trials, or the nearest to a safe one."""
        return None if self.declared is None else self._first(self.declared, {})

    @property
    def entries(self) -> int:
        """Claims, draws counted."""
        return len(self.prepared.gold.judged().claims) * self.ground.config.repeats

    def _why(self) -> str:
        return "stopped" if self.asking.stopped is None else str(self.asking.stopped.stopped)

    def _race_declared(self) -> Measured:
        trials = self.prepared.trials
        self.asking.ask(
            distinct_calls(extractions(trials, self.prepared.gold, self.prepared.judges))
        )
        keys = declared_keys(self.prepared, self.ground.config)
        found = self._race(trials, keys, self.ground.config.seed)
        self._say_race("declared trials", found, self._first(found, {}))
        return found

    def _race(self, trials: Sequence[Trial], keys: Sequence[CandidateKey], seed: int) -> Measured:
        gold, judges = self.prepared.gold, self.prepared.judges
        known = self.asking.replies
        field_ = make_field(trials, keys, gold, judges, known)
        raced = race(self.ground, field_, self.asking, seed)
        names = [aim.name for aim in self.choices.aims]
        return measured_race(raced, self.ground.config, names)

    def _batches(self) -> Iterator[Batch]:
        while True:
            known = self.study.trials()
            wanted = self.limit - sum(trial.state in COUNTED for trial in known)
            wanted -= self._elsewhere()
            count = min(self.study.spec.generation, wanted)
            asked = self.study.ask(count, self.limit) if wanted > 0 else ()
            if not asked:
                self.ended = self._why_none(wanted)
                return
            numbers = {trial.number for trial in asked}
            together = {
                number
                for trial in known
                if numbers & set(trial.facts.get("together", ()))
                for number in trial.facts["together"]
            }
            ended = [t for t in known if t.number in together - numbers and t.state != "failed"]
            yield Batch(asked, tuple(ended))

    def _why_none(self, wanted: int) -> str:
        """Why no setting was handed out."""
        if self._elsewhere():
            return "elsewhere"
        return "exhausted" if wanted > 0 and self.study.exhausted else "trials"

    def _elsewhere(self) -> int:
        """Settings that other processes are at work on."""
        return sum(not is_gone(trial.owner) for trial in self.study.elsewhere())

    def _try(self, batch: Batch) -> bool:
        """Build, race and tell a batch; whether it could be finished."""
        made = self._made(batch)
        asked = [trial for trial in batch.asked if trial.number in made]
        if not asked:
            return True
        incumbents = self._incumbents(min(made))
        trials, keys = self._field(made, incumbents)
        if not self._settled(trials):
            return self._hand_back(asked)
        found = self._race(trials, keys, self.ground.config.seed + 1 + min(made))
        if found.raced.outcome is None:
            return self._hand_back(asked)
        settings = {one.key: dict(one.setting) for one in made.values()}
        for one in incumbents:
            if one.setting is not None:
                settings.setdefault(one.key, one.setting)
        best = self._first(found, settings)
        self._tell(asked, made, found, best)
        self._say_race(f"settings {', '.join(map(str, made))}", found, best)
        return True

    def _settled(self, trials: Sequence[Trial]) -> bool:
        found = extractions(trials, self.prepared.gold, self.prepared.judges)
        return self.asking.ask(distinct_calls(found))

    def _hand_back(self, asked: Sequence[AskedTrial]) -> bool:
        for trial in asked:
            self.study.abandon(trial)
        return False

    def _made(self, batch: Batch) -> dict[int, Made]:
        made: dict[int, Made] = {}
        asked = {trial.number: trial for trial in batch.asked}
        for number, setting in batch.settings.items():
            try:
                made[number] = self.choices.made(setting)
            except TemplateError as error:
                if number in asked:
                    self.study.fail(asked[number], str(error).splitlines()[0])
        return made

    def _incumbents(self, before: int) -> tuple[Incumbent, ...]:
        """The best of each race before a trial, but for those that lost a later race."""
        first = self.first_declared
        left = {} if first is None else {first.key: first}
        races = {
            tuple(trial.facts["together"]): trial.facts
            for trial in self.study.trials()
            if trial.number < before and trial.facts.get("best") is not None
        }
        for told in races.values():
            best = Incumbent.read(told["best"])
            for trial, reading in told.get("raced", list(left)):
                left.pop(CandidateKey(trial, reading), None)
            left[best.key] = best
        return tuple(left.values())

    def _field(
        self, made: dict[int, Made], incumbents: Sequence[Incumbent]
    ) -> tuple[list[Trial], list[CandidateKey]]:
        """The baseline first, then the best so far, then the settings."""
        config = self.ground.config
        known = {trial.name: trial for trial in self.prepared.trials}
        keys: list[CandidateKey] = []
        if config.baseline is not None:
            keys.append(CandidateKey(config.baseline, config.readings[0]))
        for best in incumbents:
            if best.setting is not None:
                again = self.choices.made(best.setting)
                known.setdefault(again.trial.name, again.trial)
            keys.append(best.key)
        for one in made.values():
            known.setdefault(one.trial.name, one.trial)
            keys.append(one.key)
        keys = list(dict.fromkeys(keys))
        names = dict.fromkeys(key.trial for key in keys)
        return [known[name] for name in names], keys

    def _first(
        self, found: Measured, settings: dict[CandidateKey, dict[str, Any]]
    ) -> Incumbent | None:
        """The safe winner of a race, or else the nearest to one."""
        outcome, keys = found.raced.outcome, found.raced.field.keys
        if outcome is None:
            return None
        target = self.ground.config.target
        row = outcome.first if outcome.first is not None else nearest_row(found.rows, target)
        if row is None:
            return None
        return Incumbent(keys[row], outcome.first is not None, settings.get(keys[row]))

    def _tell(
        self,
        asked: Sequence[AskedTrial],
        made: dict[int, Made],
        found: Measured,
        best: Incumbent | None,
    ) -> None:
        parts, places = candidate_parts(found), found.raced.field.keys
        costs = costs_of(found.raced, self.asking.replies)
        shared = {
            "together": sorted(made),
            "raced": [list(key) for key in places],
            "best": None if best is None else best.written(),
            "race": _plain(race_summary(found.raced, sorted(made))),
        }
        for trial in asked:
            key = made[trial.number].key
            row = found.rows[places.index(key)]
            values = {
                aim.name: costs[key.trial][aim.name]
                if aim.name in COSTS
                else target_of(row, aim.name)
                for aim in self.choices.aims
            }
            off = row.off
            stopped = parts[key].stopped
            if stopped is not None and stopped.why.startswith("guardrail") and off == 0:
                off = None
            facts = {**shared, "candidate": parts[key].model_dump(mode="json")}
            self.study.tell(trial, values, {GUARDRAILS: off}, facts)

    def _say_race(self, what: str, found: Measured, best: Incumbent | None) -> None:
        raced: Raced = found.raced
        name = "nobody" if best is None else f"{best.key.trial} ({best.key.reading})"
        safe = "" if best is None or best.safe else ", which is not safe"
        self.say(
            f"{what}: {raced.spent:,} of {counted(raced.full, 'calls')}; first is {name}{safe}"
        )


def _plain(summary: RaceSummary | None) -> dict[str, Any] | None:
    return None if summary is None else summary.model_dump(mode="json")
