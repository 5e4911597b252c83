import asyncio
import gc
import sys
import warnings
from dataclasses import replace

import pytest

from metajudge.judges.chat import import_litellm
from metajudge.judges.judge import JudgeCallError, call_key
from metajudge.judges.options import JudgeOptions
from metajudge.judges.spec import open_judge
from tests.judges.asking import REQUEST, ask_once
from tests.loopback import chat, drop, error, hang, html, raw, serve

DIRECT, LITELLM = "openai/gpt-4o-mini", "litellm:openai/gpt-4o-mini"

REPLIES = {
    "plain": chat("yes"),
    "probabilities": chat("yes", first_token=[("yes", -0.1), (" yes", -2.5)], cached_tokens=8),
    "null logprobs": chat("yes", logprobs={"content": None}),
    "reasoning only": chat(None, reasoning_content="hm"),
    "filtered": chat(None, finish_reason="content_filter"),
    "cut": chat("", finish_reason="length"),
    "refusal": chat(None, refusal="I will not"),
    "no usage": chat("yes", usage=None),
    "Chinese": chat("不知道"),
}
FAILURES = {
    "400": error(400),
    "401": error(401),
    "403": error(403),
    "404": error(404),
    "429": error(429, retry_after=7),
    "500": error(500),
    "503": error(503, retry_after=1),
    "quota": error(429, "no money", code="insufficient_quota"),
    "filter": error(400, "blocked", code="content_filter"),
    "length": error(400, "maximum context length is 10", code="context_length_exceeded"),
    "page": html(),
    "page 502": html(502),
    "prose": raw(b"hello"),
    "hollow": raw(b"{}"),
    "drop": drop(),
}


@pytest.fixture(autouse=True, scope="module")
def _whole_litellm():
    """What litellm imports only with its first call, so that no test depends on which came first.

    On that import pydantic warns of litellm's own types, and warnings are errors here.
    """
    with warnings.catch_warnings(), serve(chat("yes")) as server:
        warnings.simplefilter("ignore")
        asyncio.run(ask_once(server, LITELLM, timeout_s=60.0))


@pytest.mark.parametrize("name", REPLIES)
async def test_both_transports_give_one_reply(name):
    with serve(REPLIES[name]) as server:
        direct, through = await ask_once(server, DIRECT), await ask_once(server, LITELLM)
    unlike = {"latency_ms": None, "created": None, "cost_usd": None}
    assert replace(direct, **unlike) == replace(through, **unlike)
    assert direct.cost_usd == (
        None if through.cost_usd is None else pytest.approx(through.cost_usd, rel=1e-12)
    )
    bodies = [call.body for call in server.received]
    assert bodies[0] == bodies[1]


@pytest.mark.parametrize("name", FAILURES)
async def test_b45_both_transports_class_a_failure_alike_with_one_request(name):
    kinds = []
    with serve(FAILURES[name]) as server:
        for spec in (DIRECT, LITELLM):
            with pytest.raises(JudgeCallError) as caught:
                await ask_once(server, spec)
            kinds.append((caught.value.kind, caught.value.retry_after))
    assert kinds[0] == kinds[1]
    assert server.calls == 2


def test_both_transports_have_one_key():
    options = JudgeOptions(api_base="http://127.0.0.1:1/v1", seed=3)
    direct, through = open_judge(DIRECT, options), open_judge(LITELLM, options)
    assert direct.identity == through.identity
    assert call_key(direct.identity, REQUEST) == call_key(through.identity, REQUEST)
    assert type(direct) is not type(through)


async def test_b58_temperature_refused_through_litellm():
    def script(call):
        refused = "temperature" in call.body
        return error(400, "Unsupported", param="temperature") if refused else chat("no")

    with serve(script) as server:
        reply = await ask_once(server, LITELLM)
    assert (reply.text, reply.settings) == ("no", {"temperature": "not sent"})
    assert server.calls == 2


async def test_settings_that_litellm_knows_to_be_refused_are_recorded():
    with serve(chat("no")) as server:
        reply = await ask_once(server, "litellm:openai/gpt-5-mini")
    assert reply.settings["top_logprobs"] == 0
    assert server.received[0].body["model"] == "gpt-5-mini"


async def test_b46_the_deadline_holds_through_litellm():
    with serve(hang()) as server:
        with pytest.raises(JudgeCallError) as caught:
            await ask_once(server, LITELLM, timeout_s=0.3)
    assert caught.value.kind == "timeout"


async def test_b59_unknown_price_through_litellm():
    with serve(chat("yes")) as server:
        reply = await ask_once(server, "litellm:openai/my-local")
    assert (reply.cost_usd, reply.prompt_tokens) == (None, 12)


async def test_b61_litellm_spares_loopback_the_proxy(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "inner.example")
    with serve(chat("yes")) as server:
        assert (await ask_once(server, LITELLM)).text == "yes"


def test_b50_litellm_serves_several_loops_without_a_warning():
    async def sweep(judge):
        replies = await asyncio.gather(*(judge.ask(REQUEST) for _ in range(3)))
        await judge.close()
        return [reply.text for reply in replies]

    import_litellm(None)
    with warnings.catch_warnings(record=True) as seen, serve(chat("yes")) as server:
        warnings.simplefilter("always")
        judge = open_judge(LITELLM, JudgeOptions(api_base=server.url))
        for _ in range(3):
            assert asyncio.run(sweep(judge)) == ["yes"] * 3
        gc.collect()
    assert [str(w.message) for w in seen if w.category is not DeprecationWarning] == []


def test_b62_litellm_is_set_up_quiet():
    litellm = import_litellm(None)
    assert litellm.telemetry is False
    assert litellm.drop_params is False
    assert "litellm" in sys.modules
