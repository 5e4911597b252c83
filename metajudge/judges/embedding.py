"""Models that turn a text into a vector: asked, stored and paid for as judges are.

An embedding is a call like any other: its request holds one message, the text, and its reply is
the vector as a JSON list. So vectors have content keys, lie in the reply store, and a run of them
keeps deadlines, retries and budgets.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from metajudge.errors import JudgeSpecError, ModelFileError, Problem
from metajudge.judges.chat import ChatJudge, litellm_error
from metajudge.judges.completion import Tokens, read_usage
from metajudge.judges.direct import DirectJudge, encode_body, read_json
from metajudge.judges.endpoint import OPENAI_STYLE, Endpoint, address_unknown, find_endpoint
from metajudge.judges.failures import call_error
from metajudge.judges.judge import Judge, JudgeCallError, Request, Scalar, call_key
from metajudge.judges.local import LocalJudge
from metajudge.judges.model_place import ModelPlace, model_place
from metajudge.judges.options import JudgeOptions
from metajudge.judges.prices import cost_of
from metajudge.judges.scrub import scrub
from metajudge.judges.transformer import TextVectors
from metajudge.judges.worker import Worker
from metajudge.templates.message import Message
from metajudge.verdicts.verdict import Reply

EMBEDDER_FORMS = (
    "openai/<model>",
    "<provider>/<model> (any litellm string)",
    "transformers:<hub name or folder>",
    "local:<.gguf path>",
)
"""The forms that the spec of an embedding model can have. There is no default."""

_DIGITS = 8
_TOO_LONG = "is too large to process"


def open_embedder(spec: str, options: JudgeOptions | None = None) -> Judge:
    """The embedding model that a spec names; opening connects nowhere and loads nothing.

    Args:
        spec: One of `EMBEDDER_FORMS`.
        options: Address and deadline; None for the defaults.

    Raises:
        JudgeSpecError: The spec names no embedding model.

    >>> open_embedder("openai/text-embedding-3-small").identity["task"]
    'embedding'
    """
    options = options or JudgeOptions()
    head, colon, place = spec.partition(":")
    if not colon or head == "litellm":
        return _open_api(spec, place if colon else spec, options, force_litellm=bool(colon))
    try:
        if head == "transformers" and (found := model_place(place)) is not None:
            return HubEmbedder(spec, found, options)
        if head == "local" and place.lower().endswith(".gguf"):
            return LocalEmbedder(spec, Path(place).expanduser(), options)
    except ModelFileError as error:
        raise _no_embedder(spec, str(error)) from None
    raise _no_embedder(spec, f"an embedding model is named by one of: {'; '.join(EMBEDDER_FORMS)}")


def _open_api(spec: str, model: str, options: JudgeOptions, *, force_litellm: bool) -> Judge:
    provider, _, name = model.partition("/")
    if not name:
        law = f"an embedding model is named by one of: {'; '.join(EMBEDDER_FORMS)}"
        raise _no_embedder(spec, law)
    endpoint = find_endpoint(provider, options) if provider in OPENAI_STYLE else None
    if endpoint is None and provider in OPENAI_STYLE:
        raise address_unknown(spec, provider)
    if endpoint is not None and not force_litellm:
        return DirectEmbedder(spec, model, endpoint, options)
    return ApiEmbedder(spec, model, endpoint, options)


def _no_embedder(spec: str, law: str) -> JudgeSpecError:
    return JudgeSpecError(Problem("embedding model", law, "Correct the spec.", got=repr(spec)))


def embedding_request(text: str) -> Request:
    """The request for the vector of a text."""
    return Request((Message("user", text),), max_tokens=0)


def embedding_key(embedder: Judge, text: str) -> str:
    """The content key of a vector: of model and text."""
    return call_key(embedder.identity, embedding_request(text))


def vector_text(vector: Iterable[float]) -> str:
    """A vector as a reply holds it: a JSON list of numbers with eight digits.

    Raises:
        JudgeCallError: It is empty, or holds a number that is not finite.

    >>> vector_text([1.0, 1 / 3])
    '[1.0,0.33333333]'
    """
    numbers = [float(f"{float(value):.{_DIGITS}g}") for value in vector]
    if not numbers or not all(map(math.isfinite, numbers)):
        raise JudgeCallError("not_a_judge", "the model gave no vector of finite numbers")
    return json.dumps(numbers, separators=(",", ":"))


def vector_of(reply: Reply) -> npt.NDArray[np.float64] | None:
    """The vector in a reply, shape (d,); None where the call failed."""
    if reply.failure is not None:
        return None
    return np.asarray(json.loads(reply.text), np.float64)


class DirectEmbedder(DirectJudge):
    """An embedding model behind an OpenAI-compatible address."""

    gives_logprobs = False
    _path = "embeddings"

    def __init__(self, spec: str, model: str, endpoint: Endpoint, options: JudgeOptions) -> None:
        super().__init__(spec, model, endpoint, options)
        self.identity: Mapping[str, Scalar] = _api_identity(self.identity)

    async def ask(self, request: Request) -> Reply:
        """The vector of the last message; raises `JudgeCallError` when there is none."""
        self._check_key()
        started = time.perf_counter()
        body = {"model": self._name, "input": [request.messages[-1].content]}
        status, headers, answer = await self._post(encode_body(body))
        if status != 200:
            raise call_error(status, answer, headers)
        found = read_json(answer)
        return _embedded(self._model, found if isinstance(found, Mapping) else {}, started)


class ApiEmbedder(ChatJudge):
    """An embedding model of any provider that litellm knows; keys come from the environment.

    For OpenAI-style providers litellm tries twice more by itself whatever it is told, which the
    run does not see; `DirectEmbedder` does not.
    """

    gives_logprobs = False

    def __init__(
        self, spec: str, model: str, endpoint: Endpoint | None, options: JudgeOptions
    ) -> None:
        super().__init__(spec, model, endpoint, options)
        self.identity: Mapping[str, Scalar] = _api_identity(self.identity)

    async def ask(self, request: Request) -> Reply:
        """The vector of the last message; raises `JudgeCallError` when there is none."""
        litellm = self._opened()
        started = time.perf_counter()
        try:
            answer = await asyncio.wait_for(
                litellm.aembedding(
                    model=self._model,
                    input=[request.messages[-1].content],
                    timeout=self._timeout_s,
                    num_retries=0,
                    max_retries=0,
                    **self._address(),
                ),
                self._timeout_s,
            )
        except (asyncio.TimeoutError, litellm.exceptions.Timeout):
            detail = f"no answer within {self._timeout_s:g} s"
            raise JudgeCallError("timeout", detail) from None
        except tuple(litellm.exceptions.LITELLM_EXCEPTION_TYPES) as error:
            raise litellm_error(error, {}) from None
        return _embedded(self._model, answer.model_dump(warnings=False), started)


def _api_identity(of_chat: Mapping[str, Scalar]) -> dict[str, Scalar]:
    kept = {name: of_chat[name] for name in ("model", "backend", "own_endpoint")}
    return {**kept, "task": "embedding"}


def _embedded(model: str, body: Mapping[str, Any], started: float) -> Reply:
    text, tokens = _first_vector(body), read_usage(body.get("usage"))
    told = body.get("model")
    return Reply(
        text,
        finish_reason="stop",
        prompt_tokens=tokens.prompt,
        completion_tokens=0,
        cost_usd=cost_of(model, Tokens(tokens.prompt, None, 0)),
        latency_ms=(time.perf_counter() - started) * 1000,
        model=told if isinstance(told, str) else None,
    )


def _first_vector(body: Mapping[str, Any]) -> str:
    try:
        (row,) = body["data"]
        vector = row["embedding"]
        # llama.cpp gives a list of one vector, or of one a token where it does not pool.
        (vector,) = vector if isinstance(vector[0], list) else (vector,)
        return vector_text(vector)
    except (KeyError, TypeError, ValueError, IndexError):
        detail = f"the server's answer holds no vector: {scrub(repr(body), 200)}"
        raise JudgeCallError("not_a_judge", detail) from None


class HubEmbedder:
    """A model of the hub in this process: the mean of its last hidden states over the tokens."""

    max_in_flight: int | None = 1
    gives_logprobs = False
    label_in_one_token = False

    def __init__(self, spec: str, place: ModelPlace, options: JudgeOptions) -> None:
        self.spec = spec
        self.identity: Mapping[str, Scalar] = {
            "model": f"transformers:{place.identity}",
            "backend": "transformers",
            "pooling": "mean",
            "task": "embedding",
        }
        self._place = place
        self._options = options
        self._model: TextVectors | None = None
        self._worker = Worker("embedder")

    async def ask(self, request: Request) -> Reply:
        """The vector of the last message.

        Raises:
            JudgeCallError: It took longer than the deadline.
            MissingExtraError: torch or transformers is not installed.
            ModelFileError: The model cannot be loaded.
        """
        model = self._model
        if model is None:
            model = await self._worker.run(self._load)
        text, started = request.messages[-1].content, time.perf_counter()
        found = await self._worker.run(lambda: model.of([text]), self._options.timeout_s)
        return Reply(
            vector_text(found[0]),
            finish_reason="stop",
            cost_usd=0.0,
            latency_ms=(time.perf_counter() - started) * 1000,
            model=model.revision or str(self.identity["model"]),
        )

    def _load(self) -> TextVectors:
        if self._model is None:
            self._model = TextVectors(self._place, self._options.threads)
        return self._model

    async def close(self) -> None:
        """Free the model once the running call has ended; safe to call twice."""
        await self._worker.close()
        self._model = None


class LocalEmbedder(LocalJudge):
    """A GGUF model in this process, by xllamacpp: the mean over the tokens of its last layer."""

    gives_logprobs = False
    label_in_one_token = False

    def __init__(self, spec: str, model: Path, options: JudgeOptions) -> None:
        super().__init__(spec, model, options)
        kept = {name: self.identity[name] for name in ("model", "backend", "backend_version")}
        self.identity: Mapping[str, Scalar] = {**kept, "pooling": "mean", "task": "embedding"}

    def _prepare(self, library: Any, parameters: Any) -> None:
        parameters.embedding = True
        # A text is pooled in one piece, so it has to fit into one batch.
        parameters.n_batch = parameters.n_ubatch = self._options.context_tokens
        parameters.pooling_type = library.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN

    def _body(self, request: Request) -> dict[str, Any]:
        return {"input": request.messages[-1].content}

    def _call_server(self, body: dict[str, Any]) -> Any:
        answer = self._server.handle_embeddings(body)
        if _TOO_LONG in str(answer):
            detail = f"the text has more than {self._options.context_tokens} tokens"
            raise JudgeCallError("context_too_long", detail)
        return answer

    def _read(self, answer: Any, latency_ms: float) -> Reply:
        body = answer if isinstance(answer, Mapping) else {"data": answer}
        tokens = read_usage(body.get("usage"))
        text = _first_vector(body)
        return Reply(text, finish_reason="stop", prompt_tokens=tokens.prompt, latency_ms=latency_ms)
