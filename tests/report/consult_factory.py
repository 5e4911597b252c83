"""Made-up consultations for tests of their reports: counts fit the verdicts they are made of.

report = make_consult()                        # hold; template and policy differ; gold, examples
make_consult("adopt"), make_consult("collect"), make_consult("nothing_changes")
make_consult(gold=False)                       # nobody labelled anything
make_consult(judges=True)                      # the judge differs too; a swap was not asked
make_consult(failures=True)                    # replies are missing, a score is undefined
make_consult(chinese=True)                     # names and texts in Chinese
make_consult(hostile=True)                     # markup, escapes and mentions in every text
"""

from __future__ import annotations

from collections import Counter
from typing import Any, get_args

from metajudge.report.consult_results import (
    ConsultCalls,
    ConsultGold,
    ConsultReport,
    ConsultSample,
    ConsultSide,
    Decomposition,
    JudgeError,
    MatchedThreshold,
    PartName,
    PartPath,
    PartStep,
    RepeatNoise,
    Repeats,
    ScoreShift,
    SideSupport,
    Thresholds,
)
from metajudge.report.consult_rule import (
    Collect,
    Criterion,
    CriterionName,
    Decision,
    Rule,
    State,
    Why,
)
from metajudge.report.part import Figure
from tests.report.consult_factory_parts import (
    NASTY,
    SLICES,
    ZH_CLAIMS,
    World,
    figure,
    score_shift,
    steps,
)
from tests.report.factory_texts import EN_CLAIMS


def decomposition(parts: tuple[PartName, ...], shift: ScoreShift, *, judges: bool) -> Decomposition:
    if not parts:
        return Decomposition(
            differing=(), answers=0, total=None, parts=(), forward=None, backward=None
        )
    if judges:
        parts = (*(p for p in parts if p not in ("template", "judge")), "template_and_judge")
    found = steps(parts, shift.mean_shift.value or 0.0)
    back = tuple(reversed(parts))
    return Decomposition(
        differing=parts,
        answers=shift.answers,
        total=PartStep(
            part=parts[0],
            mean_score=shift.mean_shift,
            pass_rate=shift.pass_rate_shift,
            support_rate=figure(0.06, 600, 0.03),
        ),
        parts=found,
        forward=PartPath(order=parts, steps=found),
        backward=PartPath(order=back, steps=tuple(reversed(found))),
        not_asked=("proposed with scripted:a: 40 claims have no reply",) if judges else (),
    )


def judge_error(*, refused: bool) -> JudgeError:
    reason = "a label has no gold claim"
    missing = Figure(value=None, n=0, reason=reason)
    was = SideSupport(
        raw=figure(0.6, 600, 0.04), corrected=figure(0.71, 600, 0.07), singular_value=0.62
    )
    now = SideSupport(
        raw=figure(0.68, 600, 0.04),
        corrected=missing if refused else figure(0.7, 600, 0.08),
        singular_value=None if refused else 0.71,
    )
    return JudgeError(
        current=was,
        proposed=now,
        raw_shift=figure(0.08, 600, 0.03),
        corrected_shift=missing if refused else figure(-0.01, 600, 0.06),
        error_shift=missing if refused else figure(0.09, 600, 0.06),
        reason=reason if refused else None,
    )


def thresholds(*, gold: bool) -> Thresholds:
    nothing = Figure(
        value=None, n=0, reason="there is no gold set to tell which answers should pass"
    )
    return Thresholds(
        current=0.5,
        proposed=0.7,
        pass_rate=MatchedThreshold(
            keeps="pass_rate",
            threshold=Figure(value=0.666, low=0.6, high=0.8, n=120, clusters=80),
            wanted=figure(0.93, 120, 0.05),
            obtained=figure(0.91, 120, 0.05),
            at_own=figure(0.55, 120, 0.08),
        ),
        false_pass_rate=MatchedThreshold(
            keeps="false_pass_rate",
            threshold=figure(0.8, 40, 0.1) if gold else nothing,
            wanted=figure(0.4, 40) if gold else nothing,
            obtained=figure(0.38, 40) if gold else nothing,
            at_own=figure(0.2, 40) if gold else nothing,
        ),
    )


