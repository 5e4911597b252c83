"""`metajudge release emit | identify`: a release for other frameworks, and found again."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metajudge.cli.output import JsonOption, say, say_json, tell, wrapped
from metajudge.cli.release_list import RefArgument, RegistryOption
from metajudge.errors import EXIT_GOOD, EXIT_GUARDRAIL, EXIT_USAGE, InputError, Problem

if TYPE_CHECKING:
    from metajudge.release.bundle import Release
    from metajudge.release.emit.writing import Emitted
    from metajudge.release.identify import Identification

KINDS = "chat, markdown, deepeval, ragas, dspy, promptfoo, phoenix, mlflow or inspect"
REGISTRY_WORDS = {
    "unmodified": "in the registry, unmodified",
    "other": "in the registry, but with other files than the mark says",
    "refused": "in the registry, which does not give it out",
    "absent": "not in the registry",
}


class EmittedLanguage(Enum):
    """Which languages of a release are written."""

    en = "en"
    zh = "zh"
    all = "all"


def emit(
    ref: RefArgument,
    to: Annotated[str, typer.Option("--to", metavar="KIND", help=f"{KINDS}.", show_default=False)],
    out: Annotated[
        Path,
        typer.Option("--out", help="Folder for the files; made where missing.", show_default=False),
    ],
    *,
    language: Annotated[
        EmittedLanguage, typer.Option("--language", help="One language, or all of the release's.")
    ] = EmittedLanguage.all,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files.")] = False,
    registry: RegistryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a release for a framework.

    The files need the framework and not metajudge. Whatever the framework cannot do as the release
    does is told here and in the files; the release's figures do not hold for it.
    """
    from metajudge.release.emit.writing import emitted, write_texts
    from metajudge.release.registry import find

    found = find(ref, registry)
    if found.note and not as_json:
        tell(found.note)
    chosen = () if language is EmittedLanguage.all else (language.value,)
    made = emitted(found.release, to, chosen)
    paths = write_texts(made.texts, out, force=force)
    if as_json:
        say_json(_as_json(found.release, made, paths, found.note))
        return
    _say(found.release, made, paths)


def _as_json(
    release: Release, made: Emitted, paths: tuple[Path, ...], note: str
) -> dict[str, object]:
    from metajudge.release.emit.mark import body_sha256

    kind = made.kind
    framework = None
    if kind.versions is not None:
        framework = {
            "package": kind.package,
            "versions": kind.versions,
            "tested": kind.tested,
            "installed": made.installed,
        }
    return {
        "release": release.ref,
        "release_sha256": release.sha256,
        "to": kind.name,
        "files": [
            {"path": str(path), "body_sha256": body_sha256(text)}
            for path, text in zip(paths, made.texts.values(), strict=True)
        ],
        "framework": framework,
        "differences": list(made.drop_in.differences),
        "conditions": list(made.drop_in.conditions),
        "note": note or None,
    }


def _say(release: Release, made: Emitted, paths: tuple[Path, ...]) -> None:
    from metajudge.release.emit.limits import conditions_head

    kind = made.kind
    head = f"{release.ref} for {kind.name}: {kind.what}"
    if kind.versions is not None:
        here = f", installed here: {made.installed}" if made.installed else ""
        head += f" (written for {kind.versions}, tested with {kind.tested}{here})"
    say(wrapped(head))
    for path in paths:
        say(f"  {path}")
    blocks = (
        ("In these it differs from the release, whose figures do not hold for it:", "differences"),
        (conditions_head(made.drop_in.differences), "conditions"),
    )
    for title, name in blocks:
        lines: tuple[str, ...] = getattr(made.drop_in, name)
        if lines:
            say()
            say(wrapped(title))
            for line in lines:
                say(wrapped(f"- {line}"))


def identify(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Files that `release emit` wrote.")
    ],
    *,
    registry: RegistryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the release that emitted files come from, and whether they were edited.

    Works without the mark too, by comparing with what the registry's releases give. Ends with 0
    where a file is intact, 1 where it was edited, 2 where the registry gives out no such release;
    with the worst of several files. JSON is an object for one file, a list for several.
    """
    from metajudge.release.identify import Identification, identify_files

    told: list[dict[str, object]] = []
    problems: list[Problem] = []
    worst = EXIT_GOOD
    for file, found in identify_files(files, registry):
        if not isinstance(found, Identification):
            problems += found.problems
            continue
        worst = max(worst, _exit_code(found))
        told.append({"file": str(file), **found.model_dump(mode="json")})
        if not as_json:
            _say_found(file, found)
    if as_json and told:
        say_json(told[0] if len(files) == 1 else told)
    if problems:
        raise InputError(problems)
    raise typer.Exit(worst)


def _exit_code(found: Identification) -> int:
    if found.state == "edited":
        return EXIT_GUARDRAIL
    return EXIT_GOOD if found.vouched else EXIT_USAGE


def _say_found(file: Path, found: Identification) -> None:
    from metajudge.report.inert import one_line

    place = one_line(str(file))
    if found.ref is None:
        say(wrapped(f"{place}: no release found"))
    else:
        whole = "as it was emitted" if found.vouched else "as its mark says"
        said = whole if found.state == "intact" else "EDITED"
        say(wrapped(f"{place}: {found.ref} for {found.kind}, {said}"))
        say(f"  release: {found.release_sha256}")
        say(f"  {REGISTRY_WORDS[str(found.registry)]}")
    for note in found.notes:
        say(wrapped(one_line(note)))
    if found.state == "edited" and found.vouched:
        say("to have the release's own text again:")
        folder = one_line(str(file.parent))
        say(f"  metajudge release emit {found.ref} --to {found.kind} --out {folder} --force")
