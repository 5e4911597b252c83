"""The account of an evaluation in sentences, in English and Chinese, read from `texts.json`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache

from metajudge.counted import filled
from metajudge.metrics.accounts import CalibrationAccount, CutOffAccount, TurnsAccount
from metajudge.metrics.computed.words import texts
from metajudge.metrics.evaluation import Evaluation, MetricAccount
from metajudge.metrics.judged.words import BECAUSE
from metajudge.report.part import Figure
from metajudge.report.translated import Translations, translated
from metajudge.report.words import Language, Words, words_of
from metajudge.report.words import word as shared

FEW_CONTEXTS = 30
"""Contexts under which intervals of means are said to be too narrow."""
COLUMNS = ("metric", "mean", "limits", "scored", "policy", "asked")


@cache
def _words() -> dict[str, Words]:
    return words_of("metajudge.metrics", "texts.json")


@cache
def _translations() -> Translations:
    return Translations(_words(), "said.", translated)


@cache
def _reasons(language: Language) -> Translations:
    """From the other language, since a row's reason is in that of its answer."""
    pairs = [*BECAUSE.values(), *(tuple(pair) for pair in texts().values())]
    if language == "en":
        pairs = [pair[::-1] for pair in pairs]
    else:
        failed = BECAUSE["list_failed"][1]
        pairs.append((failed, failed))
    table = {str(at): Words(*pair) for at, pair in enumerate(pairs)}
    return Translations(table, "", translated if language == "zh" else None)


def _reason(text: str, language: Language) -> str:
    return _reasons(language)(text, "zh")


def word(key: str, language: Language, /, **values: object) -> str:
    """A text with its placeholders filled.

    >>> word("column.metric", "zh")
    '指标'
    """
    return filled(_words()[key].of(language), values)


def head(evaluation: Evaluation, language: Language) -> str:
    """What was evaluated, and how many calls it took."""
    summary = evaluation.summary
    counts = summary.calls.model_dump(include={"needed", "stored", "sent", "failed"})
    return word("head", language, answers=summary.answers, contexts=summary.contexts, **counts)


def cells(account: MetricAccount, language: Language) -> tuple[str, ...]:
    """One metric's row under `COLUMNS`."""
    mean = account.mean
    limits = (
        ""
        if mean.low is None or mean.high is None
        else word("limits", language, low=mean.low, high=mean.high)
    )
    served = account.release or ", ".join(dict.fromkeys(t.split("@")[0] for t in account.templates))
    return (
        account.metric,
        "–" if mean.value is None else f"{mean.value:.2f}",
        limits,
        f"{account.scored}/{account.rows}",
        account.policy or "",
        served or word(f"kind.{account.kind}", language),
    )


def beside(account: MetricAccount, language: Language) -> Iterator[str]:
    """What a metric's mean does not show: missing scores, turns, cut-offs, warnings."""
    metric = account.metric
    if account.undefined:
        reasons: Counter[str] = Counter()
        for reason, n in account.undefined.items():
            reasons[_reason(reason, language)] += n
        told = shared("judged.list_semicolon", language).join(
            shared("judged.reason_n", language, reason=reason, n=n) for reason, n in reasons.items()
        )
        yield word("undefined", language, metric=metric, told=told)
    if account.failures:
        told = shared("list_comma", language).join(
            f"{translated(name, language)} {n}" for name, n in account.failures.items()
        )
        yield word("failures", language, metric=metric, told=told, units=account.units)
    if account.whole is not None and account.whole.value is not None:
        share, n = _share(account.whole, language), account.whole.n
        yield word(f"whole.{metric}", language, share=share, n=n)
    if account.turns is not None and account.turns.conversations:
        yield _turns(account.turns, language)
    if account.calibration is not None:
        yield _calibration(metric, account.calibration, language)
    for warning in account.warnings:
        yield warning.of(language)


def notes(evaluation: Evaluation, language: Language) -> Iterator[str]:
    """What reading decided for the user, what was never measured, how faithfulness is read."""
    summary = evaluation.summary
    asked = [a.metric for a in summary.metrics if a.kind == "judged" and a.release is None]
    if asked:
        names = shared("list_comma", language).join(asked)
        told = word("note.unmeasured", language, metrics=names)
        yield shared("judged.note", language, told=told)
    if any(account.metric == "faithfulness" for account in summary.metrics):
        yield shared("judged.note", language, told=word("note.faithfulness", language))
    if summary.contexts < FEW_CONTEXTS:
        yield shared("judged.note", language, told=word("note.few", language, n=summary.contexts))
    for note in (*summary.notes, *summary.calls.remarks):
        yield shared("judged.note", language, told=_translations()(note, language))


def _turns(turns: TurnsAccount, language: Language) -> str:
    limits = {"share": turns.single_turn_share, "low": turns.low, "high": turns.high}
    counts = {"most": turns.most, "fewest": turns.fewest, "n": turns.conversations}
    return word("turns", language, **counts, **limits)


def _calibration(metric: str, found: CalibrationAccount, language: Language) -> str:
    return word(
        "calibration",
        language,
        metric=metric,
        gold=found.gold,
        n=found.claims,
        yes=_cut_off("supported_from", found.supported_from, found.bound, language),
        no=_cut_off("unsupported_to", found.unsupported_to, found.bound, language),
        **found.labels,
    )


def _cut_off(key: str, cut_off: CutOffAccount, bound: float, language: Language) -> str:
    if cut_off.score is None:
        return word(f"{key}.none", language, bound=bound)
    wrong, right = _share(cut_off.wrong, language), _share(cut_off.right, language)
    return word(key, language, score=cut_off.score, wrong=wrong, right=right)


def _share(share: Figure, language: Language) -> str:
    if share.value is None or share.low is None or share.high is None:
        return "–"
    return word("share", language, value=share.value, low=share.low, high=share.high)
