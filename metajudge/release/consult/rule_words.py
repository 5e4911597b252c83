"""The decision of a consultation in one sentence or two, in both languages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from metajudge.release.consult.needed import ROUNDING
from metajudge.report.consult_results import Thresholds
from metajudge.report.consult_rule import Collect, Criterion, CriterionName, Decision
from metajudge.report.part import Figure


class Spoken(NamedTuple):
    """A sentence in both languages."""

    en: str
    zh: str


CRITERIA: dict[CriterionName, Spoken] = {
    "budget_complete": Spoken("every call answered", "所有调用都有回复"),
    "coverage": Spoken("coverage", "覆盖率"),
    "over_credit_difference": Spoken("rise of over-credit", "过度认可的上升"),
    "summary_as_idk_difference": Spoken("rise of summary-as-idk", "概括判 idk 的上升"),
    "kappa_difference": Spoken("change of kappa", "kappa 的变化"),
    "over_credit_upper": Spoken("over-credit", "过度认可"),
    "pass_agreement_difference": Spoken(
        "change of pass agreement with gold", "与标准标签的通过一致率的变化"
    ),
    "score_error_difference": Spoken(
        "rise of the score error against gold", "得分与标准得分之差的上升"
    ),
    "pass_rate_shift_known": Spoken("pass-rate shift", "通过率的变化"),
    "repeat_flips": Spoken("flips beyond those of repeats", "超出重复抽取的翻转"),
}
"""Names of criteria as sentences have them."""
_WHAT = {
    "labels": ("more labels", "个标签"),
    "answers": ("more answers", "个回答"),
    "replies": ("replies", "个回复"),
}


def spoken(
    decision: Decision,
    criteria: Sequence[Criterion],
    collect: Sequence[Collect],
    thresholds: Thresholds,
    *,
    pure_policy: bool,
) -> Spoken:
    """What to do, why, and which threshold keeps the pass rate."""
    if decision == "nothing_changes":
        return Spoken(
            "Nothing changes: both sides ask, read and score alike.",
            "没有变化：两者的提问、读取和评分完全相同。",
        )
    first = _first(decision, criteria, collect)
    en, zh = [first.en], [first.zh]
    if pure_policy:
        en.append("Both sides have the same verdicts; only how they are scored changes.")
        zh.append("两者的裁决相同，只是计分方式改变。")
    kept = _threshold(thresholds)
    if kept is not None:
        en.append(kept.en)
        zh.append(kept.zh)
    return Spoken(" ".join(en), "".join(zh))


def _first(decision: Decision, criteria: Sequence[Criterion], collect: Sequence[Collect]) -> Spoken:
    if decision == "adopt":
        return Spoken("Adopt: no criterion is broken or open.", "采用：没有准则被违反或悬而未决。")
    if decision == "hold":
        broken = [_criterion(c) for c in criteria if c.state == "broken"]
        return Spoken(
            f"Hold: {'; '.join(one.en for one in broken)}.",
            f"暂缓：{'；'.join(one.zh for one in broken)}。",
        )
    wanted = [*map(_wanted, [one for one in collect if one.more is not None]), *_unknown(collect)]
    return Spoken(
        f"Collect before deciding: {'; '.join(one.en for one in wanted)}.",
        f"先收集再决定：{'；'.join(one.zh for one in wanted)}。",
    )


def _criterion(criterion: Criterion) -> Spoken:
    name, bound = CRITERIA[criterion.name], f"{criterion.bound or 0.0:.2f}"
    got = _interval(criterion.got, 2)
    if bound in got:
        # A limit just beyond the bound would read as if it stood on it.
        got = _interval(criterion.got, 4)
    if criterion.kept_if == "at_least":
        return Spoken(f"{name.en} {got}, at least {bound}", f"{name.zh} {got}，至少应为 {bound}")
    return Spoken(f"{name.en} {got}, at most {bound}", f"{name.zh} {got}，至多应为 {bound}")


def _interval(got: Figure | None, digits: int) -> str:
    if got is None or got.value is None:
        return "–"
    if got.low is None or got.high is None:
        return f"{got.value:.{digits}f}"
    return f"{got.value:.{digits}f} [{got.low:.{digits}f}, {got.high:.{digits}f}]"


def _wanted(collect: Collect) -> Spoken:
    name, (en, zh), where = CRITERIA[collect.criterion], _WHAT[collect.what], _where(collect)
    about = "" if collect.what == "replies" else "about "
    return Spoken(
        f"{about}{collect.more} {en}{where} for {name.en}",
        f"{name.zh}还需约 {collect.more} {zh}{where}",
    )


def _unknown(collect: Sequence[Collect]) -> Iterator[Spoken]:
    """What is wanted in unknown numbers, each reason once."""
    alike: dict[tuple[str, str | None, str], list[CriterionName]] = {}
    for one in collect:
        if one.more is None:
            alike.setdefault((one.what, one.reason, _where(one)), []).append(one.criterion)
    for (what, reason, where), names in alike.items():
        en, zh = _WHAT[what]
        for_en = ", ".join(CRITERIA[name].en for name in names)
        for_zh = "、".join(CRITERIA[name].zh for name in names)
        yield Spoken(
            f"{en}{where} for {for_en}, number unknown: {reason}",
            f"{for_zh}需要更多{zh.removeprefix('个')}{where}，数量未知",
        )


def _where(collect: Collect) -> str:
    return f" ({', '.join(collect.slices)})" if collect.slices else ""


def _threshold(thresholds: Thresholds) -> Spoken | None:
    """Where the proposed side has to pass answers; None where no threshold comes nearer."""
    matched = thresholds.pass_rate
    at, wanted, obtained = matched.threshold.value, matched.wanted.value, matched.obtained.value
    own = matched.at_own.value
    if at is None or wanted is None or obtained is None or own is None:
        return None
    if abs(obtained - wanted) >= abs(own - wanted) - ROUNDING:
        return None
    return Spoken(
        f"A threshold of {at:g} comes nearest to today's pass rate: {obtained:.2f}, today "
        f"{wanted:.2f}, at {thresholds.proposed:g} it is {own:.2f}.",
        f"阈值 {at:g} 最接近现在的通过率：{obtained:.2f}，现在为 {wanted:.2f}，"
        f"阈值 {thresholds.proposed:g} 时为 {own:.2f}。",
    )
