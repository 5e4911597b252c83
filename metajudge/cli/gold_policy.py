"""`metajudge gold policy`: print the guideline for annotators, or change what counts as support."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from metajudge.cli.gold_place import OWN, SetArgument, gold_place
from metajudge.cli.output import (
    JsonOption,
    ReportLanguage,
    inert,
    say,
    say_json,
    say_table,
    wrapped,
)
from metajudge.counted import counted
from metajudge.errors import GoldError, InputError, Problem

if TYPE_CHECKING:
    from metajudge.gold.claim import LabellingPolicy, SupportKind
    from metajudge.gold.goldset import GoldSet
    from metajudge.gold.guideline import Guideline
    from metajudge.gold.policy_change import Waiting

LangOption = Annotated[ReportLanguage, typer.Option("--lang", help="Language of the guideline.")]
HtmlOption = Annotated[Path | None, typer.Option("--html", help="Write it as an HTML page.")]
MarkdownOption = Annotated[Path | None, typer.Option("--markdown", help="Write it as Markdown.")]
KindsOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KIND=yes|no", help="Change whether a kind counts; repeatable."),
]
WhyOption = Annotated[str, typer.Option("--why", help="Why it changes; kept with the change.")]
VersionOption = Annotated[
    str | None,
    typer.Option("--version", help="Of the new policy.  [default: the next major one]"),
]
DryOption = Annotated[
    bool, typer.Option("--dry-run", help="Show what would change; write nothing.")
]
_COUNTS = {"yes": True, "no": False}


def policy(
    path: SetArgument = None,
    *,
    kinds: KindsOption = None,
    why: WhyOption = "",
    version: VersionOption = None,
    dry_run: DryOption = False,
    lang: LangOption = ReportLanguage.en,
    html: HtmlOption = None,
    markdown: MarkdownOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the labelling policy as the guideline for annotators, or change it.

    --set makes a new version of the policy and writes it into goldset.yaml; labels that depend on
    what changed wait for relabelling. Kinds: paraphrase, summary, aggregation, inference,
    arithmetic, common_knowledge.
    """
    if kinds:
        _change(_folder(path), _wanted(kinds), why, version, dry_run, as_json=as_json)
        return
    if why or version or dry_run:
        law = "--why, --version and --dry-run go with a change"
        raise InputError(Problem("gold policy", law, "Say what changes: --set inference=no."))
    from metajudge.gold.goldset import load_goldset
    from metajudge.gold.guideline import guideline

    goldset = load_goldset(gold_place(path))
    manifest = goldset.manifest
    policy, metric = manifest.labelling_policy, manifest.metric
    guide = guideline(policy, manifest.label_space, lang.code, metric)
    written = _write(guide, html, markdown)
    if as_json:
        say_json(_policy_fields(goldset) | {"written": [str(place) for place in written]})
    elif not written:
        from metajudge.report.guideline_text import guideline_text

        say(guideline_text(guide).rstrip("\n"))
    for place in () if as_json else written:
        say(f"written: {place}")


def _write(guide: Guideline, html: Path | None, markdown: Path | None) -> list[Path]:
    from metajudge.report.written_file import write_whole

    written = []
    if html is not None:
        from metajudge.report.guideline_html import guideline_page

        written.append(write_whole(html, guideline_page(guide)))
    if markdown is not None:
        from metajudge.report.guideline_text import guideline_markdown

        written.append(write_whole(markdown, guideline_markdown(guide)))
    return written


def _wanted(kinds: Sequence[str]) -> dict[SupportKind, bool]:
    """What `--set` says, every fault at once."""
    from metajudge.gold.claim import SUPPORT_KINDS
    from metajudge.gold.validation import suggest

    wanted: dict[SupportKind, bool] = {}
    problems = []
    for text in kinds:
        kind, _, counts = (part.strip() for part in text.partition("="))
        if kind not in SUPPORT_KINDS:
            law, mend = "there is no such kind of support", suggest(kind, SUPPORT_KINDS)
            problems.append(Problem("--set", law, mend, got=repr(text)))
        elif counts.casefold() not in _COUNTS:
            law, mend = "a kind counts or it does not", f"Write {kind}=yes or {kind}=no."
            problems.append(Problem("--set", law, mend, got=repr(text)))
        elif wanted.setdefault(kind, said := _COUNTS[counts.casefold()]) != said:
            law = "the kind is set twice, once to each"
            problems.append(Problem("--set", law, "Keep one of the two.", got=repr(text)))
    if problems:
        raise InputError(problems)
    return wanted


