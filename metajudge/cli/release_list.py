"""`metajudge release list | show | promote | deprecate`: what a registry has, and its state."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from metajudge.cli.output import JsonOption, console, inert, say, say_json, say_table, tell, wrapped

if TYPE_CHECKING:
    from metajudge.release.bundle import Release
    from metajudge.release.evidence import Evidence
    from metajudge.release.registry import Found, Listed
    from metajudge.release.registry_lines import Action

RefArgument = Annotated[
    str,
    typer.Argument(
        metavar="RELEASE",
        help="name@1.2.0, name@1, name, or the path of a release's folder.",
        show_default=False,
    ),
]
VersionArgument = Annotated[
    str, typer.Argument(metavar="RELEASE", help="name@1.2.0, in full.", show_default=False)
]
RegistryOption = Annotated[
    Path | None,
    typer.Option(
        "--registry",
        help="Folder of the registry.  [default: experiments/releases, or else the shipped one]",
        envvar="METAJUDGE_REGISTRY",
        show_envvar=True,
    ),
]
ReasonOption = Annotated[str, typer.Option("--reason", help="Why; stays in the registry.")]
SHOWN = ("accuracy", "kappa", "summary_as_idk", "over_credit", "under_credit", "coverage")
OVERRIDE, LATEST = "!", "*"
LEGEND = f"{LATEST} latest, {OVERRIDE} broken guardrail; kappa and over(-credit) on sealed test"
HEADS = ("release", "state", "created", "lang", "judge", "kappa", "over")
FIGURE_HEADS = ("kappa", "over")
BESIDE_NAME = 53
"""Columns that the list takes beside the name, with nine for the judge."""


def list_releases(registry: RegistryOption = None, as_json: JsonOption = False) -> None:
    """List the releases of a registry.

    Kappa and over-credit are those of the sealed test claims; * marks the latest version, ! one
    with a broken guardrail. What the registry does not give out is listed too, with the reason.
    """
    from metajudge.release.registry import default_registry
    from metajudge.release.registry import list_releases as listed

    home = default_registry() if registry is None else registry
    rows = [(row, _row_fields(row)) for row in listed(home)]
    if as_json:
        say_json([fields for _, fields in rows])
        return
    if not rows:
        tell(f"{home}: the registry has no release. Make one with: metajudge release create")
        return
    _say_list([fields for _, fields in rows])


def show(ref: RefArgument, registry: RegistryOption = None, as_json: JsonOption = False) -> None:
    """Show what a release is, and its key figures."""
    from metajudge.release.registry import find

    found = find(ref, registry)
    evidence = _evidence(found.release)
    if as_json:
        say_json(
            {
                "manifest": found.release.manifest.model_dump(mode="json"),
                "sha256": found.release.sha256,
                "state": None if found.registered is None else found.registered.state,
                "note": found.note or None,
                "figures": _figures(evidence),
            }
        )
        return
    _say_release(found)
    if evidence is None:
        tell("its evidence cannot be read; see what is wrong with: metajudge release verify")
        return
    say()
    _say_figures(evidence)


def promote(ref: VersionArgument, reason: ReasonOption, registry: RegistryOption = None) -> None:
    """Make a version the one that is meant where none is named.

    The highest promoted version is `name@latest`. The registry's line is never taken back.
    """
    _change(ref, "promoted", reason, registry)


def deprecate(ref: VersionArgument, reason: ReasonOption, registry: RegistryOption = None) -> None:
    """Take a version out of use, for good: only its exact number still gives it."""
    _change(ref, "deprecated", reason, registry)


def _change(ref: str, action: Action, reason: str, registry: Path | None) -> None:
    from metajudge.release.registry import change, default_registry

    home = default_registry() if registry is None else registry
    entry = change(home, ref, action, reason)
    say(wrapped(f"{entry.ref} is {action}: {inert(entry.reason or '')}"))


def _evidence(release: Release) -> Evidence | None:
    from metajudge.errors import ReleaseError
    from metajudge.release.evidence import read_evidence

    try:
        return read_evidence(release.folder)
    except ReleaseError:
        return None


def _figures(evidence: Evidence | None) -> dict[str, Any] | None:
    if evidence is None:
        return None
    return {
        split.split: {
            "claims": split.claims,
            **{name: split.figures[name].model_dump() for name in SHOWN if name in split.figures},
        }
        for split in (evidence.recomputed.dev, evidence.recomputed.test)
    }


def _row_fields(row: Listed) -> dict[str, Any]:
    evidence = None if row.release is None else _evidence(row.release)
    test = None if evidence is None else evidence.recomputed.test.figures
    manifest = None if row.release is None else row.release.manifest
    return {
        "name": row.name,
        "version": row.version,
        "state": "unregistered" if row.registered is None else row.registered.state,
        "latest": row.is_latest,
        "created": None if manifest is None else manifest.created,
        "languages": None if manifest is None else list(manifest.languages),
        "judge": None if manifest is None else manifest.judge.spec,
        "kappa": _value(test, "kappa"),
        "over_credit": _value(test, "over_credit"),
        "override": None if manifest is None else manifest.override,
        "refused": row.refusal,
    }


def _value(figures: dict[str, Any] | None, name: str) -> float | None:
    found = None if figures is None else figures.get(name)
    return None if found is None else found.value


def _say_list(rows: list[dict[str, Any]]) -> None:
    from metajudge.report.terminal_parts import filled, print_whole

    lines = [_cells(row) for row in rows]
    paper = console()
    if max(len(line[0]) for line in lines) + BESIDE_NAME <= paper.width:
        print_whole(filled(paper.width, HEADS, lines, wide=HEADS.index("judge"), cut=True), paper)
    else:
        for line in lines:
            say(wrapped("; ".join(_told(line))))
    say(wrapped(LEGEND))
    for row in rows:
        if row["override"]:
            say(wrapped(f"! {row['name']}@{row['version']}: {inert(row['override'])}"))
        if row["refused"]:
            say(wrapped(f"{row['name']}@{row['version']} is refused: {inert(row['refused'])}"))


def _cells(row: dict[str, Any]) -> list[str]:
    from metajudge.report.figure_text import compact

    return [
        f"{row['name']}@{row['version']}",
        "refused" if row["refused"] else _state(row),
        (row["created"] or "")[:10],
        ",".join(row["languages"] or ()),
        _short_judge(row["judge"] or ""),
        compact(row["kappa"]),
        f"{compact(row['over_credit'])}{f' {OVERRIDE}' if row['override'] else ''}",
    ]


def _told(cells: list[str]) -> list[str]:
    """A line of the list where the terminal is too narrow for its table."""
    named = zip(HEADS, map(inert, cells), strict=True)
    return [f"{head} {cell}" if head in FIGURE_HEADS else cell for head, cell in named if cell]


def _short_judge(spec: str) -> str:
    """The model without its provider: `gpt-4o-mini` of `openai/gpt-4o-mini`."""
    return re.split(r"[/:](?=[^/:])", spec)[-1]


def _state(row: dict[str, Any]) -> str:
    return f"{row['state']} {LATEST}" if row["latest"] else str(row["state"])


def _say_release(found: Found) -> None:
    from metajudge.report.terminal_parts import fields, print_whole

    manifest = found.release.manifest
    gold, made = manifest.gold, manifest.experiment
    pairs = [
        ("release", manifest.ref),
        ("state", "not asked of a registry" if found.registered is None else _told_state(found)),
        ("sha256", found.release.sha256),
        ("created", f"{manifest.created} with metajudge {manifest.package_version}"),
        ("languages", ", ".join(manifest.languages)),
        ("templates", ", ".join(pin.label for pin in manifest.templates)),
        ("context", f"{manifest.context_form}, {manifest.claims_per_call} claim(s) a call"),
        ("reading", manifest.reading),
        ("policy", f"{manifest.policy.name}, passes from {manifest.policy.threshold:g} on"),
        ("judge", _judge(found.release)),
        ("gold", f"{gold.name} {gold.version}, labelling policy {gold.policy_version}"),
        ("gold sha256", gold.sha256),
        ("experiment", f"{made.name}: {made.trial} against {made.baseline or 'nothing'}"),
        ("change", f"{manifest.change.kind}: {' '.join(manifest.change.reasons)}"),
        ("previous", manifest.previous or "none"),
    ]
    pairs += [("note", note) for note in manifest.notes]
    if manifest.override is not None:
        pairs.append(("OVERRIDE", manifest.override))
    print_whole(fields(pairs), console())


def _told_state(found: Found) -> str:
    one = found.registered
    if one is None:
        return ""
    line = one.deprecated or one.promoted or one.created
    return f"{one.state} {line.time}" + (f": {line.reason}" if line.reason else "")


def _judge(release: Release) -> str:
    pin = release.manifest.judge
    place = "" if pin.api_base is None else f"at {pin.api_base}, "
    decoding = f"{place}temperature {pin.temperature}, seed {pin.seed}"
    identity = ", ".join(f"{name} {value}" for name, value in pin.identity.items())
    return f"{pin.spec}, {decoding}; {identity}"


def _say_figures(evidence: Evidence) -> None:
    from metajudge.report.figure_text import count, with_interval
    from metajudge.report.words import word_or_code

    splits = (evidence.recomputed.dev, evidence.recomputed.test)
    rows: list[list[str]] = [["claims", *(count(split.claims) for split in splits)]]
    for name in SHOWN:
        figures = [split.figures.get(name) for split in splits]
        shown = ["–" if figure is None else with_interval(figure) for figure in figures]
        rows.append([word_or_code("figure", name, "en"), *shown])
    say_table(["figure", "dev", "test"], rows)
    flips = evidence.carried.flip_rate
    say(f"flip rate over repeats: {'not asked' if flips is None else with_interval(flips)}")
