import json

import pytest

from metajudge.errors import JudgeSpecError, MissingExtraError
from metajudge.judges import model_place as places
from metajudge.judges.embedding import (
    embedding_key,
    embedding_request,
    open_embedder,
    vector_of,
    vector_text,
)
from metajudge.judges.judge import JudgeCallError
from metajudge.judges.options import JudgeOptions
from metajudge.runner.reply_json import is_lasting
from metajudge.verdicts.verdict import Reply
from tests.judges.tiny_gguf import save_tiny_gguf
from tests.judges.tiny_models import needs_torch, save_tiny
from tests.loopback import Answer, error, serve

SPEC = "openai/text-embedding-3-small"


def vectors(*rows, usage=7):
    data = [{"object": "embedding", "index": at, "embedding": row} for at, row in enumerate(rows)]
    body = {
        "object": "list",
        "data": data,
        "model": "m",
        "usage": {"prompt_tokens": usage, "total_tokens": usage},
    }
    return Answer(body=json.dumps(body).encode())


async def embedded(server, text="免费版 5 人", spec=SPEC, timeout_s=60.0):
    embedder = open_embedder(spec, JudgeOptions(api_base=server.url, timeout_s=timeout_s))
    try:
        return await embedder.ask(embedding_request(text))
    finally:
        await embedder.close()


@pytest.mark.parametrize("spec", [SPEC, f"litellm:{SPEC}"])
async def test_a_vector_comes_over_the_wire_with_tokens_and_price(spec):
    with serve(vectors([0.1, 0.2, -1 / 3])) as server:
        reply = await embedded(server, spec=spec)
        assert server.received[0].body["input"] == ["免费版 5 人"]
        assert server.received[0].path.endswith("/embeddings")
    assert vector_of(reply).tolist() == [0.1, 0.2, -0.33333333]
    assert reply.prompt_tokens == 7
    assert reply.cost_usd == pytest.approx(7 * 2e-8)
    assert is_lasting(reply)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (error(429), "rate_limit"),
        (error(500), "server"),
        (error(401), "access"),
        (Answer(hang=True), "timeout"),
        (vectors(), "not_a_judge"),
        (vectors([]), "not_a_judge"),
        (vectors([1.0], [2.0]), "not_a_judge"),
    ],
)
async def test_failures_are_told_by_kind(answer, kind):
    with serve(answer) as server, pytest.raises(JudgeCallError) as caught:
        await embedded(server, timeout_s=0.5 if answer.hang else 60)
    assert caught.value.kind == kind


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (error(400), "bad_request"),
        (error(401), "access"),
        (Answer(hang=True), "timeout"),
        (vectors([]), "not_a_judge"),
    ],
)
async def test_failures_are_told_by_kind_through_litellm(answer, kind):
    with serve(answer) as server, pytest.raises(JudgeCallError) as caught:
        await embedded(server, spec=f"litellm:{SPEC}", timeout_s=0.5 if answer.hang else 60)
    assert caught.value.kind == kind


async def test_b45_a_failed_vector_is_asked_for_once_a_call():
    with serve(error(500)) as server:
        with pytest.raises(JudgeCallError):
            await embedded(server)
        assert server.calls == 1


async def test_without_a_key_nothing_is_sent(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_BASE", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(JudgeCallError, match="OPENAI_API_KEY"):
        await open_embedder(SPEC).ask(embedding_request("a"))


@pytest.mark.parametrize("vector", [[], [float("nan")], [1.0, float("inf")]])
def test_what_is_no_vector_is_refused(vector):
    with pytest.raises(JudgeCallError, match="no vector of finite numbers"):
        vector_text(vector)


def test_keys_hold_model_and_text_and_differ_from_a_chat_with_the_same_model():
    one, other = open_embedder(SPEC), open_embedder("openai/text-embedding-3-large")
    keys = {embedding_key(one, "a"), embedding_key(one, "b"), embedding_key(other, "a")}
    assert len(keys) == 3
    assert embedding_key(open_embedder(f"litellm:{SPEC}"), "a") in keys
    assert one.identity["task"] == "embedding"


def test_a_failed_call_has_no_vector():
    assert vector_of(Reply("", failure="timeout")) is None


@pytest.mark.parametrize(
    "spec",
    [
        "",
        "text-embedding-3-small",
        "local:model.bin",
        "local:",
        "transformers:a/b/c",
        "ngram:x",
        "hosted_vllm/m",
    ],
)
def test_what_names_no_embedding_model_is_refused(spec, monkeypatch):
    monkeypatch.delenv("HOSTED_VLLM_API_BASE", raising=False)
    with pytest.raises(JudgeSpecError):
        open_embedder(spec)


async def test_without_the_libraries_the_command_is_told(monkeypatch):
    monkeypatch.setattr(places, "find_spec", lambda name: None)
    embedder = open_embedder("transformers:org/name")
    with pytest.raises(MissingExtraError, match="pip install"):
        await embedder.ask(embedding_request("a"))
    await embedder.close()


async def asked(embedder, *texts):
    try:
        return [await embedder.ask(embedding_request(text)) for text in texts]
    finally:
        await embedder.close()
        await embedder.close()


async def test_a_gguf_model_in_this_process(tmp_path, monkeypatch):
    pytest.importorskip("xllamacpp", reason="xllamacpp is not installed (extra local)")
    monkeypatch.setenv("METAJUDGE_MODELS", str(tmp_path / "kept"))
    file = save_tiny_gguf(tmp_path / "tiny.gguf")
    options = JudgeOptions(context_tokens=64, threads=1)
    texts = ("the office opens at nine", "九点开门", "the office opens at nine")
    first, other, again = await asked(open_embedder(f"local:{file}", options), *texts)
    assert vector_of(first).shape == (32,)
    assert first.text == again.text != other.text
    assert first.model.startswith("sha256:")


async def test_a_text_too_long_for_a_gguf_model_is_a_failed_call(tmp_path, monkeypatch):
    pytest.importorskip("xllamacpp", reason="xllamacpp is not installed (extra local)")
    monkeypatch.setenv("METAJUDGE_MODELS", str(tmp_path / "kept"))
    file = save_tiny_gguf(tmp_path / "tiny.gguf")
    embedder = open_embedder(f"local:{file}", JudgeOptions(context_tokens=64, threads=1))
    with pytest.raises(JudgeCallError) as caught:
        await asked(embedder, "the office opens " * 50)
    assert caught.value.kind == "context_too_long"


async def test_a_model_of_the_hub_in_this_process(tmp_path, monkeypatch):
    needs_torch()
    monkeypatch.setenv("METAJUDGE_MODELS", str(tmp_path / "kept"))
    folder = save_tiny(tmp_path / "encoder", labels=None)
    texts = ("the office opens", "图书馆九点开门。", "the office opens")
    first, other, again = await asked(open_embedder(f"transformers:{folder}"), *texts)
    assert vector_of(first).shape == (16,)
    assert first.text == again.text != other.text
