"""Synthetic claims and replies, for timing only: nothing here says anything about a judge.

Every name carries the word synthetic, so that no file made from it can pass for evidence.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.cases import PASSAGE

if TYPE_CHECKING:
    from metajudge.gold.goldset import GoldSet
    from metajudge.judges import Request
    from metajudge.runner import Store
    from metajudge.runner.trial import Plan, PlannedCall
    from metajudge.verdicts.verdict import Reply

SEED = 20250101
CLAIMS_AN_ANSWER = 5
ANSWERS_A_CONTEXT = 2
RIGHT = 0.75
SHARES = {"yes": 0.45, "no": 0.25, "idk": 0.30}
SLICES = {
    "yes": ("literal", "paraphrase", "summary", "aggregation", "inference", "hedged"),
    "no": ("contradiction", "outside_false", "compound"),
    "idk": ("off_context", "outside_true", "inference"),
}
WORDINGS = (
    "literal",
    "summary-tolerant",
    "strict-no-external",
    "contradiction-only",
    "evidence-first",
)
AXES = (
    "{{name: {name}}}",
    "{{name: {name}, labels: relation}}",
    "{{name: {name}, labels: letters}}",
    "{{name: {name}, answer: {{form: label_first, json: true}}}}",
)
SCRIPT = """\
name: synthetic replies, for timing only
replies: [{text: "yes", first_token: {"yes": -0.1}}]
"""
EXPERIMENT = """\
name: synthetic-{claims}x{trials}
question: How long does the machinery take? The verdicts are synthetic.
gold: {{path: gold}}
judges: ["scripted:{script}"]
templates:
{templates}
readings: [top]
policies: [lenient, strict, partial(0.5), drop_idk, expected]
target: summary_as_idk
bootstrap: {{resamples: 2000, cluster: answer}}
"""
FILLERS = ("The", "I", "A", "It", "This", "Not", "Based", "Yes", "No", "None", "We", "Ans")


class SyntheticJudge:
    """Answers at once with a synthetic reply; no latency, no cost."""

    spec = "synthetic"
    max_in_flight: int | None = None
    gives_logprobs = False
    label_in_one_token = False

    def __init__(self, replies: Mapping[tuple[object, ...], Reply]) -> None:
        self.identity = {"model": "synthetic", "backend": "benchmark"}
        self._replies = replies
        self.asked = 0

    async def ask(self, request: Request) -> Reply:
        self.asked += 1
        return self._replies[request.messages]

    async def close(self) -> None:
        """Nothing to give back."""


def goldset(claims: int) -> GoldSet:
    """A gold set of that many claims, five an answer, two answers a context, all English."""
    from metajudge.gold.claim import Claim, Context, GoldManifest, LabellingPolicy
    from metajudge.gold.goldset import GoldSet

    rng = random.Random(SEED)
    per_context = CLAIMS_AN_ANSWER * ANSWERS_A_CONTEXT
    contexts = {
        f"c{n}": Context(context_id=f"c{n}", passages=(f"Station {n}. {PASSAGE[:900]}",), lang="en")
        for n in range(-(-claims // per_context))
    }
    rows = []
    for n in range(claims):
        label = rng.choices(list(SHARES), list(SHARES.values()))[0]
        rows.append(
            Claim(
                claim_id=f"k{n}",
                answer_id=f"a{n // CLAIMS_AN_ANSWER}",
                context_id=f"c{n // per_context}",
                claim=f"Pump {n} of station {n // per_context} was replaced in March.",
                label=label,
                slice=rng.choice(SLICES[label]),
                lang="en",
                label_source="author",
            )
        )
    manifest = GoldManifest(
        name="synthetic",
        version="1.0.0",
        languages=("en",),
        labelling_policy=LabellingPolicy(version="1.0.0"),
        licence="CC0-1.0",
        provenance="Synthetic, for timing only.",
        label_source="author",
    )
    return GoldSet(manifest, tuple(rows), contexts)


def write_experiment(folder: Path, claims: int, trials: int) -> Path:
    """Gold set, script and experiment in a folder; at most 20 trials."""
    from metajudge.gold.writer import write_goldset

    write_goldset(goldset(claims), folder / "gold")
    script = folder / "synthetic.yaml"
    script.write_text(SCRIPT, encoding="utf-8")
    entries = [f"  - {axis.format(name=name)}" for axis in AXES for name in WORDINGS][:trials]
    text = EXPERIMENT.format(
        claims=claims, trials=trials, script=script, templates="\n".join(entries)
    )
    path = folder / "experiment.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def replies(plan: Plan, judge: str) -> Iterator[tuple[PlannedCall, Reply]]:
    """A synthetic reply to every call about claims: right three times in four."""
    rng = random.Random(SEED)
    for planned in plan.calls[judge]:
        gold = plan.claims[planned.claims[0]].label if planned.claims else "yes"
        label = gold if rng.random() < RIGHT else rng.choice(list(SHARES))
        yield planned, _reply(planned, label, rng)


def _reply(planned: PlannedCall, label: str, rng: random.Random) -> Reply:
    from metajudge.verdicts.verdict import Reply, TokenLogprob

    source = planned.source
    label = label if label in source.dialect.words else "yes"
    reason = "The context says so in its second sentence."
    text = source.sample_answer(label, None if source.answer.form == "label_only" else reason)
    tokens = ()
    if planned.call.request.top_logprobs:
        words = [source.dialect.words[label], *source.dialect.words.values(), *FILLERS]
        tokens = tuple(
            TokenLogprob(word, -0.3 - 1.1 * place - rng.random())
            for place, word in enumerate(dict.fromkeys(words))
        )
    return Reply(
        text,
        finish_reason="stop",
        first_token=tokens,
        prompt_tokens=400,
        completion_tokens=3,
        cost_usd=0.0,
        latency_ms=500.0,
        model="synthetic",
        created="2025-01-01T00:00:00+00:00",
    )


def fill(store: Store, answered: Iterable[tuple[PlannedCall, Reply]], identity: Mapping) -> int:
    """Put synthetic replies into a store; gives how many keys."""
    for planned, reply in answered:
        store.put(planned.call.key, planned.call.request, identity, reply)
    return store.count()
