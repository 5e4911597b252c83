"""`assert_faithful`: one answer, one metric, in a test; says what was said where it fails."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from metajudge.errors import EXIT_CANNOT_DECIDE, InputError, MetajudgeError, Problem

if TYPE_CHECKING:
    from metajudge.metrics.evaluation import Evaluation
    from metajudge.metrics.scored import MetricScore
    from metajudge.release.bundle import Release
    from metajudge.release.judged import CallAccount

DEFAULT_STORE = Path(".metajudge") / "replies.sqlite"
_LONGEST = 200
_SHOWN = 20
Undefined = Literal["fail", "pass"]


class NotMeasured(MetajudgeError):
    """There is no score since calls failed: an error of the run, not of the answer."""

    exit_code = EXIT_CANNOT_DECIDE


@dataclass
class Tally:
    """What assertions came to.

    Attributes:
        passed: That held.
        failed: That did not.
        not_measured: Without a score, since calls failed.
        needed: Calls that the scores rest on.
        sent: Of these, sent now.
        usd: What they cost; None where no price is known.
    """

    passed: int = 0
    failed: int = 0
    not_measured: int = 0
    needed: int = 0
    sent: int = 0
    usd: float | None = None

    def add(self, other: Mapping[str, Any]) -> None:
        """Take the counts of another one in."""
        for name in ("passed", "failed", "not_measured", "needed", "sent"):
            setattr(self, name, getattr(self, name) + other[name])
        if other["usd"] is not None:
            self.usd = (self.usd or 0.0) + other["usd"]

    @property
    def assertions(self) -> int:
        """All of them."""
        return self.passed + self.failed + self.not_measured


@dataclass(frozen=True)
class Defaults:
    """What assertions take where they are told nothing else.

    Attributes:
        release: A release, its reference or folder.
        judge: Judge spec.
        store: File of the reply store.
        recordings: Recordings that are loaded first.
        registry: Where releases are looked up.
        offline: Ask nothing; only stored replies count.
        min_score: Least score that passes.
        metric: Name of the metric.
        policy: How labels earn credit.
        tally: Where it is counted.
    """

    release: Release | str | Path | None = None
    judge: str | None = None
    store: str | Path = DEFAULT_STORE
    recordings: tuple[str | Path, ...] = ()
    registry: Path | None = None
    offline: bool = False
    min_score: float | None = None
    metric: str = "faithfulness"
    policy: str | None = None
    tally: Tally = field(default_factory=Tally)


_current = [Defaults()]
_releases: dict[tuple[str, str], Release] = {}


@contextmanager
def using(defaults: Defaults) -> Iterator[Defaults]:
    """Lets assertions inside take these defaults."""
    _current.append(defaults)
    try:
        yield defaults
    finally:
        _current.remove(defaults)


def current() -> Defaults:
    """The defaults that hold now."""
    return _current[-1]


def assert_faithful(
    answer: str,
    contexts: str | Sequence[str],
    question: str | None = None,
    min_score: float | None = None,
    *,
    metric: str | None = None,
    release: Release | str | Path | None = None,
    judge: str | None = None,
    policy: str | None = None,
    claims: Sequence[str] | None = None,
    reference: str | None = None,
    lang: str | None = None,
    undefined: Undefined = "fail",
) -> MetricScore:
    """Fails where a metric's score of an answer is under a bar, and says which claims cost it.

    Works inside a running event loop too. Replies come from the store where it has them; processes
    that share it, such as workers of pytest-xdist, ask nothing twice.

    Args:
        answer: What the system said.
        contexts: The retrieved passages.
        question: What was asked.
        min_score: Least score that passes (the most, where lower is better); None takes the
            marker's, or the threshold of the release that serves the metric.
        metric: Name of the metric; faithfulness where none is named.
        release: A release, its reference or folder; None takes the option's.
        judge: Judge spec; None takes the option's.
        policy: How labels earn credit; None takes the release's, or strict.
        claims: Claims of the answer, so that none have to be extracted.
        reference: A right answer, for metrics that need one.
        lang: Language tag; None guesses by the script.
        undefined: What an answer without a score comes to, such as a refusal, which states nothing.

    Raises:
        AssertionError: The score is under the bar, or undefined where that is to fail.
        NotMeasured: Calls failed, so that there is no score.
        InputError: Nothing says who judges, or what the bar is.
    """
    __tracebackhide__ = True
    told = _told(metric=metric, release=release, judge=judge, policy=policy, min_score=min_score)
    passages = [contexts] if isinstance(contexts, str) else list(contexts)
    row = {
        "answer_id": "asserted", "answer": answer, "context": passages, "question": question,
        "claims": None if claims is None else list(claims), "reference": reference, "lang": lang,
    }  # fmt: skip
    found = _evaluated({name: value for name, value in row.items() if value is not None}, told)
    _count(told.tally, found.summary.calls)
    problem = _not_measured(found)
    if problem is not None:
        told.tally.not_measured += 1
        raise NotMeasured(f"{told.metric} was not measured: {problem}")
    failed = _failure(told, found, undefined)
    if failed is not None:
        told.tally.failed += 1
        raise AssertionError(failed)
    told.tally.passed += 1
    return _score(found)


def _told(**given: Any) -> Defaults:
    own = {name: value for name, value in given.items() if value is not None}
    told = replace(current(), **own)
    if told.release is None and told.judge is None:
        law = "a release or a judge says who judges"
        mend = "Name one: release=…, judge=…, --metajudge-release or --metajudge-judge."
        raise InputError(Problem("assert_faithful", law, mend, field="release"))
    return told


def _evaluated(row: Mapping[str, Any], told: Defaults) -> Evaluation:
    """The row under the metric; in a thread of its own where an event loop runs in this one."""
    from metajudge.runner.door import inside_a_loop

    if not inside_a_loop():
        return _evaluate(row, told)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as threads:
        return threads.submit(_evaluate, row, told).result()


def _evaluate(row: Mapping[str, Any], told: Defaults) -> Evaluation:
    from metajudge.metrics.evaluate import evaluate, releases_by_metric
    from metajudge.metrics.settings import EvaluateSettings
    from metajudge.runner.leases import LEASE_S
    from metajudge.runner.limits import Budget

    served = releases_by_metric(None if told.release is None else opened(told.release, told))
    settings = EvaluateSettings(
        judge=told.judge,
        releases=served,
        policies={} if told.policy is None else {told.metric: told.policy},
        store=told.store,
        recordings=told.recordings,
        budget=Budget(calls=0) if told.offline else Budget(),
        lease_s=LEASE_S,
    )
    return evaluate([dict(row)], [told.metric], settings=settings)


def _score(found: Evaluation) -> MetricScore:
    return next(iter(found.rows[0].scores.values()))


def opened(release: Release | str | Path, told: Defaults) -> Release:
    """A release by its reference, read once a process.

    Raises:
        ReleaseError: The reference names no release.
    """
    if not isinstance(release, str | Path):
        return release
    from metajudge.release.registry import find

    key = (str(release), str(told.registry))
    if key not in _releases:
        _releases[key] = find(str(release), told.registry).release
    return _releases[key]


def _count(tally: Tally, calls: CallAccount) -> None:
    tally.needed += calls.needed
    tally.sent += calls.sent
    if calls.cost_usd is not None:
        tally.usd = (tally.usd or 0.0) + calls.cost_usd


def _not_measured(found: Evaluation) -> str | None:
    """Why there is no score to trust, where calls failed; None where there is one."""
    from metajudge.metrics.gate.scores import is_lost

    score, calls = _score(found), found.summary.calls
    if not is_lost(score):
        return None
    details = [f"{unit.failure}: {unit.detail or unit.unit}" for unit in score.failures]
    told = details[:1] or [score.reason or "no reply"]
    return "; ".join([*told, *([calls.message] if calls.stopped else [])])


def _failure(told: Defaults, found: Evaluation, undefined: Undefined) -> str | None:
    """Why the assertion fails; None where it holds."""
    score, (account,) = _score(found), found.summary.metrics
    if score.score is None:
        if undefined == "pass":
            return None
        return (
            f"{told.metric} is undefined: {score.reason}.\n"
            'Pass undefined="pass" where an answer without a score is right.'
        )
    from metajudge.metrics.catalogue import METRICS

    bar = _bar(score, told)
    sign = -1 if METRICS[told.metric].better == "lower" else 1
    if sign * (score.score - bar) >= -1e-9:
        return None
    served = [score.policy, account.release, account.judge]
    beside = ", ".join(one for one in served if one)
    side = "over" if sign < 0 else "under"
    head = f"{told.metric} {score.score:.2f} is {side} {bar:.2f} ({beside})"
    return "\n".join([head, *_said(score), f"  {_short(score.reason or '')}"])


def _bar(score: MetricScore, told: Defaults) -> float:
    bar = told.min_score if told.min_score is not None else score.details.get("threshold")
    if bar is None:
        law = "a bar says what passes: no release with a threshold serves this metric"
        mend = "Write min_score=0.8."
        raise InputError(Problem("assert_faithful", law, mend, field="min_score"))
    return float(bar)


def _said(score: MetricScore) -> Iterator[str]:
    """A line a unit: what was said of it, and why."""
    for unit in score.units[:_SHOWN]:
        label = unit.label or unit.failure or ""
        why = f" – {_short(unit.detail)}" if unit.detail else ""
        yield f"  {label:<4} {_short(unit.unit)!r}{why}"
    if len(score.units) > _SHOWN:
        yield f"  and {len(score.units) - _SHOWN} more"


def _short(text: str) -> str:
    from metajudge.report.inert import one_line

    line = one_line(text)
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
