"""Watching a release: its judge is asked again, and evidence that it changed adds up.

The null hypothesis is that the judge changes no more of its verdicts than it did when it was
pinned. Evidence is a weighted mean of three e-processes (`metajudge.agreement.eprocess`): changed
verdicts, claims credited that gold does not call yes, and replies that cannot be read. It reaches
1 / alpha while nothing changed with a probability of at most alpha, over the whole life of a
series. Another model, backend or prompt than the pinned one is an alarm without statistics.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from metajudge.agreement.eprocess import best_growth, least_delay
from metajudge.errors import Problem, ReleaseError, short_repr
from metajudge.gold.appended import utc_now
from metajudge.gold.goldset import GoldSet
from metajudge.judges.spec import spec_from
from metajudge.release.asking import Asking
from metajudge.release.bundle import Release
from metajudge.release.candidate import Candidate, JudgePin
from metajudge.release.evidence import read_evidence
from metajudge.release.sums import altered, read_sums, unlisted
from metajudge.release.watch_canary import Canary, Outcomes, compared, read_canary
from metajudge.release.watch_pins import other_identity, other_models, other_prompts
from metajudge.release.watch_state import (
    Alarm,
    AlarmKind,
    Component,
    ComponentName,
    Noise,
    Run,
    Series,
    WatchState,
)
from metajudge.report.figure import rounded
from metajudge.runner.call import RunReport
from metajudge.runner.limits import Budget
from metajudge.runner.progress import Observer
from metajudge.runner.store import Store

CLAIMS_A_RUN = 50
LARGEST_NOISE = 0.05
"""A measured limit of noise above this says too little: the usual guardrail of the flip rate. Each
claim is then asked twice instead."""
LEAST_MEAN = 1e-6
EXPECTED_CHANGE = 0.1
"""Share of changed verdicts whose time to an alarm is foretold."""


class Taken(NamedTuple):
    """What a run came to.

    Attributes:
        state: The new state; the old one where nothing is to be kept.
        stopped: Why the run ended early; None where it did not.
    """

    state: WatchState
    stopped: RunReport | None = None


@dataclass(frozen=True)
class Watch:
    """A release, the canary that it is watched on, and how.

    Attributes:
        release: The release.
        canary: Its canary.
        noise: How often the pinned judge changes its own verdict.
        alpha: Chance that a series ever raises a false alarm.
        claims: Claims a run, about.
        judge: Spec by which the pinned judge is asked instead of its own; None is its own.
        budget: Hard limits of a run.
        observer: Is told how a run goes.
    """

    release: Release
    canary: Canary
    noise: Noise
    alpha: float = 0.05
    claims: int = CLAIMS_A_RUN
    judge: str | None = None
    budget: Budget = field(default_factory=Budget)
    observer: Observer | None = None

    @cached_property
    def candidate(self) -> Candidate:
        """The release's candidate with the judge that is asked."""
        whole = self.release.candidate
        if self.judge is None:
            return whole
        return replace(whole, judge=_with_spec(whole.judge, self.judge))

    @property
    def draws(self) -> int:
        """Draws a claim."""
        return 2 if self.noise.limit is None else 1

    def begin(self) -> WatchState:
        """The state before the first run."""
        return WatchState(
            release=self.release.ref,
            release_sha256=self.release.sha256,
            canary=self.canary.pin,
            alpha=self.alpha,
            noise=self.noise,
            series=(Series(started=utc_now(), components=self._components()),),
        )

    def _components(self) -> dict[ComponentName, Component]:
        means, even = self._means(), self.noise.limit is None
        return {
            name: Component.fresh(mean, even=even and name != "coverage")
            for name, mean in means.items()
        }

    def _means(self) -> dict[ComponentName, float]:
        """Highest mean outcome of each component while nothing changed.

        Coverage only where the release could read a reply. Over-credit only where the canary has a
        claim that gold does not call yes, and not under a limit measured over all claims: the
        judge's noise may lie in such claims alone.
        """
        limit, sizes = self.noise.limit, self.canary.sizes
        found: dict[ComponentName, float] = {
            "verdicts": 0.5 if limit is None else limit * sizes.every.evenness
        }
        if sizes.not_yes.largest and self.noise.source != "evidence":
            found["over_credit"] = 0.5 if limit is None else limit * sizes.not_yes.evenness
        unreadable = self.canary.unreadable_limit * sizes.every.evenness
        if unreadable < 1:
            found["coverage"] = unreadable
        return {name: max(rounded(mean), LEAST_MEAN) for name, mean in found.items()}

    @property
    def limits(self) -> dict[ComponentName, float]:
        """The same as shares of claims, 0 to 1; one half under two draws."""
        limit = 0.5 if self.noise.limit is None else self.noise.limit
        own = {"coverage": self.canary.unreadable_limit}
        return {name: own.get(name, limit) for name in self._means()}

    def check(self, state: WatchState, place: Path) -> None:
        """Refuses a state that belongs to another watch.

        Raises:
            ReleaseError: With everything that differs.
        """
        mine = self.begin()
        mend = "Name another file with --state; runs of another watch cannot be gone on with."
        pairs = (
            ("release", state.release, mine.release),
            ("release_sha256", state.release_sha256, mine.release_sha256),
            ("canary", state.canary.model_dump(), mine.canary.model_dump()),
            ("alpha", state.alpha, mine.alpha),
            ("noise", state.noise.model_dump(), mine.noise.model_dump()),
            ("components", _null_means(state.now), _null_means(mine.now)),
        )
        problems = [
            Problem(
                str(place), f"the state is of this watch ({now!r})", mend, None, name, repr(was)
            )
            for name, was, now in pairs
            if was != now
        ]
        if problems:
            raise ReleaseError(problems)

    def take(self, state: WatchState) -> Taken:
        """Ask a part of the canary and weigh the answers; nothing is written.

        Raises:
            MetajudgeError: The judge cannot be asked.
        """
        told = other_prompts(self.release, self.canary)
        if told:
            return Taken(_alarmed(state, "prompt", told))
        pin, judge = self.candidate.judge, self.candidate.judge.opened()
        told = other_identity(pin.identity, judge.identity) if pin.identity else []
        if told:
            return Taken(_alarmed(state, "identity", told))
        seed = f"{state.release_sha256}/{state.canary.sha256}"
        part = self.canary.chosen(self.claims, state.runs, seed)
        with (
            tempfile.TemporaryDirectory(prefix="metajudge-watch-") as folder,
            # A store of its own: a draw that was stored before would be no fresh one.
            Store(Path(folder) / "replies.sqlite") as store,
        ):
            asking = Asking(
                [self.candidate],
                part,
                store,
                {pin.name: judge},
                self.budget,
                repeats=self.draws,
                observer=self.observer,
            ).ask()
        if asking.stopped is not None:
            return Taken(self._noted(state, part, asking.stopped), asking.stopped)
        return self._weighed(state, part, asking)

    def _noted(self, state: WatchState, part: GoldSet, report: RunReport) -> WatchState:
        """A run that was not finished is no evidence; that the judge was down is kept."""
        if report.stopped not in ("judge_down", "budget"):
            return state
        run = self._run(state.now, part, note=report.message or report.stopped)
        return state.with_series(_with_run(state.now, run))

    def _weighed(self, state: WatchState, part: GoldSet, asking: Asking) -> Taken:
        (said,) = asking.verdicts()
        found = compared(part.claims, self.canary.stored_of(part), said.read, self.canary.sizes)
        series = state.now
        if found.unanswered == len(part.claims):
            run = self._run(series, part, found, note="no claim was answered")
            report = RunReport(asked=len(part.claims), stopped="judge_down", message=run.note)
            return Taken(state.with_series(_with_run(series, run)), report)
        moved = {
            name: component.after(found.batches[name])
            for name, component in series.components.items()
        }
        series = series.model_copy(update={"components": moved})
        series = _with_run(series, self._run(series, part, found))
        state = state.with_series(series)
        models = other_models(self.canary.replies.values(), asking.replies.values())
        if models:
            return Taken(_alarmed(state, "identity", models))
        if series.e >= 1 / self.alpha:
            told = f"evidence {series.e:.4g} has reached {1 / self.alpha:.4g}"
            return Taken(_alarmed(state, "verdicts", [told]))
        return Taken(state)

    def _run(
        self, series: Series, part: GoldSet, found: Outcomes | None = None, note: str = ""
    ) -> Run:
        return Run(
            time=utc_now(),
            contexts=len(part.contexts),
            claims=len(part.claims),
            draws=self.draws,
            changed=0 if found is None else len(found.changes),
            credited=0 if found is None else found.credited,
            unreadable=0 if found is None else found.unreadable,
            unanswered=len(part.claims) if found is None else found.unanswered,
            counted=not note,
            note=note,
            e=rounded(series.e),
            changes=() if found is None else found.changes,
        )

    def runs_to_alarm(self, change: float = EXPECTED_CHANGE) -> float | None:
        """Least runs that finding a change takes if it is there from the beginning.

        Claims of a context are taken to change alone; a tested change takes up to twice as long.
        None where the change lies within the noise.

        Args:
            change: Share of verdicts that change, 0 to 1.
        """
        limit = self.noise.limit
        values = [0.5, 1.0] if limit is None else [0.0, 1.0]
        growth = best_growth(values, [1 - change, change], 0.5 if limit is None else limit)
        if growth == 0:
            return None
        share = min(1.0, self.claims / len(self.canary.claims))
        return least_delay(growth, self.alpha) / (share * len(self.canary.claims))


