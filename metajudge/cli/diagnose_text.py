"""What `metajudge diagnose` shows on the terminal, in English and Chinese."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from metajudge.cli.output import inert, say, say_table, wrapped
from metajudge.metrics.diagnosis.evaluated import FEWEST
from metajudge.metrics.diagnosis.matrix import levels_of
from metajudge.metrics.diagnosis.tables import of, tree
from metajudge.metrics.diagnosis.words import word
from metajudge.report.words import word as shared

if TYPE_CHECKING:
    from metajudge.metrics.diagnosis.against import Shift
    from metajudge.metrics.diagnosis.causes import Walk
    from metajudge.metrics.diagnosis.diagnose import Diagnosis
    from metajudge.metrics.diagnosis.experiments import Offer
    from metajudge.metrics.diagnosis.matrix import Outcome, Reading
    from metajudge.metrics.diagnosis.tables import ExperimentName, Level, Matrix
    from metajudge.report.words import Language


def show(found: Diagnosis, language: Language) -> None:
    """The means, what each table says of the set and of the answers, and the tree of causes."""
    sample, settings = found.sample, found.settings
    contexts = len({row.row.context_id for row in sample.rows})
    say(wrapped(word("head", language, n=len(sample.rows), contexts=contexts,
                     level=f"{settings.level:.0%}",
                     answer_level=f"{settings.answer_level:.0%}")))  # fmt: skip
    if sample.without_units:
        say(wrapped(word("alone", language, n=sample.without_units)))
    say()
    _means(found, language)
    for name, table in found.tables.items():
        say()
        _table(found, name, table, language)
    say()
    _causes(found, language)


def _means(found: Diagnosis, language: Language) -> None:
    lines = found.settings.read_by
    rows = [
        (
            name,
            "–" if reading.score is None else f"{reading.score:.2f}",
            _interval(reading),
            _levels(levels_of(reading, lines[name]), language),
            word("threshold", language, low=lines[name].low_below, high=lines[name].high_from),
        )
        for name, reading in found.sample.means.items()
    ]
    heads = [*(word(key, language) for key in ("metric", "mean", "interval", "level")), ""]
    say_table(heads, rows, whole=heads[0])
    if any(m.score is not None and m.reason for m in found.sample.means.values()):
        say(wrapped(word("few", language, least=FEWEST)))
    say(wrapped(word("judge_errors", language)))


def _interval(reading: Reading) -> str:
    if reading.low is None or reading.high is None or reading.reason is not None:
        return "–"
    return f"{reading.low:.2f} – {reading.high:.2f}"


def _levels(levels: Sequence[Level], language: Language) -> str:
    return word("or", language).join(word(level, language) for level in levels) or "–"


def _table(found: Diagnosis, name: str, table: Matrix, language: Language) -> None:
    say(wrapped(of(table.title, language)))
    say(wrapped(word("source", language, source=of(table.source, language))))
    say(wrapped(_of_set(found.whole.outcomes[name], language)))
    counts = found.counts(name)
    told = {row.name: row for row in table.rows}
    rows = [
        (
            of(told[key].diagnosis, language) if key in told else word(key, language),
            str(n),
            f"{n / len(found.answers):.0%}",
            of(told[key].action, language) if key in told else "",
        )
        for key, n in counts.items()
    ]
    heads = [word(key, language) for key in ("diagnosis", "answers", "share", "action")]
    say_table(heads, rows, right=f"{heads[1]} {heads[2]}")


def _of_set(outcome: Outcome, language: Language) -> str:
    whole = word("whole", language)
    if outcome.row is not None:
        texts = (of(outcome.row.diagnosis, language), of(outcome.row.action, language))
        return word("found", language, whole=whole, diagnosis=texts[0], action=texts[1])
    possible = [of(row.diagnosis, language) for row in outcome.possible]
    possible += [word("lacking", language)] if outcome.lacking else []
    nearest = [of(row.diagnosis, language) for row in outcome.nearest]
    return word(
        f"{outcome.status}.whole",
        language,
        whole=whole,
        possible=word("and", language).join(possible),
        nearest=word("and", language).join(nearest),
        missing=shared("list_comma", language).join(outcome.missing),
    )


def _causes(found: Diagnosis, language: Language) -> None:
    walk = found.whole.causes
    say(wrapped(of(tree().title, language)))
    say(wrapped(word("source", language, source=of(tree().source, language))))
    if walk is None:
        say(wrapped(word("no_causes", language)))
        return
    for number, asked in enumerate(walk.asked, 1):
        question = asked.question
        told = word(f"reply.{asked.reply}", language, ask_for=of(question.ask_for, language))
        say(wrapped(f"{number}. {question.text(language)} {told}"))
    _end(walk, language)
    _of_answers(found, language)


def _end(walk: Walk, language: Language) -> None:
    if walk.cause is not None:
        texts = (of(walk.cause.cause, language), of(walk.cause.action, language))
        say(wrapped(word("end.cause", language, cause=texts[0], action=texts[1])))
    elif walk.open is None:
        say(wrapped(word(f"end.{walk.end}", language)))


def _of_answers(found: Diagnosis, language: Language) -> None:
    """Causes of single answers, by how many have each."""
    causes: Counter[str] = Counter()
    for answer in found.answers:
        walk = answer.causes
        if walk is None or (walk.cause is None and walk.open is None):
            continue
        known = walk.cause is not None
        causes[of(walk.cause.cause, language) if known and walk.cause else ""] += 1
    if causes:
        told = word("and", language).join(
            f"{cause or word('causes.open', language)} {n}" for cause, n in causes.most_common()
        )
        say(wrapped(word("causes", language, n=sum(causes.values()), told=told)))


def show_worth_trying(names: Sequence[ExperimentName], place: str, language: Language) -> None:
    """What could be tried, and the command that writes it."""
    if names:
        say()
        say(wrapped(word("try", language, names=shared("list_comma", language).join(names))))
        tried = " ".join(f"--try {name}" for name in names)
        where = inert(shlex.quote(place))
        say(f"  metajudge diagnose {where} {tried} --out DIR --gold GOLD --judge SPEC")


def show_offers(offers: Sequence[Offer], folder: str, language: Language) -> None:
    """Each experiment with the commands that run it."""
    from metajudge.metrics.diagnosis.experiments import KEEP

    for offer in offers:
        say()
        title = of(offer.template.title, language)
        say(wrapped(word("offered", language, title=title, path=inert(f"{folder}/{offer.name}"))))
        say(wrapped(of(offer.template.sweep_asks, language)))
        for command in offer.sweep:
            say(f"  {command}")
        say(wrapped(of(offer.template.answering, language).format(keep=KEEP)))
        say(word("then", language))
        for command in offer.answered:
            say(f"  {command}")


def show_shifts(shifts: Sequence[Shift], language: Language) -> None:
    """After against before, paired."""
    if not shifts:
        return
    say()
    say(wrapped(word("against", language, n=max(shift.difference.n for shift in shifts))))
    rows = []
    for shift in shifts:
        gap = shift.difference
        limits = (gap.low, gap.high)
        told = "–" if None in limits else " – ".join(f"{x:+.3f}" for x in limits if x is not None)
        verdict = word("apart" if shift.told_apart else "same", language)
        rows.append((shift.metric, f"{shift.before:.3f}", f"{shift.after:.3f}",
                     f"{gap.value or 0.0:+.3f}", told, verdict))  # fmt: skip
    heads = [word(key, language) for key in ("before", "after", "difference", "interval")]
    say_table((word("metric", language), *heads, ""), rows, whole=word("metric", language))
