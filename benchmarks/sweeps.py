"""G1, G9 and warm replay: what a sweep costs beside the judge's own time.

Claims and replies are synthetic. Prompts, keys, store, parser, figures and reports are the real
ones, through the same doors that `metajudge sweep` uses.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
import sqlite3
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import synthetic
from benchmarks.cases import case, prompt
from benchmarks.goal import Row, judged
from benchmarks.meter import cpu_s, middle, peak_mb
from benchmarks.process import Figures, cores, fresh

if TYPE_CHECKING:
    from metajudge.report.results import Results
    from metajudge.runner.trial import Plan

IN_FLIGHT = 64
STORE = "replies.sqlite"


def overhead(claims: int) -> Figures:
    """G1: render, key, schedule, store and parse `claims` x 5 calls of a judge without latency."""
    from metajudge.runner import Limits, Store, run_sync
    from metajudge.runner.trial import Trial, plan_calls
    from metajudge.selection.replay import replay
    from metajudge.templates.catalogue import catalogue_wording
    from metajudge.verdicts.table import FAILURE_CODE

    gold = synthetic.goldset(claims)
    judge = synthetic.SyntheticJudge({})
    trials = [Trial(name, judge.spec, (catalogue_wording(name),)) for name in synthetic.WORDINGS]

    def plan() -> Plan:
        return plan_calls(trials, gold, {judge.spec: judge})

    told = {p.call.request.messages: reply for p, reply in synthetic.replies(plan(), judge.spec)}
    judge = synthetic.SyntheticJudge(told)
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / STORE) as store:
        marks = [(time.perf_counter(), cpu_s())]
        planned = plan()
        marks.append((time.perf_counter(), cpu_s()))
        calls = planned.distinct(judge.spec)
        outcome = run_sync(calls, judge, store, Limits(max_in_flight=IN_FLIGHT))
        marks.append((time.perf_counter(), cpu_s()))
        read = replay(planned, outcome.replies)
        marks.append((time.perf_counter(), cpu_s()))
    unread = sum(int((part.codes == FAILURE_CODE).sum()) for row in read for part in row.variants)
    parts = [1000 * (b[1] - a[1]) / len(calls) for a, b in itertools.pairwise(marks)]
    return {
        "calls": len(calls),
        "asked": judge.asked,
        "unread": unread,
        "per_s": len(calls) / (marks[-1][0] - marks[0][0]),
        "cpu_ms": sum(parts),
        "plan_ms": parts[0],
        "run_ms": parts[1],
        "parse_ms": parts[2],
    }


def bare_loop(calls: int) -> Figures:
    """Floor of G1: format, hash, a task a call, JSON, SQLite with 200 rows a commit, no more."""
    reply = json.dumps({"text": "yes", "prompt_tokens": 400, "completion_tokens": 3})

    async def ask(number: int, gate: asyncio.Semaphore) -> tuple[str, str]:
        async with gate:
            asked = json.dumps([["user", prompt(number)]])
            key = hashlib.sha256(asked.encode()).hexdigest()
            await asyncio.sleep(0)
            return key, reply

    async def everything() -> int:
        gate = asyncio.Semaphore(IN_FLIGHT)
        rows: list[tuple[str, str]] = []
        read = 0
        for done in [asyncio.create_task(ask(number, gate)) for number in range(calls)]:
            rows.append(await done)
            read += json.loads(rows[-1][1])["text"] in ("yes", "no", "idk")
            if len(rows) == 200:
                with database:
                    database.executemany("insert into replies values (?, ?)", rows)
                rows.clear()
        return read

    with tempfile.TemporaryDirectory() as folder:
        database = _database(Path(folder) / "floor.sqlite")
        begun, cpu = time.perf_counter(), cpu_s()
        asyncio.run(everything())
        used, wall = cpu_s() - cpu, time.perf_counter() - begun
        database.close()
    return {"cpu_ms": 1000 * used / calls, "per_s": calls / wall}


def _database(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path)
    database.execute("pragma journal_mode = wal")
    database.execute("pragma synchronous = normal")
    database.execute("create table replies (key text primary key, reply text)")
    return database


def finish(folder: str, claims: int, trials: int) -> Figures:
    """Write a synthetic experiment and put a reply to each of its calls into its store."""
    from metajudge.experiment import Experiment
    from metajudge.runner import Store

    experiment = Experiment.from_file(synthetic.write_experiment(Path(folder), claims, trials))
    prepared = experiment.prepare()
    plan = experiment.plan(prepared)
    ((spec, judge),) = prepared.judges.items()
    with Store(Path(folder) / STORE) as store:
        stored = synthetic.fill(store, synthetic.replies(plan, spec), judge.identity)
    return {"calls": len(plan.distinct(spec)), "stored": stored}


def rerun(folder: str) -> Figures:
    """G9: sweep a finished experiment again, in a process that has done nothing else."""
    from metajudge.experiment import Experiment

    begun = time.perf_counter()
    experiment = Experiment.from_file(Path(folder) / "experiment.yaml")
    outcome = experiment.sweep(store=Path(folder) / STORE)
    counts = outcome.results.calls
    return {
        "wall_s": time.perf_counter() - begun,
        "asked": counts.asked,
        "from_store": counts.from_store,
    }


def hit(folder: str) -> Figures:
    """G9: what one stored reply costs: key, look-up, verdict; and rendering its prompt before."""
    from metajudge.experiment import Experiment
    from metajudge.judges import call_key
    from metajudge.runner import Store
    from metajudge.selection.replay import replay

    experiment = Experiment.from_file(Path(folder) / "experiment.yaml")
    prepared = experiment.prepare()
    experiment.plan(prepared)
    ((spec, judge),) = prepared.judges.items()
    with Store(Path(folder) / STORE) as store:
        marks = [time.perf_counter()]
        plan = experiment.plan(prepared)
        marks.append(time.perf_counter())
        keys = [call_key(judge.identity, planned.call.request) for planned in plan.calls[spec]]
        marks.append(time.perf_counter())
        replies = store.get_many(keys)
        marks.append(time.perf_counter())
        replay(plan, replies)
        marks.append(time.perf_counter())
    planned, key, look_up, parse = (1e6 * (b - a) / len(keys) for a, b in itertools.pairwise(marks))
    return {
        "render_us": planned - key,
        "key_us": key,
        "look_up_us": look_up,
        "parse_us": parse,
        "hit_us": key + look_up + parse,
    }


def bare_hit(replies: int) -> Figures:
    """Floor of G9: JSON and SHA-256 of a prompt, one row of SQLite, JSON of the reply."""
    stored = json.dumps({"text": "yes", "prompt_tokens": 400, "completion_tokens": 3})

    def key(number: int) -> str:
        asked = case(number)
        messages = [["user", f"{asked.passage}\n{asked.answer}"]]
        return hashlib.sha256(json.dumps(messages).encode()).hexdigest()

    with tempfile.TemporaryDirectory() as folder:
        database = _database(Path(folder) / "floor.sqlite")
        with database:
            rows = ((key(n), stored) for n in range(replies))
            database.executemany("insert into replies values (?, ?)", rows)
        begun = time.perf_counter()
        for number in range(replies):
            found = database.execute("select reply from replies where key = ?", (key(number),))
            json.loads(found.fetchone()[0])
        took = time.perf_counter() - begun
        database.close()
    return {"us": 1e6 * took / replies}


def warm_replay(folder: str) -> Figures:
    """From a full store to `results.json` and `report.html`, everything in this process."""
    begun = time.perf_counter()
    from metajudge.experiment import Experiment
    from metajudge.report.results_file import write_results
    from metajudge.runner import Store, run_sync

    marks = [("import", time.perf_counter())]

    def mark(name: str) -> None:
        marks.append((name, time.perf_counter()))

    experiment = Experiment.from_file(Path(folder) / "experiment.yaml")
    prepared = experiment.prepare()
    plan = experiment.plan(prepared)
    mark("gold, prompts, keys")
    ((spec, judge),) = prepared.judges.items()
    with Store(Path(folder) / STORE) as store:
        outcome = run_sync(plan.distinct(spec), judge, store)
    mark("look-up")
    swept = experiment.measure(prepared, plan, outcome.replies, [outcome.report])
    mark("parse, score, bootstrap")
    _other_coefficients(swept.results)
    mark("other coefficients")
    write_results(swept.results, Path(folder) / "results.json")
    mark("results.json")
    swept.report_html(Path(folder) / "report.html")
    mark("report.html")
    parts, before = {}, begun
    for name, at in marks:
        parts[name], before = at - before, at
    return {
        "wall_s": before - begun,
        "parts": parts,
        "asked": outcome.report.sent,
        "verdicts": sum(len(row.verdicts) for row in swept.results.verdicts),
        "peak_mb": peak_mb(),
        "html_mb": (Path(folder) / "report.html").stat().st_size / 1e6,
    }


def _other_coefficients(results: Results) -> None:
    """Those that a report does not show, so that really all of them are within the time."""
    import numpy as np

    from metajudge.agreement import (
        COEFFICIENTS,
        ORDERED,
        cluster_tables,
        cluster_weights,
        estimate,
    )
    from metajudge.selection.measure import TABLE_FIGURES

    code = {"yes": 0, "no": 1, "idk": 2, "failure": 3}
    answers = np.unique([c.answer_id for c in results.claims], return_inverse=True)[1]
    gold = np.array([code[c.gold] for c in results.claims])
    said = np.array([[code[v] for v in row.verdicts] for row in results.verdicts])
    sums = cluster_tables(answers, gold, said)
    weights = cluster_weights(int(answers.max()) + 1, 2000, np.random.default_rng(results.seed))
    shown = set(TABLE_FIGURES.values())
    others = [c for name, c in COEFFICIENTS.items() if name not in shown]
    for coefficient in (*others, *ORDERED):
        estimate(sums, coefficient, weights)


def measure(scale: float = 1.0, repeats: int = 3) -> list[Row]:
    """Rows of G1, G9 and warm replay."""
    claims = max(50, int(2000 * scale))
    ours = [fresh("sweeps:overhead", claims=claims) for _ in range(repeats)]
    bare = [fresh("sweeps:bare_loop", calls=5 * claims) for _ in range(repeats)]
    return [_g1(ours, bare), *_g9(scale, repeats), _replay(scale)]


def _g1(ours: list[Figures], bare: list[Figures]) -> Row:
    cpu, rate = middle(ours, "cpu_ms"), middle(ours, "per_s")
    parts = ", ".join(
        f"{name} {middle(ours, key):.3f}"
        for name, key in (("plan", "plan_ms"), ("run and store", "run_ms"), ("parse", "parse_ms"))
    )
    lost = sum(row["calls"] - row["asked"] + row["unread"] for row in ours)
    return judged(
        f"G1: runner overhead, judge without latency, {ours[0]['calls']:,} calls: <= 0.35 ms CPU "
        "a call, >= 2,500 verdicts/s",
        f"{cpu:.3f} ms a call ({parts}), {rate:,.0f} verdicts/s" + (f", {lost} LOST" * bool(lost)),
        f"bare loop with hash, task, SQLite: {middle(bare, 'cpu_ms'):.3f} ms",
        cpu <= 0.35 and rate >= 2500 and not lost,
        f"the largest part of ms a call: {parts}",
    )


def _g9(scale: float, repeats: int) -> list[Row]:
    claims, trials = max(50, int(2500 * scale)), 4
    with tempfile.TemporaryDirectory(prefix="metajudge-bench-") as folder:
        filled = fresh("sweeps:finish", folder=folder, claims=claims, trials=trials)
        hits = [fresh("sweeps:hit", folder=folder) for _ in range(repeats)]
        again = [fresh("sweeps:rerun", folder=folder, on=cores().both) for _ in range(repeats)]
    bare = fresh("sweeps:bare_hit", replies=claims * trials)
    render, key, look_up, parse, whole = (
        middle(hits, f"{part}_us") for part in ("render", "key", "look_up", "parse", "hit")
    )
    wall = middle(again, "wall_s")
    asked = sum(row["asked"] for row in again)
    calls = filled["calls"]
    distinct = filled["stored"] == calls == claims * trials
    shown = f"key {key:.0f}, look-up {look_up:.0f}, reply read to a verdict {parse:.0f} us"
    return [
        judged(
            "G9: a cache hit, from request to verdict, costs <= 60 us",
            f"{whole:.0f} us ({shown}); making the prompt before it: {render:.0f} us",
            f"bare hash, SQLite row and JSON: {bare['us']:.0f} us",
            whole <= 60,
            f"{shown}; every reply holds 15 first-token probabilities",
        ),
        judged(
            f"G9: re-run of a finished sweep of {calls:,} calls <= 1.5 s, 0 calls",
            f"{wall:.2f} s with figures, intervals and ranking, {asked} calls"
            + ("" if distinct else ", KEYS SHARED"),
            f"{calls * (render + whole) / 1e6:.2f} s of it from prompts to verdicts",
            wall <= 1.5 and not asked and distinct,
            f"{calls * (render + whole) / 1e6:.2f} s lead from prompts to verdicts; the rest is "
            "reading the gold set, imports, and the intervals of every figure of every slice",
        ),
    ]


def _replay(scale: float) -> Row:
    claims, trials = max(50, int(2500 * scale)), 20
    with tempfile.TemporaryDirectory(prefix="metajudge-bench-") as folder:
        fresh("sweeps:finish", folder=folder, claims=claims, trials=trials)
        found = fresh("sweeps:warm_replay", folder=folder, on=cores().both)
    parts = ", ".join(f"{name} {took:.1f}" for name, took in found["parts"].items())
    return judged(
        f"Warm replay: {found['verdicts']:,} synthetic verdicts parsed, scored, bootstrapped "
        "(2,000 resamples of answers, all coefficients) and reported < 15 s",
        f"{found['wall_s']:.1f} s, {found['asked']} calls, {found['peak_mb']:.0f} MB at most",
        f"s: {parts}; report {found['html_mb']:.1f} MB",
        found["wall_s"] < 15 and not found["asked"],
        f"s: {parts}",
    )
