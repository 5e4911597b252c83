import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metajudge.metrics.computed.tool_calls import ToolCall
from metajudge.metrics.computed.tool_matching import Sameness, compare_tool_calls


def calls(*names):
    return [ToolCall(name, {}) for name in names]


def of(value):
    return ToolCall("f", {"a": value})


def test_worked_example():
    """Two expected, one of them made, one more: precision and recall 1/2, as promptfoo has it."""
    found = compare_tool_calls(calls("weather", "time"), calls("weather", "mail"))
    assert (found.precision, found.recall, found.f1) == (0.5, 0.5, 0.5)
    assert [call.name for call in found.missing] == ["time"]
    assert [call.name for call in found.extra] == ["mail"]


@pytest.mark.parametrize(
    ("expected", "made", "figures"),
    [
        ([], [], (None, None, None)),
        ([], ["a"], (0.0, None, 0.0)),
        (["a"], [], (None, 0.0, 0.0)),
        (["a"], ["a"], (1.0, 1.0, 1.0)),
        (["a"], ["b"], (0.0, 0.0, 0.0)),
    ],
)
def test_empty_sets_are_defined_or_null(expected, made, figures):
    found = compare_tool_calls(calls(*expected), calls(*made))
    assert (found.precision, found.recall, found.f1) == figures


def test_calls_made_twice_are_no_better_than_once():
    """Ragas PR 2582: repeated calls took a score above 1."""
    found = compare_tool_calls(calls("a"), calls("a", "a", "a"))
    assert found.precision == pytest.approx(1 / 3) and found.recall == 1.0
    twice = compare_tool_calls(calls("a", "a"), calls("a"))
    assert twice.recall == 0.5 and len(twice.missing) == 1


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1.0, True),
        (0.1 + 0.2, 0.3, True),
        (True, 1, False),
        (False, 0, False),
        (None, 0, False),
        ("1", 1, False),
        ("Paris", "paris", False),
        ("Caf\u00e9", "Cafe\u0301", True),
        ("北京", "北京 ", False),
        ([1, 2], [2, 1], False),
        ([1, 2], (1, 2), True),
        ([1], [1, 2], False),
        ({"b": {"c": [1]}, "d": 2}, {"d": 2.0, "b": {"c": [1.0]}}, True),
        ({"b": 1}, {"b": 1, "c": None}, True),
        ({"b": 1, "d": {"e": None}}, {"b": 1, "d": {}}, True),
        ({"b": 1}, {"b": 1, "c": 0}, False),
        (np.array([1, 2]), [1, 2.0], True),
        (np.array([1, 2]), np.array([1, 3]), False),
        (np.float64(1.0), 1, True),
        ({8, 0}, {0, 8}, True),
        (float("nan"), float("nan"), True),
        (float("nan"), 1.0, False),
        (float("inf"), float("inf"), True),
        (10**400, 10**400, True),
        (10**400, 1.5, False),
        ({}, [], False),
        ("巴黎", "巴黎", True),
    ],
)
def test_unhashable_and_nested_arguments(one, other, same):
    """Ragas issue 2506 and DeepEval PR 1487: nested arguments ended in an unhashable type."""
    assert Sameness()(of(one), of(other)) is same
    assert Sameness()(of(other), of(one)) is same


def test_tolerance_is_stated_and_reaches_inside():
    made, wanted = of({"lat": [48.8601]}), of({"lat": [48.86]})
    assert not Sameness()(made, wanted)
    assert Sameness(absolute=0.001)(made, wanted)
    assert Sameness(relative=1e-4)(made, wanted)


def test_ignored_arguments_at_any_depth():
    one = ToolCall("f", {"q": "x", "trace": 1, "filter": {"at": 1, "n": 2}})
    other = ToolCall("f", {"q": "x", "filter": {"at": 9, "n": 2}})
    assert not Sameness()(one, other)
    assert Sameness(ignored=("trace", "filter.at"))(one, other)
    assert not Sameness(ignored=("trace", "at"))(one, other)


def test_names_alone_and_garbled_arguments():
    one, other = ToolCall("f", {"a": 1}), ToolCall("f", '{"a": 1')
    assert Sameness(by_name_alone=True)(one, other)
    assert not Sameness()(one, other) and not Sameness()(other, other)


