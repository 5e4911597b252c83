"""Does the search find what is planted, and does a guardrail breaker ever come first."""

from __future__ import annotations

import pytest

from tests.selection.planted import SPACE, searched

TRIALS = 96


def found(seeds: range) -> int:
    """Runs in which the planted best comes first; fails where a breaker does."""
    hits = 0
    for seed in seeds:
        world, first = searched(seed, "tpe", TRIALS)
        assert first is not None
        assert not world.breaks(first)
        hits += first == world.best
    return hits


@pytest.mark.slow
def test_the_planted_best_is_found_in_95_of_100_runs() -> None:
    assert SPACE.size() == 1008
    assert found(range(60)) >= 57


def test_chance_alone_does_not_find_it() -> None:
    hits = 0
    for seed in range(6):
        world, first = searched(seed, "random", TRIALS)
        hits += first == world.best
    assert hits <= 3