def open_watch(
    release: Release,
    canary: str | Path,
    *,
    noise: float | None = None,
    alpha: float = 0.05,
    claims: int = CLAIMS_A_RUN,
    judge: str | None = None,
    budget: Budget | None = None,
    observer: Observer | None = None,
) -> Watch:
    """A watch on a release whose files are as they were hashed.

    Args:
        release: The release.
        canary: Gold set whose claims the release has stored verdicts on.
        noise: Declared upper limit of the share of verdicts that the judge changes by itself;
            None takes the measured one of the release, and two draws a claim where there is none.
        alpha: As in `Watch`.
        claims: As in `Watch`.
        judge: As in `Watch`.
        budget: As in `Watch`.
        observer: As in `Watch`.

    Raises:
        JudgeSpecError: `judge` names no judge.
        ReleaseError: A file of the release was changed, it has no verdict on the canary, or `judge`
            is another judge than the pinned one.
        InputError: The canary is faulty.
        StoreError: The stored replies are faulty.
    """
    sums = read_sums(release.folder)
    faults = [*unlisted(release.folder, sums), *altered(release.folder, sums)]
    if faults:
        raise ReleaseError(faults)
    if judge is not None and spec_from(judge, release.folder) == release.manifest.judge.spec:
        judge = None
    if judge is not None:
        _check_given(release, judge)
    return Watch(
        release,
        read_canary(release, canary),
        _noise(release, noise),
        alpha,
        claims,
        judge,
        budget or Budget(),
        observer,
    )


