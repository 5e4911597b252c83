"""A release on its way through some answers: what is to ask, and what follows from the replies."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from metajudge.errors import InputError, Problem, broken_rules, short_repr
from metajudge.judges.baseline import compares_wording
from metajudge.judges.judge import Judge, Scalar
from metajudge.release.answer_rows import ClaimsMode
from metajudge.release.answers import Answer, AnswerClaim, asked_claims
from metajudge.release.asking import Asking
from metajudge.release.bundle import Release
from metajudge.release.candidate import Candidate, JudgePin
from metajudge.release.extraction import (
    Extracted,
    PlannedExtraction,
    plan_extractions,
    read_extractions,
    with_claims,
)
from metajudge.release.judged import JudgeNow
from metajudge.runner.call import Call, RunOutcome, RunReport
from metajudge.runner.limits import Budget, Limits
from metajudge.runner.progress import Observer
from metajudge.runner.store import Store
from metajudge.verdicts.verdict import Reply

DEFAULT_STORE = Path(".metajudge") / "replies.sqlite"
MOST_DRAWS = 100
_MODES = ("auto", "fixed", "extract")


@dataclass(frozen=True)
class JudgeSettings:
    """How a release is applied.

    Attributes:
        store: File of the reply store; replies in it are not asked for again.
        recordings: Recordings that are loaded into it first.
        judge: A judge spec in place of the release's own judge; the release's figures then say
            nothing about the scores.
        api_base: Server address of that judge.
        threshold: Least score that passes; None takes the release's.
        claims: Where claims come from: `auto`, `fixed` (given ones alone) or `extract`.
        extraction_repeats: Draws of the claims of an answer. The first one gives its score, all of
            them the spread.
        extraction_temperature: Sampling temperature of extraction; None takes the judge's.
        repeats: Draws of every verdict; a score is the mean over them.
        budget: Hard limits over all calls together.
        observer: Is told how the runs go.
    """

    store: str | Path = DEFAULT_STORE
    recordings: Sequence[str | Path] = ()
    judge: str | None = None
    api_base: str | None = None
    threshold: float | None = None
    claims: ClaimsMode = "auto"
    extraction_repeats: int = 1
    extraction_temperature: float | None = None
    repeats: int = 1
    budget: Budget = field(default_factory=Budget)
    observer: Observer | None = None

    def __post_init__(self) -> None:
        """Refuse values that mean nothing, all at once."""
        draws = f"1 to {MOST_DRAWS}"
        rules = (
            ("threshold", self.threshold is None or 0 <= self.threshold <= 1, "from 0 to 1"),
            ("claims", self.claims in _MODES, f"one of {', '.join(_MODES)}"),
            ("extraction_repeats", 1 <= self.extraction_repeats <= MOST_DRAWS, draws),
            ("repeats", 1 <= self.repeats <= MOST_DRAWS, draws),
            ("api_base", self.api_base is None or self.judge is not None, "given with judge"),
        )
        problems = broken_rules("judge", self, rules)
        if problems:
            raise InputError(problems)


@dataclass(frozen=True, slots=True)
class Unit:
    """One draw of one answer's claims: what verdicts are asked about.

    Attributes:
        answer: Index of the answer.
        draw: 0-based draw of its claims; 0 where they are given.
        claims: The claims, with the ids under which they are shown.
    """

    answer: int
    draw: int
    claims: tuple[AnswerClaim, ...]


class Application:
    """A release, answers, and the replies so far. Asks nothing itself.

    Raises:
        InputError: Claims are to be extracted by a judge that only compares wording, or for a
            release of another metric than faithfulness.

    Attributes:
        release: The release.
        answers: In input order.
        settings: How it is applied.
        candidate: The release's candidate, with the judge and threshold that are used.
        judge: Who gives verdicts.
        extractor: Who lists claims; the same judge, unless at another temperature.
        report: The account of the extraction calls.
    """

    def __init__(
        self, release: Release, answers: tuple[Answer, ...], settings: JudgeSettings
    ) -> None:
        self.release, self.answers, self.settings = release, answers, settings
        own = release.candidate
        pin = _pin(release, settings)
        threshold = own.threshold if settings.threshold is None else settings.threshold
        self.candidate: Candidate = replace(own, judge=pin, threshold=threshold)
        self.judge: Judge = pin.opened()
        self.extraction_pin = _at_temperature(pin, settings.extraction_temperature)
        same = self.extraction_pin.name == pin.name
        self.extractor: Judge = self.judge if same else self.extraction_pin.opened()
        _check_extractor(self.extractor, answers, release)
        self.report = RunReport(asked=0)
        self._replies: dict[str, Reply] = {}
        self._started = time.monotonic()

    @cached_property
    def extractions(self) -> tuple[PlannedExtraction, ...]:
        """The calls that list claims."""
        return plan_extractions(self.answers, self.extractor, self.settings.extraction_repeats)

    @property
    def extraction_calls(self) -> list[Call]:
        """The same, each key once."""
        return list({entry.call.key: entry.call for entry in self.extractions}.values())

    def take(self, outcome: RunOutcome) -> None:
        """Take the replies to the extraction calls.

        Where each call was settled, if with a failure, the verdicts of other answers are asked for
        all the same; where there are none, the run ends with what the judge said last.
        """
        self._replies |= outcome.replies
        report = outcome.report
        settled = report.stopped == "judge_down" and report.not_asked == 0
        goes_on = settled and bool(self.units)
        self.report = replace(report, stopped=None, message="") if goes_on else report

    @cached_property
    def extracted(self) -> Mapping[int, tuple[Extracted, ...]]:
        """By answer, the draws of its claims; only answers that had none."""
        return read_extractions(self.extractions, self._replies)

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """Everything that verdicts are asked about, by answer and draw; known claims only."""
        units = []
        for index, answer in enumerate(self.answers):
            if answer.claims is not None:
                units.append(Unit(index, 0, answer.claims))
            for draw, found in enumerate(self.extracted.get(index, ())):
                if found.known:
                    units.append(Unit(index, draw, with_claims(answer, found).claims or ()))
        return tuple(units)

    def asking(self, store: Store) -> Asking:
        """The asking of all verdicts; one context a unit, under a name of its own."""
        own = [_as_asked(self.answers[unit.answer], unit) for unit in self.units]
        elapsed_s = time.monotonic() - self._started
        return Asking(
            [self.candidate],
            asked_claims(own, self.release.ref),
            store,
            {self.candidate.judge.name: self.judge},
            budget=self.settings.budget.left([self.report], elapsed_s),
            repeats=self.settings.repeats,
            observer=self.settings.observer,
        )

    def limits(self) -> Limits:
        """Of the extraction calls."""
        pin = self.extraction_pin
        return Limits(
            deadline_s=pin.timeout_s,
            max_in_flight=pin.max_in_flight,
            budget=self.settings.budget,
        )

    def judge_now(self) -> JudgeNow:
        """The judge that is asked, held against the pin."""
        pinned, now = self.release.manifest.judge, dict(self.judge.identity)
        asked, told = pinned.spec, []
        if self.candidate.judge is not self.release.candidate.judge:
            asked = self.settings.judge or pinned.spec
            told.append(f"judge: pinned {pinned.spec}, asked {asked}")
        told += _differences(pinned.identity, now) if pinned.identity else []
        return JudgeNow(spec=asked, identity=now, is_pinned=not told, differences=tuple(told))


def _pin(release: Release, settings: JudgeSettings) -> JudgePin:
    """The release's judge, or the one in its place at the same temperature and seed."""
    own = release.candidate.judge
    names = (None, own.spec, release.manifest.judge.spec)
    if settings.judge in names and settings.api_base in (None, own.api_base):
        return own
    return own.model_copy(
        update={"spec": settings.judge, "api_base": settings.api_base, "max_in_flight": None}
    )