def _folder(path: str | None) -> Path:
    folder = Path(path) if path is not None else OWN
    if not (folder / "goldset.yaml").is_file():
        law = "a policy is changed in the goldset.yaml of a folder, and there is none"
        raise GoldError(Problem(str(folder), law, "Name the folder of a gold set."))
    return folder


def _change(
    folder: Path,
    wanted: dict[SupportKind, bool],
    why: str,
    version: str | None,
    dry_run: bool,
    *,
    as_json: bool,
) -> None:
    from metajudge.gold.goldset import load_goldset
    from metajudge.gold.metric_texts import metric_texts
    from metajudge.gold.policy_change import changed_policy, record_policy, under_policy, waiting

    before = load_goldset(folder)
    metric = before.manifest.metric
    if metric_texts(metric, "en") is not None:
        law = f"kinds of support are for claims, and the set is gold for {metric}"
        mend = "Write what counts into the rules of its labelling policy."
        raise InputError(Problem(str(folder), law, mend, field="--set"))
    changed = changed_policy(before.manifest.labelling_policy, wanted, why, version)
    after = under_policy(folder, changed)
    waits = waiting(after, before)
    written = () if dry_run else (record_policy(folder, changed),)
    if as_json:
        say_json(_change_fields(before, changed, waits) | {"written": list(map(str, written))})
        return
    _say_change(before.manifest.labelling_policy.version, changed)
    _say_waiting(waits, folder)
    say()
    say("nothing is written: --dry-run" if dry_run else f"written: {folder / 'goldset.yaml'}")


def _say_change(old: str, changed: LabellingPolicy) -> None:
    last = changed.changes[-1]
    told = ", ".join(
        f"{kind} {'counts' if counts else 'does not count'}"
        for kind, counts in last.support.items()
    )
    say(wrapped(f"labelling policy {inert(old)} -> {inert(last.version)}: {told}"))
    say(wrapped(f"why: {inert(last.why or '')}"))


def _say_waiting(waits: Waiting, folder: Path) -> None:
    say()
    if waits.by_slice:
        say_table(["slice", "claims"], list(waits.by_slice.items()), right="claims")
        say()
    say(wrapped(_waiting_sentence(waits)))
    if waits.claims or waits.without_slice:
        say(wrapped("Their labels stand until people have labelled them again:"))
        say(f"  metajudge label {folder} --as NAME")


def _waiting_sentence(waits: Waiting) -> str:
    depend = f"{counted(waits.claims, 'claims depend')} on the change, waiting for relabelling"
    if waits.without_slice:
        depend += f"; {waits.without_slice} more may depend on it: they have no slice"
    if waits.before:
        depend += f". {waits.before} of them waited before"
    return depend


def _policy_fields(goldset: GoldSet) -> dict[str, Any]:
    from metajudge.gold.claim import SUPPORT_KINDS
    from metajudge.gold.guideline import standing_of

    manifest = goldset.manifest
    fields = manifest.labelling_policy.model_dump(mode="json")
    standings = {kind: standing_of(manifest.labelling_policy, kind) for kind in SUPPORT_KINDS}
    return {"name": manifest.name, "label_space": manifest.label_space, **fields} | {
        "support": standings
    }


def _change_fields(before: GoldSet, changed: LabellingPolicy, waits: Waiting) -> dict[str, Any]:
    return {
        "before": before.manifest.labelling_policy.version,
        "version": changed.version,
        "changed": dict(changed.changes[-1].support),
        "why": changed.changes[-1].why,
        "waiting": dict(waits.by_slice),
        "may_wait_without_slice": waits.without_slice,
        "waited_before": waits.before,
    }
