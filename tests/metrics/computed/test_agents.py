import pytest

from metajudge.errors import InputError
from metajudge.metrics.computed.agents import TOOL_CALL_METRICS, score_tool_calls, score_turns


def test_scores_with_the_calls_that_are_missing_or_extra():
    found = score_tool_calls([{"name": "a"}, {"name": "b"}], [{"name": "b"}, {"name": "c"}])
    assert [found[name].score for name in TOOL_CALL_METRICS] == [0.5, 0.5, 0.5]
    units = [(unit.unit, unit.label, unit.detail) for unit in found["tool_call_f1"].units]
    assert units == [("a()", "no", "missing"), ("b()", "yes", None), ("c()", "no", "extra")]
    assert found["tool_call_f1"].reason == (
        "1 of 2 expected calls were made; calls in all: 2. Missing: a(). Not expected: c()."
    )


def test_chinese_reasons():
    found = score_tool_calls(
        [{"name": "查询", "arguments": {"n": 1}}],
        [{"name": "查询", "arguments": {"n": 2}}],
        language="zh",
    )
    reason = found["tool_call_f1"].reason
    assert "缺少：查询(n=1)。" in reason and "参数不符：查询。" in reason


@pytest.mark.parametrize(
    ("expected", "made", "scores"),
    [
        ([], [], [None, None, None]),
        ([], [{"name": "a"}], [0.0, None, 0.0]),
        ([{"name": "a"}], [], [None, 0.0, 0.0]),
    ],
)
def test_undefined_scores_say_why(expected, made, scores):
    for language in ("en", "zh"):
        found = score_tool_calls(expected, made, language=language)
        assert [found[name].score for name in TOOL_CALL_METRICS] == scores
        assert all(found[name].reason for name in TOOL_CALL_METRICS)


def test_order():
    calls = [{"name": "a"}, {"name": "b"}]
    assert score_tool_calls(calls, calls[::-1], in_order=True)["tool_call_f1"].score == 0.5
    assert score_tool_calls(calls, calls[::-1])["tool_call_f1"].policy == "any order"


def test_many_extra_calls_are_not_all_named():
    made = [{"name": f"t{n}"} for n in range(9)]
    assert "t4(); +4." in score_tool_calls([{"name": "a"}], made)["tool_call_f1"].reason


def test_mistakes_name_the_side():
    with pytest.raises(InputError, match="row 3: expected"):
        score_tool_calls([{"arguments": {}}], [], where="row 3")


def test_turns_of_one_conversation():
    assert score_turns(["几点开门？", "九点。"], "zh").reason == "共 1 轮。"
    found = score_turns([])
    assert found.score is None and found.reason == "no user speaks in the conversation"
