"""What a comparison comes to, in one English and one Chinese sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from metajudge.counted import counted
from metajudge.report.part import Figure
from metajudge.report.words import Language, word_or_code
from metajudge.selection.ranking import LOWER_IS_BETTER

SPOKEN = ("summary_as_idk", "over_credit", "kappa")
"""Figures that the sentence speaks of, in this order."""


class Sentences(NamedTuple):
    """One sentence in both languages."""

    en: str
    zh: str


@dataclass(frozen=True, slots=True)
class Gap:
    """A figure of B minus that of A, and what there is to say of it.

    Attributes:
        name: The figure.
        figure: The paired difference.
        told_apart: Whether it is more than chance.
        p: By the swap test; None where undefined.
        unseen_below: Size of the difference that is seen in 80 of 100 comparisons.
        bound: Guardrail on its upper limit; None for none.
    """

    name: str
    figure: Figure
    told_apart: bool
    p: float | None = None
    unseen_below: float | None = None
    bound: float | None = None

    @property
    def better(self) -> bool:
        """Whether it speaks for B."""
        return self.rises != (self.name in LOWER_IS_BETTER)

    @property
    def rises(self) -> bool:
        """Whether B's figure is the greater one."""
        return self.figure.value is not None and self.figure.value > 0

    def title(self, language: Language) -> str:
        """The figure's name."""
        return word_or_code("figure", self.name, language)

    def shown(self) -> str:
        """The difference with its interval."""
        gap = self.figure
        if gap.low is None or gap.high is None:
            return signed(gap.value)
        return f"{signed(gap.value)} [{signed(gap.low)}, {signed(gap.high)}]"


def verdict_in_words(gaps: Sequence[Gap]) -> Sentences:
    """What B gains and costs against A, and what these claims cannot show."""
    told = [gap for gap in gaps if gap.told_apart and gap.figure.value is not None]
    better = [gap for gap in told if gap.better]
    worse = [gap for gap in told if not gap.better]
    open_ = [gap for gap in gaps if gap not in told]
    return Sentences(_english(better, worse, open_), _chinese(better, worse, open_))


def _english(better: Sequence[Gap], worse: Sequence[Gap], open_: Sequence[Gap]) -> str:
    cost = "it costs" if better else "B is worse on"
    parts = [
        *_led("B is better on", [f"{gap.title('en')} {gap.shown()}" for gap in better]),
        *_led(cost, [f"{g.title('en')} {g.shown()}{_guarded(g, 'en')}" for g in worse]),
        *(_unclear_en(gap) + _guarded(gap, "en") for gap in open_),
    ]
    head = "" if better or worse else "B cannot be told from A: "
    return f"{head}{'; '.join(parts)}."


def _chinese(better: Sequence[Gap], worse: Sequence[Gap], open_: Sequence[Gap]) -> str:
    def moved(gap: Gap) -> str:
        way = "升高" if gap.rises else "降低"
        return f"{_spaced(gap.title('zh'))}{way}（{gap.shown()}）"

    cost = "代价是" if better else "B 变差："
    parts = [
        *_led("B 改善：", [moved(gap) for gap in better], ""),
        *_led(cost, [moved(gap) + _guarded(gap, "zh") for gap in worse], ""),
        *(_unclear_zh(gap) + _guarded(gap, "zh") for gap in open_),
    ]
    head = "" if better or worse else "B 与 A 无法区分："
    return f"{head}{'；'.join(parts)}。"


def _led(lead: str, parts: list[str], space: str = " ") -> list[str]:
    return [f"{lead}{space}{parts[0]}", *parts[1:]] if parts else []


def _spaced(title: str) -> str:
    """A title with a space where Latin letters would touch Chinese ones."""
    return f"{title} " if title[-1].isascii() else title


def _guarded(gap: Gap, language: Language) -> str:
    """How the upper limit stands to a guardrail; "" where there is none."""
    high = gap.figure.high
    if gap.bound is None or high is None:
        return ""
    kept = high <= gap.bound
    if language == "zh":
        return f"，上限{'未超出' if kept else '超出'}护栏 {signed(gap.bound)}"
    return f", upper limit {'within' if kept else 'beyond'} the guardrail of {signed(gap.bound)}"


def _unclear_en(gap: Gap) -> str:
    title, figure = gap.title("en"), gap.figure
    if figure.value is None:
        return f"{title} cannot be compared ({figure.reason})"
    if figure.value == figure.low == figure.high == 0:
        return f"{title} is the same"
    chance = "" if gap.p is None else f", p {gap.p:.2f}"
    these = f"{'this' if figure.n == 1 else 'these'} {counted(figure.n, 'claims')}"
    return f"the difference of {title}, {gap.shown()}{chance}, cannot be told from nothing" + (
        f" (with {these} a difference under about {gap.unseen_below:.2f} is often not seen)"
        if gap.unseen_below
        else ""
    )


def _unclear_zh(gap: Gap) -> str:
    title, figure = _spaced(gap.title("zh")), gap.figure
    if figure.value is None:
        return f"{title}无法比较（{figure.reason}）"
    if figure.value == figure.low == figure.high == 0:
        return f"{title}没有变化"
    chance = "" if gap.p is None else f"（p = {gap.p:.2f}）"
    return f"{title}的差异 {gap.shown()}{chance}无法与零区分" + (
        f"，仅凭这 {figure.n} 条陈述，小于约 {gap.unseen_below:.2f} 的差异多半看不出来"
        if gap.unseen_below
        else ""
    )


def signed(value: float | None) -> str:
    """A difference to two decimals with its sign, 0 without one.

    >>> signed(0.031), signed(-0.12), signed(-0.001)
    ('+0.03', '-0.12', '0.00')
    """
    if value is None:
        return "–"
    near = round(value, 2)
    return f"{near:+.2f}" if near else "0.00"
