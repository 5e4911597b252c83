"""Races: who stops when and why, who comes back, how often the full grid's choice is lost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from metajudge.agreement.bootstrap import cluster_weights
from metajudge.selection.guardrails import Bounds
from metajudge.selection.racing import race
from metajudge.selection.racing.blocks import bare_measurer, stratified_blocks
from metajudge.selection.racing.bounds import guardrails_in
from metajudge.selection.racing.race import Race
from metajudge.selection.ranking import rank
from metajudge.selection.rule import Contest
from tests.selection.racing_worlds import LIFTED, keys_of, planted, run


def contest(n: int, target: str = "summary_as_idk", **bounds: float | None) -> Contest:
    named = {field: None for field in ("over_credit_above_baseline", "slice_loss")} | bounds
    return Contest(target, Bounds(**named), None, np.zeros(n))  # type: ignore[arg-type]


def lifted(n: int, target: str) -> Contest:
    return Contest(target, LIFTED, None, np.zeros(n))


def full_first(columns, codes, contested: Contest) -> int | None:
    rule = contested.rule(bare_measurer(columns, keys_of(len(codes)), codes, "context", 0.95))
    found = rule.first(np.ones((1, columns.contexts.n_clusters)))
    return int(found.row[0]) if found.safe[0] else None


def test_a_breaker_stops_by_counting_and_is_no_winner() -> None:
    """The one with the best target breaks the guardrail: it stops, and is never first."""
    columns, codes = planted(1, 3, 360, over=[0.4, 0.0, 0.01], idk=[0.0, 0.1, 0.5])
    race = run(columns, codes, contest(3))
    found = race.outcome()
    stop = next(s for s in found.stopped if s.row == 0)
    assert stop.why == "guardrail over_credit_upper" and stop.by is None
    assert stop.limit is not None and stop.bound == 0.10 and stop.limit > 0.10
    assert stop.claims < 120
    assert (found.first, found.safe) == (1, True)
    assert found.calls < found.calls_full and found.chance_otherwise < 0.1


def test_no_safe_winner_is_what_a_race_of_breakers_comes_to() -> None:
    columns, codes = planted(2, 4, 240, over=[0.3, 0.35, 0.4, 0.5])
    for method in ("bound", "halving", "wilcoxon"):
        found = run(columns, codes, contest(4), method=method).outcome()
        assert (found.first, found.safe, found.ties) == (None, False, ())
        assert found.calls < 0.5 * found.calls_full and found.chance_otherwise < 0.05


def test_who_is_beaten_comes_back_when_the_other_breaks_a_guardrail() -> None:
    """A first wins on the target and breaks a guardrail late: B is asked what it lacks."""
    columns, codes = planted(3, 2, 360, over=[0.0, 0.0], idk=[0.0, 0.6])
    blocks = stratified_blocks(columns, 30, 1)
    late = np.concatenate(blocks[8:])
    errors = late[columns.gold[late] != 0]
    codes[0, errors] = 0
    race = Race(
        columns, keys_of(2), np.arange(2), contest=contest(2), blocks=blocks, seed=1, end_at=None
    )
    said, came_back = np.full(codes.shape, -1), False
    out_before: set[int] = set()
    while (block := race.block()) is not None:
        cells = np.ix_(race.running, block)
        said[cells] = codes[cells]
        race.take(said)
        out = {stop.row for stop in race.stopped}
        came_back |= 1 in out_before - out
        out_before = out
    found = race.outcome()
    assert came_back and found.first == 1
    assert [stop.row for stop in found.stopped] == [0]
    assert found.asked[1] == 360


def test_who_breaks_a_guardrail_beside_the_verdicts_is_never_asked() -> None:
    columns, codes = planted(4, 3, 120)
    off = np.array([0.0, np.inf, 0.0])
    found = run(columns, codes, Contest("kappa", LIFTED, None, off)).outcome()
    assert found.asked[1] == 0 and found.first in (0, 2)
    assert (found.stopped[0].row, found.stopped[0].why) == (1, "guardrail beside")


def test_a_trial_goes_on_while_a_reading_of_it_runs_and_is_paid_once() -> None:
    columns, codes = planted(5, 4, 240, over=[0.5, 0.01, 0.4, 0.02], idk=[0.1, 0.1, 0.1, 0.12])
    trial_of = np.array([0, 0, 1, 1])
    race = run(columns, codes, contest(4), trial_of=trial_of)
    found = race.outcome([1, 6])
    assert found.asked.shape == (2,)
    assert found.calls == found.asked[0] + 6 * found.asked[1]
    assert found.calls_full == 7 * 240
    assert all(found.asked[trial_of[stop.row]] >= stop.claims for stop in found.stopped)


def test_the_baseline_runs_as_long_as_any_other_does() -> None:
    columns, codes = planted(6, 4, 240, over=[0.5, 0.02, 0.02, 0.05])
    guarded = Contest("summary_as_idk", Bounds(), 0, np.zeros(4))
    race = run(columns, codes, guarded)
    found = race.outcome()
    stop = next(s for s in found.stopped if s.row == 0)
    assert stop.why == "guardrail over_credit_upper"
    assert found.asked[0] == found.asked.max() > stop.claims


def test_losses_to_the_baseline_stop_a_candidate() -> None:
    columns, codes = planted(7, 3, 360, over=[0.01, 0.01, 0.01], idk=[0.05, 0.05, 0.9])
    codes[1] = codes[0]
    codes[1, columns.in_slices(["literal"]) & (columns.gold == 0)] = 2
    bounds = Bounds(over_credit_upper=None, kappa_above=None)
    found = run(columns, codes, Contest("kappa", bounds, 0, np.zeros(3)), end_at=None).outcome()
    why = {stop.row: stop.why for stop in found.stopped}
    assert (why[1], why[2]) == ("guardrail loss_literal", "guardrail loss_summary_yes")


def test_a_judge_that_fails_or_says_one_thing_stops() -> None:
    columns, codes = planted(8, 3, 240, over=[0.01, 0.01, 0.01])
    codes[1, ::3], codes[2] = 3, 2
    bounds = Bounds(over_credit_upper=None, kappa_above=0.2)
    contested = Contest("kappa", bounds, None, np.zeros(3))
    found = run(columns, codes, contested, end_at=None).outcome()
    why = {stop.row: stop.why for stop in found.stopped}
    assert why[1] == "guardrail coverage" and why[2] in ("guardrail kappa_above", "beaten")
    alone = Contest("kappa", bounds, None, np.zeros(1))
    (stop,) = run(columns, codes[2:], alone, end_at=None).stopped
    assert stop.why == "guardrail kappa_above"
    assert found.first == 0


@pytest.mark.parametrize("target", ["kappa", "summary_as_idk", "balanced_accuracy"])
def test_the_full_grids_choice_is_stopped_in_no_more_worlds_than_stated(target: str) -> None:
    """Candidates close to each other, an error rate of 0.2: who the full grid would choose."""
    lost, worlds = 0, 60
    for seed in range(worlds):
        columns, codes = planted(seed, 5, 120, over=[0.05] * 5, idk=[0.1, 0.12, 0.14, 0.3, 0.5])
        contested = lifted(5, target)
        race = run(columns, codes, contested, error=0.2, seed=seed)
        lost += full_first(columns, codes, contested) in {stop.row for stop in race.stopped}
    assert lost / worlds <= 0.2 + 3 * np.sqrt(0.2 * 0.8 / worlds)


@pytest.mark.slow
def test_close_candidates_under_every_guardrail_end_as_the_full_grid_would_rank_them() -> None:
    """A candidate a hair from a guardrail, or from another: the first sure look is often wrong."""
    right = []
    for seed in range(16):
        columns, codes = planted(seed, 12, 400)
        bare = bare_measurer(columns, keys_of(12), codes, "context", 0.95)
        rng = np.random.default_rng(0)
        measurer = replace(bare, weights=cluster_weights(columns.contexts.n_clusters, 300, rng))
        contested = Contest("summary_as_idk", Bounds(), 0, np.zeros(12))
        ranked = rank(
            measurer,
            measurer.measure(),
            target=contested.target,
            bounds=contested.bounds,
            baseline=contested.baseline,
        )
        ties = {row.index for row in ranked if row.rank == 1} if ranked[0].safe else {None}
        right.append(run(columns, codes, contested, seed=seed).outcome().first in ties)
    assert np.mean(right) >= 0.85


def test_small_blocks_are_no_more_looks_at_which_a_race_may_end(monkeypatch) -> None:
    columns, codes = planted(4, 12, 400)
    looks = []
    best = race._Grids.best
    monkeypatch.setattr(race._Grids, "best", lambda self: looks.append(self) or best(self))
    run(columns, codes, lifted(12, "kappa"), blocks=50)
    assert 1 < len(looks) <= 11


def test_a_clear_winner_is_found_with_few_calls() -> None:
    """Power: one candidate of eight far better than the others."""
    calls, right = [], []
    for seed in range(15):
        columns, codes = planted(seed, 8, 300, over=[0.02] * 8, idk=[0.02] + [0.5] * 7)
        found = run(columns, codes, lifted(8, "summary_as_idk"), seed=seed).outcome()
        right.append(found.first == 0)
        calls.append(found.calls / found.calls_full)
    assert all(right) and np.median(calls) < 0.5


def test_halving_keeps_the_better_half_at_each_rung() -> None:
    columns, codes = planted(9, 8, 320, over=[0.02] * 8, idk=[0.01] + [0.5] * 7)
    race = run(columns, codes, lifted(8, "kappa"), method="halving", blocks=16)
    found = race.outcome()
    left = [sum(stop.claims == n for stop in found.stopped) for n in (40, 80, 160)]
    assert left == [4, 2, 1]
    assert found.first == 0 and {stop.why for stop in found.stopped} == {"halved"}


def test_the_signed_rank_rule_prunes_who_is_worse_than_the_best() -> None:
    columns, codes = planted(10, 4, 240, over=[0.02] * 4, idk=[0.02, 0.6, 0.6, 0.03])
    found = run(columns, codes, lifted(4, "kappa"), method="wilcoxon").outcome()
    gone = {stop.row: stop for stop in found.stopped}
    assert {1, 2} <= set(gone) and 0 not in gone
    assert gone[1].why == "pruned" and gone[1].by in (0, 3)
    assert gone[1].limit is not None and gone[1].limit < 0.05


def test_without_a_method_everything_is_asked() -> None:
    columns, codes = planted(11, 3, 90)
    found = run(columns, codes, contest(3), method="none").outcome()
    assert found.calls == found.calls_full and found.stopped == ()
    assert found.first == full_first(columns, codes, contest(3))
    assert found.chance_otherwise == 0


def test_whole_contexts() -> None:
    columns, codes = planted(12, 4, 240, over=[0.4, 0.02, 0.02, 0.5], idk=[0.1, 0.1, 0.6, 0.1])
    race = run(columns, codes, contest(4, kappa_above=0.0), unit="context")
    found = race.outcome()
    why = {stop.row: stop.why for stop in found.stopped}
    assert why[0] == why[3] == "guardrail over_credit_upper"
    assert found.first in (1, 2, None)


def test_verdicts_may_change_when_more_claims_are_known() -> None:
    """A batch prior moves: the whole matrix is given anew and what it says now is what counts."""
    columns, codes = planted(13, 2, 120, over=[0.02, 0.02], idk=[0.02, 0.02])
    blocks = stratified_blocks(columns, 10, 1)
    race = Race(columns, keys_of(2), np.arange(2), contest=lifted(2, "kappa"), blocks=blocks)
    first = race.block()
    assert first is not None
    said = np.full(codes.shape, -1)
    said[:, first] = 2
    race.take(said)
    said[:, first] = codes[:, first]
    second = race.block()
    assert second is not None and not set(second) & set(first)
    said[:, second] = codes[:, second]
    race.take(said)
    assert (race._codes[:, first] == codes[:, first]).all()


def test_a_running_candidate_without_a_verdict_is_refused() -> None:
    columns, codes = planted(14, 2, 60)
    race = Race(
        columns,
        keys_of(2),
        np.arange(2),
        contest=lifted(2, "kappa"),
        blocks=stratified_blocks(columns, 10, 1),
    )
    with pytest.raises(ValueError, match="no verdict"):
        race.take(np.full(codes.shape, -1))


def test_the_same_seed_is_the_same_race() -> None:
    columns, codes = planted(15, 5, 120)
    found = [run(columns, codes, lifted(5, "kappa")).outcome() for _ in range(2)]
    assert found[0].stopped == found[1].stopped
    assert (found[0].first, found[0].chance_otherwise) == (
        found[1].first,
        found[1].chance_otherwise,
    )


def test_guardrails_among_which_the_error_is_shared() -> None:
    assert guardrails_in(Bounds(), 0) == 7
    assert guardrails_in(Bounds(), None) == 3
    assert guardrails_in(LIFTED, 0) == 0


def test_where_nobody_may_be_asked_nothing_is() -> None:
    columns, codes = planted(16, 2, 60)
    race = run(columns, codes, Contest("kappa", LIFTED, None, np.full(2, np.inf)))
    found = race.outcome()
    assert race.block() is None and found.calls == 0
    assert (found.first, found.chance_otherwise) == (None, 0.0)
