from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from metajudge.agreement.tails import incomplete_beta
from metajudge.metrics.cascade.cut_offs import Claims, line, lines, loss_at, lowest, needed, risk_of
from metajudge.metrics.cascade.risk import p_value

DRAWS, CONTEXTS = 1000, 120


def claims(rows):
    """(screen, judge, unsupported, answer, context) a row."""
    screen, judge, bad, answers, contexts = map(np.array, zip(*rows, strict=True))
    return Claims(screen.astype(float), judge.astype(float), bad.astype(bool), answers, contexts)


def alone(scores, bad):
    """One claim a context, no screen."""
    n = len(scores)
    return Claims(
        np.zeros(n), np.asarray(scores, float), np.asarray(bad, bool), np.arange(n), np.arange(n)
    )


def test_the_cut_off_is_the_lowest_score_above_the_first_claim_too_many():
    scores = [0.9, 0.8, 0.7, 0.6] + [0.1] * 100
    bad = [False, True, False, True] + [True] * 100
    risk = risk_of(alone(scores, bad), None, "claim")
    assert risk.n_contexts == 102
    assert risk.test == "binomial"
    # 0 or 1 of 102 may be missed at 5 %, 2 may not: p = 0.0053, 0.034, 0.11
    assert [round(p_value(k / 102, 102, 0.05, "binomial"), 3) for k in range(3)] == [
        0.005, 0.034, 0.11,
    ]  # fmt: skip
    assert lowest(risk, 0.05, 0.05) == (0.7, True)
    assert lowest(risk, 0.05, 0.01) == (0.9, True)
    assert lowest(risk, 0.05, 0.001) == (None, False)


def test_equal_scores_pass_together_or_not_at_all():
    scores = [0.9] + [0.8] * 3 + [0.1] * 100
    bad = [False] + [True] * 103
    cut, holds = lowest(risk_of(alone(scores, bad), None, "claim"), 0.05, 0.05)
    assert (cut, holds) == (0.9, True)


def test_each_context_counts_once_whatever_its_size():
    rows = [(0, 0.9, True, 0, 0)] * 9 + [(0, 0.9, True, 1, 1)] + [(0, 0.1, True, 2, 2)]
    risk = risk_of(claims(rows), None, "claim")
    assert risk.test == "hoeffding-bentkus"
    assert loss_at(risk, 0.5) == pytest.approx(2 / 3)


def test_an_answer_is_missed_where_its_worst_claim_passes():
    rows = [
        (0, 0.9, True, 0, 0),
        (0, 0.2, False, 0, 0),
        (0, 0.9, True, 1, 1),
        (0, 0.8, False, 1, 1),
        (0, 0.9, False, 2, 2),
    ]
    risk = risk_of(claims(rows), None, "answer")
    assert risk.n_contexts == 2
    assert loss_at(risk, 0.5) == 0.5
    assert loss_at(risk, 0.2) == 1.0


def test_a_claim_without_a_score_never_passes():
    rows = [(np.nan, np.nan, True, 0, 0), (1.0, np.nan, True, 1, 1), (1.0, 0.1, False, 2, 2)]
    risk = risk_of(claims(rows), 1.0, "claim")
    assert loss_at(risk, 0.0) == 0.5
    assert loss_at(risk, None) == 0.5


def test_the_screen_alone_can_break_the_rate():
    rows = [(1.0, 0.0, True, i, i) for i in range(60)]
    found = line(claims(rows), 1.0, "claim", 0.05, 0.05)
    assert not found.holds
    assert found.strictest == 1.0


def test_what_is_needed_is_told_without_a_miss_and_as_seen():
    found = lines(alone([0.9, 0.1, 0.2], [True, True, True]), (None,), "claim", 0.1, 0.05)
    assert not any(one.holds for one in found)
    assert needed(found, 0.1) == (29, None), "the best score of all is a miss"
    kind = alone([0.9, 0.1, 0.2], [False, True, True])
    assert needed(lines(kind, (None,), "claim", 0.1, 0.05), 0.1) == (29, 29)


