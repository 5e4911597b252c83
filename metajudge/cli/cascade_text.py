"""What `metajudge cascade` shows on the terminal, in English and Chinese."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from metajudge.cli.output import inert, say, say_table, tell, wrapped
from metajudge.metrics.cascade.words import share, word

if TYPE_CHECKING:
    from metajudge.metrics.cascade.cascade_file import Cascade
    from metajudge.metrics.cascade.confirm import Confirmed
    from metajudge.metrics.cascade.cost import Expected
    from metajudge.metrics.cascade.fit import Fit, TradeRow
    from metajudge.metrics.cascade.people import Queued
    from metajudge.metrics.cascade.run import Applied
    from metajudge.metrics.cascade.settings import FitSettings
    from metajudge.report.part import Figure
    from metajudge.report.words import Language

SHARES = ("share_screen", "share_judge", "share_people")
ROWS = (
    *("claims", *SHARES, "to_judge", "to_people"),
    *("tokens", "screen_usd", "judge_usd", "people_minutes", "people_usd", "usd"),
)


def show_fit(found: Fit, settings: FitSettings, out: Path | None, language: Language) -> None:
    """The cut-offs, what they promise and cost, and what other rates would cost."""
    if found.cascade is None:
        _show_impossible(found, settings, language)
    else:
        show_cascade(found.cascade, language)
        say()
        _show_expected(found.cascade.expected, language)
    say()
    _show_trade(found.trade, language)
    for note in found.notes:
        text = word(f"note.{note.key}", language, n=note.n)
        say(wrapped(word("note", language, text=text)))
    if found.cascade is not None and out is not None:
        say(wrapped(word("written", language, path=inert(str(out)))))


def show_cascade(cascade: Cascade, language: Language) -> None:
    """Who is asked, the cut-offs and the guarantee."""
    gold, held = cascade.gold, cascade.guarantee
    judge = cascade.judge.release or f"{cascade.judge.spec} ({cascade.judge.template})"
    say(wrapped(word("chain", language, screen=inert(cascade.screen.spec), judge=inert(judge))))
    split = word("split.dev", language) if gold.split else ""
    counts = gold.model_dump(include={"version", "claims", "unsupported", "answers", "contexts"})
    say(wrapped(word("gold", language, name=inert(gold.name), split=split, **counts)))
    cuts = [
        word(f"cut.{name}", language, cut=f"{stage.cut:.6g}")
        if stage.cut is not None
        else word(f"cut.{name}.never", language)
        for name, stage in (("screen", cascade.screen), ("judge", cascade.judge))
    ]
    say(wrapped(word("cuts", language, screen=cuts[0], judge=cuts[1])))
    rate, confidence = share(held.miss_rate), share(held.confidence)
    say(wrapped(word(f"promise.{cascade.unit}", language, rate=rate, confidence=confidence)))
    say(wrapped(word("basis", language, missed=share(held.missed), upper=share(held.upper),
                     test=held.test, contexts=held.contexts,
                     cuts=len(held.screen_cuts))))  # fmt: skip


def _show_impossible(found: Fit, settings: FitSettings, language: Language) -> None:
    rate, confidence = share(settings.miss_rate), share(settings.confidence)
    say(wrapped(word("impossible", language, rate=rate, confidence=confidence)))
    enough, seen = found.needed or (0, None)
    counts = {"contexts": found.contexts, "needed": f"{enough:,}"}
    say(wrapped(word("impossible.needed", language, **counts)))
    if seen is None:
        say(wrapped(word("impossible.never", language)))
    elif seen > enough:
        say(wrapped(word("impossible.seen", language, needed=f"{seen:,}")))


def _show_expected(expected: Expected, language: Language) -> None:
    rows = []
    for name in ROWS:
        figure: Figure | None = getattr(expected, name)
        is_free_screen = name == "screen_usd" and figure is not None and not figure.value
        if figure is not None and figure.value is not None and not is_free_screen:
            shown = share if name in SHARES else _amount
            limits = (figure.low, figure.high)
            told = "" if None in limits else " – ".join(shown(x) for x in limits if x is not None)
            rows.append((word(f"row.{name}", language), shown(figure.value), told))
    say_table((word("per", language), "", "95 %"), rows)


def _amount(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _show_trade(trade: tuple[TradeRow, ...], language: Language) -> None:
    say(wrapped(word("trade", language)))
    names = ("rate", "screen", "judge", "to_judge", "to_people", "usd", "needed")
    heads = [word(f"head.{name}", language) for name in names]
    say_table(heads, [_trade_cells(row, language) for row in trade])


def _trade_cells(row: TradeRow, language: Language) -> list[str | None]:
    if row.line is None or row.expected is None:
        return [share(row.miss_rate), None, None, None, None, None, f"{row.needed:,}"]
    cuts = [
        word("never", language) if cut is None else f"{cut:.4g}"
        for cut in (row.line.screen, row.line.judge)
    ]
    figures = row.expected
    judged = (figures.to_judge.value or 0.0) / (figures.claims.value or 1.0)
    usd = figures.usd.value if figures.usd is not None else None
    return [
        share(row.miss_rate),
        *cuts,
        share(judged),
        share(figures.share_people.value or 0.0),
        None if usd is None else _amount(usd),
        "",
    ]


def show_run(applied: Applied, queued: Queued | None, out: Path | None, language: Language) -> None:
    """Who decided how many answers and claims, what was lost, and how the queue is labelled."""
    from metajudge.metrics.cascade.lost import failed_calls, whole_answers
    from metajudge.report.translated import translated

    counts = applied.counts()
    for name in ("answers", "claims"):
        found = counts[name]
        stages = (word(f"stage.{stage}", language, n=n) for stage, n in found.items())
        told = word("and", language).join(stages)
        say(wrapped(word(f"run.{name}", language, n=sum(found.values()), told=told or "–")))
    whole, failed = whole_answers(applied), failed_calls(applied)
    if whole:
        say(wrapped(word("run.whole", language, n=whole)))
    if failed:
        classes = (f"{translated(kind, language)} {n}" for kind, n in failed.items())
        told = word("and", language).join(classes)
        say(wrapped(word("run.failed", language, n=sum(failed.values()), told=told)))
    for note in applied.notes:
        say(wrapped(word("note", language, text=translated(note, language))))
    if out is not None:
        say(wrapped(word("written", language, path=inert(str(out)))))
    if queued is not None:
        path = inert(str(queued.folder))
        say(wrapped(word("queue", language, path=path, new=queued.new, known=queued.known)))
        say(f"  metajudge label {inert(shlex.quote(str(queued.folder)))} --as NAME")


def tell_void(changes: tuple[str, ...], language: Language) -> None:
    """The warning that the guarantee does not hold."""
    if changes:
        tell(word("void", language, changes=inert("; ".join(changes))))


def show_confirmed(found: Confirmed, cascade: Cascade, language: Language) -> None:
    """The miss rate on the sealed test half against the one promised."""
    if found.missed is None:
        say(wrapped(word("confirm.empty", language, reads=found.reads)))
        return
    key = "confirm.holds" if found.holds(cascade) else "confirm.broken"
    say(wrapped(word(key, language, missed=share(found.missed),
                     upper=share(found.upper or 0.0), contexts=found.contexts, reads=found.reads,
                     rate=share(cascade.guarantee.miss_rate))))  # fmt: skip
