"""The dry run: what a sweep would ask, how long it would take and what it would cost.

Nothing is asked and no connection is opened; the store is only read. Every figure is a range with
what it rests on beside it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from metajudge.counted import counted
from metajudge.errors import ExperimentError, Problem, StoreError
from metajudge.experiment.build import Prepared
from metajudge.experiment.config import ExperimentConfig, JudgeRef
from metajudge.experiment.study import Study
from metajudge.experiment.sweep import DEFAULT_STORE, Experiment
from metajudge.experiment.token_gauge import FEWEST_STORED, Span, token_gauge
from metajudge.judges.judge import Judge, Request
from metajudge.judges.prices import price_of
from metajudge.runner.absent import obstacle
from metajudge.runner.store import Store
from metajudge.templates.source import PromptSource
from metajudge.verdicts.verdict import Reply

IN_FLIGHT = (8, 64)
"""Calls under way at once where the run adapts their number, assumed."""
COMPUTED = ("baseline:", "scripted:", "recorded:")
COMPUTED_S = (0.0002, 0.005)
CALL_S = (0.3, 2.0)
"""Seconds of a call to a server before it writes, assumed."""
TOKEN_S = (0.01, 0.05)
"""Seconds per token that a server writes, assumed."""
LOCAL_CALL_S = (0.5, 5.0)
LOCAL_TOKEN_S = (0.05, 0.25)
_TIME_SPREAD = (0.7, 1.5)
_TOKEN_SPREAD = (0.8, 1.25)
_FEWEST_REASON_TOKENS = 12


@dataclass(frozen=True, slots=True)
class JudgeForecast:
    """What one judge would be asked.

    Attributes:
        judge: Its spec.
        calls: Distinct calls of the experiment.
        from_store: Of these, answered in the store or in a recording.
        prompt_tokens: Tokens it would read, of the calls still to ask.
        completion_tokens: Tokens it would write.
        token_basis: What the prompt tokens rest on.
        cost_usd: Price in USD with nothing taken from the provider's cache; None when no price is
            known.
        cost_basis: What the cost rests on, or why there is none.
        minutes: Wall time.
        time_basis: What the time rests on.
        obstacle: Why it cannot be asked on this machine; None where nothing stands in the way.
    """

    judge: str
    calls: int
    from_store: int
    prompt_tokens: Span
    completion_tokens: Span
    token_basis: str
    cost_usd: Span | None
    cost_basis: str
    minutes: Span
    time_basis: str
    obstacle: str | None

    @property
    def to_ask(self) -> int:
        """Calls that would go out."""
        return self.calls - self.from_store


@dataclass(frozen=True, slots=True)
class DryRun:
    """What a sweep would do.

    Attributes:
        experiment: Its name.
        claims: Judged claims.
        trials: Trials by name.
        repeats: Draws per claim.
        judges: One forecast a judge.
        notes: What the user should know: budgets that will not reach, languages that lack a
            template.
    """

    experiment: str
    claims: int
    trials: tuple[str, ...]
    repeats: int
    judges: tuple[JudgeForecast, ...]
    notes: tuple[str, ...]

    @property
    def to_ask(self) -> int:
        """Calls that would go out, of all judges."""
        return sum(judge.to_ask for judge in self.judges)

    @property
    def cost_usd(self) -> Span | None:
        """Cost of all judges; None when one has no known price."""
        costs = [judge.cost_usd for judge in self.judges if judge.cost_usd is not None]
        return None if len(costs) < len(self.judges) else _sum(costs)

    @property
    def minutes(self) -> Span:
        """Wall time; judges are asked one after the other."""
        return _sum([judge.minutes for judge in self.judges])


class _Open(NamedTuple):
    """One call still to ask, with the template that shapes its reply; None for an extraction."""

    request: Request
    source: PromptSource | None


def dry_run(
    experiment: Experiment,
    *,
    store: str | Path = DEFAULT_STORE,
    limit: int | None = None,
    use_recordings: bool = True,
) -> DryRun:
    """What `experiment.sweep` with the same arguments would ask.

    A store that is not there is not made, and recordings are not written into the store.

    Raises:
        InputError: Something the experiment names is faulty.
        StoreError: The store cannot be read.
    """
    prepared = experiment.prepare(limit)
    found: dict[str, Reply] = {}
    with ExitStack() as stack:
        stores = []
        if use_recordings and experiment.config.recordings:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            recorded = stack.enter_context(Store(Path(folder) / "recordings.sqlite"))
            _load(experiment, recorded)
            stores.append(recorded)
        if Path(store).exists():
            stores.append(stack.enter_context(Store(store)))
        plan = experiment.plan(prepared)
        for wanted in (plan.truths, plan.calls):
            keys = {entry.call.key for calls in wanted.values() for entry in calls}
            for replies in stores:
                found |= replies.get_many(keys)
            plan = experiment.plan(prepared, found) if plan.truths else plan
    return forecast(experiment.config, prepared, plan, found)


def forecast(
    config: ExperimentConfig, prepared: Prepared, plan: Study, found: Mapping[str, Reply]
) -> DryRun:
    """The dry run of a plan.

    Args:
        config: The experiment.
        prepared: Its judges.
        plan: Its calls.
        found: Replies that are already there, by key.
    """
    judges = tuple(
        _judge_forecast(prepared.refs[name], judge, _open_calls(plan, name), found)
        for name, judge in prepared.judges.items()
    )
    waiting: tuple[str, ...] = ()
    if plan.waiting:
        waiting = ("Verdicts on extracted facts are not counted: the facts come first.",)
    return DryRun(
        experiment=config.name,
        claims=len(plan.claims),
        trials=tuple(trial.name for trial in plan.trials),
        repeats=config.repeats,
        judges=judges,
        notes=(*prepared.notes, *waiting, *_budget_notes(config, judges)),
    )


def _open_calls(plan: Study, name: str) -> dict[str, _Open]:
    """A judge's calls by key, extractions first."""
    calls = {entry.call.key: _Open(entry.call.request, None) for entry in plan.truths.get(name, ())}
    for planned in plan.calls.get(name, ()):
        calls[planned.call.key] = _Open(planned.call.request, planned.source)
    return calls