def _check_extractor(extractor: Judge, answers: Sequence[Answer], release: Release) -> None:
    without = [answer.answer_id for answer in answers if answer.claims is None]
    metric = release.manifest.metric
    if without and metric != "faithfulness":
        law = f"claims drawn from an answer are for faithfulness, and {release.ref} is for {metric}"
        mend = f"Ask `metajudge evaluate --metrics {metric}`, or give what is judged as claims."
    elif without and compares_wording(extractor):
        law = f"{extractor.spec} compares wording and writes nothing, so it cannot extract claims"
        mend = "Give claims, or name a judge that writes with --judge."
    else:
        return
    more = f" and {len(without) - 1} more" if len(without) > 1 else ""
    got = f"answer {short_repr(without[0])}{more} without claims"
    raise InputError(Problem("judge", law, mend, field="claims", got=got))


def _at_temperature(pin: JudgePin, temperature: float | None) -> JudgePin:
    return pin if temperature is None else pin.model_copy(update={"temperature": temperature})


def _differences(pinned: Mapping[str, Scalar], now: Mapping[str, Scalar]) -> list[str]:
    names = sorted({*pinned, *now})
    return [
        f"{name}: pinned {pinned.get(name)!r}, now {now.get(name)!r}"
        for name in names
        if pinned.get(name) != now.get(name)
    ]


def _as_asked(answer: Answer, unit: Unit) -> Answer:
    """Under ids that are unique and short whatever those of the answers are."""
    name = f"{unit.answer}.{unit.draw}"
    claims = tuple(
        replace(claim, claim_id=f"{name}.{number}") for number, claim in enumerate(unit.claims)
    )
    return replace(answer, answer_id=name, claims=claims)
