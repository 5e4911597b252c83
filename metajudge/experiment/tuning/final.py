"""The end of a tuning: an ordinary ranking of the best settings beside what is declared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metajudge.agreement.arrays import Ints
from metajudge.agreement.bootstrap import cluster_weights
from metajudge.agreement.estimate import Estimate
from metajudge.experiment.tuning.stored import Stored
from metajudge.experiment.tuning.tried import Tried
from metajudge.report.tune_results import Kind, TunedMember, TunedSetting
from metajudge.selection.columns import CandidateCodes, CandidateKey
from metajudge.selection.measure import CandidateFigures, Measurer
from metajudge.selection.ranking import Ranked, rank
from metajudge.selection.ties import adjusted_p, told_apart
from metajudge.selection.tuning.verdicts import Tuning
from metajudge.templates.reading_names import reading_named

MOST = 16
"""Best settings that are ranked, of single candidates and of panels each."""
MOST_ALIKE = 2
"""Of these, of the same members with the same vote, which differ by their threshold alone."""


@dataclass(frozen=True)
class Finalist:
    """Who is ranked.

    Attributes:
        tuning: The setting, with rows of the stored verdicts.
        kind: `declared`, `tuned` (a single candidate) or `panel`.
        setting: The same by name.
    """

    tuning: Tuning
    kind: Kind
    setting: TunedSetting

    @property
    def key(self) -> CandidateKey:
        """As it is measured; a panel goes by its name."""
        if self.kind == "panel":
            return CandidateKey(self.setting.name, "top")
        (member,) = self.setting.members
        return CandidateKey(member.trial, member.reading)


@dataclass(frozen=True)
class Final:
    """The last ranking.

    Attributes:
        finalists: Who is ranked.
        measurer: Their verdicts on every claim.
        figures: Their figures, in the same order.
        ranked: The ranking; its rows point to the finalists.
        insensitive: Who was tried on negative controls, and why it is taken not to read.
    """

    finalists: tuple[Finalist, ...]
    measurer: Measurer
    figures: tuple[CandidateFigures, ...]
    ranked: tuple[Ranked, ...]
    insensitive: Mapping[CandidateKey, str | None] | None

    def who(self, row: Ranked) -> Finalist:
        """Who stands in a row of the ranking."""
        return self.finalists[row.index]

    @property
    def first(self) -> Ranked:
        """The first row, safe or not."""
        return self.ranked[0]

    @property
    def best_declared(self) -> Ranked | None:
        """The first declared candidate."""
        return next((row for row in self.ranked if self.who(row).kind == "declared"), None)

    @property
    def to_declare(self) -> Ranked | None:
        """The first safe single candidate before every declared one."""
        for row in self.ranked:
            if self.who(row).kind == "declared" or not row.safe:
                return None
            if self.who(row).kind == "tuned":
                return row
        return None

    def difference(self, row: Ranked, other: Ranked, target: str) -> tuple[Estimate, bool]:
        """The target of one minus that of another, paired, and whether it is told from nothing.

        The setting was chosen for its target among many, which the test does not know.
        """
        gap = self.measurer.differences(target, other.index)[row.index]
        chance = adjusted_p(self.measurer, target, other.index, [row.index]).get(row.index)
        apart = gap.value is not None and told_apart(gap, chance, 1 - self.measurer.level)
        return gap, apart


def setting_of(stored: Stored, tuning: Tuning) -> TunedSetting:
    """A setting by the names of its trials and readings.

    A threshold that every member is held to stands in the members' readings.
    """
    own = None if tuning.averages else tuning.threshold
    members = []
    for row in tuning.rows:
        key = stored.tunables.candidates.keys[row]
        name = reading_named(key.reading)
        reading = key.reading if own is None else str(name._replace(threshold=own))
        members.append(TunedMember(trial=key.trial, reading=reading))
    panel = len(tuning.rows) > 1
    return TunedSetting(
        members=tuple(members),
        vote=tuning.vote if panel else None,
        threshold=tuning.threshold if tuning.averages else None,
    )


def final_ranking(stored: Stored, tried: Tried) -> Final:
    """Rank the best settings beside every declared candidate, with limits from resamples.

    Guardrails that rest on other calls hold single candidates as in a sweep, as far as the store
    has the replies; a panel is not held to them.
    """
    finalists = tuple(_finalists(stored, tried))
    tunings = [finalist.tuning for finalist in finalists]
    keys = [finalist.key for finalist in finalists]
    measurer = measurer_of(stored, keys, stored.tunables.codes(tunings))
    figures = measurer.measure()
    baseline = stored.tunables.baseline
    insensitive = _insensitive(stored, finalists)
    ranked = rank(
        measurer,
        figures,
        target=stored.config.target,
        bounds=stored.tunables.bounds,
        baseline=None if baseline is None else tunings.index(Tuning((baseline,))),
        flip_rates=stored.parts.flip_rates,
        insensitive=insensitive,
    )
    return Final(finalists, measurer, figures, ranked, insensitive)


def measurer_of(stored: Stored, keys: Sequence[CandidateKey], codes: Ints) -> Measurer:
    """Verdicts (S, N) as candidates, with the experiment's clusters, resamples and seed."""
    config, columns = stored.config, stored.tunables.columns
    kind = config.bootstrap.cluster
    groups = columns.clusters(kind).n_clusters
    random = np.random.default_rng(config.seed)
    weights = cluster_weights(groups, config.bootstrap.resamples, random)
    unknown = np.full((*codes.shape, 3), np.nan, np.float32)
    candidates = CandidateCodes(tuple(keys), codes, unknown)
    return Measurer(columns, candidates, weights, kind, 1 - config.alpha)


def _finalists(stored: Stored, tried: Tried) -> Iterator[Finalist]:
    """Declared candidates, then the best settings whose verdicts are none of theirs."""
    declared = [Tuning((row,)) for row in stored.declared]
    for tuning in declared:
        yield Finalist(tuning, "declared", setting_of(stored, tuning))
    known = {codes.tobytes() for codes in stored.tunables.codes(declared)}
    left: dict[Kind, int] = {"tuned": MOST, "panel": MOST if tried.space.members > 1 else 0}
    alike: Counter[tuple[object, ...]] = Counter()
    for place in tried.found.best_first(stored.config.target).tolist():
        tuning = tried.different[place]
        kind: Kind = "panel" if len(tuning.rows) > 1 else "tuned"
        group = (tuning.rows, tuning.vote)
        if not left[kind] or alike[group] == MOST_ALIKE:
            continue
        if stored.tunables.codes([tuning])[0].tobytes() not in known:
            left[kind] -= 1
            alike[group] += 1
            yield Finalist(tuning, kind, setting_of(stored, tuning))


def _insensitive(
    stored: Stored, finalists: Sequence[Finalist]
) -> Mapping[CandidateKey, str | None] | None:
    """Who does not read the evidence, each under the reading that it is ranked with."""
    readings = [
        member.reading for f in finalists if f.kind != "panel" for member in f.setting.members
    ]
    replayed = stored.replayed
    controls = replace(replayed, study=replace(replayed.study, stability=None))
    return controls.beside(tuple(dict.fromkeys(readings))).insensitive
