"""Realistic made-up sweeps for tests of the reports: random, but every figure fits its verdicts.

made = make_sweep()                       # 12 trials x 2 readings, en and zh, some failures
made.results, made.gold
make_sweep(hostile=True)                  # markup, escapes and formulas in every text
make_sweep(safe=False)                    # no row keeps the guardrails
make_sweep(whole=False)                   # as schema 1.0 had it: no selection, no stability
"""

from __future__ import annotations

import math
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
    GroupFigures,
    JudgeInfo,
    LabelFigures,
    PolicyFigures,
    RankRow,
    Results,
    RotationFigures,
    TemplateInfo,
    TrialFigures,
    TrialVerdicts,
)
from tests.report.factory_parts import studied

CODES = ("yes", "no", "idk", "failure")
LABELS = CODES[:3]
SLICE_LABELS = {
    "literal": "yes",
    "paraphrase": "yes",
    "summary": "yes",
    "aggregation": "yes",
    "inference": "idk",
    "hedged": "yes",
    "compound": "no",
    "outside_true": "idk",
    "outside_false": "no",
    "contradiction": "no",
    "off_context": "idk",
}
HOSTILE = (
    "</script><script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    "{{ 7*7 }} {% raw %} {0} %s ${x}",
    "\u202eesrever\u202c \u2066iso\u2069 line\u2028sep",
    "[bold red]markup[/] \x1b[31mred\x1b[0m \x07 \x9b2J",
    '=HYPERLINK("http://x.example") | `code` | @someone #1',
    "</SCRIPT ><!-- <script> --> ]]> &lt;b&gt; 'quote\" \\u003c",
)
TEMPLATE_NAMES = (
    "literal@1.0.0",
    "summary-tolerant@1.0.0",
    "strict-no-external@1.0.0",
    "contradiction-only@1.0.0",
    "evidence-first@1.0.0",
    "deepeval:faithfulness@4.3.0",
    "ragas:faithfulness@0.4.3",
    "summary-tolerant@1.0.0+letters(rotated)+reason_first",
)
EN_CLAIMS = (
    "The AMF selects an SMF and forwards the session request to it.",
    "From the first request to user-plane forwarding, several core functions work together.",
    "A hotel above the tier-1 cap of 500 a night needs the department head's approval.",
    "The free plan allows five members, unlimited projects and 5,000 API calls.",
    "Take the tablet with food; do not drive for four hours after the first dose.",
)
ZH_CLAIMS = (
    "AMF 选择 SMF，并把会话建立请求转发给它。",
    "从首次请求到用户面转发，整个过程需要多个核心网功能协同完成。",
    "超过一线城市每晚 500 元上限的住宿须经部门负责人批准。",
    "免费版支持五名成员、无限项目和每月 5000 次接口调用。",
    "随餐服用；首次用药后四小时内不要驾驶。",
)


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
        _trial(i, name, reading, claims, rng, safe, failures, undefined, hostile)
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


