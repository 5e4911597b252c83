from __future__ import annotations

from metajudge.templates.setting import Axis, completed, searched

N = Axis("n", (0, 2, 4))
DRAW = Axis("draw", (0, 1), (("n", (2, 4)),))
BOTH = Axis("both", (True, False), (("n", (2,)), ("kind", ("a",))))


def test_an_axis_is_active_where_all_its_conditions_hold() -> None:
    assert N.active({})
    assert BOTH.active({"n": 2, "kind": "a"})
    assert not BOTH.active({"n": 2, "kind": "b"})
    assert not BOTH.active({"n": 2})


def test_what_has_nothing_to_choose_is_left_out_with_its_conditions() -> None:
    assert searched([N, DRAW]) == (N, DRAW)
    assert searched([Axis("n", (4,)), DRAW]) == (DRAW._replace(only_if=()),)
    assert searched([Axis("n", (0,)), DRAW]) == ()
    assert searched([Axis("none", ()), Axis("kind", ("a",)), N, BOTH]) == (
        N,
        BOTH._replace(only_if=(("n", (2,)),)),
    )
    assert searched([Axis("kind", ("b",)), N, BOTH]) == (N,)


def test_a_setting_is_completed_with_the_first_choice_of_what_is_active() -> None:
    assert completed([N, DRAW], {}) == {"n": 0}
    assert completed([N, DRAW], {"draw": 1}) == {"n": 0}
    assert completed([N, DRAW], {"n": 4, "draw": 1}) == {"n": 4, "draw": 1}
