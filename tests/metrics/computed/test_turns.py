from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metajudge.errors import InputError
from metajudge.metrics.computed.turns import count_turns, turn_counts


def said(*roles):
    return [{"role": role, "content": "…"} for role in roles]


@pytest.mark.parametrize(
    ("messages", "turns"),
    [
        (said("user", "assistant"), 1),
        (said("user", "assistant") * 3, 3),
        (said("system", "user", "assistant", "tool", "assistant"), 1),
        (said("developer", "user", "assistant", "function", "assistant", "user", "assistant"), 2),
        (said("user", "user", "assistant"), 1),
        (said("user", "system", "user", "assistant"), 1),
        (said("assistant", "user", "assistant"), 1),
        (said("user", "assistant", "user"), 2),
        (said("assistant"), None),
        (said("system"), None),
        ([], None),
        (["在吗？", "在的。", "几点开门？", "九点。"], 2),
        ([{"type": "human"}, {"type": "ai"}], 1),
        (
            [
                SimpleNamespace(role=SimpleNamespace(value="user")),
                SimpleNamespace(role="assistant"),
            ],
            1,
        ),
    ],
)
def test_a_turn_is_what_the_user_says_and_the_answer(messages, turns):
    assert count_turns(messages) == turns


def test_an_unknown_role_is_refused_by_name():
    with pytest.raises(InputError, match="'narrator'"):
        count_turns(said("user", "narrator"))


def test_the_guides_figures():
    found = turn_counts([1, 1, 4, None])
    assert (found.mean, found.most, found.fewest, found.n, found.without) == (2.0, 4, 1, 3, 1)
    assert found.single_turn_share == pytest.approx(2 / 3)
    assert found.warning() is None


def test_over_eighty_percent_single_turn_is_suspicious():
    found = turn_counts([1] * 95 + [3] * 5)
    assert found.suspicious
    assert "95% of 100 conversations end after one turn" in found.warning("en")
    assert "100 个对话中有 95% 只有一轮" in found.warning("zh")
    assert not turn_counts([1] * 80 + [2] * 20).suspicious


def test_few_conversations_are_said_to_leave_it_open():
    assert "still allows for less" in turn_counts([1] * 9 + [2]).warning()
    assert "也可能更低" in turn_counts([1] * 9 + [2]).warning("zh")


def test_without_conversations_nothing_is_defined():
    found = turn_counts([None, None])
    assert (found.n, found.without, found.mean, found.most, found.single_turn_share) == (
        0,
        2,
        None,
        None,
        None,
    )
    assert found.warning() is None


@given(st.lists(st.integers(1, 9), min_size=1))
def test_bounds(turns):
    found = turn_counts(turns)
    assert found.fewest <= found.mean <= found.most
    assert 0 <= found.low <= found.single_turn_share <= found.high <= 1
    assert turn_counts(turns[::-1]) == found