def _trial(  # noqa: PLR0917
    index: int,
    name: str,
    reading: str,
    claims: list[Claim],
    rng: np.random.Generator,
    safe: bool,
    failures: bool,
    undefined: bool,
    hostile: bool,
) -> tuple[TrialFigures, TrialVerdicts]:
    as_idk = [0.75, 0.2, 0.55, 0.08, 0.45, 0.6, 0.4, 0.12][index % 8]
    credit = [0.02, 0.02, 0.02, 0.5, 0.12, 0.15, 0.2, 0.3][index % 8]
    if reading == "prior_corrected":
        as_idk *= 0.7
        credit *= 1.3
    if not safe:
        credit = 0.4 + credit / 2
    fail = 0.06 if failures and index % 4 == 3 else 0.0
    verdicts, probabilities = [], []
    for claim in claims:
        shares = _shares(claim, as_idk, credit)
        code = "failure" if rng.random() < fail else LABELS[int(rng.choice(3, p=shares))]
        verdicts.append(code)
        drawn = rng.dirichlet(shares * 6 + 0.05)
        if code != "failure":
            top = int(drawn.argmax())
            at = LABELS.index(code)
            drawn[[top, at]] = drawn[[at, top]]
        probabilities.append(None if code == "failure" else tuple(float(p) for p in drawn))
    figures = _figures(claims, verdicts, undefined and index == 2)
    reasons = {
        c.claim_id: HOSTILE[i % len(HOSTILE)] if hostile else f"Passage {i % 3 + 1} says so."
        for i, c in enumerate(claims)
        if i % 3 == 0
    }
    broken_details = {
        c.claim_id: "unparsable: no declared label in 'Well, it depends…'"
        + (HOSTILE[1] if hostile else "")
        for c, v in zip(claims, verdicts, strict=True)
        if v == "failure"
    }
    rotated = "rotated" in name
    trial = TrialFigures(
        trial=name,
        reading=reading,  # type: ignore[arg-type]
        judge="local:qwen2.5-coder-1.5b",
        templates=tuple(
            TemplateInfo(
                label=f"{name.split('/', maxsplit=1)[0]}/{lang}",
                family="summary-tolerant",
                language=lang,
                dialect="words",
                form="label_only",
                layout="context_first",
                fingerprint=f"{index:02x}" * 32,
                package="deepeval 4.3.0" if "deepeval" in name else None,
            )
            for lang in ("en", "zh")
        ),
        repeats=1,
        table=_table(claims, verdicts),
        figures=figures,
        labels={label: _label_figures(claims, verdicts, label) for label in _gold_labels(claims)},
        slices={
            s: _group(claims, verdicts, [c.slice == s for c in claims])
            for s in sorted({c.slice for c in claims if c.slice})
        },
        languages={
            lang: _group(claims, verdicts, [c.lang == lang for c in claims])
            for lang in ("en", "zh")
        },
        language_figures={
            lang: {
                k: v
                for k, v in _figures(
                    [c for c in claims if c.lang == lang],
                    [v for c, v in zip(claims, verdicts, strict=True) if c.lang == lang],
                    False,
                ).items()
                if k in ("summary_as_idk", "over_credit", "kappa")
            }
            for lang in ("en", "zh")
        },
        policies=tuple(
            _policy(p, claims, verdicts) for p in ("lenient", "strict", "partial(0.5)", "drop_idk")
        ),
        failures={"unparsable": verdicts.count("failure")} if "failure" in verdicts else {},
        prior=(
            {f"{name.split('/', maxsplit=1)[0]}/en": {"yes": 0.81, "no": 0.12, "idk": 0.07}}
            if reading == "prior_corrected"
            else None
        ),
        rotations=(
            tuple(
                RotationFigures(
                    order=order,
                    summary_as_idk=float(rng.random() / 2),
                    over_credit=float(rng.random() / 2),
                    accuracy=None if order[0] == "idk" else float(rng.random()),
                )
                for order in (("yes", "no", "idk"), ("no", "idk", "yes"), ("idk", "yes", "no"))
            )
            if rotated
            else ()
        ),
    )
    return trial, TrialVerdicts(
        trial=name,
        reading=reading,  # type: ignore[arg-type]
        verdicts=tuple(verdicts),
        probabilities=tuple(probabilities),  # type: ignore[arg-type]
        reasons=reasons,
        failures=broken_details,
    )


def _shares(claim: Claim, as_idk: float, credit: float) -> np.ndarray:
    if claim.label in ("yes", "supported"):
        idk = as_idk if claim.slice in ("summary", "aggregation") else as_idk / 4
        return np.asarray([0.97 - idk, 0.03, idk])
    if claim.slice == "outside_true":
        credit = min(0.9, credit * 2)
    rest = 1 - credit
    return np.asarray(
        [credit, rest * 0.7, rest * 0.3]
        if claim.label == "no"
        else [credit, rest * 0.2, rest * 0.8]
    )