def _load(experiment: Experiment, store: Store) -> None:
    for name in experiment.config.recordings:
        try:
            store.load(experiment.path.parent / name)
        except StoreError as error:
            law = f"a recording must be readable: {error}"
            mend = "Correct the path, or take it out of recordings."
            problem = Problem(str(experiment.path), law, mend, field="recordings")
            raise ExperimentError(problem) from None


def _judge_forecast(
    ref: JudgeRef, judge: Judge, distinct: Mapping[str, _Open], found: Mapping[str, Reply]
) -> JudgeForecast:
    stored = [(call, found[key]) for key, call in distinct.items() if key in found]
    wanted = [call for key, call in distinct.items() if key not in found]
    gauge = token_gauge(ref.spec, [(call.request, reply) for call, reply in stored])
    prompts = [gauge.of(call.request) for call in wanted]
    written = _written_tokens(wanted, stored)
    cost, cost_basis = _cost(ref.spec, prompts, written)
    minutes, time_basis = _minutes(ref, judge, wanted, written, stored)
    barrier = obstacle(ref.spec) if wanted else None
    return JudgeForecast(
        judge=ref.key,
        calls=len(distinct),
        from_store=len(stored),
        prompt_tokens=_sum(prompts),
        completion_tokens=_sum(written),
        token_basis=gauge.basis if wanted else "nothing to ask",
        cost_usd=cost,
        cost_basis=cost_basis,
        minutes=minutes,
        time_basis=time_basis,
        obstacle=None if barrier is None else barrier.sentence,
    )


def _form(call: _Open) -> tuple[str, bool, int, int]:
    """Calls of one form write replies of like length."""
    source = call.source
    if source is None:
        return "facts", False, 0, call.request.max_tokens
    answer = source.answer
    return answer.form, answer.json_, source.claims_per_call, call.request.max_tokens


def _written_tokens(wanted: Sequence[_Open], stored: Sequence[tuple[_Open, Reply]]) -> list[Span]:
    """Tokens of each reply: as stored replies of the same form had, else from 1 to the most."""
    counts: dict[tuple[str, bool, int, int], list[int]] = {}
    for call, reply in stored:
        if reply.completion_tokens:
            counts.setdefault(_form(call), []).append(reply.completion_tokens)
    spans = []
    for call in wanted:
        seen = counts.get(_form(call), ())
        most = call.request.max_tokens
        if len(seen) >= FEWEST_STORED:
            mean = sum(seen) / len(seen)
            low, high = (mean * spread for spread in _TOKEN_SPREAD)
            spans.append(Span(max(1.0, low), max(1.0, min(float(most), high))))
            continue
        fewest = _fewest_tokens(call.source)
        spans.append(Span(min(fewest, most), most))
    return spans