def _check_given(release: Release, spec: str) -> None:
    """A judge that somebody named and that is not the pinned one is a slip, no drift."""
    pin = release.candidate.judge
    told = other_identity(pin.identity, _with_spec(pin, spec).opened().identity)
    if pin.identity and told:
        law = f"the judge that is watched must be the one that {release.ref} pins"
        mend = "Name a spec of the pinned judge, or leave --judge out."
        got = f"{short_repr(spec)}: {'; '.join(told)}"
        raise ReleaseError(Problem("watch", law, mend, field="--judge", got=got))


def _with_spec(pin: JudgePin, spec: str) -> JudgePin:
    return pin.model_copy(update={"spec": spec})


def _null_means(series: Series) -> dict[str, float]:
    return {name: series.components[name].null_mean for name in sorted(series.components)}


def _noise(release: Release, declared: float | None) -> Noise:
    if declared is not None:
        return Noise(source="declared", limit=declared)
    measured = read_evidence(release.folder).carried.flip_rate
    if measured is not None and measured.high is not None and 0 < measured.high <= LARGEST_NOISE:
        return Noise(source="evidence", limit=measured.high)
    return Noise(source="two_draws", limit=None)


def _with_run(series: Series, run: Run) -> Series:
    return series.model_copy(update={"runs": (*series.runs, run)})


def _alarmed(state: WatchState, kind: AlarmKind, told: list[str]) -> WatchState:
    alarm = Alarm(time=utc_now(), kind=kind, told=tuple(told))
    return state.with_series(state.now.model_copy(update={"alarm": alarm}))