def _share(hits: int, n: int, reason: str) -> Figure:
    if n == 0:
        return Figure(value=None, n=0, reason=reason)
    p = hits / n
    half = 1.96 * math.sqrt(max(p * (1 - p), 0.25 / n) / n)
    return Figure(
        value=p, low=max(0.0, p - half), high=min(1.0, p + half), n=n, clusters=max(1, n // 3)
    )


def _gold_labels(claims: list[Claim]) -> list[str]:
    return [
        x
        for x in ("yes", "no", "idk", "supported", "unsupported")
        if any(c.label == x for c in claims)
    ]


def _right(claim: Claim, verdict: str) -> bool:
    if claim.label in LABELS:
        return claim.label == verdict
    return (claim.label == "supported") == (verdict == "yes") and verdict != "failure"


def _table(claims: list[Claim], verdicts: list[str]) -> dict[str, dict[str, int]]:
    pairs = Counter((c.label, v) for c, v in zip(claims, verdicts, strict=True))
    return {g: {v: pairs[(g, v)] for v in CODES} for g in _gold_labels(claims)}  # type: ignore[index]


def _figures(claims: list[Claim], verdicts: list[str], undefined: bool) -> dict[str, Figure]:
    both = list(zip(claims, verdicts, strict=True))
    yes = [(c, v) for c, v in both if c.label in ("yes", "supported")]
    other = [(c, v) for c, v in both if c.label not in ("yes", "supported")]
    summary = [(c, v) for c, v in yes if c.slice in ("summary", "aggregation")]
    right = sum(_right(c, v) for c, v in both)
    n = len(both)
    accuracy = _share(right, n, "no claim was asked")
    gold = Counter(c.label for c in claims)
    said = Counter(verdicts)
    chance = sum(gold[x] * said[x] for x in LABELS) / n**2 if n else 1.0
    kappa = ((right / n) - chance) / (1 - chance) if n and chance < 1 else None
    figures = {
        "accuracy": accuracy,
        "balanced_accuracy": accuracy,
        "kappa": (
            Figure(value=None, n=n, reason="all gold labels and verdicts are one label")
            if kappa is None or undefined
            else Figure(
                value=kappa, low=kappa - 0.11, high=min(1.0, kappa + 0.1), n=n, clusters=n // 4
            )
        ),
        "mcc": accuracy,
        "ac1": accuracy,
        "summary_as_idk": _share(
            sum(v == "idk" for _, v in summary), len(summary), "no gold-yes summary"
        ),
        "over_credit": _share(
            sum(v == "yes" for _, v in other), len(other), "no gold-not-yes claim"
        ),
        "over_credit_outside_true": _share(
            sum(v == "yes" for c, v in other if c.slice == "outside_true"),
            sum(c.slice == "outside_true" for c, _ in other),
            "no claim of slice outside_true",
        ),
        "under_credit": _share(sum(v != "yes" for _, v in yes), len(yes), "no gold-yes claim"),
        "missed_contradictions": _share(
            sum(v != "no" for c, v in other if c.label == "no"), gold["no"], "no gold-no claim"
        ),
        "coverage": _share(n - said["failure"], n, "no claim was asked"),
        "constant_answer": _share(max(gold.values(), default=0), n, "no claim was asked"),
    }
    if undefined:
        figures["summary_as_idk"] = Figure(
            value=None, n=0, reason="no gold-yes claim of slice summary or aggregation"
        )
        figures["mcc"] = accuracy.model_copy(
            update={"warning": "fewer than 20 clusters: the interval is too narrow"}
        )
    return figures


def _label_figures(claims: list[Claim], verdicts: list[str], label: str) -> LabelFigures:
    hits = sum(c.label == label and _right(c, v) for c, v in zip(claims, verdicts, strict=True))
    return LabelFigures(
        precision=_share(hits, max(hits, verdicts.count(label)), f"no verdict {label}"),
        recall=_share(hits, sum(c.label == label for c in claims), f"no gold {label}"),
        f1=_share(hits, max(hits, verdicts.count(label)), f"no {label}"),
    )


def _group(claims: list[Claim], verdicts: list[str], within: list[bool]) -> GroupFigures:
    both = [(c, v) for c, v, w in zip(claims, verdicts, within, strict=True) if w]
    return GroupFigures(
        n=len(both),
        accuracy=_share(sum(_right(c, v) for c, v in both), len(both), "no claim in this group"),
        called={code: sum(v == code for _, v in both) for code in CODES},  # type: ignore[misc]
        gold=dict(Counter(c.label for c, _ in both)),
    )


def _policy(policy: str, claims: list[Claim], verdicts: list[str]) -> PolicyFigures:
    worth = {
        "lenient": {"yes": 1.0, "no": 0.0, "idk": 1.0},
        "strict": {"yes": 1.0, "no": 0.0, "idk": 0.0},
        "partial(0.5)": {"yes": 1.0, "no": 0.0, "idk": 0.5},
        "drop_idk": {"yes": 1.0, "no": 0.0, "idk": 0.0},
    }[policy] | {"failure": 0.0, "supported": 1.0, "unsupported": 0.0}
    n = len(claims)
    judge = [worth[v] for v in verdicts]
    gold = [worth[c.label] for c in claims]
    bias = float(np.mean(judge) - np.mean(gold)) if n else 0.0
    return PolicyFigures(
        policy=policy,
        mean_score=_share(round(sum(judge)), n, "no answer"),
        gold_mean_score=float(np.mean(gold)) if n else None,
        bias=Figure(value=bias, low=bias - 0.05, high=bias + 0.05, n=n // 4, clusters=n // 4),
        mae=_share(
            round(sum(abs(a - b) for a, b in zip(judge, gold, strict=True))), n, "no answer"
        ),
        pass_agreement=_share(
            sum(a == b for a, b in zip(judge, gold, strict=True)), n, "no answer"
        ),
        threshold=0.8,
        undefined_answers=2 if policy == "drop_idk" else 0,
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
