"""`metajudge templates lint`: what is wrong or doubtful in templates, without a judge."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metajudge.cli.output import JsonOption, inert, say, say_json, wrapped
from metajudge.counted import counted
from metajudge.errors import EXIT_GUARDRAIL

if TYPE_CHECKING:
    from metajudge.templates.prompt_lint import PlacedTemplate, PromptFinding

NamesArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="TEMPLATE...",
        help="Shipped names, YAML files or folders; without one, ./templates, or else the "
        "shipped ones.",
        show_default=False,
    ),
]
GoldOption = Annotated[
    str | None,
    typer.Option(
        "--gold",
        metavar="SET",
        help="Compare with this gold set too: its policy, and its texts for leaks.",
    ),
]
IgnoreOption = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="CODE", help="Leave findings of this code out; repeatable."),
]
OWN = Path("templates")
_MARKS = {"error": "✗", "warning": "!", "note": "·"}
_SEVERITIES = ("error", "warning", "note")


def lint(
    names: NamesArgument = None,
    *,
    gold: GoldOption = None,
    ignore: IgnoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find what is wrong or doubtful in templates, without a judge.

    Rules that contradict definitions, labels asked for before reasons, compound claims that
    nothing settles, and more; with --gold also what differs from the labelling policy and what
    stands in the set. Ends with 1 when there is an error or a warning; notes alone end with 0.
    """
    from metajudge.gold.goldset import load_goldset
    from metajudge.templates.prompt_lint import lint_templates

    left_out = _codes(ignore or [])
    placed = _placed(names or [])
    goldset = None if gold is None else load_goldset(gold)
    found = [one for one in lint_templates(placed, goldset) if one.code not in left_out]
    counts = {kind: sum(one.severity == kind for one in found) for kind in _SEVERITIES}
    clean = not (counts["error"] or counts["warning"])
    if as_json:
        fields = {"templates": [one.template.label for one in placed], "clean": clean}
        by_severity = {f"{kind}s": count for kind, count in counts.items()}
        say_json({**fields, **by_severity, "findings": [asdict(one) for one in found]})
    else:
        for finding in found:
            say(wrapped(inert(_line(finding))))
        told = ", ".join(counted(n, f"{kind}s") for kind, n in counts.items())
        say(f"{counted(len(placed), 'templates')}: {told}")
    if not clean:
        raise typer.Exit(EXIT_GUARDRAIL)


def _codes(ignored: list[str]) -> set[str]:
    from metajudge.errors import Problem, TemplateError
    from metajudge.gold.validation import suggest
    from metajudge.templates.prompt_lint import CODES

    law = "there is no such check"
    unknown = [code for code in ignored if code not in CODES]
    if unknown:
        raise TemplateError(
            Problem("--ignore", law, suggest(code, CODES, len(CODES)), got=repr(code))
            for code in unknown
        )
    return set(ignored)


def _placed(names: list[str]) -> list[PlacedTemplate]:
    from metajudge.templates.catalogue import shipped_wordings
    from metajudge.templates.prompt_lint import named_templates

    if not names:
        names = [str(OWN)] if OWN.is_dir() else list(shipped_wordings())
    return named_templates(names)


def _line(finding: PromptFinding) -> str:
    place = finding.where if finding.line is None else f"{finding.where}:{finding.line}"
    field = "" if finding.field is None else f" {finding.field}"
    quote = "" if finding.quote is None else f" “{finding.quote}”"
    head = f"{_MARKS[finding.severity]} {finding.severity} {finding.code} [{place}]{field}{quote}"
    return f"{head}: {finding.why}. {finding.mend}"
