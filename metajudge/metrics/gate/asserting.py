"""`assert_faithful`: one answer, one metric, in a test; says what was said where it fails."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

from metajudge.errors import (
    EXIT_CANNOT_DECIDE,
    InputError,
    MetajudgeError,
    Problem,
    short_repr,
)

if TYPE_CHECKING:
    import asyncio

    from metajudge.metrics.evaluation import Evaluation
    from metajudge.metrics.scored import MetricScore
    from metajudge.metrics.settings import EvaluateSettings
    from metajudge.release.bundle import Release
    from metajudge.release.judged import CallAccount

DEFAULT_STORE = Path(".metajudge") / "replies.sqlite"
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
        most_calls: Calls that may be sent in all; None is no limit.
        most_usd: What they may cost in USD, as far as prices are known; None is no limit.
        spent: What was sent and paid of it so far.
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
    most_calls: int | None = None
    most_usd: float | None = None
    spent: Tally = field(default_factory=Tally)
    tally: Tally = field(default_factory=Tally)

    @property
    def is_bounded(self) -> bool:
        """Whether there is a budget."""
        return self.most_calls is not None or self.most_usd is not None


_current = [Defaults()]
_releases: dict[tuple[str, str], Release] = {}
_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


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

    Works inside a running event loop too, which stands still meanwhile (`assert_faithful_async`
    lets it go on). Replies come from the store where it has them; processes that share it, such as
    workers of pytest-xdist, ask nothing twice.

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
        InputError: Nothing says who judges, or what the bar is, or the answer is no text.
    """
    __tracebackhide__ = True
    try:
        told = _told(
            metric=metric, release=release, judge=judge, policy=policy, min_score=min_score
        )
        row = _row(
            answer, contexts, question=question, claims=claims, reference=reference, lang=lang
        )
        return _held(told, _evaluated(row, told), undefined)
    except MetajudgeError as error:
        raise error.with_traceback(None) from None


async def assert_faithful_async(
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
    """`assert_faithful` for async tests: the event loop goes on meanwhile.

    Assertions that are awaited together are judged together, but one after the other where there
    is a budget.
    """
    __tracebackhide__ = True
    try:
        told = _told(
            metric=metric, release=release, judge=judge, policy=policy, min_score=min_score
        )
        row = _row(
            answer, contexts, question=question, claims=claims, reference=reference, lang=lang
        )
        return _held(told, await _evaluated_async(row, told), undefined)
    except MetajudgeError as error:
        raise error.with_traceback(None) from None


def _told(**given: Any) -> Defaults:
    own = {name: value for name, value in given.items() if value is not None}
    told = replace(current(), **own)
    if told.release is None and told.judge is None:
        law = "neither a release nor a judge is named, so nobody judges"
        mend = "Name one: release=…, judge=…, --metajudge-release or --metajudge-judge."
        raise InputError(Problem("assert_faithful", law, mend, field="release"))
    if told.min_score is not None:
        _check_bar(told.min_score, told.metric)
    elif told.release is None:
        raise no_bar()
    return told


def no_bar() -> InputError:
    """The error where nothing says what passes."""
    law = "a bar says what passes: no release with a threshold serves this metric"
    return InputError(Problem("assert_faithful", law, "Write min_score=0.8.", field="min_score"))


def _check_bar(bar: float, metric: str) -> None:
    from metajudge.metrics.catalogue import METRICS

    plain = isinstance(bar, int | float) and not isinstance(bar, bool)
    is_share = metric not in METRICS or METRICS[metric].range == "0 to 1"
    if not plain or not 0 <= bar <= (1 if is_share else float("inf")):
        law = "the least score that passes is a number from 0 to 1"
        got = short_repr(bar)
        mend = "Write min_score=0.8."
        raise InputError(Problem("assert_faithful", law, mend, field="min_score", got=got))


def _row(
    answer: str,
    contexts: str | Sequence[str],
    *,
    claims: Sequence[str] | None,
    **more: str | None,
) -> dict[str, Any]:
    """The row under test.

    Raises:
        InputError: The system gave no text: an answer that is None is not one that says nothing.
    """
    passages = [contexts] if isinstance(contexts, str) else contexts
    listed = isinstance(passages, list | tuple) and all(isinstance(p, str) for p in passages)
    problems = [
        Problem("assert_faithful", law, "Correct the call.", field=name, got=short_repr(got))
        for name, got, holds, law in (
            ("answer", answer, isinstance(answer, str), "the answer is text"),
            ("contexts", contexts, listed, "the contexts are a text, or a list of texts"),
        )
        if not holds
    ]
    if problems:
        raise InputError(problems)
    row = {"answer_id": "asserted", "answer": answer, "context": list(passages), **more}
    row["claims"] = None if claims is None else list(claims)
    return {name: value for name, value in row.items() if value is not None}


def _held(told: Defaults, found: Evaluation, undefined: Undefined) -> MetricScore:
    """The score, where the assertion holds."""
    from metajudge.metrics.gate.unmet import not_measured, unmet

    __tracebackhide__ = True
    (score,), (account,) = found.rows[0].scores.values(), found.summary.metrics
    for tally in (told.tally, told.spent):
        _count(tally, found.summary.calls)
    problem = not_measured(score, found.summary.calls)
    if problem is not None:
        told.tally.not_measured += 1
        raise NotMeasured(f"{told.metric} was not measured: {problem}")
    failed = unmet(score, account, told.min_score, undefined)
    if failed is not None:
        told.tally.failed += 1
        raise AssertionError(failed)
    told.tally.passed += 1
    return score


def _evaluated(row: Mapping[str, Any], told: Defaults) -> Evaluation:
    from metajudge.metrics.evaluate import evaluate
    from metajudge.metrics.gate.beside import beside_a_loop

    return beside_a_loop(lambda: evaluate([dict(row)], [told.metric], settings=_settings(told)))


async def _evaluated_async(row: Mapping[str, Any], told: Defaults) -> Evaluation:
    """The same, alone in its event loop where there is a budget to keep."""
    import asyncio
    from contextlib import nullcontext

    from metajudge.metrics.evaluate import evaluate_async

    loop = asyncio.get_running_loop()
    turn = _turns.setdefault(loop, asyncio.Lock()) if told.is_bounded else nullcontext()
    async with turn:
        return await evaluate_async([dict(row)], [told.metric], settings=_settings(told))


def _settings(told: Defaults) -> EvaluateSettings:
    from metajudge.metrics.evaluate import releases_by_metric
    from metajudge.metrics.settings import EvaluateSettings
    from metajudge.runner.call import RunReport
    from metajudge.runner.leases import LEASE_S
    from metajudge.runner.limits import Budget

    budget = Budget(usd=told.most_usd, calls=0 if told.offline else told.most_calls)
    spent = RunReport(told.spent.sent, sent=told.spent.sent, cost_usd=told.spent.usd)
    return EvaluateSettings(
        judge=told.judge,
        releases=releases_by_metric(None if told.release is None else opened(told.release, told)),
        policies={} if told.policy is None else {told.metric: told.policy},
        store=told.store,
        recordings=told.recordings,
        budget=budget.left([spent]),
        lease_s=LEASE_S,
    )


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
