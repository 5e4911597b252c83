"""A judge on 127.0.0.1 for benchmarks: fixed latency, replies shaped by the request, counters.

The loopback server of the tests with a script that answers every framework measured here:

- a `response_format` with a JSON schema gets JSON filled from that schema (DeepEval),
- Ragas' two prompts get its statements and its verdicts,
- metajudge's numbered claims get one JSON verdict a claim, an extraction prompt gets claims,
- anything else gets `yes`, `no` or `idk`, decided by the case number in the prompt.

`GET /stats` gives the counters since the start, without its own requests and connections;
`GET /forget` sets the highest number in flight to zero.

Run: python -m benchmarks.judge_server --latency-ms 50
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import resource
import time
from typing import Any

from tests.loopback import Answer, LoopbackServer, Script, ServerCall, _run, chat

CLAIMS_A_CASE = 4
LABELS = ("yes", "no", "idk")
SENTENCE = "The pump was replaced in March and has run without a fault since."
CASE = re.compile(r"\[case (-?\d+)\]")
EXTRACT = "List the claims of this answer"
RETRY_AFTER_S = 1.0
STILL_UNDER_WAY_S = 0.1
USAGE = (600, 120)


def label_of(case: int) -> str:
    """The verdict that the server gives on a case."""
    return LABELS[(case * 7 + case // 3) % 3]


def filled(schema: dict[str, Any], defs: dict[str, Any]) -> Any:
    """One instance of a JSON schema, as far as judges use them."""
    if "$ref" in schema:
        return filled(defs[schema["$ref"].rpartition("/")[2]], defs)
    if "enum" in schema:
        return schema["enum"][0]
    for choice in ("anyOf", "oneOf", "allOf"):
        if choice in schema:
            return filled(schema[choice][0], defs)
    kind = schema.get("type", "string")
    if kind == "object":
        return {name: filled(part, defs) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        return [filled(schema["items"], defs)] * CLAIMS_A_CASE
    return {"integer": 1, "number": 1.0, "boolean": True}.get(kind, SENTENCE)


def scripted() -> Script:
    """The script; equal requests share one answer, so that the server stays cheap."""
    kept: dict[str, Answer] = {}

    def give(name: str, text: str) -> Answer:
        if name not in kept:
            kept[name] = chat(text, usage=USAGE)
        return kept[name]

    def answer(call: ServerCall) -> Answer:
        if b'"response_format"' in call.raw:
            wanted = (call.body.get("response_format") or {}).get("json_schema")
            if wanted:
                schema = wanted["schema"]
                return give(
                    f"schema {wanted['name']}", json.dumps(filled(schema, schema.get("$defs", {})))
                )
        return _by_prompt(call.raw.decode(), give)

    return answer


def _by_prompt(prompt: str, give: Any) -> Answer:
    if EXTRACT in prompt:
        return give("extract", json.dumps([SENTENCE] * CLAIMS_A_CASE))
    if "StatementFaithfulnessAnswer" in prompt or "judge the faithfulness" in prompt:
        row = {"statement": SENTENCE, "reason": "stated", "verdict": 1}
        return give("ragas verdicts", json.dumps({"statements": [row] * CLAIMS_A_CASE}))
    if "Break down each sentence" in prompt:
        return give("ragas statements", json.dumps({"statements": [SENTENCE] * CLAIMS_A_CASE}))
    if "[[ ## " in prompt:
        fields = "[[ ## verdict ## ]]\nyes\n\n[[ ## completed ## ]]"
        return give("dspy", fields)
    case = CASE.search(prompt)
    label = label_of(int(case[1])) if case else "yes"
    if "one object per claim" in prompt:
        rows = [{"id": str(n), "verdict": "yes"} for n in range(1, CLAIMS_A_CASE + 1)]
        return give("batch", "\n".join(map(json.dumps, rows)))
    return give(label, label)


class BenchServer(LoopbackServer):
    """The loopback server with its counters behind HTTP, and a watch on `Retry-After`."""

    def reset(self) -> None:
        super().reset()
        self.too_early = 0
        self.bytes_in = 0
        self.own = 0
        self.refused_at = float("-inf")

    def answer(self, call: ServerCall) -> Answer:
        if call.path in ("/stats", "/forget"):
            self.own += 1
            if call.path == "/forget":
                self.peak_in_flight = 0
            return Answer(body=json.dumps(self.stats()).encode(), latency_s=0.0)
        since = time.monotonic() - self.refused_at
        self.too_early += STILL_UNDER_WAY_S < since < RETRY_AFTER_S - STILL_UNDER_WAY_S
        refused_before = self.refused
        self.bytes_in += len(call.raw)
        given = super().answer(call)
        if self.refused == refused_before:
            return given
        self.refused_at = time.monotonic()
        return given.after(0.0)

    def stats(self) -> dict[str, float]:
        """Counters since the start; `too_early` are requests sent in spite of `Retry-After`."""
        return {
            "calls": self.calls,
            "refused": self.refused,
            "too_early": self.too_early,
            "connections": self.connections - self.own,
            "peak_in_flight": self.peak_in_flight,
            "bytes_in": self.bytes_in,
            "cpu_s": cpu_s(),
        }


def cpu_s() -> float:
    """CPU time of this process in s."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description="judge server for benchmarks")
    parser.add_argument("--latency-ms", type=float, default=50.0)
    parser.add_argument("--calls-per-s", type=float)
    parser.add_argument("--seconds", type=float, default=600.0)
    options = parser.parse_args()
    server = BenchServer(scripted(), options.latency_ms / 1000, options.calls_per_s)
    server.keep_received = False

    async def serve_until_told() -> None:
        stop = asyncio.Event()
        asyncio.get_running_loop().call_later(options.seconds, stop.set)
        await _run(server, 0, lambda: print(server.url, flush=True), stop)

    asyncio.run(serve_until_told())


if __name__ == "__main__":
    main()