_STATES: dict[str, dict[str, tuple[State, Why]]] = {
    "adopt": {},
    "hold": {"over_credit_difference": ("broken", "beyond_bound")},
    "collect": {
        "kappa_difference": ("open", "interval_holds_bound"),
        "pass_rate_shift_known": ("open", "too_few_answers"),
    },
}
_BOUNDS = (None, 0.98, 0.02, 0.02, -0.02, 0.10, -0.02, 0.02, 0.10, 0.0)
_GOT = (None, 0.995, -0.01, -0.08, 0.04, 0.06, 0.03, -0.01, -0.2, 0.05)
_GOLD = slice(2, 8)
_SENTENCES: dict[Decision, tuple[str, str]] = {
    "nothing_changes": (
        "Nothing changes: both sides ask, read and score alike.",
        "没有变化：两者的提问、读取和评分完全相同。",
    ),
    "adopt": (
        "Adopt: no criterion is broken or open. A threshold of 0.666 comes nearest to today's pass "
        "rate: 0.91, today 0.93, at 0.7 it is 0.55.",
        "采用：没有准则被违反，也没有悬而未决的准则。"
        "阈值 0.666 最接近现在的通过率：0.91，现在为 0.93。",
    ),
    "hold": (
        "Hold: rise of over-credit 0.06 [0.03, 0.09], at most 0.02.",
        "暂缓：过度认可的上升 0.06 [0.03, 0.09]，至多应为 0.02。",
    ),
    "collect": (
        "Collect before deciding: about 240 more labels (inference, outside_true) for change of "
        "kappa; about 60 more answers for pass-rate shift.",
        "先收集再决定：kappa 的变化还需约 240 个标签（inference, outside_true）；"
        "通过率的变化还需约 60 个回答。",
    ),
}


def rule(decision: Decision, shift: Figure, *, gold: bool, once: bool) -> Rule:
    states = _STATES.get(decision, {})
    rows = []
    names = get_args(CriterionName)
    for name, bound, value in zip(names, _BOUNDS, _GOT, strict=True):
        state, why = states.get(name, ("kept", "within_bound"))
        got = None if value is None else figure(value, 180, 0.012)
        if state == "broken":
            got = figure(0.06, 180, 0.03)
        if name == "pass_rate_shift_known":
            got = shift
        if not gold and name in names[_GOLD]:
            state, why, got = "open", "no_gold", None
        if name == "repeat_flips" and once:
            state, why, got = "not_measured", "one_draw", None
        if decision == "nothing_changes" and got is not None:
            state, why = "unmoved", "same_verdicts"
        kind = "complete" if bound is None else "at_least" if name in _LEAST else "at_most"
        rows.append(Criterion(name=name, bound=bound, kept_if=kind, got=got, state=state, why=why))
    wanted = (
        Collect(
            criterion="kappa_difference",
            what="labels",
            slices=("inference", "outside_true"),
            have=180,
            more=240,
        ),
        Collect(
            criterion="pass_rate_shift_known",
            what="answers",
            slices=(),
            have=120,
            more=None,
            reason="the figure stands too near its bound: over 100,000 would be needed",
        ),
    )
    sentence, sentence_zh = _SENTENCES[decision]
    return Rule(
        bounds={"over_credit_difference": 0.02},
        pure_policy=False,
        criteria=tuple(rows),
        decision=decision,
        collect=wanted if decision == "collect" else (),
        sentence=sentence,
        sentence_zh=sentence_zh,
    )


_LEAST = ("coverage", "kappa_difference", "pass_agreement_difference", "repeat_flips")


GOLD = ConsultGold(
    name="faithfulness",
    version="1.1.0",
    sha256="34" * 32,
    split="dev",
    policy_version="1.0.0",
    label_source="author",
    claims=180,
    answers=60,
    contexts=40,
    languages={"en": 90, "zh": 90},
)


