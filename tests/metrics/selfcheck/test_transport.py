import asyncio
import contextlib
import gzip

import pytest

from metajudge.judges import open_judge
from metajudge.judges.direct import DirectJudge
from metajudge.judges.judge import JudgeCallError, Request
from metajudge.judges.options import JudgeOptions
from metajudge.metrics.selfcheck.connection import (
    MOST_BYTES,
    Connection,
    NoAnswerError,
    read_answer,
)
from metajudge.metrics.selfcheck.transport import QuickJudge
from metajudge.templates.message import Message
from tests.loopback import chat, drop, error, hang, html, raw, serve

REQUEST = Request((Message("system", "Judge."), Message("user", "九点开门 🙂?")), 3, 2)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def quick(url, **options):
    options = JudgeOptions(api_base=url, **options)
    return QuickJudge.in_place_of(open_judge("openai/gpt-4o-mini", options), options)


@contextlib.asynccontextmanager
async def opened(url, **options):
    judge = quick(url, **options)
    try:
        yield judge
    finally:
        await judge.close()


@contextlib.asynccontextmanager
async def wire(*answers):
    """A server that writes bytes, one answer a request, and closes where there are no more."""
    left, seen = list(answers), []

    handlers = []

    async def serve_one(reader, writer):
        handlers.append(asyncio.current_task())
        with contextlib.closing(writer), contextlib.suppress(asyncio.IncompleteReadError, OSError):
            while left:
                head = await reader.readuntil(b"\r\n\r\n")
                size = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
                seen.append(head + await reader.readexactly(size))
                answer = left.pop(0)
                for part in answer if isinstance(answer, list) else [answer]:
                    writer.write(part)
                    await writer.drain()
                    await asyncio.sleep(0 if isinstance(answer, list) else 0.002)

    server = await asyncio.start_server(serve_one, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        async with opened(f"http://127.0.0.1:{port}/v1") as judge:
            yield judge, seen
    finally:
        server.close()
        await asyncio.wait_for(asyncio.gather(*handlers, return_exceptions=True), 5)
        await asyncio.sleep(0)
        await server.wait_closed()


def framed(body=None):
    body = chat("yes").body if body is None else body
    return HEAD + b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def chunked(body, size=7):
    parts = [body[n : n + size] for n in range(0, len(body), size)]
    told = b"".join(b"%x;ext=1\r\n%b\r\n" % (len(part), part) for part in parts)
    return HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + told + b"0\r\n\r\n"


async def test_it_asks_and_reads_as_the_direct_transport_does():
    answer = chat("yes", first_token=[("yes", -0.1), ("no", -2.5)], cached_tokens=4)
    options = JudgeOptions(seed=3)
    with serve(answer) as server:
        options = JudgeOptions(api_base=server.url, seed=3)
        direct = open_judge("openai/gpt-4o-mini", options)
        assert type(direct) is DirectJudge
        judge = QuickJudge.in_place_of(direct, options)
        one, other = await direct.ask(REQUEST), await judge.ask(REQUEST)
        await direct.close()
        await judge.close()
    first, second = server.received
    assert first.body == second.body
    assert first.path == second.path
    assert judge.identity == direct.identity
    same = ("text", "finish_reason", "first_token", "prompt_tokens", "cost_usd", "settings")
    for name in same:
        assert getattr(one, name) == getattr(other, name)


async def test_b117_characters_go_out_as_they_are():
    with serve(chat("是")) as server:
        async with opened(server.url) as judge:
            assert (await judge.ask(REQUEST)).text == "是"
    assert "九点开门 🙂".encode() in server.received[0].raw


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (error(400), "bad_request"),
        (error(401), "access"),
        (error(500), "server"),
        (error(429, retry_after=2), "rate_limit"),
        (error(400, "blocked", code="content_filter"), "content_filter"),
        (html(), "not_a_judge"),
        (html(502), "server"),
        (raw(b"data: {}", content_type="text/event-stream"), "not_a_judge"),
        (raw(b""), "not_a_judge"),
        (raw(b"[]"), "not_a_judge"),
        (raw(b"{}", 302), "not_a_judge"),
        (drop(), "connection"),
    ],
)
async def test_answers_that_are_no_reply_are_errors_of_their_class(answer, kind):
    with serve(answer) as server:
        async with opened(server.url) as judge:
            with pytest.raises(JudgeCallError) as caught:
                await judge.ask(REQUEST)
    assert caught.value.kind == kind
    assert caught.value.retry_after == (2.0 if kind == "rate_limit" else None)


async def test_a_setting_that_is_refused_is_left_out_as_by_the_direct_transport():
    refusal = error(400, "unsupported parameter", param="temperature")
    with serve([refusal, chat("yes")]) as server:
        async with opened(server.url) as judge:
            reply = await judge.ask(REQUEST)
    assert reply.settings == {"temperature": "not sent"}


