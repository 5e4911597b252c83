"""Scores of the cases: every metric, every draw, and which of them rest on failed calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from metajudge.errors import InputError, Problem
from metajudge.metrics.evaluate import evaluate
from metajudge.metrics.evaluation import EvaluationSummary
from metajudge.metrics.gate.cases import Cases
from metajudge.metrics.judged.words import Because, because
from metajudge.metrics.scored import MetricScore
from metajudge.metrics.settings import EvaluateSettings
from metajudge.runner.call import RunReport

CALL_FAILURES = frozenset({"empty", "timeout", "transport", "missing"})
"""Failures of the call, not of the judge: another run may have a verdict."""
_LOST: tuple[Because, ...] = ("no_verdict", "no_probability", "not_yet")


@dataclass(frozen=True, slots=True)
class CaseScore:
    """One metric on one case, over all draws.

    Attributes:
        draws: Score of each draw; None where it has none.
        lost: Whether no draw has a score, and some call failed.
        unread: Units whose reply could not be read, over all draws; they count as asked.
        reason: Of the first draw: why there is no score, or what the score is made of.
    """

    draws: tuple[float | None, ...]
    lost: bool
    unread: int
    reason: str | None

    @property
    def score(self) -> float | None:
        """Mean over the draws that have a score; None where none has."""
        known = [draw for draw in self.draws if draw is not None]
        return sum(known) / len(known) if known else None


@dataclass(frozen=True)
class Scores:
    """Scores of all cases.

    Attributes:
        by_metric: Metric -> scores in the order of the cases.
        summaries: The account of each draw.
    """

    by_metric: Mapping[str, tuple[CaseScore, ...]]
    summaries: tuple[EvaluationSummary, ...]

    @property
    def stopped(self) -> EvaluationSummary | None:
        """The account of a draw that ended early."""
        return next((found for found in self.summaries if found.calls.stopped), None)


def score_cases(
    cases: Cases, metrics: Sequence[str], settings: EvaluateSettings, repeats: int, seed: int
) -> Scores:
    """Evaluates the cases, once a draw; draw k asks with the seed `seed + k`.

    Args:
        cases: The cases.
        metrics: Names of metrics.
        settings: Judge, store, budget; the budget is of all draws together.
        repeats: Draws.
        seed: Of the first draw, where there are several.

    Raises:
        InputError: A case, metric or setting is faulty.
    """
    found: list[dict[str, list[MetricScore]]] = []
    summaries: list[EvaluationSummary] = []
    for own in _draws(settings, repeats, seed, summaries):
        evaluation = evaluate(cases.mappings, metrics, settings=own)
        summaries.append(evaluation.summary)
        found.append({m: [row.scores[m] for row in evaluation.rows] for m in metrics})
        if evaluation.summary.calls.stopped is not None:
            break
    by_metric = {
        metric: tuple(
            _case([draw[metric][place] for draw in found]) for place in range(len(cases.rows))
        )
        for metric in metrics
    }
    return Scores(by_metric, tuple(summaries))


def _draws(
    settings: EvaluateSettings, repeats: int, seed: int, done: Sequence[EvaluationSummary]
) -> Iterator[EvaluateSettings]:
    if repeats == 1:
        yield settings
        return
    sampled = _sampling(settings)
    for draw in range(repeats):
        spent = [
            RunReport(one.calls.needed, sent=one.calls.sent, cost_usd=one.calls.cost_usd)
            for one in done
        ]
        yield replace(sampled, seed=seed + draw, budget=settings.budget.left(spent))


def _sampling(settings: EvaluateSettings) -> EvaluateSettings:
    """Settings in which the seed is the gate's: with a release's judge named as its own is."""
    if settings.judge is not None:
        return settings
    pins = [release.candidate.judge for release in settings.releases.values()]
    law = None
    if len({pin.name for pin in pins}) > 1:
        law = "draws are made by one judge, and the releases pin several"
    elif pins and pins[0].temperature == 0:
        law = "repeats are for judges that sample, and the release's judge has temperature 0"
    if law is not None:
        raise InputError(Problem("gate", law, "Remove repeats, or name a judge.", field="repeats"))
    if not pins:
        return settings
    pin = pins[0]
    return replace(
        settings,
        judge=pin.spec,
        api_base=pin.api_base,
        temperature=pin.temperature,
        timeout_s=pin.timeout_s,
    )


def _case(draws: Sequence[MetricScore]) -> CaseScore:
    scores = tuple(None if is_lost(draw) else draw.score for draw in draws)
    unread = sum(len(draw.failures) for draw in draws)
    nothing = all(score is None for score in scores)
    lost = nothing and any(is_lost(draw) for draw in draws)
    return CaseScore(scores, lost, unread, next(iter(draws)).reason)


def is_lost(score: MetricScore) -> bool:
    """Whether a call failed, so that the score is none or is not to be trusted."""
    if any(unit.failure in CALL_FAILURES for unit in score.units):
        return True
    if score.score is not None:
        return False
    told = score.reason or ""
    heads = [because("list_failed", chinese) for chinese in (False, True)]
    whole = {because(reason, chinese) for reason in _LOST for chinese in (False, True)}
    return told in whole or any(told.startswith(head) for head in heads)
