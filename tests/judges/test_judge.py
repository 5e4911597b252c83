from metajudge.judges.judge import Request, Subject, call_key
from metajudge.templates.message import Message
from tests.judges.asking import literal


def test_the_subject_is_no_part_of_key_or_equality():
    messages = (Message("user", "hi"),)
    subject = Subject(("c",), ("x",), literal())
    plain, rich = Request(messages, 1), Request(messages, 1, subject=subject)
    assert plain == rich
    assert call_key({"model": "m"}, plain) == call_key({"model": "m"}, rich)


def test_each_part_of_a_request_changes_the_key():
    base = Request((Message("user", "hi"),), 1)
    others = [
        Request((Message("system", "hi"),), 1),
        Request((Message("user", "hi "),), 1),
        Request(base.messages, 2),
        Request(base.messages, 1, top_logprobs=5),
        Request(base.messages, 1, repeat=1),
    ]
    keys = {call_key({"model": "m"}, request) for request in (base, *others)}
    keys.add(call_key({"model": "n"}, base))
    assert len(keys) == 7