async def test_a_model_that_takes_max_completion_tokens_alone_is_asked_once_a_call():
    def script(call):
        return error(400, param="max_tokens") if "max_tokens" in call.body else chat("yes")

    with serve(script) as server:
        async with opened(server.url) as judge:
            for _ in range(4):
                assert (await judge.ask(REQUEST)).text == "yes"
    assert ["max_tokens" in call.body for call in server.received] == [True, *[False] * 4]


async def test_a_setting_that_is_refused_of_several_calls_at_once_costs_none_of_them():
    with serve(chat("yes")) as server:
        async with opened(server.url) as judge:
            await judge.ask(REQUEST)
            server.script = lambda call: (
                error(400, param="temperature") if "temperature" in call.body else chat("no")
            )
            replies = await asyncio.gather(*(judge.ask(REQUEST) for _ in range(3)))
    assert [reply.text for reply in replies] == ["no"] * 3


async def test_what_one_call_was_refused_is_not_taken_for_what_another_one_sent(monkeypatch):
    """A reply's settings say what was sent, whichever call ended first."""
    posts = asyncio.Queue()

    async def post(body):
        answered = asyncio.get_running_loop().create_future()
        posts.put_nowait((b"temperature" in body, answered))
        return await answered

    def settled(answered, answer):
        answered.set_result((answer.status, {}, answer.body))

    async with opened("http://127.0.0.1:9/v1") as judge:
        monkeypatch.setattr(judge, "_post", post)
        refused, taken = (asyncio.create_task(judge.ask(REQUEST)) for _ in range(2))
        (_, first), (_, second) = await posts.get(), await posts.get()
        settled(first, error(400, param="temperature"))
        settled((await posts.get())[1], chat("yes"))
        assert (await refused).settings == {"temperature": "not sent"}
        settled(second, chat("yes"))
        assert (await taken).settings == {}
        later = asyncio.create_task(judge.ask(REQUEST))
        with_temperature, answered = await posts.get()
        settled(answered, chat("yes"))
        assert with_temperature == ("temperature" not in (await later).settings)


@pytest.mark.parametrize("spec", ["openai/gpt-4o-mini", "hosted_vllm/own"])
async def test_a_key_that_ends_with_a_line_break_is_sent_without_it_and_hidden(monkeypatch, spec):
    """As it is where it was read from a file; and wherever the server repeats it."""
    name = f"{spec.partition('/')[0].upper()}_API_KEY"
    monkeypatch.setenv(name, "abcd1234efgh5678\n")

    def script(call):
        key = call.headers["authorization"]
        return chat(f"no {key}", model=f"m {key}", finish_reason=f"stop {key}")

    with serve(script) as server:
        options = JudgeOptions(api_base=server.url)
        direct = open_judge(spec, options)
        judge = QuickJudge.in_place_of(direct, options)
        replies = [await judge.ask(REQUEST) for _ in range(2)] + [await direct.ask(REQUEST)]
        await judge.close()
        await direct.close()
    assert {call.headers["authorization"] for call in server.received} == {
        "Bearer abcd1234efgh5678"
    }
    assert {(reply.text, reply.model, reply.finish_reason) for reply in replies} == {
        ("no Bearer [hidden]", "m Bearer [hidden]", "stop Bearer [hidden]")
    }


async def test_nobody_listens():
    with serve(chat()) as server:
        url = server.url
    async with opened(url) as judge:
        with pytest.raises(JudgeCallError, match="connection: ConnectionRefusedError"):
            await judge.ask(REQUEST)


async def test_connections_are_kept_alive_and_as_many_as_calls_at_once():
    with serve(chat("yes"), latency_s=0.01) as server:
        async with opened(server.url) as judge:
            for _ in range(5):
                await asyncio.gather(*(judge.ask(REQUEST) for _ in range(8)))
        assert server.connections == 8
        assert server.calls == 40


async def test_a_call_that_is_given_up_takes_its_connection_with_it():
    with serve([hang(), chat("yes")]) as server:
        async with opened(server.url) as judge:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(judge.ask(REQUEST), 0.05)
            assert (await judge.ask(REQUEST)).text == "yes"
        assert server.connections == 2


async def test_a_connection_that_the_server_closed_meanwhile_is_made_anew():
    async with wire(framed(), framed()) as (judge, seen):
        assert (await judge.ask(REQUEST)).text == "yes"
        judge._idle[0].is_open = True
        assert (await judge.ask(REQUEST)).text == "yes"
    assert len(seen) == 2


async def test_a_connection_that_rested_long_is_closed(monkeypatch):
    monkeypatch.setattr("metajudge.metrics.selfcheck.transport.IDLE_S", 0.0)
    with serve(chat("yes")) as server:
        async with opened(server.url) as judge:
            await judge.ask(REQUEST)
            await judge.ask(REQUEST)
        assert server.connections == 2