def _fewest_tokens(source: PromptSource | None) -> int:
    if source is None:
        return _FEWEST_REASON_TOKENS
    label_only = source.answer.form == "label_only" and not source.answer.json_
    return source.claims_per_call * (1 if label_only else _FEWEST_REASON_TOKENS)


def _cost(spec: str, prompts: Sequence[Span], written: Sequence[Span]) -> tuple[Span | None, str]:
    if not prompts:
        return Span(0.0, 0.0), "nothing to ask"
    low = high = 0.0
    for prompt, reply in zip(prompts, written, strict=True):
        least = price_of(spec, round(prompt.low), round(reply.low))
        most = price_of(spec, round(prompt.high), round(reply.high))
        if least is None or most is None:
            return None, "unknown: litellm's price table has no price for this model"
        low, high = low + least, high + most
    if high == 0.0:
        return Span(0.0, 0.0), "this judge costs nothing"
    return Span(low, high), "litellm's price table, nothing taken from the provider's cache"


def _minutes(
    ref: JudgeRef,
    judge: Judge,
    wanted: Sequence[_Open],
    written: Sequence[Span],
    stored: Sequence[tuple[_Open, Reply]],
) -> tuple[Span, str]:
    if not wanted:
        return Span(0.0, 0.0), "nothing to ask"
    exact = min(filter(None, (ref.max_in_flight, judge.max_in_flight)), default=None)
    few, many = (exact, exact) if exact is not None else IN_FLIGHT
    latencies = [reply.latency_ms for _, reply in stored if reply.latency_ms is not None]
    if len(latencies) >= FEWEST_STORED and not ref.spec.startswith(COMPUTED):
        one = Span(*_TIME_SPREAD).times(sum(latencies) / len(latencies) / 1000)
        seconds = one.times(len(wanted))
        basis = f"{counted(len(latencies), 'stored replies')} of this judge"
    else:
        seconds, basis = _assumed_seconds(ref.spec, written), "assumed for this kind of judge"
    at_once = (
        "one call" if many == 1 else f"{few} calls" if few == many else f"{few} to {many} calls"
    )
    basis += f", {at_once} at a time"
    low = min(seconds.low / min(many, len(wanted)), seconds.high)
    return Span(low / 60, seconds.high / min(few, len(wanted)) / 60), basis


def _assumed_seconds(spec: str, written: Sequence[Span]) -> Span:
    """Seconds of all calls one after the other."""
    n, tokens = len(written), _sum(written)
    if spec.startswith(COMPUTED):
        return Span(*COMPUTED_S).times(n)
    call, token = (LOCAL_CALL_S, LOCAL_TOKEN_S) if spec.startswith("local:") else (CALL_S, TOKEN_S)
    return Span(*call).times(n).plus(tokens.times(*token))


def _budget_notes(config: ExperimentConfig, judges: Sequence[JudgeForecast]) -> list[str]:
    budget = config.budget
    notes = []
    calls = sum(judge.to_ask for judge in judges)
    if budget.calls is not None and calls > budget.calls:
        notes.append(f"{counted(calls, 'calls are')} to ask, the budget has {budget.calls:,}.")
    costs = [judge.cost_usd for judge in judges if judge.cost_usd is not None]
    if budget.usd is not None and _sum(costs).high > budget.usd:
        notes.append(
            f"the cost may reach {_sum(costs).high:.2f} USD, the budget has {budget.usd:g} USD."
        )
    if budget.usd is not None and len(costs) < len(judges):
        notes.append("a budget in USD cannot be kept for a judge without a known price.")
    minutes = _sum([judge.minutes for judge in judges])
    if budget.minutes is not None and minutes.high > budget.minutes:
        notes.append(f"it may take {minutes.high:.1f} minutes, the budget has {budget.minutes:g}.")
    return notes


def _sum(spans: Sequence[Span]) -> Span:
    return Span(sum(span.low for span in spans), sum(span.high for span in spans))
