"""A tuning on a terminal: the decision first, readable at 80 columns."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.text import Text

from metajudge.report.consult_text import laid_out_block
from metajudge.report.figure_text import count
from metajudge.report.terminal_parts import fields, framed, plain, print_whole, title
from metajudge.report.translated import translated
from metajudge.report.tune_blocks import tune_blocks
from metajudge.report.tune_results import TuneResults
from metajudge.report.words import Language, word

ROWS = {"ranking": 10, "front": 8}


def print_tuning(results: TuneResults, console: Console, language: Language = "en") -> None:
    """Prints the report of a tuning."""
    print_whole(render_tuning(results, language, console.width), console)


def render_tuning(
    results: TuneResults, language: Language = "en", width: int | None = None
) -> RenderableType:
    """The report as something Rich prints; `width` in columns, None for 80."""
    decision = results.decision
    head = plain(f"{word('tune.title', language)} · {results.name}", "bold")
    if results.question:
        head.append_text(Text(" · ", style="dim")).append_text(plain(results.question))
    return Group(
        head,
        fields(tune_facts(results, language)),
        framed(
            decision.sentence_zh if language == "zh" else decision.sentence,
            word(f"tune.{verdict(results)}", language),
            good=decision.winner is not None and results.told_apart,
        ),
        *(
            part
            for block in tune_blocks(results, language)
            for part in laid_out_block(block, language, width or 80, ROWS)
        ),
        *_notes(results, language),
    )


def verdict(results: TuneResults) -> str:
    """What it comes to, in one code: chosen, nothing_new, no_winner."""
    if results.decision.winner is not None:
        return "chosen"
    return "nothing_new" if results.ranking[0].safe else "no_winner"


def tune_facts(results: TuneResults, language: Language) -> list[tuple[str, str]]:
    """What was tuned and tried, as (name, text)."""
    gold, space = results.gold, results.space
    split = f" · {word('split', language)} {gold.split}" if gold.split else ""
    claims = word("claims_n", language, n=count(gold.claims))
    tried = word(
        "tune.tried_line",
        language,
        n=count(space.tried),
        different=count(space.different),
        sampler=word(f"tune.sampler.{space.sampler}", language),
        rate=count(results.speed.per_minute),
    )
    return [
        (word("gold", language), f"{gold.name} {gold.version}{split} · {claims}"),
        (word("judge", language), " · ".join(judge.spec for judge in results.judges)),
        (word("tune.stored", language), _stored(results, language)),
        (word("tune.space", language), " · ".join(_space(results, language))),
        (word("tune.tried", language), tried),
    ]


def _stored(results: TuneResults, language: Language) -> str:
    missing = sum(told.missing for told in results.stored)
    if not missing:
        return word("tune.stored_all", language, n=len(results.stored))
    whole = sum(not told.left_out for told in results.stored)
    return word(
        "tune.stored_part", language, whole=whole, n=len(results.stored), missing=count(missing)
    )


def _space(results: TuneResults, language: Language) -> Iterator[str]:
    space = results.space
    yield word("tune.space_line", language, rows=space.candidates)
    if space.threshold_step is not None:
        yield word("tune.space_thresholds", language, step=f"{space.threshold_step:g}")
    if space.members > 1:
        comma = word("list_comma", language)
        votes = comma.join(word(f"tune.vote.{vote}", language) for vote in space.votes)
        yield word("tune.space_panels", language, n=space.members, votes=votes)


def declared_text(results: TuneResults) -> str:
    """What to put into the experiment, as YAML; "" where nothing new can be declared."""
    found = results.declare
    if found is None:
        return ""
    policies = [] if found.policy is None else ["policies:", f"  - {found.policy}"]
    return "\n".join(["readings:", f"  - {found.reading}", *policies])


def tune_notes(results: TuneResults, language: Language) -> list[str]:
    """What else there is to know, a sentence each."""
    return [translated(note, language) for note in results.notes]


def _notes(results: TuneResults, language: Language) -> Iterator[RenderableType]:
    if results.notes:
        yield from title(word("tune.notes", language))
        yield fields([("·", note) for note in tune_notes(results, language)])
