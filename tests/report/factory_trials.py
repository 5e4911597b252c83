"""Made-up trials: verdicts by a wanted quality, and the figures that follow from them."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from metajudge.gold.claim import Claim
from metajudge.report.part import Figure
from metajudge.report.results import (
    GroupFigures,
    LabelFigures,
    PolicyFigures,
    RotationFigures,
    TemplateInfo,
    TrialFigures,
    TrialVerdicts,
)
from tests.report.factory_texts import CODES, HOSTILE, LABELS


def made_trial(  # noqa: PLR0917
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
