"""Prefix-warm order against shuffled claims, on the local model: tokens computed and wall time.

The same few calls twice, in a process each: in the order in which a sweep sends them (sorted by
their messages, so that all questions about one context come together), and shuffled.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.goal import Row, skipped
from benchmarks.process import ROOT, Figures, cores, fresh

if TYPE_CHECKING:
    from metajudge.gold.goldset import GoldSet

MODEL = "qwen2.5-coder-1.5b"
CONTEXTS, CLAIMS = 3, 3
WORDINGS = ("literal", "summary-tolerant", "strict-no-external")
GOAL = "Prefix-warm order beside shuffled claims on the local model (no bound set)"
SEED = 20250101


def ask(order: str, contexts: int, claims: int, wordings: list[str]) -> Figures:
    """Ask a fixed small part of the shipped gold set; `order` is `warm` or `shuffled`."""
    return asyncio.run(_ask(order, contexts, claims, wordings))


async def _ask(order: str, contexts: int, claims: int, wordings: list[str]) -> Figures:
    from metajudge.gold.goldset import load_goldset
    from metajudge.judges import Request, open_judge
    from metajudge.runner import Store, run_calls
    from metajudge.runner.trial import Trial, plan_calls
    from metajudge.templates.catalogue import catalogue_wording
    from metajudge.templates.message import Message

    gold = load_goldset(ROOT / "gold" / "faithfulness").judged()
    judge = open_judge(f"local:{MODEL}")
    trials = [Trial(name, judge.spec, (catalogue_wording(name),)) for name in wordings]
    part = _part(gold, contexts, claims)
    calls = plan_calls(trials, part, {judge.spec: judge}, with_priors=False).distinct(judge.spec)
    if order == "shuffled":
        random.Random(SEED).shuffle(calls)
    # The first call loads the model; a text of its own leaves no prefix behind.
    await judge.ask(Request((Message("user", "Say yes."),), max_tokens=1))
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "replies.sqlite") as store:
        begun = time.perf_counter()
        report = (await run_calls(calls, judge, store)).report
        wall = time.perf_counter() - begun
    await judge.close()
    return {
        "wall_s": wall,
        "calls": report.answered,
        "prompt": report.prompt_tokens,
        "computed": report.prompt_tokens - report.cached_tokens,
    }


def _part(gold: GoldSet, contexts: int, claims: int) -> GoldSet:
    """The first contexts of the set that have enough claims, and their first claims."""
    from dataclasses import replace

    counts = Counter(claim.context_id for claim in gold.claims)
    chosen = [name for name in gold.contexts if counts[name] >= claims][:contexts]
    taken: Counter[str] = Counter()
    kept = []
    for claim in gold.claims:
        if claim.context_id in chosen and taken[claim.context_id] < claims:
            taken[claim.context_id] += 1
            kept.append(claim)
    return replace(gold, claims=tuple(kept), contexts={c: gold.contexts[c] for c in chosen})


def measure(scale: float = 1.0, repeats: int = 1) -> list[Row]:
    """Row of the local model."""
    from metajudge.judges.models import list_models

    here = {state.spec.name: state.state for state in list_models()}
    if here[MODEL] != "here":
        return [skipped(GOAL, f"the model is {here[MODEL]}: metajudge models pull {MODEL}")]
    if find_spec("xllamacpp") is None:
        return [skipped(GOAL, "xllamacpp is not installed: pip install xllamacpp")]
    sizes = {
        "contexts": max(2, round(CONTEXTS * scale)),
        "claims": CLAIMS if scale >= 1 else 1,
        "wordings": list(WORDINGS[: max(2, round(len(WORDINGS) * scale))]),
    }
    warm, shuffled = (
        fresh("local_prefix:ask", on=cores().both, timeout_s=900, order=order, **sizes)
        for order in ("warm", "shuffled")
    )
    return [_row(warm, shuffled, sizes)]


def _row(warm: Figures, shuffled: Figures, sizes: dict[str, Any]) -> Row:
    tokens, wall = shuffled["computed"] / warm["computed"], shuffled["wall_s"] / warm["wall_s"]
    shape = f"{sizes['contexts']} contexts x {sizes['claims']} claims x {len(sizes['wordings'])}"
    return Row(
        GOAL,
        f"{warm['calls']} calls ({shape} templates): {warm['computed']:,} of {warm['prompt']:,} "
        f"prompt tokens computed, {warm['wall_s']:.0f} s",
        f"shuffled: {shuffled['computed']:,} tokens computed ({tokens:.1f} x), "
        f"{shuffled['wall_s']:.0f} s ({wall:.1f} x); the library keeps earlier prompts "
        "in memory, so a set this small finds most prefixes again",
    )
