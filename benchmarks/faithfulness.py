"""G6: 200 faithfulness cases as a framework does them: find an answer's claims, then judge them.

metajudge judges given claims, so it needs no extraction; to be comparable it is measured with two
calls a case all the same: one extraction call, one call that judges the four claims found (a
shipped template with four claims a call, replies parsed, kept in a store). DeepEval makes four
calls a case, Ragas two. The server answers each in the form that it asks for, after 50 ms.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.cases import Case, case
from benchmarks.goal import Row, judged, skipped
from benchmarks.judge_server import CLAIMS_A_CASE, EXTRACT
from benchmarks.meter import Meter, middle
from benchmarks.process import Figures, MeasurementError, fresh, judge_server

WARM_UP = 4
MODEL = "gpt-4o-mini"


def metajudge(client: str, in_flight: int, cases: int, api_base: str) -> Figures:
    """Extraction and judgement by the project's runner, templates, parser and store."""
    return asyncio.run(_metajudge(client, in_flight, cases, api_base))


async def _metajudge(client: str, in_flight: int, cases: int, api_base: str) -> Figures:
    from metajudge.judges import JudgeOptions, open_judge
    from metajudge.runner import Limits, Store

    spec = f"openai/{MODEL}" if client == "direct" else f"litellm:openai/{MODEL}"
    judge = open_judge(spec, JudgeOptions(api_base=api_base))
    meter = Meter(api_base)
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "replies.sqlite") as store:
        score = partial(_score, judge, store, Limits(max_in_flight=in_flight))
        await score([case(-n) for n in range(1, WARM_UP + 1)])
        asked = [case(n) for n in range(cases)]
        with meter:
            scored = await score(asked)
    await judge.close()
    return meter.figures | {"scored": scored}


async def _score(judge: Any, store: Any, limits: Any, asked: list[Case]) -> int:
    """Cases that got a verdict for each claim."""
    from metajudge.judges import Request, call_key
    from metajudge.runner import Call, run_calls
    from metajudge.templates.catalogue import catalogue_wording, changed
    from metajudge.templates.message import Message
    from metajudge.templates.source import AnswerForm
    from metajudge.verdicts import parse_reply

    def call(messages: tuple[Message, ...], most: int) -> Call:
        request = Request(messages, max_tokens=most)
        return Call(call_key(judge.identity, request), request)

    literal = catalogue_wording("literal").source_for("en")
    as_json = AnswerForm(json=True)
    template = changed(literal, "benchmark", claims_per_call=CLAIMS_A_CASE, answer=as_json)
    extracts = [
        call((Message("user", f"{EXTRACT} as a JSON list.\n\nAnswer:\n{one.answer}"),), 200)
        for one in asked
    ]
    told = (await run_calls(extracts, judge, store, limits)).replies
    found = [json.loads(told[extract.key].text) for extract in extracts]
    judgements = [
        call(template.render([one.passage], claims), template.max_tokens)
        for one, claims in zip(asked, found, strict=True)
    ]
    replies = (await run_calls(judgements, judge, store, limits)).replies
    numbers = [str(n) for n in range(1, CLAIMS_A_CASE + 1)]
    verdicts = (parse_reply(replies[one.key], template, numbers) for one in judgements)
    return sum(all(verdict.label for verdict in row) for row in verdicts)


def deepeval(in_flight: int, cases: int, api_base: str) -> Figures:
    """DeepEval's `evaluate` with its faithfulness metric.

    Args:
        in_flight: Cases at once, without progress bar, printing and result file; 0 leaves every
            default in force.
        cases: Number of cases.
        api_base: The judge server.
    """
    from deepeval import evaluate
    from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig
    from deepeval.metrics import FaithfulnessMetric
    from deepeval.models import GPTModel
    from deepeval.test_case import LLMTestCase

    settings: dict[str, Any] = {}
    if in_flight:
        settings = {
            "async_config": AsyncConfig(max_concurrent=in_flight),
            "display_config": DisplayConfig(show_indicator=False, print_results=False),
            "cache_config": CacheConfig(write_cache=False, use_cache=False),
        }
    metric = FaithfulnessMetric(model=GPTModel(model=MODEL, base_url=api_base))

    def score(asked: list[Case]) -> int:
        rows = [
            LLMTestCase(
                input=one.question, actual_output=one.answer, retrieval_context=[one.passage]
            )
            for one in asked
        ]
        found = evaluate(metrics=[metric], test_cases=rows, **settings).test_results
        return sum(row.metrics_data[0].score is not None for row in found)

    return _timed(score, cases, api_base)