@pytest.mark.parametrize(
    "answer",
    [
        framed(),
        chunked(chat("yes").body),
        b"HTTP/1.1 100 Continue\r\n\r\n" + framed(),
        HEAD.replace(b"1.1", b"1.0") + b"\r\n" + chat("yes").body,
        HEAD + b"Connection: close\r\n\r\n" + chat("yes").body,
        framed().replace(b"Content-Length", b"content-LENGTH"),
        chunked(chat("yes").body)[:-2] + b"Trailer: x\r\n\r\n",
    ],
)
async def test_all_forms_of_an_answer_are_read(answer):
    closes = b"1.0" in answer or b"close" in answer
    async with wire(answer, *([] if closes else [framed()])) as (judge, _):
        assert (await judge.ask(REQUEST)).text == "yes"
        assert len(judge._idle) == (0 if closes else 1)


@pytest.mark.parametrize("answer", [framed(), chunked(chat("yes").body)])
async def test_answers_may_come_byte_by_byte(answer):
    async with wire([bytes([byte]) for byte in answer], framed()) as (judge, _):
        assert (await judge.ask(REQUEST)).text == "yes"
        assert len(judge._idle) == 1


@pytest.mark.parametrize(
    "answer",
    [
        b"SSH-2.0-OpenSSH_9.0\r\n",
        b"HTTP/2 200\r\n\r\n",
        b"HTTP/1.1 abc\r\n\r\n",
        framed() + b"more",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        HEAD + b"Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\n" + gzip.compress(b"{}")[:3],
        HEAD + b"Content-Length: 100\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\n" + b"x" * 70_000,
    ],
)
async def test_what_is_no_answer_is_an_error_and_the_connection_is_not_used_again(answer):
    async with wire(answer) as (judge, _):
        with pytest.raises(JudgeCallError) as caught:
            await judge.ask(REQUEST)
        assert caught.value.kind == "connection"
        assert judge._idle == []


def test_what_is_longer_than_any_reply_is_no_answer():
    with pytest.raises(NoAnswerError, match="longer"):
        read_answer(bytearray(framed() + b"x"), at_end=False)
    assert MOST_BYTES < 2**25


async def test_b61_servers_behind_a_proxy_keep_the_direct_transport(monkeypatch):
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    options = JudgeOptions(api_base="https://judge.example.org/v1")
    judge = QuickJudge.in_place_of(open_judge("openai/m", options), options)
    assert type(judge) is DirectJudge


async def test_the_key_goes_out_and_never_comes_back(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1234567890")
    with serve(lambda call: chat(f"yes {call.headers['authorization']}")) as server:
        async with opened(server.url) as judge:
            reply = await judge.ask(REQUEST)
    assert server.received[0].headers["authorization"] == "Bearer sk-1234567890"
    assert "1234567890" not in reply.text
    assert "1234567890" not in repr(judge)


async def test_a_line_break_in_a_key_cannot_end_the_header(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-123456\r\nX-Other: 1")
    with serve(chat("yes")) as server:
        async with opened(server.url) as judge:
            await judge.ask(REQUEST)
    assert "x-other" not in server.received[0].headers


def test_b50_several_event_loops_one_after_the_other():
    with serve(chat("yes")) as server:
        judge = quick(server.url)

        async def once():
            text = (await judge.ask(REQUEST)).text
            await judge.close()
            return text

        assert [asyncio.run(once()) for _ in range(3)] == ["yes"] * 3


def test_half_a_surrogate_pair_is_a_bad_request():
    async def once():
        async with opened("http://127.0.0.1:9/v1") as judge:
            await judge.ask(Request((Message("user", "\ud83d"),), 1))

    with pytest.raises(JudgeCallError, match="bad_request"):
        asyncio.run(once())


def test_transports_of_other_event_loops_are_taken():
    """Those of uvloop are not of asyncio's class."""
    written = []
    transport = type("Transport", (), {"write": lambda _, request: written.append(request)})()
    connection, heard = Connection(), []
    connection.connection_made(transport)
    connection.send(b"request", heard.append)
    answer = framed()
    connection.get_buffer(-1)[: len(answer)] = answer
    connection.buffer_updated(len(answer))
    assert written == [b"request"]
    assert heard == [(200, {}, chat("yes").body)]


async def test_bodies_are_those_of_the_direct_transport_byte_by_byte():
    content = '"quotes" \\ and\nlines \x01\x7f 九点 🙂'
    request = Request((Message("system", "Judge."), Message("user", content)), 3, 2)
    with serve(chat("yes", first_token=[("yes", -0.1)])) as server:
        async with opened(server.url) as judge:
            await judge.ask(request)
            await judge.ask(request)
    first, second = server.received
    assert first.raw == second.raw