def test_a_largest_matching_is_found_where_the_first_fit_is_not():
    near = Sameness(absolute=1.0)
    found = compare_tool_calls([of(1.0), of(2.0)], [of(1.5), of(0.0)], near)
    assert found.f1 == 1.0
    chain = [of(float(n)) for n in range(30)]
    made = [of(n + 0.9) for n in range(29, -1, -1)]
    assert compare_tool_calls(chain, made, near).f1 == 1.0


def test_order_counts_when_it_is_asked_for():
    expected, made = calls("a", "b", "c", "d"), calls("b", "a", "c", "x", "d")
    assert compare_tool_calls(expected, made).recall == 1.0
    ordered = compare_tool_calls(expected, made, in_order=True)
    assert ordered.recall == 0.75 and ordered.precision == 0.6
    assert [call.name for call in ordered.missing] in (["a"], ["b"])


def test_called_with_other_arguments():
    found = compare_tool_calls([of(1), *calls("g")], [of(2), *calls("h")])
    assert found.wrong_arguments == ("f",)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.5, 1.0, "a", "好"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("xy"), inner, max_size=2)
    ),
    max_leaves=4,
)
CALLS = st.lists(
    st.builds(
        ToolCall, st.sampled_from("fg"), st.dictionaries(st.sampled_from("ab"), VALUES, max_size=2)
    ),
    max_size=6,
)


@given(CALLS, CALLS, st.booleans(), st.sampled_from([0.0, 1.0]))
@settings(max_examples=200, deadline=None)
def test_laws(expected, made, in_order, absolute):
    same = Sameness(absolute=absolute)
    found = compare_tool_calls(expected, made, same, in_order=in_order)
    turned = compare_tool_calls(made, expected, same, in_order=in_order)
    assert found.f1 == turned.f1
    assert (found.precision, found.recall) == (turned.recall, turned.precision)
    for score in (found.precision, found.recall, found.f1):
        assert score is None or 0.0 <= score <= 1.0
    assert len(found.missing) + len(found.pairs) == len(expected)
    assert len(found.extra) + len(found.pairs) == len(made)
    assert all(same(expected[pair.expected], made[pair.made]) for pair in found.pairs)
    assert len({pair.made for pair in found.pairs}) == len(found.pairs)
    assert compare_tool_calls(expected, expected, same, in_order=in_order).f1 in (None, 1.0)
    if not in_order:
        assert compare_tool_calls(expected[::-1], made[::-1], same).f1 == found.f1
        assert len(compare_tool_calls(expected, made, same, in_order=True).pairs) <= len(
            found.pairs
        )


@given(CALLS.filter(lambda c: len(c) <= 4), CALLS.filter(lambda c: len(c) <= 4), st.booleans())
@settings(max_examples=100, deadline=None)
def test_as_many_match_as_can(expected, made, in_order):
    """Against every one-to-one choice there is."""
    same = Sameness(absolute=1.0)
    short, long = sorted((expected, made), key=len)
    chosen = itertools.permutations(range(len(long)), len(short))
    if in_order:
        best = max(
            (
                size
                for size in range(len(short) + 1)
                for left in itertools.combinations(short, size)
                for right in itertools.combinations(long, size)
                if all(map(same, left, right))
            ),
            default=0,
        )
    else:
        best = max(
            sum(same(one, long[at]) for one, at in zip(short, places, strict=True))
            for places in chosen
        )
    assert len(compare_tool_calls(expected, made, same, in_order=in_order).pairs) == best


def test_ragas_says_the_same_where_no_call_is_repeated():
    metrics = pytest.importorskip("ragas.metrics._tool_call_f1", reason="ragas is not installed")
    from ragas.dataset_schema import MultiTurnSample
    from ragas.messages import AIMessage, HumanMessage
    from ragas.messages import ToolCall as RagasCall

    cases = [(["a", "b"], ["b", "c"]), (["a"], ["a"]), (["a", "b", "c"], ["c"]), (["a"], ["b"])]
    for expected, made in cases:
        sample = MultiTurnSample(
            user_input=[
                HumanMessage(content="x"),
                AIMessage(
                    content="", tool_calls=[RagasCall(name=n, args={"n": [1]}) for n in made]
                ),
            ],
            reference_tool_calls=[RagasCall(name=n, args={"n": [1]}) for n in expected],
        )
        coroutine = metrics.ToolCallF1()._multi_turn_ascore(sample)
        with pytest.raises(StopIteration) as ended:
            coroutine.send(None)
        ours = compare_tool_calls(calls(*expected), calls(*made)).f1
        assert ended.value.value == pytest.approx(ours, abs=1e-4)
