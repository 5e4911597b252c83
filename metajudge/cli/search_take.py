"""`metajudge search --take N`: a setting of a finished search as a proposal, chosen by hand."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from metajudge.cli.declared import DEFAULT_STORE
from metajudge.cli.output import ReportLanguage, say, say_json, wrapped

if TYPE_CHECKING:
    from metajudge.experiment import Experiment


def take_setting(
    declared: Experiment,
    number: int,
    folder: Path,
    *,
    store: Path,
    limit: int | None,
    lang: ReportLanguage,
    as_json: bool,
) -> None:
    """Write the setting and say what is known of its guardrails, and what confirms it."""
    from metajudge.experiment.searching.taking import take
    from metajudge.report.search_text import confirm_command
    from metajudge.report.words import LANGUAGES, word

    taken = take(declared, number, store=store, out=folder, limit=limit)
    statements = dict(zip(LANGUAGES, taken.statements, strict=True))
    other = None if store == DEFAULT_STORE else store
    place = taken.written.experiment.relative_to(folder).as_posix()
    command = f"{confirm_command(place, folder, other)} --candidate {shlex.quote(taken.candidate)}"
    if as_json:
        say_json(
            {
                "number": number,
                "trial": taken.trial,
                "reading": taken.reading,
                "experiment": str(taken.written.experiment),
                "templates": list(map(str, taken.written.templates)),
                "statement": statements["en"],
                "confirm": command,
            }
        )
        return
    say(wrapped(statements[lang.code]))
    say()
    for path in (*taken.written.templates, taken.written.experiment):
        say(f"  {path}")
    say()
    say(wrapped(word("search.take_next", lang.code)))
    say(f"  {command}")
