"""Parts of made-up consultations: verdicts of both sides and what is counted of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from metajudge.report.consult_results import (
    FlipDirection,
    FlipGroup,
    FlippedAnswer,
    Flips,
    GoldFlip,
    LanguageShift,
    OnGold,
    PartName,
    PartStep,
    ScoreShift,
    ShownClaim,
    SideScores,
)
from metajudge.report.part import Figure, VerdictCode
from tests.report.factory_texts import HOSTILE

CODES: tuple[VerdictCode, ...] = ("yes", "no", "idk", "failure")
SLICES = ("literal", "paraphrase", "summary", "aggregation", "inference", "outside_true")
ZH_CLAIMS = (
    "免费套餐允许五名成员，项目数量不限，每月可调用接口 5,000 次。",
    "从首次请求到用户面转发，多个核心网功能协同完成会话建立。",
    "超过一线城市每晚 500 元上限的酒店须经部门负责人批准。",
)
NASTY = (
    *HOSTILE,
    "fixes #9, see GH-9 and @octocat at https://x.example/a?b=c or www.x.example",
    "![x](http://x.example/p.png) [l](javascript:alert(1)) ~~s~~ **b** $x$",
)
FEW = "12 clusters, under 30: intervals tend to be too narrow"
NOTHING = Figure(value=None, n=0, reason="no claim is in an answer that should fail")


def figure(value: float, n: int = 120, half: float | None = None, **more: Any) -> Figure:
    """A figure with an interval of a plausible width."""
    width = 1.96 * math.sqrt(0.16 / max(n, 1)) if half is None else half
    low = value - width if value < 0 or half is not None else max(0.0, value - width)
    return Figure(
        value=round(value, 6),
        low=round(low, 6),
        high=round(min(1.0, value + width), 6),
        n=n,
        clusters=min(n, 80),
        method="cluster bootstrap, percentile",
        **more,
    )


def share(hits: int, n: int) -> Figure:
    """A share, or the reason why there is none."""
    if not n:
        return Figure(value=None, n=0, reason="no claim is one that changes so")
    return figure(hits / n, n, 1.96 * math.sqrt(0.1 / n)).model_copy(
        update={"low": max(0.0, round(hits / n - 1.96 * math.sqrt(0.1 / n), 6))}
    )


class World:
    """Verdicts of both sides on the same claims."""

    def __init__(self, answers: int, changes: float, texts: Sequence[str], *, failures: bool):
        rng = np.random.default_rng(7)
        self.n = 5 * answers
        self.answer = np.arange(self.n) // 5
        self.was = rng.choice(4, self.n, p=(0.6, 0.1, 0.3, 0.0))
        flipped = rng.random(self.n) < changes
        to = np.where(self.was == 2, 0, np.where(self.was == 0, 2, 0))
        self.now = np.where(flipped, np.where(rng.random(self.n) < 0.1, 1, to), self.was)
        if failures:
            self.now[:7] = 3
        self.slices = rng.choice(len(SLICES), self.n)
        self.zh = self.answer % 3 == 0
        self.texts = texts

    def ids(self, chosen: np.ndarray) -> tuple[str, ...]:
        return tuple(f"a{self.answer[k]:03d}-c{k % 5}" for k in np.flatnonzero(chosen)[:3])

    def shown(self) -> dict[str, ShownClaim]:
        moved = np.flatnonzero(self.was != self.now)
        return {
            f"a{self.answer[k]:03d}-c{k % 5}": ShownClaim(
                answer_id=f"a{self.answer[k]:03d}",
                claim=self.texts[k % len(self.texts)],
                lang="zh" if self.zh[k] else "en",
                slice=SLICES[self.slices[k]],
                question=self.texts[(k + 1) % len(self.texts)],
            )
            for k in moved
        }

    def scores(self, side: np.ndarray, *, strict: bool) -> np.ndarray:
        good = side == 0 if strict else side != 1
        return good.reshape(-1, 5).mean(1)

    def directions(self) -> list[tuple[int, int]]:
        pairs = Counter((int(a), int(b)) for a, b in zip(self.was, self.now, strict=True) if a != b)
        return [pair for pair, _ in pairs.most_common()]

    def flips(self) -> Flips:
        moved = self.was != self.now
        return Flips(
            claims=self.n,
            changed=int(moved.sum()),
            flip_rate=share(int(moved.sum()), self.n),
            table={
                a: {b: int(((self.was == i) & (self.now == j)).sum()) for j, b in enumerate(CODES)}
                for i, a in enumerate(CODES)
            },
            directions=tuple(self._direction(a, b) for a, b in self.directions()),
            groups=(
                *(self._group("slice", s, self.slices == k) for k, s in enumerate(SLICES)),
                self._group("language", "en", ~self.zh),
                self._group("language", "zh", self.zh),
            ),
        )

    def _direction(self, a: int, b: int) -> FlipDirection:
        chosen = (self.was == a) & (self.now == b)
        return FlipDirection(
            was=CODES[a],
            now=CODES[b],
            claims=int(chosen.sum()),
            share=share(int(chosen.sum()), self.n),
            examples=self.ids(chosen),
        )

    def _group(self, kind: Any, name: str, within: np.ndarray) -> FlipGroup:
        moved = within & (self.was != self.now)
        ways = Counter(f"{CODES[self.was[k]]}->{CODES[self.now[k]]}" for k in np.flatnonzero(moved))
        n = int(within.sum())
        shift = ((self.now == 0) & within).sum() / n - ((self.was == 0) & within).sum() / n
        return FlipGroup(
            kind=kind,
            name=name,
            claims=n,
            changed=int(moved.sum()),
            flip_rate=share(int(moved.sum()), n),
            support_shift=figure(float(shift), n, 0.06),
            directions=dict(ways.most_common()),
        )

    def on_gold(self) -> OnGold:
        names = ("over_credit", "summary_as_idk", "under_credit", "accuracy", "coverage", "kappa")
        answers = ("pass_agreement", "score_bias", "score_mae")
        was = {name: figure(0.3 - 0.02 * k, 180) for k, name in enumerate((*names, *answers))}
        now = {name: figure(0.2 - 0.01 * k, 180) for k, name in enumerate((*names, *answers))}
        gap = {name: figure(-0.1 + 0.01 * k, 180, 0.05) for k, name in enumerate(was)}
        for figures in (was, now, gap):
            figures["false_pass_rate"] = NOTHING
        return OnGold(
            changed=24,
            better=17,
            worse=5,
            mcnemar_p=0.0127,
            directions=tuple(
                GoldFlip(
                    was=CODES[a],
                    now=CODES[b],
                    claims=9 - 2 * k,
                    agrees_before=share(2, 9 - 2 * k),
                    agrees_after=share(6 - 2 * k, 9 - 2 * k),
                    agrees_neither=share(1, 9 - 2 * k),
                    slices={"summary": 6 - k, "inference": 3 - k},
                    examples=(f"g{k}",),
                )
                for k, (a, b) in enumerate([*self.directions()[:2], (3, 1)])
            ),
            current=was,
            proposed=now,
            differences=gap,
        )


def side_scores(scores: np.ndarray, policy: str, threshold: float, *, broken: bool) -> SideScores:
    bins = np.clip(np.floor(scores * 10 + 1e-9).astype(int), 0, 9)
    few = {"warning": FEW} if broken else {}
    return SideScores(
        policy=policy,
        threshold=threshold,
        mean=figure(float(scores.mean()), len(scores), 0.04, **few),
        pass_rate=share(int((scores >= threshold).sum()), len(scores)),
        histogram=tuple(np.bincount(bins, minlength=10).tolist()),
        deciles=tuple(np.quantile(scores, np.linspace(0, 1, 11)).round(6).tolist()),
        undefined={"no claim was read": 2} if broken else {},
    )


def score_shift(world: World, policies: Sequence[str], *, failures: bool) -> ScoreShift:
    was = world.scores(world.was, strict=policies[0] == "strict")
    now = world.scores(world.now, strict=policies[1] == "strict")
    least = 0.5 if policies[0] == policies[1] else 0.7
    before, after = was >= 0.5, now >= least
    n = len(was)
    shift = float((now - was).mean())
    passing = float(after.mean() - before.mean())
    return ScoreShift(
        answers=n,
        current=side_scores(was, policies[0], 0.5, broken=False),
        proposed=side_scores(now, policies[1], least, broken=failures),
        mean_shift=figure(shift, n, 0.03),
        pass_rate_shift=figure(passing, n, 0.06),
        to_pass=int((~before & after).sum()),
        to_fail=int((before & ~after).sum()),
        flipped=tuple(
            FlippedAnswer(
                answer_id=f"a{k:03d}",
                score_was=float(was[k]),
                score_now=None if failures and k == 0 else float(now[k]),
                passed_was=bool(before[k]),
                passed_now=bool(after[k]),
            )
            for k in np.flatnonzero(before != after)
        ),
        languages={
            lang: LanguageShift(
                answers=n // 2,
                mean_shift=figure(shift, n, 0.05),
                pass_rate_shift=figure(passing, n, 0.09),
            )
            for lang in ("en", "zh")
        },
    )


def steps(parts: Sequence[PartName], total: float) -> tuple[PartStep, ...]:
    weights = np.arange(len(parts), 0, -1) - 1.4
    weights = weights / weights.sum()
    return tuple(
        PartStep(
            part=part,
            mean_score=figure(float(total * w), 120, 0.03),
            pass_rate=figure(float(1.3 * total * w), 120, 0.05),
            support_rate=figure(0.0 if part in ("policy", "threshold") else 0.06, 600, 0.02),
        )
        for part, w in zip(parts, weights, strict=True)
    )
