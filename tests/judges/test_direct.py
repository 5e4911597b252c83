import asyncio
import gc
import json
import warnings

import pytest

from metajudge.judges.direct import encode_body
from metajudge.judges.judge import JudgeCallError, Request
from metajudge.judges.options import JudgeOptions
from metajudge.judges.spec import open_judge
from metajudge.templates.message import Message
from tests.judges.asking import REQUEST, ask_once
from tests.loopback import chat, drop, error, hang, html, raw, serve


async def test_a_call_sends_what_was_asked_and_reads_what_came():
    with serve(chat("yes", first_token=[("yes", -0.1), ("no", -2.5)], cached_tokens=4)) as server:
        reply = await ask_once(server)
    sent = server.received[0]
    assert sent.path == "/v1/chat/completions"
    assert sent.body == {
        "model": "gpt-4o-mini",
        "messages": [{"role": m.role, "content": m.content} for m in REQUEST.messages],
        "max_tokens": 3,
        "temperature": 0.0,
        "logprobs": True,
        "top_logprobs": 2,
    }
    assert (reply.text, reply.finish_reason, reply.model) == ("yes", "stop", "loopback")
    assert reply.first_token == (("yes", -0.1), ("no", -2.5))
    assert (reply.prompt_tokens, reply.cached_tokens, reply.completion_tokens) == (12, 4, 1)
    assert reply.cost_usd is not None and reply.cost_usd > 0
    assert reply.latency_ms is not None and reply.created is not None
    assert reply.settings == {}


async def test_b117_characters_go_out_as_they_are():
    with serve(chat("是")) as server:
        reply = await ask_once(server)
    assert "九点开门 🙂".encode() in server.received[0].raw
    assert b"\\u" not in server.received[0].raw
    assert reply.text == "是"


def test_half_a_surrogate_pair_is_a_bad_request():
    with pytest.raises(JudgeCallError, match="bad_request"):
        encode_body({"content": "\ud83d"})


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (error(400), "bad_request"),
        (error(401), "access"),
        (error(403), "access"),
        (error(404), "bad_request"),
        (error(500), "server"),
        (error(400, "blocked", code="content_filter"), "content_filter"),
        (error(400, "too long", code="context_length_exceeded"), "context_too_long"),
        (html(), "not_a_judge"),
        (html(404), "not_a_judge"),
        (html(502), "server"),
        (raw(b"hello"), "not_a_judge"),
        (raw(b""), "not_a_judge"),
        (raw(b"\xff\xfe\x00"), "not_a_judge"),
        (raw(b"data: {}"), "not_a_judge"),
        (raw(b"{}"), "not_a_judge"),
        (raw(b"", status=302), "not_a_judge"),
        (drop(), "connection"),
    ],
)
async def test_b45_b48_each_failure_is_one_request_with_its_kind(answer, kind):
    with serve(answer) as server:
        with pytest.raises(JudgeCallError) as caught:
            await ask_once(server)
    assert caught.value.kind == kind
    assert server.calls == 1


async def test_retry_after_reaches_the_runner():
    with serve(error(429, retry_after=2.5)) as server:
        with pytest.raises(JudgeCallError) as caught:
            await ask_once(server)
    assert (caught.value.kind, caught.value.retry_after) == ("rate_limit", 2.5)


async def test_b46_a_server_that_never_answers_ends_at_the_deadline():
    with serve(hang()) as server:
        with pytest.raises(JudgeCallError) as caught:
            await ask_once(server, timeout_s=0.1)
    assert caught.value.kind == "timeout"


async def test_b49_a_closed_port_is_a_connection_error():
    with serve(chat("yes")) as server:
        pass
    with pytest.raises(JudgeCallError) as caught:
        await ask_once(server)
    assert caught.value.kind == "connection"


async def test_b58_temperature_refused_once_then_left_out():
    def script(call):
        if "temperature" in call.body:
            return error(400, "Unsupported value", param="temperature")
        return chat("no", first_token=[("no", -0.1)])

    with serve(script) as server:
        judge = open_judge("openai/gpt-4o-mini", JudgeOptions(api_base=server.url))
        replies = [await judge.ask(REQUEST) for _ in range(3)]
        await judge.close()
    assert server.calls == 4
    assert {call.body["model"] for call in server.received} == {"gpt-4o-mini"}
    assert all(reply.settings == {"temperature": "not sent"} for reply in replies)