def make_side(name: str, kind: Any, policy: str, threshold: float, judge: str) -> ConsultSide:
    return ConsultSide(
        name=name,
        kind=kind,
        templates=(f"{name}/en", f"{name}/zh"),
        fingerprints=("ab" * 32, "cd" * 32),
        form="raw",
        reading="top",
        policy=policy,
        threshold=threshold,
        judge=judge,
        temperature=0.0,
        release_sha256="ef" * 32 if kind == "release" else None,
    )


def make_repeats(*, once: bool) -> Repeats:
    if once:
        return Repeats(repeats=1, measured=False)
    noise = [
        RepeatNoise(flip_rate=figure(rate, 600, 0.01), pass_flip_rate=figure(rate, 120, 0.01))
        for rate in (0.02, 0.03, 0.11)
    ]
    return Repeats(
        repeats=3,
        measured=True,
        current=noise[0],
        proposed=noise[1],
        between=noise[2],
        beyond=figure(0.08, 600, 0.02),
    )


def make_calls(n: int, *, failures: bool) -> ConsultCalls:
    return ConsultCalls(
        needed=2 * n,
        stored=n,
        sent=n - 7 * failures,
        unanswered=7 * failures,
        unanswered_claims={"current": 0, "proposed": 7 * failures},
        unanswered_gold={"current": 0, "proposed": 0},
        cost_usd=0.42,
        stopped="budget" if failures else None,
        message="the budget of 500 calls is spent." if failures else "",
        budget={"calls": 500.0} if failures else {},
    )


def side_names(*, chinese: bool, hostile: bool) -> list[str]:
    if hostile:
        return [NASTY[0], NASTY[-1]]
    if chinese:
        return ["旧的忠实度指标", "忠实度裁决@1.0.0"]
    return ["deepeval:faithfulness", "faithfulness-verdict@1.0.0"]


def make_consult(
    decision: Decision = "hold",
    *,
    gold: bool = True,
    judges: bool = False,
    failures: bool = False,
    chinese: bool = False,
    hostile: bool = False,
    answers: int = 120,
    once: bool = False,
) -> ConsultReport:
    """A consultation whose parts fit each other."""
    same = decision == "nothing_changes"
    texts = NASTY if hostile else ZH_CLAIMS if chinese else EN_CLAIMS
    world = World(answers, 0.0 if same else 0.14, texts, failures=failures)
    names = side_names(chinese=chinese, hostile=hostile)
    if same:
        names[1] = names[0]
    policies, least = ("lenient", "lenient" if same else "strict"), 0.5 if same else 0.7
    judge = ("scripted:a", "scripted:b" if judges else "scripted:a")
    parts: tuple[PartName, ...] = () if same else ("policy", "threshold", "template")
    parts = (*parts, "judge") if judges else parts
    shift = score_shift(world, policies, failures=failures)
    told = world.shown()
    gold_texts = {f"g{k}": shown for k, shown in enumerate(list(told.values())[:2])}
    return ConsultReport(
        created="2026-01-05T08:00:00Z",
        package_version="0.1.0",
        current=make_side(names[0], "metric", policies[0], 0.5, judge[0]),
        proposed=make_side(names[1], "metric" if same else "release", policies[1], least, judge[1]),
        differing=parts,
        sample=ConsultSample(
            name="回答.jsonl" if chinese else NASTY[5] if hostile else "answers.jsonl",
            sha256="12" * 32,
            answers=answers,
            without_claims=3,
            claims=world.n,
            contexts=80,
            languages={"en": 400, "zh": 200},
            slices=dict(Counter(SLICES[k] for k in world.slices)),
        ),
        gold=GOLD if gold else None,
        calls=make_calls(world.n, failures=failures),
        seed=20260101,
        resamples=2000,
        level=0.95,
        flips=world.flips(),
        scores=shift,
        parts=decomposition(parts, shift, judges=judges),
        error=judge_error(refused=failures) if gold else None,
        thresholds=thresholds(gold=gold),
        repeats=make_repeats(once=once),
        on_gold=world.on_gold() if gold else None,
        rule=rule(decision, shift.pass_rate_shift, gold=gold, once=once),
        texts=told,
        gold_texts=gold_texts if gold else {},
        notes=(NASTY[4],) if hostile else ("Repeats were asked at temperature 0.",),
    )
