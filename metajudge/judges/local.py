"""`local:`: a GGUF model in this process, by xllamacpp (llama.cpp)."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from metajudge.errors import MissingExtraError, ModelFileError
from metajudge.judges.completion import read_completion
from metajudge.judges.failures import call_error
from metajudge.judges.judge import JudgeCallError, Request, Scalar
from metajudge.judges.models import (
    MODELS,
    PINNED_BACKEND_VERSION,
    ModelSpec,
    checked_path,
    own_file_sha256,
)
from metajudge.judges.options import MAX_TOP_LOGPROBS, JudgeOptions
from metajudge.judges.scrub import scrub
from metajudge.judges.worker import Worker
from metajudge.verdicts.verdict import Reply

BACKEND = "xllamacpp"


class LocalJudge:
    """A local model: one call at a time, in one worker thread; no network.

    Consecutive prompts that begin alike share the computed prefix, so calls sorted by their
    messages are several times cheaper. The model is loaded at the first call. File and library are
    not needed to know the identity, so stored replies replay without both.

    The deadline of a call that waits behind another begins when its own turn comes.
    """

    max_in_flight: int | None = 1
    gives_logprobs = True
    label_in_one_token = True

    def __init__(self, spec: str, model: ModelSpec | Path, options: JudgeOptions) -> None:
        self.spec = spec
        self._model = model
        self._options = options
        digest = model.sha256 if isinstance(model, ModelSpec) else own_file_sha256(model)
        self._digest = f"sha256:{digest}"
        self.identity: Mapping[str, Scalar] = {
            "model": self._digest,
            "backend": BACKEND,
            "backend_version": backend_version(),
            "temperature": None if options.temperature is None else float(options.temperature),
            "seed": options.seed,
        }
        self._server: Any = None
        self._worker = Worker("local-judge")

    def __repr__(self) -> str:
        return f"LocalJudge({self.spec!r})"

    async def ask(self, request: Request) -> Reply:
        """One call.

        Raises:
            JudgeCallError: The call failed, or took longer than the deadline.
            MissingExtraError: xllamacpp is not installed.
            ModelFileError: The model's file is missing or not the pinned one.
        """
        if self._server is None:
            await self._worker.run(self._load)
        body, started = self._body(request), time.perf_counter()

        def work() -> Any:
            nonlocal started
            started = time.perf_counter()
            return self._complete(body)

        answer = await self._worker.run(work, self._options.timeout_s)
        error = answer.get("error") if isinstance(answer, Mapping) else None
        if error:
            code = error.get("code") if isinstance(error, Mapping) else None
            raise call_error(code if isinstance(code, int) else 500, answer, {})
        reply = self._read(answer, (time.perf_counter() - started) * 1000)
        # The library reports the file's path, which says nothing elsewhere and may be private.
        return replace(reply, model=self._digest, cost_usd=0.0)

    def _read(self, answer: Any, latency_ms: float) -> Reply:
        return read_completion(answer, latency_ms)

    def _body(self, request: Request) -> dict[str, Any]:
        body: dict[str, Any] = {
            "messages": [{"role": m.role, "content": m.content} for m in request.messages],
            "max_tokens": request.max_tokens,
            "cache_prompt": True,
        }
        options = self._options
        if options.temperature is not None:
            body["temperature"] = float(options.temperature)
        if options.seed is not None:
            body["seed"] = options.seed + request.repeat
        if request.top_logprobs:
            body["logprobs"] = True
            body["top_logprobs"] = min(request.top_logprobs, MAX_TOP_LOGPROBS)
        return body

    def _complete(self, body: dict[str, Any]) -> Any:
        try:
            answer = self._call_server(body)
        except (TypeError, ValueError) as error:
            raise JudgeCallError("bad_request", scrub(str(error))) from None
        except RuntimeError as error:
            raise JudgeCallError("server", scrub(str(error))) from None
        return json.loads(answer) if isinstance(answer, str | bytes) else answer

    def _call_server(self, body: dict[str, Any]) -> Any:
        return self._server.handle_chat_completions(body)

    def _load(self) -> None:
        if self._server is not None:
            return
        try:
            import xllamacpp
        except ImportError:
            raise MissingExtraError(f"judge {self.spec}", "local") from None
        path = checked_path(self._model) if isinstance(self._model, ModelSpec) else self._model
        if not path.is_file():
            raise ModelFileError(f"{path} is not there. Give the path of a .gguf file.")
        threads = self._options.threads or usable_cores()
        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(path)
        parameters.n_ctx = self._options.context_tokens
        parameters.n_parallel = 1
        parameters.cpuparams.n_threads = threads
        parameters.cpuparams_batch.n_threads = threads
        parameters.verbosity = -1
        parameters.warmup = False
        self._prepare(xllamacpp, parameters)
        try:
            self._server = xllamacpp.Server(parameters)
        except RuntimeError as error:
            raise ModelFileError(f"{path} cannot be loaded: {scrub(str(error))}") from None

    def _prepare(self, library: Any, parameters: Any) -> None:
        """Set what another use of the model than chat needs."""

    async def close(self) -> None:
        """Free the model once the running call has ended; safe to call twice."""
        await self._worker.close()
        self._server = None


def backend_version() -> str:
    """Version of the installed xllamacpp; the pinned one where none is installed."""
    try:
        return version(BACKEND)
    except PackageNotFoundError:
        return PINNED_BACKEND_VERSION


def usable_cores() -> int:
    """Cores this process may use, at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def find_model(place: str) -> ModelSpec | Path | None:
    """The model a `local:` spec names: a known name or a .gguf path; None for neither."""
    if place in MODELS:
        return MODELS[place]
    return Path(place).expanduser() if place.lower().endswith(".gguf") else None
