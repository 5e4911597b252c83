import gzip
import json

import pytest

from metajudge.errors import JudgeSpecError
from metajudge.judges.judge import JudgeCallError, Request, call_key
from metajudge.judges.spec import open_judge
from metajudge.templates.message import Message

ONE = {"model": "one", "backend": "test", "temperature": 0.0}
TWO = {"model": "two", "backend": "test", "temperature": 0.0}
REQUEST = Request((Message("user", "是？"),), 1)


def record(path, *lines, judges=(ONE, TWO)):
    header = {"format": "metajudge-recording", "version": 1, "judges": list(judges)}
    text = "\n".join(json.dumps(line, ensure_ascii=False) for line in (header, *lines))
    path.write_bytes(gzip.compress(text.encode()))
    return path


def line(judge, text, identity, request=REQUEST):
    reply = {"text": text, "latency_ms": 5.0, "first_token": [["是", -0.1], ["否", None]]}
    return {"key": call_key(identity, request), "judge": judge, "reply": reply | {"later": 1}}


async def test_replies_come_back_under_the_recorded_identity(tmp_path):
    path = record(tmp_path / "a.jsonl.gz", line(0, "是", ONE))
    judge = open_judge(f"recorded:{path}")
    assert judge.identity == ONE
    assert judge.gives_logprobs
    reply = await judge.ask(REQUEST)
    assert (reply.text, reply.latency_ms) == ("是", 5.0)
    assert reply.first_token[0] == ("是", -0.1)
    with pytest.raises(JudgeCallError) as caught:
        await judge.ask(Request(REQUEST.messages, 1, repeat=1))
    assert caught.value.kind == "missing"


async def test_a_folder_with_several_judges_needs_a_choice(tmp_path):
    record(tmp_path / "a.jsonl.gz", line(0, "a", ONE))
    record(tmp_path / "b.jsonl.gz", line(1, "b", TWO))
    with pytest.raises(JudgeSpecError, match=r"model one.*model two"):
        open_judge(f"recorded:{tmp_path}")
    judge = open_judge(f"recorded:{tmp_path}#model two")
    assert (await judge.ask(REQUEST)).text == "b"


@pytest.mark.parametrize(
    "content",
    [
        b"no gzip",
        gzip.compress(b"{}"),
        gzip.compress(b"not json"),
        gzip.compress(b'{"judges": [{}]}\n{"key": "k", "judge": 4, "reply": {"text": ""}}'),
        gzip.compress(b'{"judges": [{}]}\n{"key": "k", "judge": 0, "reply": {}}'),
        gzip.compress(b'{"judges": [{}]}\n' * 400)[:-12],
    ],
    ids=["no gzip", "no judges", "no JSON", "no such judge", "no text", "cut short"],
)
def test_broken_recordings_name_file_and_mend(tmp_path, content):
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(content)
    with pytest.raises(JudgeSpecError, match=r"a\.jsonl\.gz"):
        open_judge(f"recorded:{path}")


def test_an_empty_folder_holds_no_judge(tmp_path):
    with pytest.raises(JudgeSpecError, match="holds no reply"):
        open_judge(f"recorded:{tmp_path}")
    with pytest.raises(JudgeSpecError, match="readable"):
        open_judge(f"recorded:{tmp_path / 'none.jsonl.gz'}")
