import asyncio
import hashlib
import json
import sys
import threading
import types

import pytest

from metajudge.errors import JudgeSpecError, MissingExtraError, ModelFileError
from metajudge.judges import local, models
from metajudge.judges.judge import JudgeCallError, Request
from metajudge.judges.models import MODELS, PINNED_BACKEND_VERSION
from metajudge.judges.options import JudgeOptions
from metajudge.judges.spec import open_judge
from metajudge.templates.message import Message
from tests.virtual_time import Held, virtual_time

REQUEST = Request((Message("user", "hi"),), 1, 20)
TOPS = [{"token": "Yes", "logprob": -0.1}, {"token": "No", "logprob": -3.0}]
ANSWER = {
    "choices": [
        {
            "message": {"content": "Yes"},
            "finish_reason": "length",
            "logprobs": {"content": [{**TOPS[0], "top_logprobs": TOPS}]},
        }
    ],
    "model": "/home/someone/private.gguf",
    "usage": {
        "prompt_tokens": 31,
        "completion_tokens": 1,
        "prompt_tokens_details": {"cached_tokens": 24},
    },
}


@pytest.fixture
def library(monkeypatch, tmp_path):
    """A stand-in for xllamacpp that records what it is asked."""
    monkeypatch.setenv("METAJUDGE_MODELS", str(tmp_path / "models"))
    fake = types.ModuleType("xllamacpp")
    fake.answers, fake.asked, fake.loads, fake.threads = [], [], [], set()

    class Parameters(types.SimpleNamespace):
        def __init__(self):
            super().__init__(
                model=types.SimpleNamespace(),
                cpuparams=types.SimpleNamespace(),
                cpuparams_batch=types.SimpleNamespace(),
            )

    class Server:
        def __init__(self, parameters):
            if "broken" in parameters.model.path:
                raise RuntimeError("Failed to init server")
            fake.loads.append(parameters)

        def handle_chat_completions(self, body):
            fake.asked.append(body)
            fake.threads.add(threading.get_ident())
            answer = fake.answers.pop(0) if fake.answers else ANSWER
            if isinstance(answer, Held):
                answer.work()
                return ANSWER
            if isinstance(answer, Exception):
                raise answer
            return answer

    fake.CommonParams, fake.Server = Parameters, Server
    monkeypatch.setitem(sys.modules, "xllamacpp", fake)
    return fake


@pytest.fixture
def own_file(tmp_path):
    path = tmp_path / "own.gguf"
    path.write_bytes(b"weights")
    return path


def test_identity_needs_neither_file_nor_library(monkeypatch, tmp_path):
    monkeypatch.setenv("METAJUDGE_MODELS", str(tmp_path))
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    monkeypatch.setattr(local, "BACKEND", "no-such-distribution")
    identity = open_judge("local:qwen2.5-coder-1.5b").identity
    assert identity["model"] == "sha256:" + MODELS["qwen2.5-coder-1.5b"].sha256
    assert identity["backend_version"] == PINNED_BACKEND_VERSION
    assert identity["temperature"] == 0.0


async def test_without_file_or_library_the_first_ask_says_what_to_do(library, monkeypatch):
    with pytest.raises(ModelFileError, match=r"metajudge models pull qwen2\.5-coder-1\.5b"):
        await open_judge("local:qwen2.5-coder-1.5b").ask(REQUEST)
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    judge = open_judge("local:qwen2.5-coder-1.5b")
    with pytest.raises(MissingExtraError, match=r"pip install 'xllamacpp>=2026\.10'"):
        await judge.ask(REQUEST)
    await judge.close()


async def test_a_call_reads_probabilities_and_hides_the_path(library, own_file):
    library.answers = [json.dumps(ANSWER), ANSWER]
    judge = open_judge(f"local:{own_file}", JudgeOptions(seed=5, threads=2))
    replies = [await judge.ask(Request(REQUEST.messages, 1, 50, repeat=r)) for r in (0, 1)]
    await judge.close()
    await judge.close()
    digest = "sha256:" + hashlib.sha256(b"weights").hexdigest()
    assert [(r.text, r.model, r.cost_usd) for r in replies] == [("Yes", digest, 0.0)] * 2
    assert replies[0].first_token == (("Yes", -0.1), ("No", -3.0))
    assert (replies[0].prompt_tokens, replies[0].cached_tokens) == (31, 24)
    assert [body["seed"] for body in library.asked] == [5, 6]
    assert library.asked[0]["top_logprobs"] == 20 and library.asked[0]["cache_prompt"] is True
    assert len(library.loads) == 1 and len(library.threads) == 1
    assert threading.get_ident() not in library.threads
    assert library.loads[0].cpuparams.n_threads == 2


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (
            {
                "error": {
                    "code": 400,
                    "message": "request (930 tokens) exceeds the available context size",
                    "type": "exceed_context_size_error",
                }
            },
            "context_too_long",
        ),
        ({"error": {"code": 500, "message": "decode failed"}}, "server"),
        (TypeError("str is not valid UTF-8"), "bad_request"),
        (RuntimeError("gone"), "server"),
        ({}, "not_a_judge"),
    ],
)
async def test_errors_of_the_library_have_their_kind(library, own_file, answer, kind):
    library.answers = [answer]
    judge = open_judge(f"local:{own_file}")
    with pytest.raises(JudgeCallError) as caught:
        await judge.ask(REQUEST)
    assert caught.value.kind == kind
    await judge.close()


async def test_b46_a_slow_call_times_out_and_the_next_gets_its_full_time(library, own_file):
    judge = open_judge(f"local:{own_file}", JudgeOptions(timeout_s=60))
    await judge.ask(REQUEST)
    with Held() as held:
        library.answers = [held]
        long = asyncio.create_task(judge.ask(REQUEST))
        await held.under_way()
        with virtual_time():
            with pytest.raises(JudgeCallError, match="timeout"):
                await long
            following = asyncio.create_task(judge.ask(REQUEST))
            await asyncio.sleep(600)
            assert not following.done()
    assert (await following).text == "Yes"
    await judge.close()


def test_b50_one_local_judge_serves_several_loops(library, own_file):
    judge = open_judge(f"local:{own_file}")

    async def twice():
        return [(await judge.ask(REQUEST)).text for _ in range(2)]

    assert asyncio.run(twice()) + asyncio.run(twice()) == ["Yes"] * 4
    asyncio.run(judge.close())
    assert len(library.loads) == 1


async def test_a_file_that_is_no_model_is_a_model_file_error(library, tmp_path):
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"?")
    judge = open_judge(f"local:{path}")
    with pytest.raises(ModelFileError, match="cannot be loaded"):
        await judge.ask(REQUEST)
    await judge.close()


def test_a_path_that_never_was_is_a_spec_error(library, tmp_path):
    with pytest.raises(JudgeSpecError, match="is not there"):
        open_judge(f"local:{tmp_path / 'none.gguf'}")


def test_stored_replies_of_a_deleted_file_keep_their_key(library, own_file):
    before = open_judge(f"local:{own_file}").identity
    own_file.unlink()
    assert open_judge(f"local:{own_file}").identity == before
    assert models.remembered_sha256(own_file) is not None
