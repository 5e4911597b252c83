"""The verdict calls of all metrics as one run: each key once, in the order of a prefix tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from metajudge.gold.claim import Claim, Context, MetricName
from metajudge.gold.goldset import GoldSet
from metajudge.gold.unlabelled import unlabelled_manifest
from metajudge.judges.judge import Judge
from metajudge.metrics.judged.unit import Unit
from metajudge.metrics.row import MetricRow
from metajudge.metrics.scored import UnitVerdict
from metajudge.release.asking import Asking, Verdicts
from metajudge.release.candidate import Candidate
from metajudge.runner.call import Call
from metajudge.runner.reply_json import is_lasting
from metajudge.runner.store import Store
from metajudge.runner.trial import PlannedCall, prefix_order
from metajudge.scoring.policies import POLICY_LABELS
from metajudge.selection.readings import CLASSES, READING_FAILURES
from metajudge.verdicts.verdict import Reply


class UnitRead(NamedTuple):
    """What was said of a unit, and the calls that it rests on.

    Attributes:
        verdict: The verdict.
        keys: Keys of its calls.
        open: Some call has no reply that is kept: the next run asks it.
    """

    verdict: UnitVerdict
    keys: tuple[str, ...]
    open: bool


@dataclass
class PartUnits:
    """The units of one part over all rows, each once a row.

    Attributes:
        part: Whose templates ask.
        places: Row and unit -> place in the order of asking.
    """

    part: MetricName
    places: dict[tuple[int, Unit], int] = field(default_factory=dict)

    def add(self, row: int, unit: Unit) -> None:
        """Take a unit in, once."""
        self.places.setdefault((row, _bare(unit)), len(self.places))

    def place(self, row: int, unit: Unit) -> int:
        """Where a unit stands."""
        return self.places[row, _bare(unit)]

    def gold(self, rows: Sequence[MetricRow]) -> GoldSet:
        """The units in the form that is asked; nobody labelled them, every label is a stand-in.

        A context a row and evidence, so that a call never mixes the units of two rows.
        """
        contexts: dict[tuple[int, tuple[str, ...]], str] = {}
        claims = []
        for (row, unit), place in self.places.items():
            name = contexts.setdefault((row, unit.evidence), f"{row}.{len(contexts)}")
            claims.append(
                Claim(
                    claim_id=f"{self.part}.{place}",
                    answer_id=name,
                    context_id=name,
                    claim=unit.text,
                    label="no",
                    lang=rows[row].lang,
                    question=unit.question,
                )
            )
        found = {
            name: Context(context_id=name, passages=evidence, lang=rows[row].lang)
            for (row, evidence), name in contexts.items()
        }
        manifest = unlabelled_manifest(
            self.part, (row.lang for row in rows), "units without labels", self.part
        )
        return GoldSet(manifest, tuple(claims), found)


def _bare(unit: Unit) -> Unit:
    """A unit as the judge sees it: the same question to two metrics is one."""
    return Unit(unit.part, unit.text, unit.evidence, unit.question)


class PartRead:
    """The verdicts of a part, by row and unit.

    Attributes:
        asking: The asking that gave them.
    """

    def __init__(self, units: PartUnits, asking: Asking) -> None:
        self.asking = asking
        self._units = units
        self._said: Verdicts | None = None
        self._keys: dict[int, tuple[str, ...]] = {}

    def unit(self, row: int, unit: Unit) -> UnitRead:
        """What was said of a unit of a row."""
        place = self._units.place(row, unit)
        keys = self._keys_of(place)
        replies = [self.asking.replies.get(key) for key in keys]
        unsettled = not keys or any(r is None or not is_lasting(r) for r in replies)
        return UnitRead(self._verdict(place, unit), keys, unsettled)

    def _verdict(self, place: int, unit: Unit) -> UnitVerdict:
        if self._said is None:
            (self._said,) = self.asking.verdicts()
        read, row = self._said.read, self._said.row
        code, lost = int(read.codes[place, 0]), int(read.classes[place, 0])
        if lost < 0:
            told = row.reasons.get(place)
            return UnitVerdict(unit.text, POLICY_LABELS[code], None, told, unit.passage, unit.side)
        failure = CLASSES[lost]
        detail = READING_FAILURES.get(failure) or row.variants[0].details.get(place)
        return UnitVerdict(unit.text, None, failure, detail, unit.passage, unit.side)

    def _keys_of(self, place: int) -> tuple[str, ...]:
        if not self._keys:
            found: dict[int, list[str]] = {}
            for calls in self.asking.plan().calls.values():
                for planned in calls:
                    for index in planned.claims:
                        found.setdefault(index, []).append(planned.call.key)
            self._keys = {index: tuple(dict.fromkeys(keys)) for index, keys in found.items()}
        return self._keys.get(place, ())


@dataclass
class AskedTogether:
    """Several askings whose calls go out as one run a judge.

    Attributes:
        askings: By part.
    """

    askings: Mapping[MetricName, Asking]

    @classmethod
    def of(
        cls,
        units: Mapping[MetricName, PartUnits],
        rows: Sequence[MetricRow],
        candidates: Mapping[MetricName, Candidate],
        store: Store,
        judges: Mapping[str, Judge],
    ) -> AskedTogether:
        """One asking a part that has units."""
        return cls(
            {
                part: Asking([candidates[part]], own.gold(rows), store, judges)
                for part, own in units.items()
                if own.places
            }
        )

    def facts(self) -> Iterator[tuple[str, list[Call]]]:
        """By judge, the calls that list a context's facts, for releases that judge facts."""
        found: dict[str, dict[str, Call]] = {}
        for asking in self.askings.values():
            for judge, entries in asking.extractions().items():
                own = found.setdefault(judge, {})
                own.update((entry.call.key, entry.call) for entry in entries)
        for judge, calls in found.items():
            if calls:
                yield judge, list(calls.values())

    def verdicts(self) -> Iterator[tuple[str, list[Call]]]:
        """By judge, every verdict call; plan after the facts are known."""
        found: dict[str, list[PlannedCall]] = {}
        for asking in self.askings.values():
            for judge, planned in asking.plan().calls.items():
                found.setdefault(judge, []).extend(planned)
        for judge, calls in found.items():
            ordered = sorted(calls, key=prefix_order)
            distinct = {planned.call.key: planned.call for planned in ordered}
            if distinct:
                yield judge, list(distinct.values())

    def take(self, replies: Mapping[str, Reply]) -> None:
        """Give replies to every asking."""
        for asking in self.askings.values():
            asking.replies |= replies
