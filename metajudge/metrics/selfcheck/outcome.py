"""The outcome of a check, from its verdicts: what is shown, and what is said about it."""

from __future__ import annotations

import time
from dataclasses import dataclass

from metajudge.metrics.selfcheck.checked import SHOWN, Checked, CheckedUnit, Decision, Said
from metajudge.metrics.selfcheck.decision import Rule, counts_of, decide, withheld
from metajudge.metrics.selfcheck.desk import Tally
from metajudge.metrics.selfcheck.settings import CheckSettings
from metajudge.metrics.selfcheck.wording import (
    HAND_OVER,
    REFUSAL,
    language_by_script,
    language_of,
    line,
    no_check,
    nothing_to_check,
    text_for,
    why,
)
from metajudge.metrics.selfcheck.work import LATE, Work


@dataclass(frozen=True, slots=True)
class Told:
    """What every outcome of a self-check names.

    Attributes:
        release: What the verdicts rest on.
        judge: Spec of the judge.
        rule: How verdicts decide.
        settings: Texts and kind of units.
    """

    release: str
    judge: str
    rule: Rule
    settings: CheckSettings


def checked(work: Work, told: Told) -> Checked:
    """The outcome of a check that has ended."""
    answer, lang = work.pieces.answer, work.matter.lang
    if work.whole is not None:
        return not_checked(work.whole, answer, lang, told, started=work.started, tally=work.tally)
    ending = _Ending(told, lang, work.started, work.tally)
    if not work.said:
        return ending.outcome("passed", answer, None, nothing_to_check(lang))
    ruling = decide(told.rule, [said or LATE for said in work.said], work.places)
    units = tuple(work.unit(index) for index in range(len(work.said)))
    text = work.pieces.without(ruling.removed) if ruling.decision in SHOWN else None
    counts = counts_of(units, len(ruling.removed), len(work.pieces.sentences))
    kind = "claims" if work.drawn else "sentences"
    return ending.outcome(
        ruling.decision,
        text,
        ruling.score,
        why(ruling.decision, lang, kind, counts),
        units=units,
        removed=ruling.removed,
    )


def not_checked(
    said: Said,
    answer: object,
    lang: object,
    told: Told,
    *,
    started: float,
    tally: Tally | None = None,
) -> Checked:
    """The outcome of a check that could not be made.

    Args:
        said: Why.
        answer: What was to be checked; where it is no text, nothing of it can be shown.
        lang: Its language tag, where one was given.
        told: What every outcome names.
        started: When the check began, in s of `time.perf_counter`.
        tally: What was sent all the same.
    """
    is_text = isinstance(answer, str)
    decision = withheld(told.rule)
    if decision == "unchecked" and not is_text:
        decision = "refused"
    if not isinstance(lang, str) or not lang:
        lang = language_by_script(answer) if isinstance(answer, str) else "en"
    shown = decision == "unchecked"
    text = answer if shown and isinstance(answer, str) else None
    detail = f"{said.failure}: {said.detail}"
    unit = CheckedUnit(
        0,
        answer if isinstance(answer, str) else "",
        None,
        said.failure,
        said.detail,
        None,
        (),
        cached=False,
    )
    ending = _Ending(told, lang, started, tally or Tally())
    return ending.outcome(decision, text, None, no_check(lang, detail, shown=shown), units=(unit,))


@dataclass(frozen=True, slots=True)
class _Ending:
    told: Told
    lang: str
    started: float
    tally: Tally

    def outcome(
        self,
        decision: Decision,
        text: str | None,
        score: float | None,
        because: str,
        *,
        units: tuple[CheckedUnit, ...] = (),
        removed: tuple[int, ...] = (),
    ) -> Checked:
        """The outcome; without a text the one that stands in for the answer."""
        rule, settings = self.told.rule, self.told.settings
        if text is None:
            handed = decision == "handed_over"
            usual, own = (HAND_OVER, settings.hand_over) if handed else (REFUSAL, settings.refusal)
            text = text_for(self.lang, usual, own)
        return Checked(
            decision,
            text,
            score,
            because,
            units,
            removed,
            tuple([line(u, self.lang) for u in units if u.label is None or rule.costs(u.label)]),
            rule.policy.name,
            rule.min_score,
            self.told.release,
            language_of(self.lang),
            self.tally.calls,
            self.tally.tokens,
            self.tally.usd,
            1000 * (time.perf_counter() - self.started),
        )
