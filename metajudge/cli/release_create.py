"""`metajudge release create`: a release from a confirmed selection."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metajudge.cli.declared import (
    DEFAULT_STORE,
    ExperimentArgument,
    NoRecordingOption,
    StoreOption,
    read_declared,
)
from metajudge.cli.output import inert, say, say_json, wrapped

if TYPE_CHECKING:
    from metajudge.release.create import Created

NAME_LENGTH = 80
OverrideOption = Annotated[
    str | None,
    typer.Option(
        "--override",
        help="Why, where a guardrail is broken or the confirmation does not hold; in the card.",
    ),
]
PlaceOption = Annotated[
    Path | None,
    typer.Option(
        "--registry",
        help="Folder of releases, made where missing.  [default: experiments/releases]",
        envvar="METAJUDGE_REGISTRY",
        show_envvar=True,
    ),
]


def create(
    experiment: ExperimentArgument = None,
    *,
    policy: Annotated[str, typer.Option("--policy", help="The scoring policy, such as strict.")],
    name: Annotated[
        str | None,
        typer.Option("--name", help="Name of the release.  [default: the experiment's]"),
    ] = None,
    version: Annotated[
        str | None,
        typer.Option("--version", help="Refused unless it is the one that the changes make it."),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option("--threshold", help="Least score that passes; the experiment's without it."),
    ] = None,
    override: OverrideOption = None,
    note: Annotated[
        list[str] | None,
        typer.Option("--note", help="To be read with the figures; repeatable."),
    ] = None,
    results: Annotated[
        Path | None,
        typer.Option("--results", help="results.json of the confirmation; else runs/NAME has it."),
    ] = None,
    registry: PlaceOption = None,
    sign: Annotated[
        Path | None, typer.Option("--sign", help="SSH key to sign the release with.")
    ] = None,
    store: StoreOption = DEFAULT_STORE,
    no_recording: NoRecordingOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON value.")] = False,
) -> None:
    """Freeze what `select --confirm` confirmed, with its evidence. No call is made."""
    from metajudge.experiment.released import Wanted, create_release, results_of

    declared = read_declared(experiment)
    if name is None:
        name = declared.config.name.lower()[:NAME_LENGTH]
    place = results_of(declared) if results is None else results
    notes = tuple(note or ())
    wanted = Wanted(name, policy, threshold, version, override, notes, registry, sign)
    made = create_release(
        declared,
        wanted,
        results=place,
        store=store,
        use_recordings=not no_recording,
    )
    if as_json:
        say_json(_as_json(made, place))
    else:
        _tell(made, place, registry)


def _as_json(made: Created, results: Path) -> dict[str, object]:
    manifest = made.release.manifest
    return {
        "ref": made.release.ref,
        "candidate": {"trial": manifest.experiment.trial, "reading": manifest.reading},
        "results": str(results),
        "folder": str(made.release.folder),
        "change": made.change.model_dump(mode="json"),
        "sha256": made.release.sha256,
    }


def _tell(made: Created, results: Path, registry: Path | None) -> None:
    release = made.release
    say(f"{release.ref}, {_kind(made)}")
    for reason in made.change.reasons:
        say(wrapped(f"- {inert(reason)}"))
    candidate = f"{release.manifest.experiment.trial} ({release.manifest.reading})"
    say(wrapped(f"It freezes {inert(candidate)}, confirmed in {inert(str(results))}."))
    if release.manifest.override is not None:
        say(wrapped(f"Released by override: {inert(release.manifest.override)}"))
    say(f"  {release.folder}")
    say(f"  sha256 {release.sha256}")
    say("Next:")
    place = "" if registry is None else f" --registry {shlex.quote(str(registry))}"
    say(f"  metajudge release verify {release.ref}{place}")
    say(f'  metajudge release promote {release.ref}{place} --reason "…"')
    say(f"  metajudge release emit {release.ref}{place} --to deepeval --out DIR")


def _kind(made: Created) -> str:
    previous = made.release.manifest.previous
    if previous is None:
        return "the first release of its name:"
    return f"a {made.change.kind} release after {previous}:"