def test_no_unsupported_claim_is_no_evidence():
    found = line(alone([0.9, 0.8], [False, False]), None, "claim", 0.1, 0.05)
    assert (found.holds, found.n_contexts, found.p) == (False, 0, 1.0)


def draw(rng, n_contexts):
    """Contexts with 1 to 5 unsupported and 0 to 4 supported claims that share an effect."""
    sizes = rng.integers(1, 6, n_contexts)
    good = rng.integers(0, 5, n_contexts)
    contexts = np.repeat(np.arange(n_contexts), sizes + good)
    first = np.concatenate([np.arange(a + b) < a for a, b in zip(sizes, good, strict=True)])
    effect = rng.normal(0, 1.0, n_contexts)[contexts]
    shift = np.where(first, -1.0 + 0.2 * sizes[contexts], 1.2)  # large contexts are harder
    judge = 1 / (1 + np.exp(-(shift + effect + rng.normal(0, 0.7, len(contexts)))))
    noise = rng.normal(0, 1.2, len(contexts))
    screen = 1 / (1 + np.exp(-(0.8 * shift + effect + noise)))
    return Claims(screen, judge, first, contexts, contexts)


@pytest.mark.parametrize(("rate", "delta"), [(0.2, 0.1), (0.1, 0.2)])
def test_over_1000_gold_sets_the_true_rate_is_above_the_stated_one_at_most_delta(rate, delta):
    """Clustered claims, and the cheapest of three lines taken on the same sample."""
    rng = np.random.default_rng(7)
    truth = draw(rng, 30_000)
    cuts = (None, 0.95, 0.85)
    risks = {cut: risk_of(truth, cut, "claim") for cut in cuts}
    broken = passing = 0
    for _ in range(DRAWS):
        sample = draw(rng, CONTEXTS)
        found = [one for one in lines(sample, cuts, "claim", rate, delta) if one.holds]
        found = [one for one in found if one.passes_something]
        if not found:
            continue
        passing += 1
        best = max(found, key=lambda one: _passed(sample, one))
        broken += loss_at(risks[best.screen], best.judge) > rate
    assert passing > 0.9 * DRAWS, "the guarantee is not empty"
    # P(Bin(1000, delta) >= broken) is not tiny
    assert broken == 0 or incomplete_beta(delta, broken, DRAWS - broken + 1) > 1e-3, broken


def test_over_1000_gold_sets_of_one_claim_a_context_the_exact_test_keeps_delta_and_uses_it():
    """No screen: the binomial test spends most of what it may, and not more."""
    rng, rate, delta = np.random.default_rng(11), 0.1, 0.1
    broken = 0
    for _ in range(DRAWS):
        bad = rng.random(300) < 0.6
        scores = np.where(bad, rng.random(300) ** 2, rng.random(300) ** 0.5)
        found = line(alone(scores, bad), None, "claim", rate, delta)
        # P(U ** 2 >= t) = 1 - sqrt(t)
        broken += found.judge is not None and 1 - np.sqrt(found.judge) > rate
    assert incomplete_beta(delta, broken, DRAWS - broken + 1) > 1e-3, broken
    assert broken > 0.25 * delta * DRAWS


def _passed(sample, one):
    by_screen = np.zeros(len(sample.judge), bool) if one.screen is None else (
        sample.screen >= one.screen
    )  # fmt: skip
    limit = np.inf if one.judge is None else one.judge
    return int((by_screen | (sample.judge >= limit)).sum())


def test_no_lower_cut_off_would_have_done():
    """Against every cut-off tried one by one."""
    rng = np.random.default_rng(3)
    for unit, cut in product(("claim", "answer"), (None, 0.9)):
        sample = draw(rng, 60)
        risk = risk_of(sample, cut, unit)
        found, holds = lowest(risk, 0.25, 0.1)
        good = [
            t for t in risk.observed
            if all(
                p_value(loss_at(risk, s), risk.n_contexts, 0.25, risk.test) <= 0.1
                for s in risk.observed[risk.observed >= t]
            )
        ]  # fmt: skip
        assert holds
        assert found == min(good)
