"""The rule: any criterion broken holds the change, else any open one collects, else it is adopted.

A criterion on a difference is kept when the whole paired interval is on the good side of its bound,
broken when the whole of it is beyond, and open in between. Two are held by their value: coverage,
which is counted and not estimated, and whether every call was answered. Where replies are still to
come, coverage is broken once no reply could mend it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

from metajudge.release.consult.needed import ROUNDING, half_width, needed
from metajudge.release.consult.rule_words import spoken
from metajudge.report.consult_results import OnGold, Repeats, Thresholds
from metajudge.report.consult_rule import (
    Collect,
    Criterion,
    CriterionName,
    Decision,
    Rule,
    State,
    Why,
)
from metajudge.report.part import Figure
from metajudge.selection.columns import SUMMARY_SLICES

MOST = 100_000
"""Labels or answers above which no number is given."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a change may do.

    Attributes:
        coverage: Least share of claims with a verdict under the proposed side that its policy can
            score.
        over_credit_difference: Most that over-credit on gold may rise.
        summary_as_idk_difference: Most that summary-as-idk on gold may rise.
        kappa_difference: Most that kappa on gold may fall, as a negative number.
        over_credit_upper: Most over-credit that the proposed side may have.
        pass_agreement_difference: Most that pass/fail agreement with gold may fall, negative.
        score_error_difference: Most that the mean error of scores against gold scores may rise,
            for a change of the policy alone.
        pass_rate_known: Half-width that the interval of the pass-rate shift may have.
        repeat_flips: Least that flips between the sides exceed those between repeats.
    """

    coverage: float = 0.98
    over_credit_difference: float = 0.02
    summary_as_idk_difference: float = 0.02
    kappa_difference: float = -0.02
    over_credit_upper: float = 0.10
    pass_agreement_difference: float = -0.02
    score_error_difference: float = 0.02
    pass_rate_known: float = 0.10
    repeat_flips: float = 0.0


class Findings(NamedTuple):
    """What the rule is applied to.

    Attributes:
        coverage: Share of the sample's claims with a verdict that can be scored, proposed side.
        pass_rate_shift: On the sample.
        on_gold: Both sides on gold; None without gold.
        repeats: Flips of repeats.
        thresholds: Where rates stay as they are.
        pure_policy: Both sides have the same verdicts.
        same: Nothing differs at all.
        needed: Calls needed.
        unanswered: Of these, without a reply.
        claims: Claims of the sample.
        answers: Answers of the sample.
        gold_claims: Labelled claims.
        gold_answers: Answers of these.
        not_yes_slices: Slices most of whose claims gold does not call yes, most claims first.
        level: Coverage of intervals.
        left_out: Claims of the sample beside these, since part of their calls has no reply.
    """

    coverage: Figure
    pass_rate_shift: Figure
    on_gold: OnGold | None
    repeats: Repeats
    thresholds: Thresholds
    pure_policy: bool
    same: bool
    needed: int
    unanswered: int
    claims: int
    answers: int
    gold_claims: int
    gold_answers: int
    not_yes_slices: tuple[str, ...]
    level: float = 0.95
    left_out: int = 0


def apply_rule(found: Findings, bounds: Bounds) -> Rule:
    """The table of criteria, what follows from it, and what to collect."""
    criteria = tuple(_criteria(found, bounds))
    decision = _decision(found, criteria)
    collect = tuple(_collected(found, criteria)) if decision == "collect" else ()
    words = spoken(decision, criteria, collect, found.thresholds, pure_policy=found.pure_policy)
    return Rule(
        bounds=asdict(bounds),
        pure_policy=found.pure_policy,
        criteria=criteria,
        decision=decision,
        collect=collect,
        sentence=words.en,
        sentence_zh=words.zh,
    )


def _decision(found: Findings, criteria: Sequence[Criterion]) -> Decision:
    states = {criterion.state for criterion in criteria}
    if found.same:
        return "nothing_changes"
    if "broken" in states:
        return "hold"
    return "collect" if "open" in states else "adopt"


class _Held(NamedTuple):
    """A difference on gold that is held to a bound.

    Attributes:
        name: The criterion.
        key: The figure.
        bound: Its bound.
        low_is_good: Whether it may not rise, rather than not fall.
        moved: Whether a change of the policy alone can move it.
    """

    name: CriterionName
    key: str
    bound: float
    low_is_good: bool
    moved: bool


def _criteria(found: Findings, bounds: Bounds) -> Iterator[Criterion]:
    """The rows of the table; where nothing differs, none of them can move, asked or not."""
    for row in _applied(found, bounds):
        alike = {"got": None, "state": "unmoved", "why": "same_verdicts"}
        yield row.model_copy(update=alike) if found.same else row


def _applied(found: Findings, bounds: Bounds) -> Iterator[Criterion]:
    yield _complete(found)
    yield _covered(found, bounds.coverage)
    for row in _differences(bounds, pure_policy=found.pure_policy):
        yield _on_gold(found, row)
    yield _guardrail(found, bounds.over_credit_upper)
    yield _known(bounds.pass_rate_known, found.pass_rate_shift)
    yield _repeated(found, bounds.repeat_flips)


def _differences(bounds: Bounds, *, pure_policy: bool) -> Iterator[_Held]:
    rise, summary = bounds.over_credit_difference, bounds.summary_as_idk_difference
    yield _Held("over_credit_difference", "over_credit", rise, True, False)
    yield _Held("summary_as_idk_difference", "summary_as_idk", summary, True, False)
    yield _Held("kappa_difference", "kappa", bounds.kappa_difference, False, False)
    agreement = bounds.pass_agreement_difference
    yield _Held("pass_agreement_difference", "pass_agreement", agreement, False, True)
    if pure_policy:
        error = bounds.score_error_difference
        yield _Held("score_error_difference", "score_mae", error, True, True)


def _complete(found: Findings) -> Criterion:
    state: State = "open" if found.unanswered else "kept"
    return Criterion(
        name="budget_complete",
        bound=None,
        kept_if="complete",
        got=None,
        state=state,
        why="unanswered" if found.unanswered else "within_bound",
    )


def _covered(found: Findings, bound: float) -> Criterion:
    got = found.coverage
    if got.value is None:
        return _row("coverage", bound, got, "open", low_is_good=False)
    if got.value >= bound - ROUNDING:
        return _row("coverage", bound, got, "kept", low_is_good=False)
    lost = (1 - got.value) * found.claims
    best = 1 - lost / max(found.claims + found.left_out, 1)
    if best < bound - ROUNDING:
        return _row("coverage", bound, got, "broken", low_is_good=False)
    row = _row("coverage", bound, got, "open", low_is_good=False)
    return row.model_copy(update={"why": "unanswered"})


def _on_gold(found: Findings, row: _Held) -> Criterion:
    if found.on_gold is None:
        return _without_gold(row.name, row.bound, low_is_good=row.low_is_good)
    got = found.on_gold.differences[row.key]
    state: State = "unmoved"
    if row.moved or not found.pure_policy:
        state = held(got, row.bound, low_is_good=row.low_is_good)
    return _row(row.name, row.bound, got, state, low_is_good=row.low_is_good)


def _guardrail(found: Findings, bound: float) -> Criterion:
    if found.on_gold is None:
        return _without_gold("over_credit_upper", bound, low_is_good=True)
    got = found.on_gold.proposed["over_credit"]
    state = "unmoved" if found.pure_policy else held(got, bound, low_is_good=True)
    return _row("over_credit_upper", bound, got, state, low_is_good=True)


def _without_gold(name: CriterionName, bound: float, *, low_is_good: bool) -> Criterion:
    return Criterion(
        name=name,
        bound=bound,
        kept_if="at_most" if low_is_good else "at_least",
        got=None,
        state="open",
        why="no_gold",
    )


def _known(bound: float, shift: Figure) -> Criterion:
    """Whether the pass-rate shift is known well enough; too few answers never hold a change."""
    name: CriterionName = "pass_rate_shift_known"
    half = half_width(shift)
    kept = half is not None and half <= bound + ROUNDING
    return Criterion(
        name=name,
        bound=bound,
        kept_if="at_most",
        got=shift,
        state="kept" if kept else "open",
        why="within_bound" if kept else ("undefined" if half is None else "too_few_answers"),
    )


def _repeated(found: Findings, bound: float) -> Criterion:
    name: CriterionName = "repeat_flips"
    got = found.repeats.beyond
    if not found.repeats.measured or got is None:
        return Criterion(
            name=name,
            bound=bound,
            kept_if="at_least",
            got=None,
            state="not_measured",
            why="one_draw",
        )
    state = "unmoved" if found.pure_policy else held(got, bound, low_is_good=False)
    return _row(name, bound, got, state, low_is_good=False)


def held(got: Figure, bound: float, *, low_is_good: bool) -> State:
    """Whether an interval keeps a bound, breaks it, or leaves it open.

    >>> held(Figure(value=0.0, low=-0.01, high=0.02, n=9), 0.02, low_is_good=True)
    'kept'
    >>> held(Figure(value=0.1, low=0.02, high=0.2, n=9), 0.02, low_is_good=True)
    'open'
    """
    if got.value is None or got.low is None or got.high is None:
        return "open"
    if low_is_good:
        good, bad = got.high <= bound + ROUNDING, got.low > bound + ROUNDING
    else:
        good, bad = got.low >= bound - ROUNDING, got.high < bound - ROUNDING
    return "kept" if good else ("broken" if bad else "open")


def _row(
    name: CriterionName, bound: float, got: Figure, state: State, *, low_is_good: bool
) -> Criterion:
    undefined = got.value is None or got.low is None
    reasons: dict[State, Why] = {
        "kept": "within_bound",
        "broken": "beyond_bound",
        "open": "undefined" if undefined else "interval_holds_bound",
        "unmoved": "same_verdicts",
    }
    return Criterion(
        name=name,
        bound=bound,
        kept_if="at_most" if low_is_good else "at_least",
        got=got,
        state=state,
        why=reasons[state],
    )


def _collected(found: Findings, criteria: Sequence[Criterion]) -> Iterator[Collect]:
    for criterion in criteria:
        # The replies that coverage waits for are those of the first row.
        waits = criterion.name == "coverage" and criterion.why == "unanswered"
        if criterion.state == "open" and not waits:
            yield _collect(found, criterion)


def _collect(found: Findings, criterion: Criterion) -> Collect:
    name, got = criterion.name, criterion.got
    if name == "budget_complete":
        have = found.needed - found.unanswered
        return Collect(criterion=name, what="replies", slices=(), have=have, more=found.unanswered)
    if name in ("pass_rate_shift_known", "coverage", "repeat_flips"):
        return _answers(found, criterion)
    if got is None:
        reason = "there is no gold set to measure it on"
        return Collect(criterion=name, what="labels", slices=(), have=0, more=None, reason=reason)
    slices = _slices(found, name)
    need = needed(got, criterion.bound or 0.0, found.level)
    have = got.n
    if name in ("pass_agreement_difference", "score_error_difference"):
        # These count answers, and labels are given to claims.
        per_answer = found.gold_claims / max(found.gold_answers, 1)
        have = found.gold_claims
        need = None if need is None else math.ceil(need * per_answer)
    return _counted(criterion, "labels", slices, have, need)


def _answers(found: Findings, criterion: Criterion) -> Collect:
    got, bound = criterion.got, criterion.bound or 0.0
    half = None if got is None else half_width(got)
    if criterion.name == "pass_rate_shift_known":
        need = None if half is None or got is None else math.ceil(got.n * (half / bound) ** 2)
    else:
        claims = None if got is None else needed(got, bound, found.level)
        per_answer = found.claims / max(found.answers, 1)
        need = None if claims is None else math.ceil(claims / per_answer)
    return _counted(criterion, "answers", (), found.answers, need)


def _counted(
    criterion: Criterion, what: str, slices: tuple[str, ...], have: int, need: int | None
) -> Collect:
    undefined = criterion.why == "undefined"
    reason = "the figure is undefined: " + ((criterion.got and criterion.got.reason) or "no claim")
    if not undefined:
        reason = f"the figure stands too near its bound: over {MOST:,} would be needed"
    more = None if need is None else max(need - have, 1)
    if more is not None and more > MOST:
        more = None
    return Collect(
        criterion=criterion.name,
        what="labels" if what == "labels" else "answers",
        slices=slices,
        have=have,
        more=more,
        reason=None if more is not None else reason,
    )


def _slices(found: Findings, name: CriterionName) -> tuple[str, ...]:
    if name == "summary_as_idk_difference":
        return SUMMARY_SLICES
    return found.not_yes_slices if name.startswith("over_credit") else ()
