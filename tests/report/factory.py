"""Realistic made-up sweeps for tests of the reports: random, but every figure fits its verdicts.

made = make_sweep()                       # 12 trials x 2 readings, en and zh, some failures
made.results, made.gold
make_sweep(hostile=True)                  # markup, escapes and formulas in every text
make_sweep(safe=False)                    # no row keeps the guardrails
make_sweep(whole=False)                   # as schema 1.0 had it: no selection, no stability
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from metajudge.gold.claim import Claim, Context, GoldManifest, LabellingPolicy
from metajudge.gold.goldset import GoldSet
from metajudge.report.part import Figure
from metajudge.report.results import (
    BrokenGuardrail,
    CallCounts,
    ClaimKey,
    Decision,
    GoldInfo,
    JudgeInfo,
    RankRow,
    Results,
    TrialFigures,
)
from tests.report.factory_parts import studied
from tests.report.factory_texts import EN_CLAIMS, HOSTILE, SLICE_LABELS, TEMPLATE_NAMES, ZH_CLAIMS
from tests.report.factory_trials import made_trial


class MadeSweep(NamedTuple):
    """Results and the gold set that they join to."""

    results: Results
    gold: GoldSet


@lru_cache(maxsize=8)
def make_sweep(
    n_claims: int = 162,
    n_trials: int = 12,
    readings: Sequence[str] = ("top", "prior_corrected"),
    seed: int = 7,
    *,
    hostile: bool = False,
    safe: bool = True,
    failures: bool = True,
    undefined: bool = True,
    binary: bool = False,
    whole: bool = True,
) -> MadeSweep:
    rng = np.random.default_rng(seed)
    claims = _claims(n_claims, rng, hostile, binary)
    names = _trial_names(n_trials, hostile)
    measured = [
        made_trial(i, name, reading, claims, rng, safe, failures, undefined, hostile)
        for i, name in enumerate(names)
        for reading in readings
    ]
    trials = tuple(m[0] for m in measured)
    ranking = _ranking(trials)
    first = ranking[0] if ranking else None
    won = first is not None and first.safe
    contexts = {
        c.context_id: Context(
            context_id=c.context_id, passages=_passages(c.context_id, hostile), title="Title"
        )
        for c in claims
    }
    gold = GoldSet(
        manifest=GoldManifest(
            name="faithfulness",
            version="1.0.0",
            languages=("en", "zh"),
            label_space="binary" if binary else "ternary",
            labelling_policy=LabellingPolicy(version="1"),
            licence="Apache-2.0",
            provenance="made for tests",
            label_source="author",
        ),
        claims=tuple(claims),
        contexts=contexts,
    )
    text = HOSTILE[0] + HOSTILE[4] if hostile else ""
    results = Results(
        name="001-templates",
        question="Which wording stops true summaries from being called idk, and at what cost?"
        + text,
        created="2026-11-29T20:00:00+00:00",
        package_version="0.1.0",
        config_sha256="c" * 64,
        seed=20260101,
        resamples=2000,
        cluster="answer",
        alpha=0.05,
        gold=GoldInfo(
            name="faithfulness" + text,
            version="1.0.0",
            sha256=gold.sha256,
            policy_version="1",
            split="dev",
            claims=n_claims,
            answers=len({c.answer_id for c in claims}),
            contexts=len(contexts),
            labels=dict(Counter(c.label for c in claims)),
            languages=dict(Counter(c.lang for c in claims)),
            left_out=3,
            label_source="author",
        ),
        judges=(
            JudgeInfo(
                spec="local:qwen2.5-coder-1.5b" + text,
                identity={"model_sha256": "a" * 64, "backend": "llama.cpp b7000", "n_ctx": 4096},
            ),
        ),
        calls=CallCounts(
            planned=n_claims * n_trials,
            from_store=n_claims * n_trials - 7,
            asked=7,
            answered=5,
            failed=2 if failures else 0,
            retries=1,
            prompt_tokens=1_234_567,
            cached_tokens=1_000_000,
            completion_tokens=4321,
            cost_usd=None,
            wall_s=12.34,
            message=text or None,
        ),
        target="summary_as_idk",
        guardrails={
            "over_credit_upper": 0.10,
            "over_credit_above_baseline": 0.02,
            "slice_loss": 0.02,
            "coverage": 0.98,
        },
        baseline=names[0] if names else None,
        trials=trials,
        ranking=ranking,
        decision=Decision(
            winner=first.trial if first and won else None,
            reading=first.reading if first and won else None,
            ties=tuple(r.trial for r in ranking[1:] if r.tied_with_first and r.rank == 1),
            sentence=_sentence(first, won) + text,
            sentence_zh=_sentence_zh(first, won) + text,
        ),
        claims=tuple(
            ClaimKey(
                claim_id=c.claim_id,
                answer_id=c.answer_id,
                context_id=c.context_id,
                gold=c.label,
                slice=c.slice,
                lang=c.lang,
            )
            for c in claims
        ),
        verdicts=tuple(m[1] for m in measured),
        notes=("Slice hedged holds fewer than 12 claims." + text,),
    )
    return MadeSweep(studied(results, seed, text) if whole else results, gold)


def _claims(n: int, rng: np.random.Generator, hostile: bool, binary: bool) -> list[Claim]:
    slices = list(SLICE_LABELS)
    claims = []
    for i in range(n):
        lang = "zh" if i % 2 else "en"
        name = slices[int(rng.integers(len(slices)))]
        texts = ZH_CLAIMS if lang == "zh" else EN_CLAIMS
        label = SLICE_LABELS[name]
        if binary:
            label = "supported" if label == "yes" else "unsupported"
        claims.append(
            Claim(
                claim_id=f"c{i:04d}" + (HOSTILE[1] if hostile and i == 0 else ""),
                answer_id=f"a{i // 4:04d}",
                context_id=f"k{i // 5:04d}",
                claim=HOSTILE[i % len(HOSTILE)] if hostile else texts[i % len(texts)],
                label=label,  # type: ignore[arg-type]
                slice=name if i % 37 else None,  # type: ignore[arg-type]
                lang=lang,
            )
        )
    return claims


def _passages(context_id: str, hostile: bool) -> tuple[str, ...]:
    if hostile:
        return HOSTILE
    if context_id.endswith("3"):
        return ()
    return (
        "5.6 Session Management\n5.6.1 Overview\n5.6.2 Interaction between AMF and SMF",
        "The AMF picks an SMF by the requested slice and data network. " * 4,
        "免费版：5 名成员，2 GB 存储，3 个项目。专业版：20 名成员，100 GB 存储，项目数不限。" * 2,
    )


def _trial_names(n: int, hostile: bool) -> list[str]:
    names = [
        f"{TEMPLATE_NAMES[i % len(TEMPLATE_NAMES)]}{'+json' * (i // len(TEMPLATE_NAMES))}"
        f"/en+zh × local:qwen2.5-coder-1.5b"
        for i in range(n)
    ]
    return (
        [f"{name} {HOSTILE[i % len(HOSTILE)]}" for i, name in enumerate(names)]
        if hostile
        else names
    )


def _ranking(trials: tuple[TrialFigures, ...]) -> tuple[RankRow, ...]:
    def broken(t: TrialFigures) -> tuple[BrokenGuardrail, ...]:
        found = []
        high, coverage = t.figures["over_credit"].high, t.figures["coverage"].value
        if high is None or high > 0.10:
            by = None if high is None else high - 0.10
            found.append(
                BrokenGuardrail(guardrail="over_credit_upper", bound=0.10, got=high, by=by)
            )
        if coverage is not None and coverage < 0.98:
            found.append(
                BrokenGuardrail(guardrail="coverage", bound=0.98, got=coverage, by=0.98 - coverage)
            )
        return tuple(found)

    def place(t: TrialFigures) -> tuple[float, float]:
        target = t.figures["summary_as_idk"].value
        return (sum(b.by or 9 for b in broken(t)), 9.0 if target is None else target)

    order = sorted(trials, key=place)
    rows = []
    for position, trial in enumerate(order, 1):
        target, first = trial.figures["summary_as_idk"], order[0].figures["summary_as_idk"]
        gap = None
        if position > 1:
            gap = (
                Figure(value=None, n=0, reason="target undefined")
                if target.value is None or first.value is None
                else Figure(
                    value=target.value - first.value,
                    low=target.value - first.value - 0.1,
                    high=target.value - first.value + 0.1,
                    n=target.n,
                )
            )
        tied = bool(gap and gap.low is not None and gap.low <= 0 <= (gap.high or 0)) and not broken(
            trial
        )
        rows.append(
            RankRow(
                rank=1 if tied else position,
                tied_with_first=tied,
                trial=trial.trial,
                reading=trial.reading,
                safe=not broken(trial),
                broken=broken(trial),
                target=target,
                difference_to_first=gap,
            )
        )
    return tuple(rows)


def _sentence(first: RankRow | None, won: bool) -> str:
    if first is None or not won:
        return "No safe winner: no candidate keeps the upper limit of over-credit at or below 0.10."
    return (
        f"{first.trial} calls {first.target.value:.0%} of true summaries idk "
        "and keeps every guardrail; it is the first choice on the dev split."
    )


def _sentence_zh(first: RankRow | None, won: bool) -> str:
    if first is None or not won:
        return "没有安全的胜出者：没有候选把过度认可的上限保持在 0.10 以内。"
    return (
        f"{first.trial} 把 {first.target.value:.0%} 的真实概括判为 idk，并守住全部护栏；"
        "它是 dev 划分上的首选。"
    )