async def test_b54_no_logprobs_change_nothing_of_what_is_asked_for():
    with serve(chat("yes", logprobs=None)) as server:
        judge = open_judge("openai/m", JudgeOptions(api_base=server.url))
        for _ in range(2):
            assert (await judge.ask(REQUEST)).first_token == ()
        await judge.close()
    assert judge.gives_logprobs, "calls planned later have the keys of those planned before"


async def test_b59_a_model_without_a_price_costs_null():
    with serve(chat("yes", first_token=[("yes", -0.1)])) as server:
        judge = open_judge("openai/my-local", JudgeOptions(api_base=server.url))
        replies = [await judge.ask(REQUEST) for _ in range(2)]
        await judge.close()
    assert [reply.cost_usd for reply in replies] == [None, None]
    assert replies[0].prompt_tokens == 12


async def test_b61_the_proxy_is_not_asked_for_loopback(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with serve(chat("yes")) as server:
        assert (await ask_once(server)).text == "yes"
        server_by_name = server.url.replace("127.0.0.1", "localhost")
        judge = open_judge("openai/m", JudgeOptions(api_base=server_by_name))
        assert (await judge.ask(REQUEST)).text == "yes"
        await judge.close()


async def sweep(judge, close):
    replies = await asyncio.gather(*(judge.ask(REQUEST) for _ in range(4)))
    if close:
        await judge.close()
    return [reply.text for reply in replies]


def test_b50_one_judge_serves_several_loops_without_a_warning():
    with warnings.catch_warnings(record=True) as seen, serve(chat("yes")) as server:
        warnings.simplefilter("always")
        judge = open_judge("openai/m", JudgeOptions(api_base=server.url))
        for _ in range(3):
            assert asyncio.run(sweep(judge, close=True)) == ["yes"] * 4
        asyncio.run(judge.close())
        gc.collect()
    assert [str(w.message) for w in seen] == []


def test_b50_a_judge_left_open_in_a_closed_loop_still_answers():
    with warnings.catch_warnings(), serve(chat("yes")) as server:
        # The loop that was closed over open sockets makes Python say so; nothing else may.
        warnings.simplefilter("ignore", ResourceWarning)
        judge = open_judge("openai/m", JudgeOptions(api_base=server.url))
        for _ in range(3):
            assert asyncio.run(sweep(judge, close=False)) == ["yes"] * 4
        asyncio.run(judge.close())
        gc.collect()


async def test_g7_connections_are_kept():
    with serve(chat("yes"), latency_s=0.01) as server:
        judge = open_judge("openai/m", JudgeOptions(api_base=server.url))
        slots = asyncio.Semaphore(8)

        async def one():
            async with slots:
                await judge.ask(REQUEST)

        await asyncio.gather(*(one() for _ in range(80)))
        await judge.close()
    assert server.calls == 80
    assert server.connections <= 9


async def test_b122_the_key_is_sent_and_nowhere_shown(monkeypatch):
    secret = "zq9-abcdefghijklmnop"
    monkeypatch.setenv("OPENAI_API_KEY", secret)
    with serve(error(401, f"Incorrect API key provided: {secret}")) as server:
        judge = open_judge("openai/m", JudgeOptions(api_base=server.url))
        with pytest.raises(JudgeCallError) as caught:
            await judge.ask(REQUEST)
        await judge.close()
    assert server.received[0].headers["authorization"] == f"Bearer {secret}"
    shown = f"{caught.value} {caught.value.detail} {judge!r} {dict(judge.identity)}"
    assert secret[:6] not in shown


async def test_without_a_key_the_providers_own_address_is_not_asked(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_API_BASE", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    judge = open_judge("openai/gpt-4o-mini")
    with pytest.raises(JudgeCallError, match="OPENAI_API_KEY") as caught:
        await judge.ask(REQUEST)
    assert caught.value.kind == "access"


async def test_braces_and_tags_reach_the_server_verbatim():
    text = "{{ yes }} {0} </claim> \\n \u2028 %s"
    with serve(chat("no")) as server:
        await ask_once(server, request=Request((Message("user", text),), 1))
    assert json.loads(server.received[0].raw)["messages"][0]["content"] == text
