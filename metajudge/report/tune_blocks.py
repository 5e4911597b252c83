"""What a tuning comes to, in tables, before it is laid out for any medium."""

from __future__ import annotations

from collections.abc import Iterator

from metajudge.report.consult_block import Block, Line, Shown, lines_of
from metajudge.report.figure_text import compact, count
from metajudge.report.part import Figure
from metajudge.report.tune_results import TunedRow, TunedSetting, TunedWeights, TuneResults
from metajudge.report.words import Language, reading_word, word, word_or_code
from metajudge.templates.reading_names import threshold_text

SHOWN = ("over_credit", "kappa")
"""Figures beside the target."""
COST = "trials"
_NONE = Figure(value=None, n=0, reason="not computed")
_PLAIN = (0.0, 0.5, 1.0)
"""Weights that are shown beside the nearest one."""


def tune_blocks(results: TuneResults, language: Language) -> tuple[Block, ...]:
    """The parts of a tuning's report in their order."""
    blocks = (
        _ranking(results, language),
        _luck(results, language),
        _front(results, language),
        _weights(results, language),
    )
    return tuple(block for block in blocks if block is not None)


def setting_word(setting: TunedSetting, language: Language) -> str:
    """A setting in words."""
    told = " + ".join(
        f"{member.trial} · {reading_word(member.reading, language, short=True)}"
        for member in setting.members
    )
    if setting.vote is None:
        return told
    vote = word(f"tune.vote.{setting.vote}", language)
    if setting.threshold is not None:
        threshold = threshold_text(setting.threshold)
        vote = word("tune.vote_at", language, vote=vote, threshold=threshold)
    return word("tune.panel_name", language, vote=vote, members=told)


def figure_names(results: TuneResults) -> tuple[str, ...]:
    """The target, then the figures beside it."""
    return tuple(dict.fromkeys((results.target, *SHOWN)))


def objective_name(name: str, language: Language) -> str:
    """An objective in words: a figure, or how many trials answer each claim."""
    return word_or_code("tune.cost" if name == COST else "figure", name, language)


def _ranking(results: TuneResults, language: Language) -> Block:
    names = figure_names(results)
    safe, different = results.safe_settings, results.space.different
    note = word("tune.safe_note", language, safe=count(safe), different=count(different))
    return Block(
        "ranking",
        word("tune.ranking", language),
        heads=(
            word("tune.setting", language),
            *(word_or_code("figure", name, language) for name in names),
        ),
        lines=tuple(_rank_line(row, names, language) for row in results.ranking),
        notes=(note,),
    )


def _rank_line(row: TunedRow, names: tuple[str, ...], language: Language) -> Line:
    mark = word(f"tune.kind.{row.kind}", language)
    return Line(
        (
            f"{row.rank}{'' if row.safe else '✗'} {setting_word(row.setting, language)} ({mark})",
            *(Shown(row.figures.get(name, _NONE)) for name in names),
        ),
        state="kept" if row.safe else "broken",
    )


def _luck(results: TuneResults, language: Language) -> Block | None:
    luck = results.luck
    if luck is None:
        return None
    different, found = count(results.space.different), luck.optimism
    lead = (
        word("tune.luck_none", language, different=different, reason=found.reason or "")
        if found.corrected is None
        else word(
            "tune.luck_lead",
            language,
            different=different,
            n=found.resamples,
            target=word_or_code("figure", results.target, language),
            corrected=compact(found.corrected),
        )
    )
    first = results.ranking[0].figures
    notes = [word("tune.luck_note", language, folds=luck.folds)] if luck.unseen else []
    notes += [word("tune.luck_adaptive", language)] if luck.adaptive else []
    return Block(
        "luck",
        word("tune.luck", language),
        lead=(lead,),
        heads=tuple(word(f"tune.luck_{key}", language) for key in ("figure", "chosen", "unseen")),
        lines=lines_of(
            (
                word_or_code("figure", name, language),
                Shown(first.get(name, _NONE)),
                Shown(luck.unseen.get(name, _NONE)),
            )
            for name in figure_names(results)
        ),
        notes=(*notes, word("tune.luck_last", language)),
    )


def _front(results: TuneResults, language: Language) -> Block | None:
    names = tuple(results.space.objectives)
    if len(results.front) < 2:
        return None
    return Block(
        "front",
        word("tune.front", language),
        heads=(
            word("tune.setting", language),
            *(objective_name(name, language) for name in names),
        ),
        lines=lines_of(
            (
                setting_word(point.setting, language),
                *(
                    count(round(value)) if name == COST and value is not None else compact(value)
                    for name, value in ((name, point.values.get(name)) for name in names)
                ),
            )
            for point in results.front
        ),
    )


def _weights(results: TuneResults, language: Language) -> Block | None:
    weights = results.weights
    if weights is None:
        return None
    title = word("tune.weights", language)
    if weights.best is None:
        return Block("weights", title, lead=(word("tune.weights_none", language),))
    name = setting_word(results.ranking[0].setting, language)
    return Block(
        "weights",
        title,
        lead=(word("tune.weights_lead", language, name=name, policy=weights.gold_policy),),
        heads=tuple(
            word(f"tune.{key}", language) for key in ("weight", "bias", "mae", "pass_agreement")
        ),
        lines=tuple(_weight_lines(weights, language)),
    )


def _weight_lines(weights: TunedWeights, language: Language) -> Iterator[Line]:
    for row in weights.rows:
        if row.weight != weights.best and row.weight not in _PLAIN:
            continue
        policy = f"partial({row.weight:g})"
        if row.weight == weights.best:
            policy = word("tune.weight_best", language, policy=policy)
        yield Line(
            (policy, Shown(row.bias, sign=True), Shown(row.mae), Shown(row.pass_agreement)),
            state="kept" if row.weight == weights.best else "",
        )