def ragas(in_flight: int, cases: int, api_base: str) -> Figures:
    """Ragas' `evaluate` with its faithfulness metric; `in_flight` 0 leaves its default of 16."""
    import warnings

    warnings.simplefilter("ignore")
    from langchain_openai import ChatOpenAI
    from openai import DefaultAsyncHttpxClient
    from ragas import EvaluationDataset, RunConfig, SingleTurnSample, evaluate
    from ragas.llms import LangchainLLMWrapper
    from ragas.metrics import Faithfulness

    config = RunConfig(max_workers=in_flight) if in_flight else RunConfig()

    def score(asked: list[Case]) -> int:
        # Each `evaluate` has an event loop of its own. langchain keeps one client for all, whose
        # connections are dead in the second loop: that would cost Ragas a second try per worker.
        client = DefaultAsyncHttpxClient(base_url=api_base)
        chat = ChatOpenAI(model=MODEL, base_url=api_base, http_async_client=client)
        llm = LangchainLLMWrapper(chat)
        samples = [
            SingleTurnSample(
                user_input=one.question, response=one.answer, retrieved_contexts=[one.passage]
            )
            for one in asked
        ]
        found = evaluate(
            EvaluationDataset(samples=samples),
            metrics=[Faithfulness()],
            llm=llm,
            run_config=config,
            show_progress=False,
        )
        return sum(row["faithfulness"] == row["faithfulness"] for row in found.scores)

    return _timed(score, cases, api_base)


def _timed(score: Any, cases: int, api_base: str) -> Figures:
    meter = Meter(api_base)
    score([case(-n) for n in range(1, WARM_UP + 1)])
    asked = [case(n) for n in range(cases)]
    with meter:
        scored = score(asked)
    return meter.figures | {"scored": scored}


def measure(scale: float = 1.0, repeats: int = 3) -> list[Row]:
    """Rows of G6."""
    cases = max(8, int(200 * scale))
    with judge_server(50) as address:
        shared = {"cases": cases, "api_base": address}
        ours = {
            client: [
                fresh("faithfulness:metajudge", client=client, in_flight=64, **shared)
                for _ in range(repeats)
            ]
            for client in ("litellm", "direct")
        }
        by_default = _peer("deepeval", in_flight=0, **shared)
        wide = _peer("deepeval", in_flight=64, **shared)
        other = _peer("ragas", in_flight=0, **shared)
    promises = (Promise("litellm", 2.2, 10), Promise("direct", 0.65, 35))
    rows = [_row(promise, ours[promise.client], (by_default, wide), cases) for promise in promises]
    return [*rows, _ragas_row(ours, other, cases)]


def _peer(name: str, **arguments: Any) -> Figures | str:
    """A peer's figures, or why there are none."""
    if find_spec(name) is None:
        return f"{name} is not installed (pip install {name})"
    started = time.perf_counter()
    try:
        return fresh(f"faithfulness:{name}", **arguments)
    except MeasurementError as error:
        return f"{error} (after {time.perf_counter() - started:.0f} s)"


class Promise(NamedTuple):
    """Most wall time for 200 cases, and how many times faster than DeepEval."""

    client: str
    most_s: float
    times: int


def _row(
    promise: Promise,
    ours: list[Figures],
    peer: tuple[Figures | str, Figures | str],
    cases: int,
) -> Row:
    client, most_s, times = promise
    most_s *= cases / 200
    goal = f"G6: {cases} cases by {client}, 64 in flight: <= {most_s:.2f} s, >= {times} x DeepEval"
    wall, cpu = middle(ours, "wall_s"), middle(ours, "cpu_ms")
    unscored = sum(cases - row["scored"] for row in ours)
    measured = f"{wall:.2f} s, {2 * cases} calls, {cpu:.2f} ms CPU a call"
    measured += f", {unscored} CASES WITHOUT VERDICTS" if unscored else ""
    by_default, wide = peer
    if isinstance(by_default, str) or isinstance(wide, str):
        why = by_default if isinstance(by_default, str) else str(wide)
        return judged(f"{goal} (not compared)", measured, why, wall <= most_s, "see CPU a call")
    best = min(by_default["wall_s"], wide["wall_s"])
    measured += f"; {best / wall:.0f} x faster than DeepEval at its best"
    beside = (
        f"DeepEval {by_default['wall_s']:.1f} s with its defaults, {wide['wall_s']:.1f} s with 64 "
        f"cases at once, without display and cache ({wide['calls']:.0f} calls, "
        f"{wide['connections']:.0f} connections)"
    )
    return judged(
        goal,
        measured,
        beside,
        wall <= most_s and best / wall >= times and not unscored,
        f"{wall:.2f} s of which {2 * cases * cpu / 1000:.2f} s CPU of the client; DeepEval took "
        f"{best:.1f} s, so {times} x would be {best / times:.2f} s",
    )


def _ragas_row(ours: dict[str, list[Figures]], other: Figures | str, cases: int) -> Row:
    goal = f"G6: {cases} cases beside Ragas (16 at once, its default)"
    if isinstance(other, str):
        return skipped(goal, other)
    walls = ", ".join(f"{client} {middle(rows, 'wall_s'):.2f} s" for client, rows in ours.items())
    beside = f"Ragas {other['wall_s']:.2f} s, {other['calls']:.0f} calls"
    return Row(goal, walls, beside)
