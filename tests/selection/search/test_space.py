"""The space of a search."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from metajudge.errors import ExperimentError
from metajudge.selection.search.space import Dimension, SearchSpace, setting_key

CONDITIONAL = SearchSpace(
    (
        Dimension("examples.draw", choices=(0, 1, 2), only_if=(("examples.n", (2, 4)),)),
        Dimension("examples.n", choices=(0, 2, 4)),
        Dimension("answer", choices=("label_only", "reason_first")),
        Dimension("order", choices=("a", "b"), only_if=(("examples.draw", (1,)),)),
    )
)


def test_a_setting_holds_active_dimensions_alone() -> None:
    settings = list(CONDITIONAL.all())
    assert len(settings) == CONDITIONAL.size() == 2 * (1 + 2 * (1 + 2 + 1))
    assert len({setting_key(setting) for setting in settings}) == len(settings)
    assert all(tuple(setting) == CONDITIONAL.active(setting) for setting in settings)
    assert CONDITIONAL.active({"examples.n": 0, "examples.draw": 1, "order": "a"}) == (
        "examples.n",
    )


def test_conditions_come_before_what_they_switch_on() -> None:
    names = [dimension.name for dimension in CONDITIONAL.ordered]
    assert names == ["examples.n", "examples.draw", "answer", "order"]


def test_the_size_of_a_large_space_is_counted_without_listing_it() -> None:
    flags = tuple(Dimension(f"rule.{n}", choices=(False, True)) for n in range(60))
    tail = Dimension("extra", choices=(1, 2, 3), only_if=(("rule.0", (True,)),))
    assert SearchSpace((*flags, tail)).size() == 2**59 * (1 + 3)


@pytest.mark.parametrize(
    ("dimension", "values"),
    [
        (Dimension("n", "int", low=2, high=5), (2, 3, 4, 5)),
        (Dimension("n", "int", low=0, high=5, step=2), (0, 2, 4)),
        (Dimension("t", "float", low=0.5, high=0.8, step=0.1), (0.5, 0.6, 0.7, 0.8)),
        (Dimension("t", "float", low=0.5, high=0.79, step=0.1), (0.5, 0.6, 0.7)),
        (Dimension("t", "float", low=0.0, high=1.0), None),
    ],
)
def test_values_of_numbers(dimension: Dimension, values: tuple[float, ...] | None) -> None:
    assert dimension.values() == values
    assert SearchSpace((dimension,)).size() == (None if values is None else len(values))


def test_a_space_without_end_is_not_listed() -> None:
    with pytest.raises(ValueError, match="no end"):
        SearchSpace((Dimension("w", "float", low=0, high=1),)).all()


def test_every_draw_is_a_setting_of_the_space() -> None:
    every = {setting_key(setting) for setting in CONDITIONAL.all()}
    random = np.random.default_rng(0)
    drawn = {setting_key(CONDITIONAL.draw(random)) for _ in range(400)}
    assert drawn == every


def test_the_nearest_unseen_setting_is_one_axis_away_while_there_is_one() -> None:
    space = SearchSpace(tuple(Dimension(name, choices=(0, 1, 2)) for name in "abcd"))
    random = np.random.default_rng(1)
    start = {"a": 0, "b": 0, "c": 0, "d": 0}
    seen = {setting_key(start)}
    distances = []
    while (found := space.unseen_near(start, seen, random)) is not None:
        seen.add(setting_key(found))
        distances.append(sum(found[name] != start[name] for name in start))
    assert len(seen) == space.size() == 81
    assert distances[:8] == [1] * 8
    assert 1 not in distances[8:]


def test_a_space_without_end_always_has_another_setting_near() -> None:
    space = SearchSpace((Dimension("w", "float", low=0, high=1),))
    found = space.unseen_near({"w": 0.5}, {setting_key({"w": 0.5})}, np.random.default_rng(2))
    assert found is not None
    assert found["w"] != 0.5


def test_all_faults_of_a_space_are_told_at_once() -> None:
    with pytest.raises(ExperimentError) as caught:
        SearchSpace(
            (
                Dimension("a", choices=()),
                Dimension("b", choices=(1, True)),
                Dimension("c", "int", low=3, high=1),
                Dimension("d", "int", low=0.5, high=2),
                Dimension("e", "float", low=0),
                Dimension("f", "float", low=0, high=1, step=-1),
                Dimension("g", choices=(1, 2), only_if=(("nobody", (1,)),)),
                Dimension("h", choices=(1, 2), only_if=(("g", (3,)),)),
                Dimension("g", choices=("甲", "乙")),
            )
        )
    fields = [problem.field for problem in caught.value.problems]
    assert sorted(set(map(str, fields))) == list("abcdefgh")


@pytest.mark.parametrize("length", [1, 2, 3])
def test_conditions_in_a_circle_are_refused(length: int) -> None:
    names = [f"d{n}" for n in range(length)]
    circle = tuple(
        Dimension(name, choices=(0, 1), only_if=((other, (1,)),))
        for name, other in zip(
            names, itertools.islice(itertools.cycle(names), 1, None), strict=False
        )
    )
    with pytest.raises(ExperimentError, match="circle"):
        SearchSpace((Dimension("free", choices=(1,)), *circle))


def test_no_dimension_is_a_fault() -> None:
    with pytest.raises(ExperimentError, match="has no dimension"):
        SearchSpace(())
