import math

import pytest

from metajudge.judges.completion import content_text, first_token, read_completion, read_usage
from metajudge.judges.judge import JudgeCallError


def body(message=None, finish="stop", **rest):
    return {"choices": [{"message": message or {}, "finish_reason": finish}], **rest}


@pytest.mark.parametrize("content", [None, "", "  \n"])
@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_b04_reasoning_without_content_is_an_empty_reply(content, field):
    usage = {"prompt_tokens": 0, "completion_tokens": 0}
    reply = read_completion(body({"content": content, field: "so: yes"}, usage=usage))
    assert reply.failure == "empty"
    assert "reasoning" in (reply.failure_detail or "")
    assert not reply.text.strip()


def test_b05_a_spent_token_limit_is_named():
    reply = read_completion(body({"content": ""}, "length", usage={"completion_tokens": 64}))
    assert reply.failure == "truncated"
    assert "64" in (reply.failure_detail or "") and "max_tokens" in (reply.failure_detail or "")
    assert read_completion(body({"content": '{"ver'}, "length")).failure is None


def test_b10_a_tool_call_is_no_answer():
    call = {"id": "1", "type": "odd", "function": {"name": "rate", "arguments": '{"a": 3}'}}
    reply = read_completion(body({"content": None, "tool_calls": [call]}, "tool_calls"))
    assert (reply.text, reply.failure) == ("", "empty")
    assert "tool" in (reply.failure_detail or "")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([{"type": "text", "text": "ye"}, {"type": "text", "text": "s"}], "yes"),
        ([{"type": "thinking", "thinking": "hm"}, {"type": "output_text", "text": "no"}], "no"),
        ([{"type": "text", "text": {"value": "是"}}], "是"),
        (["a", "b"], "ab"),
        ({"verdict": "是"}, '{"verdict": "是"}'),
        ([{"id": 1, "verdict": "no"}], '[{"id": 1, "verdict": "no"}]'),
        (True, "true"),
        (3, "3"),
    ],
)
def test_b19_content_of_any_shape_becomes_text(content, text):
    assert content_text(content) == text


def test_b48_a_filtered_reply_is_refused_even_with_text():
    reply = read_completion(body({"content": "yes, be"}, "content_filter"))
    assert (reply.failure, reply.text) == ("refused", "yes, be")
    assert read_completion(body({"content": None, "refusal": "No."})).failure == "refused"


@pytest.mark.parametrize(
    "logprobs",
    [
        None,
        [],
        {},
        {"content": None},
        {"content": []},
        {"content": [None]},
        {"content": [{"token": "a", "logprob": None, "top_logprobs": None}]},
        {"content": [{"token": "a", "logprob": -math.inf, "top_logprobs": []}]},
        {"top_logprobs": None},
        {"top_logprobs": [None]},
    ],
)
def test_b54_missing_logprobs_leave_the_reply(logprobs):
    choice = {"message": {"content": "yes"}, "logprobs": logprobs}
    reply = read_completion({"choices": [choice]})
    assert (reply.text, reply.first_token) == ("yes", ())


def test_first_tokens_come_best_first_in_both_forms():
    tops = [{"token": "no", "logprob": -2}, {"token": "yes", "logprob": -0.2}]
    assert [t for t, _ in first_token({"content": [{"top_logprobs": tops}]})] == ["yes", "no"]
    assert [t for t, _ in first_token({"top_logprobs": [{"b": -1, "a": -3.0}]})] == ["b", "a"]


@pytest.mark.parametrize("answer", [None, [], "yes", 3, {}, {"choices": None}, {"choices": "x"}])
def test_what_is_no_completion_is_not_a_judge(answer):
    with pytest.raises(JudgeCallError) as caught:
        read_completion(answer)
    assert caught.value.kind == "not_a_judge"


def test_an_error_with_status_200_keeps_its_class():
    with pytest.raises(JudgeCallError) as caught:
        read_completion({"error": {"message": "busy", "code": 429}})
    assert caught.value.kind == "rate_limit"
    with pytest.raises(JudgeCallError) as caught:
        read_completion({"error": "upstream gone"})
    assert caught.value.kind == "server"


@pytest.mark.parametrize("choices", [[], [None], [{}], [{"message": None}], [{"message": "x"}]])
def test_hollow_completions_are_empty(choices):
    assert read_completion({"choices": choices}).failure == "empty"


@pytest.mark.parametrize("usage", [None, [], {"prompt_tokens": -1}, {"prompt_tokens": "9"}])
def test_odd_usage_is_unknown(usage):
    assert read_usage(usage) == (None, None, None)
