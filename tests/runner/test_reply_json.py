import json
import math

from hypothesis import given
from hypothesis import strategies as st

from metajudge.judges.judge import Request
from metajudge.runner.reply_json import (
    identity_to_json,
    is_lasting,
    reply_from_fields,
    reply_to_json,
    request_to_json,
    to_json,
)
from metajudge.templates.message import Message
from metajudge.verdicts.verdict import Reply, TokenLogprob

text = st.text(st.characters(), max_size=20)
replies = st.builds(
    Reply,
    text,
    finish_reason=st.none() | text,
    first_token=st.lists(
        st.builds(TokenLogprob, text, st.floats(-100, 0) | st.just(-math.inf)), max_size=3
    ).map(tuple),
    failure=st.none() | st.sampled_from(["refused", "truncated"]),
    prompt_tokens=st.none() | st.integers(0, 9),
    cost_usd=st.none() | st.floats(0, 1),
    settings=st.dictionaries(text, st.none() | st.booleans() | st.integers(), max_size=2),
    created=st.none() | text,
)


@given(replies)
def test_b76_stored_and_live_replies_are_equal(reply):
    assert reply_from_fields(json.loads(reply_to_json(reply))) == reply


@given(replies)
def test_stored_text_is_strict_json(reply):
    def refuse(constant):
        raise AssertionError(constant)

    json.loads(reply_to_json(reply), parse_constant=refuse)


def test_b117_characters_stand_as_they_are():
    assert "支持😀ไทย" in reply_to_json(Reply("支持😀ไทย"))
    assert "支持" in request_to_json(Request((Message("user", "支持"),), 1))


def test_lone_surrogates_survive():
    reply = Reply("a\ud800b")
    written = reply_to_json(reply)
    written.encode()
    assert reply_from_fields(json.loads(written)) == reply


def test_fields_of_later_versions_are_passed_over():
    assert reply_from_fields({"text": "yes", "mood": "good"}) == Reply("yes")


def test_equal_identities_have_equal_text():
    assert identity_to_json({"b": 1, "a": None}) == identity_to_json({"a": None, "b": 1})
    assert to_json({"a": 1}) == '{"a":1}'


def test_b65_only_answers_and_refusals_last():
    for failure in ("timeout", "transport", "missing", "empty"):
        assert not is_lasting(Reply("some text", failure=failure))
    assert not is_lasting(Reply(" \n"))
    assert is_lasting(Reply("yes", finish_reason="length"))
    assert is_lasting(Reply("", failure="refused"))
